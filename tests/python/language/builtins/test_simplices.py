"""Segments and triangles: closest points, and whether triangles meet, in kernels and on the host."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

NAN, INF = float("nan"), float("inf")

SEGMENTS = [
    # p1, q1, p2, q2, then s, t and the distance
    ("crossing", (0, 0, 0), (2, 0, 0), (1, -1, 1), (1, 1, 1), (0.5, 0.5, 1)),
    ("an end of the second", (0, 0, 0), (2, 0, 0), (1, 1, 0), (1, 3, 0), (0.5, 0, 1)),
    ("the other end", (0, 0, 0), (2, 0, 0), (1, 3, 0), (1, 1, 0), (0.5, 1, 1)),
    ("two ends", (0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 2, 0), (1, 0, 2**0.5)),
    ("two points", (0, 0, 0), (0, 0, 0), (0, 3, 4), (0, 3, 4), (0, 0, 5)),
    ("the first a point", (1, 1, 0), (1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 0.25, 1)),
    ("the second a point", (0, 0, 0), (4, 0, 0), (1, 1, 0), (1, 1, 0), (0.25, 0, 1)),
    ("a point beyond an end", (9, 1, 0), (9, 1, 0), (0, 0, 0), (8, 0, 0), (0, 1, 2**0.5)),
    ("parallel", (0, 0, 0), (2, 0, 0), (0, 1, 0), (2, 1, 0), (0, 0, 1)),
    ("parallel, later", (0, 0, 0), (2, 0, 0), (1, 1, 0), (3, 1, 0), (0.5, 0, 1)),
    ("against each other", (0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (0, 1, 1)),
    ("in line", (0, 0, 0), (1, 0, 0), (3, 0, 0), (5, 0, 0), (1, 0, 2)),
    ("touching", (0, 0, 0), (1, 0, 0), (0.5, 0, 0), (0.5, 1, 0), (0.5, 0, 0)),
]


@pytest.mark.parametrize("dtype", [wp.float32, wp.float64, wp.float16])
def test_closest_points_of_segments(dtype):
    vec = wp.types.vector(3, dtype)

    @wp.kernel
    def k(p: wp.array2d(dtype=vec), y: wp.array(dtype=vec)):
        i = wp.tid()
        y[i] = wp.closest_point_edge_edge(p[i, 0], p[i, 1], p[i, 2], p[i, 3], dtype(1.0e-4))

    p = wp.array([s[1:5] for s in SEGMENTS], dtype=vec)
    y = wp.zeros(len(SEGMENTS), dtype=vec)
    wp.launch(k, len(SEGMENTS), [p, y])
    wanted = np.array([s[5] for s in SEGMENTS])
    np.testing.assert_allclose(y.numpy(), wanted, atol=1e-3 if dtype is wp.float16 else 1e-6)
    for name, *points, found in SEGMENTS:
        got = wp.closest_point_edge_edge(*(vec(*map(float, q)) for q in points), dtype(1e-4))
        np.testing.assert_allclose(got, found, atol=1e-3 if dtype is wp.float16 else 1e-6, err_msg=name)


def test_segments_that_are_nearly_parallel_keep_their_digits():
    # They cross at 0.25 of both, and enclose 1e-4.
    p1, q1 = wp.vec3(0.0, 0.0, 0.0), wp.vec3(4.0, 0.0, 0.0)
    p2, q2 = wp.vec3(0.0, -1e-4, 1.0), wp.vec3(4.0, 3e-4, 1.0)
    s, t, distance = wp.closest_point_edge_edge(p1, q1, p2, q2, 1e-8)
    assert (s, t, distance) == pytest.approx((0.25, 0.25, 1.0), abs=1e-5)


def test_gradients_of_closest_points_are_finite_everywhere():
    @wp.kernel
    def k(p: wp.array2d(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.closest_point_edge_edge(p[i, 0], p[i, 1], p[i, 2], p[i, 3], 1.0e-6)[2]

    p = wp.array([s[1:5] for s in SEGMENTS], dtype=wp.vec3, requires_grad=True)
    y = wp.zeros(len(SEGMENTS), requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, len(SEGMENTS), [p], [y])
    tape.backward(grads={y: wp.ones(len(SEGMENTS))})
    found = p.grad.numpy()
    assert np.isfinite(found).all()
    for (name, *points, (s, t, distance)), got in zip(SEGMENTS, found, strict=True):
        if distance == 0:
            continue
        p1, q1, p2, q2 = (np.array(q, float) for q in points)
        # At the least distance only its direction counts, not how the weights change.
        away = ((p2 + t * (q2 - p2)) - (p1 + s * (q1 - p1))) / distance
        wanted = [-(1 - s) * away, -s * away, (1 - t) * away, t * away]
        np.testing.assert_allclose(got, wanted, atol=1e-5, err_msg=name)


FLAT = ((0, 0, 0), (4, 0, 0), (0, 4, 0))
TRIANGLES = [
    ("crossing", FLAT, ((1, 1, -1), (1, 1, 1), (2, 2, 1)), 1),
    ("above", FLAT, ((1, 1, 1), (2, 1, 1), (1, 2, 2)), 0),
    ("beside", FLAT, ((5, 5, -1), (5, 5, 1), (6, 6, 0)), 0),
    ("a corner on the face", FLAT, ((1, 1, 0), (1, 1, 2), (2, 2, 2)), 1),
    ("a corner in a corner", FLAT, ((4, 0, 0), (5, 0, 1), (5, 1, 1)), 1),
    ("edge on edge", FLAT, ((1, 0, 0), (3, 0, 0), (2, 0, 5)), 1),
    ("crossing edges", FLAT, ((2, 0, -1), (2, 0, 1), (2, -3, 0)), 1),
    ("the same", FLAT, FLAT, 1),
    ("in its plane, within", FLAT, ((1, 1, 0), (1.5, 1, 0), (1, 1.5, 0)), 1),
    ("in its plane, overlapping", FLAT, ((-1, 1, 0), (2, 1, 0), (2, -1, 0)), 1),
    ("in its plane, beside", FLAT, ((5, 0, 0), (9, 0, 0), (9, 9, 0)), 0),
    ("in its plane, across the long edge", FLAT, ((3, 3, 0), (5, 3, 0), (3, 5, 0)), 0),
    ("a segment through it", FLAT, ((1, 1, -1), (1, 1, 1), (1, 1, 1)), 1),
    ("a segment beside it", FLAT, ((3, 3, -1), (3, 3, 1), (3, 3, 1)), 0),
    ("a segment in its plane beside it", FLAT, ((3, 3, 0), (5, 5, 0), (5, 5, 0)), 0),
    ("a segment in its plane", FLAT, ((-1, 1, 0), (9, 1, 0), (9, 1, 0)), 1),
    ("a point on it", FLAT, ((1, 1, 0),) * 3, 1),
    ("a point above it", FLAT, ((1, 1, 0.5),) * 3, 0),
    ("a point in its plane", FLAT, ((3, 3, 0),) * 3, 0),
    ("segments that cross", ((0, 0, 0), (2, 2, 0), (2, 2, 0)), ((0, 2, 0), (2, 0, 0), (2, 0, 0)), 1),
    ("segments apart in a plane", ((0, 0, 0), (2, 2, 0), (2, 2, 0)), ((3, 0, 0), (5, -1, 0), (5, -1, 0)), 0),
    ("parallel segments", ((0, 0, 0), (2, 0, 0), (2, 0, 0)), ((0, 1, 0), (2, 1, 0), (2, 1, 0)), 0),
    ("segments in line", ((0, 0, 0), (1, 1, 1), (1, 1, 1)), ((2, 2, 2), (3, 3, 3), (3, 3, 3)), 0),
    ("segments in line that overlap", ((0, 0, 0), (2, 2, 2), (2, 2, 2)), ((1, 1, 1), (3, 3, 3), (3, 3, 3)), 1),
    ("a point on a segment", ((1, 1, 1),) * 3, ((0, 0, 0), (2, 2, 2), (2, 2, 2)), 1),
    ("a point beside a segment", ((1, 1, 1.5),) * 3, ((0, 0, 0), (2, 2, 2), (2, 2, 2)), 0),
    ("two points", ((1, 1, 1),) * 3, ((1, 1, 2),) * 3, 0),
    ("the same point", ((1, 1, 1),) * 3, ((1, 1, 1),) * 3, 1),
    ("NaN", FLAT, ((1, 1, -1), (1, NAN, 1), (2, 2, 1)), 0),
    ("infinite", FLAT, ((1, 1, -1), (1, 1, INF), (2, 2, 1)), 0),
]


@pytest.mark.parametrize("vec", [wp.vec3, wp.vec3d])
def test_triangles_that_meet(vec):
    @wp.kernel
    def k(p: wp.array2d(dtype=vec), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = wp.intersect_tri_tri(p[i, 0], p[i, 1], p[i, 2], p[i, 3], p[i, 4], p[i, 5])

    for turned in range(3):
        first = [tuple(np.roll(t[1], turned, axis=0)) for t in TRIANGLES]
        for x, y in ((first, [t[2] for t in TRIANGLES]), ([t[2] for t in TRIANGLES], first)):
            p = wp.array([(*a, *b) for a, b in zip(x, y, strict=True)], dtype=vec)
            found = wp.zeros(len(TRIANGLES), dtype=int)
            wp.launch(k, len(TRIANGLES), [p, found])
            assert {t[0]: n for t, n in zip(TRIANGLES, found.list(), strict=True)} == {t[0]: t[3] for t in TRIANGLES}
    assert wp.intersect_tri_tri(*(vec(*map(float, p)) for p in (*FLAT, *TRIANGLES[0][2]))) == 1


def test_triangles_against_a_point_that_they_share():
    """Triangles round a common point meet; moved apart along the normal of a plane between them, they do not."""
    draw = np.random.default_rng(5)
    n = 2000
    weights = draw.dirichlet((1, 1, 1), size=(2, n))
    p = draw.normal(size=(2, n, 3, 3))
    p -= (weights[..., None] * p).sum(axis=2, keepdims=True)
    apart = p.copy()
    normal = draw.normal(size=(n, 1, 3))
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    high = (apart[0] * normal).sum(axis=2).max(axis=1)
    low = (apart[1] * normal).sum(axis=2).min(axis=1)
    apart[1] += normal * (high - low + 0.01)[:, None, None]

    @wp.kernel
    def k(p: wp.array2d(dtype=wp.vec3d), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = wp.intersect_tri_tri(p[i, 0], p[i, 1], p[i, 2], p[i, 3], p[i, 4], p[i, 5])

    y = wp.zeros(n, dtype=int)
    wp.launch(k, n, [wp.array(np.concatenate(p, axis=1), dtype=wp.vec3d), y])
    assert y.numpy().all()
    wp.launch(k, n, [wp.array(np.concatenate(apart, axis=1), dtype=wp.vec3d), y])
    assert not y.numpy().any()


def test_segments_no_longer_than_epsilon_are_points():
    """By the square of their length; of a point the weight is 0, so that its first end counts."""
    p1, q1, p2, q2 = (wp.vec3(*p) for p in ((0.0, 1.0, 0.0), (0.1, 1.0, 0.0), (-1.0, 0.0, 0.5), (1.0, 0.0, 0.0)))
    # Its second end is closer to the other segment.
    for epsilon, s in ((0.0101, 0.0), (0.0099, 1.0), (0.0, 1.0)):
        found = wp.closest_point_edge_edge(p1, q1, p2, q2, epsilon)
        ends = np.array(p2) + found[1] * (np.array(q2) - np.array(p2)), np.array((0.1 * s, 1, 0))
        assert found[0] == s
        assert found[2] == pytest.approx(np.linalg.norm(ends[1] - ends[0]), abs=1e-6)
        swapped = wp.closest_point_edge_edge(p2, q2, p1, q1, epsilon)
        assert swapped[:3] == pytest.approx((found[1], s, found[2]), abs=1e-6)
    both = wp.closest_point_edge_edge(p1, q1, p2, q2, 100.0)
    assert both[:3] == pytest.approx((0, 0, 1.5))


def test_closest_points_of_segments_are_those_of_a_fine_grid():
    draw = np.random.default_rng(8)
    p = draw.normal(size=(200, 4, 3))
    found = wp.zeros(200, dtype=wp.vec3d)

    @wp.kernel
    def k(p: wp.array2d(dtype=wp.vec3d), y: wp.array(dtype=wp.vec3d)):
        i = wp.tid()
        y[i] = wp.closest_point_edge_edge(p[i, 0], p[i, 1], p[i, 2], p[i, 3], wp.float64(1e-12))

    wp.launch(k, 200, [wp.array(p, dtype=wp.vec3d), found])
    s, t, distance = found.numpy().T
    assert ((0 <= s) & (s <= 1) & (0 <= t) & (t <= 1)).all()
    p1, q1, p2, q2 = p.swapaxes(0, 1)
    at, there = p1 + s[:, None] * (q1 - p1), p2 + t[:, None] * (q2 - p2)
    np.testing.assert_allclose(distance, np.linalg.norm(there - at, axis=1), atol=1e-12)
    steps = np.linspace(0, 1, 41)
    ones = p1[:, None] + steps[:, None] * (q1 - p1)[:, None]
    others = p2[:, None] + steps[:, None] * (q2 - p2)[:, None]
    least = np.linalg.norm(ones[:, :, None] - others[:, None], axis=-1).min(axis=(1, 2))
    assert (distance <= least + 1e-12).all()
    assert (distance > least - 0.2).all()


def test_gradients_of_weights_and_distance_reach_all_four_ends():
    """Beside differences, where no end of a segment is the closest point, and where one is."""

    @wp.kernel
    def k(p: wp.array2d(dtype=wp.vec3d), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        r = wp.closest_point_edge_edge(p[i, 0], p[i, 1], p[i, 2], p[i, 3], wp.float64(1e-12))
        y[i] = r[0] + wp.float64(2.0) * r[1] + wp.float64(3.0) * r[2]

    def values(points):
        y = wp.zeros(len(points), dtype=wp.float64)
        wp.launch(k, len(points), [wp.array(points, dtype=wp.vec3d), y])
        return y.numpy()

    points = np.random.default_rng(9).normal(size=(60, 4, 3))
    p = wp.array(points, dtype=wp.vec3d, requires_grad=True)
    y = wp.zeros(60, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 60, [p], [y])
    tape.backward(grads={y: wp.ones(60, dtype=wp.float64)})
    for end, axis in np.ndindex(4, 3):
        step = np.zeros((4, 3))
        step[end, axis] = 1e-6
        right = (values(points + step) - values(points - step)) / 2e-6
        np.testing.assert_allclose(p.grad.numpy()[:, end, axis], right, rtol=1e-4, atol=1e-5)


def test_whether_triangles_meet_has_no_gradient():
    @wp.kernel
    def k(p: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        y[0] = float(wp.intersect_tri_tri(p[0], p[1], p[2], p[3], p[4], p[5])) * p[0][0]

    p = wp.array([(2, 0, 0), (4, 0, 0), (0, 4, 0), *TRIANGLES[0][2]], dtype=wp.vec3, requires_grad=True)
    y = wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 1, [p], [y])
    tape.backward(grads={y: wp.ones(1)})
    assert p.grad.numpy().tolist() == [[y.numpy()[0] / 2, 0, 0]] + [[0, 0, 0]] * 5
