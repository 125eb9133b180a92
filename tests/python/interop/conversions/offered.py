"""Objects that offer memory by a protocol."""

from __future__ import annotations

import warp as wp


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


class Interface:
    """Nothing but an `__array_interface__`, with entries replaced."""

    def __init__(self, n, **changes):
        self.n, self.changes = n, changes

    @property
    def __array_interface__(self):
        return {**self.n.__array_interface__, **self.changes}
