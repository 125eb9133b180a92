"""`register_ffi_callback`: Python functions that XLA calls."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from warp.jax_experimental import register_ffi_callback  # noqa: E402


@wp.kernel
def scale(a: wp.array[wp.vec2], s: float, out: wp.array[wp.vec2]):
    i = wp.tid()
    out[i] = a[i] * s


def called(name, *args, like=None, **attrs):
    like = args[0] if like is None else like
    return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(like.shape, like.dtype))(*args, **attrs)


def copy(inputs, outputs, attrs, ctx):
    np.asarray(outputs[0])[...] = np.asarray(inputs[0])


def test_kernels_on_the_buffers():
    def func(inputs, outputs, attrs, ctx):
        assert ctx.stream == 0
        assert inputs[0].shape == (3, 2)
        assert inputs[0].ndim == 2
        assert inputs[0].dtype is wp.float32
        with wp.ScopedStream(wp.Stream("cpu", cuda_stream=ctx.stream)):
            wp.launch(scale, dim=3, inputs=[inputs[0], attrs["s"]], outputs=[outputs[0]])

    register_ffi_callback("callback_scale", func)
    x = jnp.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(called("callback_scale", x, s=2.0), 2 * x)
    np.testing.assert_array_equal(jax.jit(lambda x: called("callback_scale", x, s=3.0))(x), 3 * x)


def test_attributes_of_every_kind():
    seen = {}

    def func(inputs, outputs, attrs, ctx):
        seen.update(attrs)
        copy(inputs, outputs, attrs, ctx)

    register_ffi_callback("callback_attrs", func)
    given = {
        "flag": True,
        "small": np.int8(-3),
        "count": np.int64(2**40),
        "unsigned": np.uint32(2**32 - 1),
        "single": np.float32(1.5),
        "double": np.float64(1e-300),
        "text": "äöü",
        "numbers": np.arange(3, dtype=np.float32),
        "inside": {"k": np.int32(1), "t": "deep"},
    }
    called("callback_attrs", jnp.ones(2), **given).block_until_ready()
    assert seen.pop("numbers").tolist() == [0, 1, 2]
    given.pop("numbers")
    assert seen == given


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int32", "float16", "float32"])
def test_types_of_buffers(name):
    register_ffi_callback("callback_copy", copy)
    x = jnp.asarray([[1, 0, 3]]).astype("bool_" if name == "bool" else name)
    assert called("callback_copy", x).tolist() == x.tolist()


class Odd(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("error", [ValueError("wrong"), KeyboardInterrupt("wrong"), SystemExit("wrong"), Odd("wrong")])
def test_what_is_raised_becomes_an_error_of_jax(error, wrap):
    def func(inputs, outputs, attrs, ctx):
        raise error

    # jax's Python code has to run the call, also after it has succeeded.
    def call(x):
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.ffi.ffi_call("callback_raise", shape, has_side_effect=True)(x)

    call = wrap(call)
    register_ffi_callback("callback_raise", copy)
    for _ in range(2):
        assert call(jnp.ones(2)).tolist() == [1, 1]
    register_ffi_callback("callback_raise", func)
    for _ in range(3):
        with pytest.raises(BaseException) as caught:  # noqa: PT011
            call(jnp.ones(2)).block_until_ready()
        if isinstance(error, Exception):
            text = rf"(?s)FFI callback 'callback_raise'.*raise error.*{type(error).__name__}: wrong"
            assert re.search(text, str(caught.value))
        else:
            assert caught.value is error
    # The next call is as good as ever.
    register_ffi_callback("callback_raise", copy)
    assert call(jnp.ones(2)).tolist() == [1, 1]


def test_a_call_without_effects_names_what_was_raised():
    def func(inputs, outputs, attrs, ctx):
        raise Odd("wrong")

    register_ffi_callback("callback_named", copy)
    call = jax.jit(lambda x: called("callback_named", x))
    for _ in range(2):
        assert call(jnp.ones(2)).tolist() == [1, 1]
    register_ffi_callback("callback_named", func)
    with pytest.raises(BaseException, match="callback_named raised Odd|wrong"):
        call(jnp.ones(2)).block_until_ready()


def test_inputs_are_read_only_and_buffers_end_with_the_call():
    kept = []

    def func(inputs, outputs, attrs, ctx):
        kept.extend([inputs[0], outputs[0]])
        assert not np.asarray(inputs[0]).flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            wp.launch(scale, dim=1, inputs=[inputs[0], 1.0, inputs[0]])
        copy(inputs, outputs, attrs, ctx)

    register_ffi_callback("callback_keep", func)
    assert called("callback_keep", jnp.ones((1, 2))).tolist() == [[1, 1]]
    for buffer in kept:
        with pytest.raises(RuntimeError, match="only be used during the call"):
            _ = buffer.__array_interface__


def test_many_threads_and_bad_arguments():
    register_ffi_callback("callback_threads", copy)
    f = jax.jit(lambda x: called("callback_threads", x))
    wrong = []

    def work(k):
        x = jnp.full(100, float(k))
        wrong.extend(k for _ in range(20) if f(x).tolist() != [k] * 100)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []
    with pytest.raises(TypeError, match="name is int"):
        register_ffi_callback(1, copy)
    with pytest.raises(TypeError, match="func is str"):
        register_ffi_callback("callback_threads", "copy")
