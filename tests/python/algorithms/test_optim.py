"""Optimizers: each step against NumPy in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

DTYPES = [
    wp.float64,
    wp.float32,
    wp.float16,
    wp.bfloat16,
    wp.vec3d,
    wp.vec3,
    wp.vec4h,
    wp.mat22,
    wp.quatd,
    wp.transform,
    wp.types.vector(7, float),
    wp.types.matrix((2, 3), wp.float16),
]
SHAPES = [(5,), (2, 3), (2, 1, 2, 2)]


def tolerance(dtype) -> float:
    return {"float64": 1e-13, "float32": 2e-6, "float16": 4e-3, "bfloat16": 3e-2}[dtype._elem.scalar]


def numbers(rng, shape, dtype):
    return rng.uniform(0.5, 1.5, (*shape, *dtype._elem.shape))


def arrays(rng, shape, dtype):
    """An array, and what it holds in double precision."""
    array = wp.array(numbers(rng, shape, dtype), dtype=dtype)
    assert array.shape == shape
    return array, held(array)


def held(array):
    return np.array(array.numpy(), dtype=np.float64)


def adam(params, grads, lr, beta1, beta2, eps):
    """Algorithm 1 of Kingma and Ba, over all steps."""
    p = params
    m = v = np.zeros_like(p)
    for t, g in enumerate(grads, 1):
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        p = p - lr * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + eps)
    return p


def sgd(params, grads, lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False):
    p, b = params, None
    for g in grads:
        g = g + weight_decay * p
        b = g if b is None else momentum * b + (1 - dampening) * g
        p = p - lr * ((g + momentum * b if nesterov else b) if momentum else g)
    return p


SGD_SETTINGS = [
    {},
    {"momentum": 0.9},
    {"momentum": 0.9, "dampening": 0.5},
    {"momentum": 0.5, "nesterov": True},
    {"nesterov": True},
    {"dampening": 0.5},
    {"weight_decay": 0.1},
    {"momentum": 0.9, "dampening": 0.25, "weight_decay": 0.1, "nesterov": True},
]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_adam(dtype, shape):
    rng = np.random.default_rng(7)
    param, start = arrays(rng, shape, dtype)
    optimizer = wp.optim.Adam([param], lr=0.05, betas=(0.8, 0.99), eps=1e-6)
    grads = [arrays(rng, shape, dtype) for _ in range(5)]
    for grad, _ in grads:
        optimizer.step([grad])
    want = adam(start, [g for _, g in grads], 0.05, 0.8, 0.99, 1e-6)
    np.testing.assert_allclose(held(param), want, rtol=tolerance(dtype))
    assert optimizer.t == 5


@pytest.mark.parametrize("settings", SGD_SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_sgd(dtype, settings):
    rng = np.random.default_rng(8)
    param, start = arrays(rng, (3, 2), dtype)
    optimizer = wp.optim.SGD([param], lr=0.05, **settings)
    grads = [arrays(rng, (3, 2), dtype) for _ in range(4)]
    for grad, _ in grads:
        optimizer.step([grad])
    np.testing.assert_allclose(
        held(param), sgd(start, [g for _, g in grads], 0.05, **settings), rtol=tolerance(dtype), atol=tolerance(dtype)
    )


def test_the_means_of_small_types_are_float32():
    """A squared gradient of 1e-3 is no number of float16's normal range, and eps would be zero."""
    param = wp.zeros(2, dtype=wp.float16)
    optimizer = wp.optim.Adam([param], lr=0.125)
    optimizer.step([wp.full(2, 1e-4, dtype=wp.float16)])
    assert optimizer.m[0].dtype is wp.float32
    assert optimizer.v[0].dtype is wp.float32
    np.testing.assert_allclose(param.numpy(), -0.125, rtol=1e-3)
    assert wp.optim.SGD([wp.zeros(2, dtype=wp.vec3h)]).b[0].dtype is wp.vec3
    assert wp.optim.SGD([wp.zeros(2, dtype=wp.quath)]).b[0].dtype is wp.quat
    assert wp.optim.SGD([wp.zeros(2, dtype=wp.transformh)]).b[0].dtype is wp.transform
    assert wp.optim.Adam([wp.zeros(2, dtype=wp.vec3d)]).m[0].dtype is wp.vec3d


def test_several_parameters_of_different_types():
    rng = np.random.default_rng(9)
    given = [arrays(rng, (4,), wp.vec3), arrays(rng, (2, 2), wp.float64), (wp.zeros(0, dtype=float), np.zeros(0))]
    grads = [arrays(rng, (4,), wp.vec3), arrays(rng, (2, 2), wp.float64), (wp.zeros(0, dtype=float), np.zeros(0))]
    optimizer = wp.optim.Adam([a for a, _ in given], lr=0.1)
    for _ in range(3):
        optimizer.step([g for g, _ in grads])
    for (param, start), (_, grad) in zip(given, grads, strict=True):
        np.testing.assert_allclose(held(param), adam(start, [grad] * 3, 0.1, 0.9, 0.999, 1e-8), rtol=2e-6)


@pytest.mark.parametrize("optimizer", [wp.optim.Adam, wp.optim.SGD])
def test_views_with_gaps(optimizer):
    whole = wp.ones((4, 4), dtype=wp.vec3)
    grad = wp.ones((4, 4), dtype=wp.vec3)
    made = optimizer([whole[::2, 1::2]], lr=0.25)
    made.step([grad[1::2, ::2]])
    want = np.ones((4, 4, 3))
    want[::2, 1::2] = 0.75
    np.testing.assert_allclose(whole.numpy(), want, rtol=1e-6)


@pytest.mark.parametrize("optimizer", [wp.optim.Adam, wp.optim.SGD])
def test_arrays_of_other_libraries(optimizer):
    param, grad = np.ones(3), np.ones(3)
    optimizer([param], lr=0.25).step([grad])
    np.testing.assert_allclose(param, 0.75)


def test_a_gradient_that_changes_is_read_again():
    """Also where it is the same array as in the step before, or a new one in its place."""
    param, grad = wp.zeros(1, dtype=wp.float64), wp.ones(1, dtype=wp.float64)
    optimizer = wp.optim.SGD([param], lr=1.0)
    optimizer.step([grad])
    grad.fill_(10.0)
    optimizer.step([grad])
    optimizer.step([wp.full(1, 100.0, dtype=wp.float64)])
    optimizer.step((grad,))
    assert param.list() == [-121.0]


def test_state_is_kept_where_parameters_are_alike():
    optimizer = wp.optim.Adam([wp.ones(2, dtype=float), wp.ones(3, dtype=float)])
    optimizer.step([wp.ones(2, dtype=float), wp.ones(3, dtype=float)])
    assert optimizer.t == 1
    optimizer.set_params([wp.ones(2, dtype=float), wp.ones(4, dtype=float)])
    np.testing.assert_allclose(optimizer.m[0].numpy(), 0.1, rtol=1e-6)
    assert optimizer.m[1].list() == [0.0] * 4
    assert optimizer.t == 1
    optimizer.reset_internal_state()
    assert optimizer.m[0].list() == optimizer.v[0].list() == [0.0, 0.0]
    assert optimizer.t == 0


@pytest.mark.parametrize("settings", [{"momentum": 0.9, "dampening": 0.5}, {}])
def test_after_a_reset_the_first_step_is_the_first_again(settings):
    param = wp.zeros(1, dtype=wp.float64)
    optimizer = wp.optim.SGD([param], lr=1.0, **settings)
    grad = wp.ones(1, dtype=wp.float64)
    optimizer.step([grad])
    optimizer.step([grad])
    optimizer.reset_internal_state()
    before = param.list()[0]
    optimizer.step([grad])
    assert param.list()[0] == before - 1.0


def test_settings_may_be_assigned_between_steps():
    param, grad = wp.zeros(1, dtype=wp.float64), wp.ones(1, dtype=wp.float64)
    optimizer = wp.optim.SGD([param], lr=1.0)
    optimizer.step([grad])
    optimizer.lr = 0.5
    optimizer.step([grad])
    assert param.list() == [-1.5]


def test_parameters_may_be_set_later():
    optimizer = wp.optim.Adam()
    assert optimizer.params is None
    with pytest.raises(RuntimeError, match=r"Adam: step\(\) has nothing to change"):
        optimizer.step([])
    param = wp.ones(1, dtype=float)
    optimizer.set_params((param,))
    optimizer.step([wp.ones(1, dtype=float)])
    assert param.list() != [1.0]
    optimizer.set_params(None)
    with pytest.raises(RuntimeError, match="set_params"):
        optimizer.step([wp.ones(1, dtype=float)])


@wp.kernel
def parabola(x: wp.array(dtype=wp.vec2), target: wp.vec2, loss: wp.array(dtype=float)):
    d = x[wp.tid()] - target
    wp.atomic_add(loss, 0, wp.dot(d, d))


@pytest.mark.parametrize("make", [lambda p: wp.optim.Adam(p, lr=0.1), lambda p: wp.optim.SGD(p, 0.1, momentum=0.5)])
def test_training_with_a_tape(make):
    """One recording serves all steps, since a step is not recorded and the loss follows the parameters."""
    x = wp.zeros(3, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(parabola, dim=3, inputs=[x, wp.vec2(1.0, -2.0)], outputs=[loss])
    optimizer = make([x])
    for _ in range(300):
        tape.zero()
        tape.backward(loss)
        optimizer.step([x.grad])
    np.testing.assert_allclose(x.numpy(), [[1.0, -2.0]] * 3, atol=1e-3)


def test_a_step_is_not_recorded():
    param = wp.ones(1, dtype=float, requires_grad=True)
    optimizer = wp.optim.Adam([param])
    with wp.Tape() as tape:
        optimizer.step([wp.ones(1, dtype=float)])
    assert len(tape) == 0


@pytest.mark.parametrize("optimizer", [wp.optim.Adam, wp.optim.SGD])
@pytest.mark.parametrize(
    ("grad", "error", "message"),
    [
        ([], ValueError, "0 gradients were given for 1 parameters"),
        ([wp.ones(2, dtype=float)] * 2, ValueError, "2 gradients were given for 1 parameters"),
        ([wp.ones(3, dtype=float)], ValueError, r"grad\[0\] has the shape \(3,\), its parameter \(2,\)"),
        ([wp.ones((1, 2), dtype=float)], ValueError, r"grad\[0\] has the shape \(1, 2\)"),
        ([wp.ones(2, dtype=wp.float64)], TypeError, r"grad\[0\] is of float64, its parameter of float32"),
        ([None], TypeError, r"grad\[0\]: expected an array, found NoneType"),
        (wp.ones(2, dtype=float), TypeError, "grad: expected a list of arrays, found array"),
        (None, TypeError, "grad: expected a list of arrays, found NoneType"),
        ([wp.ones(2, dtype=int)], TypeError, "expected a float type"),
    ],
)
def test_wrong_gradients(optimizer, grad, error, message):
    param = wp.ones(2, dtype=float)
    made = optimizer([param])
    with pytest.raises(error, match=message):
        made.step(grad)
    assert param.list() == [1.0, 1.0]
    assert made.t == 0


@pytest.mark.parametrize("optimizer", [wp.optim.Adam, wp.optim.SGD])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        (wp.ones(2, dtype=float), "params: expected a list of arrays, found array"),
        ([3.0], r"params\[0\]: expected an array, found float"),
        ([wp.ones(2, dtype=int)], r"params\[0\]: the elements are int32"),
        ([object()], "expected an array"),
    ],
    ids=["no list", "a number", "ints", "an object"],
)
def test_wrong_parameters(optimizer, params, message):
    with pytest.raises(TypeError, match=message):
        optimizer(params)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: wp.optim.Adam(betas=(1.0, 0.9)), ValueError, "betas are"),
        (lambda: wp.optim.Adam(betas=(0.9, -0.1)), ValueError, "betas are"),
        (lambda: wp.optim.Adam(eps=-1.0), ValueError, "eps is -1.0"),
        (lambda: wp.optim.Adam(lr="fast"), TypeError, "lr: expected a number, found 'fast'"),
        (lambda: wp.optim.SGD(momentum=None), TypeError, "momentum: expected a number, found None"),
    ],
)
def test_wrong_settings(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_settings_by_default():
    param, start = arrays(np.random.default_rng(10), (3,), wp.float64)
    grad, held_grad = arrays(np.random.default_rng(11), (3,), wp.float64)
    optimizer = wp.optim.Adam([param])
    optimizer.step([grad])
    np.testing.assert_allclose(held(param), adam(start, [held_grad], 0.001, 0.9, 0.999, 1e-8), rtol=1e-13)
    start = held(param)
    optimizer = wp.optim.SGD([param])
    optimizer.step([grad])
    np.testing.assert_allclose(held(param), sgd(start, [held_grad], 0.001), rtol=1e-13)
