"""How GPUs round: a product and its sum at once where `fuse_fp` holds, and approximately where `fast_math` does."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

GPU = "cuda:0"
A = np.float32(1 + 2**-12)
B = np.float32(-(1 + 2**-11))


def made(**options: bool) -> tuple[wp.Kernel, wp.Kernel]:
    @wp.kernel(module="unique", module_options=options)
    def rounded(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        y[wp.tid()] = x[0] * x[0] + x[1]

    @wp.kernel(module="unique", module_options=options)
    def computed(x: wp.array(dtype=float), y: wp.array2d(dtype=float)):
        i = wp.tid()
        v = x[i]
        y[i, 0] = wp.sin(v)
        y[i, 1] = wp.cos(v)
        y[i, 2] = wp.tan(v)
        y[i, 3] = wp.exp(v)
        y[i, 4] = wp.pow(2.0, v)
        y[i, 5] = wp.log(v)
        y[i, 6] = wp.log2(v)
        y[i, 7] = wp.log10(v)
        y[i, 8] = wp.pow(v, 1.5)
        y[i, 9] = wp.sqrt(v)
        y[i, 10] = 1.0 / v

    return rounded, computed


def of_product(device: str, **options: bool) -> float:
    """x * x + y where the product, rounded, is -y."""
    x = wp.array([A, B], dtype=float, device=device)
    y = wp.zeros(1, dtype=float, device=device)
    wp.launch(made(**options)[0], dim=1, inputs=[x, y], device=device)
    return y.list()[0]


def test_a_product_and_its_sum_are_rounded_at_once():
    assert of_product(GPU) == of_product(GPU, fuse_fp=True) == 2**-24
    assert of_product(GPU, fuse_fp=False) == 0.0
    assert of_product("cpu") == of_product("cpu", fuse_fp=False) == 0.0


@pytest.mark.parametrize("name", ["fuse_fp", "fast_math"])
def test_options_are_bools(name):
    with pytest.raises(TypeError, match=f"option '{name}' is a bool, not 'yes'"):
        wp.set_module_options({name: "yes"})


def test_the_value_that_won_is_found():
    """The adjoint of a minimum looks for the values that are equal to it: they are computed to the same bits again."""

    @wp.kernel
    def lowest(x: wp.array(dtype=float), y: wp.array(dtype=float), low: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_min(low, 0, x[i] * x[i] + y[i])

    rng = np.random.default_rng(3)
    for _ in range(5):
        x = wp.array(rng.standard_normal(50), dtype=float, device=GPU, requires_grad=True)
        y = wp.array(rng.standard_normal(50), dtype=float, device=GPU, requires_grad=True)
        low = wp.full(1, 1e9, dtype=float, device=GPU, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(lowest, dim=50, inputs=[x, y, low], device=GPU)
        tape.backward(grads={low: wp.ones(1, dtype=float, device=GPU)})
        won = np.argmin(x.numpy() * x.numpy() + y.numpy())
        np.testing.assert_array_equal(y.grad.numpy(), np.eye(50, dtype=np.float32)[won])


def values(device: str, **options: bool) -> np.ndarray:
    x = wp.array(np.linspace(0.05, 3.0, 200), dtype=float, device=device)
    y = wp.zeros((200, 11), dtype=float, device=device)
    wp.launch(made(**options)[1], dim=200, inputs=[x, y], device=device)
    return y.numpy()


def test_fast_math_is_close_and_not_exact():
    exact, fast = values("cpu"), values(GPU, fast_math=True)
    # The tangent by its pole, and logarithms by 1, lose what their arguments lose.
    np.testing.assert_allclose(fast, exact, rtol=2e-5, atol=2e-6)
    assert (fast != exact).any()
    np.testing.assert_array_equal(values("cpu", fast_math=True), exact)


def test_fast_math_flushes_float32_only():
    @wp.kernel(module="unique", module_options={"fast_math": True})
    def halved(x: wp.array(dtype=float), y: wp.array(dtype=wp.float64)):
        x[1] = x[0] * 0.5
        y[1] = y[0] * wp.float64(0.5)

    tiny, small = np.finfo(np.float32).tiny, np.finfo(np.float64).tiny
    x = wp.array([tiny, 1.0], dtype=float, device=GPU)
    y = wp.array([small, 1.0], dtype=wp.float64, device=GPU)
    wp.launch(halved, dim=1, inputs=[x, y], device=GPU)
    assert x.list()[1] == 0.0
    assert y.list()[1] == small * 0.5
