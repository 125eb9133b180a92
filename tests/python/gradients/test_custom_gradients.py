"""`@wp.func_grad`, `@wp.func_replay` and `wp.adjoint[...]`: derivatives that authors write."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import warp as wp

D = wp.float64


@wp.struct
class Ray:
    origin: wp.vec2d
    scale: wp.float64
    weights: wp.array(dtype=wp.float64)


@wp.func
def safe_sqrt(x: D):
    return wp.sqrt(x)


@wp.func_grad(safe_sqrt)
def adj_safe_sqrt(x: D, adj_ret: D):
    if x > D(0.0):
        wp.adjoint[x] += D(10.0) / (D(2.0) * wp.sqrt(x)) * adj_ret


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


@wp.func
def sigmoid(i: int, xs: wp.array(dtype=D), ys: wp.array(dtype=D)):
    ys[i] = D(1.0) / (D(1.0) + wp.exp(-xs[i]))


@wp.func_grad(sigmoid)
def adj_sigmoid(i: int, xs: wp.array(dtype=D), ys: wp.array(dtype=D)):
    y = ys[i]
    wp.adjoint[xs][i] += y * (D(1.0) - y) * wp.adjoint[ys][i]


@wp.func
def along(ray: Ray, i: int):
    return ray.scale * ray.origin[0] * ray.weights[i]


@wp.func_grad(along)
def adj_along(ray: Ray, i: int, adj_ret: D):
    wp.adjoint[ray].scale += D(7.0) * adj_ret
    wp.adjoint[ray].origin[1] += D(8.0) * adj_ret
    wp.adjoint[ray].weights[i] += D(9.0) * adj_ret


@wp.func
def reversible_increment(counter: wp.array(dtype=int), at: int, step: int, kept: wp.array(dtype=int), tid: int):
    found = wp.atomic_add(counter, at, step)
    kept[tid] = found
    return found


@wp.func_replay(reversible_increment)
def replay_reversible_increment(counter: wp.array(dtype=int), at: int, step: int, kept: wp.array(dtype=int), tid: int):
    return kept[tid]


def gradients(kernel, dim, inputs, output, seed=None):
    """The outputs after a launch, and the gradients of the inputs."""
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=dim, inputs=inputs, outputs=[output])
    tape.backward(grads={output: seed if seed is not None else wp.ones_like(output)})
    found = [a.grad.numpy() for a in inputs if isinstance(a, wp.array) and a.requires_grad]
    return [output.numpy(), *found]


def floats(*values, dtype=D, grad=True):
    return wp.array(np.array(values), dtype=dtype, requires_grad=grad)


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


def test_arrays_and_no_result():
    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        sigmoid(i, x, y)

    x = np.array([0.3, -2.0, 1.5])
    y, dx = gradients(k, 3, [floats(*x)], floats(0.0, 0.0, 0.0))
    s = 1.0 / (1.0 + np.exp(-x))
    np.testing.assert_allclose(y, s)
    np.testing.assert_allclose(dx, s * (1.0 - s))


def test_an_array_is_as_the_call_left_it():
    """What the kernel writes to it afterwards is not seen."""

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D), z: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = D(100.0)
        sigmoid(i, x, y)
        z[i] = y[i]
        y[i] = D(-3.0)

    x = np.array([0.3, -2.0])
    y = floats(7.0, 8.0)
    z, dx, _ = gradients(k, 2, [floats(*x), y], floats(0.0, 0.0))
    s = 1.0 / (1.0 + np.exp(-x))
    np.testing.assert_allclose(z, s)
    np.testing.assert_allclose(y.numpy(), [-3.0, -3.0])
    np.testing.assert_allclose(dx, s * (1.0 - s))


def test_an_array_is_as_each_call_of_a_loop_left_it():
    @wp.kernel
    def k(x: wp.array(dtype=D), t: wp.array(dtype=D), n: int, z: wp.array(dtype=D)):
        i = wp.tid()
        s = D(0.0)
        for r in range(n):
            sigmoid(i, x, t)
            s += t[i] * D(r + 1)
            t[i] = s
        z[i] = s

    x = np.array([0.3, -2.0])
    z, dx, _ = gradients(k, 2, [floats(*x), floats(0.0, 0.0), 3], floats(0.0, 0.0))
    s = 1.0 / (1.0 + np.exp(-x))
    np.testing.assert_allclose(z, 6.0 * s)
    # The gradient of `t` is not consumed by `adj_sigmoid`, so that the loads of all later rounds are still there.
    assert np.isfinite(dx).all()


def test_structs_with_arrays():
    @wp.kernel
    def k(x: wp.array(dtype=D), w: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        ray = Ray()
        ray.scale = x[i]
        ray.origin = wp.vec2d(x[i], D(100.0) * x[i])
        ray.weights = w
        y[i] = along(ray, i)

    y, dx, dw = gradients(k, 2, [floats(3.0, 2.0), floats(5.0, 6.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [45.0, 24.0])
    np.testing.assert_allclose(dx, [807.0, 807.0])
    np.testing.assert_allclose(dw, [9.0, 9.0])


def test_replay_of_a_counter():
    @wp.kernel
    def k(
        x: wp.array(dtype=D),
        counter: wp.array(dtype=int),
        kept: wp.array(dtype=int),
        y: wp.array(dtype=D),
    ):
        tid = wp.tid()
        at = reversible_increment(counter, 0, 1, kept, tid)
        y[at] = x[at] ** D(2.0)

    n = 1000
    values = np.arange(1.0, n + 1.0)
    counter, kept = wp.zeros(1, dtype=int), wp.zeros(n, dtype=int)
    y, dx = gradients(k, n, [floats(*values), counter, kept], wp.zeros(n, dtype=D, requires_grad=True))
    np.testing.assert_allclose(y, values**2)
    np.testing.assert_allclose(dx, 2.0 * values)
    assert counter.numpy()[0] == n
    assert sorted(kept.numpy()) == list(range(n))


def test_what_a_replay_reads_is_kept_by_the_tape():
    @wp.kernel
    def k(
        x: wp.array(dtype=D),
        counter: wp.array(dtype=int),
        kept: wp.array(dtype=int),
        y: wp.array(dtype=D),
    ):
        tid = wp.tid()
        at = reversible_increment(counter, 0, 1, kept, tid)
        y[tid] = x[at]

    n = 8
    x = floats(*range(n))
    counter, kept = wp.zeros(1, dtype=int), wp.zeros(n, dtype=int)
    y = wp.zeros(n, dtype=D, requires_grad=True)
    seed = np.arange(1.0, n + 1.0)
    with wp.Tape() as tape:
        wp.launch(k, dim=n, inputs=[x, counter, kept], outputs=[y])
        order = kept.numpy().copy()
        kept.zero_()
    tape.backward(grads={y: wp.array(seed, dtype=D)})
    want = np.zeros(n)
    want[order] = seed
    np.testing.assert_allclose(x.grad.numpy(), want)


def test_replay_alone_has_the_derivative_of_the_function():
    @wp.func
    def stored(x: D, cache: wp.array(dtype=D), i: int):
        v = x
        for _ in range(2):
            v = v * x
        cache[i] = v
        return v

    @wp.func_replay(stored)
    def replay_stored(x: D, cache: wp.array(dtype=D), i: int):
        return cache[i] * D(100.0)

    @wp.kernel
    def k(x: wp.array(dtype=D), cache: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        v = stored(x[i], cache, i)
        y[i] = v * v

    y, dx = gradients(k, 2, [floats(1.0, 2.0), floats(0.0, 0.0, grad=False)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [1.0, 64.0])
    np.testing.assert_allclose(dx, [600.0, 19200.0])


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


def test_a_derivative_that_is_defined_later():
    @wp.func
    def f(x: D):
        return x * x

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = f(x[i])

    _, dx = gradients(k, 1, [floats(3.0)], floats(0.0))
    np.testing.assert_allclose(dx, [6.0])

    @wp.func_grad(f)
    def adj_f(x: D, a: D):
        wp.adjoint[x] += D(7.0) * a

    _, dx = gradients(k, 1, [floats(3.0)], floats(0.0))
    np.testing.assert_allclose(dx, [7.0])


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


def test_local_arrays():
    @wp.func
    def total(v: wp.array(dtype=D)):
        return v[0] * v[0] + v[1]

    @wp.func_grad(total)
    def adj_total(v: wp.array(dtype=D), a: D):
        own = wp.zeros(2, dtype=D)
        own[0] = v[0] * D(2.0) * a
        own[1] = a
        for j in range(2):
            wp.adjoint[v][j] += own[j]

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        v = wp.zeros(2, dtype=D)
        v[0] = x[i]
        v[1] = x[i] * x[i]
        y[i] = total(v)

    y, dx = gradients(k, 2, [floats(2.0, 3.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [8.0, 18.0])
    np.testing.assert_allclose(dx, [8.0, 12.0])


def test_atomics_on_gradients_and_slices():
    @wp.func
    def row_sum(a: wp.array2d(dtype=D), i: int):
        s = D(0.0)
        for j in range(a.shape[1]):
            s += a[i, j]
        return s

    @wp.func_grad(row_sum)
    def adj_row_sum(a: wp.array2d(dtype=D), i: int, adj: D):
        row = wp.adjoint[a][i]
        for j in range(row.shape[0]):
            wp.atomic_add(row, j, adj)
        wp.atomic_add(wp.adjoint[a], i, 0, D(0.5) * adj)

    @wp.kernel
    def k(a: wp.array2d(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[0] += row_sum(a, i % 2)

    _, da = gradients(k, 4, [floats((1.0, 2.0), (3.0, 4.0))], floats(0.0))
    np.testing.assert_allclose(da, [[3.0, 2.0], [3.0, 2.0]])


def test_missing_gradients():
    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        sigmoid(i, x, y)

    x, y = floats(0.5, grad=False), floats(0.0)
    with wp.Tape() as tape:
        wp.launch(k, dim=1, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones_like(y)})
    assert x.grad is None


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


@pytest.mark.parametrize(
    "decorate",
    [
        wp.func,
        wp.kernel,
        wp.func_grad(safe_sqrt),
        wp.func_replay(safe_sqrt),
        wp.Kernel,
        lambda f: wp.Kernel(f, source="def f(): pass"),
    ],
)
@pytest.mark.parametrize("thing", [[1], 1.5, wp.vec3(1.0, 2.0, 3.0), object()])
def test_what_is_no_function_is_not_decorated(decorate, thing):
    with pytest.raises(TypeError, match=rf"expected a Python function, found {type(thing).__name__}"):
        decorate(thing)


def test_wrong_signatures():
    @wp.func
    def f(x: D):
        return x

    @wp.func
    def g(x: Any):
        return x

    with pytest.raises(
        RuntimeError, match=r"func_grad: 'a' takes \(float64\), expected the parameters of 'f' and an adjoint"
    ):

        @wp.func_grad(f)
        def a(x: D):
            wp.adjoint[x] += D(1.0)

    with pytest.raises(RuntimeError, match=r"func_grad: 'b' takes \(int32, float64\).*: \(float64, float64\)"):

        @wp.func_grad(f)
        def b(x: int, a: D):
            pass

    with pytest.raises(RuntimeError, match="func_grad: 'c' takes"):

        @wp.func_grad(f)
        def c(x: D, a: D, b: D):
            pass

    with pytest.raises(RuntimeError, match="func_replay: 'd' takes"):

        @wp.func_replay(f)
        def d(x: int):
            return x

    with pytest.raises(TypeError, match="func_grad: expected a function with @wp.func, found int"):
        wp.func_grad(3)

    @wp.func_grad(g)
    def e(x: Any, a: Any, b: Any):
        wp.adjoint[x] += a

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = g(x[i])

    with pytest.raises(wp.WarpCodegenError, match="`e`, the derivative of `g`, has 3 parameters, expected 2"):
        wp.launch(k, dim=1, inputs=[floats(1.0)], outputs=[floats(0.0)])


def refused(function, rule, match, gradient=True):
    decorator = wp.func_grad if gradient else wp.func_replay
    decorator(function)(rule)

    @wp.kernel
    def k(x: wp.array(dtype=D), n: wp.array(dtype=int), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = function(x[i], n)

    with pytest.raises(wp.WarpCodegenError, match=match):
        wp.launch(k, dim=1, inputs=[floats(1.0), wp.zeros(1, dtype=int)], outputs=[floats(0.0)])


def test_refused_bodies():
    def fresh():
        @wp.func
        def f(x: D, n: wp.array(dtype=int)):
            return x

        return f

    def of_a_local(x: D, n: wp.array(dtype=int), a: D):
        y = x
        wp.adjoint[y] += a

    def of_integers(x: D, n: wp.array(dtype=int), a: D):
        wp.adjoint[n][0] += 1

    def of_another_type(x: D, n: wp.array(dtype=int), a: D):
        wp.adjoint[x] = 1.0

    def that_returns(x: D, n: wp.array(dtype=int), a: D):
        return a

    def replay(x: D, n: wp.array(dtype=int)):
        return n[0]

    refused(fresh(), of_a_local, "`wp.adjoint` has a meaning in functions with `@wp.func_grad` only")
    refused(fresh(), of_integers, r"`wp.adjoint\[n\]`: `n` holds int32, which have no adjoint")
    refused(fresh(), of_another_type, r"`wp.adjoint\[x\]` is float32, `x` is float64")
    refused(fresh(), that_returns, "the derivative `that_returns` gives float64")
    refused(fresh(), replay, "`replay`, the replay of `f`, gives int32, the function gives float64", gradient=False)

    @wp.kernel
    def k(x: wp.array(dtype=D)):
        i = wp.tid()
        x[i] = wp.adjoint[x][i]

    with pytest.raises(wp.WarpCodegenError, match="`wp.adjoint` has a meaning"):
        wp.launch(k, dim=1, inputs=[floats(1.0)])

    with pytest.raises(RuntimeError, match="adjoints exist while a gradient runs"):
        adj_safe_sqrt(1.0, 2.0)


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


def test_a_derivative_that_clears_a_gradient_leaves_the_seed():
    @wp.func
    def put(y: wp.array(dtype=D), i: int, v: D):
        y[i] = v

    @wp.func_grad(put)
    def adj_put(y: wp.array(dtype=D), i: int, v: D):
        wp.adjoint[v] += wp.adjoint[y][i]
        wp.adjoint[y][i] = D(0.0)

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        put(y, i, D(3.0) * x[i])
        put(y, i, D(2.0) * x[i])

    x, y, seed = floats(1.0, 2.0), floats(0.0, 0.0), floats(1.0, 10.0, grad=False)
    _, dx = gradients(k, 2, [x], y, seed)
    np.testing.assert_allclose(dx, [2.0, 20.0])
    np.testing.assert_allclose(seed.numpy(), [1.0, 10.0])


def test_one_array_for_two_parameters():
    @wp.func
    def times(a: wp.array(dtype=D), b: wp.array(dtype=D), i: int):
        return a[i] * b[i]

    @wp.func_grad(times)
    def adj_times(a: wp.array(dtype=D), b: wp.array(dtype=D), i: int, adj: D):
        wp.adjoint[a][i] += b[i] * adj
        wp.adjoint[b][i] += a[i] * adj

    @wp.kernel
    def k(a: wp.array(dtype=D), b: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = times(a, b, i)

    x = floats(3.0, 5.0)
    _, dx, _ = gradients(k, 2, [x, x], floats(0.0, 0.0))
    np.testing.assert_allclose(dx, [6.0, 10.0])


@wp.struct
class Particle:
    mass: wp.float64
    place: wp.vec2d
    kind: int


def test_arrays_of_structs():
    @wp.func
    def weight(ps: wp.array(dtype=Particle), i: int):
        p = ps[i]
        return p.mass * p.place[1]

    @wp.func_grad(weight)
    def adj_weight(ps: wp.array(dtype=Particle), i: int, adj: D):
        wp.adjoint[ps][i].mass += D(3.0) * adj
        wp.adjoint[ps][i].place += wp.vec2d(D(4.0), D(5.0)) * adj

    @wp.kernel
    def k(ps: wp.array(dtype=Particle), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = weight(ps, i)

    ps = wp.zeros(2, dtype=Particle, requires_grad=True)
    y = floats(0.0, 0.0)
    with wp.Tape() as tape:
        wp.launch(k, dim=2, inputs=[ps], outputs=[y])
    tape.backward(grads={y: floats(1.0, 10.0, grad=False)})
    found = ps.grad.numpy()
    np.testing.assert_allclose(found["mass"], [3.0, 30.0])
    np.testing.assert_allclose(found["place"], [[4.0, 5.0], [40.0, 50.0]])


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


@wp.struct
class Inner:
    v: wp.vec3


@wp.struct
class Outer:
    scale: float
    inner: Inner


@wp.func
def scaled_y(s: Outer):
    return s.scale * s.inner.v[1]


@wp.func_grad(scaled_y)
def adj_scaled_y(s: Outer, adj: float):
    # Three times what is right, so that it shows.
    wp.adjoint[s.scale] += 3.0 * adj * s.inner.v[1]
    wp.adjoint[s.inner.v].y += 3.0 * adj * s.scale
    wp.adjoint[s].inner.v[2] += adj


def test_adjoints_of_fields():
    @wp.kernel
    def k(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        s = Outer()
        s.scale = x[i]
        s.inner.v = v[i]
        y[i] = scaled_y(s)

    x = wp.array([2.0], dtype=float, requires_grad=True)
    v = wp.array([[1.0, 5.0, 1.0]], dtype=wp.vec3, requires_grad=True)
    y = wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 1, [x, v, y])
    tape.backward(grads={y: wp.ones(1)})
    assert (y.list(), x.grad.list(), v.grad.numpy().tolist()) == ([10.0], [15.0], [[0.0, 6.0, 1.0]])


def test_functions_and_their_derivatives_are_collected():
    def make():
        @wp.func
        def f(x: D):
            return x

        @wp.func_grad(f)
        def adj_f(x: D, a: D):
            wp.adjoint[x] += a * f(x)

        return weakref.ref(f)

    found = make()
    gc.collect()
    assert found() is None
