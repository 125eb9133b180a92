"""``Tape.visualize``: reads the options, and writes the file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from warp import _warp
from warp._tape import dot
from warp._tape.build import Options, build

DIRECTIONS = ("LR", "RL", "TB", "BT")


def visualize(
    tape: Any,
    filename: Any,
    *,
    simplify_graph: bool,
    hide_readonly_arrays: bool,
    array_labels: Any,
    choose_longest_node_name: bool,
    ignore_graph_scopes: bool,
    track_inputs: Any,
    track_outputs: Any,
    track_input_names: Any,
    track_output_names: Any,
    graph_direction: str,
) -> str:
    """See ``Tape.visualize``, which documents the options."""
    if graph_direction not in DIRECTIONS:
        raise ValueError(f"visualize: graph_direction is {graph_direction!r}, expected one of {', '.join(DIRECTIONS)}")
    if filename is not None and not isinstance(filename, str | os.PathLike):
        raise TypeError(f"visualize: filename is {type(filename).__name__}, expected a path or None")
    options = Options(
        simplify_graph,
        hide_readonly_arrays,
        _labels(array_labels),
        choose_longest_node_name,
        ignore_graph_scopes,
        [
            *_tracked("input", track_inputs, track_input_names),
            *_tracked("output", track_outputs, track_output_names),
        ],
    )
    graph = build(tape, options)
    text = dot.text(graph, graph_direction)
    if filename is not None:
        path = os.fspath(filename)
        content = text
        if os.path.splitext(path)[1].lower() == ".svg":
            from warp._tape.svg import picture

            content = picture(graph, graph_direction)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    return text


def _labels(labels: Any) -> dict[Any, str]:
    if labels is None:
        return {}
    if not isinstance(labels, dict) or not all(isinstance(array, _warp.array) for array in labels):
        raise TypeError("visualize: array_labels is not what it should be: a dict {array: name}")
    return {array: str(label) for array, label in labels.items()}


def _tracked(kind: str, arrays: Any, names: Any) -> list[tuple[_warp.array, str]]:
    if arrays is None:
        return []
    found: Sequence[Any] = list(arrays)
    for array in found:
        if not isinstance(array, _warp.array):
            raise TypeError(f"visualize: track_{kind}s holds {type(array).__name__}, expected arrays")
    labels = [f"{kind}_{index}" for index in range(len(found))] if names is None else [str(name) for name in names]
    if len(labels) != len(found):
        raise ValueError(f"visualize: track_{kind}_names has {len(labels)} names for {len(found)} arrays")
    return list(zip(found, labels, strict=True))
