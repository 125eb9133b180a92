"""Every public function and class, called with arguments of no sense, says so in plain words."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import warp as wp

NONSENSE: list[tuple[Any, ...]] = [
    (),
    (object(),),
    (object(), object()),
    (object(), object(), object()),
    ("x", "y"),
    (None,),
    (1.5, "a", [1]),
    (-1,),
]
# What an error of ours is never: these tell of a slip inside the package.
SLIPS = {"SystemError", "PanicException", "RecursionError", "NameError", "AttributeError", "KeyError"}


def slips() -> list[str]:
    """The calls that end in another error than one about their arguments."""
    found = []
    for name in dir(wp):
        value = getattr(wp, name)
        if name.startswith("_") or not callable(value) or inspect.ismodule(value):
            continue
        for arguments in NONSENSE:
            for named in ({}, {"no_such_parameter": 1}):
                call = f"{name}{tuple(map(type, arguments))}{named}"
                try:
                    value(*arguments, **named)
                except BaseException as error:  # noqa: BLE001 (a panic is no Exception)
                    kind = type(error).__name__
                    if kind in SLIPS or not str(error):
                        found.append(f"{call}: {kind}: {error}")
                else:
                    if named:
                        found.append(f"{call} is taken")
    return found


def test_nonsense_is_refused_clearly() -> None:
    # Some of the calls are right: they begin captures, print or set what holds for the process.
    run = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout.splitlines()[-1]) == []


@wp.func
def doubled(x: float):
    return x * 2.0


@wp.kernel
def nothing():
    pass


V = wp.vec3(1, 2, 3)
CALLS = {
    "a scalar": lambda: wp.float32(x=1),
    "a truth value": lambda: wp.bool(x=True),
    "a transform": lambda: wp.transform(x=1),
    "a method of scalars": lambda: wp.int8(1).__add__(),
    "a method of vectors": lambda: V.__add__(),
    "a method of structs": lambda: Single().__deepcopy__(1, 2, 3),
    "an operator with settings": lambda: V + wp.config,
    "an operator with a class of structs": lambda: 1 + Single,
    "an operator with an annotation": lambda: 1 + wp.array2d,
    "an operator with adjoints": lambda: 1 + wp.adjoint,
    "a name that is not supported": lambda: wp.optim.Adam(wp.tile_load),
    "a method of indexed arrays": lambda: wp.indexedarray(wp.ones(2), [None]).__radd__(),
    "an indexed array's annotation": lambda: 1 + wp.indexedarray2d,
}


@wp.struct
class Single:
    x: float


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_messages_of_pythons_do_not_name_private_classes(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert not re.search(r"\b_[A-Za-z]|Lazy|<locals>", str(caught.value))


def test_what_ctypes_has_is_shown_without_private_modules() -> None:
    a = wp.zeros((2, 2), dtype=wp.vec3)
    found = [a.ctype, a.ctype.shape, a.cptr(), wp.types.type_ctype(wp.vec3)(), Single().__ctype__()]
    assert not [text for text in map(repr, found) if "._" in text]


OWN = {
    "a stream": wp.get_stream("cpu"),
    "a module": wp.get_module(__name__),
    "a gradient": wp.grad(wp.sin),
    "adjoints": wp.adjoint,
    "an annotation": wp.array2d,
    "an indexed array": wp.indexedarray(wp.zeros(2), [None]),
    "a structure": wp.zeros(2).ctype,
}


@pytest.mark.parametrize("value", OWN.values(), ids=OWN)
def test_messages_do_not_name_private_modules(value: Any) -> None:
    for call in (lambda: wp.zeros(value), lambda: wp.get_device(value), lambda: wp.array([1.0], dtype=value)):
        with pytest.raises(TypeError) as caught:
            call()
        assert "warp._" not in str(caught.value)


def test_a_class_is_no_gradient() -> None:
    with pytest.raises(TypeError, match=r"expected an array.*, found the class vec3f"):
        wp.zeros(2).grad = wp.vec3


def test_types_of_elements_are_those_of_the_public_module() -> None:
    assert (wp.types.Elem.__module__, wp.types.Pattern.__module__) == ("warp.types", "warp.types")


def test_what_cannot_be_assigned_is_not_of_a_private_class() -> None:
    for made in (doubled, nothing):
        with pytest.raises(AttributeError, match=r"^attribute 'adj' of 'warp\.[A-Z]\w+' objects is not writable$"):
            made.adj = "x"


SCOPES = {
    "ScopedDevice": lambda: wp.ScopedDevice("cpu"),
    "ScopedLogLevel": lambda: wp.ScopedLogLevel(20),
    "ScopedLogger": lambda: wp.ScopedLogger(None),
    "ScopedStream": lambda: wp.ScopedStream(wp.get_stream("cpu")),
    "ScopedTimer": lambda: wp.ScopedTimer("x", print=False),
}


@pytest.mark.parametrize("name", SCOPES)
def test_a_block_that_has_not_begun_does_not_end(name: str) -> None:
    scope = SCOPES[name]()
    with scope, scope:
        pass
    with pytest.raises(RuntimeError, match=f"{name}: a block ends that has not begun"):
        scope.__exit__(None, None, None)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("\n" + json.dumps(slips()))
