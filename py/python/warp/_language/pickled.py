"""How kernels, functions, structs and types are pickled: by name, where another process can import it, else by value.

By value means with their text, their code and what their names hold. A token comes along: a process that knows it gives
the object that it has, so that what comes back is what was sent, and a worker compiles once.
"""

from __future__ import annotations

import ast
import builtins
import marshal
import sys
import textwrap
import uuid
from collections import deque
from importlib import import_module
from importlib.util import MAGIC_NUMBER
from types import CellType, FunctionType, ModuleType
from typing import Any
from weakref import WeakValueDictionary

from warp._language import struct as _structs
from warp._language.meaning import _code as _paths
from warp._language.meaning import meaning
from warp._language.modules import About, register_function, register_kernel
from warp._warp import Function, Kernel, _defined, _struct

#: What the pickles of this process and of others call objects.
_known: WeakValueDictionary[str, Any] = WeakValueDictionary()
#: Of those, what was made here of a pickle of another process.
_restored: set[str] = set()
#: The last of them stay, between the tasks of a worker.
_recent: deque[Any] = deque(maxlen=256)

_Reduced = str | tuple[Any, ...]


def _at_name(module: Any, name: str) -> Any:
    """What another process finds under a name, as this one does."""
    found: Any = sys.modules.get(module) if isinstance(module, str) else None
    if found is None or module in ("__main__", "__mp_main__") or getattr(found, "__spec__", None) is None:
        return None
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def definition(made: Any) -> _Reduced:
    """What a kernel or a function is pickled as."""
    kind: Any = type(made)
    by_name: _Reduced = kind.__reduce__(made)
    name = by_name if isinstance(by_name, str) else by_name[1][1]
    found = _at_name(made.__module__, name)
    about = made.adj
    if about is None or about.text is None or (found is not None and getattr(found, "adj", None) is about):
        return by_name
    whole = _by_value(made)
    return whole if isinstance(by_name, str) else (_instance, (_Packed(whole), by_name[1][2]))


def _by_value(made: Any) -> tuple[Any, ...]:
    about, module = made.adj, made.module
    kind = "kernel" if isinstance(made, Kernel) else "function"
    if about.token is None:
        about.token = uuid.uuid4().hex
        # That of an instance of a generic kernel is of the generic one.
        known = (module._kernels if kind == "kernel" else module._functions).get(made.key)
        if known is not None and known.adj is about:
            _known[about.token] = known
    parameters = [(var.label, var.type) for var in about.args]
    options = {**module._options, **(made.options or {})} if kind == "kernel" else {}
    more = (_overloads(about), _rules(about))
    given = (
        kind,
        about.token,
        _shape(made.func),
        about.text,
        parameters,
        made.key,
        module.name,
        options,
        about.name,
        more,
    )
    statics = {key: _carried(value) for key, value in (about.statics or {}).items()}
    return _restore, given, (*_captured(made.func, about.text[2]), statics), None, None, _fill


def _overloads(about: Any) -> list[Any]:
    return [(_packed(fn), name, text, parameters) for fn, name, text, parameters in about.overloads]


def _rules(about: Any) -> list[Any]:
    return [(_packed(fn), text, parameters, gradient) for fn, text, parameters, gradient in about.rules]


def _instance(generic: Any, types: tuple[Any, ...]) -> Any:
    return generic.add_overload(list(types)) if generic.is_generic else generic


def _restore(
    kind: str,
    token: str,
    shape: Any,
    text: Any,
    parameters: list[tuple[str, Any]],
    key: str,
    owner: str,
    options: dict[str, Any],
    name: str | None,
    more: Any,
) -> Any:
    """The kernel or function of a pickle; `_fill` gives its names what they hold."""
    found = _known.get(token)
    if found is not None:
        return found
    overloads, rules = more
    fn = _shell(shape)
    fn.__annotations__ = dict(parameters)
    about = About(key, owner, options, parameters)
    made: Any
    if kind == "kernel":
        backward, checks = about.option("enable_backward"), about.option("check_bounds")
        made = Kernel._of(fn, text, parameters, backward, checks, about)
        register_kernel(made, about)
    else:
        earlier = None
        for other, called, other_text, other_parameters in overloads:
            at = About(called, owner, {}, other_parameters)
            earlier = Function._of(other, called, other_text, other_parameters, earlier, at)
        made = Function._of(fn, name or fn.__name__, text, parameters, earlier, about)
        for rule, rule_text, rule_parameters, gradient in rules:
            made._set_rule(Function._of(rule, rule.__name__, rule_text, rule_parameters), gradient)
        register_function(made, about)
    about.adj.text, about.adj.name, about.adj.token = text, name, token
    about.adj.overloads, about.adj.rules = overloads, rules
    _remember(token, made)
    return made


def _remember(token: str, made: Any) -> None:
    _known[token] = made
    _restored.add(token)
    _recent.append(made)


def _fill(made: Any, captured: tuple[Any, ...]) -> None:
    """Give names what they hold, unless the object is this process's own, which knows better."""
    fn = made
    if not isinstance(made, FunctionType):
        fn = made.func
        if made.adj.token not in _restored:
            return
    before = meaning(fn)
    names, cells, *statics = captured
    if statics:
        made.adj.statics = statics[0]
    fn.__globals__.update(names)
    for cell, content in zip(fn.__closure__ or (), cells, strict=False):
        if content:
            cell.cell_contents = content[0]
    if meaning(fn) != before:
        _defined()


# Python functions.


def _shape(fn: Any) -> tuple[Any, ...]:
    """A function without what its names hold."""
    defaults = None if fn.__defaults__ is None else tuple(map(_carried, fn.__defaults__))
    named = None if fn.__kwdefaults__ is None else {name: _carried(value) for name, value in fn.__kwdefaults__.items()}
    code = marshal.dumps(fn.__code__)
    return MAGIC_NUMBER, code, fn.__name__, fn.__qualname__, fn.__module__, defaults, named


def _shell(shape: tuple[Any, ...]) -> FunctionType:
    magic, code, name, qualname, module, defaults, named = shape
    if magic != MAGIC_NUMBER:
        raise RuntimeError(
            f"'{name}' was pickled with its code by another version of Python than {sys.version.split()[0]}; pickle it "
            "with this version, or define it in a module that can be imported"
        )
    code = marshal.loads(code)
    cells = tuple(CellType() for _ in code.co_freevars)
    made = FunctionType(code, {"__builtins__": builtins, "__name__": module}, name, defaults, cells)
    made.__kwdefaults__, made.__qualname__, made.__module__ = named, qualname, module
    return made


def _captured(fn: Any, text: str | None = None) -> tuple[dict[str, Any], list[Any]]:
    """What the names of a function hold: those of its module, and the variables of the functions around it."""
    names = {path[0] for path in _paths(fn.__code__).paths}
    if text is not None:
        names = _names(text) or names
    known = fn.__globals__
    cells = []
    for cell in fn.__closure__ or ():
        try:
            cells.append([_carried(cell.cell_contents)])
        except ValueError:  # not assigned yet
            cells.append([])
    return {name: _carried(known[name]) for name in sorted(names) if name in known}, cells


def _names(text: str) -> set[str]:
    """The names that the text of a function reads and does not assign; not those of its decorators."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:
        return set()
    read: set[str] = set()
    written: set[str] = set()
    for part in tree.body:
        if isinstance(part, ast.FunctionDef):
            written |= {arg.arg for arg in ast.walk(part.args) if isinstance(arg, ast.arg)}
            for node in (node for statement in part.body for node in ast.walk(statement)):
                if isinstance(node, ast.Name):
                    (read if isinstance(node.ctx, ast.Load) else written).add(node.id)
    return read - written


class _Packed:
    """Stands for an object in a pickle, where that is what it is given here."""

    def __init__(self, reduced: tuple[Any, ...]) -> None:
        self.reduced = reduced

    def __reduce__(self) -> tuple[Any, ...]:
        return self.reduced


class _PackedFunction:
    """Stands for a Python function that another process cannot import."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __reduce__(self) -> tuple[Any, ...]:
        return _shell, (_shape(self.fn),), _captured(self.fn), None, None, _fill


# One for each function while something is pickled, so that a function that names itself ends.
_functions: WeakValueDictionary[int, _PackedFunction] = WeakValueDictionary()


def _packed(fn: Any) -> Any:
    if type(fn) is not FunctionType or _at_name(fn.__module__, fn.__qualname__) is fn:
        return fn
    found = _functions.get(id(fn))
    if found is None or found.fn is not fn:
        found = _functions[id(fn)] = _PackedFunction(fn)
    return found


def _carried(value: Any) -> Any:
    """A value as it is pickled: modules by their names, functions that cannot be imported by value."""
    kind = type(value)
    if kind is list or kind is tuple:
        parts = [_carried_alone(part) for part in value]
        if any(part is not one for part, one in zip(parts, value, strict=True)):
            return kind(parts)
        return value
    return _carried_alone(value)


def _carried_alone(value: Any) -> Any:
    if isinstance(value, ModuleType):
        return _Packed((import_module, (value.__name__,)))
    return _packed(value)


# Structs.


def struct(cls: Any) -> _Reduced:
    """What a struct is pickled as."""
    module, name = cls.__module__, cls.__qualname__
    if _at_name(module, name) is cls or "_annotations_" not in cls.__dict__:
        return str(name)
    token = _token_of(cls)
    body = {key: _member(value) for key, value in cls.__dict__.items() if key in cls._declared_.__dict__}
    body = {key: value for key, value in body.items() if key not in ("__annotations__", "__slots__", "__module__")}
    bases = cls._declared_.__bases__
    return _restore_struct, (token, cls.__name__, name, module, [*cls._annotations_.items()], body, bases)


def _token_of(cls: Any) -> str:
    for token, known in list(_known.items()):
        if known is cls:
            return token
    token = uuid.uuid4().hex
    _known[token] = cls
    return token


def _member(value: Any) -> Any:
    if isinstance(value, staticmethod | classmethod):
        return _Packed((type(value), (_packed(value.__func__),)))
    if isinstance(value, property):
        return _Packed((property, (_packed(value.fget), _packed(value.fset), _packed(value.fdel), value.__doc__)))
    return _packed(value)


def _restore_struct(
    token: str,
    name: str,
    qualname: str,
    module: str,
    fields: list[tuple[str, Any]],
    body: dict[str, Any],
    bases: tuple[type, ...],
) -> Any:
    found = _known.get(token)
    if found is None:
        declared: Any = type(name, bases, {**body, "__annotations__": dict(fields), "__module__": module})
        declared.__qualname__ = qualname
        found = _structs.struct(declared)
        _remember(token, found)
    return found


def elem(of: Any) -> _Reduced:
    """What the description of a type is pickled as: that of a struct with its fields, which does not name the class."""
    if of.kind != "struct":
        return type(of), of.spec()
    cls = _structs._classes[of]
    key = f"{cls._declared_.__module__}.{cls._declared_.__qualname__}"
    return _struct, (key, cls.__name__, [*cls._annotations_.items()])


def value_type(cls: Any) -> _Reduced:
    """What a class of vectors, matrices and the like is pickled as: by name, if it has one."""
    from warp._values.composite import _make

    named = "_elem" not in cls.__dict__ or "(" not in cls.__name__
    return str(cls.__qualname__) if named else (_make, cls._elem.spec())
