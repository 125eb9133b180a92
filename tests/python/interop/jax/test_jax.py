"""JAX arrays in and out, and straight into launches."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from .jax_versions import enable_x64  # noqa: E402

NAMES = ["bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32"]
WIDE = ["int64", "uint64", "float64"]


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


def name_in_jax(name):
    return "bool_" if name == "bool" else name


@pytest.mark.parametrize("name", NAMES)
def test_dtypes_and_memory_both_ways(name):
    t, n = getattr(jnp, name_in_jax(name)), getattr(wp, name)
    assert wp.dtype_from_jax(t) is n
    assert wp.dtype_from_jax(jnp.dtype(t)) is n
    assert wp.dtype_to_jax(n) is t
    x = jnp.ones((2, 3), dtype=t)
    a = wp.from_jax(x)
    assert a.dtype is n
    assert a.shape == (2, 3)
    assert a.ptr == x.unsafe_buffer_pointer()
    assert a.read_only
    assert a.list() == [1] * 6
    b = wp.ones((2, 3), dtype=n)
    back = wp.to_jax(b)
    assert back.dtype == t
    assert back.unsafe_buffer_pointer() == b.ptr
    assert back.tolist() == [[1] * 3] * 2


@pytest.mark.parametrize("name", WIDE)
def test_64_bits_only_where_jax_has_them(name):
    a = wp.ones(3, dtype=getattr(wp, name))
    with pytest.raises(TypeError, match="jax_enable_x64"):
        wp.to_jax(a)
    with enable_x64(True):
        x = wp.to_jax(a)
        assert x.dtype == name
        assert x.unsafe_buffer_pointer() == a.ptr
        assert wp.from_jax(x).dtype is getattr(wp, name)


def test_vectors_and_matrices():
    x = jnp.arange(12.0).reshape(3, 2, 2)
    a = wp.from_jax(x, dtype=wp.mat22)
    assert a.shape == (3,)
    assert a.dtype is wp.mat22
    np.testing.assert_array_equal(np.asarray(wp.to_jax(a)), np.asarray(x))
    v = wp.array([[1, 2, 3]], dtype=wp.vec3)
    assert wp.to_jax(v).shape == (1, 3)
    with pytest.raises(TypeError, match=r"ends in the dimensions \[3\]"):
        wp.from_jax(x, dtype=wp.vec3)


def test_types_without_counterpart():
    for wrong in (jnp.complex64, "float32", int, float, None, np.dtype("S3")):
        with pytest.raises(TypeError):
            wp.dtype_from_jax(wrong)
    for wrong in (wp.vec3, str, jnp.float32(1)):
        with pytest.raises(TypeError):
            wp.dtype_to_jax(wrong)


def test_devices():
    assert wp.device_from_jax(jax.devices("cpu")[0]) is wp.get_device("cpu")
    assert wp.device_to_jax("cpu") == jax.local_devices(backend="cpu")[0]
    assert wp.device_to_jax() == wp.device_to_jax(wp.get_device())
    for wrong in ("cpu", None, 3):
        with pytest.raises(RuntimeError, match="device_from_jax"):
            wp.device_from_jax(wrong)
    with pytest.raises(RuntimeError, match="device_to_jax"):
        wp.device_to_jax("nowhere")


def test_straight_into_a_launch():
    y = wp.zeros(4, dtype=float)
    wp.launch(double, dim=4, inputs=[jnp.arange(4.0)], outputs=[y])
    assert y.list() == [0, 2, 4, 6]


def test_an_argument_that_is_written_is_refused():
    x = jnp.arange(4.0)
    with pytest.raises(ValueError, match="'y'.*read-only"):
        wp.launch(double, dim=4, inputs=[np.ones(4, np.float32), x])
    a = wp.from_jax(x)
    with pytest.raises(ValueError, match="read-only"):
        wp.launch(double, dim=4, inputs=[a, a])
    with pytest.raises(ValueError, match="read-only"):
        a.fill_(1.0)
    assert x.tolist() == [0, 1, 2, 3]


def test_values_are_waited_for():
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 2000, lambda _, a: jnp.tanh(a) + 1.0, x))
    x = jnp.zeros(4096)
    want = np.asarray(slow(x))
    y = wp.zeros(4096, dtype=float)
    wp.launch(double, dim=4096, inputs=[slow(x)], outputs=[y])
    np.testing.assert_array_equal(y.numpy(), 2 * want)
    np.testing.assert_array_equal(wp.from_jax(slow(x)).numpy(), want)
    half = wp.from_jax(jax.jit(lambda x: slow(x).astype(jnp.bfloat16))(x))
    assert half.list() == want.astype(jnp.bfloat16).tolist()


def test_memory_outlives_both_sides():
    a = wp.from_jax(jnp.arange(1000.0))
    gc.collect()
    _ = [jnp.full(1000, 7.0) for _ in range(20)]
    assert a.list() == list(range(1000))
    x = wp.to_jax(wp.array(np.arange(1000, dtype=np.float32)))
    gc.collect()
    _ = [wp.full(1000, 7.0) for _ in range(20)]
    assert x.tolist() == list(range(1000))


def test_donation_does_not_reuse_what_is_shared():
    x = jnp.arange(1000.0)
    a = wp.from_jax(x)
    y = jax.jit(lambda x: x * 0 - 1, donate_argnums=0)(x)
    y.block_until_ready()
    assert a.list() == list(range(1000))
    gone = jnp.ones(2)
    gone.delete()
    with pytest.raises(RuntimeError, match="deleted") as caught:
        wp.from_jax(gone)
    assert any("from_jax" in note for note in caught.value.__notes__)


def test_what_is_no_jax_array_is_named():
    for wrong in (np.ones(2), [1.0], None, jax.random.key(0)):
        with pytest.raises(TypeError, match="from_jax: jax_array is"):
            wp.from_jax(wrong)
    with pytest.raises(TypeError, match="jax_kernel makes kernels functions"):
        jax.jit(lambda x: wp.from_jax(x))(jnp.ones(2))
    with pytest.raises(TypeError, match="to_jax: warp_array is"):
        wp.to_jax(np.ones(2))


def test_arrays_with_gaps_are_copied_out():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    np.testing.assert_array_equal(np.asarray(wp.to_jax(a.transpose())), a.numpy().T)
    np.testing.assert_array_equal(np.asarray(wp.to_jax(a[1])), a.numpy()[1])


def test_shapes_at_the_edge():
    assert wp.from_jax(jnp.zeros((0, 3))).shape == (0, 3)
    assert wp.from_jax(jnp.float32(3.0)).list() == [3]
    assert wp.to_jax(wp.zeros(0, dtype=float)).shape == (0,)
    t = jnp.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(wp.from_jax(t).numpy(), np.asarray(t))


def test_arrays_of_several_devices_are_refused():
    program = """
        import jax, jax.numpy as jnp, numpy as np, warp as wp
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        x = jax.device_put(jnp.arange(4.0), NamedSharding(Mesh(np.array(jax.devices()), "i"), P("i")))
        try:
            wp.from_jax(x)
        except (BufferError, ValueError) as e:
            assert "from_jax" in str(e), e
        else:
            raise AssertionError("not refused")
    """
    import os

    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, check=True, timeout=120)


def test_jax_takes_arrays_and_operators_take_both():
    a, j = wp.array([1.0, 2.0], dtype=float), jnp.array([3.0, 5.0])
    assert jnp.asarray(a).tolist() == [1.0, 2.0]
    for found in (a * j, j * a):
        assert isinstance(found, type(j))
        assert found.tolist() == [3.0, 10.0]
    assert (a < j).tolist() == [True, True]
