"""Memory that torch replaces while somebody looks at it.

Torch can give a tensor's storage other memory and free the old. Whoever is about to use an array on the old memory is
told so.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import warp as wp

torch = pytest.importorskip("torch")


MOVED = "given other memory"


@wp.kernel
def double(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * 2.0


@wp.kernel
def scale(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * s


def share(t):
    t.share_memory_()


def grow(t):
    t.resize_(1000)


def empty(t):
    t.untyped_storage().resize_(0)


def shrink(t):
    t.untyped_storage().resize_(8)


def out(t):
    torch.cat([torch.ones(500), torch.ones(500)], out=t)


def queue(t):
    torch.multiprocessing.get_context("spawn").SimpleQueue().put(t)


def foreign(t):
    t.untyped_storage().share_memory_()


MOVES = [share, grow, empty, shrink, out, queue, foreign]


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("move", MOVES, ids=lambda m: m.__name__)
def test_a_launch_refuses_memory_that_has_moved(move):
    t = torch.zeros(16)
    a = wp.from_torch(t)
    move(t)
    with pytest.raises(RuntimeError, match=f"kernel 'double': argument 'x': .*{MOVED}.*convert it again"):
        wp.launch(double, dim=16, inputs=[a])


def test_converted_again_it_works():
    t = torch.ones(16)
    a = wp.from_torch(t)
    t.share_memory_()
    a = wp.from_torch(t)
    wp.launch(double, dim=16, inputs=[a])
    assert t.tolist() == [2.0] * 16


def test_the_storage_may_be_named_shared_and_used_otherwise():
    t = torch.ones(16).share_memory_()
    a = wp.from_torch(t)
    t.share_memory_()  # It is already.
    t.resize_(4)  # Smaller tensors keep their storage.
    t.data = torch.zeros(3)  # The tensor has another storage; the array keeps the old.
    wp.launch(double, dim=16, inputs=[a])
    assert a.numpy().tolist() == [2.0] * 16


ACCESSES = {
    "numpy": lambda a: a.numpy(),
    "asarray": lambda a: np.asarray(a),
    "bytes": bytes,
    "list": lambda a: a.list(),
    "index": lambda a: a[3],
    "index of slice": lambda a: a[2:5][1],
    "iteration": lambda a: list(a),
    "set": lambda a: a.__setitem__(3, 1.0),
    "set slice": lambda a: a.__setitem__(slice(2, 5), 1.0),
    "set from array": lambda a: a.__setitem__(slice(None), wp.zeros(16)),
    "fill_": lambda a: a.fill_(1.0),
    "zero_": lambda a: a.zero_(),
    "assign": lambda a: a.assign(np.ones(16, np.float32)),
    "assign to other": lambda a: wp.zeros(16).assign(a),
    "copy": lambda a: wp.copy(wp.zeros(16), a),
    "copy part": lambda a: wp.copy(wp.zeros(16), a, 1, 1, 4),
    "copy to": lambda a: wp.copy(a, wp.zeros(16)),
    "clone": lambda a: a.clone(),
    "contiguous": lambda a: a[::2].contiguous(),
    "deepcopy": lambda a: copy.deepcopy(a),
    "copy of alias": lambda a: copy.copy(a).numpy(),
    "pickle": lambda a: pickle.dumps(a),
    "ptr": lambda a: a.ptr,
    "dlpack": lambda a: a.__dlpack__(),
    "to_dlpack": lambda a: wp.to_dlpack(a),
    "from_dlpack": lambda a: np.from_dlpack(a),
    "interface": lambda a: a.__array_interface__,
    "struct": lambda a: a.__array_struct__,
    "to_torch": lambda a: wp.to_torch(a),
    "from torch's view": lambda a: torch.from_dlpack(a),
    "reshape": lambda a: a.reshape((4, 4)).numpy(),
    "view": lambda a: a.view(wp.int32).numpy(),
    "transpose": lambda a: a.reshape((4, 4)).transpose().list(),
    "new array": lambda a: wp.array(a),
    "new array that shares": lambda a: wp.array(a, copy=False),
    "new array of another type": lambda a: wp.array(a, dtype=wp.float64),
    "text": str,
    "launch": lambda a: wp.launch(double, dim=16, inputs=[a]),
    "launch of slice": lambda a: wp.launch(double, dim=3, inputs=[a[2:5]]),
    "adjoint": lambda a: wp.launch(
        scale,
        dim=16,
        inputs=[a, 2.0],
        outputs=[wp.zeros(16)],
        adj_inputs=[wp.zeros(16), None],
        adj_outputs=[wp.ones(16)],
        adjoint=True,
    ),
    "gradient of adjoint": lambda a: wp.launch(
        scale,
        dim=16,
        inputs=[wp.zeros(16), 2.0],
        outputs=[wp.zeros(16)],
        adj_inputs=[a, None],
        adj_outputs=[wp.ones(16)],
        adjoint=True,
    ),
    "recorded": lambda a: wp.launch(double, dim=16, inputs=[a], record_cmd=True),
    "to_jax": lambda a: (pytest.importorskip("jax"), wp.to_jax(a)),
    "to_paddle": lambda a: (pytest.importorskip("paddle"), wp.to_paddle(a)),
}


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES)
def test_every_way_to_the_memory_asks(access):
    t = torch.zeros(16)
    a = wp.from_torch(t)
    access(a)
    t.share_memory_()
    with pytest.raises((RuntimeError, BufferError), match=MOVED):
        access(a)


def test_what_describes_an_array_asks_nothing():
    t = torch.zeros(4, 4)
    a = wp.from_torch(t)
    t.share_memory_()
    assert (a.shape, a.ndim, a.size, len(a), a.strides) == ((4, 4), 2, 16, 4, (16, 4))
    assert a.dtype is wp.float32
    assert a[1:].shape == (3, 4)


def test_a_value_that_moves_the_memory_it_is_written_to():
    t = torch.zeros(16)
    a = wp.from_torch(t)

    class Number:
        def __float__(self):
            t.resize_(1000)
            return 1.0

    with pytest.raises((RuntimeError, TypeError)):
        a[3] = Number()
    with pytest.raises((RuntimeError, TypeError)):
        a.fill_(Number())


def test_a_recorded_launch():
    t = torch.ones(16)
    command = wp.launch(double, dim=16, inputs=[t], record_cmd=True)
    command.launch()
    assert t[0] == 2.0
    t.share_memory_()
    with pytest.raises(RuntimeError, match=f"argument 'x': .*{MOVED}"):
        command.launch()
    command.set_param_by_name("x", t)
    command.launch()
    assert t[0] == 4.0


def test_a_recorded_launch_keeps_what_the_tensor_had():
    t = torch.ones(16)
    kept = t.detach()
    command = wp.launch(double, dim=16, inputs=[t], record_cmd=True)
    t.data = torch.zeros(4)
    command.launch()
    assert kept[0] == 2.0
    assert t[0] == 0.0


@pytest.mark.parametrize("which", ["x", "y"])
def test_a_tape(which):
    x, y = torch.ones(16, requires_grad=True), torch.zeros(16, requires_grad=True)
    a, b = wp.from_torch(x), wp.from_torch(y)
    with wp.Tape() as tape:
        wp.launch(scale, dim=16, inputs=[a, 3.0], outputs=[b])
    {"x": x, "y": y}[which].detach().share_memory_()
    with pytest.raises(RuntimeError, match=f"argument '{which}': .*{MOVED}"):
        tape.backward(grads={b: wp.ones(16)})


def test_a_gradient_that_moved_is_found_again():
    x = torch.ones(16, requires_grad=True)
    a, b = wp.from_torch(x), wp.zeros(16, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(scale, dim=16, inputs=[a, 3.0], outputs=[b])
    x.grad.share_memory_()
    tape.backward(grads={b: wp.ones(16)})
    assert x.grad.tolist() == [3.0] * 16


@pytest.mark.parametrize("subclass", [torch.nn.Parameter, torch.nn.Buffer])
def test_subclasses(subclass):
    t = subclass(torch.zeros(16))
    a = wp.from_torch(t.detach() if subclass is torch.nn.Parameter else t)
    t.detach().share_memory_()
    with pytest.raises(RuntimeError, match=MOVED):
        a.numpy()


def test_many_dimensions():
    # More than are read directly.
    t = torch.zeros(2, 2, 2, 2, 2, 2)
    a = wp.from_torch(t, dtype=wp.mat22)
    assert a.numpy().shape == t.shape
    t.share_memory_()
    with pytest.raises(RuntimeError, match=MOVED):
        a.numpy()


# What is larger than its storage.


def larger(kind):
    t = torch.zeros(64)
    view = {
        "contiguous": lambda: t[:],
        "strided": lambda: t[::2],
        "offset": lambda: t[60:],
        "matrix": lambda: t.view(8, 8).t(),
        "many": lambda: t.view(2, 2, 2, 2, 2, 2),
        "repeated": lambda: t[40:41].expand(5),
    }[kind]()
    t.untyped_storage().resize_(32)
    return view


KINDS = ["contiguous", "strided", "offset", "matrix", "many", "repeated"]
SMALLER = "the storage was made smaller than the tensor"


@pytest.mark.parametrize("kind", KINDS)
def test_a_tensor_beyond_its_storage_is_refused(kind):
    t = larger(kind)
    dtype = wp.mat22 if kind == "many" else None
    with pytest.raises(ValueError, match=SMALLER):
        wp.from_torch(t, dtype=dtype)
    with pytest.raises(ValueError, match=SMALLER):
        wp.from_torch(t, dtype=dtype, return_ctype=True)
    with pytest.raises(ValueError, match=SMALLER):
        wp.from_dlpack(t, dtype=dtype)
    with pytest.raises(ValueError, match=SMALLER):
        wp.array(t, dtype=dtype)


@pytest.mark.parametrize("kind", ["contiguous", "strided", "offset", "repeated"])
def test_a_launch_refuses_a_tensor_beyond_its_storage(kind):
    t = larger(kind)
    with pytest.raises(ValueError, match=f"argument 'x': .*{SMALLER}"):
        wp.launch(double, dim=1, inputs=[t])


@pytest.mark.parametrize("kind", ["contiguous", "strided", "offset", "repeated"])
def test_an_operator_refuses_a_tensor_beyond_its_storage(kind):
    with pytest.raises((ValueError, RuntimeError), match=f"'x':? .*{SMALLER}"):
        wp.torch.torch_kernel(scale)(larger(kind), 2.0)


def test_a_storage_without_memory():
    t = torch.zeros(64)
    t.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match=SMALLER):
        wp.from_torch(t)


def test_what_lies_within_its_storage_passes():
    t = torch.arange(64.0)
    exact = torch.as_strided(t, (4, 2), (8, 1), 38)
    assert wp.from_torch(exact).numpy().tolist() == exact.tolist()
    t.untyped_storage().resize_(40)
    assert wp.from_torch(torch.as_strided(t, (2,), (1,), 8)).numpy().tolist() == [8.0, 9.0]
    assert wp.from_torch(torch.as_strided(t, (0, 5), (100, 1), 8)).shape == (0, 5)
