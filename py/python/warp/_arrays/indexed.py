"""Indexed arrays: the elements of an array that index arrays choose, along each dimension by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp
from warp._arrays import map as _map
from warp._arrays import methods
from warp._base.class_names import named
from warp._warp import Elem, _error, _indexed_type, _truths, array, zeros


class indexedarray:
    """The elements of an array that arrays of indices choose, to be read and written as an array of their own.

    ``a[rows]`` and ``a[:, columns]`` make one, where the indices are arrays of int32. Element ``(i, j)`` is element
    ``(rows[i], columns[j])`` of the data; a dimension without indices is whole. Nothing is copied. Kernels take one as
    a parameter that is declared so, ``a: wp.indexedarray[float]``, and read and
    write the data through it; gradients go there, too. An index that the data does not have is an IndexError where it
    is used.

    Args:
        data: The array.
        indices: An array of int32 for the first dimension, or a list of one for each, None for a whole dimension.
        dtype: What an element is, to check the data; or what the annotation of a parameter names.
        ndim: The number of dimensions, likewise; 1 by default in an annotation.

    Raises:
        TypeError: ``data`` or an index is no Warp array, or there is neither data nor dtype.
        ValueError: An index array does not hold int32 in one dimension, there are too many, or the data is another
            than ``dtype`` and ``ndim`` say.
    """

    __slots__ = {
        "__dict__": "Attributes of the program's own.",
        "__weakref__": "Weak references.",
        "_dtype": "The type of the elements.",
        "data": "The array whose elements are chosen.",
        "indices": "The arrays of indices, four at most; None for a dimension that is whole.",
        "ndim": "The number of dimensions.",
        "shape": "The number of elements along each dimension.",
    }

    __array_priority__ = 0.0

    def __init__(
        self, data: array | None = None, indices: Any = None, dtype: Any = None, ndim: int | None = None
    ) -> None:
        self.data = data
        self.indices: list[array | None] = [None] * 4
        if data is None:
            if dtype is None or indices is not None:
                raise TypeError(
                    "indexedarray: data is missing; wp.indexedarray(dtype=...) annotates a kernel parameter"
                )
            annotated = array(dtype=dtype, ndim=1 if ndim is None else ndim)
            self._dtype, self.ndim, self.shape = annotated.dtype, annotated.ndim, annotated.shape
            return
        if type(data) is not array:
            raise _error("Mismatch", f"indexedarray: data is of type {type(data).__name__}, expected a wp.array")
        self._dtype, self.ndim = data.dtype, data.ndim
        if dtype is not None and array(dtype=dtype).dtype is not data.dtype:
            raise ValueError(f"indexedarray: dtype is {dtype.__name__}, the data holds {data.dtype.__name__}")
        if ndim is not None and ndim != data.ndim:
            raise ValueError(f"indexedarray: ndim is {ndim}, the data has {data.ndim} dimensions")
        given = [indices] if indices is None or isinstance(indices, array) else indices
        if not isinstance(given, list | tuple):
            raise TypeError(f"indexedarray: indices is of type {type(indices).__name__}, expected a wp.array or a list")
        if len(given) > data.ndim:
            raise ValueError(f"indexedarray: {len(given)} arrays of indices for data of {data.ndim} dimensions")
        shape = list(data.shape)
        for d, index in enumerate(given):
            if index is None:
                continue
            if type(index) is not array:
                raise TypeError(
                    f"indexedarray: index {d} is of type {type(index).__name__}, expected a wp.array or None"
                )
            if index.dtype is not wp.int32 or index.ndim != 1:
                raise ValueError(
                    f"indexedarray: index {d} has {index.ndim} dimensions of {index.dtype.__name__}, not 1 of int32"
                )
            self.indices[d] = index
            shape[d] = index.size
        self.shape = tuple(shape)

    @property
    def dtype(self) -> Any:
        """What an element is."""
        return self._dtype

    def __class_getitem__(cls, dtype: Any) -> indexedarray:
        annotated = array.__class_getitem__(dtype)
        return indexedarray(dtype=annotated.dtype, ndim=annotated.ndim)

    @property
    def _kernel_type(self) -> Elem:
        """What kernels know it as."""
        return _indexed_type(self.dtype, self.ndim)

    def _parts(self) -> list[array]:
        """The arrays that kernels are passed: a whole dimension has the indices 0, 1, 2, ..."""
        data = self._held()
        known = zip(self.indices, data.shape, strict=False)
        return [data, *[_counted(extent) if index is None else index for index, extent in known]]

    def _held(self) -> array:
        if self.data is None:
            raise TypeError("an annotation is no array: pass an indexed array, as in a[indices]")
        return self.data

    @property
    def size(self) -> int:
        """Number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def device(self) -> Any:
        """Where the data is."""
        return self._held().device

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are contiguous. The indices are not read to find out."""
        return False

    @property
    def pinned(self) -> bool:
        """Accepted for compatibility; only matters for GPUs."""
        return False

    @property
    def requires_grad(self) -> bool:
        """Whether the data has a gradient."""
        return self.data is not None and self.data.requires_grad

    def contiguous(self) -> array:
        """The elements as an array of their own. Tapes record the copy.

        Raises:
            IndexError: The data does not have such an index.
        """
        return _map.copied(self)

    def numpy(self) -> Any:
        """The elements as a NumPy array of its own.

        Raises:
            IndexError: The data does not have such an index.
        """
        return self._seen().numpy()

    def list(self) -> list[Any]:
        """The elements in row-major order as a flat list of numbers or vectors.

        Raises:
            IndexError: The data does not have such an index.
        """
        return self._seen().list()

    def _seen(self) -> array:
        """The elements, copied where no tape sees it."""
        data = self._held()
        plain = indexedarray(array(data, copy=False), self.indices[: data.ndim])
        return plain.contiguous()

    def assign(self, src: Any) -> None:
        """Write to the elements: an array of their shape, what makes one, or one value for all. Tapes record it.

        Raises:
            TypeError, ValueError: ``src`` has another dtype or shape.
            IndexError: The data does not have such an index.
        """
        data = self._held()
        if isinstance(src, int | float) or type(src) is data.dtype:
            self.fill_(src)
            return
        if type(src) not in (array, indexedarray):
            src = array(src, dtype=data.dtype, device=data.device)
        if src.shape != self.shape:
            raise ValueError(f"assign: the source has shape {src.shape}, the array {self.shape}; they must be equal")
        _map.copy(self, src if src.dtype is data.dtype else array(src, dtype=data.dtype))

    def fill_(self, value: Any) -> None:
        """Set every element to ``value``: a number for every component, or one element. Tapes record it.

        Raises:
            TypeError, ValueError: The value does not fit.
            IndexError: The data does not have such an index.
        """
        data = self._held()
        one = zeros((1,) * data.ndim, data.dtype, data.device)
        one.fill_(value)
        _map.copy(self, one)

    def zero_(self) -> None:
        """Set every element to zero. Tapes record it.

        Raises:
            IndexError: The data does not have such an index.
        """
        _map.copy(self, zeros((1,) * self._held().ndim, self.dtype, self.device))

    def to(self, device: Any, requires_grad: bool | None = None) -> Any:
        """This if it is on ``device`` already, else the elements as an array there.

        Raises:
            ValueError: There is no such device.
        """
        if wp.get_device(device) == self.device:
            return self
        return self.contiguous().to(device, requires_grad)

    def __copy__(self) -> indexedarray:
        if self.data is None:
            return indexedarray(dtype=self.dtype, ndim=self.ndim)
        return indexedarray(self.data, self.indices[: self.ndim])

    def __len__(self) -> int:
        return self.shape[0]

    def __str__(self) -> str:
        return repr(self) if self.data is None else str(self._seen())

    def __repr__(self) -> str:
        name = self.dtype.__name__
        if self.data is None:
            return f"indexedarray(ndim={self.ndim}, dtype={name})"
        return f"indexedarray(shape={self.shape}, dtype={name})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("the elements of an indexed array are copied for NumPy: copy=False cannot be")
        found = self.numpy()
        return found if dtype is None else found.astype(dtype)

    def __neg__(self) -> array:
        return _map.unary("-", self)

    def __pos__(self) -> array:
        return _map.unary("+", self)


def _operator(symbol: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    def forward(self: indexedarray, other: Any) -> Any:
        return _map.binary(symbol, self, other) if _is_operand(other) else NotImplemented

    def reflected(self: indexedarray, other: Any) -> Any:
        return _map.binary(symbol, other, self) if _is_operand(other) else NotImplemented

    def in_place(self: indexedarray, other: Any) -> Any:
        _map.in_place(symbol, self, other)
        return self

    return forward, reflected, in_place


for _name, _symbol in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
}.items():
    for _prefix, _method in zip(("", "r", "i"), _operator(_symbol), strict=True):
        _method.__name__ = f"__{_prefix}{_name}__"
        _method.__qualname__ = f"indexedarray.{_method.__name__}"
        setattr(indexedarray, _method.__name__, _method)


def _comparison(symbol: str) -> Callable[..., Any]:
    def compare(self: indexedarray, other: Any) -> Any:
        return _truths(_map.binary(symbol, self, other)) if _is_operand(other) else NotImplemented

    return compare


for _name, _symbol in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    _method = _comparison(_symbol)
    _method.__name__ = f"__{_name}__"
    _method.__qualname__ = f"indexedarray.{_method.__name__}"
    setattr(indexedarray, _method.__name__, _method)


def _is_operand(other: Any) -> bool:
    kind = type(other)
    return kind in (array, indexedarray, int, float, bool) or hasattr(kind, "_elem")


methods.give(indexedarray)


@named("indexedarray type")
class _IndexedArrayOf:
    """`wp.indexedarray2d` and its like: annotations and indexed arrays with a given number of dimensions."""

    def __init__(self, ndim: int) -> None:
        self._ndim = ndim
        self.__name__ = f"indexedarray{ndim}d"
        self.__doc__ = f"As `wp.indexedarray`, with {ndim} dimension{'s' if ndim > 1 else ''}."

    def __call__(self, data: Any = None, indices: Any = None, dtype: Any = None) -> indexedarray:
        return indexedarray(data, indices, dtype, self._ndim)

    def __getitem__(self, dtype: Any) -> indexedarray:
        return indexedarray(dtype=dtype, ndim=self._ndim)

    def __repr__(self) -> str:
        return f"<warp {self.__name__}>"


indexedarray1d, indexedarray2d, indexedarray3d, indexedarray4d = (_IndexedArrayOf(n) for n in (1, 2, 3, 4))


_numbers: array | None = None


def _counted(extent: int) -> array:
    """The indices of a whole dimension: part of one array for all of them."""
    global _numbers
    if _numbers is None or _numbers.size < extent:
        _numbers = array(range(1 << max(extent - 1, 1).bit_length()), dtype=wp.int32)
    numbers: array = _numbers[:extent]
    return numbers


def by_arrays(a: array, key: Any) -> indexedarray:
    """``a[key]`` where arrays are among the indices: slices and ints are taken first, and an int removes its dimension.

    Raises:
        IndexError: An index is out of range, or there are too many.
        TypeError, ValueError: As `indexedarray`.
    """
    keys = list(key) if isinstance(key, tuple) else [key]
    at = next((n for n, k in enumerate(keys) if k is ...), None)
    if at is not None:
        keys[at : at + 1] = [slice(None)] * (a.ndim - len(keys) + 1)
    if len(keys) > a.ndim:
        raise IndexError(f"too many indices: the array has {a.ndim} dimensions")
    rest = tuple([slice(None) if isinstance(k, array) else k for k in keys])
    indices = [k if isinstance(k, array) else None for k in keys if isinstance(k, array) or isinstance(k, slice)]
    return indexedarray(a[rest], indices)
