"""Comparison of a gradient with central differences, and the table that says how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from warp._autograd.call import FunctionMetadata
from warp._autograd.jacobian import Matrices


@dataclass
class Comparison:
    """Two Jacobians of one output with respect to one input, where they differ most.

    Attributes:
        pair: The indices of input and output.
        place: Row (number of the output) and column (number of the input); None where there is nothing to compare.
        reverse: What the adjoint gives there.
        difference: What central differences give there.
        absolute: The greatest absolute difference.
        relative: The greatest relative one, by the larger of the two.
        passed: Whether all differences are within the tolerance.
    """

    pair: tuple[int, int]
    place: tuple[int, int] | None
    reverse: float
    difference: float
    absolute: float
    relative: float
    passed: bool


def compare(
    reverse: Matrices, differences: Matrices, rows: int, columns: int, atol: float, rtol: float
) -> list[Comparison]:
    """Compare the first rows and columns, negative numbers meaning all of them.

    A number passes if ``abs(reverse - difference) <= atol + rtol * abs(difference)``; NaN does not.
    """
    found = []
    for pair, whole in reverse.items():
        down = whole.shape[0] if rows < 0 else rows
        across = whole.shape[1] if columns < 0 else columns
        ours = whole[:down, :across]
        theirs = differences[pair][:down, :across]
        if ours.size == 0:
            found.append(Comparison(pair, None, 0.0, 0.0, 0.0, 0.0, True))
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            absolute = np.where(ours == theirs, 0.0, np.abs(ours - theirs))
            largest = np.maximum(np.abs(ours), np.abs(theirs))
            relative = np.where(absolute == 0, 0.0, absolute / largest)
            passed = bool(np.all(absolute <= atol + rtol * np.abs(theirs)))
        # NaN comes first in this order, as what is furthest from right.
        row, column = np.unravel_index(int(np.argmax(absolute)), absolute.shape)
        found.append(
            Comparison(
                pair,
                (int(row), int(column)),
                float(ours[row, column]),
                float(theirs[row, column]),
                float(absolute[row, column]),
                float(relative.max()),
                passed,
            )
        )
    return found


def errors(reverse: Matrices, differences: Matrices, relative: bool) -> Matrices:
    """How far the two Jacobians of each pair are apart, number by number."""
    found = {}
    for pair, ours in reverse.items():
        theirs = differences[pair]
        error = np.abs(ours - theirs)
        if relative:
            with np.errstate(invalid="ignore"):
                error = np.where(error == 0, 0.0, error / np.maximum(np.abs(ours), np.abs(theirs)))
        found[pair] = error
    return found


_HEADS = ("input", "output", "absolute error", "at", "adjoint", "differences", "relative error", "")


def summary(metadata: FunctionMetadata, comparisons: Sequence[Comparison]) -> str:
    """A table with a line for each pair: how far the two differ at most, and where."""
    lines = [_HEADS]
    for c in comparisons:
        i, o = c.pair
        lines.append(
            (
                metadata.input_labels[i],
                metadata.output_labels[o],
                f"{c.absolute:.3e}",
                "-" if c.place is None else f"[{c.place[0]}, {c.place[1]}]",
                f"{c.reverse:.6g}",
                f"{c.difference:.6g}",
                f"{c.relative:.3e}",
                "passed" if c.passed else "FAILED",
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    text = ["  ".join(part.ljust(width) for part, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([f"Gradients of {metadata.key}", *text])


def complaint(metadata: FunctionMetadata, c: Comparison) -> str:
    """What is wrong with a pair, in a sentence."""
    i, o = c.pair
    at = "" if c.place is None else f" at row {c.place[0]}, column {c.place[1]} of the Jacobian"
    return (
        f"gradient check of '{metadata.key}' failed: output '{metadata.output_labels[o]}' with respect to input "
        f"'{metadata.input_labels[i]}' has the gradient {c.reverse:.6g}{at}, "
        f"central differences give {c.difference:.6g}"
    )
