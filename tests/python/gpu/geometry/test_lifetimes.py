"""Objects on GPUs: which ids lead to them, how long they live, and graphs that build them."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest
import warp as wp

from gpu.support import driver

RNG = np.random.default_rng(5)
GPU = "cuda:0"


@wp.kernel
def near(grid: wp.uint64, points: wp.array(dtype=wp.vec3), radius: float, out: wp.array(dtype=int)):
    i = wp.tid()
    count = int(0)
    for j in wp.hash_grid_query(grid, points[i], radius):
        if wp.length(points[i] - points[j]) <= radius:
            count += 1
    out[i] = count


@wp.kernel
def nearest(mesh: wp.uint64, points: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    query = wp.mesh_query_point_no_sign(mesh, points[i], 100.0)
    out[i] = wp.length(points[i] - wp.mesh_eval_position(mesh, query.face, query.u, query.v))


@wp.kernel
def move(points: wp.array(dtype=wp.vec3), by: wp.vec3):
    i = wp.tid()
    points[i] = points[i] + by


def some(count: int, device: str = GPU) -> wp.array:
    return wp.array(RNG.uniform(-1, 1, (count, 3)).astype(np.float32), dtype=wp.vec3, device=device)


def counts(points: wp.array, radius: float) -> np.ndarray:
    at = points.numpy()
    return (np.linalg.norm(at[:, None] - at[None], axis=2) <= radius).sum(1)


def triangle(device: str = GPU) -> wp.Mesh:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
    points = wp.array(corners, dtype=wp.vec3, device=device)
    return wp.Mesh(points, wp.array([0, 1, 2], dtype=int, device=device))


def fails(mesh: int, what: str, device: str = GPU) -> None:
    points = some(3, device)
    wp.launch(nearest, dim=3, inputs=[mesh, points], outputs=[wp.zeros(3, dtype=float, device=device)], device=device)
    with pytest.raises(ValueError, match=f"kernel 'nearest': .*{what}"):
        wp.synchronize_device(device)


def test_ids_of_other_objects_are_faults(second: str) -> None:
    mesh, host, other = triangle(), triangle("cpu"), triangle(second)
    fails(0, "0 is no id of an object")
    fails(2**63 + 5, "is no id of an object")
    fails(host.id, "the Mesh lies on another device")
    fails(other.id, "the Mesh lies on another device")
    fails(mesh.id, "the Mesh lies on another device", second)
    grid = wp.HashGrid(4, 4, 4, device=GPU)
    fails(grid.id, "is the id of a HashGrid")
    gone = mesh.id
    del mesh
    gc.collect()
    wp.synchronize()
    # What was deleted is forgotten when the GPU has done what it was given.
    triangle()
    fails(gone, "the Mesh with the id .* has been deleted")


def test_kernels_that_run_later_find_what_was_deleted_meanwhile() -> None:
    points = some(500)
    out = [wp.zeros(500, dtype=int, device=GPU) for _ in range(3)]
    for n, result in enumerate(out):
        grid = wp.HashGrid(8, 8, 8, device=GPU)
        grid.build(points, 0.25)
        wp.launch(near, dim=500, inputs=[grid.id, points, 0.1 * (n + 1)], outputs=[result], device=GPU)
        del grid
    for n, result in enumerate(out):
        np.testing.assert_array_equal(result.numpy(), counts(points, 0.1 * (n + 1)))


def test_a_grid_grows_with_its_points() -> None:
    grid = wp.HashGrid(8, 8, 8, device=GPU)
    for count in (3, 400, 10, 900):
        points = some(count)
        grid.build(points, 0.3)
        out = wp.zeros(count, dtype=int, device=GPU)
        wp.launch(near, dim=count, inputs=[grid.id, points, 0.3], outputs=[out], device=GPU)
        np.testing.assert_array_equal(out.numpy(), counts(points, 0.3))


def test_graphs_build_between_kernels() -> None:
    points, mesh, at = some(300), triangle(), some(300)
    grid = wp.HashGrid(8, 8, 8, device=GPU)
    found = wp.zeros(300, dtype=int, device=GPU)
    far = wp.zeros(300, dtype=float, device=GPU)
    with wp.ScopedDevice(GPU), wp.ScopedCapture() as capture:
        wp.launch(move, dim=300, inputs=[points, wp.vec3(0.1, 0.0, 0.0)])
        grid.build(points, 0.25)
        wp.launch(near, dim=300, inputs=[grid.id, points, 0.25], outputs=[found])
        wp.launch(move, dim=3, inputs=[mesh.points, wp.vec3(0.0, 0.0, 1.0)])
        mesh.refit()
        wp.launch(nearest, dim=300, inputs=[mesh.id, at], outputs=[far])
    for height in (1.0, 2.0, 3.0):
        wp.launch(move, dim=150, inputs=[points, wp.vec3(0.0, height, 0.0)], device=GPU)
        wp.capture_launch(capture.graph)
        np.testing.assert_array_equal(found.numpy(), counts(points, 0.25))
        x, y, z = at.numpy().T
        u = np.clip(np.stack([x, y], 1), 0, None)
        over = u.sum(1) > 1
        t = np.clip((u[:, 0] - u[:, 1] + 1) / 2, 0, 1)
        u[over] = np.stack([t, 1 - t], 1)[over]
        inside = (x >= 0) & (y >= 0)
        right = np.sqrt((x - u[:, 0]) ** 2 + (y - u[:, 1]) ** 2 + (z - height) ** 2)
        np.testing.assert_allclose(far.numpy()[inside], right[inside], rtol=1e-5, atol=1e-6)


def test_builds_in_captures_of_others_are_refused(double: driver.Driver) -> None:
    grid, points = wp.HashGrid(4, 4, 4, device=GPU), some(10)
    wp.synchronize()
    double.enter()
    stream, graph = wp.Stream(GPU), ctypes.c_void_p()
    double("cuStreamBeginCapture_v2", ctypes.c_void_p(stream.cuda_stream), 2)
    try:
        with (
            wp.ScopedStream(stream, sync_enter=False),
            pytest.raises(RuntimeError, match=r"HashGrid\.build: .*another library captures the stream"),
        ):
            grid.build(points, 0.5)
    finally:
        double("cuStreamEndCapture", ctypes.c_void_p(stream.cuda_stream), ctypes.byref(graph))
        double("cuGraphDestroy", graph)


def test_objects_of_streams() -> None:
    points, stream = some(300), wp.Stream(GPU)
    wp.synchronize()
    out = wp.zeros(300, dtype=int, device=GPU)
    grid = wp.HashGrid(8, 8, 8, device=GPU)
    wp.synchronize()
    with wp.ScopedStream(stream):
        wp.launch(move, dim=150, inputs=[points, wp.vec3(0.0, 0.5, 0.0)], device=GPU)
        grid.build(points, 0.25)
        wp.launch(near, dim=300, inputs=[grid.id, points, 0.25], outputs=[out], device=GPU)
        np.testing.assert_array_equal(out.numpy(), counts(points, 0.25))


def test_arrays_of_other_devices_are_refused(second: str) -> None:
    grid, mesh = wp.HashGrid(4, 4, 4, device=GPU), triangle()
    with pytest.raises(ValueError, match='points is on the device "cpu", the grid is on "cuda:0"'):
        grid.build(some(3, "cpu"), 0.5)
    with pytest.raises(ValueError, match='points is on the device "cuda:1" and indices on "cuda:0"'):
        mesh.points = some(3, second)
    low = some(3)
    with pytest.raises(ValueError, match='lowers is on the device "cuda:0" and uppers on "cpu"'):
        wp.Bvh(low, some(3, "cpu"))
