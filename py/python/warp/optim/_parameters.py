"""What optimizers share: arrays of any float type and shape are lists of numbers to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warp as wp
from warp import _warp
from warp._values.composite import _make


def array_of(where: str, given: Any) -> _warp.array:
    """The array that was given, or one on the memory of an array of another library.

    Raises:
        TypeError: It is none, or its elements are not numbers of a float type, or made of them.
    """
    if isinstance(given, _warp.array):
        found = given
    elif given is None or isinstance(given, list | tuple | int | float):
        raise TypeError(f"{where}: expected an array, found {type(given).__name__}")
    else:
        found = _warp.array(given, copy=False)
    elem = getattr(found.dtype, "_elem", None)
    if elem is None or elem.kind == "struct" or not elem.is_float:
        raise TypeError(f"{where}: the elements are {found.dtype.__name__}, expected a float type or one made of it")
    return found


def arrays_of(where: str, given: Any) -> list[_warp.array]:
    """The arrays of a list.

    Raises:
        TypeError: It is no list or tuple, or :func:`array_of` refuses what is in it.
    """
    if not isinstance(given, Sequence):
        raise TypeError(f"{where}: expected a list of arrays, found {type(given).__name__}")
    return [array_of(f"{where}[{index}]", item) for index, item in enumerate(given)]


def number_of(where: str, given: Any) -> float:
    """The number that was given.

    Raises:
        TypeError: It is none.
    """
    if isinstance(given, str) or not hasattr(given, "__float__"):
        raise TypeError(f"{where}: expected a number, found {given!r}")
    return float(given)


def scalar_of(dtype: Any) -> Any:
    """The scalar type that a dtype is made of."""
    return getattr(wp, dtype._elem.scalar)


def accumulator_of(dtype: Any) -> Any:
    """The dtype of the same shape that an optimizer counts in: float32 in place of the types of 16 bits."""
    elem = dtype._elem
    if elem.size // elem.count > 2:
        return dtype
    kind, _, rows, cols = elem.spec()
    return _make(kind, "float32", rows, cols)


def numbers(array: _warp.array) -> _warp.array:
    """The numbers of a contiguous array in a row, on the same memory."""
    row = array.flatten()
    if array.dtype._elem.kind == "scalar":
        return row
    return _warp.array(row, dtype=scalar_of(array.dtype), copy=False).flatten()


class Optimizer:
    """Parameters with what an optimizer remembers of each.

    A subclass says how many arrays it remembers for each parameter and makes the step of one.
    """

    _name: str
    _slots: int

    def __init__(self, params: Sequence[Any] | None) -> None:
        self.params: list[_warp.array] | None = None
        self.t: int = 0
        self._memory: list[list[_warp.array]] = []
        # As rows of numbers: what is remembered, and parameters without gaps.
        self._memory_rows: list[list[_warp.array]] = []
        self._param_rows: list[_warp.array | None] = []
        # The gradients of the last step with their rows: most programs give the same arrays in each.
        self._grad_rows: list[tuple[Any, _warp.array]] = []
        self.set_params(params)

    def set_params(self, params: Sequence[Any] | None) -> None:
        """Set the arrays that :meth:`step` changes.

        What is remembered of a parameter is kept if the new one in its place has the same dtype and shape.

        Args:
            params: Arrays of any shape, whose elements are floats, or vectors, matrices, quaternions or transforms of
                floats.

        Raises:
            TypeError: ``params`` is no list, or has something else in it.
        """
        if params is None:
            self.params, self._memory = None, []
            return
        arrays = arrays_of(f"{self._name}: params", params)
        before = self._memory
        self._memory = []
        for index, array in enumerate(arrays):
            kept = before[index] if index < len(before) else []
            dtype = accumulator_of(array.dtype)
            if not kept or kept[0].dtype is not dtype or kept[0].shape != array.shape:
                kept = [wp.zeros(array.shape, dtype=dtype, device=array.device) for _ in range(self._slots)]
            self._memory.append(kept)
        self.params = arrays
        self._memory_rows = [[numbers(array) for array in kept] for kept in self._memory]
        self._param_rows = [numbers(array) if array.is_contiguous else None for array in arrays]
        self._grad_rows = []

    def reset_internal_state(self) -> None:
        """Forget what was remembered of earlier steps, as if none had been made."""
        self.t = 0
        for arrays in self._memory:
            for array in arrays:
                array.zero_()

    def step(self, grad: Sequence[Any]) -> None:
        """Change each parameter, given the gradient of the loss with respect to it.

        Tapes do not record it.

        Args:
            grad: An array for each parameter, in order, of its shape and dtype; it is read only.

        Raises:
            RuntimeError: No parameters were set.
            TypeError: ``grad`` is no list of arrays, or a gradient has another dtype than its parameter.
            ValueError: There are more or fewer gradients than parameters, or one has another shape than its parameter.
        """
        if self.params is None:
            raise RuntimeError(f"{self._name}: step() has nothing to change: call set_params() first")
        rows = self._rows_of_last(grad) or self._check(grad)
        for index, (row, memory) in enumerate(zip(rows, self._memory_rows, strict=True)):
            if row.size == 0:
                continue
            param = self._param_rows[index]
            if param is not None:
                self._change(row, memory, param)
            else:
                # It has gaps: a copy without is changed.
                own = self.params[index]
                whole = own.contiguous()
                self._change(row, memory, numbers(whole))
                wp.copy(own, whole)
        self.t += 1

    def _rows_of_last(self, grad: Sequence[Any]) -> list[_warp.array] | None:
        """The rows of the gradients, if they are those of the last step."""
        last = self._grad_rows
        if not last or not isinstance(grad, Sequence) or len(grad) != len(last):
            return None
        same = all(own is before for own, (before, _) in zip(grad, last, strict=True))
        return [row for _, row in last] if same else None

    def _check(self, grad: Sequence[Any]) -> list[_warp.array]:
        """The gradients as rows of numbers; those that may be kept are, for the next step."""
        params = self.params or []
        grads = arrays_of(f"{self._name}: grad", grad)
        if len(grads) != len(params):
            raise ValueError(f"{self._name}: {len(grads)} gradients were given for {len(params)} parameters")
        for index, (own, param) in enumerate(zip(grads, params, strict=True)):
            where = f"{self._name}: grad[{index}]"
            if own.shape != param.shape:
                raise ValueError(f"{where} has the shape {own.shape}, its parameter {param.shape}")
            if own.dtype is not param.dtype:
                raise TypeError(f"{where} is of {own.dtype.__name__}, its parameter of {param.dtype.__name__}")
        rows = [numbers(own.contiguous()) for own in grads]
        # What is no array of ours, or has gaps, is read anew each time.
        keep = all(own is given and own.is_contiguous for own, given in zip(grads, grad, strict=True))
        self._grad_rows = list(zip(grad, rows, strict=True)) if keep else []
        return rows

    def _change(self, grad: _warp.array, memory: list[_warp.array], param: _warp.array) -> None:
        """The step of one parameter; all arrays are rows of numbers of one length."""
        raise NotImplementedError
