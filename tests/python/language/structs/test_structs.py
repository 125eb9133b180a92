"""Structs on the host: declaring them, their instances, arrays of them."""

import copy
import pickle
import re

import numpy as np
import pytest
import warp as wp


@wp.struct
class Inner:
    """Something with a name and a number."""

    a: float
    v: wp.vec3

    def norm(self):
        return sum(x * x for x in self.v) ** 0.5


@wp.struct
class Outer:
    flag: wp.bool
    n: wp.int64
    inner: Inner
    m: wp.mat22d
    x: wp.array(dtype=float)
    many: wp.array2d(dtype=Inner)


@wp.struct
class Mixed:
    b: wp.int8
    d: wp.float64
    h: wp.float16
    q: wp.quat
    inner: Inner
    u: wp.uint8


def test_instances_begin_with_zeros():
    s = Outer()
    assert s.flag is False
    assert s.n == 0
    assert s.inner.a == 0.0
    assert s.x is None
    assert s.many is None
    assert s.m == wp.mat22d()
    assert isinstance(s.inner, Inner)
    assert repr(Inner()) == "Inner(a=0.0, v=vec3f([0.0, 0.0, 0.0]))"
    assert Inner.__doc__.startswith("Something")
    assert Inner.__qualname__ == "Inner"
    assert Inner.__module__ == __name__


def test_fields_are_given_in_order_or_by_name():
    p = Inner(2.0, (3.0, 4.0, 0.0))
    assert p == Inner(v=wp.vec3(3.0, 4.0, 0.0), a=2)
    assert p != Inner()
    assert p != 3
    assert p.norm() == 5.0
    for make, says in [
        (lambda: Inner(1.0, wp.vec3(), 3), "2 fields"),
        (lambda: Inner(1.0, a=2.0), "'a' twice"),
        (lambda: Inner(b=2.0), "no field 'b'; it has a, v"),
    ]:
        with pytest.raises((TypeError, AttributeError), match=says):
            make()


def test_assigned_values_are_copies_of_the_fields_type():
    s, p = Outer(), Inner(1.0)
    s.inner = p
    p.a = 5.0
    assert s.inner.a == 1.0
    s.inner.a = 0.1
    assert s.inner.a == float(np.float32(0.1)), "rounded to float32"
    v = wp.vec3(1.0, 2.0, 3.0)
    p.v = v
    v[0] = 9.0
    p.v[1] = 7.0
    assert list(p.v) == [1.0, 7.0, 3.0]
    p.v = np.float32([1, 2, 3])
    assert list(p.v) == [1.0, 2.0, 3.0]
    s.flag = True
    s.flag = np.bool_(False)
    assert s.flag is False
    x = wp.zeros(3)
    s.x = x
    assert s.x is x
    s.x = None
    assert s.x is None


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("n", 1.5, "Outer.n: 1.5 is a float, int64 holds integers"),
        ("n", 2**64, "Outer.n: .* does not fit int64"),
        ("n", "3", "Outer.n: expected a number"),
        ("flag", 0.5, "Outer.flag: expected a bool"),
        ("inner", 3, "Outer.inner: expected an instance of Inner, found 3"),
        ("m", 1.0, "Outer.m: expected mat22d or its components"),
        ("m", [1.0, 2.0], "Outer.m: mat22d has 4 components, found 2"),
        ("m", wp.mat33(), "Outer.m: expected mat22d, found an object of type mat33f"),
        ("x", [1.0], r"Outer.x: expected array\(float32, ndim=1\), found \[1.0\]"),
        ("x", np.zeros(3, np.float32), "found a numpy.ndarray.*; make it a Warp array"),
        ("x", wp.zeros(3, dtype=int), "expected .*float32.*found a Warp array of int32"),
        ("x", wp.zeros((3, 3)), r"found a Warp array of float32 with shape \[3, 3\]"),
        ("x", wp.array(dtype=float), "found a Warp array"),
        ("many", wp.zeros(3, dtype=Inner), r"expected array\(Inner, ndim=2\)"),
    ],
)
def test_a_wrong_value_is_refused_and_changes_nothing(name, value, says):
    s = Outer()
    before = getattr(s, name)
    with pytest.raises((TypeError, ValueError, OverflowError), match=says):
        setattr(s, name, value)
    assert getattr(s, name) is before


def test_fields_take_values_of_other_scalars_with_as_many_components():
    @wp.struct
    class Mixed:
        v: wp.vec3
        n: wp.vec3ub
        q: wp.quat
        m: wp.mat22

    s = Mixed()
    s.v = wp.vec3d(0.1, 2.0, 3.0)
    assert s.v == wp.vec3(0.1, 2.0, 3.0)
    assert type(s.v) is wp.vec3
    s.v = wp.vec3i(1, 2, 3)
    assert s.v == wp.vec3(1.0, 2.0, 3.0)
    s.n = wp.vec3l(1, 2, 255)
    assert s.n == wp.vec3ub(1, 2, 255)
    s.q = wp.vec4(1.0, 2.0, 3.0, 4.0)
    assert s.q == wp.quat(1.0, 2.0, 3.0, 4.0)
    s.m = wp.vec4d(1.0, 2.0, 3.0, 4.0)
    assert s.m == wp.mat22(1.0, 2.0, 3.0, 4.0)
    for name, value in [("v", wp.vec2()), ("n", wp.vec3()), ("q", wp.vec3())]:
        with pytest.raises(wp.MismatchError, match=f"Mixed.{name}: expected"):
            setattr(s, name, value)
    with pytest.raises(ValueError, match="256 does not fit uint8"):
        s.n = wp.vec3i(1, 2, 256)


def test_unknown_fields_are_named():
    s = Inner()
    for use in (lambda: s.b, lambda: setattr(s, "b", 1.0)):
        with pytest.raises(AttributeError, match="Inner has no field 'b'; it has a, v"):
            use()
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del s.a


def test_copies_and_pickles():
    s = Outer(n=3, inner=Inner(1.0), x=wp.zeros(2))
    shallow, deep = copy.copy(s), copy.deepcopy(s)
    shallow.inner.a = 2.0
    assert s.inner.a == 1.0
    assert shallow.x is s.x
    assert deep.x is not s.x
    assert shallow != s
    assert copy.copy(s) == s
    s.x.fill_(4.0)
    assert deep.x.list() == [0.0, 0.0]
    again = pickle.loads(pickle.dumps(s))
    assert again.n == 3
    assert again.inner == s.inner
    assert again.x.list() == [4.0, 4.0]
    assert again.many is None
    s.assign(shallow)
    assert s == shallow
    assert s.inner is not shallow.inner
    with pytest.raises(TypeError, match="expected an instance of Outer"):
        s.assign(Inner())
    assert s.to("cpu") == s
    assert {s: 1}[s] == 1
    assert shallow not in {s}


def declare(*fields, **body):
    return wp.struct(type("Bad", (), {"__annotations__": dict(fields), **body}))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: declare(("x", str)), "field 'x' is declared as the class str"),
        (lambda: declare(("x", 3)), "field 'x' is declared as 3 \\(int\\)"),
        (lambda: declare(("_x", float)), "underscore"),
        (lambda: declare(("x", "nowhere")), "name 'nowhere' is not defined"),
        (lambda: declare(("next", "Bad")), "the struct itself"),
        (lambda: declare(*((f"f{i}", float) for i in range(1100))), "1100 values"),
        (lambda: wp.struct(3), "expected a class"),
        (lambda: wp.struct(type("Bad", (tuple,), {"__annotations__": {"x": float}})), "no struct can derive from"),
        (lambda: wp.struct(type("Derived", (Inner,), {})), "derives from the struct Inner"),
    ],
)
def test_what_no_struct_can_be_is_refused_with_its_name(make, says):
    with pytest.raises(TypeError, match=says):
        make()


class Mixin:
    """Methods for structs. Its own annotation is no field."""

    limit = 3
    extra: int

    def twice(self):
        return 2 * self.x


@wp.struct
class Derived(Mixin):
    x: float


def test_a_struct_has_the_methods_of_classes_that_it_derives_from():
    mixed = Derived(x=1.5)
    assert (mixed.twice(), mixed.limit, isinstance(mixed, Mixin)) == (3.0, 3, True)
    assert list(Derived._annotations_) == ["x"]
    assert pickle.loads(pickle.dumps(mixed)).twice() == 3.0
    with pytest.raises(AttributeError, match="no field 'y'"):
        mixed.y = 1.0

    @wp.kernel
    def read(s: Derived, out: wp.array[float]):
        out[0] = s.x

    out = wp.zeros(1, dtype=float)
    wp.launch(read, dim=1, inputs=[mixed, out])
    assert out.numpy().tolist() == [1.5]


def test_a_recursive_struct_says_where_it_is():
    with pytest.raises(TypeError, match=r"struct 'Node' \(.*test_structs.py:\d+\): .*struct itself"):

        @wp.struct
        class Node:
            value: float
            next: "Node"


def test_annotations_as_text_see_what_is_local():
    Scalar = wp.float64

    @wp.struct
    class Local:
        x: "Scalar"
        p: "Inner"

    assert Local(x=0.1).x == 0.1
    assert isinstance(Local().p, Inner)


def test_a_declaration_that_is_run_again_is_the_same_type():
    def make(dtype):
        @wp.struct
        class Made:
            x: dtype

        return Made

    a = wp.zeros(2, dtype=make(float))
    assert a.dtype is not make(wp.float64)
    b = wp.array([make(float)(x=1.0)], dtype=make(float))
    wp.copy(a[:1], b)
    assert a[0].x == 1.0
    with pytest.raises(TypeError, match=re.escape("expected Made(x: float32), found Made(x: float64)")):
        a[0] = make(wp.float64)()


@pytest.mark.parametrize("struct", [Inner, Mixed])
def test_the_layout_is_numpys(struct):
    dtype = struct.numpy_dtype()
    by_hand = np.dtype([(n, dtype.fields[n][0]) for n in dtype.names], align=True)
    assert dtype == by_hand
    assert dtype.isalignedstruct
    assert dtype is struct().numpy_dtype()
    assert wp.dtype_to_numpy(struct) is dtype
    assert wp.types.type_size_in_bytes(struct) == dtype.itemsize


def test_values_as_numpy_takes_them():
    p = Inner(1.5, (1, 2, 3))
    assert p.numpy_value() == (1.5, (1.0, 2.0, 3.0))
    mixed = Mixed(b=-1, inner=p, q=(0, 0, 0, 1))
    record = np.array(mixed.numpy_value(), dtype=Mixed.numpy_dtype())
    assert record["b"] == -1
    assert record["inner"]["v"].tolist() == [1, 2, 3]
    assert record["q"].tolist() == [0, 0, 0, 1]
    assert Outer.numpy_dtype()["x"].names == ("data", "grad", "shape", "strides", "ndim")
    assert Outer.numpy_dtype().itemsize == Outer._elem.size


def test_arrays_of_instances():
    ps = [Inner(float(i), (i, 0, 0)) for i in range(6)]
    a = wp.array(ps, dtype=Inner)
    assert a.dtype is Inner
    assert a.shape == (6,)
    assert a.list() == ps
    assert wp.array(ps).dtype is Inner
    b = wp.array([ps[:3], ps[3:]], dtype=Inner)
    assert b.shape == (2, 3)
    assert b[1, 2] == ps[5]
    assert b[0].list() == ps[:3]
    assert wp.array([], dtype=Inner).shape == (0,)
    assert wp.full(3, ps[2]).list() == [ps[2]] * 3
    b.fill_(ps[1])
    b[0, 1] = ps[4]
    assert b.numpy()["a"].tolist() == [[1, 4, 1], [1, 1, 1]]
    b[1] = ps[2]
    b.transpose()[0].assign([ps[5], ps[5]])
    assert b.numpy()["a"].tolist() == [[5, 4, 1], [5, 2, 2]]
    assert wp.clone(b).list() == b.list()
    b.zero_()
    assert not b.numpy()["a"].any()
    assert "dtype=Inner" in repr(b)
    for bad, says in [
        ([ps[0], 1.0], "expected an instance of Inner, found 1.0"),
        ([ps[:2], ps[:1]], "shape of an array"),
        ([ps[0], [ps[0]]], "shape of an array"),
        ([[ps[0]], ps[0]], "shape of an array"),
    ]:
        with pytest.raises(TypeError, match=says):
            wp.array(bad, dtype=Inner)
    for wrong in (lambda: a.fill_(1.0), lambda: wp.ones(3, dtype=Inner), lambda: a.assign(np.zeros(6, np.float32))):
        with pytest.raises(TypeError, match="Inner"):
            wrong()


def test_arrays_of_structs_are_pickled_with_their_gradients():
    a = wp.array([Inner(1.0), Inner(2.0)], dtype=Inner, requires_grad=True)
    a.grad[1] = Inner(5.0)
    for protocol in (2, 5):
        again = pickle.loads(pickle.dumps(a, protocol=protocol))
        assert again.dtype is Inner
        assert again.list() == a.list()
        assert again.grad.list() == a.grad.list()
    assert copy.deepcopy(a).list() == a.list()
    assert pickle.loads(pickle.dumps(wp.array2d(dtype=Inner))).ndim == 2


def test_all_structs_may_have_gradients():
    @wp.struct
    class Counts:
        n: int

    assert wp.zeros(3, dtype=Counts, requires_grad=True).grad.numpy()["n"].tolist() == [0] * 3
    assert wp.zeros(3, dtype=Mixed, requires_grad=True).grad.dtype is Mixed


def test_a_field_of_all_elements_is_an_array_on_their_memory():
    a = wp.zeros((2, 3), dtype=Mixed, requires_grad=True)
    d = a["d"]
    assert d.dtype is wp.float64
    assert d.shape == (2, 3)
    assert d.strides == a.strides
    d[1, 2] = 4.0
    a["inner"]["v"][0, 0] = wp.vec3(1.0, 2.0, 3.0)
    a["b"] = 7
    a["q"] = np.ones((2, 3, 4), np.float32)
    a[0]["h"] = [1.0, 2.0, 3.0]
    assert a[1, 2].d == 4.0
    assert a[0, 0].inner == Inner(v=(1, 2, 3))
    assert a.numpy()["b"].tolist() == [[7] * 3] * 2
    assert a[1, 1].q == wp.quat(1.0, 1.0, 1.0, 1.0)
    assert [p.h for p in a[0]] == [1.0, 2.0, 3.0]
    # Gradients are parts of that of the structs; integers have none.
    d.grad.fill_(5.0)
    assert a.grad.numpy()["d"].tolist() == [[5.0] * 3] * 2
    assert not a["b"].requires_grad
    assert a["inner"].grad.dtype is Inner
    np.testing.assert_array_equal(np.from_dlpack(wp.zeros(3, dtype=Inner)["a"]), [0.0, 0.0, 0.0])
    with pytest.raises(KeyError, match=r"Mixed has no field 'x'; it has b, d, h, q, inner, u"):
        a["x"]
    with pytest.raises(
        TypeError, match="an array of float64 has no fields: it is indexed by ints and slices, not by 'x'"
    ):
        d["x"]
    with pytest.raises(TypeError):
        a["inner"] = 3.0


@pytest.mark.filterwarnings("ignore:grad and param")
def test_fields_of_arrays_share_gradients_with_torch():
    torch = pytest.importorskip("torch")
    a = wp.array([Inner(1.0), Inner(2.0)], dtype=Inner, requires_grad=True)
    t = wp.to_torch(a["a"])
    assert t.tolist() == [1.0, 2.0]
    assert t.stride() == (4,)
    (t * t).sum().backward()
    assert a.grad.numpy()["a"].tolist() == [2.0, 4.0]
    with torch.no_grad():
        t += 1.0
    assert a[1].a == 3.0
