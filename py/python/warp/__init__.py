"""Python functions that become native code, with exact gradients, on the arrays of NumPy, PyTorch, JAX and Paddle."""

# ruff: noqa: E402  (the check comes first, so that it can say what is wrong)

from __future__ import annotations

import builtins as _builtins
import os as _os
import sys as _sys

from warp._base import coexist as _coexist

_coexist.check(_os.path.dirname(__file__))

# What programs nearly always need, and what these modules import; other names are imported when they are first used.
from warp import _hooks, _public, _warp, config, context, types, utils  # noqa: F401  (hooks register themselves)
from warp._arrays import methods as _methods  # noqa: F401  (arrays get them)
from warp._base import absent as _absent
from warp._base import lazy as _lazy
from warp._language import class_protocols as _class_protocols
from warp._language import decorators as _decorators  # noqa: F401
from warp._language import struct as _struct  # noqa: F401

# Kernels may write `wp.int(x)` as well as `int(x)`.
int = _builtins.int
float = _builtins.float

# What this build lacks, with the framework that it was made without.
_missing: dict[str, str] = {}
for _name, (_module, _framework) in _public.NAMES.items():
    if _framework is not None and _framework not in _warp.FRAMEWORKS:
        _missing[_name] = _framework
    elif _module in _sys.modules:
        globals()[_name] = getattr(_sys.modules[_module], _name)
    else:
        globals()[_name] = _lazy.LazyName(_module, _name)
for _name, _framework in _public.MODULES.items():
    if _framework is not None and _framework not in _warp.FRAMEWORKS:
        _missing[_name] = _framework
    else:
        globals()[_name] = _lazy.LazyModule(f"{__name__}.{_name}")
__all__ = [_name for _name in _public.NAMES if _name not in _missing]

# Every function of kernels that Python can call too: `wp.sin` and the like.
for _name, _value in vars(_warp).items():
    if isinstance(_value, _warp.Builtin):
        globals().setdefault(_name, _value)
globals().update(_warp.CONSTANTS)

# What is refused by name.
globals().update(_absent.stand_ins("wp"))

_class_protocols.give()

if _os.environ.get("WARP_TRACE"):
    from warp._host import timeline as _timeline

    _timeline._trace_process(_os.environ["WARP_TRACE"])


def __dir__() -> list[str]:
    """Names that can be written; types of vectors and matrices without such a name are there too."""
    return [name for name in globals() if "(" not in name and name not in _absent.of_others()]


# A module that has this function has its names read ten times slower (20 ns in Python 3.11): only where it is needed.
if _missing:

    def __getattr__(name: str) -> object:
        if name in _missing:
            framework = _missing[name]
            raise AttributeError(f"warp.{name}: this build was made without '{framework}', one of its cargo features")
        raise AttributeError(f"module 'warp' has no attribute '{name}'")
