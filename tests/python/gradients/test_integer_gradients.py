"""Arrays of integers and bools that require a gradient, as programs for NVIDIA Warp ask for one. It stays zero."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

DTYPES = [int, wp.int64, wp.uint8, wp.bool, wp.vec2i]
MAKERS = {
    "array": lambda t: wp.array(wp.zeros(3, dtype=t).numpy(), dtype=t, requires_grad=True),
    "zeros": lambda t: wp.zeros(3, dtype=t, requires_grad=True),
    "empty": lambda t: wp.empty(3, dtype=t, requires_grad=True),
    "full": lambda t: wp.full(3, 1, dtype=t, requires_grad=True),
    "zeros_like": lambda t: wp.zeros_like(wp.zeros(3, dtype=t), requires_grad=True),
    "clone": lambda t: wp.clone(wp.zeros(3, dtype=t), requires_grad=True),
    "from_numpy": lambda t: wp.from_numpy(wp.zeros(3, dtype=t).numpy(), dtype=t, requires_grad=True),
    "given": lambda t: wp.array(wp.zeros(3, dtype=t).numpy(), dtype=t, grad=wp.zeros(3, dtype=t)),
    "retained": lambda t: wp.zeros(3, dtype=t, requires_grad=True, retain_grad=True),
}


@wp.kernel
def scatter(x: wp.array(dtype=float), at: wp.array(dtype=int), y: wp.array(dtype=float), count: wp.array(dtype=int)):
    i = wp.tid()
    wp.atomic_add(y, at[i], x[i] * x[i])
    wp.atomic_add(count, at[i], 1)


@wp.kernel
def add(a: wp.array(dtype=int), b: wp.array(dtype=int)):
    b[wp.tid()] += a[wp.tid()] * 2


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_maker_gives_one(maker, dtype):
    a = MAKERS[maker](dtype)
    assert a.requires_grad
    assert (a.grad.shape, a.grad.dtype) == (a.shape, a.dtype)
    assert not a.grad.numpy().any()
    a.requires_grad = False
    a.requires_grad = True
    assert not a.grad.numpy().any()
    assert a[1:].grad.shape == (2,)


def test_they_stay_zero_on_tapes():
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    at = wp.array([0, 1, 0], dtype=int, requires_grad=True)
    y, count = wp.zeros(2, requires_grad=True), wp.zeros(2, dtype=int, requires_grad=True)
    same = wp.zeros(3, dtype=int, requires_grad=True)
    with wp.Tape() as tape:
        wp.copy(same, at)
        wp.launch(scatter, dim=3, inputs=[x, same], outputs=[y, count])
        wp.launch(add, dim=2, inputs=[count], outputs=[same])
    tape.backward(grads={y: wp.ones(2)})
    assert (y.list(), count.list(), same.list()) == ([10.0, 4.0], [2, 1], [4, 3, 0])
    assert x.grad.list() == [2.0, 4.0, 6.0]
    for a in (at, count, same):
        assert not a.grad.numpy().any()
    assert tape.gradients[x] is x.grad
    tape.zero()
    assert x.grad.list() == [0.0] * 3
    tape.backward(grads={y: wp.ones(2)})
    assert x.grad.list() == [2.0, 4.0, 6.0]


def test_other_frameworks_get_the_values():
    torch = pytest.importorskip("torch")
    a = wp.array([1, 2], dtype=int, requires_grad=True)
    assert wp.to_torch(a, requires_grad=False).tolist() == [1, 2]
    assert torch.from_dlpack(a).tolist() == a.numpy().tolist() == np.asarray(a).tolist() == [1, 2]
