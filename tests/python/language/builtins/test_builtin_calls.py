"""How builtins are called: parameters by name, constructors that are told a type, expectations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from .scalar_names import NUMBERS


@wp.kernel
def expectations():
    nan = wp.NAN
    wp.expect_eq(1, 2)
    wp.expect_eq(True, True)
    wp.expect_eq(wp.vec2(1.0, 2.0), wp.vec2(1.0, 3.0))
    wp.expect_eq(nan, nan)
    wp.expect_neq(wp.uint8(1), wp.uint8(1))
    wp.expect_neq(nan, nan)
    wp.expect_near(1.0, 1.5, 0.5)
    wp.expect_near(1.0, 1.25)
    wp.expect_near(nan, 1.0)
    wp.expect_near(wp.vec2(0.0, 0.0), wp.vec2(0.9, 0.9), tolerance=1.0)
    wp.expect_near(wp.mat22(1.0, 2.0, 3.0, 4.0), wp.mat22(0.0, 2.0, 3.0, 4.0))


def test_expectations_print_and_go_on(capfd):
    wp.launch(expectations, dim=1)
    wp.synchronize()
    assert capfd.readouterr().out.splitlines() == [
        "expect_eq failed: 1 is not equal to 2",
        "expect_eq failed: (1, 2) is not equal to (1, 3)",
        "expect_eq failed: nan is not equal to nan",
        "expect_neq failed: 1 is equal to 1",
        "expect_near failed: 1 is not near 1.25",
        "expect_near failed: nan is not near 1",
        "expect_near failed: (1, 2, 3, 4) is not near (0, 2, 3, 4)",
    ]


@wp.kernel
def named(out: wp.array(dtype=float), counts: wp.array2d(dtype=int)):
    v = wp.vec3(3.0, 4.0, 0.0)
    out[0] = wp.length(a=v)
    out[1] = wp.min(a=1.0, b=2.0)
    out[2] = wp.max(a=v)
    out[3] = wp.get_diag(mat=wp.diag(vec=v))[1]
    out[4] = wp.quat_rotate(quat=wp.quat_identity(), vec=v)[0]
    out[5] = wp.length(x=v)
    wp.atomic_add(arr=counts, i=1, j=2, value=5)


def test_parameters_by_name():
    out, counts = np.zeros(6, np.float32), np.zeros((2, 3), np.int32)
    wp.launch(named, dim=1, inputs=[out, counts])
    assert out.tolist() == [5, 1, 4, 4, 3, 5]
    assert counts[1, 2] == 5


N = wp.constant(3)


@wp.kernel
def made(
    v: wp.array(dtype=wp.vec3), d: wp.array(dtype=wp.vec3d), m: wp.array(dtype=wp.types.matrix((2, 3), float)),
    q: wp.array(dtype=wp.quat), r: wp.array(dtype=wp.quatd),
):  # fmt: skip
    v[0] = wp.vector(1.0, 2.0, 3.0)
    v[1] = wp.vector(length=N)
    v[2] = wp.vector(4.0, length=3)
    v[3] = wp.vector(wp.vec3d(1.0, 2.0, 3.0), dtype=float)
    d[0] = wp.vector(0.1, 0.2, 0.3, dtype=wp.float64)
    d[1] = wp.vector(0.1, length=3, dtype=wp.float64)
    d[2] = wp.vector(wp.vec3i(1, 2, 3), dtype=wp.float64)
    m[0] = wp.matrix(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, shape=(2, 3))
    m[1] = wp.matrix(shape=(2, N), dtype=float)
    m[2] = wp.matrix(7.0, shape=(2, 3))
    m[3] = wp.matrix(m[0], dtype=float)
    q[0] = wp.quaternion(1.0, 2.0, 3.0, 4.0)
    q[1] = wp.quaternion(wp.vec3(1.0, 2.0, 3.0), 4.0)
    q[2] = wp.quaternion(wp.quatd(1.0, 2.0, 3.0, 4.0), dtype=float)
    q[3] = wp.quaternion()
    r[0] = wp.quaternion(0.1, 0.2, 0.3, 0.4, dtype=wp.float64)
    r[1] = wp.quaternion(q[0], dtype=wp.float64)
    r[2] = wp.quaternion(dtype=wp.float64)


def test_constructors_that_are_told_the_type():
    v, d, m = np.ones((4, 3), np.float32), np.ones((3, 3)), np.zeros((4, 2, 3), np.float32)
    q, r = np.ones((4, 4), np.float32), np.ones((3, 4))
    wp.launch(made, dim=1, inputs=[v, d, m, q, r])
    assert v.tolist() == [[1, 2, 3], [0, 0, 0], [4, 4, 4], [1, 2, 3]]
    assert d.tolist() == [[0.1, 0.2, 0.3], [0.1] * 3, [1, 2, 3]]
    rows = [[1, 2, 3], [4, 5, 6]]
    assert m.tolist() == [rows, np.zeros((2, 3)).tolist(), np.full((2, 3), 7).tolist(), rows]
    assert q.tolist() == [[1, 2, 3, 4]] * 3 + [[0] * 4]
    assert r.tolist() == [[0.1, 0.2, 0.3, 0.4], [1, 2, 3, 4], [0] * 4]


def test_constructors_that_are_told_too_little():
    @wp.kernel
    def no_length():
        v = wp.vector()  # noqa: F841

    @wp.kernel
    def no_shape():
        m = wp.matrix(1.0, 2.0)  # noqa: F841

    @wp.kernel
    def too_few():
        m = wp.matrix(1.0, 2.0, shape=(2, 3))  # noqa: F841

    with pytest.raises(TypeError, match="without its argument `length`"):
        wp.launch(no_length, dim=1)
    with pytest.raises(TypeError, match="without its argument `shape`"):
        wp.launch(no_shape, dim=1)
    with pytest.raises(TypeError, match="6 components row by row"):
        wp.launch(too_few, dim=1)


@wp.kernel
def compared(a: Any, b: Any):
    wp.expect_eq(a, a)
    wp.expect_eq(a, b)
    wp.expect_neq(a, b)
    wp.expect_neq(b, b)


@wp.kernel
def near(a: Any, b: Any, tolerance: Any):
    wp.expect_near(a, a)
    wp.expect_near(a, b)
    wp.expect_near(a, b, tolerance)


@wp.kernel
def near_a_written_tolerance(a: Any, b: Any):
    wp.expect_near(a, b, 0.5)
    wp.expect_near(a, b, tolerance=0.25)


def printed(capfd, kernel, *inputs):
    wp.launch(kernel, dim=1, inputs=list(inputs))
    wp.synchronize()
    return capfd.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("a", "b"),
    [(getattr(wp, name)(1), getattr(wp, name)(2)) for name in NUMBERS]
    + [
        (True, False),
        (wp.types.vector(2, wp.bool)(True, True), wp.types.vector(2, wp.bool)(True, False)),
        (wp.types.matrix((2, 2), wp.bool)(True), wp.types.matrix((2, 2), wp.bool)(True, True, True, False)),
        (wp.vec3h(1, 2, 3), wp.vec3h(1, 2, 4)),
        (wp.types.vector(5, wp.int8)(1), wp.types.vector(5, wp.int8)(2)),
        (wp.mat33d(1), wp.mat33d(2)),
        (wp.quat(1, 2, 3, 4), wp.quat(1, 2, 3, 5)),
        (wp.transformd(1, 2, 3, 0, 0, 0, 1), wp.transformd(1, 2, 4, 0, 0, 0, 1)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_expectations_of_every_type(capfd, a, b):
    lines = printed(capfd, compared, a, b)
    assert [line.split(":")[0] for line in lines] == ["expect_eq failed", "expect_neq failed"]


@pytest.mark.parametrize("scalar", [wp.float16, wp.bfloat16, wp.float32, wp.float64])
@pytest.mark.parametrize("kind", ["scalar", "vector", "matrix", "quaternion"])
def test_expectations_within_a_tolerance(capfd, scalar, kind):
    made = {
        "scalar": lambda x: scalar(x),
        "vector": lambda x: wp.types.vector(3, scalar)(1, x, 1),
        "matrix": lambda x: wp.types.matrix((2, 3), scalar)(1, 1, 1, 1, x, 1),
        "quaternion": lambda x: wp.types.quaternion(scalar)(1, 1, x, 1),
    }[kind]
    for tolerance, failed in ((0.5, 1), (0.25, 2)):
        lines = printed(capfd, near, made(1), made(1.5), scalar(tolerance))
        assert [line.split(":")[0] for line in lines] == ["expect_near failed"] * failed
    lines = printed(capfd, near_a_written_tolerance, made(1), made(1.5))
    assert [line.split(":")[0] for line in lines] == ["expect_near failed"]


def test_a_written_tolerance_is_exact(capfd):
    # 0.1 as float32 is more than 0.1.
    @wp.kernel
    def compare(a: wp.float64, b: wp.float64):
        wp.expect_near(a, b, 0.1)

    assert printed(capfd, compare, 0.0, 0.1) == []
    assert len(printed(capfd, compare, 0.0, 0.1 + 1e-12)) == 1


@wp.kernel
def every_name(f: wp.array(dtype=float), n: wp.array(dtype=int)):
    v = wp.vec3(3.0, -4.0, 0.0)
    q = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5)
    x = wp.vec3(1.0, 0.0, 0.0)
    f[0] = wp.max(a=1.0, b=2.0)
    f[1] = wp.min(a=v)
    f[2] = wp.length_sq(a=v)
    f[3] = wp.normalize(a=v)[1]
    f[4] = wp.skew(vec=v)[1, 2]
    f[5] = wp.quat_rotate_inv(quat=q, vec=x)[1]
    f[6] = wp.quat_inverse(quat=q)[2]
    f[7] = wp.quat_from_matrix(mat=wp.quat_to_matrix(quat=q))[2]
    axis, angle = wp.quat_to_axis_angle(quat=q)
    f[8] = angle * axis[2]
    n[0] = int(wp.argmin(a=v)) + 10 * int(wp.argmax(a=v))
    n[1] = int(wp.isnan(a=v)) + 10 * int(wp.isinf(a=v)) + 100 * int(wp.isfinite(a=v))
    wp.printf(fmt="seven\n")


def test_every_parameter_that_has_a_name(capfd):
    f, n = np.zeros(9, np.float32), np.zeros(2, np.int32)
    wp.launch(every_name, dim=1, inputs=[f, n])
    wp.synchronize()
    sin = math.sin(0.25)
    np.testing.assert_allclose(f, [2, -4, 25, -0.8, -3, -math.sin(0.5), -sin, sin, 0.5], rtol=1e-6)
    assert n.tolist() == [1, 100]
    assert capfd.readouterr().out == "seven\n"


@wp.kernel
def more_names(f: wp.array(dtype=float), cdf: wp.array(dtype=float), g: wp.array(dtype=float)):
    q = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.5)
    x = wp.vec3(1.0, 0.0, 0.0)
    t = wp.transformation(p=wp.vec3(1.0, 2.0, 3.0), q=wp.quat_identity())
    w = wp.spatial_vector(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    m = wp.transform_to_matrix(xform=t)
    wp.expect_eq(a=1, b=1)
    wp.expect_neq(a=1, b=2)
    wp.expect_near(a=1.0, b=1.0, tolerance=0.1)
    f[0] = wp.quat_from_euler(e=wp.vec3(0.5, 0.0, 0.0), i=0, j=1, k=2)[0] - q[0]
    f[1] = wp.quat_to_euler(q=q, i=0, j=1, k=2)[0] - 0.5
    f[2] = wp.quat_twist(axis=x, q=q)[0] - q[0]
    f[3] = wp.quat_twist_angle(axis=x, q=q) - wp.quat_twist_angle_signed(axis=x, q=q)
    f[4] = wp.quat_between_vectors(a=x, b=x)[3] - 1.0
    f[5] = wp.div_approx(a=3.0, b=2.0) - 1.5
    f[6] = wp.inverse_approx(a=wp.mat22(2.0, 0.0, 0.0, 2.0))[0, 0] - 0.5
    f[7] = float(wp.bit_count(x=7)) - wp.cast(a=1077936128, dtype=wp.float32)
    f[8] = wp.transform_point(xform=t, point=x)[0] - wp.transform_point(mat=m, point=x)[0]
    f[9] = wp.transform_vector(xform=t, vec=x)[0] - wp.transform_vector(mat=m, vec=x)[0]
    f[10] = wp.transform_get_translation(xform=t)[2] + wp.transform_inverse(xform=t)[2]
    f[11] = wp.transform_from_matrix(mat=m)[1] - wp.transform_multiply(a=t, b=wp.transform_identity())[1]
    f[12] = wp.transform_compose(position=t.p, rotation=t.q, scale=wp.vec3(1.0))[2, 3] - 3.0
    f[13] = wp.transform_twist(t=t, x=w)[3] - (4.0 + 2.0 * 3.0 - 3.0 * 2.0)
    f[14] = wp.transform_wrench(t=t, x=w)[0] - (1.0 + 2.0 * 6.0 - 3.0 * 5.0)
    f[15] = wp.velocity_at_point(qd=w, r=x)[1] - 8.0
    f[16] = wp.spatial_top(svec=w)[2] + 3.0 - wp.spatial_bottom(svec=w)[2]
    f[17] = wp.spatial_dot(a=w, b=w) - 91.0
    f[18] = wp.spatial_adjoint(r=wp.mat33(1.0), s=wp.mat33(2.0))[3, 0] - 2.0
    s = wp.rand_init(seed=1, offset=2)
    wp.transform_set_translation(xform=t, p=x)
    wp.transform_set_rotation(xform=t, q=q)
    f[19] = t[0] - 1.0 + t[3] - q[0]
    g[0] = wp.randf(state=s, low=1.0, high=2.0)
    g[1] = wp.noise(state=s, xy=wp.vec2(0.3, 0.4)) - wp.noise(s, wp.vec2(0.3, 0.4))
    g[2] = wp.pnoise(state=s, x=1.5, px=3) - wp.pnoise(s, 1.5, 3)
    g[3] = wp.curlnoise(state=s, xy=wp.vec2(0.3, 0.4), octaves=wp.uint32(2), lacunarity=2.0, gain=0.5)[0]
    g[3] -= wp.curlnoise(s, wp.vec2(0.3, 0.4), octaves=wp.uint32(2))[0]
    g[4] = float(wp.sample_cdf(state=s, cdf=cdf)) + float(wp.poisson(state=s, lam=0.0))


def test_more_parameters_by_name(capfd):
    f, g = wp.ones(20), wp.ones(5)
    wp.launch(more_names, dim=1, inputs=[f, wp.array([2.0], dtype=float), g])
    wp.synchronize()
    np.testing.assert_allclose(f.numpy(), 0, atol=1e-6)
    assert 1 <= g.list()[0] < 2
    assert g.list()[1:] == [0, 0, 0, 0]
    assert capfd.readouterr().out == ""
