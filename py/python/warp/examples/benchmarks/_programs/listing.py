"""The programs of `benchmark_programs` in the order of its table."""

from __future__ import annotations

import importlib

from .program import Spec

PROGRAMS = (
    "grids.jacobi_guards",
    "grids.jacobi_return",
    "grids.stencil",
    "grids.lattice_2d",
    "grids.lattice_3d",
    "grids.light",
    "particles.transfer",
    "particles.snow_2d",
    "particles.snow_3d",
    "particles.water",
    "particles.bodies",
    "solids.cloth",
    "solids.net",
    "solids.boxes",
    "gradients.long_tape",
    "gradients.cloth",
    "gradients.fluid",
    "gradients.arms",
    "gradients.trajectory",
    "gradients.field",
    "gradients.training",
    "algebra.march",
    "algebra.small",
    "algebra.sparse",
)


def load(name: str) -> Spec:
    """The program of a module."""
    spec: Spec = importlib.import_module("." + name, __package__).SPEC
    return spec
