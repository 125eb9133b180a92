"""Fields as rows of bits: which nodes are inside, which edges are crossed, which cells meet the surface.

The rows are those of Flying Edges (W. Schroeder, R. Maynard, B. Geveci, "Flying Edges: A High-Performance Scalable
Isocontouring Algorithm", LDAV 2015): one pass over the field classifies, counts are summed, and what is emitted knows
its place. Here a thread takes 32 nodes along z as the bits of one word, so that nodes far from the surface cost one
comparison each. The place of a vertex is the sum before its word, and the number of set bits below its own.
"""

from __future__ import annotations

import itertools
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import func, kernel
from warp.geometry._arguments import MOST


@func
def ones(m: wp.uint32) -> int:
    """How many bits are set, by sums of neighbours."""
    m = m - ((m >> wp.uint32(1)) & wp.uint32(0x55555555))
    m = (m & wp.uint32(0x33333333)) + ((m >> wp.uint32(2)) & wp.uint32(0x33333333))
    m = (m + (m >> wp.uint32(4))) & wp.uint32(0x0F0F0F0F)
    return int((m * wp.uint32(0x01010101)) >> wp.uint32(24))


@func
def lowest(m: wp.uint32) -> int:
    """The number of the lowest set bit."""
    return ones((m - wp.uint32(1)) & ~m)


@func
def upper(bits: wp.array3d[wp.uint32], i: int, j: int, w: int) -> wp.uint32:
    """For each node of a word, the bit of the node above it."""
    m = bits[i, j, w] >> wp.uint32(1)
    if w + 1 < bits.shape[2]:
        m = m | (bits[i, j, w + 1] << wp.uint32(31))
    return m


@kernel(enable_backward=False)
def classify(
    field: wp.array3d[float],
    threshold: float,
    inside: wp.array3d[wp.uint32],
    known: wp.array3d[wp.uint32],
) -> None:
    """Which nodes are below the threshold, and which are no NaN."""
    i, j, w = wp.tid()
    first = 32 * w
    below = wp.uint32(0)
    there = wp.uint32(0)
    bit = wp.uint32(1)
    for k in range(first, wp.min(first + 32, field.shape[2])):
        value = field[i, j, k]
        if value < threshold:
            below = below | bit
        if value == value:
            there = there | bit
        bit = bit << wp.uint32(1)
    inside[i, j, w] = below
    known[i, j, w] = there


@func
def crossed_edges(inside: wp.array3d[wp.uint32], known: wp.array3d[wp.uint32], i: int, j: int, w: int) -> wp.vec3ui:
    """For each node of a word, whether the edges from it along x, y and z are crossed."""
    here = inside[i, j, w]
    there = known[i, j, w]
    x = wp.uint32(0)
    y = wp.uint32(0)
    if i + 1 < inside.shape[0]:
        x = (here ^ inside[i + 1, j, w]) & there & known[i + 1, j, w]
    if j + 1 < inside.shape[1]:
        y = (here ^ inside[i, j + 1, w]) & there & known[i, j + 1, w]
    z = (here ^ upper(inside, i, j, w)) & there & upper(known, i, j, w)
    return wp.vec3ui(x, y, z)


@func
def crossed_cells(inside: wp.array3d[wp.uint32], known: wp.array3d[wp.uint32], i: int, j: int, w: int) -> wp.uint32:
    """Whether the cell above each node of a word has corners inside and outside, and none that is NaN."""
    found = wp.uint32(0)
    if i + 1 < inside.shape[0] and j + 1 < inside.shape[1]:
        some = wp.uint32(0)
        every = ~some
        there = ~some
        for a in range(2):
            for b in range(2):
                low = inside[i + a, j + b, w]
                high = upper(inside, i + a, j + b, w)
                some = some | low | high
                every = every & low & high
                there = there & known[i + a, j + b, w] & upper(known, i + a, j + b, w)
        found = some & ~every & there
    return found


@func
def bit_of(bits: wp.array3d[wp.uint32], i: int, j: int, k: int) -> int:
    return int((bits[i, j, k >> 5] >> wp.uint32(k & 31)) & wp.uint32(1))


@func
def case_of(inside: wp.array3d[wp.uint32], i: int, j: int, k: int) -> int:
    """The case of a cell: a bit for each corner, in the order of CUBE_CORNER_OFFSETS."""
    case = bit_of(inside, i, j, k) | bit_of(inside, i + 1, j, k) << 1
    case = case | bit_of(inside, i + 1, j + 1, k) << 2 | bit_of(inside, i, j + 1, k) << 3
    case = case | bit_of(inside, i, j, k + 1) << 4 | bit_of(inside, i + 1, j, k + 1) << 5
    return case | bit_of(inside, i + 1, j + 1, k + 1) << 6 | bit_of(inside, i, j + 1, k + 1) << 7


@func
def vertex_on(crossed: wp.array3d[wp.vec3ui], places: wp.array[int], i: int, j: int, k: int, axis: int) -> int:
    """The number of the vertex on the edge from a node along an axis."""
    w = k >> 5
    edges = crossed[i, j, w]
    below = (wp.uint32(1) << wp.uint32(k & 31)) - wp.uint32(1)
    at = places[(i * crossed.shape[1] + j) * crossed.shape[2] + w]
    for other in range(3):
        if other < axis:
            at += ones(edges[other])
        if other == axis:
            at += ones(edges[other] & below)
    return at


@func
def on_edge(field: wp.array3d[float], i: int, j: int, k: int, axis: int, threshold: float) -> wp.vec3:
    """Where the line between the values at the ends of an edge meets the threshold, in coordinates of nodes."""
    here = field[i, j, k]
    there = field[i + int(axis == 0), j + int(axis == 1), k + int(axis == 2)]
    t = (threshold - here) / (there - here)
    if not (t >= 0.0 and t <= 1.0):  # of infinite values
        t = 0.5
    p = wp.vec3(float(i), float(j), float(k))
    p[axis] = p[axis] + t
    return p


def launch(of: Any, dim: Any, *arguments: Any, device: Any, record: bool = False) -> None:
    """Launch a kernel; what counts and numbers is not on a tape."""
    _warp.launch(of, dim, arguments, device=device, record_tape=record)


def classified(field: Any, threshold: float) -> tuple[Any, Any]:
    """The words of a field: which nodes are inside, which are known."""
    words = (field.shape[0], field.shape[1], (field.shape[2] + 31) // 32)
    inside, known = (_warp.empty(words, dtype=wp.uint32, device=field.device) for _ in range(2))
    launch(classify, words, field, threshold, inside, known, device=field.device)
    return inside, known


def summed(place: str, counts: Any, kinds: int) -> tuple[Any, list[int]]:
    """Where the things of each word begin, and how many there are of each kind.

    Args:
        place: What is called, for messages.
        counts: How many each word has, one kind after the other, and a zero behind.
        kinds: How many kinds there are.

    Returns:
        Sums of what lies before, over all kinds, and the number of things of each kind.

    Raises:
        ValueError: There are more than int32 can number.
        RuntimeError: A graph is recorded, in which the sums are not yet known.
    """
    if counts.device.is_capturing:
        raise RuntimeError(
            f"{place}: a graph is being captured; how many vertices there are is known only when the kernels have run"
        )
    if len(counts) == 1:
        return counts, [0] * kinds
    _warp.array_scan(counts, counts, inclusive=False)
    ends = counts[:: (len(counts) - 1) // kinds].numpy().tolist()
    found = [int(end - start) for start, end in itertools.pairwise(ends)]
    if min(found) < 0 or 3 * max(found) > MOST:
        raise ValueError(f"{place}: there are more vertices or triangles than int32 can number")
    return counts, found
