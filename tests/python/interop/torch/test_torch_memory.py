"""Who keeps a tensor's memory: arrays hold the storage, which torch, its Python object and arrays count together."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest
import warp as wp

torch = pytest.importorskip("torch")


class Memory(np.ndarray):
    """Memory that can be watched: torch lets go of it when the storage ends."""


def watched(n: int = 6):
    memory = np.arange(n, dtype=np.float32).view(Memory)
    return torch.from_numpy(memory), weakref.ref(memory)


HOLDERS = ("tensor", "storage", "array", "second", "row")


@pytest.mark.parametrize("order", list(itertools.permutations(HOLDERS))[::7])
def test_memory_ends_with_its_last_holder(order):
    tensor, alive = watched()
    array = wp.from_torch(tensor)
    held = {
        "tensor": tensor,
        "storage": tensor.untyped_storage(),
        "array": array,
        "second": wp.from_torch(tensor[2:]),
        "row": array[1:3],
    }
    del tensor, array
    for name in order:
        assert alive() is not None
        if "array" in held:
            np.testing.assert_array_equal(held["array"].numpy(), np.arange(6))
        del held[name]
    gc.collect()
    assert alive() is None


def test_memory_ends_without_a_storage_object():
    tensor, alive = watched()
    array = wp.from_torch(tensor)
    del tensor
    assert alive() is not None
    np.testing.assert_array_equal(array.numpy(), np.arange(6))
    del array
    assert alive() is None


def test_a_storage_object_asked_for_later():
    tensor, alive = watched()
    array = wp.from_torch(tensor)
    storage = tensor.untyped_storage()
    del tensor, array
    assert storage.nbytes() == 24
    del storage
    assert alive() is None


def test_a_tensor_made_from_the_array_joins_in():
    tensor, alive = watched()
    array = wp.from_torch(tensor)
    back = wp.to_torch(array)
    del tensor, array
    gc.collect()
    assert alive() is not None
    assert back.tolist() == [0, 1, 2, 3, 4, 5]
    del back
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("replace", ["data", "set_"])
def test_a_tensor_given_other_memory_leaves_the_old_to_the_array(replace):
    tensor, alive = watched()
    array = wp.from_torch(tensor)
    if replace == "data":
        tensor.data = torch.full((6,), 7.0)
    else:
        tensor.set_(torch.full((6,), 7.0))
    gc.collect()
    assert alive() is not None
    np.testing.assert_array_equal(array.numpy(), np.arange(6))
    np.testing.assert_array_equal(wp.from_torch(tensor).numpy(), np.full(6, 7))
    del array
    assert alive() is None


def test_arrays_dropped_and_copied_by_many_threads():
    tensor, alive = watched(64)
    array = wp.from_torch(tensor)
    storage = tensor.untyped_storage()
    holders = torch._C._storage_Use_Count(storage._cdata)

    def work(array=array, tensor=tensor):
        for _ in range(2000):
            part = array[1:]
            again = wp.from_torch(tensor)
            del part, again

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del thread, threads
    assert torch._C._storage_Use_Count(storage._cdata) == holders
    del work, array, tensor, storage
    gc.collect()
    assert alive() is None


def test_the_gradient_is_held_like_the_tensor():
    tensor, alive = watched()
    tensor.requires_grad_()
    grad, grad_alive = watched()
    tensor.grad = grad
    array = wp.from_torch(tensor)
    del grad
    tensor.grad = None
    gc.collect()
    assert grad_alive() is not None
    np.testing.assert_array_equal(array.grad.numpy(), np.arange(6))
    del array, tensor
    gc.collect()
    assert grad_alive() is None
    assert alive() is None


def test_a_torch_without_a_table(tmp_path):
    """Torch up to 2.9 has no exchange table: tensors are asked attribute by attribute, and learned of all the same."""
    program = """
        import sys
        import torch

        for name in ("__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"):
            for owner in (torch.Tensor, torch._C.TensorBase):
                if name in vars(owner):
                    delattr(owner, name)
        if sys.argv[1] == "asked":
            del torch._lazy_clone  # a sample without which nothing is read directly
        import warp as wp

        class Sub(torch.Tensor):
            pass

        for dtype in (torch.float64, torch.int8, torch.bool, torch.bfloat16):
            t = torch.ones(3, 4, 5).to(dtype)[1:, ::2, 1:4]
            for t in (t, t.as_subclass(Sub)):
                a = wp.from_torch(t)
                assert (a.ptr, a.shape, a.strides) == (t.data_ptr(), t.shape, tuple(s * t.itemsize for s in t.stride()))
                back = wp.to_torch(a)
                assert back.dtype == t.dtype and back.data_ptr() == t.data_ptr() and back.stride() == t.stride()
                assert torch.equal(back, t)

        @wp.kernel
        def double(x: wp.array(dtype=wp.vec2), y: wp.array(dtype=wp.vec2)):
            i = wp.tid()
            y[i] = 2.0 * x[i]

        x, y = torch.ones(3, 2, requires_grad=True), torch.zeros(3, 2, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(double, dim=3, inputs=[x], outputs=[y])
        tape.backward(grads={wp.from_torch(y, dtype=wp.vec2): wp.ones(3, dtype=wp.vec2)})
        assert y.sum() == 12 and x.grad.sum() == 12

        for odd, says in [
            (torch.ones(3, device="meta"), "meta"),
            (torch.eye(2).to_sparse(), "sparse"),
            (torch._neg_view(torch.ones(2)), "negat"),
            (torch.ones(2, dtype=torch.complex64), "complex64"),
            (torch.ones(1, 1, 1, 1, 1, 1, 1), "dimensions"),
        ]:
            try:
                wp.from_torch(odd)
            except (TypeError, ValueError, RuntimeError) as error:
                assert says in str(error), error
            else:
                raise AssertionError(says)
        print("done")
    """
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program), encoding="utf-8")
    for way in ("asked", "learned"):
        command = [sys.executable, path, way]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        assert done.stdout == "done\n", done.stdout + done.stderr


def negated(n):
    return torch.arange(2 * n, dtype=torch.float32).view(n, 2).view(-1)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("give", [wp.from_torch, lambda t: wp.from_torch(t, return_ctype=True)])
def test_negated_views_of_every_size_are_refused(n, give):
    imaginary = torch.view_as_complex(negated(n).view(n, 2)).conj().imag
    assert imaginary.is_neg()
    with pytest.raises(ValueError, match="resolve_neg"):
        give(imaginary)
    assert give(imaginary.resolve_neg()) is not None


def test_negated_views_that_look_dense_are_refused():
    # A selection of one element at an even place has no layout of its own to be known by.
    numbers = torch.view_as_complex(torch.arange(8, dtype=torch.float32).view(4, 2)).conj()
    for view in (numbers.imag[0:1], numbers[1:2].imag, numbers.imag.reshape(4, 1)[:1]):
        assert view.is_neg()
        with pytest.raises(ValueError, match="resolve_neg"):
            wp.from_torch(view)


def test_copy_on_write_tensors_are_written_apart():
    original = torch.zeros(4)
    lazy = torch._lazy_clone(original)

    @wp.kernel
    def fill(a: wp.array(dtype=float)):
        a[wp.tid()] = 3.0

    wp.launch(fill, 4, inputs=[lazy])
    assert lazy.tolist() == [3.0] * 4
    assert original.tolist() == [0.0] * 4
    wp.launch(fill, 4, inputs=[wp.from_torch(original)])
    assert original.tolist() == [3.0] * 4


def test_what_a_tensor_became_since_counts():
    @wp.kernel
    def double(a: wp.array(dtype=float)):
        a[wp.tid()] *= 2.0

    tensor = torch.arange(6.0)
    tensor.resize_(3)
    wp.launch(double, 3, inputs=[tensor])
    assert tensor.tolist() == [0.0, 2.0, 4.0]
    tensor.data = torch.ones(2, dtype=torch.float64)
    with pytest.raises(TypeError, match="float64"):
        wp.launch(double, 2, inputs=[tensor])
    tensor.data = torch.ones(4)[::2]
    wp.launch(double, 2, inputs=[tensor])
    assert tensor.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("ndim", range(7))
def test_every_number_of_dimensions(ndim):
    tensor = torch.arange(2.0**ndim).reshape((2,) * ndim)
    if ndim <= 4:
        np.testing.assert_array_equal(wp.from_torch(tensor).numpy().reshape(tensor.shape), tensor.numpy())
    elif ndim == 5:
        array = wp.from_torch(tensor, dtype=wp.vec2)
        np.testing.assert_array_equal(array.numpy(), tensor.numpy())
    else:
        array = wp.from_torch(tensor, dtype=wp.mat22)
        np.testing.assert_array_equal(array.numpy(), tensor.numpy())
    if ndim > 4:
        with pytest.raises(ValueError, match=f"{ndim}"):
            wp.from_torch(tensor)


def test_reading_begins_in_a_fake_mode():
    """The first conversion of a process may find torch in any mood."""
    import subprocess
    import sys

    script = """
import torch, warp as wp
from torch._subclasses.fake_tensor import FakeTensorMode
real = torch.arange(3.0)
with FakeTensorMode():
    try:
        wp.from_torch(torch.zeros(3))
        raise SystemExit("a fake tensor was taken")
    except (TypeError, ValueError):
        pass
    assert wp.from_torch(real).numpy().tolist() == [0, 1, 2]
with torch.inference_mode():
    assert wp.from_torch(torch.ones(2)).numpy().tolist() == [1, 1]
torch.set_default_device("meta")
assert wp.from_torch(real).numpy().tolist() == [0, 1, 2]
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
