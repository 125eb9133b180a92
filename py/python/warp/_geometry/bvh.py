"""A tree over boxes, so that kernels find those near a place or along a ray."""

from __future__ import annotations

from typing import Any

from warp._geometry.queried import Queried, check_arrays, check_constructor, check_leaf_size
from warp._warp import Device, _Bvh, array, get_device


class Bvh(Queried):
    """A bounding volume hierarchy: a tree over axis-aligned boxes.

    Kernels take it as a parameter ``wp.uint64``: pass the tree itself or its :attr:`id`. There, ``wp.bvh_query_aabb``,
    ``wp.bvh_query_sphere``, ``wp.bvh_query_ray`` and ``wp.bvh_query_capsule`` find boxes, which a loop over the query
    gives. A launch, a tape and a graph keep a tree that they were given alive. The tree keeps the arrays, and copies
    what they hold when it is built, refitted or rebuilt: call :meth:`refit` when boxes have moved.

    Args:
        lowers: The least corner of each box, an array of ``vec3``.
        uppers: The greatest corners.
        constructor: How the tree is built: ``"sah"``, ``"median"``, ``"lbvh"``, ``"cubql"`` or None. On the CPU all
            build by the surface area heuristic, which gives the fastest queries.
        groups: A number (int32) for each box, for queries of one group.
        leaf_size: Boxes in a leaf at most. The CPU chooses by itself.

    Raises:
        TypeError: An array holds something else. It is a RuntimeError, too.
        ValueError: The arrays have different sizes or devices, the constructor is unknown, or ``leaf_size`` is below 1.
    """

    def __init__(
        self,
        lowers: array[Any],
        uppers: array[Any],
        constructor: str | None = None,
        groups: array[Any] | None = None,
        leaf_size: int = 1,
    ) -> None:
        check_arrays("Bvh", lowers=lowers, uppers=uppers, **({} if groups is None else {"groups": groups}))
        check_constructor("Bvh", constructor)
        check_leaf_size("Bvh", leaf_size)
        self._lowers, self._uppers, self._groups = lowers, uppers, groups
        self._made = (constructor, groups, leaf_size)
        self._object = _Bvh(lowers, uppers, groups)

    @property
    def device(self) -> Device:
        """Where it lies: the device of the arrays."""
        return get_device(self._lowers.device)

    @property
    def lowers(self) -> array[Any]:
        """The least corners that it was made of."""
        return self._lowers

    @property
    def uppers(self) -> array[Any]:
        """The greatest corners that it was made of."""
        return self._uppers

    @property
    def groups(self) -> array[Any] | None:
        """The groups that it was made with."""
        return self._groups

    def refit(self) -> None:
        """Fit the tree to what :attr:`lowers` and :attr:`uppers` hold now.

        This is fast and keeps the shape of the tree. Where boxes have moved far, :meth:`rebuild` gives faster queries.
        """
        self._object.update(self._lowers, self._uppers, None, False)

    def rebuild(self, constructor: str | None = None) -> None:
        """Build the tree anew of what :attr:`lowers` and :attr:`uppers` hold now. The :attr:`id` stays.

        Raises:
            ValueError: The constructor is unknown.
        """
        check_constructor("Bvh.rebuild", constructor)
        self._object.update(self._lowers, self._uppers, self._groups, True)

    def __repr__(self) -> str:
        return f"Bvh({self._lowers.size} boxes, device={str(self.device)!r})"

    def __reduce__(self) -> Any:
        constructor, groups, leaf_size = self._made
        return (Bvh, (self._lowers, self._uppers, constructor, groups, leaf_size))
