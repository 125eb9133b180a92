"""Triangles, so that kernels find the closest point, the first face along a ray, or the faces near a place."""

from __future__ import annotations

from typing import Any

from warp._geometry.queried import Queried, check_arrays, check_constructor, check_leaf_size
from warp._warp import Device, _Mesh, array, get_device


class Mesh(Queried):
    """A mesh of triangles that kernels query.

    Kernels take it as a parameter ``wp.uint64``: pass the mesh itself or its :attr:`id`. There, ``wp.mesh_query_point``
    and its like find the closest point, ``wp.mesh_query_ray`` the first face along a ray, ``wp.mesh_query_aabb`` and
    ``wp.mesh_query_sphere`` faces near a place. Gradients reach the arrays of points and velocities, if these have one.
    A launch, a tape and a graph keep a mesh that they were given alive.

    The mesh keeps the arrays. After points have changed in place, call :meth:`refit`: until then, queries find faces by
    the positions at the last one.

    Args:
        points: An array of ``vec3``, contiguous.
        indices: Numbers of points (int32), three for each face, in one contiguous dimension. The front of a face is
            where its corners go counterclockwise.
        velocities: An array of ``vec3``, one for each point, for ``wp.mesh_eval_velocity``.
        support_winding_number: Prepares ``wp.mesh_query_point_sign_winding_number``.
        bvh_constructor: How the tree over faces is built: ``"sah"``, ``"median"``, ``"lbvh"``, ``"cubql"`` or None. On
            the CPU all build by the surface area heuristic, which gives the fastest queries.
        bvh_leaf_size: Faces in a leaf at most, or 0 with ``"cubql"``. The CPU chooses by itself.
        groups: A number (int32) for each face, for rays that meet only faces of one group.

    Raises:
        TypeError: An array holds something else. It is a RuntimeError, too.
        ValueError: An index is none of a point, the arrays do not fit each other or are not contiguous, the constructor
            is unknown, or the leaf size is below 1. It is a RuntimeError, too.
    """

    def __init__(
        self,
        points: array[Any],
        indices: array[Any],
        velocities: array[Any] | None = None,
        support_winding_number: bool = False,
        bvh_constructor: str | None = None,
        bvh_leaf_size: int | None = None,
        groups: array[Any] | None = None,
    ) -> None:
        optional = {"velocities": velocities, "groups": groups}
        given = {name: value for name, value in optional.items() if value is not None}
        check_arrays("Mesh", points=points, indices=indices, **given)
        check_constructor("Mesh", bvh_constructor)
        if bvh_leaf_size is not None:
            # NVIDIA Warp's "cubql" takes 0 for a size of its own choice.
            check_leaf_size("Mesh", bvh_leaf_size, 0 if (bvh_constructor or "").lower() == "cubql" else 1)
        self._points, self._indices, self._velocities, self._groups = points, indices, velocities, groups
        self._made = (bool(support_winding_number), bvh_constructor, bvh_leaf_size)
        self._object = _Mesh(points, indices, velocities, groups, bool(support_winding_number))

    @property
    def device(self) -> Device:
        """Where it lies: the device of the arrays."""
        return get_device(self._points.device)

    @property
    def points(self) -> array[Any]:
        """The points. Another array of the same size may be assigned, which refits the mesh.

        Raises:
            TypeError: The array holds something else. It is a RuntimeError, too.
            ValueError: It has another size or device, or is not contiguous. It is a RuntimeError, too.
        """
        return self._points

    @points.setter
    def points(self, value: array[Any]) -> None:
        check_arrays("Mesh", points=value)
        self._object.replace(value, self._velocities)
        self._points = value

    @property
    def velocities(self) -> array[Any] | None:
        """The velocities of points, or None. Another array of the same size may be assigned, and None."""
        return self._velocities

    @velocities.setter
    def velocities(self, value: array[Any] | None) -> None:
        if value is not None:
            check_arrays("Mesh", velocities=value)
        self._object.replace(self._points, value)
        self._velocities = value

    @property
    def indices(self) -> array[Any]:
        """Numbers of points, three for each face."""
        return self._indices

    @property
    def groups(self) -> array[Any] | None:
        """The groups that it was made with."""
        return self._groups

    @property
    def support_winding_number(self) -> bool:
        """Whether winding numbers were prepared."""
        return self._made[0]

    @property
    def is_watertight(self) -> bool:
        """Whether each edge belongs to exactly two faces, so that the surface has no holes. Orientation does not count.

        A face that names a point twice is a hole, and a mesh without faces is not watertight. Each question sorts the
        edges, and waits for a GPU.
        """
        from warp._geometry.sides import is_closed  # kernels

        return is_closed(self._indices.reshape((-1, 3)), self._points.size)

    def refit(self) -> None:
        """Fit the mesh to what :attr:`points` holds now. The faces stay."""
        self._object.refit()

    def __repr__(self) -> str:
        faces = self._indices.size // 3
        return f"Mesh({self._points.size} points, {faces} faces, device={str(self.device)!r})"

    def __reduce__(self) -> Any:
        winding, constructor, leaf_size = self._made
        args = (self._points, self._indices, self._velocities, winding, constructor, leaf_size, self._groups)
        return (Mesh, args)
