"""The examples of `warp.examples.geometry` beside closed forms, brute force and differences."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from warp.examples.geometry import (
    _shapes,
    cloth_on_mesh,
    depth_fit,
    packing,
    ray_tracer,
    registration,
    signed_distance,
)


@pytest.mark.parametrize("shape", [_shapes.ball(2), _shapes.ring(1.0, 0.4, 40, 20), _shapes.knot(60, 12)])
def test_shapes_are_closed_and_face_outwards(shape: _shapes.Shape) -> None:
    points, faces = shape
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    assert len({*map(tuple, edges)}) == len(edges)
    assert {*map(tuple, edges)} == {*map(tuple, edges[:, ::-1])}
    assert np.linalg.det(points[faces]).sum() > 0


def test_rays_of_a_picture_meet_what_they_should() -> None:
    """A ball above a floor: depths are those of the closed form."""
    points, faces, part = _shapes.joined(_shapes.ball(5), _shapes.floor(-1.5))
    camera, lamp = ray_tracer.look((0.0, -6.0, 1.0), (0.0, 0.0, 0.0), 0.8), ray_tracer.Lamp(wp.vec3(0, 0, 9), 0.1)
    image, depth = ray_tracer.picture(points, faces, np.ones((len(part), 3)), camera, lamp, (60, 90), 1)
    u, v = np.meshgrid((np.arange(90) + 0.5 - 45) / 60, (np.arange(60) + 0.5 - 30) / 60)
    forward, right, up = (np.array(axis) for axis in (camera.forward, camera.right, camera.up))
    rays = forward + u[..., None] * right + v[..., None] * up
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    eye = np.array(camera.eye)
    along = rays @ eye
    root = along**2 - (eye @ eye - 1)
    to_ball = np.where(root > 0, -along - np.sqrt(np.maximum(root, 0)), np.inf)
    with np.errstate(divide="ignore"):
        to_floor = np.where(rays[..., 2] < 0, (-1.5 - eye[2]) / rays[..., 2], np.inf)
    expected = np.minimum(to_ball, to_floor)
    sure = (np.abs(root) > 0.05) & (expected < 30)
    np.testing.assert_allclose(depth[sure], expected[sure], atol=0.01)
    assert (image >= 0).all()
    assert (image <= 1).all()


def test_half_of_a_lamp_is_seen_beside_a_wall() -> None:
    @wp.kernel
    def shares(mesh: wp.uint64, points: wp.array[wp.vec3], lamp: ray_tracer.Lamp, out: wp.array[float]) -> None:
        i = wp.tid()
        state = wp.rand_init(1, i)
        for _ in range(4000):
            out[i] += ray_tracer.seen(mesh, points[i], lamp, state) / 4000.0

    half = np.array([[0, -50, 1], [50, -50, 1], [50, 50, 1], [0, 50, 1]]), np.array([[0, 1, 2], [0, 2, 3]])
    lamp = ray_tracer.Lamp(wp.vec3(0, 0, 9), 0.5)
    places = [[-1.0, 0, 0], [0, 0, 0], [1, 0, 0]]
    out = wp.zeros(3, dtype=float)
    wp.launch(shares, dim=3, inputs=[_shapes.mesh(*half), wp.array(places, dtype=wp.vec3), lamp], outputs=[out])
    assert out.numpy() == pytest.approx([1, 0.5, 0], abs=0.03)


def test_gradients_of_depths_are_those_of_differences() -> None:
    fit = depth_fit.Fit(_shapes.mesh(*depth_fit.blob(3)), cameras=5, side=12, rounds=1)
    with wp.Tape() as tape:
        fit.forward()
    tape.backward(fit.loss)
    found = fit.parameters.grad.numpy().copy()
    start = fit.parameters.numpy().copy()
    for i, axis in ((0, 0), (7, 2), (20, 1), (33, 0)):
        ends = []
        for by in (1e-3, -1e-3):
            moved = start.copy()
            moved[i, axis] += by
            fit.parameters.assign(moved)
            fit.forward()
            ends.append(float(fit.loss))
        right = (ends[0] - ends[1]) / 2e-3
        assert found[i, axis] == pytest.approx(right, rel=0.03, abs=0.03 * float(np.abs(found).max()))


def test_a_shape_is_found_from_depths() -> None:
    fit = depth_fit.Fit(_shapes.mesh(*depth_fit.blob(4)))
    before = fit.error()
    losses = fit.run(60)
    assert losses[-1] < 0.03 * losses[0]
    assert fit.error() < 0.3 * before


def test_distances_to_a_torus() -> None:
    mesh = _shapes.mesh(*_shapes.ring(0.7, 0.25, 160, 60))
    low, high, n = np.array([-1.2, -1.2, -0.5]), np.array([1.2, 1.2, 0.5]), (25, 25, 11)
    field = signed_distance.sampled(mesh, low, high, n)
    x, y, z = np.meshgrid(*(np.linspace(a, b, k) for a, b, k in zip(low, high, n, strict=True)), indexing="ij")
    np.testing.assert_allclose(field, np.hypot(np.hypot(x, y) - 0.7, z) - 0.25, atol=0.002)
    fine = signed_distance.sampled(mesh, low, high, (61, 61, 26))
    points, faces = signed_distance.offset(fine, 0.1, low, high)
    away = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.7, points[:, 2]) - 0.25
    np.testing.assert_allclose(away, 0.1, atol=0.004)
    assert np.linalg.det(points[faces]).sum() / 6 == pytest.approx(2 * np.pi**2 * 0.7 * 0.35**2, rel=0.01)


def test_cloth_stays_outside() -> None:
    """It comes to lie on a torus, hardly stretched."""
    points, faces = _shapes.ring(0.6, 0.2, 60, 24)
    cloth = cloth_on_mesh.Cloth(_shapes.mesh(points + np.array([0, 0, 0.6]), faces), 30, 0.9)
    cloth.advance(500, 1 / 480)
    x = cloth.x.numpy()
    away = np.hypot(np.hypot(x[:, 0], x[:, 1]) - 0.6, x[:, 2] - 0.6) - 0.2
    assert away.min() > float(cloth_on_mesh.THICK) - 0.004
    assert (away < 0.03).mean() > 0.1
    assert abs(cloth.stretch()) < 0.03
    assert x[:, 2].min() < 0.5
    assert np.linalg.norm(cloth.v.numpy(), axis=1).mean() < 1


def test_a_scan_is_put_in_its_place() -> None:
    points, faces = registration.bust()
    pose = np.array([0.25, -0.15, 0.1, 0.35, -0.6, 0.45, 0.55])
    scan = registration.scanned(points, faces, 200, pose, noise=0.0)
    found = registration.Registration(_shapes.mesh(points, faces), scan)
    losses = found.run(60)
    degrees, away = registration.errors(found.best(), pose)
    assert losses[-1].min() < 0.5 * np.median(losses[-1])
    assert degrees < 1
    assert away < 0.01
    poses = registration.first_poses()
    apart = [registration.errors(a, b)[0] for k, a in enumerate(poses) for b in poses[:k]]
    assert len(apart) == 276
    assert min(apart) == pytest.approx(90, abs=0.1)


def test_rectangles_part() -> None:
    boxes = packing.Boxes(300)

    def overlap() -> float:
        """By brute force."""
        left, bottom, right, top = boxes.rectangles().astype(float).T
        width = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
        height = np.minimum(top[:, None], top) - np.maximum(bottom[:, None], bottom)
        both = np.maximum(width, 0) * np.maximum(height, 0)
        return (both.sum() - np.trace(both)) / 2

    before = overlap()
    found = boxes.run(1)
    assert found[0] == pytest.approx(before, rel=1e-3)
    found = boxes.run(400)
    assert overlap() < 0.02 * before
    assert found[-1] < 0.02 * before
