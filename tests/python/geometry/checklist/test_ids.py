"""What trees, meshes and hash grids share: ids, how long they live, copies, types, captures."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp

from ..meshes import energy, sphere
from . import objects

KINDS = {
    "Bvh": (objects.tree, objects.ask_tree, objects.TREE_KINDS),
    "Mesh": (objects.triangle, objects.ask_mesh, objects.MESH_KINDS),
    "HashGrid of float32": (objects.grid, objects.ask_grid, objects.GRID_KINDS),
    "HashGrid of float64": (lambda: objects.grid(wp.float64), objects.ask_grid_of_doubles, objects.GRID_KINDS),
    "HashGrid of float16": (lambda: objects.grid(wp.float16), objects.ask_grid_of_halves, objects.GRID_KINDS),
}
#: Questions to any hash grid.
OF_ANY_GRID = 2


@pytest.mark.parametrize("name", KINDS)
def test_ids_are_integers_of_their_own(name: str) -> None:
    make, kernel, kinds = KINDS[name]
    one, other = make(), make()
    assert type(one.id) is int
    assert 0 < one.id < 2**64
    assert one.id == one.id != other.id
    for given in (one, one.id, wp.uint64(one), wp.uint64(one.id), np.uint64(one.id)):
        assert [objects.answer(kernel, given, kind) for kind in range(kinds)] == [1] * kinds


@pytest.mark.parametrize("name", KINDS)
def test_every_builtin_checks_the_id(name: str) -> None:
    _, kernel, kinds = KINDS[name]
    others = {other: make() for other, (make, *_) in KINDS.items() if other != name}
    others["Volume"] = wp.Volume.allocate([0] * 3, [1] * 3, 1.0)
    made = KINDS[name][0]()
    gone = made.id
    del made
    gc.collect()
    wrong = {0: "0 is no id", 1: "1 is no id", 2**64 - 1: "is no id", gone: f"{name} with the id {gone} has been"}
    wrong |= {found.id: f"{found.id} is the id of a {other}" for other, found in others.items()}
    for kind in range(kinds):
        for given, said in wrong.items():
            if kind == OF_ANY_GRID and "HashGrid" in name and "HashGrid" in said and given != gone:
                continue
            with pytest.raises(ValueError, match=said):
                objects.answer(kernel, given, kind)


@wp.struct
class Scene:
    tree: wp.uint64
    mesh: wp.uint64
    grid: wp.uint64


@wp.kernel
def ask_all(ids: wp.array(dtype=wp.uint64), scene: Scene, out: wp.array(dtype=int)):
    p = wp.vec3(0.25)
    out[0] = objects.items(wp.bvh_query_aabb(ids[0], p, p)) + 10 * objects.items(wp.bvh_query_aabb(scene.tree, p, p))
    out[1] = objects.faces(wp.mesh_query_sphere(ids[1], p, 9.0))
    out[1] += 10 * objects.faces(wp.mesh_query_sphere(scene.mesh, p, 9.0))
    out[2] = objects.points(wp.hash_grid_query(ids[2], p, 0.0))
    out[2] += 10 * objects.points(wp.hash_grid_query(scene.grid, p, 0.0))


def test_objects_stand_for_their_ids() -> None:
    """In arrays, in fields of structs and in recorded launches."""
    made = [objects.tree(), objects.triangle(), objects.grid()]
    ids = wp.array(made, dtype=wp.uint64)
    assert ids.list() == [one.id for one in made]
    assert wp.full(2, made[1], dtype=wp.uint64).list() == [made[1].id] * 2
    scene, out = Scene(), wp.zeros(3, dtype=int)
    scene.tree, scene.mesh, scene.grid = made
    wp.launch(ask_all, dim=1, inputs=[ids, scene], outputs=[out])
    assert out.list() == [11, 11, 22]
    wp.launch(ask_all, dim=1, inputs=[ids, Scene(*made)], outputs=[out])
    assert out.list() == [11, 11, 22]
    command = wp.launch(objects.ask_tree, dim=1, inputs=[made[0], 0], outputs=[out], record_cmd=True)
    empty = wp.Bvh(wp.zeros(0, dtype=wp.vec3), wp.zeros(0, dtype=wp.vec3))
    command.set_param_by_name("tree", empty)
    command.launch()
    assert out.list()[0] == 0


# How long they live


@pytest.mark.parametrize("name", KINDS)
def test_a_temporary(name: str) -> None:
    """Passed itself it lives as long as the launch; of one that is gone the id says so."""
    make, kernel, _ = KINDS[name]
    assert objects.answer(kernel, make()) == 1
    with pytest.raises(ValueError, match="has been deleted"):
        objects.answer(kernel, make().id)


@pytest.mark.parametrize("name", ["Bvh", "Mesh", "HashGrid of float32"])
def test_what_records_a_launch_keeps_the_object(name: str) -> None:
    make, kernel, _ = KINDS[name]
    made, out = make(), wp.zeros(1, dtype=int)
    gone = made.id
    command = wp.launch(kernel, dim=1, inputs=[made, 0], outputs=[out], record_cmd=True)
    with wp.ScopedCapture() as capture:
        wp.launch(kernel, dim=1, inputs=[made, 0], outputs=[out])
    with wp.ScopedCapture() as by_id:
        wp.launch(kernel, dim=1, inputs=[made.id, 0], outputs=[out])
    del made
    gc.collect()
    runs: list[Callable[[], Any]] = [command.launch]
    runs += [functools.partial(wp.capture_launch, kept.graph) for kept in (capture, by_id)]
    for run in runs:
        out.zero_()
        run()
        assert out.list() == [1]
    del command, capture, by_id, runs, run
    gc.collect()
    with pytest.raises(ValueError, match="has been deleted"):
        objects.answer(kernel, gone)


@pytest.mark.parametrize("given", [lambda mesh: mesh, lambda mesh: mesh.id, wp.uint64], ids=["object", "id", "uint64"])
def test_a_tape_keeps_a_mesh(given: Any) -> None:
    points, faces = sphere(4)
    array = wp.array(points, dtype=wp.vec3, requires_grad=True)
    mesh = wp.Mesh(array, wp.array(faces.ravel(), dtype=int))
    at = wp.array(2 * points[:9], dtype=wp.vec3)
    out = wp.zeros(9, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(energy, dim=9, inputs=[given(mesh), at, at, 0], outputs=[out])
    del mesh
    gc.collect()
    tape.backward(grads={out: wp.ones(9, dtype=float)})
    # The closest point of 2 p is p: it comes nearer when p moves outwards.
    right = np.where(np.arange(len(points))[:, None] < 9, -points, 0)
    np.testing.assert_allclose(array.grad.numpy(), right, atol=1e-5)


@wp.kernel
def sum_of_found(tree: wp.uint64, values: wp.array(dtype=float), out: wp.array(dtype=float)):
    for j in wp.bvh_query_aabb(tree, wp.vec3(-9.0), wp.vec3(2.0)):
        out[0] += values[j] * values[j]


def test_a_tape_keeps_a_tree() -> None:
    """Gradients go through what is computed of the boxes that are found; which ones these are is a constant."""
    tree, values = objects.tree(), wp.array([3.0, 5.0], dtype=float, requires_grad=True)
    lowers = weakref.ref(tree.lowers)
    out = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(sum_of_found, dim=1, inputs=[tree, values], outputs=[out])
    del tree
    gc.collect()
    tape.backward(grads={out: wp.ones(1, dtype=float)})
    assert values.grad.list() == [6, 0]
    del tape
    gc.collect()
    assert lowers() is None


def test_objects_keep_their_arrays_and_let_them_go() -> None:
    count = 4
    vectors = [wp.zeros(count, dtype=wp.vec3) for _ in range(4)]
    indices, groups = wp.array([0, 1, 2], dtype=int), [wp.zeros(n, dtype=int) for n in (count, 1, count)]
    tree = wp.Bvh(vectors[0], vectors[1], groups=groups[0])
    mesh = wp.Mesh(vectors[2], indices, velocities=vectors[3], groups=groups[1])
    grid = wp.HashGrid(2, 2, 2)
    grid.build(vectors[0], 1.0, groups[2])
    found = (
        tree.lowers,
        tree.uppers,
        tree.groups,
        mesh.points,
        mesh.indices,
        mesh.velocities,
        mesh.groups,
        grid.groups,
    )
    given = (vectors[0], vectors[1], groups[0], vectors[2], indices, vectors[3], groups[1], groups[2])
    assert all(ours is theirs for ours, theirs in zip(found, given, strict=True))
    kept = [weakref.ref(array) for array in given]
    del vectors, indices, groups, found, given
    gc.collect()
    assert all(array() is not None for array in kept)
    tree.refit()
    mesh.refit()
    del tree, mesh, grid
    gc.collect()
    assert all(array() is None for array in kept)


# Copies


def copies(made: Any) -> list[Any]:
    return [copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))]


@pytest.mark.parametrize("name", KINDS)
def test_copies_are_others_and_say_the_same(name: str) -> None:
    make, kernel, kinds = KINDS[name]
    made = make()
    for other in copies(made):
        assert other == other != made
        assert len({made.id, other.id}) == 2
        assert (repr(other), other.device) == (repr(made), made.device)
        assert [objects.answer(kernel, other, kind) for kind in range(kinds)] == [1] * kinds
    gone = made.id
    other = copy.copy(made)
    del made
    gc.collect()
    assert objects.answer(kernel, other) == 1
    with pytest.raises(ValueError, match="has been deleted"):
        objects.answer(kernel, gone)


def test_a_shallow_copy_shares_arrays_and_a_deep_one_does_not() -> None:
    tree, mesh = objects.tree(), objects.triangle(groups=wp.zeros(1, dtype=int), support_winding_number=True)
    shallow, deep, pickled = copies(tree)
    assert shallow.lowers is tree.lowers
    for own in (deep, pickled):
        assert own.lowers.ptr != tree.lowers.ptr
    tree.lowers.fill_(7.0)
    tree.uppers.fill_(8.0)
    for one in (tree, shallow, deep, pickled):
        one.refit()
    assert [objects.answer(objects.ask_tree, one) for one in (tree, shallow, deep, pickled)] == [0, 0, 1, 1]
    shallow, deep, pickled = copies(mesh)
    assert shallow.points is mesh.points
    mesh.points.fill_(7.0)
    for one in (shallow, deep, pickled):
        one.refit()
        assert one.support_winding_number
        assert one.velocities is None
        assert one.groups.list() == [0]
    assert [objects.answer(objects.ask_mesh, one, 6) for one in (shallow, deep, pickled)] == [0, 1, 1]


# Types, names, captures


def test_constructors_by_position() -> None:
    low, high, groups = wp.zeros(3, dtype=wp.vec3), wp.ones(3, dtype=wp.vec3), wp.array([1, 2, 3], dtype=int)
    tree = wp.Bvh(low, high, "sah", groups, 2)
    assert tree.lowers is low
    assert tree.uppers is high
    assert tree.groups is groups
    faces, of_face, speeds = wp.array([0, 1, 2], dtype=int), wp.array([4], dtype=int), wp.zeros(3, dtype=wp.vec3)
    mesh = wp.Mesh(low, faces, speeds, True, "median", 3, of_face)
    assert mesh.indices is faces
    assert mesh.velocities is speeds
    assert mesh.groups is of_face
    assert mesh.support_winding_number is True
    grid = wp.HashGrid(1, 2, 3, "cpu", wp.float64)
    assert (grid.device, grid.dtype) == (wp.get_device("cpu"), wp.float64)
    grid.build(wp.zeros(3, dtype=wp.vec3d), 1.0, groups)
    grid.reserve(4, True)
    assert grid.groups is groups
    assert grid.reserved == 4
    assert list(inspect.signature(wp.Bvh.rebuild).parameters) == ["self", "constructor"]


def test_names_of_constructors() -> None:
    low, faces = wp.zeros(3, dtype=wp.vec3), wp.array([0, 1, 2], dtype=int)
    for known in (None, "sah", "SAH", "median", "Median", "lbvh", "LBvh", "cubql", "cuBQL"):
        wp.Bvh(low, low, constructor=known)
        wp.Mesh(low, faces, bvh_constructor=known)
    for wrong in ("", "sah ", "best", 0, b"sah"):
        with pytest.raises(ValueError, match="expected one of 'sah', 'median', 'lbvh', 'cubql' or None"):
            wp.Bvh(low, low, constructor=wrong)
        with pytest.raises(ValueError, match="expected one of 'sah', 'median', 'lbvh', 'cubql' or None"):
            wp.Mesh(low, faces, bvh_constructor=wrong)
    assert [found for found in dir(wp) if "constructor" in found.lower()] == []


@wp.func
def overlapping(tree: wp.uint64, p: wp.vec3) -> wp.BvhQuery:
    return wp.bvh_query_aabb(tree, p, p)


@wp.func
def in_box(mesh: wp.uint64, p: wp.vec3) -> wp.MeshQueryAABB:
    return wp.mesh_query_aabb(mesh, p - wp.vec3(9.0), p)


@wp.func
def in_ball(mesh: wp.uint64, p: wp.vec3) -> wp.MeshQuery:
    return wp.mesh_query_sphere(mesh, p, 0.5)


@wp.func
def nearest(mesh: wp.uint64, p: wp.vec3) -> wp.MeshQueryPoint:
    return wp.mesh_query_point_no_sign(mesh, p, 9.0)


@wp.func
def hit(mesh: wp.uint64, p: wp.vec3) -> wp.MeshQueryRay:
    return wp.mesh_query_ray(mesh, p, wp.vec3(0.0, 0.0, -0.5), 9.0)


@wp.func
def near(grid: wp.uint64, p: wp.vec3) -> wp.HashGridQuery[wp.float32]:
    return wp.hash_grid_query(grid, p, 0.0)


def test_functions_return_queries_and_results() -> None:
    @wp.kernel
    def ask(tree: wp.uint64, mesh: wp.uint64, grid: wp.uint64, out: wp.array(dtype=float)):
        p = wp.vec3(0.25)
        out[0] = float(objects.items(overlapping(tree, p)))
        out[1] = float(objects.faces(in_box(mesh, p)))
        out[2] = float(objects.faces(in_ball(mesh, p)))
        found = nearest(mesh, p)
        out[3] = wp.where(found.result, found.u + 10.0 * found.v, -1.0)
        seen = hit(mesh, p)
        out[4] = wp.where(seen.result, seen.t + float(seen.face), -1.0)
        out[5] = float(objects.points(near(grid, p)))

    out = wp.zeros(6, dtype=float)
    wp.launch(ask, dim=1, inputs=[objects.tree(), objects.triangle(), objects.grid()], outputs=[out])
    assert out.list() == [1, 1, 1, 0.5 + 10 * 0.25, 0.5, 2]


@pytest.mark.parametrize("name", ["Bvh", "Mesh", "HashGrid of float32"])
def test_what_is_made_in_a_capture_is_made_once(name: str) -> None:
    make, kernel, _ = KINDS[name]
    out, made = wp.zeros(1, dtype=int), []
    with wp.ScopedCapture() as capture:
        made.append(make())
        wp.launch(kernel, dim=1, inputs=[made[0], 0], outputs=[out])
    kept = made[0].id
    for _ in range(3):
        out.zero_()
        wp.capture_launch(capture.graph)
        assert out.list() == [1]
    assert (len(made), made[0].id) == (1, kept)


PLACE = wp.vec3(0.25, 0.25, 0.25)
QUERIES = {
    "bvh": {
        "query_aabb": (PLACE, PLACE), "query_sphere": (PLACE, 1.0), "query_ray": (PLACE, PLACE),
        "query_capsule": (PLACE, PLACE, 1.0), "query_closest": (PLACE, 1.0), "get_group_root": (0,), "query_next": (0,),
    },
    "mesh": {
        "query_point": (PLACE, 1.0), "query_point_no_sign": (PLACE, 1.0), "query_point_sign_normal": (PLACE, 1.0),
        "query_point_sign_winding_number": (PLACE, 1.0), "query_point_sign_parity": (PLACE, 1.0),
        "query_furthest_point_no_sign": (PLACE, 1.0), "query_ray": (PLACE, PLACE, 1.0),
        "query_ray_anyhit": (PLACE, PLACE, 1.0), "query_ray_count_intersections": (PLACE, PLACE),
        "query_aabb": (PLACE, PLACE), "query_sphere": (PLACE, 1.0), "query_next": (0,), "query_aabb_next": (0,),
        "eval_position": (0, 0.5, 0.5), "eval_velocity": (0, 0.5, 0.5), "eval_face_normal": (0,), "get_point": (0,),
        "get_velocity": (0,), "get_index": (0,), "get_bvh": (), "get_group_root": (0,), "get": (),
    },
    "hash_grid": {"query": (PLACE, 1.0), "query_next": (0,), "point_id": (0,)},
}  # fmt: skip


@pytest.mark.parametrize("family", QUERIES)
def test_queries_outside_of_kernels_are_refused_by_name(family: str) -> None:
    made = {"bvh": objects.tree, "mesh": objects.triangle, "hash_grid": objects.grid}[family]()
    for name, more in QUERIES[family].items():
        with pytest.raises(TypeError, match=f"{family}_{name}.*only kernels"):
            getattr(wp, f"{family}_{name}")(made.id, *more)
