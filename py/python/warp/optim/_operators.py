"""Matrices as solvers see them: sizes, and products with vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import warp as wp
from warp import _warp
from warp.optim._parameters import scalar_of
from warp.optim._vectors import diagonal_product, inverse_diagonal, matrix_product, vector_of

if TYPE_CHECKING:
    from warp.context import DeviceLike


def float_elem(where: str, dtype: Any) -> Any:
    """The description of a dtype that is made of floats."""
    dtype = {float: wp.float32}.get(dtype, dtype)
    elem = getattr(dtype, "_elem", None)
    if elem is None or elem.kind == "struct" or not elem.is_float:
        name = getattr(dtype, "__name__", repr(dtype))
        raise TypeError(f"{where} is {name}; expected a float type, or a vector type of one")
    return elem


def offsets_of(where: str, given: Any, longest: Any, rows: int) -> list[int] | None:
    """Where the systems of a batch begin and end.

    Raises:
        TypeError: These are no ints.
        ValueError: They do not ascend within the rows, or a system is longer than ``longest``.
    """
    if given is None:
        if longest is not None:
            raise ValueError(f"{where}: max_batch_length is for matrices with batch_offsets")
        return None
    offsets = list(given.list() if isinstance(given, _warp.array) else given)
    if not all(isinstance(offset, int) for offset in offsets):
        raise TypeError(f"{where}: batch_offsets is {given!r}; expected an array of int32 or a list of ints")
    if len(offsets) < 2:
        raise ValueError(
            f"{where}: batch_offsets has {len(offsets)} elements; expected one more than there are systems"
        )
    if offsets[0] != 0 or any(start > end for start, end in pairwise(offsets)) or offsets[-1] > rows:
        raise ValueError(f"{where}: batch_offsets is {offsets}; they must ascend from 0 to at most {rows}")
    most = max(end - start for start, end in pairwise(offsets))
    if longest is not None and most > longest:
        raise ValueError(f"{where}: a system has {most} rows, max_batch_length is {longest}")
    return offsets


class LinearOperator:
    """What solvers know of a matrix: its size, and how to multiply it with a vector.

    Args:
        shape: Rows and columns.
        dtype: The type of the elements of vectors: a float type, or a vector type, for matrices made of blocks.
        device: Where vectors are.
        matvec: ``matvec(x, y, z, alpha, beta)`` writes ``alpha * A x + beta * y`` to ``z``, which may be ``y``. Where
            ``beta`` is 0, ``y`` may hold anything.
        batch_offsets: For a block-diagonal matrix of several systems: the number of each one's first row, and of the
            row after the last one, as an array or a list of ints. Rows count numbers, also where ``dtype`` is a vector
            type. Rows after the last system are not changed.
        max_batch_length: The most rows of a system; only checked.

    Raises:
        TypeError: ``dtype`` is not a float type, ``matvec`` cannot be called, or ``batch_offsets`` hold no ints.
        ValueError: ``shape`` is no pair of sizes, ``batch_offsets`` do not ascend within it, or a system has more rows
            than ``max_batch_length``.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        dtype: Any,
        device: DeviceLike,
        matvec: Callable[..., None],
        batch_offsets: _warp.array | Sequence[int] | None = None,
        max_batch_length: int | None = None,
    ) -> None:
        if not callable(matvec):
            raise TypeError(f"LinearOperator: matvec is {matvec!r}; expected a function of (x, y, z, alpha, beta)")
        sizes = tuple(shape) if isinstance(shape, tuple | list) else ()
        if len(sizes) != 2 or not all(isinstance(size, int) and size >= 0 for size in sizes):
            raise ValueError(f"LinearOperator: shape is {shape!r}; expected the numbers of rows and columns")
        elem = float_elem("LinearOperator: dtype", dtype)
        self.shape: tuple[int, int] = sizes
        self.dtype = {float: wp.float32}.get(dtype, dtype)
        self.device = wp.get_device(device)
        self._matvec = matvec
        self.batch_offsets = batch_offsets
        self.max_batch_length = max_batch_length
        self._offsets = offsets_of("LinearOperator", batch_offsets, max_batch_length, sizes[0] * elem.count)

    @property
    def batch_count(self) -> int:
        """How many systems there are."""
        return 1 if self._offsets is None else len(self._offsets) - 1

    @property
    def matvec(self) -> Callable[..., None]:
        """``matvec(x, y, z, alpha, beta)`` writes ``alpha * A x + beta * y`` to ``z``."""
        return self._matvec

    @property
    def scalar_type(self) -> Any:
        """The type of the numbers in vectors."""
        return scalar_of(self.dtype)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<LinearOperator {rows} x {columns} of {self.dtype.__name__}>"


def aslinearoperator(
    A: Any, batch_offsets: _warp.array | Sequence[int] | None = None, max_batch_length: int | None = None
) -> LinearOperator:
    """The operator that an array stands for.

    Args:
        A: A matrix as a 2-d array of a float type or of square blocks (``wp.mat33``), a diagonal matrix as a 1-d array
            of its diagonal, of numbers, blocks or vectors of numbers; or an operator, which is returned as it is. A
            matrix of blocks multiplies arrays of vectors.
        batch_offsets: Where the systems of a matrix of several begin and end, as for :class:`LinearOperator`.
        max_batch_length: The most rows of a system.

    Raises:
        TypeError: ``A`` is something else. :class:`LinearOperator` makes an operator of a function and a size.
        ValueError: The array has more dimensions, or ``batch_offsets`` do not fit it.
    """
    if isinstance(A, LinearOperator):
        return A
    if not isinstance(A, _warp.array):
        hint = "LinearOperator(shape, dtype, device, matvec)" if callable(A) else "wp.array(A, dtype=...)"
        raise TypeError(f"aslinearoperator: expected a Warp array or a LinearOperator, found {A!r}; pass {hint}")
    elem = float_elem("aslinearoperator: the array's dtype", A.dtype)
    square = elem.kind == "mat" and elem.shape[0] == elem.shape[1]
    if not (elem.kind == "scalar" or square or (elem.kind == "vec" and A.ndim == 1)):
        raise TypeError(
            f"aslinearoperator: the elements are {A.dtype.__name__}; expected a float type, square matrices of one as "
            "blocks, or for a diagonal in one dimension also vectors"
        )
    if A.ndim > 2:
        raise ValueError(f"aslinearoperator: the array has shape {A.shape}; a matrix has two dimensions")
    product = matrix_product if A.ndim == 2 else diagonal_product
    rows, columns = A.shape if A.ndim == 2 else (A.size, A.size)

    def matvec(x: _warp.array, y: _warp.array, z: _warp.array, alpha: float, beta: float) -> None:
        # Every row of the result depends on all of x.
        if A.ndim == 2 and x.ptr == z.ptr:
            x = wp.clone(x)
        product(A, x, y, z, alpha, beta)

    return LinearOperator((rows, columns), vector_of(A.dtype), A.device, matvec, batch_offsets, max_batch_length)


def preconditioner(A: Any, ptype: str = "diag") -> LinearOperator | None:
    """A cheap operator that is close to the inverse of a matrix.

    Args:
        A: The matrix, as a 2-d array of numbers or of square blocks.
        ptype: ``"diag"``: the inverse of the diagonal, with 1 where that is zero; ``"diag_abs"``: of its absolute
            value; ``"id"``: nothing, None.

    Raises:
        TypeError: ``A`` is no array of floats; products do not tell an operator's diagonal.
        ValueError: There is no such preconditioner, or ``A`` is no square matrix.
    """
    if ptype == "id":
        return None
    if ptype not in ("diag", "diag_abs"):
        raise ValueError(f"preconditioner: ptype is {ptype!r}; expected 'diag', 'diag_abs' or 'id'")
    if not isinstance(A, _warp.array):
        raise TypeError(f"preconditioner: expected a Warp array, whose diagonal can be read, found {A!r}")
    elem = float_elem("preconditioner: the array's dtype", A.dtype)
    if elem.kind != "scalar" and not (elem.kind == "mat" and elem.shape[0] == elem.shape[1]):
        raise TypeError(
            f"preconditioner: the elements are {A.dtype.__name__}; expected a float type, or square matrices of one"
        )
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"preconditioner: the array has shape {A.shape}; expected a square matrix")
    return aslinearoperator(inverse_diagonal(A, ptype == "diag_abs"))
