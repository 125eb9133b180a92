"""Fluid control: which push makes a drop of ink flow into the shape of a heart?

Shows gradients through a long simulation with little memory. Only the state before each segment of steps is kept;
backward, each segment is run again, on a tape of its own, and hands its gradient to the one before (checkpointing:
Griewank, 1992). The fluid is that of `simulation.fluid`; that its gradients control it was shown by McNamara and
others (2004).

    python -m warp.examples.optimisation.fluid_control [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared
from ..simulation.fluid import carry, diverge, project, relax

ROUNDS = 12  # of Jacobi's iteration in each step


@wp.kernel
def difference(smoke: wp.array2d[float], target: wp.array2d[float], loss: wp.array[float]) -> None:
    i, j = wp.tid()
    off = smoke[i, j] - target[i, j]
    wp.atomic_add(loss, 0, off * off)


@wp.kernel
def roughness(velocity: wp.array2d[wp.vec2], weight: float, loss: wp.array[float]) -> None:
    """What keeps the push smooth: differences between neighbours."""
    i, j = wp.tid()
    n, m = velocity.shape[0], velocity.shape[1]
    down = velocity[(i + 1) % n, j] - velocity[i, j]
    right = velocity[i, (j + 1) % m] - velocity[i, j]
    wp.atomic_add(loss, 0, weight * (wp.length_sq(down) + wp.length_sq(right)))


class State:
    """Velocity and smoke; `grads` holds their gradients."""

    def __init__(self, velocity: wp.array, smoke: wp.array) -> None:
        self.velocity, self.smoke = velocity, smoke

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> State:
        return cls(wp.zeros(shape, dtype=wp.vec2, requires_grad=True), wp.zeros(shape, dtype=float, requires_grad=True))

    def copy(self) -> State:
        twin = State.zeros(self.smoke.shape)
        wp.copy(twin.velocity, self.velocity)
        wp.copy(twin.smoke, self.smoke)
        return twin


def advance(state: State, dt: float) -> State:
    """The state after one step, in arrays of its own."""
    shape = state.smoke.shape
    divergence, pressure, other = (wp.zeros(shape, dtype=float, requires_grad=True) for _ in range(3))
    free, after = wp.clone(state.velocity), State.zeros(shape)
    wp.launch(diverge, dim=shape, inputs=[state.velocity], outputs=[divergence])
    for _ in range(ROUNDS):
        wp.launch(relax, dim=shape, inputs=[pressure, divergence], outputs=[other])
        pressure, other = other, pressure
    wp.launch(project, dim=shape, inputs=[free, pressure])
    wp.launch(carry, dim=shape, inputs=[free, state.smoke, dt], outputs=[after.velocity, after.smoke])
    return after


class Control:
    """The push that is looked for, where the ink begins, and what it shall become after some frames."""

    def __init__(self, ink: np.ndarray, target: np.ndarray, frames: int, segment: int, dt: float = 1.0) -> None:
        self.frames, self.segment, self.dt = frames, segment, dt
        self.push = wp.zeros(ink.shape, dtype=wp.vec2, requires_grad=True)
        self.ink = wp.array(ink, dtype=float, requires_grad=True)
        self.target = wp.array(target, dtype=float)

    def forward(self) -> list[State]:
        """The state before each segment, and the last one."""
        states = [State(self.push, self.ink)]
        for first in range(0, self.frames, self.segment):
            state = states[-1]
            for _ in range(min(self.segment, self.frames - first)):
                state = advance(state, self.dt)
            states.append(state)
        return states

    def loss_and_gradient(self) -> tuple[float, wp.array, State]:
        """The loss, its gradient for the push, and the last state."""
        states = self.forward()
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(difference, dim=self.ink.shape, inputs=[states[-1].smoke, self.target], outputs=[loss])
            wp.launch(roughness, dim=self.ink.shape, inputs=[self.push, 0.15], outputs=[loss])
        tape.backward(loss)
        gradients = tape.gradients
        direct = wp.clone(gradients[self.push])
        seeds = wp.zeros_like(states[-1].velocity), wp.clone(gradients[states[-1].smoke])
        for number in reversed(range(len(states) - 1)):
            start = states[number].copy()
            state = start
            with wp.Tape() as tape:
                for _ in range(min(self.segment, self.frames - number * self.segment)):
                    state = advance(state, self.dt)
            tape.backward(grads={state.velocity: seeds[0], state.smoke: seeds[1]})
            seeds = tape.gradients[start.velocity], tape.gradients[start.smoke]
        gradient = wp.array(seeds[0].numpy() + direct.numpy(), dtype=wp.vec2)
        gradients[self.push].zero_()
        return float(loss), gradient, states[-1]

    def optimise(self, steps: int) -> tuple[list[float], State]:
        optimizer = wp.optim.Adam([self.push], lr=0.02)
        losses = []
        for step in _shared.progress(steps, "step"):
            optimizer.lr = 0.02 * (1 - 0.8 * step / steps)
            loss, gradient, last = self.loss_and_gradient()
            optimizer.step([gradient])
            losses.append(loss)
        return losses, last


def shapes(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A disc and a heart of the same area, with soft edges."""
    y, x = np.mgrid[-1.3 : 1.3 : side * 1j, -1.3 : 1.3 : side * 1j]
    heart = (1.15 * x) ** 2 + (1.2 * y + 0.12 - 0.75 * np.sqrt(np.abs(x) + 0.02)) ** 2
    area = (heart < 0.55).mean() * 2.6**2
    soft = 2.6 / side * 3
    disc = np.hypot(x, y) - np.sqrt(area / np.pi)
    return 0.5 - 0.5 * np.tanh(disc / soft), 0.5 - 0.5 * np.tanh((np.sqrt(heart) - np.sqrt(0.55)) / soft)


def draw(control: Control, losses: list[float], seen: list[np.ndarray], file: str) -> None:
    names = ["the ink, and the push", "half-way", "at the end", "what was asked for"]
    with _shared.sheet(file, 1, 5, size=(17.5, 3.9), width_ratios=(1, 1, 1, 1, 1.25)) as panels:
        for axes, smoke, name in zip(panels, seen, names, strict=False):
            _shared.image(axes, smoke, name, cmap="magma", vmin=0, vmax=1.1, interpolation="bicubic")
        push = control.push.numpy()[::4, ::4]
        at = np.arange(0, control.ink.shape[0], 4)
        panels[0].quiver(at, at, push[..., 1], push[..., 0], color="#7fd6ff", width=0.006)
        panels[4].semilogy(losses, color=_shared.RED)
        panels[4].set(title="difference", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=100)
    ink, target = shapes(64)
    with wp.ScopedDevice(options.device):
        control = Control(ink, target, frames=32, segment=8)
        losses, last = control.optimise(options.steps)
        middle = control.forward()[2].smoke.numpy()
    print(f"{options.steps} steps: difference {losses[0]:.1f} -> {losses[-1]:.2f}")
    print(f"{control.frames // control.segment} states are kept of {control.frames}")
    if not options.headless:
        draw(control, losses, [ink, middle, last.smoke.numpy(), target], options.picture)


if __name__ == "__main__":
    main()
