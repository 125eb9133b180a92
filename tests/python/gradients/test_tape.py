"""Gradients through `wp.Tape` and adjoint launches, each with a value known by analysis."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import warp as wp


@wp.kernel
def power_of_sine(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), n: int):
    i = wp.tid()
    v = x[i]
    for _k in range(n):
        v = wp.sin(v) * v
    y[i] = v


@wp.kernel
def newton(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    count = int(0)
    while v * v - x[i] > wp.float64(1e-12) and count < 50:
        v = wp.float64(0.5) * (v + x[i] / v)
        count += 1
    y[i] = v


@wp.kernel
def square_in_place(y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = y[i] * y[i]


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def neighbours(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] + x[i + 1]


@wp.kernel
def product(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i] * b[i]


@wp.kernel
def total(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.atomic_add(out, 0, x[wp.tid()])


def double(values, grad=True):
    return wp.array(np.asarray(values), dtype=wp.float64, requires_grad=grad)


def single(values, grad=True):
    return wp.array(np.asarray(values), dtype=wp.float32, requires_grad=grad)


def backward_of_ones(kernel, inputs, out, dim):
    with wp.Tape() as tape:
        wp.launch(kernel, dim=dim, inputs=inputs)
    tape.backward(grads={out: wp.array(np.ones(out.shape), dtype=out.dtype)})
    return tape


def test_dynamic_for_loop():
    x, y = double([0.5, 1.0, 2.0]), double([0.0] * 3)
    n = 3
    backward_of_ones(power_of_sine, [x, y, n], y, 3)
    v, slope = x.numpy().copy(), np.ones(3)
    for _ in range(n):
        slope *= np.sin(v) + v * np.cos(v)
        v = np.sin(v) * v
    np.testing.assert_allclose(y.numpy(), v, rtol=1e-14)
    np.testing.assert_allclose(x.grad.numpy(), slope, rtol=1e-13)


def test_while_loop():
    x, y = double([2.0, 3.0, 10.0]), double([0.0] * 3)
    backward_of_ones(newton, [x, y], y, 3)
    np.testing.assert_allclose(y.numpy(), np.sqrt(x.numpy()), rtol=1e-10)
    np.testing.assert_allclose(x.grad.numpy(), 0.5 / np.sqrt(x.numpy()), rtol=1e-5)


def test_in_place_square():
    y = single([3.0])
    with wp.Tape() as tape:
        wp.launch(square_in_place, dim=1, inputs=[y])
    seed = single([1.0], grad=False)
    tape.backward(grads={y: seed})
    assert y.numpy()[0] == 9.0
    assert y.grad.numpy()[0] == 6.0
    assert seed.numpy()[0] == 1.0


def test_in_place_square_as_loss():
    y = single([3.0])
    with wp.Tape() as tape:
        wp.launch(square_in_place, dim=1, inputs=[y])
    tape.backward(y)
    assert y.grad.numpy()[0] == 6.0


def test_chain_of_in_place_squares():
    y = single([1.5, -0.5])
    with wp.Tape() as tape:
        for _ in range(3):
            wp.launch(square_in_place, dim=2, inputs=[y])
    tape.backward(grads={y: single([1.0, 1.0], grad=False)})
    np.testing.assert_allclose(y.grad.numpy(), 8 * np.array([1.5, -0.5]) ** 7, rtol=1e-6)


def test_neighbours_under_threads():
    n = 200_000
    x, y = double(np.zeros(n + 1)), double(np.zeros(n))
    for _ in range(3):
        x.grad.zero_()
        backward_of_ones(neighbours, [x, y], y, n)
        want = np.full(n + 1, 2.0)
        want[[0, -1]] = 1.0
        np.testing.assert_array_equal(x.grad.numpy(), want)


def test_one_array_passed_twice():
    n = 50_000
    x, out = single(np.full(n, 3.0)), single(np.zeros(n))
    backward_of_ones(product, [x, x, out], out, n)
    np.testing.assert_array_equal(x.grad.numpy(), np.full(n, 6.0, np.float32))


def test_one_array_as_input_and_output():
    x = single([3.0, -2.0])
    backward_of_ones(square, [x, x], x, 2)
    np.testing.assert_array_equal(x.numpy(), [9.0, 4.0])
    np.testing.assert_array_equal(x.grad.numpy(), [6.0, -4.0])


def test_atomic_sum_and_loss():
    x, s = single(np.arange(1000.0)), single([0.0])
    y = single(np.zeros(1000))
    with wp.Tape() as tape:
        wp.launch(square, dim=1000, inputs=[x], outputs=[y])
        wp.launch(total, dim=1000, inputs=[y], outputs=[s])
    tape.backward(loss=s)
    np.testing.assert_array_equal(x.grad.numpy(), 2 * np.arange(1000.0))
    assert s.grad.numpy()[0] == 1.0
    np.testing.assert_array_equal(y.grad.numpy(), np.ones(1000))
    assert set(tape.gradients) == {x, y, s}


def test_backward_twice_adds_once_each():
    x, y, s = single([1.0, 2.0]), single([0.0, 0.0]), single([0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[s])
    tape.backward(s)
    tape.backward(s)
    np.testing.assert_array_equal(x.grad.numpy(), [4.0, 8.0])
    tape.zero()
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0])
    tape.backward(s)
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])


def test_values_that_change_between_passes():
    x, s = single([1.0, 2.0]), single([0.0])
    y = single([0.0, 0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[s])
    for value in (3.0, 5.0):
        x.fill_(value)
        tape.zero()
        tape.backward(s)
        np.testing.assert_array_equal(x.grad.numpy(), [2 * value] * 2)


def test_adjoint_launch_leaves_the_seed():
    x, y = single([1.0, 2.0, 3.0]), single([0.0] * 3)
    gx, gy = single([10.0] * 3, grad=False), single([1.0, 2.0, 3.0], grad=False)
    wp.launch(square, dim=3, inputs=[x], outputs=[y])
    for _ in range(2):
        wp.launch(square, dim=3, inputs=[x], outputs=[y], adj_inputs=[gx], adj_outputs=[gy], adjoint=True)
    np.testing.assert_array_equal(gy.numpy(), [1, 2, 3])
    np.testing.assert_array_equal(gx.numpy(), [10 + 2 * 2, 10 + 2 * 8, 10 + 2 * 18])


def test_adjoint_launch_of_an_overwriting_kernel_is_refused():
    y = single([3.0])
    with pytest.raises(RuntimeError, match=r"square_in_place.*'y'(.|\n)*Tape"):
        wp.launch(square_in_place, dim=1, inputs=[y], adj_inputs=[y.grad], adjoint=True)


def test_gradients_without_adjoint_of_threads_that_meet():
    """A launch with more dimensions than the kernel looks at: threads meet at one element."""
    x, y = single([3.0, 4.0]), single([0.0, 0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=(2, 1), inputs=[x, y])
    tape.backward(grads={y: single([1.0, 1.0], grad=False)})
    np.testing.assert_array_equal(x.grad.numpy(), [6.0, 8.0])


@wp.kernel
def come_back(u: wp.array(dtype=wp.vec2d), v: wp.array(dtype=wp.vec2d)):
    i = wp.tid()
    u[i][1] = wp.exp(v[i][1])
    v[i] = v[i] + u[i]


def test_components_that_a_thread_comes_back_to():
    """Threads run in vectors: an access of several components must not pass one that it follows."""
    rng = np.random.default_rng(0)
    u0, v0, su, sv = rng.uniform(-1.5, 1.5, (4, 8, 2))
    u, v = (wp.array(a, dtype=wp.vec2d, requires_grad=True) for a in (u0, v0))
    with wp.Tape() as tape:
        wp.launch(come_back, dim=8, inputs=[u, v])
    tape.backward(grads={u: wp.array(su, dtype=wp.vec2d), v: wp.array(sv, dtype=wp.vec2d)})
    slope = su + sv
    want = sv.copy()
    want[:, 1] += slope[:, 1] * np.exp(v0[:, 1])
    slope[:, 1] = 0.0
    np.testing.assert_allclose(u.grad.numpy(), slope, rtol=1e-12)
    np.testing.assert_allclose(v.grad.numpy(), want, rtol=1e-12)


def test_strided_gradients():
    base = np.arange(12, dtype=np.float32)
    x = wp.array(base[::3], dtype=float, copy=False, requires_grad=True)
    y = single(np.zeros(4))
    backward_of_ones(square, [x, y], y, 4)
    np.testing.assert_array_equal(x.grad.numpy(), 2 * base[::3])


def test_tapes_are_per_thread():
    x, y = single([3.0]), single([0.0])
    seen = []

    def other():
        wp.launch(square, dim=1, inputs=[x, y])
        with wp.Tape() as tape:
            wp.launch(square, dim=1, inputs=[x, y])
        seen.append(len(tape))

    with wp.Tape() as tape:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(tape) == 0
    assert seen == [1]


def test_wrong_uses():
    x = single([1.0, 2.0])
    tape = wp.Tape()
    with pytest.raises(ValueError, match="2 elements"):
        tape.backward(x)
    with pytest.raises(RuntimeError, match="requires_grad"):
        tape.backward(wp.zeros(1))
    with pytest.raises(TypeError, match="loss"):
        tape.backward(3.0)
    with pytest.raises(TypeError, match="grads"):
        tape.backward(grads={1: x})


def test_record_func():
    x, y = single([3.0]), single([0.0])
    calls = []
    with wp.Tape() as tape:
        wp.launch(square, dim=1, inputs=[x, y])
        tape.record_func(lambda: calls.append(y.grad.numpy()[0]), [y])
    tape.backward(y)
    assert calls == [1.0]
    assert x.grad.numpy()[0] == 6.0


def test_copies_carry_gradients():
    x, y, z = single([3.0, -1.0]), single([0.0, 0.0]), single([0.0, 0.0])
    with wp.Tape() as tape:
        wp.copy(y, x)
        c = wp.clone(y)
        wp.launch(square, dim=2, inputs=[c, z])
        y.assign([5.0, 5.0])  # after it was read: the copy before still counts
    tape.backward(grads={z: single([1.0, 1.0], grad=False)})
    np.testing.assert_array_equal(y.numpy(), [5.0, 5.0])
    np.testing.assert_array_equal(x.grad.numpy(), [6.0, -2.0])


def test_overwriting_by_a_copy_ends_the_gradient():
    x, y, z = single([3.0, -1.0]), single([0.0, 0.0]), single([0.0, 0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x, y])
        y[1:2] = [7.0]
        wp.launch(square, dim=2, inputs=[y, z])
    tape.backward(grads={z: single([1.0, 1.0], grad=False)})
    np.testing.assert_array_equal(z.numpy(), [81.0, 49.0])
    np.testing.assert_array_equal(x.grad.numpy(), [2 * 9 * 6.0, 0.0])
    x, y = single([3.0, 4.0]), single([0.0, 0.0])
    with wp.Tape() as tape:
        wp.copy(y, x, dest_offset=1, count=1)
    tape.backward(grads={y: single([1.0, 1.0], grad=False)})
    np.testing.assert_array_equal(x.grad.numpy(), [1.0, 0.0])


def test_a_pass_needs_something_to_start_from():
    x, y, out = single([3.0, 4.0]), single([0.0, 0.0]), single([0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[out])
    for arguments in ({}, {"grads": {}}, {"loss": None}):
        with pytest.warns(UserWarning, match="no gradient to start from.*loss=.*grads="):
            tape.backward(**arguments)
        assert x.grad.list() == [0, 0]
    # What the first array of all holds is no seed: no launch writes it.
    x.grad.fill_(1.0)
    with pytest.warns(UserWarning, match="no gradient to start from"):
        tape.backward()
    x.grad.zero_()
    with pytest.warns(UserWarning, match="the tape has recorded nothing"):
        wp.Tape().backward()
    # A seed that somebody wrote by hand, at the end or in the middle.
    out.grad.fill_(1.0)
    tape.backward()
    assert x.grad.list() == [6, 8]
    tape.zero()
    y.grad[1] = 1.0
    tape.backward()
    assert x.grad.list() == [0, 8]


def test_zeros_that_somebody_gave_are_a_seed():
    x, y = single([3.0, 4.0]), single([0.0, 0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    tape.backward(grads={y: y.grad})
    y.grad = wp.array(np.zeros(2, np.float32), copy=False)
    tape.backward()
    assert x.grad.list() == [0, 0]
    # A recorded function may add what launches before it start from.
    x, y = single([3.0, 4.0]), single([0.0, 0.0])
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        tape.record_func(lambda: y.grad.fill_(1.0), [y])
    tape.backward()
    assert x.grad.list() == [6, 8]


def test_the_dictionary_of_gradients_may_be_emptied():
    x, y = wp.ones(3, requires_grad=True), wp.zeros(3, requires_grad=True)
    with wp.Tape() as tape:
        wp.copy(y, x)
    tape.backward(grads={y: wp.ones(3)})
    tape.gradients = {}
    assert tape.gradients[x].list() == [1.0] * 3
    with pytest.raises(ValueError, match=r"set array\.grad"):
        tape.gradients = {x: y}
