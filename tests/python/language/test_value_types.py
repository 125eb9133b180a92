"""Types of values: what they are, how they compare, their memory, classes that derive from them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import warp as wp

T = wp.types


def test_builtins_take_types():
    for made in (wp.quat_identity(dtype=wp.float64), wp.quat_identity(wp.float64)):
        assert type(made) is wp.quatd
        assert made == (0, 0, 0, 1)
    assert type(wp.quat_identity()) is wp.quat
    assert type(wp.transform_identity(dtype=wp.float64)) is wp.transformd
    with pytest.raises(TypeError):
        wp.quat_identity(dtype=wp.vec3)
    with pytest.raises(TypeError):
        wp.sin(float)


TYPES = {
    "float": float,
    "int": int,
    "bool": bool,
    "wp.bool": wp.bool,
    "uint8": wp.uint8,
    "bfloat16": wp.bfloat16,
    "vec3": wp.vec3,
    "vec5": T.vector(5, int),
    "mat33": wp.mat33,
    "quat": wp.quat,
    "transform": wp.transform,
    "wp.array": wp.array,
    "annotation": wp.array(dtype=float),
    "handle": wp.handle,
    "np": np.float32,
    "str": str,
    "None": None,
}


@wp.struct
class Held:
    x: wp.float16
    n: int
    v: wp.vec3h
    a: wp.array2d(dtype=float)


@wp.struct
class Outer:
    t: wp.transform
    held: Held
    flag: wp.bool
    m: wp.mat22d


@pytest.mark.parametrize(
    ("kind", "types", "values"),
    [
        ("scalar", "float int uint8 bfloat16", [1, 1.0, wp.uint8(1), wp.bfloat16(1)]),
        ("float", "float bfloat16", [1.0, wp.float64(1)]),
        ("int", "int uint8", [1, wp.uint8(1)]),
        ("vector", "vec3 vec5", [wp.vec3(), wp.spatial_vector()]),
        ("matrix", "mat33", [wp.mat33()]),
        ("quaternion", "quat", [wp.quat()]),
        ("transformation", "transform", [wp.transform()]),
        ("composite", "vec3 vec5 mat33 quat transform", [wp.vec3(), wp.mat33(), wp.quat(), wp.transform()]),
        ("array", "wp.array", [wp.zeros(2), wp.array(dtype=float)]),
        ("tile", "", []),
        ("struct", "Held", [Held()]),
        (
            "value",
            "float int bool wp.bool uint8 bfloat16 vec3 vec5 mat33 quat transform",
            [1, 1.0, True, np.float64(1), wp.bool(1), wp.uint8(1), wp.vec3(), wp.quat(), wp.transform(), wp.handle(1)],
        ),
    ],
)
def test_what_a_type_is(kind, types, values):
    known = {**TYPES, "Held": Held}
    is_type, is_value = getattr(T, f"type_is_{kind}"), getattr(T, f"is_{kind}")
    assert [name for name, t in known.items() if is_type(t)] == types.split()
    assert all(is_value(value) for value in values)
    for other in (np.float32(1), np.zeros(2), "x", None, [1], float):
        assert not is_value(other)
    if kind in ("scalar", "int", "float"):
        assert not is_value(True)


def test_types_are_compared_and_named():
    assert T.types_equal(float, wp.float32)
    assert T.types_equal(bool, wp.bool)
    assert T.types_equal(T.vector(3, float), wp.vec3)
    assert not T.types_equal(wp.quat, wp.vec4)
    assert not T.types_equal(wp.handle, wp.uint64)
    assert T.types_equal(wp.array(dtype=float), wp.array(dtype=float, ndim=2))
    assert not T.types_equal(wp.array(dtype=float), wp.array(dtype=int))
    assert not T.types_equal(np.float32, wp.float32)
    assert T.types_equal(Held, Held)
    for t, text in [
        (float, "float"),
        (wp.float32, "float32"),
        (wp.vec3, "vec3f"),
        (T.matrix((2, 3), wp.float64), "mat23d"),
        (T.matrix((2, 3), int), "mat23i"),
        (T.vector(5, float), "vector(length=5, dtype=float32)"),
        (T.matrix((5, 3), wp.float16), "matrix(shape=(5, 3), dtype=float16)"),
        (wp.transformd, "transformd"),
        (wp.array(dtype=wp.vec3, ndim=2), "array(ndim=2, dtype=vec3f)"),
        (wp.zeros((2, 3), dtype=wp.float64), "array(shape=(2, 3), dtype=float64)"),
        (tuple[int, wp.vec3], "tuple(int, vec3f)"),
        (Held, f"{__name__}.Held"),
        (str, "builtins.str"),
        (1.5, "1.5"),
    ]:
        assert T.type_repr(t) == text


def test_sizes_and_ctypes():
    for t, count, ctype in [
        (float, 1, ctypes.c_float),
        (wp.bool, 1, ctypes.c_bool),
        (wp.uint8, 1, ctypes.c_uint8),
        (wp.float16, 1, ctypes.c_uint16),
        (wp.handle, 1, ctypes.c_uint64),
    ]:
        assert T.type_size(t) == count
        assert T.type_ctype(t) is ctype
    assert T.type_size(wp.vec3(1, 2, 3)) == T.type_size(wp.vec3) == 3
    assert T.type_size(wp.transform) == 7
    vec = T.type_ctype(wp.vec3d)
    assert (vec._length_, vec._type_) == (3, ctypes.c_double)
    assert ctypes.sizeof(T.type_ctype(Outer)) == T.type_size_in_bytes(Outer)
    for wrong in (str, 1.0, wp.array(dtype=float)):
        for ask in (T.type_size, T.type_ctype, T.type_size_in_bytes):
            with pytest.raises(TypeError, match="expected a type of values"):
                ask(wrong)


def test_structs_lie_in_memory_as_ctypes():
    a = wp.array(np.arange(6, dtype=np.float32).reshape(2, 3), requires_grad=True)
    outer = Outer(t=wp.transform((1, 2, 3)), held=Held(1.5, 2, (1, 2, 3), a.transpose()), flag=True, m=(1, 2, 3, 4))
    made = outer.__ctype__()
    assert type(made) is Outer.ctype
    assert list(made.t) == [1, 2, 3, 0, 0, 0, 1]
    assert (made.held.n, made.flag, made.held.a.ndim, made.held.a.data) == (2, True, 2, a.ptr)
    assert list(made.held.a.shape) == [3, 2, 0, 0]
    assert list(made.held.a.strides)[:2] == [4, 12]
    back = Outer.from_ptr(ctypes.addressof(made))
    assert (back.t, back.m, back.flag) == (outer.t, outer.m, True)
    assert (back.held.x, back.held.v) == (1.5, (1, 2, 3))
    np.testing.assert_array_equal(back.held.a.numpy(), a.numpy().T)
    assert back.held.a.grad.ptr == a.grad.ptr
    back.held.a[0, 0] = 9.0
    assert a.list()[0] == 9.0, "the same memory"
    assert Outer.from_ptr(ctypes.addressof(Outer().__ctype__())).held.a is None
    with pytest.raises(ValueError, match="address is 0"):
        Outer.from_ptr(0)
    with pytest.raises(TypeError, match="expected an address"):
        Outer.from_ptr("x")


def test_what_structs_say_of_themselves():
    assert Held.key == "Held"
    assert Held.cls.__name__ == "Held"
    assert Held.cls is not Held
    assert [(v.label, v.type) for v in Held.vars.values()][:3] == [("x", wp.float16), ("n", wp.int32), ("v", wp.vec3h)]
    assert Held.vars["a"].type.ndim == 2

    with pytest.warns(UserWarning, match=r"struct 'Named' .*default value of field 'key' is ignored"):

        @wp.struct
        class Named:
            key: float = 3.0
            vars: int
            unit = 7

            def _twice(self):
                return 2 * self.key

    assert Named().key == 0.0
    assert Named(key=2.0)._twice() == 4.0
    assert Named.unit == Named().unit == 7
    assert Named.key == "Named"
    assert list(Named.vars) == ["key", "vars"]
    assert wp.struct(Held.cls, module="unique")(n=3).n == 3
    with pytest.raises(TypeError, match="module is 3"):
        wp.struct(Held.cls, module=3)


def test_fields_that_nobody_has_set():
    assert type(Held().x) is wp.float16
    assert type(Held().n) is int
    assert Held().a is None
    assert type(Held(x=1.0).x) is float
    assert type(Held(x=wp.float16(1)).x) is wp.float16
    assert Held(a=None).a is None
    with pytest.raises(TypeError, match="Held.n: expected a number, found None"):
        Held(n=None)


def test_transforms_are_fields_in_kernels():
    @wp.kernel
    def move(o: Outer, each: wp.array(dtype=Outer.vars["t"].type), out: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        out[i] = wp.transform_point(o.t * each[i], wp.vec3(1.0, 0.0, 0.0))
        if o.flag:
            out[i] = out[i] + wp.vec3(o.held.a[0, 1], 0.0, 0.0)

    out = wp.zeros(1, dtype=wp.vec3)
    each = wp.array([wp.transform((0, 1, 0))], dtype=wp.transform)
    o = Outer(t=wp.transform((1, 0, 0)), held=Held(a=wp.array([[1.0, 2.0]], dtype=float)), flag=True)
    wp.launch(move, dim=1, inputs=[o, each], outputs=[out])
    assert out.list() == [(4, 1, 0)]


@pytest.mark.parametrize("scalar", ["bool", "int8", "uint8", "int64", "uint64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 1)])
def test_values_share_memory_with_numpy(scalar, shape):
    number = getattr(wp, scalar)
    kind = wp.types.vector(shape[0], number) if len(shape) == 1 else wp.types.matrix(shape, number)
    value = kind(*range(1, kind._length_ + 1))
    shared = np.asarray(value)
    assert (shared.shape, shared.dtype, shared.nbytes) == (shape, np.dtype(scalar), ctypes.sizeof(kind))
    np.testing.assert_array_equal(shared.ravel(), np.arange(1, kind._length_ + 1).astype(scalar))
    shared[...] = 0
    assert not np.array(value).any()
    value[0] = 1 if len(shape) == 1 else [1] * shape[1]
    np.testing.assert_array_equal(shared[0], 1)
    assert not np.shares_memory(np.array(value), shared)
    assert np.asarray(value, dtype=np.float32).dtype == np.float32
    assert kind.from_buffer_copy(value) == kind.from_buffer(bytearray(value)) == value
    np.testing.assert_array_equal(wp.array([value, value], dtype=kind).numpy(), [np.array(value)] * 2)
    assert wp.array([value], dtype=kind).list() == [value]


@pytest.mark.parametrize("number", [wp.float16, wp.bfloat16])
def test_values_of_16_bits_have_no_memory_to_share(number):
    kind = wp.types.vector(3, number)
    value = kind(1.5, -2.0, 0.0)
    assert kind.from_buffer_copy(b"xx" + wp.array([value], dtype=kind).view(wp.uint16).numpy().tobytes(), 2) == value
    with pytest.raises(ValueError, match="Buffer size too small"):
        kind.from_buffer_copy(b"abc")
    with pytest.raises(ValueError, match="only by copying"):
        np.array(value, copy=False) if np.__version__ < "2" else np.asarray(value, copy=False)
    assert list(np.asarray(value)) == [1.5, -2.0, 0.0]


def test_classes_that_derive_from_values():
    class Rotation(wp.mat33):
        def trace(self):
            return self[0, 0] + self[1, 1] + self[2, 2]

    class Scaled(Rotation):
        pass

    for kind in (Rotation, Scaled):
        value = kind(2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0)
        assert (value.trace(), kind._length_, np.asarray(value).shape) == (9.0, 9, (3, 3))
        assert ctypes.sizeof(kind) == 36


def test_native_functions_of_builtins():
    wp.init()
    core = wp._src.context.runtime.core
    result = ctypes.c_float()
    core.wp_builtin_dot_vec3f_vec3f(wp.vec3(1.0, 2.0, 3.0), wp.vec3(1.0, 1.0, 1.0), ctypes.byref(result))
    assert result.value == 6.0
    for name in ("wp_builtin_no_such_function_vec3f", "wp_array_scan", "wp_builtin_vec3"):
        with pytest.raises(AttributeError, match=name):
            getattr(core, name)
