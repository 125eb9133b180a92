"""Inverse kinematics: arms with six hinges find the angles that bring their hands to points of a curve.

Shows the shortest way to use gradients: one launch is recorded on a tape, and each backward pass takes the gradient
at the angles as they are then. Each thread has one arm; it turns from hinge to hinge with quaternions.

    python -m warp.examples.optimisation.inverse_kinematics [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

JOINTS = 6
LENGTH = 0.4


@wp.func
def axis_of(joint: int) -> wp.vec3:
    """Hinges turn about the upright first, then about y and x in turns."""
    if joint == 0:
        return wp.vec3(0.0, 0.0, 1.0)
    return wp.where(joint % 2 == 1, wp.vec3(0.0, 1.0, 0.0), wp.vec3(1.0, 0.0, 0.0))


@wp.kernel
def reach(
    angles: wp.array2d[float],
    targets: wp.array[wp.vec3],
    strain: float,
    joints: wp.array2d[wp.vec3],
    loss: wp.array[float],
) -> None:
    """Adds the squares of the distances between hands and targets, and a little for bent hinges."""
    i = wp.tid()
    hand = wp.vec3(0.0, 0.0, 0.0)
    turn = wp.quat_identity()
    effort = float(0.0)
    for k in range(JOINTS):
        joints[i, k] = hand
        turn = turn * wp.quat_from_axis_angle(axis_of(k), angles[i, k])
        hand += wp.quat_rotate(turn, wp.vec3(0.0, 0.0, LENGTH))
        effort += angles[i, k] * angles[i, k]
    joints[i, JOINTS] = hand
    wp.atomic_add(loss, 0, wp.length_sq(hand - targets[i]) + strain * effort)


class Arms:
    """One arm for each target; they begin almost straight."""

    def __init__(self, targets: np.ndarray, strain: float = 1e-5) -> None:
        count = len(targets)
        start = np.random.default_rng(0).normal(scale=0.1, size=(count, JOINTS)) + 0.3
        self.angles = wp.array(start, dtype=float, requires_grad=True)
        self.joints = wp.zeros((count, JOINTS + 1), dtype=wp.vec3)
        self.targets = wp.array(targets, dtype=wp.vec3)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.inputs = [self.angles, self.targets, strain]

    def launch(self) -> None:
        wp.launch(reach, dim=len(self.targets), inputs=self.inputs, outputs=[self.joints, self.loss])

    def solve(self, steps: int) -> list[float]:
        """The loss of each step."""
        with wp.Tape() as tape:
            self.launch()
        optimizer = wp.optim.Adam([self.angles], lr=0.05)
        losses = []
        for step in _shared.progress(steps, "step"):
            optimizer.lr = 0.05 * (1 - step / steps)
            tape.zero()
            tape.backward(self.loss)
            optimizer.step([self.angles.grad])
            self.loss.zero_()
            self.launch()
            losses.append(float(self.loss))
        return losses


def curve(count: int) -> np.ndarray:
    """A crown round the arm's foot."""
    t = np.linspace(0, 2 * np.pi, count, endpoint=False)
    r = 1.25 + 0.25 * np.cos(5 * t)
    return np.stack([r * np.cos(t), r * np.sin(t), 1.0 + 0.4 * np.sin(5 * t)], axis=1)


def draw(joints: np.ndarray, targets: np.ndarray, losses: list[float], file: str) -> None:
    import matplotlib
    from matplotlib.collections import LineCollection

    right, up = np.array([0.85, -0.53, 0.0]), np.array([0.2, 0.32, 0.93])
    with _shared.sheet(file, 1, 2, size=(12.5, 6.4), width_ratios=(1.6, 1), dark=True) as (left, side):
        flat = np.stack([joints @ right, joints @ up], axis=-1)
        goal = np.stack([targets @ right, targets @ up], axis=-1)
        towards = np.cross(right, up)
        for i in np.argsort(targets @ towards):
            colour = matplotlib.colormaps["hsv"](i / len(joints))
            left.add_collection(LineCollection([flat[i]], colors=[colour], linewidths=1.6, alpha=0.75))
            left.scatter(*flat[i].T, s=7, color=colour, zorder=3)
        left.plot(*np.vstack([goal, goal[:1]]).T, color="white", linewidth=0.8, linestyle=":")
        left.scatter(*goal.T, s=34, facecolor="none", edgecolor="white", zorder=4)
        left.set_aspect("equal")
        _shared.bare(left, f"{len(joints)} arms of {JOINTS} hinges and their targets")
        side.semilogy(losses, color=_shared.GOLD)
        side.set(title="sum of squared distances", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=300)
    targets = curve(60)
    with wp.ScopedDevice(options.device):
        arms = Arms(targets)
        losses = arms.solve(options.steps)
        joints = arms.joints.numpy()
    worst = np.linalg.norm(joints[:, -1] - targets, axis=1).max()
    print(f"{options.steps} steps: loss {losses[0]:.2f} -> {losses[-1]:.2e}, the worst hand is {worst:.4f} away")
    if not options.headless:
        draw(joints, targets, losses, options.picture)


if __name__ == "__main__":
    main()
