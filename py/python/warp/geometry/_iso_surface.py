"""What surfaces of fields have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from warp._warp import array
from warp.geometry._arguments import Corner, field_of, integer, number, point
from warp.types import vec3


class IsoSurfaceBase(ABC):
    """A grid of nodes, and the surface where a field on it goes through a threshold.

    Args:
        nx: Nodes along x, at least 2.
        ny: Nodes along y.
        nz: Nodes along z.
        lower: Where the node (0, 0, 0) is: three numbers, or None for zero.
        upper: Where the node (nx - 1, ny - 1, nz - 1) is; None for its numbers, which is a spacing of 1 with ``lower``
            at zero.

    Raises:
        TypeError: A size is no integer, or a corner holds something else than numbers.
        ValueError: A size is below 2, or a corner has not three finite numbers.
    """

    #: The vertices, an array of ``vec3``; None before :meth:`surface`.
    verts: array[vec3]
    #: Numbers of vertices (int32) in one dimension, face after face; None before :meth:`surface`.
    indices: array[int]

    def __init__(self, nx: int, ny: int, nz: int, *, lower: Corner = None, upper: Corner = None) -> None:
        self.lower = lower
        self.upper = upper
        # Types for checkers are those after the first surface.
        self.verts = None  # type: ignore[assignment]
        self.indices = None  # type: ignore[assignment]
        self.resize(nx, ny, nz)
        self._corners()

    def resize(self, nx: int, ny: int, nz: int) -> None:
        """Change how many nodes the grid has along each axis. The corners stay; the surface is the old one.

        Raises:
            TypeError: A size is no integer.
            ValueError: It is below 2.
        """
        place = type(self).__name__
        sizes = [integer(place, name, size, 2) for name, size in (("nx", nx), ("ny", ny), ("nz", nz))]
        self.nx, self.ny, self.nz = sizes

    @abstractmethod
    def surface(self, field: Any, threshold: float) -> None:
        """Find the surface of a field, in :attr:`verts` and :attr:`indices`."""

    @classmethod
    @abstractmethod
    def extract(
        cls, field: Any, threshold: float = 0.0, *, lower: Corner = None, upper: Corner = None
    ) -> tuple[array[vec3], array[int]]:
        """The vertices and indices of a field's surface."""

    def _given(self, field: Any, threshold: Any) -> tuple[array[float], float]:
        """The arguments of :meth:`surface`, checked."""
        place = f"{type(self).__name__}.surface"
        found = field_of(place, field)
        if found.shape != (self.nx, self.ny, self.nz):
            raise ValueError(
                f"{place}: field has the shape {found.shape}, expected that of the grid, "
                f"{(self.nx, self.ny, self.nz)}; resize() changes the grid"
            )
        return found, number(place, "threshold", threshold)

    def _corners(self) -> tuple[vec3, vec3]:
        """The place of the first node, and the step from one to the next."""
        place, nodes = type(self).__name__, (self.nx, self.ny, self.nz)
        low = (0.0, 0.0, 0.0) if self.lower is None else point(place, "lower", self.lower)
        high = tuple(n - 1.0 for n in nodes) if self.upper is None else point(place, "upper", self.upper)
        return vec3(*low), vec3(*((b - a) / (n - 1) for a, b, n in zip(low, high, nodes, strict=True)))
