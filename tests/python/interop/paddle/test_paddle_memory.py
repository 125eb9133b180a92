"""Memory shared with paddle: who keeps it, for how long, and what a tensor's other memory means."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import numpy as np
import pytest
import warp as wp

from .paddle_kernels import double, leaf, paddle

BIG = 1 << 18


def other_memory():
    """Ways to give a tensor other memory, or none."""
    small, big = paddle.full([5], 1.0), paddle.full([2 * BIG], 1.0)
    return {
        "data": lambda t: setattr(t, "data", small),
        "set_": lambda t: t.set_(paddle.ones([4])),
        "resize_": lambda t: t.resize_([2 * BIG]),
        "out": lambda t: paddle.add(big, big, out=t),
        "concat out": lambda t: paddle.concat([t, t], out=t),
        "cast_": lambda t: t.cast_("float64"),
        "_share_buffer_to": lambda t: big._share_buffer_to(t),
        "_share_underline_tensor_to": lambda t: small._share_underline_tensor_to(t),
        "_share_memory": lambda t: t._share_memory(),
        "_inplace_assign": lambda t: t._inplace_assign(small),
        "_set_impl": lambda t: t._set_impl(small),
        "_apply_": lambda t: t._apply_(lambda x: x * 2),
        "_clear": lambda t: t._clear(),
        "_clear_data": lambda t: t._clear_data(),
        "_clear_dataptr": lambda t: t._clear_dataptr(),
        "_clear_to_zero_allocation": lambda t: t._clear_to_zero_allocation(),
        "dense clear": lambda t: t.get_tensor()._clear(),
        "dense set": lambda t: t.get_tensor().set(np.ones(2 * BIG, "float32"), paddle.CPUPlace()),
        "__init__": lambda t: t.__init__(paddle.ones([4])),
    }


# What leaves the tensor without memory, or with less than its shape needs.
LESS = {"_clear", "_clear_data", "_clear_dataptr", "_clear_to_zero_allocation", "dense clear", "resize_"}


@pytest.mark.parametrize("how", other_memory())
def test_memory_that_a_tensor_gives_up_stays_as_long_as_an_array_uses_it(how):
    t = paddle.full([BIG], 7.0)
    a = wp.from_paddle(t)
    d = wp.from_paddle(t, return_ctype=True)
    part = a[5:]
    at = a.ptr
    try:
        other_memory()[how](t)
    except (RuntimeError, AttributeError) as error:
        pytest.skip(f"this paddle has no such way: {error}")
    if how not in LESS:
        assert t.data_ptr() != at
    else:
        with pytest.raises((ValueError, RuntimeError)):
            wp.from_paddle(t)
    del t
    gc.collect()
    # Whoever gets the memory if it was freed writes this there.
    others = [paddle.full([BIG], 5.0) for _ in range(8)] + [np.full(BIG, 5.0, "float32") for _ in range(8)]
    assert (a.numpy() == 7).all()
    assert (part.numpy() == 7).all()
    del others, d


KEPT = {
    "set_value": lambda t: t.set_value(paddle.full([4], 1.0)),
    "set_value of NumPy": lambda t: t.set_value(np.full(4, 1.0, "float32")),
    "assign": lambda t: paddle.assign(paddle.full([4], 1.0), output=t),
    "copy_": lambda t: t.copy_(paddle.full([4], 1.0), True),
    "index": lambda t: t.__setitem__(slice(None), 1.0),
    "fill_": lambda t: t.fill_(1.0),
    "in place": lambda t: t.subtract_(paddle.full([4], 6.0)),
    "reshape_": lambda t: t.fill_(1.0).reshape_([2, 2]),
}


@pytest.mark.parametrize("how", KEPT)
def test_what_is_written_in_place_is_seen(how):
    t = paddle.full([4], 7.0)
    a = wp.from_paddle(t)
    KEPT[how](t)
    assert t.data_ptr() == a.ptr
    assert a.list() == [1, 1, 1, 1]


def test_gradient_memory_that_a_tensor_gives_up_stays():
    x = leaf(np.ones(BIG))
    a = wp.from_paddle(x)
    a.grad.fill_(7.0)
    grad = a.grad
    x.clear_gradient(False)
    del x, a
    gc.collect()
    others = [paddle.full([BIG], 5.0) for _ in range(8)]
    assert (grad.numpy() == 7).all()
    del others
    # And the other way: the tensor's gradient outlives the array whose memory it uses.
    b = wp.zeros(BIG, dtype=float, requires_grad=True)
    t = wp.to_paddle(b)
    b.grad.fill_(3.0)
    del b
    gc.collect()
    others = [wp.full(BIG, 5.0, dtype=float) for _ in range(8)]
    assert (t.grad.numpy() == 3).all()
    del others


def test_descriptors_look_again():
    x = paddle.ones([3])
    d = wp.from_paddle(x, return_ctype=True)
    x.data = paddle.full([3], 5.0)
    y = paddle.zeros([3])
    wp.launch(double, dim=3, inputs=[d], outputs=[y])
    assert y.tolist() == [10, 10, 10]
    x._clear()
    with pytest.raises(ValueError, match="dense"):
        wp.launch(double, dim=3, inputs=[d], outputs=[y])


def test_lifetimes():
    a = wp.ones(1000)
    t = wp.to_paddle(a)
    del a
    gc.collect()
    assert t.sum() == 1000
    x = paddle.ones([1000])
    a = wp.from_paddle(x)
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None
    assert a.numpy().sum() == 1000
    # A tensor made of an array that was made of a tensor.
    u = wp.to_paddle(wp.from_paddle(paddle.ones([1000])))
    gc.collect()
    assert u.sum() == 1000


EXPORTS = {
    "to_paddle": lambda a: wp.to_paddle(a),
    "from_dlpack": lambda a: paddle.from_dlpack(a),
    "legacy capsule": lambda a: paddle.utils.dlpack.from_dlpack(a.__dlpack__()),
    "versioned capsule": lambda a: paddle.utils.dlpack.from_dlpack(a.__dlpack__(max_version=(1, 0))),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_paddle_gives_memory_back(name):
    """It calls only deleters of managed tensors that have a context."""
    memory, released = np.ones(8, np.float32), []
    a = wp.array(ptr=memory.ctypes.data, shape=(8,), dtype=float, deleter=lambda *_: released.append(1))
    t = EXPORTS[name](a)
    view = t[1:]
    del a, t
    gc.collect()
    assert released == []
    assert view.sum() == 7
    del view
    gc.collect()
    assert released == [1]


def test_dropping_on_another_thread():
    box = [wp.from_paddle(paddle.ones([3])).__dlpack__() for _ in range(100)]
    box += [wp.to_paddle(wp.zeros(3)) for _ in range(100)]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_memory_does_not_grow():
    x = leaf(np.ones((4, 3)))

    def work():
        for _ in range(10_000):
            a = wp.from_paddle(x, dtype=wp.vec3)
            wp.to_paddle(a, requires_grad=False)
            wp.from_paddle(x, return_ctype=True)

    work()
    start = resident()
    work()
    assert resident() - start < 1 << 20


def test_a_gradient_that_went_out_leaves_nothing():
    """Weak references to tensors go at once, not when somebody calls PyO3 the ordinary way."""
    a = wp.zeros(3, dtype=float, requires_grad=True)

    def work():
        for _ in range(1000):
            wp.to_paddle(a)
        gc.collect()

    work()
    before = sys.getallocatedblocks()
    work()
    assert sys.getallocatedblocks() - before < 500


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096
