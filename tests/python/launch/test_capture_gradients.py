"""Captures of tapes and of adjoint launches."""

import numpy as np
import warp as wp

from .captured import add, square, total


@wp.kernel
def square_in_place(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * x[i]


def grad(values):
    return wp.array(values, dtype=float, requires_grad=True)


def step(x, y, loss):
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(square_in_place, dim=3, inputs=[y])
        wp.launch(total, dim=3, inputs=[y], outputs=[loss])
    tape.backward(loss)


def test_gradients_are_captured():
    x = grad([1.0, 2.0, 3.0])
    with wp.ScopedCapture() as capture:
        y, loss = wp.zeros(3, requires_grad=True), wp.zeros(1, requires_grad=True)
        x.grad.zero_()
        step(x, y, loss)
    assert list(x.grad.numpy()) == [0.0] * 3
    for values in ([1.0, 2.0, 3.0], [2.0, 0.5, 1.0], [2.0, 0.5, 1.0]):
        x.assign(values)
        wp.capture_launch(capture.graph)
        np.testing.assert_allclose(x.grad.numpy(), 4.0 * np.array(values) ** 3)
        np.testing.assert_allclose(loss.numpy()[0], (np.array(values) ** 4).sum())


def test_a_tape_of_a_capture_goes_backward_after_a_run():
    x, y, loss = grad([1.0, 2.0, 3.0]), grad([0.0] * 3), grad([0.0])
    with wp.Tape() as tape, wp.ScopedCapture() as capture:
        loss.zero_()
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(square_in_place, dim=3, inputs=[y])
        wp.launch(total, dim=3, inputs=[y], outputs=[loss])
    x.fill_(2.0)
    wp.capture_launch(capture.graph)
    tape.backward(loss)
    np.testing.assert_allclose(x.grad.numpy(), [32.0] * 3)
    assert len(tape.launches) == 3
    x.fill_(1.0)
    wp.capture_launch(capture.graph)
    tape.zero()
    tape.backward(loss)
    np.testing.assert_allclose(x.grad.numpy(), [4.0] * 3)


def test_a_backward_pass_alone():
    x, y = grad([1.0, 2.0, 3.0]), grad([0.0] * 3)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
    with wp.ScopedCapture() as capture:
        x.grad.zero_()
        y.grad.fill_(1.0)
        tape.backward()
    wp.capture_launch(capture.graph)
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 4.0, 6.0])
    x.assign([3.0, 2.0, 1.0])
    wp.capture_launch(capture.graph)
    np.testing.assert_allclose(x.grad.numpy(), [6.0, 4.0, 2.0])


def test_tapes_keep_what_a_graph_overwrites():
    x, y = grad([1.0, 2.0, 3.0]), grad([0.0] * 3)
    with wp.ScopedCapture() as capture:
        wp.launch(add, dim=3, inputs=[x, 1.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.capture_launch(capture.graph)
    assert len(tape.launches) == 1
    tape.backward(grads={y: wp.ones(3)})
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 4.0, 6.0])


def test_no_snapshot_outlives_a_capture():
    from warp._warp import _watched

    before = _watched()
    x, y = grad([1.0] * 3), grad([0.0] * 3)
    with wp.ScopedCapture(), wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        assert _watched() > before
    assert _watched() == before
    del tape


def test_adjoint_launches_are_captured():
    x, y, seed, gx = wp.zeros(2), wp.zeros(2), wp.zeros(2), wp.zeros(2)
    with wp.ScopedCapture() as capture:
        wp.launch(square, dim=2, inputs=[x], outputs=[y], adj_inputs=[gx], adj_outputs=[seed], adjoint=True)
        wp.launch(square_in_place, dim=2, inputs=[gx])
    x.fill_(3.0)
    seed.fill_(2.0)
    for _ in range(2):
        gx.zero_()
        wp.capture_launch(capture.graph)
        assert list(gx.numpy()) == [144.0, 144.0]
    assert list(seed.numpy()) == [2.0, 2.0]
