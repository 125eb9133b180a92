"""What compiled programs of this process use of it: Python functions that they call, and arrays that they read.

`jax_callable` calls functions that it cannot trace, and reads arrays that traced functions found outside. XLA knows
one callback for each of the two; an attribute says which function or array is meant, by a number that no other process
has. For jax they are host callbacks of the executable, so that they live as long, and that jax keeps
such executables out of its cache on disk. An effect makes jax run them by its Python code.
"""

from __future__ import annotations

import itertools
import secrets
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax._src.sharding_impls import ShardingContext
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from warp._jax.effect import Effect
from warp._jax.place import PLATFORMS, run_at
from warp._jax.primitive import _avals, _evaluate, _front, _one_by_one, _size
from warp._jax.raised import carried, surface
from warp._warp import _jax_callback, _jax_capture, _jax_captured

_TARGET = "warp_host_call"
_CAPTURED = "warp_captured"

_known: weakref.WeakValueDictionary[int, HostCall] = weakref.WeakValueDictionary()
_numbers = itertools.count(secrets.randbits(62) & ~0xFFFFFFFF)
_lock = threading.Lock()
_ready = False


class HostCall:
    """A function that is called with the buffers of each execution."""

    def __init__(
        self, title: str, function: Callable[[list[Any], list[Any]], None], results: Sequence[jax.ShapeDtypeStruct]
    ) -> None:
        self.title = title
        self.function = function
        self.results = tuple(results)
        self.number = next(_numbers)
        _known[self.number] = self
        _prepare()

    def __repr__(self) -> str:
        return self.title

    def __call__(self, *_: Any) -> Any:
        raise TypeError(f"{self.title} is called by XLA")


def bind(call: HostCall, arrays: Sequence[Any]) -> list[Any]:
    """The results of a call."""
    made: list[Any] = host_p.bind(*arrays, call=call)
    return made


def _dispatch(inputs: list[Any], outputs: list[Any], attrs: dict[str, Any], context: Any) -> None:
    call = _known.get(attrs["number"])
    if call is None:
        raise RuntimeError("the Python function of this program is not one of this process, or is no more")
    try:
        run_at(context, call.function, inputs, outputs)
    except BaseException as error:
        raise carried(call.title, error) from error


def _prepare() -> None:
    """Registers the callback, and lets exceptions out of XLA as they were raised."""
    global _ready
    with _lock:
        if _ready:
            return
        for name, handlers in ((_TARGET, _jax_callback(_TARGET, _dispatch)), (_CAPTURED, _jax_captured(_CAPTURED))):
            for handler, platform in zip(handlers or (), ("cpu", "CUDA"), strict=False):
                jax.ffi.register_ffi_target(name, handler, platform=platform)
        surface()
        _ready = True


#: That Python is called. Programs with effects run by way of jax's Python code, which gives errors as jax's own.
_called = Effect("PythonCall")

host_p = Primitive("warp_host_call")
host_p.multiple_results = True
host_p.def_impl(lambda *arrays, call: _evaluate(host_p, *arrays, call=call))
host_p.def_effectful_abstract_eval(lambda *arrays, call: (_avals(call.results, arrays), {_called}))


def _lower(context: Any, *operands: Any, call: HostCall) -> Any:
    module = context.module_context
    module.add_host_callback(call)
    module.add_keepalive(call)
    # It is called as often as the program says, whether or not anybody looks at the results; but what has an effect,
    # XLA cannot run on each of several devices, as it does where nobody says how to split a call.
    split = isinstance(module.axis_context, ShardingContext) and module.axis_context.num_devices > 1
    rule = jax.ffi.ffi_lowering(_TARGET, has_side_effect=not split)
    return rule(context, *operands, number=np.int64(call.number))


for _platform in PLATFORMS:
    mlir.register_lowering(host_p, _lower, platform=_platform)


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, call: HostCall) -> tuple[Any, Any]:
    if any(not isinstance(t, ad.Zero) for t in tangents):
        raise TypeError(
            f"{call.title} has no gradient: it is called back by Python and not traced; traced functions "
            "(GraphMode.JAX and WARP) that do not read the content of arrays have gradients"
        )
    results = bind(call, primals)
    return results, [ad.Zero(jax.typeof(r).to_tangent_aval()) for r in results]


ad.primitive_jvps[host_p] = _jvp


def _batch(arrays: Sequence[Any], axes: Sequence[int | None], *, call: HostCall) -> tuple[Any, Any]:
    size = _size(arrays, axes)
    fronts = [_front(a, d, size, False) for a, d in zip(arrays, axes, strict=True)]
    results = _one_by_one(lambda *items: bind(call, items), fronts, [d is not None for d in axes])
    return results, [0] * len(results)


batching.primitive_batchers[host_p] = _batch


class Captured:
    """An array whose content a program reads whenever it runs."""

    def __init__(self, array: Any, result: jax.ShapeDtypeStruct) -> None:
        _prepare()
        self.number = next(_numbers)
        self.result = result
        _jax_capture(self.number, array)
        weakref.finalize(self, _jax_capture, self.number, None)

    def __repr__(self) -> str:
        return f"array {self.result.dtype}{list(self.result.shape)}"

    def __call__(self, *_: Any) -> Any:
        raise TypeError("an array is read by XLA")

    def read(self) -> Any:
        """The content, as of each execution."""
        (made,) = captured_p.bind(captured=self)
        return made


captured_p = Primitive("warp_captured")
captured_p.multiple_results = True
captured_p.def_impl(lambda *, captured: _evaluate(captured_p, captured=captured))
captured_p.def_abstract_eval(lambda *, captured: _avals([captured.result], []))


def _lower_captured(context: Any, *, captured: Captured) -> Any:
    context.module_context.add_host_callback(captured)
    context.module_context.add_keepalive(captured)
    return jax.ffi.ffi_lowering(_CAPTURED)(context, number=np.int64(captured.number))


for _platform in PLATFORMS:
    mlir.register_lowering(captured_p, _lower_captured, platform=_platform)
