"""What `benchmark_geometry` runs with a `warp`, this one or a peer."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
import warp.geometry

from .geometry_scenes import Scene, Work, measured

FAR = wp.constant(1.0e6)


@wp.kernel
def cast(mesh: wp.uint64, starts: wp.array[wp.vec3], rays: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    hit = wp.mesh_query_ray(mesh, starts[i], rays[i], FAR)
    t = float(-1.0)
    if hit.result:
        t = hit.t
    out[i] = t


@wp.kernel
def cast_any(mesh: wp.uint64, starts: wp.array[wp.vec3], rays: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = float(wp.mesh_query_ray_anyhit(mesh, starts[i], rays[i], FAR))


@wp.kernel
def near(mesh: wp.uint64, points: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    found = wp.mesh_query_point_no_sign(mesh, points[i], FAR)
    out[i] = wp.length(points[i] - wp.mesh_eval_position(mesh, found.face, found.u, found.v))


@wp.kernel
def near_by_rays(mesh: wp.uint64, points: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    found = wp.mesh_query_point(mesh, points[i], FAR)
    out[i] = found.sign * wp.length(points[i] - wp.mesh_eval_position(mesh, found.face, found.u, found.v))


@wp.kernel
def near_by_winding(mesh: wp.uint64, points: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    found = wp.mesh_query_point_sign_winding_number(mesh, points[i], FAR)
    out[i] = found.sign * wp.length(points[i] - wp.mesh_eval_position(mesh, found.face, found.u, found.v))


@wp.kernel
def overlaps(tree: wp.uint64, lows: wp.array[wp.vec3], highs: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    query = wp.bvh_query_aabb(tree, lows[i], highs[i])
    j = int(0)
    count = float(0.0)
    while wp.bvh_query_next(query, j):
        count += 1.0
    out[i] = count


@wp.kernel
def density(grid: wp.uint64, points: wp.array[wp.vec3], radius: float, out: wp.array[wp.vec2]) -> None:
    """How many points are near, and a sum over them."""
    i = wp.tid()
    p = points[i]
    count = float(0.0)
    total = float(0.0)
    for j in wp.hash_grid_query(grid, p, radius):
        d = wp.length(p - points[j]) / radius
        if d < 1.0:
            count += 1.0
            total += (1.0 - d) * (1.0 - d)
    out[i] = wp.vec2(count, total)


@wp.kernel
def sample(volume: wp.uint64, places: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = wp.volume_sample_f(volume, places[i], wp.Volume.LINEAR)


@wp.kernel
def look(texture: wp.Texture3D, places: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = wp.texture_sample(texture, places[i], dtype=float)


#: The kernels of the rows that are one launch over places.
KERNELS: dict[str, Any] = {
    "rays": cast,
    "any hit": cast_any,
    "near": near,
    "near, rays": near_by_rays,
    "near, winding": near_by_winding,
    "boxes": overlaps,
    "neighbours": density,
    "volume": sample,
    "texture": look,
}


def vectors(values: np.ndarray, grad: bool = False) -> Any:
    return wp.array(values, dtype=wp.vec3, requires_grad=grad)


def work_of(scene: Scene) -> Work:
    """What a `warp` runs for a row."""
    kind, data = scene.kind.removesuffix(", adjoint"), scene.data
    adjoint = kind != scene.kind
    if kind == "build":
        points, faces = vectors(data["points"]), wp.array(data["faces"].ravel(), dtype=int)
        return Work(lambda: wp.Mesh(points, faces))
    if kind == "surface":
        return surface_of(data["values"], adjoint)
    held, inputs = object_of(kind, data)
    if kind == "refit":
        return Work(held.refit)
    if kind == "grid":
        return Work(lambda: held.build(*inputs))
    return gradients_of(kind, held, inputs) if adjoint else launch_of(kind, held, inputs)


def launch_of(kind: str, held: Any, inputs: list[Any]) -> Work:
    count, out = len(inputs[0]), results(kind, len(inputs[0]))
    given = held if kind == "texture" else held.id

    def run() -> None:
        wp.launch(KERNELS[kind], dim=count, inputs=[given, *inputs], outputs=[out])

    return Work(run, lambda: (out.numpy(), held)[0])  # what is queried lives as long as the launch is called


def gradients_of(kind: str, held: Any, inputs: list[Any]) -> Work:
    """The adjoint of the launch with respect to the queries."""
    count, out = len(inputs[0]), results(kind, len(inputs[0]))
    given = held if kind == "texture" else held.id
    grads: list[Any] = [None if isinstance(x, float) else wp.zeros_like(x) for x in inputs]
    wanted = [grad for grad in grads if grad is not None]
    seed = results(kind, count)
    seed.fill_(1.0)
    wp.launch(KERNELS[kind], dim=count, inputs=[given, *inputs], outputs=[out])

    def back() -> None:
        wp.launch(
            KERNELS[kind],
            dim=count,
            inputs=[given, *inputs],
            outputs=[out],
            adj_inputs=[None, *grads],
            adj_outputs=[seed],
            adjoint=True,
        )

    def found() -> np.ndarray:
        """Of one run: others have been before it."""
        for grad in wanted:
            grad.zero_()
        back()
        return np.concatenate([(grad.numpy(), held)[0].ravel() for grad in wanted])

    return Work(back, found)


def results(kind: str, count: int) -> Any:
    return wp.zeros(count, dtype=wp.vec2) if kind == "neighbours" else wp.zeros(count, dtype=float)


def object_of(kind: str, data: dict[str, Any]) -> tuple[Any, list[Any]]:
    """What is queried, and the other inputs of the kernel."""
    if kind in ("grid", "neighbours"):
        side = max(1, min(128, round(len(data["points"]) ** (1 / 3))))
        grid, points = wp.HashGrid(side, side, side), vectors(data["points"])
        grid.build(points, float(data["radius"]))
        return grid, [points, float(data["radius"])]
    if kind == "volume":
        return wp.Volume.load_from_numpy(data["values"]), [vectors(data["at"])]
    if kind == "texture":
        texels = np.ascontiguousarray(data["values"].transpose(2, 1, 0))
        return wp.Texture3D(texels, normalized_coords=False), [vectors(data["at"] + np.float32(0.5))]
    if kind == "boxes":
        lows, highs = vectors(data["lows"]), vectors(data["highs"])
        return wp.Bvh(lows, highs), [lows, highs]
    faces = wp.array(data["faces"].ravel(), dtype=int)
    mesh = wp.Mesh(vectors(data["points"]), faces, support_winding_number=kind.endswith("winding"))
    queries = ("at",) if "at" in data else ("starts", "rays") if "starts" in data else ()
    return mesh, [vectors(data[name]) for name in queries]


def surface_of(values: np.ndarray, adjoint: bool) -> Work:
    field = wp.array(values, dtype=float, requires_grad=adjoint)
    cubes = warp.geometry.IsoSurfaceMarchingCubes(*values.shape)
    if not adjoint:
        return Work(
            lambda: cubes.surface(field, 0.0),
            lambda: measured(cubes.verts.numpy(), cubes.indices.numpy().reshape(-1, 3)),
        )
    with wp.Tape() as tape:
        cubes.surface(field, 0.0)
    seed = wp.full(len(cubes.verts), wp.vec3(1.0, 2.0, 3.0), dtype=wp.vec3)

    def found() -> np.ndarray:
        tape.zero()
        tape.backward(grads={cubes.verts: seed})
        return np.asarray(field.grad.numpy().ravel())

    return Work(lambda: tape.backward(grads={cubes.verts: seed}), found)
