"""`jax_kernel`: kernels as functions of jax, in every form of a call."""

from __future__ import annotations

import copy
import gc
from functools import partial

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from warp.jax_experimental import jax_kernel  # noqa: E402

from .jax_versions import enable_x64  # noqa: E402


@wp.kernel
def add(a: wp.array[float], b: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    out[i] = a[i] + b[i]


@wp.kernel
def scale(a: wp.array[float], s: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = a[i] * s


@wp.kernel
def sincos(x: wp.array[float], s: wp.array[float], c: wp.array[float]):
    i = wp.tid()
    s[i] = wp.sin(x[i])
    c[i] = wp.cos(x[i])


@wp.kernel
def matmul(a: wp.array2d[float], b: wp.array2d[float], c: wp.array2d[float]):
    i, j = wp.tid()
    s = wp.float32(0)
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


@wp.kernel
def rowsum(matrix: wp.array2d[float], sums: wp.array[float]):
    i, j = wp.tid()
    wp.atomic_add(sums, i, matrix[i, j])


@wp.kernel
def spread(
    a: wp.array[float],
    v: wp.array[wp.vec3],
    m: wp.array[wp.mat22],
    d: wp.array[float],
    e: wp.array[wp.vec3],
    f: wp.array[wp.mat22],
):
    i = wp.tid()
    if i < d.shape[0]:
        d[i] = a[i % a.shape[0]] + 1.0
    if i < e.shape[0]:
        e[i] = v[i % v.shape[0]] * 2.0
    if i < f.shape[0]:
        f[i] = m[i % m.shape[0]] * 3.0


@wp.kernel
def diagonal(out: wp.array[wp.mat33]):
    i = wp.tid()
    out[i] = wp.mat33(1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0)


A = np.arange(8, dtype=np.float32)
B = np.linspace(1, 2, 8).astype(np.float32)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_outputs_are_a_list(wrap):
    (out,) = wrap(jax_kernel(add))(jnp.asarray(A), jnp.asarray(B))
    assert isinstance(out, jax.Array)
    np.testing.assert_array_equal(out, A + B)
    s, c = wrap(jax_kernel(sincos, num_outputs=2))(jnp.asarray(A))
    np.testing.assert_allclose(s, np.sin(A), rtol=1e-5)
    np.testing.assert_allclose(c, np.cos(A), rtol=1e-5, atol=1e-7)


def test_parameters_that_are_not_passed_are_outputs():
    s, c = jax_kernel(sincos)(jnp.asarray(A))
    np.testing.assert_allclose(s**2 + c**2, 1, rtol=1e-5)
    with pytest.raises(TypeError, match="reads 'b' and does not write it.*only 1 inputs"):
        jax_kernel(add)(jnp.asarray(A))
    with pytest.raises(TypeError, match="last ones are outputs"):
        jax_kernel(add)(jnp.asarray(A), jnp.asarray(A), jnp.asarray(A))


def test_arguments_by_name():
    (out,) = jax_kernel(add)(b=jnp.asarray(B), a=jnp.asarray(A))
    np.testing.assert_array_equal(out, A + B)
    with pytest.raises(TypeError, match="no input 'z'"):
        jax_kernel(add, num_outputs=1)(jnp.asarray(A), z=jnp.asarray(B))


def test_a_kernel_without_inputs():
    made = jax_kernel(diagonal)
    for f in (made, jax.jit(made, static_argnames="launch_dims")):
        (out,) = f(launch_dims=4)
        np.testing.assert_array_equal(out, np.broadcast_to(np.diag([1.0, 2.0, 3.0]), (4, 3, 3)))
    (out,) = jax.jit(lambda: made(launch_dims=[2]))()
    assert out.shape == (2, 3, 3)
    with pytest.raises(ValueError, match="give launch_dims"):
        made()


@pytest.mark.parametrize("value", [2.0, 2, np.float32(2), jnp.float32(2), wp.float32(2)])
def test_values(value):
    made = jax_kernel(scale)
    np.testing.assert_array_equal(made(jnp.asarray(A), value)[0], A * 2)
    np.testing.assert_array_equal(jax.jit(lambda a: made(a, value))(A)[0], A * 2)
    if not isinstance(value, wp.float32):
        np.testing.assert_array_equal(jax.jit(made)(A, value)[0], A * 2)
    static = partial(jax.jit, static_argnums=1)(made)
    if not isinstance(value, jax.Array):
        np.testing.assert_array_equal(static(A, value)[0], A * 2)


def test_values_that_do_not_fit_are_refused():
    made = jax_kernel(scale)
    with pytest.raises(TypeError, match="'s'"):
        made(jnp.asarray(A), "two")
    with pytest.raises(TypeError, match="'s' is a int32"):
        jax.jit(made)(A, jnp.int32(2))
    with pytest.raises(ValueError, match=r"'s' has shape \(8,\)"):
        jax.jit(made)(A, A)

    @wp.kernel
    def narrow(a: wp.array[float], n: wp.int8, out: wp.array[float]):
        i = wp.tid()
        out[i] = a[i] + float(n)

    assert jax_kernel(narrow)(jnp.ones(2), 100)[0].tolist() == [101, 101]
    with pytest.raises((OverflowError, TypeError, ValueError), match="'n'"):
        jax_kernel(narrow)(jnp.ones(2), 300)


def test_wide_and_composite_values_are_exact():
    @wp.kernel
    def place(x: wp.array[float], big: wp.int64, d: wp.float64, m: wp.mat22, out: wp.array[float]):
        i = wp.tid()
        out[i] = x[i] + float(big % wp.int64(1000)) + float(d * wp.float64(1e9)) + m[1, 0]

    (out,) = jax.jit(lambda x: jax_kernel(place)(x, 2**60 + 1, 1e-9, wp.mat22(1.0, 2.0, 3.0, 4.0)))(jnp.zeros(1))
    assert out[0] == (2**60 + 1) % 1000 + 1 + 3
    (out,) = jax_kernel(place)(jnp.zeros(1), 2**60 + 1, 1e-9, wp.mat22(1.0, 2.0, 3.0, 4.0))
    assert out[0] == (2**60 + 1) % 1000 + 1 + 3


def test_launch_dims_as_default_and_per_call():
    a, b = np.random.rand(3, 2).astype(np.float32), np.random.rand(2, 4).astype(np.float32)
    made = jax_kernel(matmul)
    for dims in ((3, 4), [3, 4]):
        (c,) = jax.jit(lambda a, b, dims=dims: made(a, b, launch_dims=dims))(a, b)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    (c,) = jax_kernel(matmul, launch_dims=(3, 4))(a, b)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    (c,) = jax_kernel(matmul, launch_dims=(1, 1))(a, b, launch_dims=(3, 4))
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    for wrong in ((1, 1, 1, 1, 1), -1, 2**31):
        with pytest.raises(ValueError, match="launch_dims"):
            made(a, b, launch_dims=wrong)
    with pytest.raises(TypeError, match="launch_dims"):
        made(a, b, launch_dims=1.5)


@pytest.mark.parametrize(
    "dims",
    [
        5,
        (5,),
        [5],
        {"d": 5, "e": 5, "f": 5},
        {"d": 5, "e": (5, 3), "f": (5, 2, 2)},
        {"d": (5,), "e": 5, "f": [5, 2, 2]},
    ],
)
def test_output_dims_in_both_conventions(dims):
    args = np.ones(4, np.float32), np.ones((4, 3), np.float32), np.ones((4, 2, 2), np.float32)
    for made, over in (
        (jax_kernel(spread, num_outputs=3), {"output_dims": dims}),
        (jax_kernel(spread, num_outputs=3, output_dims=dims), {}),
    ):
        d, e, f = jax.jit(lambda *a, made=made, over=over: made(*a, launch_dims=5, **over))(*args)
        np.testing.assert_array_equal(d, np.full(5, 2))
        np.testing.assert_array_equal(e, np.full((5, 3), 2))
        np.testing.assert_array_equal(f, np.full((5, 2, 2), 3))


def test_output_dims_beside_launch_dims():
    args = np.ones(4, np.float32), np.ones((4, 3), np.float32), np.ones((4, 2, 2), np.float32)
    d, e, f = jax_kernel(spread, num_outputs=3)(*args, launch_dims=6, output_dims={"d": 2, "e": 6})
    assert (d.shape, e.shape, f.shape) == ((2,), (6, 3), (6, 2, 2))
    with pytest.raises(ValueError, match="'g', which is no output"):
        jax_kernel(spread, num_outputs=3)(*args, output_dims={"g": 2})
    with pytest.raises(ValueError, match="output_dims of 'e'"):
        jax_kernel(spread, num_outputs=3)(*args, output_dims={"e": (2, 2, 2)})


def test_in_out_arguments():
    m, s = np.random.rand(3, 4).astype(np.float32), np.ones(3, np.float32)
    made = jax_kernel(rowsum, in_out_argnames=["sums"])
    given = jnp.asarray(s)
    for f in (made, jax.jit(made)):
        (out,) = f(jnp.asarray(m), given)
        np.testing.assert_allclose(out, s + m.sum(1), rtol=1e-5)
    assert given.tolist() == [1, 1, 1]
    # A donated argument is changed in place.
    given = jnp.ones(3)
    at = given.unsafe_buffer_pointer()
    (out,) = jax.jit(made, donate_argnums=1)(jnp.asarray(m), given)
    assert given.is_deleted()
    assert out.unsafe_buffer_pointer() == at


def test_other_layouts_reach_the_kernel_row_by_row():
    a = np.random.rand(4, 3).astype(np.float32)

    @jax.jit
    def f(a):
        return jax_kernel(matmul)(a.T, a, launch_dims=(3, 3))

    np.testing.assert_allclose(f(a)[0], a.T @ a, rtol=1e-5)
    np.testing.assert_allclose(
        jax_kernel(matmul)(jnp.asarray(a).T, jnp.asarray(a), launch_dims=(3, 3))[0], a.T @ a, rtol=1e-5
    )


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int32", "uint32", "float16", "bfloat16", "float32"])
def test_dtypes(name):
    dtype = getattr(wp, name)

    @wp.kernel
    def pick(x: wp.array(dtype=dtype), n: wp.array[int], out: wp.array(dtype=dtype)):
        i = wp.tid()
        out[i] = x[n[i]]

    x = jnp.asarray([1, 0, 3]).astype("bool_" if name == "bool" else name)
    (out,) = jax.jit(jax_kernel(pick))(x, jnp.asarray([2, 1, 0]))
    assert out.dtype == x.dtype
    assert out.tolist() == x[::-1].tolist()


def test_64_bits():
    @wp.kernel
    def twice(x: wp.array[wp.float64], out: wp.array[wp.float64]):
        i = wp.tid()
        out[i] = x[i] + x[i]

    with pytest.raises(TypeError, match="'x' holds float32, expected float64.*jax_enable_x64"):
        jax_kernel(twice)(jnp.ones(2))
    with enable_x64(True):
        (out,) = jax.jit(jax_kernel(twice))(jnp.asarray([1e-300, 1 + 1e-12]))
        assert out.tolist() == [2e-300, 2 * (1 + 1e-12)]


def test_arrays_that_do_not_fit_are_refused():
    made = jax_kernel(add, num_outputs=1)
    with pytest.raises(TypeError, match="'b' holds int32, expected float32"):
        made(jnp.ones(2), jnp.ones(2, jnp.int32))
    with pytest.raises(ValueError, match=r"'a' has shape \(2, 2\)"):
        made(jnp.ones((2, 2)), jnp.ones(2))
    with pytest.raises(TypeError, match="'a' is list"):
        made([1.0], jnp.ones(2))
    with pytest.raises(TypeError, match="expected a kernel"):
        jax_kernel(lambda x: x)
    with pytest.raises(ValueError, match="vmap_method"):
        jax_kernel(add, vmap_method="loop")
    with pytest.raises(TypeError, match="writes its input 's'"):
        jax_kernel(sincos, num_outputs=1)


def test_eager_calls_compile_once():
    made = jax_kernel(scale)
    x = jnp.asarray(A)
    made(x, 1.0)
    with jax.log_compiles(False):
        pytest.importorskip("absl", reason="jax counts with what absl-py offers")
        from jax._src import test_util

        with test_util.count_jit_and_pmap_lowerings() as count:
            for s in range(5):
                np.testing.assert_array_equal(made(x, float(s))[0], A * s)
                np.testing.assert_array_equal(made(x + 1, float(s))[0], (A + 1) * s)
    assert count() == 0 or count() == 1  # `x + 1` itself


def test_tiny_numbers_are_numbers():
    """XLA lets its threads take them for zero; kernels compute as everywhere else."""
    tiny = np.full(4, 1e-40, np.float32)
    (out,) = jax.jit(jax_kernel(scale))(tiny, 0.5)
    want = wp.zeros(4, dtype=float)
    wp.launch(scale, dim=4, inputs=[tiny, 0.5], outputs=[want])
    np.testing.assert_array_equal(np.asarray(out), want.numpy())
    assert want.numpy()[0] > 0


def test_the_kernel_may_be_dropped_while_a_program_lives():
    @wp.kernel
    def forgotten(x: wp.array[float], out: wp.array[float]):
        i = wp.tid()
        out[i] = x[i] - 1.0

    f = jax.jit(jax_kernel(forgotten))
    f(A)
    del forgotten
    gc.collect()
    np.testing.assert_array_equal(f(A)[0], A - 1)


def test_names_of_the_documents():
    import warp.jax
    import warp.jax_experimental.custom_call
    import warp.jax_experimental.ffi

    assert warp.jax.jax_kernel is jax_kernel is warp.jax_experimental.ffi.jax_kernel
    old = warp.jax_experimental.custom_call.jax_kernel
    s, c = jax.jit(old(sincos, quiet=True))(A)
    np.testing.assert_allclose(s, np.sin(A), rtol=1e-5)
    (out,) = old(matmul, launch_dims=(3, 3))(np.eye(3, dtype=np.float32), np.ones((3, 3), np.float32))
    assert out.tolist() == np.ones((3, 3)).tolist()


def test_without_jit():
    with jax.disable_jit():
        np.testing.assert_array_equal(jax_kernel(add)(jnp.asarray(A), jnp.asarray(B))[0], A + B)


def test_export():
    from jax import export

    made = jax_kernel(scale)
    (n,) = export.symbolic_shape("n")
    exported = export.export(
        jax.jit(lambda x: made(x, 3.0)),
        disabled_checks=[export.DisabledSafetyCheck.custom_call("warp_kernel")],
    )(jax.ShapeDtypeStruct((n,), jnp.float32))
    try:
        again = export.deserialize(exported.serialize())
    except ImportError:  # flatbuffers is not installed
        again = exported
    for size in (1, 5):
        np.testing.assert_array_equal(again.call(jnp.ones(size))[0], np.full(size, 3.0))


def test_outputs_are_zero_where_nothing_is_written():
    """Whatever the memory held before: it is cleared unless the launch writes all of it."""

    @wp.kernel
    def fill(x: wp.array[float], out: wp.array[float]):
        i, _ = wp.tid()
        out[i] = x[i]

    made, x = jax_kernel(fill), jnp.full(1000, 7.0)
    for _ in range(3):
        dirty = [jnp.full(1000, 9.0) + k for k in range(20)]
        jax.block_until_ready(dirty)
        del dirty
        for launch, written in (((1000, 1), 1000), ((1000, 2), 1000), ((10, 3), 10), ((1000, 0), 0), ((0, 5), 0)):
            (out,) = made(x, launch_dims=launch, output_dims=1000)
            np.testing.assert_array_equal(out, np.where(np.arange(1000) < written, 7, 0))


def test_deep_copies_share_it():
    f = jax_kernel(add)
    assert copy.deepcopy({"f": f})["f"] is f
