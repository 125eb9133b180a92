"""Solids of distances: what is cut out of what, kept in a sparse volume and made into triangles.

Shows implicit surfaces. A solid is a function of space that is at most the distance to its surface, negative inside:
the union of two is the lesser of both, their intersection the greater, and a difference the greater of one and the
negative of the other. So a tile whose centre is further away than its corners has no surface, and is left out. The
others become a volume, which is written by a kernel, saved, and read again; marching cubes look at its cells only.

    python -m warp.examples.geometry.solids [--tiles N] [--headless]
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import warp as wp
import warp.geometry

from .. import _shared
from . import _shapes
from .ray_tracer import Lamp, look, picture

HALF = 1.28


@wp.func
def box(p: wp.vec3, half: wp.vec3, rounded: float) -> float:
    q = wp.vec3(wp.abs(p[0]), wp.abs(p[1]), wp.abs(p[2])) - half + wp.vec3(rounded)
    outside = wp.vec3(wp.max(q[0], 0.0), wp.max(q[1], 0.0), wp.max(q[2], 0.0))
    return wp.length(outside) + wp.min(wp.max(q[0], wp.max(q[1], q[2])), 0.0) - rounded


@wp.func
def rod(p: wp.vec3, axis: int, radius: float) -> float:
    """An endless one."""
    return wp.sqrt(wp.max(wp.length_sq(p) - p[axis] * p[axis], 0.0)) - radius


@wp.func
def die(p: wp.vec3) -> float:
    """A cube with the corners cut off by a ball, and three holes; a ball within."""
    hull = wp.max(box(p, wp.vec3(0.8), 0.08), wp.length(p) - 1.1)
    holes = wp.min(rod(p, 0, 0.5), wp.min(rod(p, 1, 0.5), rod(p, 2, 0.5)))
    return wp.min(wp.max(hull, -holes), wp.length(p) - 0.42)


@wp.func
def gyroid(p: wp.vec3) -> float:
    """A ball of a lattice of walls; the slope of the waves is at most 14."""
    q = 8.0 * p
    wave = wp.sin(q[0]) * wp.cos(q[1]) + wp.sin(q[1]) * wp.cos(q[2]) + wp.sin(q[2]) * wp.cos(q[0])
    shell = wp.abs(wp.length(p) - 1.1) - 0.04
    open = wp.max(shell, p[2] - 0.45)
    return wp.min(wp.max((wp.abs(wave) - 0.35) / 14.0, wp.length(p) - 1.1), open)


def kernels_of(solid: wp.Function) -> tuple[wp.Kernel, wp.Kernel]:
    """What finds the tiles that may have the surface of a solid, and what writes its distances."""

    @wp.kernel
    def find(size: float, points: wp.array3d[wp.vec3], needed: wp.array3d[wp.bool]) -> None:
        i, j, k = wp.tid()
        p = 8.0 * size * wp.vec3(float(i) + 0.5, float(j) + 0.5, float(k) + 0.5) - wp.vec3(HALF)
        points[i, j, k] = p
        # As far as a corner of a tile, and a cell more, whose corners may lie in the next tile.
        needed[i, j, k] = wp.abs(solid(p)) < 5.0 * wp.sqrt(3.0) * size

    @wp.kernel
    def write(volume: wp.uint64, voxels: wp.array[wp.vec3i]) -> None:
        at = voxels[wp.tid()]
        p = wp.volume_index_to_world(volume, wp.vec3(float(at[0]), float(at[1]), float(at[2])))
        wp.volume_store_f(volume, at[0], at[1], at[2], solid(p))

    return find, write


def volume_of(solid: wp.Function, tiles: int) -> wp.Volume:
    """Distances near the surface of a solid, of a cube with so many tiles along its sides."""
    find, write = kernels_of(solid)
    size = 2 * HALF / (8 * tiles)
    points, needed = wp.empty((tiles,) * 3, dtype=wp.vec3), wp.empty((tiles,) * 3, dtype=wp.bool)
    wp.launch(find, points.shape, inputs=[size], outputs=[points, needed])
    # Voxel (0, 0, 0) lies half a voxel from the corner, so that a tile is around its centre.
    at = [size / 2 - HALF] * 3
    volume = wp.Volume.allocate_by_tiles(
        points.flatten(), voxel_size=size, bg_value=HALF, translation=at, point_mask=needed.flatten()
    )
    voxels = wp.array(volume.get_voxels().numpy(), dtype=wp.vec3i)
    wp.launch(write, len(voxels), inputs=[volume, voxels])
    return volume


@wp.kernel
def read(
    volume: wp.uint64, voxels: wp.array[wp.vec3i], corners: wp.array[wp.vec3i], values: wp.array2d[float],
    whole: wp.array[wp.bool],
) -> None:  # fmt: skip
    """The values at the corners of the cell behind each voxel, and whether all of these are there."""
    n = wp.tid()
    all_there = wp.bool(True)
    for c in range(8):
        at = voxels[n] + corners[c]
        values[n, c] = wp.volume_lookup_f(volume, at[0], at[1], at[2])
        all_there = all_there and wp.volume_lookup_index(volume, at[0], at[1], at[2]) >= 0
    whole[n] = all_there


def surface(volume: wp.Volume) -> _shapes.Shape:
    """The triangles where the values of a volume are 0."""
    voxels = volume.get_voxels().numpy()
    cube = warp.geometry.IsoSurfaceMarchingCubes
    values, whole = wp.empty((len(voxels), 8), dtype=float), wp.empty(len(voxels), dtype=wp.bool)
    inputs = [volume, wp.array(voxels, dtype=wp.vec3i), wp.array(cube.CUBE_CORNER_OFFSETS, dtype=wp.vec3i)]
    wp.launch(read, len(voxels), inputs=inputs, outputs=[values, whole])
    kept = whole.numpy()
    info = volume.get_grid_info()
    verts, indices = warp.geometry.sparse_marching_cubes_from_cells(
        wp.array(voxels[kept], dtype=wp.vec3i),
        wp.array(values.numpy()[kept], dtype=float),
        origin=info.translation,
        cell_width=volume.get_voxel_size()[0],
    )
    return np.array(verts.numpy()), indices.numpy().reshape(-1, 3)


def check_closed(faces: np.ndarray) -> None:
    """Each side of a triangle is that of one other, in the opposite direction."""
    sides = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(np.int64)
    there, back = sides[:, 0] << 32 | sides[:, 1], sides[:, 1] << 32 | sides[:, 0]
    if not np.array_equal(np.sort(there), np.sort(back)) or len(np.unique(there)) != len(there):
        raise RuntimeError("the surface has holes: tiles are missing")


def saved(volume: wp.Volume) -> wp.Volume:
    """The volume of a file of NanoVDB that it was written to."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "solid.nvdb")
        volume.save_to_nvdb(path, codec="zip")
        return wp.Volume.load_from_nvdb(path)


@wp.kernel
def cut(volume: wp.uint64, height: float, out: wp.array2d[float]) -> None:
    """Distances in a plane."""
    i, j = wp.tid()
    step = 2.0 * HALF / float(out.shape[0])
    p = wp.vec3((float(j) + 0.5) * step - HALF, (float(i) + 0.5) * step - HALF, height)
    out[i, j] = wp.volume_sample_f(volume, wp.volume_world_to_index(volume, p), wp.Volume.LINEAR)


def draw(shapes: list[tuple[str, _shapes.Shape]], slices: list[np.ndarray], file: str) -> None:
    lamp, camera = Lamp(wp.vec3(-3.2, -2.6, 4.6), 0.55), look((1.9, -3.9, 2.6), (0.0, 0.0, -0.1), 0.62)
    tones = [(0.93, 0.68, 0.25), (0.83, 0.27, 0.29)]
    with _shared.sheet(file, 2, 2, size=(10, 9.6)) as panels:
        for k, (title, shape) in enumerate(shapes):
            points, faces, part = _shapes.joined(shape, _shapes.floor(-1.12))
            colours = np.array([tones[k], (0.8, 0.78, 0.74)])[part]
            image, _ = picture(points, faces, colours, camera, lamp, (300, 315))
            _shared.image(panels[2 * k], np.clip(image, 0, 1), title)
            there = np.where(slices[k] < HALF - 1e-3, slices[k], np.nan)
            extent = [-HALF, HALF, -HALF, HALF]
            _shared.image(
                panels[2 * k + 1], there, "the volume, cut", extent=extent, cmap="RdBu", vmin=-0.12, vmax=0.12
            )
            panels[2 * k + 1].contour(there, levels=[0.0], extent=extent, colors=_shared.INK, linewidths=1.2)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, tiles=20)
    tiles = options.tiles
    shapes, slices = [], []
    with wp.ScopedDevice(options.device):
        for name, solid in (("a cube, cut", die), ("a ball of walls", gyroid)):
            volume = saved(volume_of(solid, tiles))
            points, faces = surface(volume)
            check_closed(faces)
            filled = np.linalg.det(points[faces].astype(float)).sum() / 6
            counted = counted_volume(solid)
            share = volume.get_tile_count() / tiles**3
            print(f"{name}: {share:.0%} of {tiles**3} tiles, {len(faces)} triangles, a volume of {filled:.3f}")
            if abs(filled - counted) > 1.5 * volume.get_voxel_size()[0] * counted:
                raise RuntimeError(f"{name}: the surface encloses {filled}, the solid has {counted}")
            plane = wp.empty((400, 400), dtype=float)
            wp.launch(cut, plane.shape, inputs=[volume, 0.1], outputs=[plane])
            shapes.append((name, (points, faces)))
            slices.append(plane.numpy())
    if not options.headless:
        draw(shapes, slices, options.picture)


def counted_volume(solid: wp.Function, side: int = 128) -> float:
    """The volume of a solid by counting points of a lattice."""
    inside = wp.zeros(1, dtype=int)

    @wp.kernel
    def count(inside: wp.array[int]) -> None:
        i, j, k = wp.tid()
        p = (2.0 * HALF / float(side)) * wp.vec3(float(i) + 0.5, float(j) + 0.5, float(k) + 0.5) - wp.vec3(HALF)
        wp.atomic_add(inside, 0, int(solid(p) < 0.0))

    wp.launch(count, (side, side, side), outputs=[inside])
    return float(inside.numpy()[0]) * (2 * HALF / side) ** 3


if __name__ == "__main__":
    main()
