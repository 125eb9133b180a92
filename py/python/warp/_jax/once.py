"""The functions of jax that were made of kernels and of Python functions.

A repeated request with the same options returns the same object, for which jax has traced and compiled already.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Hashable, Mapping
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from warp._operator import call as operator_call

_T = TypeVar("_T")

#: Where a Python function keeps what was made of it: both go together.
ATTRIBUTE = "_warp_of_jax"
#: The most that are kept of one Python function, whose globals may change without end.
_MOST = 64
_lock = threading.Lock()


def once(owner: Any, key: Hashable, make: Callable[[], _T], fits: Callable[[_T], bool] = lambda _: True) -> _T:
    """What was made under a key, or what `make` makes now.

    Args:
        owner: The Python function that it is made of. A method is kept only as long as it is referenced elsewhere.
        key: All that it depends on, the owner too: those of a function's wrapper are the function's.
        make: Makes it.
        fits: Whether it still is what it was made as.
    """
    if type(owner) is FunctionType:
        kept = owner.__dict__.setdefault(ATTRIBUTE, {})
    else:
        kept = _of_others
    try:
        found: _T | None = kept.get(key)
    except TypeError:  # a symbolic extent, for one
        return make()
    if found is not None and fits(found):
        return found
    made = make()
    with _lock:
        if kept is not _of_others and len(kept) >= _MOST:
            kept.pop(next(iter(kept)), None)
        kept[key] = made
    return made


_of_others: WeakValueDictionary[Any, Any] = WeakValueDictionary()


def dims_key(value: Any) -> Hashable:
    """What stands for `launch_dims` or `output_dims`: equal for what means the same."""
    if isinstance(value, Mapping):
        return frozenset((name, dims_key(dims)) for name, dims in value.items())
    if value is None:
        return None
    try:
        dims = operator_call.extents(value, "dims")
    except TypeError:
        return object()  # refused by a call
    return tuple(operator.index(n) if hasattr(n, "__index__") else n for n in dims or ())


def dims_copy(value: Any) -> Any:
    """`launch_dims` or `output_dims` as they are now, whatever their owner does with them."""
    if isinstance(value, Mapping):
        return {name: dims_copy(dims) for name, dims in value.items()}
    return tuple(value) if isinstance(value, list) else value
