"""Structs: classes with typed fields, whose instances kernels are given by value."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar, TypeVar, dataclass_transform

from warp._base.class_names import named, nameless
from warp._language.modules import Var, register_struct
from warp._values.composite import _Composite
from warp._values.scalars import _NumpyDtype, typed
from warp._warp import (
    Elem,
    _check_array,
    _defined,
    _error,
    _fields,
    _struct,
    array,
    dtype_to_numpy,
    get_device,
    register_type,
)

_C = TypeVar("_C", bound=type)
_Set = Callable[[Any], Any]


@named("struct")
class _StructType(type):
    """The type of structs. What it adds is asked of the struct itself; fields of the same names are the instances'."""

    _elem: Elem
    _declared_: type
    _annotations_: dict[str, Any]

    @property
    def key(cls) -> str:
        """The struct's name."""
        return cls.__name__

    @property
    def cls(cls) -> type:
        """The class that was made a struct."""
        return cls._declared_

    @property
    def vars(cls) -> dict[str, Var]:
        """The fields by name, each with its `label` and its `type`."""
        pairs = zip(cls._annotations_.items(), _fields(cls._elem), strict=True)
        return {name: Var(name, annotation if found is None else found) for (name, annotation), (_, found, _) in pairs}

    @property
    def ctype(cls) -> Any:
        """The ctypes structure that instances are in memory."""
        from warp._values.ctype import ctype_of

        return ctype_of(cls)

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        # A pickle by value, as that of the package cloudpickle, makes an empty class and gives it what it has.
        if name == "_elem":
            _register(cls, value)

    def from_ptr(cls, ptr: int) -> Any:
        """An instance with the content of memory at an address of a structure `ctype`. Arrays are descriptors there;
        those of the instance do not keep their memory alive.

        Raises:
            TypeError: ``ptr`` is no int.
            ValueError: It is 0.
        """
        from warp._values.ctype import ctype_of, read

        if not isinstance(ptr, int):
            raise TypeError(f"{cls.__name__}.from_ptr: expected an address, found {_describe(ptr)}")
        if ptr == 0:
            raise _error("ArrayValue", f"{cls.__name__}.from_ptr: the address is 0")
        return read(ctype_of(cls).from_address(ptr), cls, None)


# By this name pickles find it, where that of a class is not the public one.
_StructType.__qualname__ = "_StructType"


@nameless
class _Struct(metaclass=_StructType):
    """What all structs share: a value for each field, in order."""

    __slots__ = ("_values",)
    _values: list[Any]
    _elem: ClassVar[Elem]
    dtype: ClassVar[Any] = _NumpyDtype()
    __numpy_dtype__: ClassVar[Any] = _NumpyDtype()
    # By name: where the value stands, what makes one of what is assigned, and zero.
    _setters: ClassVar[dict[str, tuple[int, _Set]]]
    _zeros: ClassVar[list[_Set]]
    _numpy: ClassVar[Any]

    def __init__(self, *args: Any, **fields: Any) -> None:
        names = list(self._setters)
        if len(args) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields ({', '.join(names)}), {len(args)} given")
        object.__setattr__(self, "_values", [zero(None) for zero in self._zeros])
        for name, value in zip(names, args, strict=False):
            if name in fields:
                raise TypeError(f"{type(self).__name__} gets its field '{name}' twice")
            setattr(self, name, value)
        for name, value in fields.items():
            setattr(self, name, value)

    @classmethod
    def _of(cls, values: list[Any]) -> Any:
        made = cls.__new__(cls)
        object.__setattr__(made, "_values", values)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            at, convert = self._setters[name]
        except KeyError:
            raise self._no_field(name) from None
        try:
            self._values[at] = convert(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{type(self).__name__}.{name}: {error}") from None

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name}: a field of a struct cannot be deleted")

    def __getattr__(self, name: str) -> Any:
        # Only asked for what is found nowhere else.
        raise self._no_field(name)

    def _no_field(self, name: str) -> AttributeError:
        fields = ", ".join(self._setters) or f"none: declare one in the class, as in `{name}: float`"
        made = _error("Field", f"{type(self).__name__} has no field '{name}'; it has {fields}")
        made.name, made.obj = name, self
        return made  # type: ignore[no-any-return]

    def assign(self, value: Any) -> None:
        """Give each field the value that it has in another instance of the same struct."""
        _same(type(self), value)
        self._values[:] = value._copied()

    def to(self, device: Any = None) -> Any:
        """This struct with its arrays on ``device``: a copy, whose arrays are these where they are there already."""
        where = get_device(device)
        return self._of([v.to(where) if isinstance(v, array | _Struct) else v for v in self._copied()])

    def __ctype__(self) -> Any:
        """The values as a ctypes structure, as in memory; arrays are array descriptors there."""
        from warp._values.ctype import write

        return write(self, type(self))

    def numpy_value(self) -> tuple[Any, ...]:
        """The values as nested tuples, of which NumPy makes a record of ``numpy_dtype()``."""
        pairs = zip(self._values, self._annotations_.values(), strict=True)
        return tuple(_none_of(declared) if value is None else _plain(value) for value, declared in pairs)

    @classmethod
    def numpy_dtype(cls) -> Any:
        """The NumPy dtype of an array of such structs, laid out as C does. A field that is an array is its description:
        ``data``, ``grad``, ``shape``, ``strides`` and ``ndim``.
        """
        return cls._numpy_dtype_of()

    @classmethod
    def _numpy_dtype_of(cls) -> Any:
        found = cls.__dict__.get("_numpy")
        if found is None:
            found = _make_dtype(cls)
            cls._numpy = found
        return found

    def _copied(self) -> list[Any]:
        return [_copy(value) for value in self._values]

    def __copy__(self) -> Any:
        return self._of(self._copied())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        from copy import deepcopy

        return self._of([deepcopy(value, memo) for value in self._values])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self._values)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, _Struct) or other._elem != self._elem:
            return NotImplemented
        pairs = zip(self._values, other._values, strict=True)
        return all(a is b if isinstance(a, array) or isinstance(b, array) else a == b for a, b in pairs)

    # By identity, as torch hashes tensors: values can change.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        fields = (f"{name}={value!r}" for name, value in zip(self._setters, self._values, strict=True))
        return f"{type(self).__name__}({', '.join(fields)})"


def _restore_elements(cls: Any, shape: tuple[int, ...], elements: list[Any]) -> Any:
    """An array of structs that hold arrays, of its elements in row-major order."""
    made = array(elements, dtype=cls) if elements else array(shape=shape, dtype=cls)
    return made.reshape(shape)


def _deep_elements(of: Any, memo: dict[int, Any]) -> Any:
    """A copy of an array of structs, and of the arrays in it."""
    from copy import deepcopy

    return _restore_elements(of.dtype, of.shape, deepcopy(of.list(), memo))


def _copy(value: Any) -> Any:
    """A value of its own; arrays are shared."""
    if isinstance(value, _Struct):
        return value.__copy__()
    if isinstance(value, _Composite):
        return value.__copy__()
    return value


def _with_parts(cls: Any, parts: list[Any]) -> Any:
    """A vector or the like with numbers that have been rounded already."""
    made = cls.__new__(cls)
    made._fill(parts)
    return made


def _described(annotation: Any) -> Any:
    """The NumPy dtype of the elements in an array's memory."""
    import numpy as np
    from warp._values.c_array import array_t

    one = np.dtype(array_t)
    if isinstance(annotation, array):
        return one
    parts = ["data", *(f"index{n}" for n in range(annotation.ndim))]
    return np.dtype([(part, one) for part in parts])


def _none_of(annotation: Any) -> Any:
    """As NumPy has the description of no array."""
    one = (0, 0, (0,) * 4, (0,) * 4, 0)
    return one if isinstance(annotation, array) else (one,) * (1 + annotation.ndim)


def _plain(value: Any) -> Any:
    if isinstance(value, array):
        from warp._values.c_array import ctype

        made = ctype(value)
        return (made.data, made.grad, tuple(made.shape), tuple(made.strides), made.ndim)
    if hasattr(value, "_parts") and hasattr(value, "_kernel_type"):
        return tuple(_plain(part) for part in value._parts())
    if isinstance(value, _Struct):
        return _Struct.numpy_value(value)
    if isinstance(value, _Composite):
        return tuple(_plain(part) for part in value) if len(value._shape_) > 1 else tuple(value._parts)
    return value


def _same(cls: type, value: Any) -> None:
    if not isinstance(value, _Struct) or value._elem != cls._elem:  # type: ignore[attr-defined]
        raise TypeError(f"expected an instance of {cls.__name__}, found {_describe(value)}")


def _describe(value: Any) -> str:
    text = repr(value)
    return f"{text} ({type(value).__name__})" if len(text) <= 40 else f"an object of type {type(value).__name__}"


def _setter_of(annotation: Any, cls: Any) -> tuple[_Set, _Set]:
    """What makes a field's value of what is assigned, and what makes its zero."""
    if cls is None:

        def hold(value: Any) -> Any:
            if value is not None:
                _check_array(annotation, value)
            return value

        return hold, lambda _: None
    if issubclass(cls, _Struct):

        def struct_value(value: Any) -> Any:
            _same(cls, value)
            return value.__copy__()

        return struct_value, lambda _: cls._of([zero(None) for zero in cls._zeros])
    if issubclass(cls, _Composite):

        def composite(value: Any) -> Any:
            if isinstance(value, _Composite):
                if value._elem == cls._elem:
                    return value.__copy__() if type(value) is cls else _with_parts(cls, value._parts)
                # As in arrays, what counts is the number of components.
                if value._length_ != cls._length_ or (value._elem.is_float and not cls._elem.is_float):
                    raise _error("Mismatch", f"expected {cls.__name__}, found {_describe(value)}")
                return _with_parts(cls, [cls._elem.round(part) for part in value._parts])
            if not hasattr(value, "__iter__") or isinstance(value, str):
                raise TypeError(f"expected {cls.__name__} or its components, found {_describe(value)}")
            return cls(value)

        return composite, lambda _: cls()
    convert = cls._elem.round
    if cls._elem.scalar == "bool":

        def truth(value: Any) -> Any:
            if not isinstance(value, builtins.bool | builtins.int) and type(value).__name__ not in ("bool", "bool_"):
                raise TypeError(f"expected a bool, found {_describe(value)}")
            return builtins.bool(value)

        return truth, lambda _: False

    def number(value: Any) -> Any:
        return value if type(value) is cls else convert(value)

    # A number that nobody has set is of the field's type, unless Python's own stand for that.
    if cls._is_pythons:
        zero = convert(0)
        return number, lambda _: zero
    return number, lambda _: typed(cls, cls().value)


def _make_dtype(cls: Any) -> Any:
    import numpy as np

    names, formats, offsets = [], [], []
    for name, value, offset in _fields(cls._elem):
        names.append(name)
        formats.append(_described(cls._annotations_[name]) if value is None else dtype_to_numpy(value))
        offsets.append(offset)
    layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": cls._elem.size}
    return np.dtype(layout, align=True)


def _getter(at: int, name: str) -> property:
    def get(self: _Struct) -> Any:
        return self._values[at]

    get.__name__ = name
    return property(get)


@dataclass_transform()
def struct(c: _C, *, module: Any = None) -> _C:
    """Make a struct of a class whose fields are annotated.

    A field is a scalar, vector, matrix, quaternion or transform type, ``wp.array[...]`` or another struct.
    Instances begin with zeros and without arrays; ``S(x=1.0)`` gives fields other values. Kernels and functions take
    structs by value, make them with ``S()`` and read and write their fields. An array of structs is
    ``wp.zeros(n, dtype=S)`` or ``wp.array([S(), S()], dtype=S)``; its ``numpy()`` is a structured array. Arrays in it
    live as long as its elements refer to them.

    Args:
        c: The class. Its methods and other attributes stay, for use in Python, as do those of classes that it derives
            from; annotations there are no fields.
        module: For code that names one: a module, its name or "unique". Structs are compiled with the kernels that
            take them, so that it means nothing here.

    Raises:
        TypeError: A field has a type that no field can have, or the class derives from a struct.
    """
    if not isinstance(c, type):
        raise TypeError(f"wp.struct: expected a class, found {_describe(c)}; write `@wp.struct` above `class`")
    if module is not None and not isinstance(module, str) and not hasattr(module, "__name__"):
        raise TypeError(f"wp.struct: module is {_describe(module)}, expected a module, its name or 'unique'")
    if _Struct in c.__bases__:
        raise TypeError(f"{_place(c)}: it is a struct already; write `@wp.struct` once")
    for base in c.__mro__:
        if _Struct in base.__bases__:
            raise TypeError(
                f"{_place(c)}: it derives from the struct {base.__name__}, whose fields it would not have; give it a "
                f"field of type {base.__name__}"
            )
    annotations = _annotations(c, sys._getframe(1))
    kept = {}
    for name, value in c.__dict__.items():
        if name in annotations:
            warnings.warn(
                f"{_place(c)}: the default value of field '{name}' is ignored: fields begin as zeros", stacklevel=2
            )
        elif name in ("__module__", "__qualname__", "__doc__", "__annotations__") or not _is_dunder(name):
            kept[name] = value
    for name in annotations:
        if name.startswith("_"):
            raise TypeError(f"{_place(c)}: field '{name}' begins with an underscore; give it another name")
    key = f"{c.__module__}.{c.__qualname__}"
    try:
        elem = _struct(key, c.__name__, list(annotations.items()))
    except TypeError as error:
        raise TypeError(f"{error}\n  --> {_where(c)}") from None
    bases = tuple(base for base in c.__bases__ if base is not object)
    try:
        made = of_elem(elem, c.__name__, annotations, {**kept, "_declared_": c}, bases)
    except TypeError as error:
        raise TypeError(f"{_place(c)}: it derives from what no struct can derive from: {error}") from None
    _register(made, elem)
    return made  # type: ignore[no-any-return]


def of_elem(
    elem: Elem, name: str, annotations: dict[str, Any], more: dict[str, Any], bases: tuple[type, ...] = ()
) -> Any:
    """A class for a struct that is known, with more attributes; `bases` have more methods."""
    both = [
        _setter_of(annotation, cls) for annotation, (_, cls, _) in zip(annotations.values(), _fields(elem), strict=True)
    ]
    body: dict[str, Any] = {
        **more,
        "__slots__": (),
        "__match_args__": tuple(annotations),
        "_elem": elem,
        "_annotations_": annotations,
        "_setters": {name: (at, both[at][0]) for at, name in enumerate(annotations)},
        "_zeros": [zero for _, zero in both],
        **{name: _getter(at, name) for at, name in enumerate(annotations)},
    }
    return _StructType(name, (_Struct, *bases), body)


_classes: dict[Elem, Any] = {}


def _register(cls: Any, elem: Elem) -> None:
    """Let kernels and modules know a struct."""
    _classes[elem] = cls
    register_type(elem, cls)
    register_struct(cls, cls.__module__)
    _defined()


def _annotations(c: type, caller: FrameType) -> dict[str, Any]:
    """The fields' types; text is evaluated where the class is defined."""
    try:
        found = dict(getattr(c, "__annotations__", {}))
    except NameError as error:  # annotations that are evaluated late
        raise _unknown(c, str(error), error.name) from None
    scope = {**getattr(sys.modules.get(c.__module__), "__dict__", {}), **caller.f_globals, **caller.f_locals}
    for name, annotation in found.items():
        if isinstance(annotation, str):
            try:
                # A struct of the same name from before is not what is meant.
                known = {k: v for k, v in scope.items() if k != c.__name__}
                found[name] = eval(compile(annotation, "<annotation>", "eval"), known)
            except NameError as error:
                raise _unknown(c, f"field '{name}': {error}", error.name) from None
            except Exception as error:
                raise TypeError(
                    f"{_place(c)}: field '{name}': the annotation {annotation!r} cannot be evaluated ({error})"
                ) from error
    return found


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _unknown(c: type, what: str, name: str | None) -> TypeError:
    if name == c.__name__:
        what = "a field is the struct itself, which would never end; use the index of another element of an array"
    return TypeError(f"{_place(c)}: {what}")


def _place(c: type) -> str:
    where = _where(c)
    return f"struct '{c.__name__}' ({where})" if where else f"struct '{c.__name__}'"


def _where(c: type) -> str:
    """File and line of a class, as far as Python knows."""
    import inspect

    try:
        _, line = inspect.getsourcelines(c)
        return f"{inspect.getsourcefile(c)}:{line}"
    except (OSError, TypeError):
        return c.__module__
