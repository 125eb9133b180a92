"""The optimisations of `warp.examples.optimisation`: gradients beside finite differences, and what they find."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import warp as wp
from warp.examples.optimisation import (
    fluid_control,
    inverse_kinematics,
    neural_network,
    ode_fit,
    spring_walker,
    trajectory,
)


def slope(loss: Callable[[], float], array: wp.array, direction: np.ndarray, by: float) -> float:
    """The derivative of a loss along a direction of what an array holds, by central differences."""
    start = array.numpy().copy()
    values = []
    for sign in (1, -1):
        array.assign((start + sign * by * direction).astype(start.dtype))
        values.append(loss())
    array.assign(start)
    return (values[0] - values[1]) / (2 * by)


def direction_of(array: wp.array, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=array.numpy().shape)


def test_inverse_kinematics() -> None:
    targets = inverse_kinematics.curve(5)
    arms = inverse_kinematics.Arms(targets)
    losses = arms.solve(200)
    assert losses[-1] < 1e-3
    joints = arms.joints.numpy()
    np.testing.assert_allclose(np.linalg.norm(np.diff(joints, axis=1), axis=2), inverse_kinematics.LENGTH, rtol=1e-5)
    assert np.linalg.norm(joints[:, -1] - targets, axis=1).max() < 0.02


def test_gradient_of_inverse_kinematics() -> None:
    arms = inverse_kinematics.Arms(inverse_kinematics.curve(3))
    with wp.Tape() as tape:
        arms.launch()
    tape.backward(arms.loss)

    def loss() -> float:
        arms.loss.zero_()
        arms.launch()
        return float(arms.loss)

    direction = direction_of(arms.angles)
    found = (arms.angles.grad.numpy() * direction).sum()
    assert found == pytest.approx(slope(loss, arms.angles, direction, 1e-2), rel=2e-3)


def test_neural_network() -> None:
    points, labels = neural_network.spirals(100)
    network = neural_network.Network((2, 16, 16, 1))
    losses = neural_network.train(network, points, labels, 300)
    answers = network(wp.array(points, dtype=float)).numpy()[:, 0]
    assert losses[-1] < 0.05 * losses[0]
    assert (answers * labels > 0).mean() > 0.98

    x = points.astype(float)
    for k, (w, b) in enumerate(zip(network.weights, network.biases, strict=True)):
        x = x @ w.numpy() + b.numpy()
        x = np.tanh(x) if k < 2 else x
    np.testing.assert_allclose(answers, x[:, 0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_gradient_of_neural_network(layer: int) -> None:
    points, labels = neural_network.spirals(20)
    network = neural_network.Network((2, 5, 4, 1))
    x, s = wp.array(points, dtype=float), wp.array(labels, dtype=float)
    with wp.Tape() as tape:
        loss = neural_network.loss_of(network, x, s)
    tape.backward(loss)
    for array in (network.weights[layer], network.biases[layer]):
        direction = direction_of(array)
        found = (array.grad.numpy() * direction).sum()
        by = slope(lambda: float(neural_network.loss_of(network, x, s)), array, direction, 5e-3)
        assert found == pytest.approx(by, rel=5e-3, abs=1e-5)


def test_ode_fit_finds_the_parameters() -> None:
    data = ode_fit.measured(30, noise=0.0)
    guesses = np.array(ode_fit.TRUE) * np.exp(np.random.default_rng(1).normal(scale=0.25, size=(6, 4)))
    found, losses, _ = ode_fit.fit(data, guesses, 250)
    assert losses[-1].min() < 1e-4
    np.testing.assert_allclose(found[losses[-1].argmin()], ode_fit.TRUE, rtol=0.03)


def test_ode_path_keeps_what_lotka_and_volterra_keep() -> None:
    path = ode_fit.path_of(ode_fit.TRUE, 1500).astype(float)
    a, b, c, d = ode_fit.TRUE
    kept = c * path[:, 0] - d * np.log(path[:, 0]) + b * path[:, 1] - a * np.log(path[:, 1])
    assert np.ptp(kept) < 1e-4


def test_gradient_of_ode_fit() -> None:
    logs = wp.array(np.log([ode_fit.TRUE]) + 0.1, dtype=wp.vec4, requires_grad=True)
    data = wp.array(ode_fit.measured(12), dtype=wp.vec2)
    loss = wp.zeros(1, dtype=float, requires_grad=True)

    def launch() -> float:
        wp.launch(ode_fit.misfit, dim=1, inputs=[logs, data], outputs=[loss])
        return float(loss)

    with wp.Tape() as tape:
        launch()
    tape.backward(loss)
    direction = direction_of(logs)
    found = (logs.grad.numpy() * direction).sum()
    assert found == pytest.approx(slope(launch, logs, direction, 1e-3), rel=5e-3)


def test_trajectory() -> None:
    _, paths, losses = trajectory.optimise(trajectory.guesses(12), 250)
    best = losses[-1].argmin()
    assert losses[-1, best] < 0.5 * losses[0].min()
    assert np.linalg.norm(paths[best, -1] - np.array(trajectory.GOAL)) < 0.1
    for x, y, r in trajectory.ISLANDS:
        assert np.linalg.norm(paths[best] - [x, y], axis=1).min() > r


def test_gradient_of_trajectory() -> None:
    thrust = wp.array(trajectory.guesses(3), dtype=wp.vec2, requires_grad=True)
    islands = wp.array(trajectory.ISLANDS, dtype=wp.vec3)
    path = wp.zeros(thrust.shape, dtype=wp.vec2)
    loss = wp.zeros(3, dtype=float, requires_grad=True)

    def launch() -> float:
        wp.launch(trajectory.sail, dim=3, inputs=[thrust, islands], outputs=[path, loss])
        return float(loss.numpy().astype(float).sum())

    with wp.Tape() as tape:
        launch()
    tape.backward(grads={loss: wp.ones(3, dtype=float)})
    direction = direction_of(thrust)
    found = (thrust.grad.numpy() * direction).sum()
    assert found == pytest.approx(slope(launch, thrust, direction, 1e-3), rel=5e-3)


def test_spring_walker_learns() -> None:
    walker = spring_walker.Walker(250)
    ways = walker.learn(25)
    assert walker.walk() > ways[0] + 0.02
    assert np.isfinite(walker.x.numpy()).all()


def test_gradient_of_spring_walker() -> None:
    walker = spring_walker.Walker(200)
    with wp.Tape() as tape:
        walker.walk()
    tape.backward(walker.loss)
    gradient = walker.muscles.grad.numpy()
    direction = gradient / np.linalg.norm(gradient)  # where float32 sees the most
    found = (gradient * direction).sum()
    by = -slope(walker.walk, walker.muscles, direction, 1e-2)
    assert found == pytest.approx(by, rel=0.02)


def test_gradient_of_fluid_control_is_that_of_one_tape() -> None:
    """Checkpoints change nothing but memory."""
    ink, target = fluid_control.shapes(16)
    found = []
    for segment in (6, 2, 4):  # all at once; in three parts; in two that differ
        control = fluid_control.Control(ink, target, 6, segment)
        control.push.assign(0.3 * np.random.default_rng(0).normal(size=(16, 16, 2)))
        loss, gradient, _ = control.loss_and_gradient()
        found.append(gradient.numpy().copy())
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-4, atol=1e-5)

    direction = found[0] / np.linalg.norm(found[0])
    by = slope(lambda: control.loss_and_gradient()[0], control.push, direction, 1e-2)
    assert (found[0] * direction).sum() == pytest.approx(by, rel=0.02)
    assert loss > 1


def test_fluid_control() -> None:
    ink, target = fluid_control.shapes(24)
    losses, last = fluid_control.Control(ink, target, 8, 4, dt=2.0).optimise(20)
    assert losses[-1] < 0.4 * losses[0]
    assert last.smoke.numpy().sum() == pytest.approx(ink.sum(), rel=0.1)
