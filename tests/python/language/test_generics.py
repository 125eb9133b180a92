"""Generic kernels and functions: parameters whose types the arguments decide."""

from __future__ import annotations

import pickle
from typing import Any, TypeVar

import numpy as np
import pytest
import warp as wp

from .generic_kernels import scale, square


@wp.kernel
def lengths(x: wp.array(dtype=wp.types.vector(length=Any, dtype=wp.Float)), y: wp.array(dtype=wp.Float)):
    i = wp.tid()
    y[i] = wp.length(x[i])


@wp.struct
class Pair:
    a: wp.float32
    b: wp.float32


@wp.struct
class Weights:
    w: wp.array(dtype=float)
    b: float


@wp.kernel
def add_fields(s: Any, out: wp.array(dtype=float)):
    out[0] = s.a + s.b


@pytest.mark.parametrize("dtype", [wp.float32, wp.float64, wp.float16, wp.int8, wp.int32, wp.uint64])
def test_types_come_from_the_arguments(dtype):
    x = wp.array([1, 2, 3], dtype=dtype)
    y = wp.zeros(3, dtype=dtype)
    for factor in (2, 2.0, dtype(2)):
        wp.launch(scale, dim=3, inputs=[x, factor], outputs=[y])
        assert y.numpy().tolist() == [2, 4, 6]


def test_one_instance_per_choice_of_types():
    @wp.kernel
    def store(v: Any, out: wp.array(dtype=Any)):
        out[0] = out.dtype(v)

    f, d = wp.zeros(1), wp.zeros(1, dtype=wp.float64)
    for _ in range(3):
        wp.launch(store, dim=1, inputs=[1.5, f])
        wp.launch(store, dim=1, inputs=[1, f])
        wp.launch(store, dim=1, inputs=[True, f])
        wp.launch(store, dim=1, inputs=[1.5, d])
    assert store.is_generic
    assert list(store.overloads) == [
        "float32, array(float32, ndim=1)",
        "int32, array(float32, ndim=1)",
        "bool, array(float32, ndim=1)",
        "float32, array(float64, ndim=1)",
    ]
    assert not any(k.is_generic for k in store.overloads.values())
    assert d.numpy()[0] == 1.5


def test_vectors_of_any_length():
    for dtype, component in [(wp.vec2, float), (wp.vec4, float), (wp.vec3d, wp.float64)]:
        y = wp.zeros(1, dtype=component)
        wp.launch(lengths, dim=1, inputs=[wp.ones(1, dtype=dtype)], outputs=[y])
        assert y.numpy()[0] == pytest.approx(dtype(1.0)._elem.count ** 0.5)
    y = wp.zeros(1)
    for wrong in (wp.ones(1, dtype=wp.vec3i), wp.ones(1), wp.ones((1, 1), dtype=wp.vec3), None):
        with pytest.raises(TypeError, match=r"argument 'x': expected array\(vec\(Any, Float\), ndim=1\)"):
            wp.launch(lengths, dim=1, inputs=[wrong], outputs=[y])


def test_matrices_quaternions_and_dimensions():
    @wp.kernel
    def corner(
        m: wp.types.matrix(shape=(Any, Any), dtype=Any),
        q: wp.types.quaternion(dtype=wp.Float),
        t: wp.types.transformation(dtype=wp.Float),
        g: wp.array2d[Any],
        out: wp.array(dtype=Any, ndim=2),
    ):
        out[0, 0] = m[0, 0]
        out[0, 1] = out.dtype(q[3]) + out.dtype(t[0])
        out[1, 0] = out.dtype(g[1, 1])

    m = wp.types.matrix((2, 3), wp.float64)(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    out = wp.zeros((2, 2), dtype=wp.float64)
    t = wp.transformd(wp.vec3d(7.0, 0.0, 0.0), wp.quatd(0.0, 0.0, 0.0, 1.0))
    grid = wp.array([[1, 2], [3, 4]], dtype=int)
    wp.launch(corner, dim=1, inputs=[m, wp.quat(0.0, 0.0, 0.0, 5.0), t, grid, out])
    assert out.numpy().tolist() == [[1.0, 12.0], [4.0, 0.0]]
    with pytest.raises(TypeError, match=r"'m': expected mat\(Any x Any, Any\)"):
        wp.launch(corner, dim=1, inputs=[wp.vec3(), wp.quat(), t, grid, out])
    with pytest.raises(TypeError, match=r"'g': expected array\(Any, ndim=2\)"):
        wp.launch(corner, dim=1, inputs=[m, wp.quat(), t, wp.zeros(2), out])


def test_structs():
    out = wp.zeros(1)
    pair = Pair()
    pair.a, pair.b = 2.0, 3.0
    wp.launch(add_fields, dim=1, inputs=[pair, out])
    assert out.numpy()[0] == 5.0

    @wp.kernel
    def weigh(s: Any, out: wp.array(dtype=Any)):
        out[wp.tid()] = s.w[wp.tid()] + s.b

    weights = Weights()
    weights.w, weights.b = wp.array([1.0, 2.0], dtype=float), 10.0
    out = wp.zeros(2)
    wp.launch(weigh, dim=2, inputs=[weights], outputs=[out])
    assert out.numpy().tolist() == [11.0, 12.0]

    @wp.kernel
    def first(pairs: wp.array(dtype=Any), out: wp.array(dtype=float)):
        out[0] = pairs[0].a

    wp.launch(first, dim=1, inputs=[wp.array([pair], dtype=Pair), out])
    assert out.numpy()[0] == 2.0


def test_families_hold_no_bool():
    @wp.kernel
    def both(a: wp.Float, b: wp.Float, i: wp.Int, s: wp.Scalar, out: wp.array(dtype=wp.float64)):
        out[0] = wp.float64(a) + wp.float64(b) + wp.float64(i) + wp.float64(s)

    out = wp.zeros(1, dtype=wp.float64)
    wp.launch(both, dim=1, inputs=[1.0, wp.float64(2.0), wp.uint8(3), 4, out])
    assert out.numpy()[0] == 10.0
    for at, wrong, name in [
        (0, 1, "Float"),
        (0, True, "Float"),
        (2, 1.0, "Int"),
        (2, True, "Int"),
        (3, True, "Scalar"),
    ]:
        args = [1.0, 1.0, 1, 1, out]
        args[at] = wrong
        with pytest.raises(TypeError, match=f"expected {name}, found"):
            wp.launch(both, dim=1, inputs=args)


def test_a_type_variable_with_constraints():
    wide = TypeVar("wide", wp.float64, wp.int64)

    @wp.kernel
    def only_wide(a: wide, out: wp.array(dtype=wide)):
        out[0] = a

    out = wp.zeros(1, dtype=wp.int64)
    wp.launch(only_wide, dim=1, inputs=[wp.int64(5), out])
    assert out.numpy()[0] == 5
    with pytest.raises(TypeError, match=r"expected int64 \| float64, found"):
        wp.launch(only_wide, dim=1, inputs=[5, out])
    with pytest.raises(TypeError, match="not a kernel type"):

        @wp.kernel
        def unknown(a: TypeVar("free")):
            pass


def test_arrays_of_numpy_and_torch():
    y = np.zeros(3, dtype=np.float64)
    wp.launch(square, dim=3, inputs=[np.array([1.0, 2.0, 3.0])], outputs=[y])
    assert y.tolist() == [1.0, 4.0, 9.0]
    # The parameter's elements are vectors, so that the last dimension is one.
    norms = np.zeros(2, dtype=np.float32)
    wp.launch(lengths, dim=2, inputs=[np.ones((2, 4), dtype=np.float32)], outputs=[norms])
    assert norms.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match=r"'x': expected array\(Any, ndim=1\), found a numpy.ndarray"):
        wp.launch(square, dim=3, inputs=[np.ones((3, 3))], outputs=[y])
    torch = pytest.importorskip("torch")
    x, out = torch.tensor([3.0]), torch.zeros(1)
    wp.launch(square, dim=1, inputs=[x], outputs=[out])
    assert out.item() == 9.0


@pytest.mark.parametrize("wrong", [None, "text", (1.0, 2.0), object()])
def test_arguments_without_a_type(wrong):
    x = wp.zeros(3)
    with pytest.raises(TypeError, match="launch of kernel 'scale': argument 's': expected Any, found"):
        wp.launch(scale, dim=3, inputs=[x, wrong], outputs=[x])
    with pytest.raises(TypeError, match=r"argument 'x': expected array\(Any, ndim=1\), found"):
        wp.launch(scale, dim=3, inputs=[wrong, 1.0], outputs=[x])
    with pytest.raises(TypeError, match="takes 3 arguments"):
        wp.launch(scale, dim=3, inputs=[x])


def test_a_mistake_for_some_types_harms_no_others():
    @wp.kernel
    def half(x: wp.array(dtype=Any)):
        x[0] = wp.sqrt(x[0])

    ints, floats = wp.array([4], dtype=int), wp.array([4.0], dtype=float)
    with pytest.raises(TypeError, match="sqrt"):
        wp.launch(half, dim=1, inputs=[ints])
    wp.launch(half, dim=1, inputs=[floats])
    assert floats.numpy()[0] == 2.0


def test_inferred_types():
    x = wp.zeros(3, dtype=wp.vec3)
    array, number, other = scale.infer_argument_types([x, True, wp.zeros(2)])
    assert (array.dtype, array.ndim) == (wp.vec3, 1)
    assert number is wp.bool
    assert other.dtype is wp.float32
    with pytest.raises(TypeError, match="takes 3 arguments"):
        scale.infer_argument_types([x])
    kernel = scale.add_overload([array, float, array])
    assert [t.dtype for t in kernel.infer_argument_types([x, 1.0, x])[::2]] == [wp.vec3, wp.vec3]


def test_annotations_name_what_they_admit():
    assert wp.array(dtype=Any).dtype is Any
    assert wp.array2d[wp.Float].dtype is wp.Float
    assert wp.array2d[wp.Float].ndim == 2
    vector = wp.types.vector(length=Any, dtype=wp.Float)
    assert wp.array(dtype=vector).dtype == vector
    assert vector == wp.types.vector(length=Any, dtype=wp.Float)
    assert vector != wp.types.vector(length=2, dtype=wp.Float)
    with pytest.raises(TypeError, match=r"vec\(Any, Float\) is no single type"):
        vector(1.0, 2.0)
    with pytest.raises(TypeError, match="dtype is"):
        wp.types.vector(length=Any, dtype="float")
    with pytest.raises(ValueError, match="1 to 4 dimensions"):
        wp.array(dtype=Any, ndim=5)
    with pytest.raises(TypeError, match="annotation"):
        wp.launch(square, dim=1, inputs=[wp.array(dtype=Any)], outputs=[wp.zeros(1)])
    with pytest.raises(TypeError):
        wp.zeros(3, dtype=Any)


@pytest.mark.parametrize("dtype", [wp.float32, wp.float64])
def test_gradients(dtype):
    x = wp.array([1.0, 2.0, 3.0], dtype=dtype, requires_grad=True)
    y = wp.zeros(3, dtype=dtype, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(3, dtype=dtype)})
    assert x.grad.numpy().tolist() == [2.0, 4.0, 6.0]
    given = wp.zeros(3, dtype=dtype)
    seed = wp.ones(3, dtype=dtype)
    wp.launch(square, dim=3, inputs=[x], outputs=[y], adj_inputs=[given], adj_outputs=[seed], adjoint=True)
    assert given.numpy().tolist() == [2.0, 4.0, 6.0]


def test_recorded_launches():
    x, y = wp.array([2.0], dtype=float), wp.zeros(1)
    command = wp.launch(square, dim=1, inputs=[x], outputs=[y], record_cmd=True)
    assert not command.kernel.is_generic
    command.launch()
    assert y.numpy()[0] == 4.0
    command.set_param_at_index(0, wp.array([3.0], dtype=float))
    command.launch()
    assert y.numpy()[0] == 9.0
    with pytest.raises(TypeError):
        command.set_param_at_index(0, wp.zeros(1, dtype=wp.float64))


def test_names_that_change_their_meaning():
    @wp.func
    def f(x: Any):
        return x

    @wp.kernel
    def apply(x: wp.array(dtype=Any)):
        x[0] = f(x[0])

    x = wp.array([3.0], dtype=float)
    wp.launch(apply, dim=1, inputs=[x])
    assert x.numpy()[0] == 3.0

    @wp.func
    def f(x: Any):  # noqa: F811
        return x + x

    wp.launch(apply, dim=1, inputs=[x])
    assert x.numpy()[0] == 6.0


def test_pickles():
    assert pickle.loads(pickle.dumps(square)) is square
    kernel = wp.overload(square, [wp.array(dtype=wp.int16), wp.array(dtype=wp.int16)])
    assert pickle.loads(pickle.dumps(kernel)) is kernel


def test_torch_operators_want_types():
    torch = pytest.importorskip("torch")
    from warp.torch import torch_kernel

    with pytest.raises(TypeError, match=r"kernel 'square' is generic: parameter 'x' admits .*wp.overload\(square"):
        torch_kernel(square)
    array = wp.array(dtype=float)
    operator = torch_kernel(wp.overload(square, [array, array]))
    x = torch.tensor([3.0], requires_grad=True)
    y = operator(x)
    y.sum().backward()
    assert (y.item(), x.grad.item()) == (9.0, 6.0)


def test_jax_operators_want_types():
    pytest.importorskip("jax")
    import jax.numpy as jnp
    from warp.jax import jax_kernel

    with pytest.raises(TypeError, match="kernel 'square' is generic"):
        jax_kernel(square)
    array = wp.array(dtype=float)
    (y,) = jax_kernel(wp.overload(square, [array, array]))(jnp.array([3.0], dtype=jnp.float32))
    assert y.tolist() == [9.0]
