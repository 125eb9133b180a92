"""The sides of triangles, so that those that meet are found by sorting."""

from __future__ import annotations

from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import kernel
from warp._warp import array


@kernel(enable_backward=False)
def name_sides(indices: wp.array2d[int], vertices: int, keys: wp.array[wp.int64], sides: wp.array[int]) -> None:
    """A key for each side, equal for sides between the same vertices; one of its own where a triangle is none."""
    t = wp.tid()
    a, b, c = indices[t, 0], indices[t, 1], indices[t, 2]
    sound = wp.min(a, wp.min(b, c)) >= 0 and wp.max(a, wp.max(b, c)) < vertices and a != b and b != c and c != a
    for j in range(3):
        side = 3 * t + j
        u, v = indices[t, (j + 1) % 3], indices[t, (j + 2) % 3]
        key = wp.int64(-1) - wp.int64(side)
        if sound:
            key = (wp.int64(wp.min(u, v)) << wp.int64(32)) | wp.int64(wp.max(u, v))
        keys[side] = key
        sides[side] = side


@kernel(enable_backward=False)
def find_open(keys: wp.array[wp.int64], count: int, found: wp.array[int]) -> None:
    """Whether some of so many sorted sides is not that of two triangles."""
    at = wp.tid()
    before = at > 0 and keys[wp.max(at - 1, 0)] == keys[at]
    after = at + 1 < count and keys[wp.min(at + 1, count - 1)] == keys[at]
    if before == after:
        found[0] = 1


def is_closed(indices: array[Any], vertices: int) -> bool:
    """Whether each side of a triangle, three vertices in a row, is that of one other; not without triangles."""
    count, device = len(indices), indices.device
    if count == 0:
        return False
    keys = _warp.empty(6 * count, dtype=wp.int64, device=device)
    sides = _warp.empty(6 * count, dtype=int, device=device)
    found = _warp.zeros(1, dtype=int, device=device)
    _warp.launch(name_sides, count, [indices, vertices, keys, sides], device=device, record_tape=False)
    _warp.radix_sort_pairs(keys, sides, 3 * count)
    _warp.launch(find_open, 3 * count, [keys, 3 * count, found], device=device, record_tape=False)
    return not found.list()[0]
