"""`@wp.func_grad` and `wp.adjoint[...]`: derivatives that authors write."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from .custom_functions import floats, gradients, safe_sqrt, sigmoid

D = wp.float64


@wp.func
def twin(x: D, n: int):
    return x * x, n, D(2.0) * x


@wp.func_grad(twin)
def adj_twin(x: D, n: int, adj_a: D, adj_n: int, adj_b: D):
    wp.adjoint[n] += 1
    wp.adjoint[x] += D(5.0) * adj_a + D(100.0) * adj_b


@wp.func
def component(v: wp.vec3d, n: int):
    return v[n]


@wp.func_grad(component)
def adj_component(v: wp.vec3d, n: int, adj_ret: D):
    wp.adjoint[v][n] += D(5.0) * adj_ret
    wp.adjoint[v] += wp.vec3d(D(1.0), D(2.0), D(3.0)) * adj_ret
    wp.adjoint[v].z += D(100.0) * adj_ret


def test_a_derivative_takes_the_place_of_the_exact_one():
    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = safe_sqrt(x[i])

    y, dx = gradients(k, 3, [floats(4.0, 0.0, 9.0)], floats(0.0, 0.0, 0.0))
    np.testing.assert_allclose(y, [2.0, 0.0, 3.0])
    np.testing.assert_allclose(dx, [2.5, 0.0, 10.0 / 6.0])


def test_calls_in_loops_and_branches():
    @wp.kernel
    def k(x: wp.array(dtype=D), n: int, y: wp.array(dtype=D)):
        i = wp.tid()
        v = x[i]
        for r in range(n):
            if r % 2 == 0:
                v = safe_sqrt(v) * v
            else:
                v = wp.sin(v)
        while v < D(50.0):
            v = safe_sqrt(v) + D(30.0) * v
        y[i] = v * v

    def by_hand(v, n):
        d = 1.0
        for r in range(n):
            s = np.sqrt(v)
            v, d = (s * v, d * (s + v * 5.0 / s)) if r % 2 == 0 else (np.sin(v), d * np.cos(v))
        while v < 50.0:
            s = np.sqrt(v)
            v, d = s + 30.0 * v, d * (5.0 / s + 30.0)
        return v * v, 2.0 * v * d

    y, dx = gradients(k, 2, [floats(0.8, 1.7), 5], floats(0.0, 0.0))
    want = [by_hand(0.8, 5), by_hand(1.7, 5)]
    np.testing.assert_allclose(y, [w[0] for w in want])
    np.testing.assert_allclose(dx, [w[1] for w in want])


def test_several_results_and_integers():
    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        a, n, b = twin(x[i], i + 2)
        y[i] = a + D(n) * b

    y, dx = gradients(k, 2, [floats(1.0, 2.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [5.0, 16.0])
    np.testing.assert_allclose(dx, [205.0, 305.0])


def test_vectors():
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3d), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = component(x[i], i)

    _, dx = gradients(k, 2, [floats((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), dtype=wp.vec3d)], floats(0.0, 0.0))
    np.testing.assert_allclose(dx, [[6.0, 2.0, 103.0], [1.0, 7.0, 103.0]])


def test_overloads_generic_functions_defaults_and_names():
    @wp.func
    def f(x: D):
        return x * x

    @wp.func
    def f(x: wp.vec2d):  # noqa: F811
        return x[0] * x[1]

    @wp.func_grad(f)
    def adj_f(x: D, a: D):
        wp.adjoint[x] += a * D(7.0)

    @wp.func_grad(f)
    def adj_f(renamed: wp.vec2d, a: D):  # noqa: F811
        wp.adjoint[renamed] += a * wp.vec2d(D(8.0), D(9.0))

    @wp.func
    def g(x: Any, n: Any):
        return x * n

    @wp.func_grad(g)
    def adj_g(x: Any, n: Any, a: Any):
        wp.adjoint[x] += a * type(x)(7.0)

    @wp.func
    def h(x: D, n: D = 2.0):
        return x * n

    @wp.func_grad(h)
    def adj_h(x: D, n: D, a: D):
        wp.adjoint[x] += a * D(7.0) * n
        wp.adjoint[n] += a

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        v = x[i]
        y[i] = f(v) + f(wp.vec2d(v, v)) + g(v, D(3.0)) + h(v) + h(n=D(3.0), x=v) + h(D(3.0), v)

    _, dx = gradients(k, 2, [floats(1.0, 2.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(dx, [7.0 + 17.0 + 7.0 + 14.0 + 21.0 + 1.0] * 2)


def test_early_returns_assignments_and_calls_of_functions():
    @wp.func
    def scaled(x: D, by: D):
        return x * by

    @wp.func
    def f(x: D):
        return x * x

    @wp.func_grad(f)
    def adj_f(x: D, a: D):
        if x > D(1.5):
            return
        for _ in range(3):
            wp.adjoint[x] += scaled(a, f(x))
        if wp.adjoint[x] > D(2.5):
            wp.adjoint[x] = D(100.0)

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = f(x[i]) + f(x[i])

    _, dx = gradients(k, 3, [floats(0.5, 1.0, 2.0)], floats(0.0, 0.0, 0.0))
    np.testing.assert_allclose(dx, [1.5, 200.0, 0.0])


def test_nested_functions_with_derivatives():
    @wp.func
    def inner(x: D):
        return x * x

    @wp.func_grad(inner)
    def adj_inner(x: D, a: D):
        wp.adjoint[x] += D(3.0) * a

    @wp.func
    def outer(x: D):
        return inner(x) * inner(x)

    @wp.func
    def ruled(x: D):
        return inner(x)

    @wp.func_grad(ruled)
    def adj_ruled(x: D, a: D):
        wp.adjoint[x] += inner(x) * a

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = outer(x[i]) + D(1000.0) * ruled(x[i])

    _, dx = gradients(k, 2, [floats(2.0, 3.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(dx, [2 * 4.0 * 3.0 + 4000.0, 2 * 9.0 * 3.0 + 9000.0])


def test_the_partial_derivative_in_a_kernel():
    @wp.func
    def straight(x: D):
        return wp.floor(x)

    @wp.func_grad(straight)
    def adj_straight(x: D, a: D):
        wp.adjoint[x] += x * x * a

    slope = wp.grad(straight)

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = slope(x[i])

    y, dx = gradients(k, 2, [floats(2.5, 3.5)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [6.25, 12.25])
    np.testing.assert_allclose(dx, [5.0, 7.0])


def test_second_derivatives():
    torch = pytest.importorskip("torch")

    @wp.func
    def f(x: D):
        return x * x

    @wp.func_grad(f)
    def adj_f(x: D, a: D):
        wp.adjoint[x] += x * x * x * a

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        v = f(x[i])
        y[i] = v * v

    operator = wp.torch.torch_kernel(k)
    x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    y = operator(x)
    (dx,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    # y' = 2 v d, d = x**3; y'' = 2 d d + 2 v 3 x**2
    v, at = x.detach() ** 2, x.detach()
    torch.testing.assert_close(dx, 2 * v * at**3)
    (ddx,) = torch.autograd.grad(dx.sum(), x)
    torch.testing.assert_close(ddx, 2 * at**6 + 6 * v * at**2)


def test_deterministic_mode_and_forward_launches():
    @wp.kernel(enable_backward=False)
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = safe_sqrt(x[i])

    y = wp.zeros(2, dtype=D)
    wp.launch(k, dim=2, inputs=[floats(4.0, 9.0)], outputs=[y])
    np.testing.assert_allclose(y.numpy(), [2.0, 3.0])


def test_an_adjoint_launch_by_hand():
    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        sigmoid(i, x, y)

    x, y = floats(0.5, -1.0), floats(0.0, 0.0)
    wp.launch(k, dim=2, inputs=[x], outputs=[y])
    dx, seed = wp.zeros(2, dtype=D), wp.ones(2, dtype=D)
    wp.launch(k, dim=2, inputs=[x], outputs=[y], adj_inputs=[dx], adj_outputs=[seed], adjoint=True)
    s = y.numpy()
    np.testing.assert_allclose(dx.numpy(), s * (1.0 - s))
    np.testing.assert_allclose(seed.numpy(), 1.0)


def test_batches_in_torch():
    torch = pytest.importorskip("torch")

    @wp.func
    def total(a: wp.array(dtype=D), i: int, s: D):
        return a[i] * s

    @wp.func_grad(total)
    def adj_total(a: wp.array(dtype=D), i: int, s: D, adj: D):
        wp.adjoint[a][i] += D(3.0) * adj
        wp.adjoint[s] += a[i] * adj

    @wp.kernel
    def k(a: wp.array(dtype=D), s: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = total(a, i, s[0])

    operator = wp.torch.torch_kernel(k)
    a = torch.arange(6, dtype=torch.float64).reshape(3, 2)
    s = torch.tensor([[2.0], [3.0], [4.0]], dtype=torch.float64)

    def value(a, s):
        return operator(a, s).sum()

    da, ds = torch.func.vmap(torch.func.grad(value, argnums=(0, 1)))(a, s)
    torch.testing.assert_close(da, torch.full((3, 2), 3.0, dtype=torch.float64))
    torch.testing.assert_close(ds, a.sum(1, keepdim=True))


def test_jax():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy

    @wp.func
    def root(x: float):
        return wp.sqrt(x)

    @wp.func_grad(root)
    def adj_root(x: float, adj: float):
        wp.adjoint[x] += 7.0 * adj

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = root(x[i])

    operator = wp.jax_kernel(k, enable_backward=True)
    slope = jax.grad(lambda x: jnp.sum(operator(x)[0]))(jnp.array([4.0, 9.0], dtype=jnp.float32))
    np.testing.assert_allclose(slope, [7.0, 7.0])


def test_deterministic_sums():
    @wp.func
    def part(x: float):
        return x

    @wp.func_grad(part)
    def adj_part(x: float, adj: float):
        wp.adjoint[x] += 0.1 * adj

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, 0, part(x[i % 3]))

    before = wp.config.deterministic
    try:
        wp.config.deterministic = True
        runs = []
        for _ in range(2):
            x = wp.array([0.1, 0.2, 0.3], dtype=float, requires_grad=True)
            runs.append(gradients(k, 10000, [x], wp.zeros(1, dtype=float, requires_grad=True)))
    finally:
        wp.config.deterministic = before
    assert runs[0][0] == runs[1][0]
    np.testing.assert_array_equal(runs[0][1], runs[1][1])
    np.testing.assert_allclose(runs[0][1], [333.4, 333.3, 333.3], rtol=1e-4)


def test_gradcheck_of_a_true_derivative():
    @wp.func
    def f(x: D, y: D):
        return x * wp.sin(y)

    @wp.func_grad(f)
    def adj_f(x: D, y: D, a: D):
        wp.adjoint[x] += wp.sin(y) * a
        wp.adjoint[y] += x * wp.cos(y) * a

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D), n: int, z: wp.array(dtype=D)):
        i = wp.tid()
        v = x[i]
        for _ in range(n):
            if v > D(0.0):
                v = f(v, y[i]) + f(y[i], v)
            else:
                v = f(y[i], v) - D(1.0)
        z[i] = v

    inputs = [floats(0.3, -0.7, 2.0), floats(1.1, 0.4, 0.9), 6]
    assert wp.autograd.gradcheck(k, dim=3, inputs=inputs, outputs=[floats(0.0, 0.0, 0.0)], show_summary=False)


def test_a_long_kernel_and_prints(capfd):
    @wp.func
    def shown(x: D):
        return x

    @wp.func_grad(shown)
    def adj_shown(x: D, a: D):
        print(a)
        wp.adjoint[x] += a

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        v = shown(x[i])
        for j in range(16):
            v = v * wp.sin(x[i] + D(j)) + safe_sqrt(v * v)
        y[i] = v

    gradients(k, 1, [floats(0.5)], floats(0.0))
    wp.synchronize()
    assert len(capfd.readouterr().out.split()) == 1


def test_functions_of_gradients():
    @wp.func
    def grow(a: wp.array(dtype=D), i: int, by: D):
        a[i] = a[i] + by
        return by

    @wp.func_grad(grow)
    def adj_grow(a: wp.array(dtype=D), i: int, by: D, adj: D):
        wp.adjoint[by] += wp.adjoint[a][i]

    @wp.func
    def first(a: wp.array(dtype=D), i: int):
        return a[i]

    @wp.func_grad(first)
    def adj_first(a: wp.array(dtype=D), i: int, adj: D):
        grow(wp.adjoint[a], i, D(2.0) * adj)

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = first(x, i)

    _, dx = gradients(k, 2, [floats(3.0, 4.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(dx, [2.0, 2.0])
