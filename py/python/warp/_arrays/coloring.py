"""Colours of graphs, such that the nodes of one colour can be processed at once."""

from __future__ import annotations

import warnings
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from warp._warp import _balance_colors, _color_graph, _error, array
from warp.types import int32

if TYPE_CHECKING:
    import numpy as np


class GraphColoringAlgorithm(IntEnum):
    """In which order :func:`graph_coloring_assign` gives nodes the smallest colour that no neighbour has."""

    #: Next the node with most neighbours that have a colour: maximum cardinality search (Tarjan and Yannakakis, 1984).
    MCS = 0
    #: Nodes with most neighbours first (Welsh and Powell, 1967).
    GREEDY = 1


def _ints(place: str, name: str, given: Any, shape: str) -> np.ndarray:
    if not isinstance(given, array):
        raise TypeError(f"{place}: {name} is {type(given).__name__}, expected a wp.array of int32")
    if given.dtype is not int32:
        raise _error("ArrayType", f"{place}: {name} is an array of {given.dtype.__name__}; it must be one of int32")
    fits = given.ndim == 1 if shape == "(n,)" else given.ndim == 2 and given.shape[1] == 2
    if not fits:
        raise _error("ArrayValue", f"{place}: {name} has shape {given.shape}, expected {shape}")
    numbers: np.ndarray = given.numpy()
    return numbers


def _count(place: str, name: str, value: Any) -> int:
    if not hasattr(type(value), "__index__") or int(value) < 0:
        raise ValueError(f"{place}: {name} is {value!r}, expected an int from 0 on")
    return int(value)


def graph_coloring_assign(
    edges: array, node_colors: array, algorithm: GraphColoringAlgorithm = GraphColoringAlgorithm.MCS
) -> int:
    """Give each node of a graph a colour, from 0 on, that no neighbour has.

    Args:
        edges: Pairs of nodes, an array of int32 of shape ``(edges, 2)``. An edge may be repeated; one from a node to
            itself says nothing.
        node_colors: Where the colours go: an array of int32 of shape ``(nodes,)``.
        algorithm: In which order nodes are coloured.

    Returns:
        The number of colours: at most one more than a node has neighbours.

    Raises:
        TypeError: An array is none, or not one of int32. Of arrays it is a RuntimeError, too.
        ValueError: An array has another shape, an edge names a node that is not there, or there is no such algorithm.
    """
    place = "graph_coloring_assign"
    order = GraphColoringAlgorithm(algorithm)
    pairs = _ints(place, "edges", edges, "(edges, 2)")
    nodes = len(_ints(place, "node_colors", node_colors, "(n,)"))
    colors = _color_graph(nodes, pairs.ravel().tolist(), order is GraphColoringAlgorithm.GREEDY)
    if nodes:
        node_colors.assign(colors)
    return max(colors, default=-1) + 1


def graph_coloring_balance(
    edges: array,
    node_colors: array,
    color_count: int,
    target_max_min_ratio: float,
    *,
    max_iterations: int | None = None,
) -> float:
    """Give nodes of colours that many have another one, so that as many nodes have each colour as can be.

    Args:
        edges: Pairs of nodes, as :func:`graph_coloring_assign` takes them.
        node_colors: The colour of each node, from 0 on and below `color_count`; they are written.
        color_count: The number of colours, which stays: at most the number of nodes.
        target_max_min_ratio: How many times as many nodes the largest colour may have as the smallest.
        max_iterations: How many nodes may change; by default as many as there are. A warning says where that ends it.

    Returns:
        How many times as many nodes the largest colour has as the smallest; infinite if one has none.

    Raises:
        TypeError: An array is none, or not one of int32. Of arrays it is a RuntimeError, too.
        ValueError: An array has another shape, an edge names a node that is not there, neighbours have one colour, or a
            number is none that can be.
    """
    place = "graph_coloring_balance"
    pairs = _ints(place, "edges", edges, "(edges, 2)")
    colors = _ints(place, "node_colors", node_colors, "(n,)").tolist()
    count, ratio = _count(place, "color_count", color_count), float(target_max_min_ratio)
    moves = len(colors) if max_iterations is None else _count(place, "max_iterations", max_iterations)
    if count > len(colors):
        raise ValueError(f"{place}: color_count is {count}, node_colors is for {len(colors)} nodes")
    if not ratio > 0:
        raise ValueError(f"{place}: target_max_min_ratio is {ratio}, expected a number above 0")
    balanced, got, made = _balance_colors(pairs.ravel().tolist(), colors, count, ratio, moves)
    if colors:
        node_colors.assign(balanced)
    if got > ratio and made == moves:
        warnings.warn(
            f"{place}: the ratio is {got:.4g} after {moves} changes; more (max_iterations) may bring it to {ratio:.4g}",
            RuntimeWarning,
            stacklevel=2,
        )
    return got


def graph_coloring_get_groups(
    node_colors: array, color_count: int, return_wp_array: bool = True, device: Any = "cpu"
) -> tuple[Any, ...]:
    """The nodes of each colour, in order.

    Args:
        node_colors: The colour of each node: an array of int32 of shape ``(nodes,)``.
        color_count: The number of colours.
        return_wp_array: Whether arrays of Warp are returned; NumPy's else.
        device: Where arrays of Warp are.

    Returns:
        For each colour an array of int32.

    Raises:
        TypeError: `node_colors` is no array, or not one of int32. Of an array it is a RuntimeError, too.
        ValueError: It has another shape, a node has another colour, or `color_count` is no number of colours.
    """
    import numpy as np

    place = "graph_coloring_get_groups"
    colors = _ints(place, "node_colors", node_colors, "(n,)")
    count = _count(place, "color_count", color_count)
    if colors.size and not (colors.min() >= 0 and colors.max() < count):
        wrong = colors[(colors < 0) | (colors >= count)][0]
        raise _error("ArrayValue", f"{place}: node_colors has the colour {wrong}, color_count is {count}")
    order = np.argsort(colors, kind="stable").astype(np.int32)
    groups = np.split(order, np.cumsum(np.bincount(colors, minlength=count))[:-1]) if count else []
    if not return_wp_array:
        return tuple(groups)
    return tuple(array(group, dtype=int32, device=device) for group in groups)
