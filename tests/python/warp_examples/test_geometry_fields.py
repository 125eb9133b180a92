"""The examples of `warp.examples.geometry` on volumes, textures, isosurfaces and lists of neighbours, beside closed
forms, brute force, torch and differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import warp as wp
import warp.geometry
from warp.examples.geometry import _shapes, molecules, photons, relief, slices, smoke, solids, surface_fit, texture_fit


def test_smoke_has_the_tiles_that_it_needs() -> None:
    """Those within four voxels of smoke, counted voxel by voxel; nothing comes out of nowhere within them."""
    plume = smoke.Smoke()
    for _ in range(8):
        plume.advance()
    assert plume.divergence().numpy().std() < 0.003
    assert plume.velocity.numpy()[:, 2].max() > 0.3
    voxels = plume.voxels.numpy()[plume.smoke.numpy() > float(smoke.FAINT)]
    steps = np.array(list(itertools.product((-4, 0, 4), repeat=3)))
    expected = {tuple(tile) for tile in np.unique((voxels[:, None] + steps).reshape(-1, 3) // 8 * 8, axis=0)}
    plume.follow()
    assert {tuple(tile) for tile in plume.grid.get_tiles().numpy()} == expected


def test_photons_of_a_thin_layer() -> None:
    """What a layer sends back and lets through, by the tables of van de Hulst (Multiple Light Scattering, 1980): an
    optical depth of 2, nine tenths of what collides are scattered, the mean cosine is 0.75."""
    media = np.empty((64, 64, 4, 3))
    media[:] = (1.0, 9.0, 0.75)
    layer = photons.Tissue(media, 0.05)
    layer.shine(60_000, 0.0)
    above, below, beside, inside = layer.shares()
    assert above == pytest.approx(0.09739, abs=0.006)
    assert below == pytest.approx(0.66096, abs=0.009)
    assert beside < 1e-3
    assert above + below + beside + inside == pytest.approx(1, abs=1e-6)
    assert layer.per_volume().sum() * 0.05**3 == pytest.approx(inside)


def test_texels_are_found_from_pictures() -> None:
    cameras, shape = texture_fit.Cameras(12, 64), (12, 40)
    assert texture_fit.check_adjoint(cameras, shape) < 1e-6
    target = texture_fit.painting(*shape)
    found, losses = texture_fit.fitted(cameras, cameras.pictures(wp.array(target, dtype=wp.vec4)), shape, 60)
    assert losses[-1] < 1e-3 * losses[0]
    np.testing.assert_allclose(found, target, atol=0.05)


def differences(parameters: wp.array, forward: object, loss: wp.array, places: np.ndarray, by: float) -> list[float]:
    """Central differences of the loss by some elements of the parameters."""
    start, found = parameters.numpy().copy(), []
    for place in places:
        ends = []
        for step in (by, -by):
            moved = start.copy()
            moved[tuple(place)] += step
            parameters.assign(moved)
            forward()  # type: ignore[operator]
            ends.append(float(loss))
        found.append((ends[0] - ends[1]) / (2 * by))
    parameters.assign(start)
    return found


def test_gradients_of_a_surface_are_those_of_differences() -> None:
    points, faces = _shapes.knot(60, 12)
    fit = surface_fit.Fit(surface_fit.scanned(points, faces, 500), _shapes.mesh(points, faces), 20)
    with wp.Tape() as tape:
        fit.forward()
    tape.backward(fit.loss)
    gradient = fit.parameters.grad.numpy()
    places = np.argwhere(np.abs(gradient) > 0.5 * np.abs(gradient).max())[::7][:4]
    assert len(places) == 4
    right = differences(fit.parameters, fit.forward, fit.loss, places, 2e-3)
    np.testing.assert_allclose(gradient[tuple(places.T)], right, rtol=0.05)


def test_gradients_of_photographs_are_those_of_differences() -> None:
    sheet = relief.Sheet(20, 30, relief.lamps_around(3))
    sheet.photograph(wp.array(0.3 * relief.medal(20), dtype=float))
    fit = relief.Fit(sheet, wp.clone(sheet.pictures, requires_grad=False))
    fit.parameters.assign(0.1 * relief.medal(20))
    with wp.Tape() as tape:
        fit.forward()
    tape.backward(fit.loss)
    gradient = fit.parameters.grad.numpy().copy()
    places = np.argwhere(np.abs(gradient) > 0.5 * np.abs(gradient).max())[::5][:5]
    right = differences(fit.parameters, fit.forward, fit.loss, places, 1e-3)
    np.testing.assert_allclose(gradient[tuple(places.T)], right, rtol=0.05)


def test_forces_of_atoms_are_those_of_torch() -> None:
    """Energies of the pairs of the lists, by torch; the forces, of a tape and of the kernel."""
    torch = pytest.importorskip("torch")
    liquid = molecules.Liquid(6)
    for _ in range(20):
        liquid.advance(0.004)
    molecules.check_lists(liquid)
    i, j = torch.from_numpy(liquid.pairs().astype(np.int64)).T
    x = torch.tensor(liquid.x.numpy(), requires_grad=True)
    d = x[i] - x[j]
    square = ((d - liquid.side * torch.round(d / liquid.side)) ** 2).sum(dim=1)
    s, c = square**-3, 2.5**-6
    energy = 0.5 * torch.where(square < 2.5**2, 4 * (s * (s - 1) - c * (c - 1)), 0).sum()
    energy.backward()
    assert liquid.energy()[0] * len(liquid.x) == pytest.approx(energy.item(), rel=1e-12)

    lists = [liquid.side, liquid.starts, liquid.neighbours]
    at = wp.clone(liquid.x, requires_grad=True)
    total = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(molecules.energies, len(at), inputs=[at, *lists], outputs=[total])
    tape.backward(total)
    np.testing.assert_allclose(at.grad.numpy(), x.grad, rtol=1e-9, atol=1e-9)
    pushed = wp.zeros_like(liquid.v)
    wp.launch(molecules.push, len(at), inputs=[at, *lists, 1.0, pushed])
    np.testing.assert_allclose(pushed.numpy(), -x.grad, rtol=1e-9, atol=1e-9)


def test_a_sparse_solid_has_the_triangles_of_a_dense_one() -> None:
    volume = solids.volume_of(solids.die, 8)
    assert volume.get_tile_count() < 400
    points, faces = solids.surface(volume)
    solids.check_closed(faces)
    field = wp.empty((64, 64, 64), dtype=float)

    @wp.kernel
    def sample(volume: wp.uint64, field: wp.array3d[float]) -> None:
        i, j, k = wp.tid()
        field[i, j, k] = solids.die(wp.volume_index_to_world(volume, wp.vec3(float(i), float(j), float(k))))

    wp.launch(sample, field.shape, inputs=[volume], outputs=[field])
    verts, indices = warp.geometry.IsoSurfaceMarchingCubes.extract(field)
    assert (len(verts), len(indices)) == (len(points), 3 * len(faces))
    size = volume.get_voxel_size()[0]
    low = np.array(volume.get_grid_info().translation)
    ours, theirs = (np.sort((values / size).sum(axis=1)) for values in (points - low, verts.numpy() * size))
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


def test_slices_of_a_ring() -> None:
    """Two circles each, of the closed form; none above."""
    heights = np.array([-0.2, 0.0, 0.1, 0.29, 0.4])
    cut = slices.Slices(_shapes.mesh(*_shapes.ring(0.7, 0.3, 200, 100)), heights)
    cut.measure()
    half = np.sqrt(np.maximum(0.3**2 - heights**2, 0))
    np.testing.assert_allclose(cut.slice_areas(), 4 * np.pi * 0.7 * half, rtol=5e-3)
    outlines = cut.outlines()
    assert [len(lines) for lines in outlines] == [2, 2, 2, 2, 0]
    radii = sorted(np.linalg.norm(line, axis=1).mean() for line in outlines[2])
    np.testing.assert_allclose(radii, [0.7 - half[2], 0.7 + half[2]], rtol=2e-3)
