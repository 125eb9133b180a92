"""What a Python function means: its code, and what the names in it hold.

Two functions with one meaning make the same kernel. A name's value counts, not the function object: a lambda in a loop
is a new object in each iteration, and the global that it reads may have changed since the last one.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any

from warp._warp import Builtin, Function, array

#: A name of a function's code and the attributes that are read from it: `module.LIMIT` is `("module", ("LIMIT",))`.
_Path = tuple[str, tuple[str, ...]]

_ROOTS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_of = attrgetter("__closure__", "__defaults__", "__kwdefaults__", "__annotations__")
_PLAIN = (int, float, bool, complex, str, bytes, type(None))
#: The most bytes of a NumPy array whose contents count; a larger one is itself.
_MOST_BYTES = 4096
# What only arrays and numbers of NumPy have.
_OF_NUMPY = ("__array_interface__", "nbytes", "tobytes")


class _Code:
    """Stands for equal codes, whose hashes take long."""

    __slots__ = ("paths",)

    def __init__(self, paths: tuple[_Path, ...]) -> None:
        self.paths = paths


_codes: dict[CodeType, _Code] = {}
# By address, where the code is kept alive.
_by_address: dict[int, tuple[CodeType, _Code]] = {}
_MOST_CODES = 4096


class Same:
    """An object as itself, whatever it says of equality; alive as long as something is known of it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def meaning(func: Any, contents: bool = True) -> Hashable:
    """What is equal for two functions that make the same kernel now: plain functions, and those with ``@wp.func``.

    Args:
        func: The function.
        contents: Whether it counts what lists, dicts and NumPy's arrays hold, which ``wp.static`` may read.
    """
    return _function(func, () if contents else (0,))


def values_meaning(values: dict[str, Any] | None) -> Hashable:
    """What is equal for two sets of values by name, such as those of ``wp.static``."""
    return tuple((name, _value(value, ())) for name, value in (values or {}).items())


def _function(func: Any, within: tuple[int, ...]) -> Hashable:
    """`within`: the addresses of what this is a part of, which may be a part of itself; a 0 leaves contents out."""
    if id(func) in within:
        return within.index(id(func))
    within = (*within, id(func))
    itself = None
    if type(func) is Function:
        itself, func = Same(func), getattr(func, "func", None)
    if type(func) is not FunctionType:
        return itself if itself is not None else Same(func)
    code, known, package = func.__code__, func.__globals__, sys.modules["warp"]
    about = _code(code)
    found: list[Hashable] = [itself, about, id(known)]
    closure, defaults, named, annotations = _of(func)
    if closure is not None:
        found += [_cell(cell, within) for cell in closure]
    if defaults is not None:
        found += [_value(value, within) for value in defaults]
    if named is not None:
        found += [(name, _value(value, within)) for name, value in named.items()]
    for name, value in annotations.items():
        found.append(name)
        found.append(value if type(value) is type else _annotation(value, within))
    for name, attributes in about.paths:
        if name in known:
            value = known[name]
        elif name in code.co_freevars and closure is not None:
            if not attributes:
                continue  # it stands in a cell
            try:
                value = closure[code.co_freevars.index(name)].cell_contents
            except ValueError:  # not assigned yet
                continue
        else:
            continue  # a builtin, or a variable of the function that a function in it reads
        if value is package:
            continue  # of this every name is a constant
        found.append(_value(_read_at(value, attributes) if attributes else value, within))
    return tuple(found)


def _at(value: Any, attributes: tuple[str, ...]) -> Any:
    """What a path leads to, as far as it can be followed."""
    for attribute in attributes:
        try:
            value = getattr(value, attribute)
        except Exception:  # noqa: BLE001 - the compiler says what is wrong
            break
    return value


def _read_at(value: Any, attributes: tuple[str, ...]) -> Any:
    """What a path leads to; where that is a new object each time, as a bound method is, what it begins with."""
    found = _at(value, attributes)
    kind = type(found)
    if kind in _PLAIN or kind in (tuple, list, dict) or hasattr(kind, "_elem") or _at(value, attributes) is found:
        return found
    return value


def _annotation(value: Any, within: tuple[int, ...]) -> Hashable:
    # `wp.array(dtype=float)` is a new object each time.
    return ("array", Same(value.dtype), value.ndim) if type(value) is array else _value(value, within)


def _cell(cell: Any, within: tuple[int, ...]) -> Hashable:
    try:
        return _value(cell.cell_contents, within)
    except ValueError:  # not assigned yet
        return None


def _value(value: Any, within: tuple[int, ...]) -> Hashable:
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value)
    if kind is FunctionType or kind is Function:
        return Same(value), _function(value, within)
    if kind is Builtin or isinstance(value, type):
        return Same(value)
    if kind is tuple or (kind in (list, dict) and within[0] != 0):
        if id(value) in within:
            return within.index(id(value))
        within = (*within, id(value))
        items = value if kind is not dict else [part for item in value.items() for part in item]
        return kind, tuple([_value(item, within) for item in items])
    elem = getattr(kind, "_elem", None)
    if elem is not None and getattr(elem, "kind", "struct") != "struct":
        return Same(kind), repr(value)  # with all digits
    # NumPy's arrays and scalars; arrays of others lack these, and what they hold may change.
    if within[0] != 0 and all(hasattr(kind, name) for name in _OF_NUMPY) and value.nbytes <= _MOST_BYTES:
        return Same(kind), str(value.dtype), value.shape, value.tobytes()
    return Same(value)


def _code(code: CodeType) -> _Code:
    known = _by_address.get(id(code))
    if known is None:
        if len(_by_address) >= _MOST_CODES:
            _by_address.clear()
            _codes.clear()
        found = _codes.get(code)
        if found is None:
            found = _codes.setdefault(code, _Code(tuple(dict.fromkeys(_read(code)))))
        known = _by_address[id(code)] = code, found
    return known[1]


def _read(code: CodeType) -> Iterator[_Path]:
    """What code reads of globals and of a closure, in functions in it too."""
    import dis  # slow to import

    root, attributes = None, []
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name == "EXTENDED_ARG":
            continue
        if root is not None and name in _ATTRIBUTES:
            attributes.append(instruction.argval)
            continue
        if root is not None:
            yield root, tuple(attributes)
        root, attributes = (instruction.argval, []) if name in _ROOTS else (None, [])
    if root is not None:
        yield root, tuple(attributes)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _read(constant)
