"""``warp.geometry.IsoSurfaceMarchingCubes``: its surfaces are closed, its vertices right and differentiable."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import warp as wp
from warp.geometry import IsoSurfaceBase, IsoSurfaceMarchingCubes

from .surfaces import is_closed, is_manifold, noise, sides, sphere, triangles, volume

Cubes = IsoSurfaceMarchingCubes


def extracted(field: np.ndarray, threshold: float = 0.0, **named) -> tuple[np.ndarray, np.ndarray]:
    return triangles(Cubes.extract(wp.array(field, dtype=float), threshold, **named))


def crossings(field: np.ndarray, threshold: float) -> dict[tuple[int, ...], np.ndarray]:
    """By brute force, the vertex on each crossed edge: of a node and an axis."""
    found = {}
    for node in np.ndindex(field.shape):
        for axis in range(3):
            other = tuple(at + (axis == n) for n, at in enumerate(node))
            if other[axis] < field.shape[axis]:
                here, there = float(field[node]), float(field[other])
                if (here < threshold) != (there < threshold) and here == here and there == there:
                    p = np.array(node, dtype=float)
                    p[axis] += (threshold - here) / (there - here)
                    found[(*node, axis)] = p
    return found


def count_of_triangles(field: np.ndarray, threshold: float) -> int:
    """By brute force, from the table of cases."""
    total = 0
    for cell in np.ndindex(*(n - 1 for n in field.shape)):
        values = [field[tuple(np.add(cell, corner))] for corner in Cubes.CUBE_CORNER_OFFSETS]
        case = sum((value < threshold) << c for c, value in enumerate(values))
        if not np.isnan(values).any():
            total += (Cubes.CASE_TO_TRI_RANGE[case + 1] - Cubes.CASE_TO_TRI_RANGE[case]) // 3
    return total


def test_tables() -> None:
    starts, local = Cubes.CASE_TO_TRI_RANGE, Cubes.TRI_LOCAL_INDICES
    assert len(starts) == 257
    assert starts[0] == starts[1] == 0
    assert starts[-1] == starts[-2] == len(local)
    assert sorted(Cubes.CUBE_CORNER_OFFSETS) == sorted(itertools.product((0, 1), repeat=3))
    for a, b in Cubes.EDGE_TO_CORNERS:
        assert sum(np.subtract(Cubes.CUBE_CORNER_OFFSETS[b], Cubes.CUBE_CORNER_OFFSETS[a])) == 1
    for case in range(256):
        used = set(local[starts[case] : starts[case + 1]])
        crossed = {e for e, (a, b) in enumerate(Cubes.EDGE_TO_CORNERS) if (case >> a & 1) != (case >> b & 1)}
        assert used == crossed


@pytest.mark.parametrize("case", range(256))
def test_every_case_is_closed(case: int) -> None:
    """A cube among nodes that are all outside, and one among nodes that are all inside."""
    for around in (1.0, -1.0):
        field = np.full((4, 4, 4), around, dtype=np.float32)
        for c, (x, y, z) in enumerate(Cubes.CUBE_CORNER_OFFSETS):
            field[1 + x, 1 + y, 1 + z] = -1.0 if case >> c & 1 else 1.0
        verts, faces = extracted(field)
        assert is_manifold(faces)
        assert len(verts) == len(crossings(field, 0.0))
        assert len(np.unique(faces)) == len(verts)
        if len(verts):
            assert volume(verts, faces) * around > 0


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("whole", [False, True])
def test_noise_is_closed(seed: int, whole: bool) -> None:
    """Every side has two triangles, in opposite directions, whatever the cases; also where values are the threshold."""
    field = noise(seed, whole=whole)
    verts, faces = extracted(field)
    assert is_manifold(faces)
    assert volume(verts, faces) > 0
    assert np.isfinite(verts).all()
    assert len(np.unique(faces)) == len(verts)


@pytest.mark.parametrize("shape", [(2, 2, 2), (5, 4, 3), (3, 5, 31), (3, 4, 32), (4, 3, 33), (2, 3, 65), (3, 2, 96)])
@pytest.mark.parametrize("threshold", [0.0, 0.75])
def test_vertices_and_counts_are_those_of_brute_force(shape: tuple[int, int, int], threshold: float) -> None:
    """Also where the surface leaves the grid, and rows end within a word of bits, or with it."""
    field = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    field[0, 0, 0], field[1, 1, 1] = threshold, np.nan
    verts, faces = extracted(field, threshold)
    expected = np.array(list(crossings(field, threshold).values()))
    assert verts.shape == expected.shape
    for found, wanted in zip(np.array(sorted(verts.tolist())), np.array(sorted(expected.tolist())), strict=True):
        np.testing.assert_allclose(found, wanted, atol=2e-5)
    assert len(faces) == count_of_triangles(field, threshold)
    if len(faces):
        assert faces.min() >= 0
        assert faces.max() < len(verts)


def test_every_triangle_is_within_its_cell() -> None:
    verts, faces = extracted(noise(3))
    span = verts[faces].max(1) - verts[faces].min(1)
    assert span.max() <= 1.0
    same = np.floor(verts[faces].min(1)) + 1
    assert (verts[faces].max(1) <= same).all()


def test_sphere() -> None:
    verts, faces = extracted(sphere(40, 14.3))
    np.testing.assert_allclose(np.linalg.norm(verts - 19.5, axis=1), 14.3, atol=0.02)
    assert volume(verts, faces) == pytest.approx(4 / 3 * np.pi * 14.3**3, rel=5e-3)
    assert len(verts) - len(sides(faces)) // 2 + len(faces) == 2
    a, b, c = verts[faces].astype(float).swapaxes(0, 1)
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a + b + c - 3 * 19.5)
    assert (outward >= 0).all()
    assert volume(*extracted(-sphere(40, 14.3))) < 0


def test_corners() -> None:
    field = sphere(20, 6.1)
    verts, faces = extracted(field)
    low, high = np.array([-1.0, 2.0, 0.5]), np.array([1.0, 3.0, 8.0])
    placed, same = extracted(field, lower=low, upper=wp.vec3(*high))
    np.testing.assert_array_equal(faces, same)
    np.testing.assert_allclose(placed, low + verts * (high - low) / 19, atol=1e-5)
    np.testing.assert_allclose(extracted(field, lower=(1, 0, 0))[0][:, 0], 1 + verts[:, 0] * 18 / 19, atol=1e-5)
    np.testing.assert_allclose(extracted(field, upper=(1, 1, 1))[0], verts / 19, atol=1e-6)


def test_the_object() -> None:
    cubes = Cubes(20, 20, 20)
    assert isinstance(cubes, IsoSurfaceBase)
    assert cubes.verts is cubes.indices is None
    cubes.surface(wp.array(sphere(20, 6.1)), 0.0)
    assert cubes.verts.dtype is wp.vec3
    assert cubes.indices.dtype is wp.int32
    assert cubes.indices.ndim == 1
    first = cubes.verts
    cubes.resize(4, 5, 6)
    assert (cubes.nx, cubes.ny, cubes.nz) == (4, 5, 6)
    assert cubes.verts is first
    cubes.surface(wp.array(noise(0, (4, 5, 6))), np.float32(0.0))
    assert cubes.verts is not first
    assert wp.MarchingCubes(4, 5, 6).nz == 6
    assert isinstance(cubes, wp.MarchingCubes)


def test_nothing_crossed() -> None:
    for value in (1.0, 0.0, -1.0, np.nan, np.inf, -np.inf):
        verts, indices = Cubes.extract(wp.full((3, 4, 5), value, dtype=float))
        assert verts.shape == indices.shape == (0,)
        assert (verts.dtype, indices.dtype) == (wp.vec3, wp.int32)
    assert len(extracted(noise(0), float("nan"))[0]) == 0


def test_nan_counts_as_outside_and_its_cells_stay_empty() -> None:
    field = sphere(20, 6.1)
    field[4:9, 7:12, 8:10] = np.nan
    verts, faces = extracted(field)
    assert np.isfinite(verts).all()
    assert 0 <= faces.min() <= faces.max() < len(verts)
    bad = {
        tuple(np.subtract(node, corner))
        for node in np.argwhere(np.isnan(field))
        for corner in Cubes.CUBE_CORNER_OFFSETS
    }
    cells = np.floor(verts[faces].astype(float).mean(1)).astype(int)
    assert not bad & {tuple(cell) for cell in cells}
    whole = extracted(sphere(20, 6.1))[1]
    assert len(faces) == count_of_triangles(field, 0.0) < len(whole)


def test_infinite_values_cut_an_edge_within() -> None:
    for low, high in itertools.product((-1.0, -np.inf), (1.0, np.inf)):
        field = np.full((3, 3, 3), high, dtype=np.float32)
        field[1, 1, 1] = low
        verts, faces = extracted(field)
        assert len(verts) == 6
        assert is_manifold(faces)
        assert np.isfinite(verts).all()
        assert (np.abs(verts - 1).sum(1) <= 1).all()


def test_strided_fields() -> None:
    field = noise(4, (8, 9, 10))
    turned = wp.array(np.ascontiguousarray(field.T)).transpose()
    assert not turned.is_contiguous
    for found, expected in zip(triangles(Cubes.extract(turned)), extracted(field), strict=True):
        np.testing.assert_array_equal(found, expected)


def edge_of(vertex: np.ndarray) -> tuple[int, ...]:
    """The node and axis of a vertex that is not at a node."""
    axis = int(np.argmax(np.abs(vertex - np.round(vertex))))
    node = np.round(vertex).astype(int)
    node[axis] = int(np.floor(vertex[axis]))
    return (*node.tolist(), axis)


def test_gradients_are_those_of_differences() -> None:
    values = noise(5, (6, 5, 7))
    low, high, threshold = np.array([0.0, -1.0, 2.0]), np.array([2.0, 1.0, 2.5]), 0.1
    field = wp.array(values, requires_grad=True)
    with wp.Tape() as tape:
        verts, _ = Cubes.extract(field, threshold, lower=low, upper=high)
    assert verts.requires_grad
    weights = np.random.default_rng(6).normal(size=(len(verts), 3))
    tape.backward(grads={verts: wp.array(weights, dtype=wp.vec3)})
    step = (high - low) / (np.array(values.shape) - 1)
    edges = [edge_of(p) for p in (verts.numpy() - low) / step]

    def loss(of: np.ndarray) -> float:
        found = crossings(of, threshold)
        return sum(weights[v] @ (low + found[edge] * step) for v, edge in enumerate(edges))

    exact, found = np.zeros_like(values, dtype=float), field.grad.numpy()
    for node in np.ndindex(values.shape):
        there = [values.astype(float) for _ in range(2)]
        h = 1e-5 * abs(values[node] - threshold)
        there[0][node] -= h
        there[1][node] += h
        exact[node] = (loss(there[1]) - loss(there[0])) / (2 * h)
    np.testing.assert_allclose(found, exact, rtol=2e-3, atol=2e-3 * np.abs(exact).max())


def test_gradients_of_a_radius() -> None:
    """A surface fitted by descent: the field is a kernel's, and the loss looks at vertices."""

    @wp.kernel
    def distances(radius: wp.array[float], field: wp.array3d[float]):
        i, j, k = wp.tid()
        field[i, j, k] = wp.length(wp.vec3(float(i) - 7.5, float(j) - 7.5, float(k) - 7.5)) - radius[0]

    @wp.kernel
    def off(verts: wp.array[wp.vec3], loss: wp.array[float]):
        i = wp.tid()
        away = wp.length(verts[i] - wp.vec3(7.5)) - 5.0
        loss[0] += away * away / float(verts.shape[0])

    radius = wp.array([3.0], dtype=float, requires_grad=True)
    cubes = Cubes(16, 16, 16)
    for _ in range(30):
        field, loss = wp.zeros((16, 16, 16), requires_grad=True), wp.zeros(1, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(distances, dim=field.shape, inputs=[radius], outputs=[field])
            cubes.surface(field, 0.0)
            wp.launch(off, dim=len(cubes.verts), inputs=[cubes.verts], outputs=[loss])
        tape.backward(loss)
        radius = wp.array(radius.numpy() - 0.3 * radius.grad.numpy(), dtype=float, requires_grad=True)
    assert radius.numpy()[0] == pytest.approx(5.0, abs=0.02)


def test_a_field_without_gradient_gives_vertices_without() -> None:
    assert not Cubes.extract(wp.array(noise(0)))[0].requires_grad


WRONG_GRIDS = {
    ("nx", 1): (ValueError, r"IsoSurfaceMarchingCubes: nx is 1, expected 2 to"),
    ("ny", 2.5): (TypeError, r"ny is 2\.5, expected an integer of at least 2"),
    ("nz", "9"): (TypeError, r"nz is '9', expected an integer"),
    ("nz", 2**40): (ValueError, r"nz is 1099511627776, expected 2 to 2147483647"),
    ("lower", (1, 2)): (ValueError, r"lower has 2 numbers, expected three"),
    ("upper", 1.0): (TypeError, r"upper is 1\.0, expected three numbers"),
    ("upper", (0, 1, float("inf"))): (ValueError, r"upper is \(0, 1, inf\), expected finite numbers"),
    ("max_verts", 5): (TypeError, r"max_verts"),
}


@pytest.mark.parametrize("wrong", WRONG_GRIDS)
def test_wrong_grids(wrong) -> None:
    error, match = WRONG_GRIDS[wrong]
    with pytest.raises(error, match=match):
        Cubes(**{"nx": 4, "ny": 4, "nz": 4, wrong[0]: wrong[1]})


def test_wrong_fields() -> None:
    cubes = Cubes(4, 4, 4)
    for field, error, match in [
        (
            np.zeros((4, 4, 4), np.float32),
            TypeError,
            r"surface: field is ndarray, expected a Warp array of wp\.float32",
        ),
        (wp.zeros((4, 4, 4), dtype=wp.float64), TypeError, r"surface: field holds float64, expected"),
        (wp.zeros((4, 4)), ValueError, r"field has 2 dimensions, expected a Warp array of wp\.float32 with 3 dim"),
        (wp.zeros((4, 4, 5)), ValueError, r"the shape \(4, 4, 5\), expected that of the grid, \(4, 4, 4\); resize"),
        (wp.zeros((4, 1, 4)), ValueError, r"field has the shape \(4, 1, 4\), expected at least 2 nodes"),
    ]:
        with pytest.raises(error, match=match):
            cubes.surface(field, 0.0)
        assert cubes.verts is None
    for threshold in (None, "0", wp.zeros(1)):
        with pytest.raises(TypeError, match=r"surface: threshold is .*, expected a number"):
            cubes.surface(wp.zeros((4, 4, 4)), threshold)
    with pytest.raises(ValueError, match=r"IsoSurfaceMarchingCubes\.extract: field has 1 dimension, expected"):
        Cubes.extract(wp.zeros(4))
    with pytest.raises(TypeError, match=r"abstract"):
        IsoSurfaceBase(4, 4, 4)


def test_graphs_refuse_surfaces() -> None:
    field = wp.array(noise(0))
    with pytest.raises(RuntimeError, match=r"a graph is being captured; how many vertices"), wp.ScopedCapture():
        Cubes.extract(field)
    assert len(Cubes.extract(field)[0])


def test_older_names() -> None:
    with pytest.warns(DeprecationWarning, match="domain_bounds_lower_corner is deprecated, use lower"):
        cubes = Cubes(4, 4, 4, domain_bounds_lower_corner=(1, 2, 3))
    assert cubes.lower == cubes.domain_bounds_lower_corner == (1, 2, 3)
    with pytest.warns(DeprecationWarning, match="domain_bounds_upper_corner is deprecated, use upper"):
        cubes.domain_bounds_upper_corner = (4, 5, 6)
    assert cubes.upper == (4, 5, 6)
    with pytest.warns(DeprecationWarning, match="use extract"):
        old = Cubes.extract_surface_marching_cubes(wp.array(noise(1)), 0.0, (0, 0, 0), (1, 1, 1))
    for found, new in zip(old, Cubes.extract(wp.array(noise(1)), lower=(0, 0, 0), upper=(1, 1, 1)), strict=True):
        np.testing.assert_array_equal(found.numpy(), new.numpy())
    with pytest.warns(match="use lower"), pytest.raises(ValueError, match="both lower and domain_bounds_lower_corner"):
        Cubes(4, 4, 4, lower=(0, 0, 0), domain_bounds_lower_corner=(1, 2, 3))
    assert isinstance(cubes, wp.MarchingCubes)
    for gone in ("max_verts", "max_tris"):
        with pytest.raises(TypeError, match=gone):
            Cubes(4, 4, 4, **{gone: 9})


def test_helpers_can_fail() -> None:
    verts, faces = extracted(sphere(12, 4.2))
    assert is_manifold(faces)
    assert not is_closed(faces[1:])
    assert not is_closed(np.concatenate([faces[1:], faces[:1, ::-1]]))
    assert is_closed(np.concatenate([faces, faces]))
    assert not is_manifold(np.concatenate([faces, faces]))
