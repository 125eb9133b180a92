"""Jacobians of a call: in reverse mode, row by row, and by central differences, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from warp import _warp
from warp._autograd.call import Call, Mask, numbers, pairs_of

# By input and output: a row for each number of the output, a column for each number of the input. NaN where nothing
# was computed.
Matrices = dict[tuple[int, int], np.ndarray[Any, Any]]


def _empty(call: Call, outputs: Sequence[_warp.array], pairs: Sequence[tuple[int, int]]) -> Matrices:
    return {(i, o): np.full((_count(outputs[o]), _count(call.inputs[i])), np.nan) for i, o in pairs}


def _count(array: _warp.array) -> int:
    count: int = array.size * array.dtype._elem.count
    return count


def _limit(count: int, most: int) -> int:
    return count if most < 0 else min(count, most)


def reverse(call: Call, mask: Mask, most: int = -1) -> Matrices:
    """The Jacobians that the adjoints of the launches give.

    Args:
        call: What is differentiated.
        mask: The pairs of inputs and outputs that are wanted.
        most: How many numbers of each output are differentiated; all, if negative.
    """
    with call.borrowed():
        call.restore()
        with wp.Tape() as tape:
            outputs = call.run(record=True)
        pairs = pairs_of(call, outputs, mask)
        matrices = _empty(call, outputs, pairs)
        for o in dict.fromkeys(o for _, o in pairs):
            inputs = [i for i, to in pairs if to == o]
            seed = wp.zeros_like(outputs[o], requires_grad=False)
            unit = np.zeros_like(seed.numpy(), order="C")
            flat = unit.reshape(-1)
            for row in range(_limit(flat.size, most)):
                flat[row] = 1
                seed.assign(unit)
                flat[row] = 0
                tape.zero()
                for i in inputs:
                    call.inputs[i].grad.zero_()
                tape.backward(grads={outputs[o]: seed})
                for i in inputs:
                    matrices[i, o][row] = numbers(call.inputs[i].grad)
    return matrices


def differences(call: Call, mask: Mask, eps: float, most: int = -1) -> Matrices:
    """The Jacobians that central differences give.

    What is divided by is the distance between the two inputs as they are once rounded to their type (W. H. Press et
    al., "Numerical Recipes", section 5.7). Where a step of `eps` would be lost in rounding, a longer one is made.

    Args:
        call: What is differentiated.
        mask: The pairs of inputs and outputs that are wanted.
        eps: How far inputs are moved in each direction.
        most: How many numbers of each input are moved; all, if negative.
    """
    if not eps > 0:
        raise ValueError(f"eps is {eps}, expected a number above 0")
    with call.borrowed():
        call.restore()
        outputs = call.run(record=False)
        pairs = pairs_of(call, outputs, mask)
        matrices = _empty(call, outputs, pairs)
        call.restore()
        for i in dict.fromkeys(i for i, _ in pairs):
            array = call.inputs[i]
            first = np.array(array.numpy(), order="C")
            moved = first.copy()
            flat = moved.reshape(-1)
            for column in range(_limit(flat.size, most)):
                above, below = _around(flat, column, eps)
                results = []
                for value in (above, below):
                    call.restore()
                    flat[column] = value
                    array.assign(moved)
                    results.append([_numbers(output) for output in call.run(record=False)])
                flat[column] = first.reshape(-1)[column]
                call.restore()
                array.assign(first)
                for o in (o for at, o in pairs if at == i):
                    matrices[i, o][:, column] = (results[0][o] - results[1][o]) / (float(above) - float(below))
    return matrices


def _numbers(output: Any) -> np.ndarray[Any, Any]:
    """A copy of an output's numbers; None if it is no array, which has no derivative."""
    return numbers(output) if isinstance(output, _warp.array) else np.zeros(0)


def _around(flat: np.ndarray[Any, Any], at: int, eps: float) -> tuple[Any, Any]:
    """The numbers of the array's type on both sides of one of its numbers, which it still holds afterwards."""
    middle = flat[at]
    while True:
        flat[at] = float(middle) + eps
        above = flat[at]
        flat[at] = float(middle) - eps
        below = flat[at]
        flat[at] = middle
        if above != below or not np.isfinite(float(middle)):
            return above, below
        eps *= 2


def arrays_of(call: Call, matrices: Matrices) -> dict[tuple[int, int], _warp.array]:
    """The matrices as arrays of the inputs' dtypes: a column for each element."""
    arrays = {}
    for (i, o), matrix in matrices.items():
        dtype = call.inputs[i].dtype
        shape = (matrix.shape[0], call.inputs[i].size)
        content = matrix.reshape(*shape, *dtype._elem.shape)
        arrays[i, o] = wp.array(content, dtype=dtype) if matrix.size else wp.zeros(shape, dtype=dtype)
    return arrays
