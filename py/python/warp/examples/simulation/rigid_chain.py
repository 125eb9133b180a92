"""A chain of rigid links falls: bodies that turn in space, held together by ball joints.

Shows quaternions, a struct for bodies, and matrices of inertia. Joints are solved one colour at a time (even, odd),
so that no two threads move one body; the method is extended position-based dynamics with small steps (Macklin and
others, 2019; Mueller and others, 2020).

    python -m warp.examples.simulation.rigid_chain [--frames N] [--headless]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from .. import _shared


@wp.struct
class Link:
    x: wp.vec3
    q: wp.quat
    v: wp.vec3
    w: wp.vec3  # how it turns, in space
    x_before: wp.vec3
    q_before: wp.quat


@wp.struct
class Shape:
    """A box with its length along x, of mass 1."""

    half: float
    inertia: wp.vec3


@wp.func
def turned(q: wp.quat, by: wp.vec3) -> wp.quat:
    """The orientation after a small turn."""
    half = 0.5 * by
    return wp.normalize(q + wp.quat(half[0], half[1], half[2], 0.0) * q)


@wp.kernel
def predict(links: wp.array[Link], shape: Shape, gravity: wp.vec3, dt: float) -> None:
    i = wp.tid()
    link = links[i]
    link.x_before = link.x
    link.q_before = link.q
    link.v += dt * gravity
    link.x += dt * link.v
    # Euler's equations in the frame of the body.
    w = wp.quat_rotate_inv(link.q, link.w)
    w -= dt * wp.cw_div(wp.cross(w, wp.cw_mul(shape.inertia, w)), shape.inertia)
    link.w = wp.quat_rotate(link.q, w)
    link.q = turned(link.q, dt * link.w)
    links[i] = link


@wp.func
def mobility(q: wp.quat, arm: wp.vec3, n: wp.vec3, inertia: wp.vec3) -> float:
    """How readily a point of a body follows a push along n."""
    a = wp.quat_rotate_inv(q, wp.cross(arm, n))
    return 1.0 + wp.dot(a, wp.cw_div(a, inertia))


@wp.func
def pushed(link: Link, arm: wp.vec3, push: wp.vec3, inertia: wp.vec3) -> Link:
    a = wp.quat_rotate_inv(link.q, wp.cross(arm, push))
    link.x += push
    link.q = turned(link.q, wp.quat_rotate(link.q, wp.cw_div(a, inertia)))
    return link


@wp.kernel
def join(links: wp.array[Link], shape: Shape, colour: int, anchor: wp.vec3) -> None:
    """Joint k holds the end of link k - 1 to the start of link k; joint 0 holds link 0 to the anchor."""
    k = 2 * wp.tid() + colour
    if k >= links.shape[0]:
        return
    link = links[k]
    arm = wp.quat_rotate(link.q, wp.vec3(-shape.half, 0.0, 0.0))
    start = link.x + arm
    if k == 0:
        away = anchor - start
        n = wp.normalize(away)
        links[k] = pushed(link, arm, away / mobility(link.q, arm, n, shape.inertia), shape.inertia)
        return
    other = links[k - 1]
    other_arm = wp.quat_rotate(other.q, wp.vec3(shape.half, 0.0, 0.0))
    away = other.x + other_arm - start
    n = wp.normalize(away)
    both = mobility(link.q, arm, n, shape.inertia) + mobility(other.q, other_arm, n, shape.inertia)
    links[k] = pushed(link, arm, away / both, shape.inertia)
    links[k - 1] = pushed(other, other_arm, -away / both, shape.inertia)


@wp.kernel
def find_velocities(links: wp.array[Link], dt: float) -> None:
    i = wp.tid()
    link = links[i]
    link.v = (link.x - link.x_before) / dt
    turn = link.q * wp.quat_inverse(link.q_before)
    w = 2.0 / dt * wp.vec3(turn[0], turn[1], turn[2])
    link.w = wp.where(turn[3] < 0.0, -w, w)
    links[i] = link


class Chain:
    """Links that begin in a line from the anchor, along x."""

    def __init__(self, count: int, half: float, width: float) -> None:
        self.half, self.gravity = half, wp.vec3(0.0, 0.0, -9.81)
        across = (width**2 + width**2) / 12
        along = ((2 * half) ** 2 + width**2) / 12
        self.shape = Shape(half, wp.vec3(across, along, along))
        self.links = wp.zeros(count, dtype=Link)
        links: Any = self.links.numpy()
        links["x"][:, 0] = half * (2 * np.arange(count) + 1)
        links["q"][:, 3] = 1

    def advance(self, steps: int, dt: float, rounds: int = 1) -> None:
        count = len(self.links)
        for _ in range(steps):
            wp.launch(predict, dim=count, inputs=[self.links, self.shape, self.gravity, dt])
            for k in range(2 * rounds):
                wp.launch(join, dim=(count + 1) // 2, inputs=[self.links, self.shape, k % 2, wp.vec3()])
            wp.launch(find_velocities, dim=count, inputs=[self.links, dt])

    def ends(self) -> np.ndarray:
        """Where each link starts and ends: (links, 2, 3)."""
        links = self.links.numpy()
        x, q = links["x"].astype(float), links["q"].astype(float)
        along = np.stack([1 - 2 * (q[:, 1] ** 2 + q[:, 2] ** 2), 2 * (q[:, 0] * q[:, 1] + q[:, 2] * q[:, 3]),
                          2 * (q[:, 0] * q[:, 2] - q[:, 1] * q[:, 3])], axis=1)  # fmt: skip
        return np.stack([x - self.half * along, x + self.half * along], axis=1)

    def gap(self) -> float:
        """How far the worst joint is open."""
        ends = self.ends()
        return float(max([np.abs(ends[0, 0]).max(), *np.linalg.norm(ends[1:, 0] - ends[:-1, 1], axis=1)]))


def draw(seen: list[np.ndarray], file: str) -> None:
    import matplotlib
    from matplotlib.collections import LineCollection

    with _shared.sheet(file, size=(9, 8), dark=True) as axes:
        colours = matplotlib.colormaps["plasma"](np.linspace(0.05, 1, len(seen)))
        for k, ends in enumerate(seen):
            last = k == len(seen) - 1
            lines = LineCollection(list(ends[:, :, [0, 2]]), colors=[colours[k]], linewidths=4 if last else 1.6)
            lines.set(alpha=1 if last else 0.75, capstyle="round")
            axes.add_collection(lines)
        tips = np.array([ends[-1, 1] for ends in seen])
        axes.plot(tips[:, 0], tips[:, 2], ":", color="white", linewidth=1)
        axes.plot(0, 0, "o", color="white", markersize=9)
        axes.set_aspect("equal")
        axes.autoscale_view()
        _shared.bare(axes, "a chain of rigid links from rest, and the way of its end")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=48)
    with wp.ScopedDevice(options.device):
        chain, seen = Chain(20, 0.05, 0.03), []
        for frame in _shared.progress(options.frames):
            if frame % 2 == 0:
                seen.append(chain.ends())
            chain.advance(100, 1 / 60 / 100)
    seen.append(chain.ends())
    print(f"{len(chain.links)} links after {options.frames / 60:.2f} s: the worst joint is open by {chain.gap():.1e} m")
    if not options.headless:
        draw(seen, options.picture)


if __name__ == "__main__":
    main()
