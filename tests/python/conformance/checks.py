"""What must be true after a block ran: one function per example, on numbers known beforehand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from .running import Ran


def as_numpy(array: object) -> np.ndarray:
    """The values of an array of NumPy, CuPy, torch, paddle or this package, wherever it is."""
    if hasattr(array, "get"):
        return array.get()
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    return array.numpy() if hasattr(array, "numpy") else np.asarray(array)


def saxpy_once(ran: Ran) -> None:
    """y = 1 * x + 1, written into the very array that was passed."""
    n = ran["n"]
    np.testing.assert_array_equal(as_numpy(ran["y"]), np.arange(n, dtype=np.float32) + 1)
    np.testing.assert_array_equal(as_numpy(ran["x"]), np.arange(n, dtype=np.float32))


def saxpy_ten_times(ran: Ran) -> None:
    """Ten launches on one pair of tensors: y = 10 x + 1."""
    np.testing.assert_array_equal(as_numpy(ran["y_t"]), 10 * np.arange(ran["n"], dtype=np.float32) + 1)


def saxpy_direct(ran: Ran) -> None:
    """The same without any conversion."""
    np.testing.assert_array_equal(as_numpy(ran["y"]), 10 * np.arange(ran["n"], dtype=np.float32) + 1)


def saxpy_descriptors(ran: Ran) -> None:
    """The last round of the loop has nine elements, written through the descriptors."""
    assert ran["n"] == 9
    np.testing.assert_array_equal(as_numpy(ran["y_t"]), np.arange(9, dtype=np.float32) + 1)
    assert type(ran["y_ctype"]) is not ran["wp"].array


def array_interface(ran: Ran) -> None:
    """What is printed is what the document says is printed."""
    assert ran.printed.strip().splitlines()[-1:] == ran.promised == ["[1. 2. 3.]"]
    assert ran["a"].dtype == np.float32


def dtype_conversion(ran: Ran) -> None:
    assert np.dtype(ran["numpy_type"]) == np.float32
    assert ran["b"].dtype == np.float32
    np.testing.assert_array_equal(ran["a"].numpy(), ran["b"])


def torch_round_trip(ran: Ran) -> None:
    """Both directions share one memory."""
    import torch

    w, t = ran["w"], ran["t"]
    assert isinstance(t, torch.Tensor)
    assert t.dtype == torch.float32
    t[1] = 20.0
    np.testing.assert_array_equal(w.numpy(), np.array([1, 20, 3], dtype=np.float32))
    assert w.ptr == t.data_ptr()


def paddle_round_trip(ran: Ran) -> None:
    """Both directions share one memory."""
    import paddle

    w, t = ran["w"], ran["t"]
    assert type(t) is paddle.Tensor
    assert t.dtype == paddle.float32
    t[1] = 20.0
    np.testing.assert_array_equal(w.numpy(), np.array([1, 20, 3], dtype=np.float32))
    assert w.ptr == t.data_ptr()


def losses(ran: Ran) -> np.ndarray:
    rows = re.findall(r"^(\d+)\tloss: (\S+)$", ran.printed, flags=re.MULTILINE)
    assert [int(i) for i, _ in rows] == list(range(500))
    return np.array([float(value) for _, value in rows])


def sum_of_squares(ran: Ran) -> None:
    """The loss falls to nothing, the points lie at its minimum, the gradient is 2 x."""
    values = losses(ran)
    assert values[0] > 50
    assert values[-1] < 1e-6
    points = as_numpy(ran["xs"])
    assert points.shape == (100, 2)
    np.testing.assert_allclose(points, 0, atol=1e-3)
    np.testing.assert_allclose(np.sum(points.astype(np.float64) ** 2), values[-1], rtol=1e-3)
    tape, wp = ran["tape"], ran["wp"]
    xs = ran.names.get("wp_xs", ran["xs"])
    xs.assign(np.linspace(-3, 3, 200, dtype=np.float32).reshape(100, 2))
    tape.zero()
    tape.backward(loss=ran.names.get("wp_l", ran["l"]))
    wp.synchronize()
    np.testing.assert_allclose(xs.grad.numpy(), 2 * xs.numpy(), rtol=1e-5)


def rosenbrock(ran: Ran) -> None:
    """The mean that is printed is (1, 1), and values and gradients are those of the formula."""
    rosenbrock_mean(ran)
    rosenbrock_values(ran["Rosenbrock"].apply)


def rosenbrock_operator(ran: Ran) -> None:
    """The same of the registered operator, which torch checks too."""
    import torch

    rosenbrock_mean(ran)
    rosenbrock_values(ran["warp_rosenbrock"])
    at = torch.randn(5, 2, device=wp.device_to_torch(wp.get_device()))
    torch.library.opcheck(ran["warp_rosenbrock"], (at, 5), test_utils=("test_schema", "test_faketensor"))
    compiled = torch.compile(lambda xy: ran["warp_rosenbrock"](xy.sin(), 5).cos(), fullgraph=True)
    torch.testing.assert_close(compiled(at), ran["warp_rosenbrock"](at.sin(), 5).cos())


def rosenbrock_mean(ran: Ran) -> None:
    mean = np.array([float(w) for w in ran.printed.splitlines()[-1].strip(" []").split()])
    np.testing.assert_allclose(mean, 1, atol=1e-2)


def rosenbrock_values(function: Callable[..., Any]) -> None:
    import torch

    at = np.random.default_rng(1).normal(size=(50, 2))
    x, y = at.T
    device = wp.device_to_torch(wp.get_device())
    xy = torch.tensor(at, dtype=torch.float32, requires_grad=True, device=device)
    z = function(xy, 50)
    np.testing.assert_allclose(as_numpy(z), (1 - x) ** 2 + 100 * (y - x**2) ** 2, rtol=1e-3)
    (grad,) = torch.autograd.grad(z, xy, torch.ones_like(z))
    dx = -2 * (1 - x) - 400 * x * (y - x**2)
    np.testing.assert_allclose(as_numpy(grad), np.stack([dx, 200 * (y - x**2)], axis=1), rtol=1e-3, atol=1e-3)


def squares(ran: Ran) -> None:
    """output = a a + b b and its gradients 2 a g, 2 b g, through the class that the block defines.

    `torch.autograd.grad` is used because the variants that write into `.grad` and also return it
    leave the sum of both there.
    """
    import torch

    n, options = ran["N"], {"dtype": torch.float32, "device": ran["a"].device}
    rng = np.random.default_rng(2)
    a, b = (torch.tensor(rng.normal(size=n), requires_grad=True, **options) for _ in range(2))
    weight = torch.tensor(rng.normal(size=n), **options)
    output = ran["WarpFunction"].apply(a, b)
    np.testing.assert_allclose(as_numpy(output), as_numpy(a) ** 2 + as_numpy(b) ** 2, rtol=1e-6)
    grads = torch.autograd.grad((output * weight).sum(), (a, b))
    for value, grad in zip((a, b), grads, strict=True):
        np.testing.assert_allclose(as_numpy(grad), 2 * as_numpy(value * weight), rtol=1e-6)


def case_study(ran: Ran) -> None:
    """The loop ran its timers, and its last round gave the tensors their gradients."""
    trials = ran["TRIALS"]
    for name in ("Create Tensors", "Forward", "Loss", "Backward"):
        assert len(re.findall(rf"^\s*{name}.* ms", ran.printed, flags=re.MULTILINE)) == trials
    for i in range(trials):
        assert f"TRIAL {i}" in ran.printed
    a = as_numpy(ran["a"])
    np.testing.assert_allclose(as_numpy(ran["output_warp"]), a**2 + as_numpy(ran["b"]) ** 2, rtol=1e-6)
    np.testing.assert_allclose(as_numpy(ran["a_torch"].grad), 2 * a, rtol=1e-6)
    squares(ran)


def allocated_early(ran: Ran) -> None:
    """Gradients that exist before the call take the place of those that it would allocate."""
    import torch

    a, b = as_numpy(ran["a"]), as_numpy(ran["b"])
    np.testing.assert_allclose(as_numpy(ran["output"]), a**2 + b**2, rtol=1e-6)
    (grad,) = torch.autograd.grad(ran["output"].sum(), ran["a_torch"])
    np.testing.assert_allclose(as_numpy(grad), 2 * a, rtol=1e-6)


def benchmark_lines(printed: str) -> None:
    """Three lines of milliseconds, in the documents' order and spelling."""
    lines(printed, "torch")


def paddle_benchmark_lines(printed: str) -> None:
    """The same of the other framework."""
    lines(printed, "paddle")


def lines(printed: str, name: str) -> None:
    names = re.findall(r"^ *\d+ ms  (.*)$", printed, flags=re.MULTILINE)
    assert names == [f"from_{name}(...)", f"from_{name}(..., return_ctype=True)", f"direct from {name}"]


def dlpack_import(ran: Ran) -> None:
    """The array is on the tensor's memory."""
    external, w = ran["external_array"], ran["warp_array"]
    np.testing.assert_array_equal(w.numpy(), np.arange(6, dtype=np.float32).reshape(2, 3))
    w[1, 2] = 50.0
    assert (w.ptr, float(external[1, 2])) == (external.data_ptr(), 50)


def on_the_memory_of_an_array(ran: Ran) -> None:
    """What each framework made is on the memory of `warp_array`."""
    w = ran["warp_array"]
    made = [ran[name] for name in ("jax_array", "torch_tensor", "paddle_tensor") if name in ran.block]
    assert len(made) >= 2
    w[0] = 40.0
    wp.synchronize()
    for one in made:
        address = one.unsafe_buffer_pointer() if hasattr(one, "unsafe_buffer_pointer") else one.data_ptr()
        assert address == w.ptr
        np.testing.assert_array_equal(as_numpy(one), [40, 31, 32])


def dlpack_export(ran: Ran) -> None:
    on_the_memory_of_an_array(ran)


def dlpack_capsules(ran: Ran) -> None:
    """Both ways: the numbered arrays have the values of the frameworks' arrays, in the order of the document."""
    arrays = [ran[name] for name in ("warp_array1", "warp_array2", "warp_array3") if name in ran.block]
    assert len(arrays) >= 2
    for number, array in enumerate(arrays):
        np.testing.assert_array_equal(array.numpy(), np.arange(3) + 10 * number)
        # jax's arrays are immutable, so they stay so here.
        assert array.read_only == (number == 0)
    on_the_memory_of_an_array(ran)
