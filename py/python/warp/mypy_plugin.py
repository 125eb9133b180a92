"""A plugin for mypy: types that calls make, as in ``vec9 = wp.types.vector(9, float)``, become classes to it.

It is named in mypy's configuration: ``plugins = warp.mypy_plugin``. Without it mypy takes such a name for a variable,
which no annotation may be.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.nodes import (
    ARG_STAR,
    GDEF,
    Argument,
    CallExpr,
    Expression,
    IntExpr,
    RefExpr,
    SymbolTableNode,
    TupleExpr,
    TypeAlias,
    TypeInfo,
    Var,
)
from mypy.plugin import DynamicClassDefContext, Plugin
from mypy.plugins.common import add_method_to_class
from mypy.types import AnyType, Instance, LiteralType, NoneType, Type, TypeOfAny, get_proper_type

_BASES = "warp._value_bases."


def _argument(call: CallExpr, name: str, place: int) -> Expression | None:
    """An argument that is given by name or place."""
    for given, found in zip(call.args, call.arg_names, strict=True):
        if found == name:
            return given
    positional = [given for given, found in zip(call.args, call.arg_names, strict=True) if found is None]
    return positional[place] if place < len(positional) else None


def _size(context: DynamicClassDefContext, given: Expression | None) -> Type:
    """A number as a type; anything where it is not written out."""
    if isinstance(given, IntExpr):
        return LiteralType(given.value, context.api.named_type("builtins.int"))
    return AnyType(TypeOfAny.explicit)


def _components(context: DynamicClassDefContext, given: Expression | None) -> list[Type]:
    """The type of components, and Python's number that operations with them take."""
    if given is None:
        number = context.api.named_type("builtins.float")
        return [number, number]
    node = given.node if isinstance(given, RefExpr) else None
    if isinstance(node, TypeAlias):
        target = get_proper_type(node.target)
        node = target.type if isinstance(target, Instance) else None
    if not isinstance(node, TypeInfo):
        return [AnyType(TypeOfAny.explicit)] * 2
    whole = any(base.fullname in ("builtins.int", _BASES + "Integer") for base in node.mro)
    return [Instance(node, []), context.api.named_type("builtins.int" if whole else "builtins.float")]


def _make(context: DynamicClassDefContext, base: str, arguments: list[Type]) -> None:
    """Defines the class that a name is assigned."""
    bases = context.api.named_type_or_none(_BASES + base, arguments)
    if bases is None:
        context.api.defer()
        return
    info = context.api.basic_new_typeinfo(context.name, bases, context.call.line)
    anything = AnyType(TypeOfAny.explicit)
    parts = [Argument(Var("parts", anything), anything, None, ARG_STAR)]
    add_method_to_class(context.api, info.defn, "__init__", parts, NoneType())
    context.api.add_symbol_table_node(context.name, SymbolTableNode(GDEF, info))


def _vector(context: DynamicClassDefContext) -> None:
    length = _size(context, _argument(context.call, "length", 0))
    _make(context, "Vector", [*_components(context, _argument(context.call, "dtype", 1)), length])


def _matrix(context: DynamicClassDefContext) -> None:
    shape = _argument(context.call, "shape", 0)
    items = shape.items if isinstance(shape, TupleExpr) and len(shape.items) == 2 else [None, None]
    sizes = [_size(context, item) for item in items]
    _make(context, "Matrix", [*_components(context, _argument(context.call, "dtype", 1)), *sizes])


def _quaternion(context: DynamicClassDefContext) -> None:
    _make(context, "Quaternion", _components(context, _argument(context.call, "dtype", 0)))


def _transformation(context: DynamicClassDefContext) -> None:
    _make(context, "Transform", _components(context, _argument(context.call, "dtype", 0)))


_MAKERS: dict[str, Callable[[DynamicClassDefContext], None]] = {
    "warp.types.vector": _vector,
    "warp.types.matrix": _matrix,
    "warp.types.quaternion": _quaternion,
    "warp.types.transformation": _transformation,
}


class WarpPlugin(Plugin):
    """What mypy asks."""

    def get_dynamic_class_hook(self, fullname: str) -> Callable[[DynamicClassDefContext], None] | None:
        return _MAKERS.get(fullname)


def plugin(version: str) -> type[Plugin]:
    """mypy's entry point."""
    return WarpPlugin
