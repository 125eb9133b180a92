"""`jax_callable`: Python functions that launch kernels, traced and called back."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy
from jax.test_util import check_grads  # noqa: E402
from warp.jax_experimental import GraphMode, jax_callable  # noqa: E402

from .callable_kernels import A, B, add, increase, scale  # noqa: E402

MODES = pytest.mark.parametrize("mode", list(GraphMode)[:3], ids=lambda m: m.name)


@wp.kernel
def turn(v: wp.array[wp.vec3], m: wp.array[wp.mat33], out: wp.array[wp.vec3]):
    i = wp.tid()
    out[i] = m[i] * v[i]


@wp.kernel
def total(a: wp.array2d[float], out: wp.array[float]):
    i, j = wp.tid()
    wp.atomic_add(out, i, a[i, j])


@wp.kernel
def shifted(v: wp.array[wp.vec2], by: wp.vec2, out: wp.array[wp.vec2]):
    i = wp.tid()
    out[i] = v[i] + by


def chain(a: wp.array[float], b: wp.array[float], s: float, out: wp.array[float], sums: wp.array[float]):
    """out = 2 s a + b, sums = a + b, by way of a temporary."""
    work = wp.empty_like(a)
    wp.launch(scale, dim=a.shape, inputs=[a, s], outputs=[work])
    wp.launch(increase, dim=a.shape, inputs=[work, 0.0])
    wp.launch(add, dim=a.shape, inputs=[work, work], outputs=[out])
    wp.launch(add, dim=a.shape, inputs=[a, b], outputs=[sums])
    more = wp.zeros(a.shape, dtype=float)
    wp.launch(add, dim=a.shape, inputs=[out, b], outputs=[more])
    wp.copy(out, more)


@MODES
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, lambda f: jax.jit(jax.jit(f))], ids=["eager", "jit", "nested"])
def test_several_launches(mode, wrap):
    f = jax_callable(chain, num_outputs=2, graph_mode=mode)
    for s in (2.0, -1.0):
        out, sums = wrap(lambda a, b, s=s: f(a, b, s))(A, B)
        np.testing.assert_allclose(out, 2 * s * A + B, rtol=1e-6)
        np.testing.assert_allclose(sums, A + B, rtol=1e-6)


@MODES
def test_vectors_and_matrices(mode):
    def func(v: wp.array[wp.vec3], m: wp.array[wp.mat33], by: wp.vec2, w: wp.array[wp.vec2],
             out: wp.array[wp.vec3], moved: wp.array[wp.vec2]):  # fmt: skip
        assert v.dtype is wp.vec3
        assert m.shape == v.shape == (4,)
        wp.launch(turn, dim=v.shape, inputs=[v, m], outputs=[out])
        wp.launch(shifted, dim=w.shape, inputs=[w, by], outputs=[moved])

    f = jax_callable(func, num_outputs=2, graph_mode=mode)
    rng = np.random.default_rng(1)
    v, m, w = (rng.normal(size=s).astype(np.float32) for s in ((4, 3), (4, 3, 3), (5, 2)))
    for dims in ({"out": 4, "moved": 5}, {"out": (4, 3), "moved": (5, 2)}):
        out, moved = f(v, m, wp.vec2(1.0, 2.0), w, output_dims=dims)
        np.testing.assert_allclose(out, np.einsum("nij,nj->ni", m, v), rtol=1e-5)
        np.testing.assert_allclose(moved, w + np.array([1, 2]), rtol=1e-6)


@MODES
def test_inputs_that_are_changed(mode):
    def func(a: wp.array[float], b: wp.array[float], out: wp.array[float]):
        wp.launch(increase, dim=a.shape, inputs=[a, 3.0])
        wp.launch(add, dim=a.shape, inputs=[a, b], outputs=[out])
        wp.launch(increase, dim=a.shape, inputs=[a, 1.0])

    f = jax_callable(func, num_outputs=2, in_out_argnames=["a"], graph_mode=mode)
    given = jnp.asarray(A)
    for wrap in (lambda f: f, jax.jit, functools.partial(jax.jit, donate_argnums=0)):
        a, out = wrap(f)(jnp.array(given), B)
        np.testing.assert_allclose(a, A + 4)
        np.testing.assert_allclose(out, A + 3 + B, rtol=1e-6)
    assert given.tolist() == A.tolist()


@MODES
def test_shapes_of_outputs(mode):
    def func(a: wp.array2d[float], sums: wp.array[float]):
        wp.launch(total, dim=a.shape, inputs=[a], outputs=[sums])

    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    f = jax_callable(func, graph_mode=mode)
    with pytest.raises(ValueError, match="'sums' has 1 dimensions and the launch 2.*output_dims"):
        f(a)
    for given in (2, (2,), {"sums": 2}):
        assert f(a, output_dims=given)[0].tolist() == [3, 12]
        assert jax_callable(func, output_dims=given, graph_mode=mode)(a)[0].tolist() == [3, 12]
    # What nobody writes is zero.
    assert jax_callable(lambda_like, graph_mode=mode)(A, output_dims=3)[0].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="output_dims names 'other'"):
        f(a, output_dims={"other": 2})


def lambda_like(a: wp.array[float], out: wp.array[float]):
    pass


@MODES
def test_batches(mode):
    f = jax_callable(chain, num_outputs=2, graph_mode=mode)
    a = np.stack([A, A + 1, A - 2])
    out, sums = jax.vmap(lambda a, b: f(a, b, 2.0), in_axes=(0, None))(a, B)
    np.testing.assert_allclose(out, 4 * a + B, rtol=1e-6)
    np.testing.assert_allclose(sums, a + B, rtol=1e-6)
    for method in ("sequential", "expand_dims"):
        out, _ = jax.jit(jax.vmap(lambda b, m=method: f(A, b, 2.0, vmap_method=m), in_axes=1))(np.stack([B, 2 * B], 1))
        np.testing.assert_allclose(out, 4 * A + np.stack([B, 2 * B]), rtol=1e-6)


def test_gradients_of_what_is_traced():
    def loss(f, a, b, s):
        out, sums = f(a, b, s)
        return jnp.sum(out**2) + jnp.sum(jnp.sin(sums))

    def plain(a, b, s):
        return [2 * s * a + b, a + b]

    f = jax_callable(chain, num_outputs=2)
    a, b, s = jnp.asarray(A), jnp.asarray(B), jnp.float32(0.7)
    got = jax.grad(functools.partial(loss, f), argnums=(0, 1, 2))(a, b, s)
    want = jax.grad(functools.partial(loss, plain), argnums=(0, 1, 2))(a, b, s)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-4)
    check_grads(lambda a, b: f(a, b, 0.5), (a, b), order=2, modes=["rev", "fwd"], rtol=0.05, atol=0.05)
    assert jax.grad(lambda s: f(a, b, s)[0].sum())(1.0) == 2 * A.sum()


def test_no_gradient_of_what_is_called_back():
    f = jax_callable(chain, num_outputs=2, graph_mode=GraphMode.NONE)
    with pytest.raises(TypeError, match="function 'chain' has no gradient"):
        jax.grad(lambda a: f(a, B, 1.0)[0].sum())(A)


@MODES
def test_values_that_jax_computes(mode):
    f = jax.jit(jax_callable(chain, num_outputs=2, graph_mode=mode))
    for s in (1.5, -2.0):
        np.testing.assert_allclose(f(A, B, s)[0], 2 * s * A + B, rtol=1e-6)

    def func(a: wp.array[float], s: float, out: wp.array[float]):
        wp.launch(scale, dim=a.shape, inputs=[a, s * 2.0 if s > 0 else -s], outputs=[out])

    # Who computes with the value is called back.
    f = jax.jit(jax_callable(func, graph_mode=mode))
    for s, factor in ((1.5, 3.0), (-2.0, 2.0)):
        np.testing.assert_allclose(f(A, s)[0], factor * A, rtol=1e-6)


@MODES
def test_functions_that_are_methods_and_closures(mode):
    class Model:
        factor = 3.0

        def step(self, a: wp.array[float], out: wp.array[float]):
            wp.launch(scale, dim=a.shape, inputs=[a, self.factor], outputs=[out])

    f = jax_callable(Model().step, graph_mode=mode)
    assert f(A)[0].tolist() == f(a=A)[0].tolist() == (3 * A).tolist()
    assert f.__name__ == "step"


@MODES
def test_nothing_at_all(mode):
    """No elements, no inputs."""
    f = jax_callable(chain, num_outputs=2, graph_mode=mode)
    assert [x.shape for x in f(A[:0], B[:0], 2.0)] == [(0,), (0,)]

    def func(out: wp.array[float]):
        wp.launch(increase, dim=out.shape, inputs=[out, 2.0])

    f = jax_callable(func, graph_mode=mode)
    assert f(output_dims=3)[0].tolist() == jax.jit(lambda: f(output_dims=3))()[0].tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="no input array"):
        f()


@wp.kernel
def accumulate(a: wp.array[float], b: wp.array[float], out: wp.array[float]):
    """In one thread: each element needs the one before, by whichever name it was written."""
    out[0] = a[0]
    for i in range(1, a.shape[0]):
        out[i] = out[i] + b[i] * a[i - 1]


@MODES
def test_one_array_as_several_arguments(mode):
    def func(a: wp.array[float], b: wp.array[float], out: wp.array[float]):
        wp.launch(add, dim=a.shape, inputs=[a, a], outputs=[a])
        wp.launch(scale, dim=a.shape, inputs=[a, 3.0], outputs=[out])
        wp.launch(accumulate, dim=1, inputs=[out, b], outputs=[out])
        wp.launch(add, dim=out[1:3].shape, inputs=[out[1:3], b[1:3]], outputs=[out[1:3]])

    def plain(a, b):
        out = [6 * a[0]]
        for i in range(1, 6):
            out.append(6 * a[i] + b[i] * out[-1])
        return 2 * a, jnp.stack(out).at[1:3].add(b[1:3])

    f = jax_callable(func, num_outputs=2, in_out_argnames=["a"], graph_mode=mode)
    a, b = jnp.asarray(A), jnp.asarray(B)
    for got, want in zip(jax.jit(f)(a, b), plain(a, b), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    both = jnp.stack([a, a + 1])
    for got, want in zip(
        jax.vmap(f, in_axes=(0, None))(both, b), jax.vmap(plain, in_axes=(0, None))(both, b), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    if mode != GraphMode.NONE:
        for i in (0, 1):
            got = jax.grad(lambda *v: jnp.sum(f(*v)[1] ** 2), argnums=i)(a, b)
            want = jax.grad(lambda *v: jnp.sum(plain(*v)[1] ** 2), argnums=i)(a, b)
            np.testing.assert_allclose(got, want, rtol=1e-4)
        check_grads(lambda a, b: f(a, b)[1], (a / 5, b), order=2, modes=["fwd", "rev"], rtol=0.1, atol=0.1)


@MODES
def test_inside_control_flow(mode):
    def func(a: wp.array[float], out: wp.array[float]):
        wp.launch(scale, dim=a.shape, inputs=[a, 2.0], outputs=[out])
        wp.launch(increase, dim=a.shape, inputs=[out, 1.0])

    f = jax_callable(func, graph_mode=mode)

    def one(x):
        return f(x)[0]

    a = jnp.asarray(A)
    thrice = (8 * A + 7).tolist()
    assert jax.lax.fori_loop(0, 3, lambda _, x: one(x), a).tolist() == thrice
    assert jax.lax.scan(lambda x, _: (one(x), x[0]), a, None, length=3)[0].tolist() == thrice
    assert jax.lax.while_loop(lambda x: x[0] < 7, one, a).tolist() == thrice
    chosen = jax.jit(jax.vmap(lambda x: jax.lax.cond(x[0] > 0, one, lambda x: x, x)))(jnp.stack([a, a + 1]))
    assert chosen.tolist() == [A.tolist(), (2 * A + 3).tolist()]
    with jax.disable_jit():
        assert one(a).tolist() == (2 * A + 1).tolist()
    if mode != GraphMode.NONE:
        grad = jax.grad(lambda x: jnp.sum(jax.checkpoint(lambda x: one(one(x)) ** 2)(x)))(a)
        assert grad.tolist() == (8 * (4 * A + 3)).tolist()
        assert jax.jacfwd(one)(a).tolist() == (2 * np.eye(6)).tolist()


SCALARS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32"]


@pytest.mark.parametrize("mode", [GraphMode.JAX, GraphMode.NONE], ids=lambda m: m.name)
@pytest.mark.parametrize("name", [*SCALARS, "int64", "uint64", "float64"])
def test_types_of_elements(name, mode):
    """Those of 64 bits only as temporaries, since jax has none by default."""
    dtype = getattr(wp, name)
    wide = name.endswith("64")

    @wp.kernel
    def move(a: wp.array(dtype=dtype), out: wp.array(dtype=dtype)):
        i = wp.tid()
        out[i] = a[a.shape[0] - 1 - i]

    @wp.kernel
    def write(a: wp.array(dtype=dtype), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = float(a[i])

    def through(a, out):
        work, other = wp.zeros_like(a), wp.empty_like(a)
        other.fill_(1)
        wp.launch(move, dim=a.shape, inputs=[a], outputs=[work])
        wp.copy(work[1:], other[1:])
        wp.launch(write, dim=a.shape, inputs=[work], outputs=[out])

    def func(a: wp.array(dtype=wp.int32 if wide else dtype), out: wp.array(dtype=float)):
        through(wp.array([0, 1, 0, 1], dtype=dtype) if wide else a, out)

    f = jax.jit(jax_callable(func, graph_mode=mode))
    a = jnp.asarray([0, 1, 0, 1]).astype("int32" if wide else "bool_" if name == "bool" else name)
    assert f(a)[0].tolist() == [1, 1, 1, 1]
    assert f(1 - a if name != "bool" else ~a)[0].tolist() == ([1, 1, 1, 1] if wide else [0, 1, 1, 1])
    assert ("warp_host_call" in str(jax.make_jaxpr(f)(a))) == (wide or mode == GraphMode.NONE)


@wp.struct
class Terms:
    x: wp.array(dtype=float)
    y: wp.array(dtype=float)
    factor: float


@wp.kernel
def combine(t: Terms, out: wp.array[float]):
    i = wp.tid()
    out[i] = t.factor * t.x[i] + t.y[i]


@MODES
def test_structs_in_launches(mode):
    """Their arrays are traced as others; arrays of structs are not."""

    def func(x: wp.array[float], y: wp.array[float], out: wp.array[float]):
        wp.launch(combine, dim=x.shape, inputs=[Terms(x, y, 3.0)], outputs=[out])

    f = jax_callable(func, graph_mode=mode)
    assert f(A, B)[0].tolist() == (3 * A + B).tolist()
    assert ("warp_host_call" in str(jax.make_jaxpr(f)(A, B))) == (mode == GraphMode.NONE)
    if mode != GraphMode.NONE:
        assert jax.grad(lambda a: f(a, B)[0].sum())(jnp.asarray(A)).tolist() == [3] * 6


def test_deep_copies_share_it():
    f = jax_callable(chain, num_outputs=2)
    assert copy.deepcopy({"f": f})["f"] is f
