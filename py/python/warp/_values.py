"""Values of kernel types in Python: what scalars, vectors, matrices, quaternions and transforms do, and their classes.

:mod:`warp.types` gives the types their names.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from warp._warp import SCALARS, Elem, register_type

if TYPE_CHECKING:
    import numpy as np

_made: dict[tuple[str, str, int, int], type] = {}


class _NumpyDtype:
    """The attribute `dtype` of a class of values, which NumPy asks for where a dtype is expected.

    Only classes have it: NumPy, jax and others take an object with a `dtype` for an array. NumPy before 2.4 makes
    `object` of a type without counterpart, since it ignores what is raised here.
    """

    def __get__(self, instance: object, owner: Any) -> Any:
        if instance is not None:
            raise AttributeError(f"'{owner.__name__}' object has no attribute 'dtype'", name="dtype", obj=instance)
        from warp._warp import dtype_to_numpy

        return dtype_to_numpy(owner)


class _Scalar:
    """What all scalar types share."""

    _elem: ClassVar[Elem]
    dtype: ClassVar[Any] = _NumpyDtype()
    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (*self._elem.spec(), (self.value,))  # type: ignore[attr-defined]


class _Float(_Scalar, builtins.float):
    """A floating point number, rounded to its type."""

    __slots__ = ()

    def __new__(cls, value: Any = 0.0) -> _Float:
        return super().__new__(cls, cls._elem.round(value))

    @property
    def value(self) -> builtins.float:
        """The number as Python's."""
        return builtins.float(self)

    def __str__(self) -> str:
        return str(self.value)


class _Int(_Scalar, builtins.int):
    """An integer within the range of its type."""

    __slots__ = ()

    def __new__(cls, value: Any = 0) -> _Int:
        if isinstance(value, builtins.float):
            value = builtins.int(value)
        return super().__new__(cls, cls._elem.round(value))

    @property
    def value(self) -> builtins.int:
        """The number as Python's."""
        return builtins.int(self)

    def __str__(self) -> str:
        return str(self.value)


class _Bool(_Int):
    """A truth value. (Python's own bool cannot be derived from.)"""

    __slots__ = ()

    def __new__(cls, value: Any = False) -> _Bool:
        return builtins.int.__new__(cls, builtins.bool(value))

    @property
    def value(self) -> builtins.bool:
        """The truth value as Python's."""
        return builtins.bool(builtins.int(self))


class _Composite:
    """A value with several components of one scalar type, in row-major order."""

    _elem: ClassVar[Elem]
    dtype: ClassVar[Any] = _NumpyDtype()
    _scalar_: ClassVar[type]
    _shape_: ClassVar[tuple[int, ...]]
    _length_: ClassVar[int]
    __slots__ = ("_parts",)
    _parts: list[Any]

    def __init__(self, *args: Any) -> None:
        parts = _flat(args)
        count = self._length_
        if not parts:
            parts = [0] * count
        elif len(parts) == 1 and count > 1 and not isinstance(args[0], Iterable):
            parts = parts * count
        if len(parts) != count:
            raise TypeError(f"{type(self).__name__} has {count} components, found {len(parts)}")
        convert = self._elem.round
        self._parts = [convert(p) for p in parts]

    @classmethod
    def _of(cls, parts: Iterable[Any]) -> Any:
        return cls(*parts)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return self._shape_[0]

    def __getitem__(self, key: Any) -> Any:
        part = _pick(self, key)
        rest = self._shape_[1:] if not isinstance(key, tuple) else self._shape_[len(key) :]
        if isinstance(part, range):
            if rest and not isinstance(key, slice):
                return _make("vec", self._elem.scalar, len(part))(*(self._parts[i] for i in part))
            picked = [self._parts[i] for i in part]
            if rest:
                width = rest[0]
                return [
                    _make("vec", self._elem.scalar, width)(*picked[i : i + width]) for i in range(0, len(picked), width)
                ]
            return picked
        return self._parts[part]

    def __setitem__(self, key: Any, value: Any) -> None:
        part = _pick(self, key)
        convert = self._elem.round
        if isinstance(part, range):
            values = _flat((value,))
            if len(values) != len(part):
                raise ValueError(f"{len(values)} values for {len(part)} components")
            for at, item in zip(part, values, strict=True):
                self._parts[at] = convert(item)
        else:
            self._parts[part] = convert(value)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, _Composite):
            return self._elem == other._elem and self._parts == other._parts
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # values can change

    def _zip(self, other: Any, symbol: str, operation: Any) -> Any:
        if not isinstance(other, _Composite) or other._elem != self._elem:
            return NotImplemented
        return self._of(operation(a, b) for a, b in zip(self._parts, other._parts, strict=True))

    def __add__(self, other: Any) -> Any:
        return self._zip(other, "+", lambda a, b: a + b)

    def __sub__(self, other: Any) -> Any:
        return self._zip(other, "-", lambda a, b: a - b)

    def __neg__(self) -> Any:
        return self._of(-a for a in self._parts)

    def __pos__(self) -> Any:
        return self._of(self._parts)

    def __mul__(self, other: Any) -> Any:
        if _is_number(other):
            return self._of(a * other for a in self._parts)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not _is_number(other):
            return NotImplemented
        if self._elem.is_float:
            return self._of(_divide(a, other) for a in self._parts)
        return self._of(_quotient(a, other) for a in self._parts)

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray:
        import numpy as np

        if copy is False:
            raise ValueError(f"a {type(self).__name__} becomes a NumPy array only by copying")
        name = self._elem.scalar
        own = np.float32 if name == "bfloat16" else np.dtype(name)
        return np.array(self._parts, dtype=own).reshape(self._shape_).astype(dtype or own, copy=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (*self._elem.spec(), tuple(self._parts))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._parts))})"

    def __str__(self) -> str:
        if len(self._shape_) == 1:
            return f"[{', '.join(map(str, self._parts))}]"
        return "[" + ",\n ".join(str(row) for row in self) + "]"


def _is_number(value: Any) -> builtins.bool:
    return hasattr(value, "__float__") and not isinstance(value, _Composite)


def _divide(a: Any, b: Any) -> Any:
    """As floating point hardware does it: division by zero is no error."""
    if b != 0:
        return a / b
    if a == 0 or a != a or b != b:
        return builtins.float("nan")
    import math

    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _quotient(a: Any, b: Any) -> builtins.int:
    """Integers are cut towards zero, as in kernels."""
    q: builtins.int = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def _flat(values: Iterable[Any]) -> list[Any]:
    """The numbers in nested sequences."""
    out: list[Any] = []
    for value in values:
        if isinstance(value, _Composite):
            out.extend(value._parts)
        elif isinstance(value, str):
            raise TypeError("expected numbers, found a string")
        elif isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0:
            out.extend(_flat(value))
        else:
            out.append(value)
    return out


def _pick(value: _Composite, key: Any) -> Any:
    """Which components a key means: an index, or a range of them."""
    shape = value._shape_
    keys = key if isinstance(key, tuple) else (key,)
    if len(keys) > len(shape):
        raise IndexError(f"{type(value).__name__} has {len(shape)} dimensions, found {len(keys)} indices")
    width = shape[1] if len(shape) == 2 else 1
    if isinstance(keys[0], slice):
        start, stop, step = keys[0].indices(shape[0])
        if len(shape) == 1:
            return range(start, stop, step)
        if len(keys) == 2:
            column = _index(value, keys[1], shape[1])
            if step <= 0:
                raise IndexError("the step of a slice of a matrix must be positive")
            return range(start * width + column, stop * width + column, step * width)
        if step != 1:
            raise IndexError("a slice of rows has no step")
        return range(start * width, stop * width)
    row = _index(value, keys[0], shape[0])
    if len(shape) == 1:
        return row
    if len(keys) == 1:
        return range(row * width, (row + 1) * width)
    if isinstance(keys[1], slice):
        start, stop, step = keys[1].indices(width)
        return range(row * width + start, row * width + stop, step)
    return row * width + _index(value, keys[1], width)


def _index(value: _Composite, key: Any, size: int) -> int:
    index: int = key.__index__()
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range for {type(value).__name__} of size {size}")
    return index % size


def _component(index: int) -> property:
    def get(self: _Composite) -> Any:
        return self._parts[index]

    def set(self: _Composite, value: Any) -> None:
        self[index] = value

    return property(get, set)


class _Vector(_Composite):
    """A vector."""

    __slots__ = ()
    x = _component(0)
    y = _component(1)
    z = _component(2)
    w = _component(3)


class _Quaternion(_Composite):
    """A quaternion: three imaginary components, then the real one."""

    __slots__ = ()
    x = _component(0)
    y = _component(1)
    z = _component(2)
    w = _component(3)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _Quaternion):
            ax, ay, az, aw = self._parts
            bx, by, bz, bw = other._parts
            return self._of(
                (
                    aw * bx + ax * bw + ay * bz - az * by,
                    aw * by - ax * bz + ay * bw + az * bx,
                    aw * bz + ax * by - ay * bx + az * bw,
                    aw * bw - ax * bx - ay * by - az * bz,
                )
            )
        return super().__mul__(other)


class _Matrix(_Composite):
    """A matrix, in row-major order."""

    __slots__ = ()

    def __matmul__(self, other: Any) -> Any:
        rows, inner = self._shape_
        if isinstance(other, _Matrix) and other._elem.scalar == self._elem.scalar:
            if other._shape_[0] != inner:
                raise TypeError(f"{type(self).__name__} @ {type(other).__name__}: the inner sizes differ")
            cols = other._shape_[1]
            return _make("mat", self._elem.scalar, rows, cols)(
                *(sum(self[i, k] * other[k, j] for k in range(inner)) for i in range(rows) for j in range(cols))
            )
        if isinstance(other, _Vector) and other._elem.scalar == self._elem.scalar:
            if len(other) != inner:
                raise TypeError(f"{type(self).__name__} @ {type(other).__name__}: the inner sizes differ")
            return _make("vec", self._elem.scalar, rows)(
                *(sum(self[i, k] * other[k] for k in range(inner)) for i in range(rows))
            )
        return NotImplemented

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _Matrix | _Vector):
            return self @ other
        return super().__mul__(other)


class _Transform(_Composite):
    """A rigid transformation: a position, then a rotation as a quaternion. Without arguments it changes nothing."""

    __slots__ = ()

    def __init__(self, *args: Any, p: Any = None, q: Any = None) -> None:
        if p is not None or q is not None:
            if args and (p is not None or len(args) > 1):
                raise TypeError(f"{type(self).__name__}: a position or a rotation is given twice")
            args = (*(args or (p if p is not None else (0, 0, 0),)), q if q is not None else (0, 0, 0, 1))
        if not args:
            args = (0, 0, 0, 0, 0, 0, 1)
        parts = _flat(args)
        if len(parts) == 3 and len(args) == 1:
            parts += [0, 0, 0, 1]
        if len(parts) != 7:
            raise TypeError(
                f"{type(self).__name__} has 7 components, a position of 3 and a rotation of 4; found {len(parts)}"
            )
        convert = self._elem.round
        self._parts = [convert(part) for part in parts]

    @property
    def p(self) -> Any:
        """The position."""
        return _make("vec", self._elem.scalar, 3)(*self._parts[:3])

    @p.setter
    def p(self, value: Any) -> None:
        self[:3] = value

    @property
    def q(self) -> Any:
        """The rotation."""
        return _make("quat", self._elem.scalar)(*self._parts[3:])

    @q.setter
    def q(self, value: Any) -> None:
        self[3:] = value

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _Transform):
            if other._elem != self._elem:
                return NotImplemented
            import warp

            return warp.transform_multiply(self, other)
        return super().__mul__(other)


_BASES: dict[str, type] = {"vec": _Vector, "mat": _Matrix, "quat": _Quaternion, "transform": _Transform}
_SHORT = {name: short for name, short, *_ in SCALARS}


def _make(kind: str, scalar: str, rows: int = 1, cols: int = 1) -> type:
    """The class of a type; made once."""
    key = (kind, scalar, rows, cols)
    found = _made.get(key)
    if found is not None:
        return found
    elem = Elem(kind, scalar, rows, cols)
    short = _SHORT[scalar]
    if kind == "scalar":
        base: type = _Bool if scalar == "bool" else _Float if elem.is_float else _Int
        made = type(scalar, (base,), {"__slots__": (), "_elem": elem, "__module__": "warp"})
    else:
        if kind not in _BASES:
            raise TypeError(f"there are no values of kind '{kind}' yet")
        if kind == "vec" and not 1 <= rows <= 2**20:
            raise ValueError(f"a vector has 1 to {2**20} components, not {rows}")
        if kind == "mat" and not (rows >= 1 and cols >= 1 and rows * cols <= 2**20):
            raise ValueError(f"a matrix has 1 to {2**20} components, not {rows} x {cols}")
        common = rows in (2, 3, 4) and (kind != "mat" or rows == cols) and short
        if kind in ("quat", "transform"):
            name = f"{kind}{short}"
        elif kind == "vec":
            name = f"vec{rows}{short}" if common else f"vec({rows}, {scalar})"
        else:
            name = f"mat{rows}{cols}{short}" if common else f"mat({rows}x{cols}, {scalar})"
        made = type(
            name,
            (_BASES[kind],),
            {
                "__slots__": (),
                "_elem": elem,
                "_scalar_": _made[("scalar", scalar, 1, 1)],
                "_shape_": elem.shape,
                "_length_": elem.count,
                "__module__": "warp",
            },
        )
    made = _made.setdefault(key, made)
    register_type(elem, made)
    return made


def _restore(kind: str, scalar: str, rows: int, cols: int, parts: tuple[Any, ...]) -> Any:
    """A value from what it was pickled as."""
    return _make(kind, scalar, rows, cols)(*parts)
