"""Kernels as functions without side effects: what `torch_kernel` and its like in other frameworks share.

A kernel writes into arrays that it is given; an operator of a framework takes arrays and returns new ones. An
:class:`Operator` says how each parameter of a kernel is filled for that: with an argument, with a copy of one, with
new memory that is returned. What follows from it is the core's to say (`warp-core/src/operator`). Its derivative is an
operator again, on the kernel's adjoint, and so is its version for batches: derivatives of any order, of batches too,
follow from two rules, :func:`derive` and :func:`batch`.
Tangents follow from the derivative of the derivative in its seeds.

Nothing here knows a framework: shapes are tuples, and :class:`Memory` makes arrays.
"""

from __future__ import annotations

from warp._operator.derived import Derivative, batch, derive, lift
from warp._operator.operator import Operator
from warp._operator.parts import Binding, Extent, Memory, Parameter, Shape, Where

__all__ = [
    "Binding",
    "Derivative",
    "Extent",
    "Memory",
    "Operator",
    "Parameter",
    "Shape",
    "Where",
    "batch",
    "derive",
    "lift",
]
