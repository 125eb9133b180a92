"""Values with components in Python: what vectors, matrices, quaternions and transforms do, and their classes.

:mod:`warp.types` gives the types their names.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from warp._base.class_names import nameless
from warp._values.components import block, index_of, shaped
from warp._values.scalars import _Bool, _Float, _Int, _NumpyDtype, divide, operand, quotient, remainder, typed
from warp._values.storage import NARROW, stored
from warp._warp import SCALARS, Elem, _error, register_type, transform_multiply

if TYPE_CHECKING:
    import numpy as np

_made: dict[tuple[str, str, int, int], type] = {}


@nameless
class _Composite:
    """A value with several components of one scalar type, in row-major order."""

    _elem: ClassVar[Elem]
    dtype: ClassVar[Any] = _NumpyDtype()
    _wp_scalar_type_: ClassVar[Any]
    _shape_: ClassVar[tuple[int, ...]]
    _length_: ClassVar[int]
    __slots__ = ()
    # What `stored` adds: the numbers in row-major order, how to set them all or one, and whether that rounds floats.
    _memory_rounds: ClassVar[builtins.bool]
    if TYPE_CHECKING:
        _parts: list[Any]

        def _fill(self, parts: list[Any]) -> None: ...
        def _put(self, place: int, number: Any) -> None: ...
        def __copy__(self) -> Any: ...

    def __init__(self, *args: Any) -> None:
        parts = flat(args, type(self))
        count = self._length_
        if not args:
            return  # of zeros
        if not parts:
            parts = [0] * count
        elif len(parts) == 1 and count > 1 and not isinstance(args[0], Iterable):
            parts = parts * count
        if len(parts) != count:
            raise _error("Mismatch", f"{type(self).__name__} has {count} components, found {len(parts)}")
        self._fill(self._converted(parts))

    @classmethod
    def _of(cls, parts: Iterable[Any]) -> Any:
        """A value with these components, which are numbers of any size."""
        made = cls.__new__(cls)
        made._fill(cls._converted(list(parts)))
        return made

    @classmethod
    def _converted(cls, parts: list[Any]) -> list[Any]:
        """Numbers of any size as those of the components' type."""
        if cls._memory_rounds and set(map(type, parts)) == {float}:
            return parts
        convert = cls._elem.wrap
        return [convert(part) for part in parts]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return self._shape_[0]

    def __getitem__(self, key: Any) -> Any:
        # The commonest.
        if type(key) is int and len(self._shape_) == 1 and -(count := self._length_) <= key < count:
            return typed(self._wp_scalar_type_, self._parts[key])
        shape, at = block(type(self).__name__, self._shape_, key)
        parts = self._parts
        if not shape:
            return typed(self._wp_scalar_type_, parts[at[0]])
        if not at:
            return ()
        kind = "vec" if len(shape) == 1 else "mat"
        return _make(kind, self._elem.scalar, *shape)._of(parts[i] for i in at)

    def __setitem__(self, key: Any, value: Any) -> None:
        shape, at = block(type(self).__name__, self._shape_, key)
        convert = self._elem.wrap
        if not shape:
            self._put(at[0], convert(value))
            return
        # All are converted before one is written.
        if _is_number(value):
            values = [convert(value)] * len(at)
        else:
            values = [convert(number) for number in shaped(value, shape, flat)]
        for i, number in zip(at, values, strict=True):
            self._put(i, number)

    def __eq__(self, other: object) -> Any:
        """By value: also as another type, or as nested sequences of numbers."""
        if isinstance(other, _Composite):
            return self._shape_ == other._shape_ and _equal(self._parts, other._parts)
        if isinstance(other, str | bytes) or not isinstance(other, Iterable):
            return NotImplemented
        try:
            return _equal(self._parts, shaped(other, self._shape_, flat, exactly=True))
        except (TypeError, ValueError):
            return False

    __hash__ = None  # type: ignore[assignment]  # values can change

    def _zip(self, other: Any, symbol: str, operation: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, _Composite):
            return NotImplemented
        if other._elem != self._elem:
            raise _unlike(self, symbol, other)
        return self._of(operation(a, b) for a, b in zip(self._parts, other._parts, strict=True))

    def _scaled(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        """Each component with one number of the components' type."""
        number = operand(type(self).__name__, self._wp_scalar_type_, other)
        if number is NotImplemented:
            if not _is_number(other):
                return NotImplemented
            number = other
        return self._of(operation(a, number) for a in self._parts)

    def __add__(self, other: Any) -> Any:
        return self._zip(other, "+", lambda a, b: a + b)

    def __sub__(self, other: Any) -> Any:
        return self._zip(other, "-", lambda a, b: a - b)

    def __neg__(self) -> Any:
        return self._of(-a for a in self._parts)

    def __pos__(self) -> Any:
        return self._of(self._parts)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _Composite) and not isinstance(other, _Matrix):
            raise _unlike(self, "*", other)
        return self._scaled(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._scaled(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, _Composite):
            raise _unlike(self, "/", other)
        return self._scaled(other, divide if self._elem.is_float else quotient)

    def __rtruediv__(self, other: Any) -> Any:
        by = divide if self._elem.is_float else quotient
        return self._scaled(other, lambda a, b: by(b, a))

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray:
        import numpy as np

        name = self._elem.scalar
        if name in NARROW:
            if copy is False:
                raise ValueError(f"a {type(self).__name__} becomes a NumPy array only by copying")
            own = np.dtype(_TYPESTR[name] or np.float32)
            return np.array(self._parts, dtype=own).reshape(self._shape_).astype(dtype or own, copy=False)
        shared = np.asarray(memoryview(self))  # type: ignore[arg-type]
        return shared if dtype is None and not copy else shared.astype(dtype or shared.dtype, copy=bool(copy))

    def __dlpack__(self, **options: Any) -> Any:
        """For libraries that would take the memory of a value for numbers in one row, of a type of their own."""
        return self.__array__().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (*self._elem.spec(), tuple(self._parts))

    def __repr__(self) -> str:
        # Components name their type where indexing gives them with it.
        parts = list(self) if len(self._shape_) == 1 else [list(row) for row in self]
        return f"{type(self).__name__}({parts!r})"

    def __str__(self) -> str:
        if len(self._shape_) == 1:
            return f"[{', '.join(map(str, self._parts))}]"
        return "[" + ",\n ".join(str(row) for row in self) + "]"


def _is_number(value: Any) -> builtins.bool:
    return hasattr(value, "__float__") and not isinstance(value, _Composite) and getattr(value, "ndim", 0) == 0


def _equal(a: list[Any], b: list[Any]) -> builtins.bool:
    # Not the lists: those find the same NaN equal to itself.
    return len(a) == len(b) and all(x == y for x, y in zip(a, b, strict=True))


# What is meant by a product of two kinds that there is not.
_INSTEAD = {
    ("vec", "vec"): "wp.cw_mul(a, b), wp.dot(a, b) or wp.cross(a, b)",
    ("quat", "vec"): "wp.quat_rotate(q, v)",
    ("transform", "vec"): "wp.transform_point(t, v) or wp.transform_vector(t, v)",
}


def _unlike(a: Any, symbol: str, b: Any) -> Exception:
    text = f"{type(a).__name__} {symbol} {type(b).__name__} is not defined"
    kinds = tuple(x._elem.kind if isinstance(x, _Composite) else "" for x in (a, b))
    if symbol == "*" and kinds in _INSTEAD:
        text += f"; use {_INSTEAD[kinds]}"
    return _error("Argument", text)  # type: ignore[no-any-return]


def _is_sequence(value: Any) -> bool:
    """Whether it has items; some have only `__len__` and `__getitem__`, as the vectors of USD."""
    of = type(value)
    return isinstance(value, Iterable) or (hasattr(of, "__len__") and hasattr(of, "__getitem__"))


def flat(values: Iterable[Any], of: type | None = None) -> list[Any]:
    """The numbers in nested sequences; `of` is what is made of them."""
    out: list[Any] = []
    for value in values:
        if isinstance(value, _Composite):
            out.extend(value._parts)
        elif isinstance(value, str):
            place = "" if of is None else f"{of.__name__}: "
            raise TypeError(f"{place}expected numbers, found {value!r} (str)")
        elif _is_sequence(value) and getattr(value, "ndim", 1) != 0:
            out.extend(flat(value, of))
        else:
            out.append(value)
    return out


def _component(index: int) -> property:
    def get(self: _Composite) -> Any:
        return self[index]

    def set(self: _Composite, value: Any) -> None:
        self[index] = value

    return property(get, set)


@nameless
class _Vector(_Composite):
    """A vector."""

    __slots__ = ()
    x = _component(0)
    y = _component(1)
    z = _component(2)
    w = _component(3)

    def __mod__(self, other: Any) -> Any:
        if isinstance(other, _Vector):
            return self._zip(other, "%", remainder)
        return self._scaled(other, remainder)

    def __rmod__(self, other: Any) -> Any:
        return self._scaled(other, lambda a, b: remainder(b, a))


@nameless
class _Quaternion(_Composite):
    """A quaternion: three imaginary components, then the real one."""

    __slots__ = ()
    x = _component(0)
    y = _component(1)
    z = _component(2)
    w = _component(3)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _Quaternion) and other._elem == self._elem:
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


@nameless
class _Matrix(_Composite):
    """A matrix, in row-major order."""

    __slots__ = ()

    def get_row(self, index: int) -> Any:
        """The row at `index`, as a vector."""
        return self[index_of(type(self).__name__, index, self._shape_[0])]

    def get_col(self, index: int) -> Any:
        """The column at `index`, as a vector."""
        return self[:, index]

    def set_row(self, index: int, value: Any) -> None:
        """Give the row at `index` the numbers of a vector or a sequence, or one number throughout."""
        self[index_of(type(self).__name__, index, self._shape_[0])] = value

    def set_col(self, index: int, value: Any) -> None:
        """Give the column at `index` the numbers of a vector or a sequence, or one number throughout."""
        self[:, index] = value

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, _Matrix | _Vector):
            return NotImplemented
        rows, inner = self._shape_
        if other._elem.scalar != self._elem.scalar or other._shape_[0] != inner:
            raise _unlike(self, "@", other)
        a, b, scalar = self._parts, other._parts, self._elem.scalar
        cols = other._shape_[1] if isinstance(other, _Matrix) else 1
        made = _make("mat", scalar, rows, cols) if isinstance(other, _Matrix) else _make("vec", scalar, rows)
        return made._of(
            sum(a[i * inner + k] * b[k * cols + j] for k in range(inner)) for i in range(rows) for j in range(cols)
        )

    def __rmatmul__(self, other: Any) -> Any:
        """A row vector times this."""
        if not isinstance(other, _Vector):
            return NotImplemented
        rows, cols = self._shape_
        if other._elem.scalar != self._elem.scalar or len(other) != rows:
            raise _unlike(other, "@", self)
        a, b = other._parts, self._parts
        return _make("vec", self._elem.scalar, cols)._of(
            sum(a[k] * b[k * cols + j] for k in range(rows)) for j in range(cols)
        )

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _Matrix | _Vector):
            return self @ other
        return super().__mul__(other)

    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, _Vector):
            return other @ self
        if isinstance(other, _Composite):
            raise _unlike(other, "*", self)
        return super().__rmul__(other)


@nameless
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
        parts = flat(args, type(self))
        if len(parts) == 3 and len(args) == 1:
            parts += [0, 0, 0, 1]
        elif len(parts) == 1 and not isinstance(args[0], Iterable):
            parts *= 7
        if len(parts) != 7:
            text = f"{type(self).__name__} has 7 components, a position of 3 and a rotation of 4; found {len(parts)}"
            raise _error("Mismatch", text)
        self._fill(self._converted(parts))

    @property
    def p(self) -> Any:
        """The position."""
        return _make("vec", self._elem.scalar, 3)._of(self._parts[:3])

    @p.setter
    def p(self, value: Any) -> None:
        self[:3] = value

    @property
    def q(self) -> Any:
        """The rotation."""
        return _make("quat", self._elem.scalar)._of(self._parts[3:])

    @q.setter
    def q(self, value: Any) -> None:
        self[3:] = value

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _Transform) and other._elem == self._elem:
            return transform_multiply(self, other)
        return super().__mul__(other)


_BASES: dict[str, type] = {"vec": _Vector, "mat": _Matrix, "quat": _Quaternion, "transform": _Transform}
_WHAT = {
    "quat": "A quaternion (x, y, z, w)",
    "transform": "A transform: a position and a quaternion, 7 numbers",
}
_SHORT = {name: short for name, short, *_ in SCALARS}
# Empty for floats that NumPy lacks.
_TYPESTR = {name: typestr for name, _, typestr, *_ in SCALARS}


def _make(kind: str, scalar: str, rows: int = 1, cols: int = 1) -> Any:
    """The class of a type; made once."""
    key = (kind, scalar, rows, cols)
    found = _made.get(key)
    if found is not None:
        return found
    if kind == "vec" and not 1 <= rows <= 2**20:
        raise ValueError(f"a vector has 1 to {2**20} components, not {rows}")
    if kind == "mat" and not (rows >= 1 and cols >= 1 and rows * cols <= 2**20):
        raise ValueError(f"a matrix has 1 to {2**20} components, not {rows} x {cols}")
    elem = Elem(kind, scalar, rows, cols)
    if kind == "scalar":
        base: type = _Bool if scalar == "bool" else _Float if elem.is_float else _Int
        is_pythons = scalar in ("bool", "int32", "float32")
        body = {"__slots__": (), "_elem": elem, "_is_pythons": is_pythons, "__module__": "warp"}
        body["__doc__"] = base.__doc__
        made = type(scalar, (base,), body)
    else:
        if kind not in _BASES:
            raise TypeError(f"there are no values of kind '{kind}' yet")
        metaclass, bases, body = stored(_BASES[kind], scalar, elem.shape)
        body |= {
            "__slots__": (),
            "_elem": elem,
            "_wp_scalar_type_": _made[("scalar", scalar, 1, 1)],
            "_shape_": elem.shape,
            "_length_": elem.count,
            "__module__": "warp",
            "__doc__": _text(kind, scalar, rows, cols),
        }
        made = metaclass(_name(kind, scalar, rows, cols), bases, body)
    made = _made.setdefault(key, made)
    register_type(elem, made)
    if "(" in made.__name__:
        # Found under the name that it says, a class is not taken apart by the package cloudpickle.
        vars(sys.modules["warp"])[made.__name__] = made
    return made


def _name(kind: str, scalar: str, rows: int, cols: int) -> str:
    """The name of a class: short for small types of scalars that have a letter."""
    short = _SHORT[scalar] if rows <= 4 and cols <= 4 else ""
    if kind == "vec":
        return f"vec{rows}{short}" if short else f"vector(length={rows}, dtype={scalar})"
    if kind == "mat":
        return f"mat{rows}{cols}{short}" if short else f"matrix(shape=({rows}, {cols}), dtype={scalar})"
    return f"{kind}{short}"


def _text(kind: str, scalar: str, rows: int, cols: int) -> str:
    """The docstring of a class."""
    if kind == "vec":
        return f"A vector of {rows} {scalar}."
    if kind == "mat":
        return f"A matrix of {rows} x {cols} {scalar}, row by row."
    return f"{_WHAT[kind]} of {scalar}."


def _restore(kind: str, scalar: str, rows: int, cols: int, parts: tuple[Any, ...]) -> Any:
    """A value from what it was pickled as."""
    return _make(kind, scalar, rows, cols)(*parts)


_restore.__module__ = "warp._values"  # pickles name it there
