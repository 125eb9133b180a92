"""Gradients of paddle tensors, shared with arrays."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from .paddle_kernels import double, leaf, paddle, sum_of_squares


def test_gradients_are_shared():
    x = leaf([1, 1, 1])
    assert x.grad is None
    a = wp.from_paddle(x)
    assert a.requires_grad
    assert x.grad.tolist() == [0, 0, 0]
    assert a.grad.ptr == x.grad.data_ptr()
    a.grad.fill_(2.0)
    assert x.grad.tolist() == [2, 2, 2]
    (x * 3).sum().backward()
    assert a.grad.list() == [5, 5, 5]
    b = wp.from_paddle(x, dtype=wp.vec3)
    assert b.grad.dtype is wp.vec3
    assert b.grad.ptr == x.grad.data_ptr()


def test_requires_grad_argument():
    x = leaf([1, 1, 1])
    assert not wp.from_paddle(x, requires_grad=False).requires_grad
    assert x.grad is None
    y = paddle.ones([3])
    assert wp.from_paddle(y, requires_grad=True).grad.ptr == y.grad.data_ptr()
    assert not wp.from_paddle(paddle.ones([3])).requires_grad
    g = paddle.full([3], 4.0)
    a = wp.from_paddle(paddle.ones([3]), grad=g)
    assert a.grad.ptr == g.data_ptr()
    w = wp.zeros(3)
    assert wp.from_paddle(paddle.ones([3]), grad=w).grad.ptr == w.ptr
    for wrong in (paddle.ones([4]), paddle.ones([3], dtype="float64"), [1, 2, 3]):
        with pytest.raises((TypeError, ValueError)):
            wp.from_paddle(paddle.ones([3]), grad=wrong)
    with pytest.raises(TypeError, match="int64"):
        wp.from_paddle(paddle.ones([3], dtype="int64"), requires_grad=True)
    with pytest.raises(TypeError, match="dtype"):
        wp.from_paddle(paddle.ones([3]), dtype="real")
    # Paddle lets integers have stop_gradient=False.
    whole = paddle.ones([3], dtype="int64")
    whole.stop_gradient = False
    assert not wp.from_paddle(whole).requires_grad
    assert wp.from_paddle(whole, return_ctype=True).grad == 0
    with pytest.raises(TypeError, match="int32"):
        wp.to_paddle(wp.zeros(3, dtype=int), requires_grad=True)


def test_a_result_keeps_no_gradient_but_can_have_one():
    x = leaf([1, 1, 1])
    y = x * 2
    a = wp.from_paddle(y)
    assert a.grad.list() == [0, 0, 0]
    assert y.grad is None
    y.retain_grads()
    (y * y).sum().backward()
    assert wp.from_paddle(y).grad.ptr == y.grad.data_ptr()


def test_a_gradient_of_other_type_or_form_is_refused():
    layer = paddle.nn.Embedding(10, 3, sparse=True)
    layer(paddle.to_tensor([1])).sum().backward()
    with pytest.raises(ValueError, match="gradient.*dense"):
        wp.from_paddle(layer.weight)
    x = leaf([1, 1, 1])
    x.grad = paddle.ones([4])
    with pytest.raises(ValueError, match=r"gradient.*\[4\]"):
        wp.from_paddle(x)


def test_a_gradient_has_strides_of_its_own():
    x = paddle.ones([3, 4]).t()
    x.stop_gradient = False
    a = wp.from_paddle(x)
    assert a.strides == (4, 16)
    assert a.grad.shape == (4, 3)
    assert a.grad.ptr == x.grad.data_ptr()


CLEARINGS = {
    "to zero": lambda p, o: o.clear_grad(),
    "to nothing": lambda p, o: o.clear_grad(set_to_zero=False),
    "the tensor's": lambda p, o: p.clear_grad(),
    "by hand": lambda p, o: setattr(p, "grad", None),
    "the tensor's, to nothing": lambda p, o: p.clear_gradient(False),
}


@pytest.mark.parametrize("clear", CLEARINGS.values(), ids=CLEARINGS.keys())
@pytest.mark.parametrize("made", ["from_paddle", "to_paddle"])
def test_training_goes_on_after_clear_grad(clear, made):
    """Steps with clear_grad between them do what NumPy does."""
    if made == "from_paddle":
        p = leaf([1.0, -2.0, 3.0])
        a = wp.from_paddle(p)
    else:
        a = wp.array([1.0, -2.0, 3.0], dtype=float, requires_grad=True)
        p = wp.to_paddle(a)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=[p])
    with wp.Tape() as tape:
        sum_of_squares(a, loss)
    expected = np.array([1.0, -2.0, 3.0])
    for _ in range(3):
        clear(p, optimizer)
        tape.backward(loss)
        np.testing.assert_allclose(p.grad.numpy(), 2 * expected, rtol=1e-6)
        assert p.grad.data_ptr() == a.grad.ptr
        optimizer.step()
        expected -= 0.1 * 2 * expected
        np.testing.assert_allclose(p.numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(a.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("clear", CLEARINGS.values(), ids=CLEARINGS.keys())
def test_both_kinds_of_backward_add_up(clear):
    """After clear_grad, paddle's next pass would replace a gradient that something else has added to."""
    p = leaf([1.0, 2.0])
    a = wp.from_paddle(p)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=[p])
    with wp.Tape() as tape:
        sum_of_squares(a, loss)
    for order in ("ours first", "theirs first", "ours first"):
        clear(p, optimizer)
        if order == "ours first":
            tape.backward(loss)
            (p * 3).sum().backward()
        else:
            (p * 3).sum().backward()
            tape.backward(loss)
        assert p.grad.tolist() == [5, 7]
    p.clear_grad()
    a = wp.from_paddle(p)
    a.grad.fill_(1.0)
    (p * 3).sum().backward()
    assert p.grad.tolist() == [4, 4]


def test_zeroing_a_tape_reaches_the_gradient_that_counts():
    p = leaf([1.0, 2.0])
    a = wp.from_paddle(p)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        sum_of_squares(a, loss)
    p.clear_gradient(False)
    (p * 3).sum().backward()  # a gradient with other memory
    tape.zero()
    assert p.grad.tolist() == [0, 0]
    tape.backward(loss)
    assert p.grad.tolist() == [2, 4]


def test_gradients_of_tensors_without_axes():
    for make in (lambda: paddle.to_tensor(2.0, stop_gradient=False), lambda: leaf([2.0])):
        z = make()
        c = wp.from_paddle(z)
        for clear in (lambda z=z: z.clear_gradient(False), lambda z=z: z.clear_grad()):
            clear()
            tape = wp.Tape()
            tape.record_func(lambda c=c: c.grad.fill_(1.0), [c])
            tape.backward()
            assert z.grad.shape == z.shape
            assert z.grad.item() == 1.0


def test_to_paddle_shares_the_gradient():
    a = wp.ones((2, 2), requires_grad=True)
    held = a.grad
    t = wp.to_paddle(a)
    assert not t.stop_gradient
    assert t.is_leaf
    assert t.grad.data_ptr() == a.grad.ptr == held.ptr
    (t * 3).sum().backward()
    assert a.grad.list() == held.list() == [3, 3, 3, 3]
    assert wp.to_paddle(a, requires_grad=False).stop_gradient
    assert wp.to_paddle(a, False).stop_gradient
    b = wp.ones(2)
    assert not wp.to_paddle(b, requires_grad=True).stop_gradient
    v = wp.to_paddle(wp.zeros((2, 3), dtype=wp.mat22, requires_grad=True))
    assert v.shape == v.grad.shape == [2, 3, 2, 2]
    t.set_value(paddle.full([2, 2], 2.0))
    assert a.list() == [2, 2, 2, 2]


def test_to_paddle_keeps_the_gradient_that_is_there():
    a = wp.ones(3, requires_grad=True)
    a.grad.fill_(7.0)
    assert wp.to_paddle(a).grad.tolist() == [7, 7, 7]
    # One that paddle cannot share the memory of, it copies; the array goes along.
    b = wp.array(np.ones((3, 2), np.float32), grad=wp.full((2, 3), 5.0, dtype=float).transpose())
    t = wp.to_paddle(b)
    assert t.grad.tolist() == [[5, 5]] * 3
    assert t.grad.data_ptr() == b.grad.ptr


def test_tensors_in_recorded_launches_carry_their_gradients():
    x = leaf([1.0, 2.0])
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        sum_of_squares(x, loss)
    tape.backward(loss)
    assert x.grad.tolist() == [2, 4]
    x.clear_gradient(False)
    tape.backward(loss)
    assert x.grad.tolist() == [2, 4]
    # A result of paddle's, and a tensor that wants no gradient.
    y, c = x * 1.0, paddle.ones([2])
    with wp.Tape() as tape:
        sum_of_squares(y, loss)
        sum_of_squares(c, loss)
    tape.backward(loss)
    assert c.grad is None
    assert y.grad is None


def test_adjoint_launch_on_tensors():
    x, y = paddle.to_tensor([1.0, 2.0]), paddle.zeros([2])
    gx, gy = paddle.zeros([2]), paddle.to_tensor([1.0, 10.0])
    wp.launch(double, dim=2, inputs=[x], outputs=[y], adj_inputs=[gx], adj_outputs=[gy], adjoint=True)
    assert gx.tolist() == [2, 20]
    assert gy.tolist() == [1, 10]


def test_paddle_changes_a_tensor():
    """Paddle counts what it changes in place: a gradient that needs what is gone is refused."""
    for make in (lambda p: p, wp.from_paddle):
        p, out = leaf([1.0, -2.0, 3.0]), wp.zeros(1, dtype=float, requires_grad=True)
        x = make(p)
        with wp.Tape() as tape:
            sum_of_squares(x, out)
        with paddle.no_grad():
            p.add_(paddle.ones([3]))
        with pytest.raises(RuntimeError, match="needs what 'x' held"):
            tape.backward(out)
