"""What the tests of `wp.map` share."""

import warp as wp


def arrays():
    return wp.array([1.0, 2.0, 3.0], dtype=float), wp.array([4.0, 5.0, 6.0], dtype=float)
