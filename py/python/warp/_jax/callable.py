"""`jax_callable`: Python functions that launch kernels, as functions of jax.

The function runs once, on arrays that stand for others, and `py/src/trace/` makes steps of its launches, fills and
copies. `trace.py` makes a jax program of the steps. A function that cannot be traced is called back by each execution
instead (`host.py`), on copies, since a Python object may outlive the call.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import operator
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax._src import core
from jax._src.array import ArrayImpl
from warp import _warp
from warp._jax import host
from warp._jax.graphs import Graphs
from warp._jax.lowering import _struct
from warp._jax.modes import JaxCallableGraphMode, JaxModulePreloadMode
from warp._jax.once import ATTRIBUTE, dims_key, once
from warp._jax.operator import _array, _checked, _dynamic, _kind, _method, _preload
from warp._jax.place import default_device
from warp._jax.signature import Signature, signature
from warp._jax.trace import Memory, Trace, Traced, replay, trace
from warp._language.function_text import _annotations
from warp._language.meaning import Same, meaning
from warp._operator import Binding
from warp._operator import call as operator_call
from warp.context import ScopedDevice

GraphMode = JaxCallableGraphMode

#: Modes in which a function that cannot be traced becomes a graph on a GPU.
_GRAPHS = (GraphMode.WARP, GraphMode.WARP_STAGED, GraphMode.WARP_STAGED_EX)

_DEFAULT_CACHE = 32
_cache_max: int | None = _DEFAULT_CACHE
_all: weakref.WeakSet[JaxCallable] = weakref.WeakSet()


@dataclass(frozen=True)
class _Static:
    """A value that is known when jax traces; equal if its bytes are."""

    index: int
    content: bytes
    value: Any = dataclasses.field(compare=False)


@dataclass(frozen=True)
class _Spec:
    """Everything about a call but its arrays."""

    statics: tuple[_Static, ...]
    #: Extents of the outputs, one after the other, if they are given.
    outputs: tuple[int, ...] | None
    #: What `jax.vmap` does.
    method: str | None


class JaxCallable:
    """A Python function as a function of jax arrays: what :func:`jax_callable` returns."""

    def __init__(
        self,
        func: Callable[..., Any],
        inputs: Signature,
        graph_mode: JaxCallableGraphMode,
        vmap_method: str | None,
        output_dims: Any,
        has_side_effect: bool,
        graph_cache_max: int | None,
        module_preload_mode: JaxModulePreloadMode,
        staged: Sequence[str],
    ) -> None:
        functools.update_wrapper(self, func)
        self.__dict__.pop(ATTRIBUTE, None)
        self._function = func
        self._mode = graph_mode
        self._method = _method(vmap_method, "jax_callable")
        self._outputs = output_dims
        self._effect = has_side_effect
        self._preload = module_preload_mode
        self._signature = inputs
        self._staged = [i for i, p in enumerate(self._signature.parameters) if p.is_array and p.name in staged]
        self._graphs: weakref.WeakSet[Graphs] = weakref.WeakSet()
        self._traces: collections.OrderedDict[Any, Trace] = collections.OrderedDict()
        self._jitted: dict[Any, Any] = {}
        self._kinds = [
            _kind(p.dtype, p.ndim) for p in (self._signature.parameters[i] for i in self._signature.arguments)
        ]
        self._places = [k for k, kind in enumerate(self._kinds) if kind is ArrayImpl]
        self._lock = threading.Lock()
        #: How many traces are kept, and for each of them how many graphs of a GPU; None for all.
        self.graph_cache_max = graph_cache_max
        _all.add(self)

    @property
    def func(self) -> Callable[..., Any]:
        """The Python function."""
        return self._function

    @property
    def graph_mode(self) -> JaxCallableGraphMode:
        """How it is run."""
        return self._mode

    @property
    def graph_cache_size(self) -> int:
        """How many traces are kept."""
        return len(self._traces)

    def __deepcopy__(self, memo: Any) -> JaxCallable:
        return self  # as Python does with functions

    def __repr__(self) -> str:
        return f"<jax function of the Python function '{self._signature.name}'>"

    def __call__(self, *args: Any, output_dims: Any = None, vmap_method: str | None = None, **kwargs: Any) -> list[Any]:
        if not kwargs and output_dims is None and vmap_method is None:
            key = self._plain(args)
            if key is not None:
                quick: list[Any] = self._program(key, self._again)(*(args[k] for k in self._places))
                return quick
        return self._call(args, kwargs, output_dims, vmap_method)

    def _plain(self, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The numbers among the arguments, if all others are arrays with values."""
        if len(args) != len(self._kinds):
            return None
        numbers = []
        for value, kind in zip(args, self._kinds, strict=True):
            if type(value) is not kind:
                return None
            if kind is not ArrayImpl:
                if not value and kind is float:
                    return None  # zeros are equal and differ
                numbers.append(value)
        return tuple(numbers)

    def _again(self, key: tuple[Any, ...], *arrays: Any) -> list[Any]:
        """A plain call, while jax traces it."""
        numbers, values = iter(key), iter(arrays)
        args = [next(values if kind is ArrayImpl else numbers) for kind in self._kinds]
        return self._call(args, {}, None, None)

    def _program(self, key: Any, function: Callable[..., list[Any]]) -> Any:
        """What runs outside of transformations: one for all threads, with jax's cache of what is compiled."""
        found = self._jitted.get(key)
        if found is None:
            with self._lock:
                found = self._jitted.setdefault(key, jax.jit(functools.partial(function, key)))
                while self.graph_cache_max is not None and len(self._jitted) > max(self.graph_cache_max, 1):
                    self._jitted.pop(next(iter(self._jitted)))
        return found

    def _call(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], output_dims: Any, vmap_method: str | None
    ) -> list[Any]:
        op = self._signature
        given = operator_call.bind(op, "jax_callable", args, kwargs)
        statics, arrays, dynamic = [], [], []
        for i, value in zip(op.arguments, given, strict=True):
            p = op.parameters[i]
            if p.is_array:
                arrays.append(_array(op, p, value))
            elif isinstance(value, jax.Array):
                arrays.append(_dynamic(op, p, value))
            else:
                statics.append(_Static(i, *_warp._element(op.title, p.name, p.dtype, value)))
                continue
            dynamic.append(i)
        shapes = {i: tuple(a.shape) for i, a in zip(dynamic, arrays, strict=True) if op.parameters[i].is_array}
        op.check(shapes)
        wanted = self._outputs if output_dims is None else output_dims
        extents = None
        if wanted is not None:
            flat = operator_call.output_extents(op, wanted, lambda: op.dims(shapes, None))
            extents = flat and _checked(op, "output_dims", flat)
        op.result_shapes(shapes, None, extents)
        method = self._method if vmap_method is None else _method(vmap_method, "jax_callable")
        spec = _Spec(tuple(statics), extents, method)
        if not core.trace_state_clean() or any(isinstance(a, jax.core.Tracer) for a in arrays):
            return self._run(spec, *arrays)
        made: list[Any] = self._program(spec, self._run)(*arrays)
        return made

    def clear_graph_cache(self) -> None:
        """Forget all traces: the function is traced again where jax traces it again."""
        with self._lock:
            self._traces.clear()
            self._jitted = {}
            graphs = list(self._graphs)
        for one in graphs:
            one.clear()

    # In a trace

    def _run(self, spec: _Spec, *arrays: Any) -> list[Any]:
        op = self._signature
        static = {s.index for s in spec.statics}
        given = dict(zip((i for i in op.arguments if i not in static), arrays, strict=True))
        shapes = {i: tuple(a.shape) for i, a in given.items() if op.parameters[i].is_array}
        for i, shape in shapes.items():
            if not all(type(n) is int for n in shape):
                raise TypeError(
                    f"{op.title}: argument '{op.parameters[i].name}' has shape {shape}, which is not known; the "
                    "function is traced for arrays of known shapes"
                )
        if self._mode != GraphMode.NONE:
            traced = self._trace_of(spec, shapes)
            if traced.why is None:
                return self._replay(traced, given, spec.method)
        return host.bind(self._host_call(spec, shapes), list(given.values()))

    def _shape(self, spec: _Spec, shapes: dict[int, Any], i: int) -> Any:
        return shapes[i] if i in shapes else self._signature.shape(i, shapes, None, spec.outputs)

    def _trace_of(self, spec: _Spec, shapes: dict[int, Any]) -> Trace:
        op = self._signature
        key = (spec.statics, spec.outputs, tuple(shapes.items()), jax.config.jax_enable_x64)
        with self._lock:
            found = self._traces.get(key)
            if found is not None:
                self._traces.move_to_end(key)
                return found
        given = []
        for i in self._arrays:
            p = op.parameters[i]
            shape = self._shape(spec, shapes, i)
            given.append((Memory(p.dtype, tuple(shape[: p.ndim])), p.binding is Binding.READ))
        values = {s.index: s.value for s in spec.statics}
        dynamic = [i for i in op.arguments if not op.parameters[i].is_array and i not in values]
        values.update((i, Traced(k, op.parameters[i].dtype)) for k, i in enumerate(dynamic))

        def call(arrays: list[Any]) -> None:
            filled = values | dict(zip(self._arrays, arrays, strict=True))
            self._function(*(filled[i] for i in range(len(op.parameters))))

        # Launches that name no device are those of the program, which is not known to be for another one.
        with ScopedDevice(default_device()):
            made = trace(op.title, call, given)
        with self._lock:
            found = self._traces.setdefault(key, made)
            while self.graph_cache_max is not None and len(self._traces) > max(self.graph_cache_max, 1):
                self._traces.popitem(last=False)
        return found

    @functools.cached_property
    def _arrays(self) -> list[int]:
        return [i for i, p in enumerate(self._signature.parameters) if p.is_array]

    def _replay(self, traced: Trace, given: dict[int, Any], method: str | None) -> list[Any]:
        op = self._signature
        values = [a for i, a in given.items() if not op.parameters[i].is_array]
        made = replay(traced, [given.get(i) for i in self._arrays], values, method, self._effect, self._preload)
        of = dict(zip(self._arrays, made, strict=True))
        return [of[i] for i in op.results]

    def _host_call(self, spec: _Spec, shapes: dict[int, Any]) -> host.HostCall:
        op = self._signature
        known = {s.index: s.value for s in spec.statics}
        dynamic = [i for i in op.arguments if i not in known]
        results = [_struct(op, i, self._shape(spec, shapes, i)) for i in op.results]
        function = self._function
        graphs = None
        if self._mode in _GRAPHS:
            graphs = Graphs(function, op.parameters, self._staged, self.graph_cache_max)
            with self._lock:
                self._graphs.add(graphs)

        def call(inputs: list[Any], outputs: list[Any]) -> None:
            filled = dict(known)
            if graphs is not None and outputs[0].device.is_cuda:
                given, content = {}, []
                for i, buffer in zip(dynamic, inputs, strict=True):
                    if op.parameters[i].is_array:
                        given[i] = buffer
                    else:
                        filled[i] = buffer._value(op.parameters[i].dtype)
                        content.append(buffer._bytes())
                results = dict(zip(op.results, outputs, strict=True))
                graphs.run(outputs[0].device, filled, content, given, results)
                return
            for i, buffer in zip(dynamic, inputs, strict=True):
                p = op.parameters[i]
                filled[i] = buffer._array(p.dtype, p.binding is Binding.READ) if p.is_array else buffer._value(p.dtype)
            for i, buffer in zip(op.results, outputs, strict=True):
                if i not in filled:
                    filled[i] = buffer._zeros(op.parameters[i].dtype)
            function(*(filled[i] for i in range(len(op.parameters))))
            for i, buffer in zip(op.results, outputs, strict=True):
                buffer._fill(filled[i])

        return host.HostCall(op.title, call, results)


def jax_callable(
    func: Callable[..., Any],
    num_outputs: int = 1,
    graph_compatible: bool | None = None,
    graph_mode: JaxCallableGraphMode = JaxCallableGraphMode.JAX,
    vmap_method: str | None = "broadcast_all",
    output_dims: Any = None,
    in_out_argnames: Sequence[str] | None = None,
    stage_in_argnames: Sequence[str] | None = None,
    stage_out_argnames: Sequence[str] | None = None,
    graph_cache_max: int | None = -1,
    module_preload_mode: JaxModulePreloadMode = JaxModulePreloadMode.CURRENT_DEVICE,
    has_side_effect: bool = False,
) -> JaxCallable:
    """Make a function of jax arrays of a Python function that launches kernels.

    The Python function has annotations as a kernel has, and takes Warp arrays for its inputs, then for its outputs.
    The function of jax takes jax arrays (and numbers) for the inputs and returns a list of new arrays, the outputs. It
    works inside and outside `jax.jit`, under `jax.vmap` and in `jax.shard_map`. Outputs are zero before the function
    runs.

    With `GraphMode.JAX` and `WARP`, the Python function runs once for each combination of shapes and static values,
    while jax traces. Its launches, `fill_`, `zero_`, `wp.copy`, `wp.zeros` and their like are traced, and become part
    of the compiled program, which needs neither Python nor its lock, and has gradients. Other effects on the Python
    side, such as printing, happen that once. Arrays from outside of the function are read when the
    program runs. A function that reads the content of an array, or writes arrays from outside, cannot be traced: it is
    called as with `GraphMode.NONE`.

    On a GPU `WARP` and the staged modes make a CUDA graph of a function that cannot be traced: it runs once while what
    it launches is captured, and each execution launches the graph. There is one for each set of addresses that jax
    gives its arrays; in the staged modes arrays are copied to buffers of the graph and back, so that one graph will do.

    With `GraphMode.NONE` the function is called by Python at every execution, with copies of the arrays. Its exceptions
    are raised by the call that runs the program or waits for its results.

    Args:
        func: The Python function.
        num_outputs: How many of the last parameters are outputs, those of `in_out_argnames` included.
        graph_compatible: Deprecated: True means `GraphMode.JAX`, False `GraphMode.NONE`.
        graph_mode: Whether the function is traced or called.
        vmap_method: What `jax.vmap` does with traced launches: `"broadcast_all"` and `"expand_dims"` launch once for
            all items, `"sequential"` once for each. The function always sees the arrays of one item.
        output_dims: Shape of all outputs, or a dict from names to shapes; that of the first array by default.
        in_out_argnames: Names of inputs that the function changes. jax's array stays as it is; the changed
            copy is returned, in the place of the parameter.
        stage_in_argnames: Names of inputs that the staged modes copy to buffers of the graph; by default all.
        stage_out_argnames: Names of outputs that they copy from there; by default all.
        graph_cache_max: How many traces are kept, and graphs for each of them; None for all. By default as many as
            `get_jax_callable_default_graph_cache_max` says, 32.
        module_preload_mode: As for `jax_kernel`, of the kernels that a traced function launches.
        has_side_effect: Whether the function has side effects: jax then runs it even if its results are not used.

    Returns:
        A function of the inputs, by position or by name. It takes `output_dims` and `vmap_method` too.

    Raises:
        TypeError: `func` is no Python function, or returns something, or an annotation is missing or no type of Warp's.
        ValueError: An argument does not fit the function.
    """
    if not callable(func) or not hasattr(func, "__code__"):
        raise TypeError(f"jax_callable: func is {type(func).__name__}, expected a Python function with annotations")
    mode = _mode(graph_mode, graph_compatible)
    _preload(module_preload_mode, "jax_callable")
    returned = getattr(func, "__annotations__", {}).get("return")
    if returned is not None and returned != "None":
        raise TypeError(
            f"jax_callable: function '{func.__name__}' returns {returned!r}, but results are arrays among its "
            "parameters; annotate `-> None`, or nothing"
        )
    kept = _cache_max if graph_cache_max == -1 else _cache_size(graph_cache_max)
    caller = sys._getframe(1)
    if inspect.ismethod(func):
        annotations = _annotations(func.__func__, "function", caller)[1:]  # without self
    else:
        annotations = _annotations(func, "function", caller)
    place, names = f"jax_callable: function '{func.__name__}'", [name for name, _ in annotations]
    stage_in = operator_call.check_names(place, "stage_in_argnames", stage_in_argnames, names)
    stage_out = operator_call.check_names(place, "stage_out_argnames", stage_out_argnames, names)
    fixed: list[str] = []
    if mode in (GraphMode.WARP_STAGED, GraphMode.WARP_STAGED_EX):
        default = names if stage_in_argnames is None and stage_out_argnames is None else ()
        fixed = [*stage_in, *stage_out, *default]
    inputs = signature(
        func, annotations, num_outputs, operator_call.check_names(place, "in_out_argnames", in_out_argnames, names)
    )

    def make() -> JaxCallable:
        return JaxCallable(
            func, inputs, mode, vmap_method, output_dims, has_side_effect, kept, module_preload_mode, fixed
        )

    owner = getattr(func, "__func__", func)
    key = (
        (meaning(owner, contents=False), Same(getattr(func, "__self__", None)), Same(owner)),
        (inputs.parameters, mode, vmap_method, dims_key(output_dims)),
        (bool(has_side_effect), kept, module_preload_mode, frozenset(fixed)),
    )
    return once(func, key, make, lambda made: made.graph_cache_max == kept)


def _mode(graph_mode: JaxCallableGraphMode, graph_compatible: bool | None) -> JaxCallableGraphMode:
    """The mode that the caller of `jax_callable` asks for."""
    if graph_compatible is not None:
        warnings.warn("graph_compatible is deprecated, use graph_mode", DeprecationWarning, stacklevel=3)
        graph_mode = GraphMode.JAX if graph_compatible else GraphMode.NONE
    try:
        return GraphMode(graph_mode)
    except ValueError:
        expected = ", ".join(str(m) for m in GraphMode)
        raise ValueError(f"jax_callable: graph_mode is {graph_mode!r}, expected one of {expected}") from None


def get_jax_callable_default_graph_cache_max() -> int | None:
    """How many traces each new :func:`jax_callable` keeps; None for all."""
    return _cache_max


def set_jax_callable_default_graph_cache_max(cache_max: int | None) -> None:
    """Set how many traces each new :func:`jax_callable` keeps; None for all."""
    global _cache_max
    _cache_max = _cache_size(cache_max)


def _cache_size(count: int | None) -> int | None:
    if count is None:
        return None
    if not operator_call.is_integer(count) or count < 1:
        raise ValueError(f"cache_max is {count!r}, expected a positive int or None")
    return operator.index(count)


def clear_jax_callable_graph_cache(callable: JaxCallable | None = None) -> None:
    """Forget the traces of a :func:`jax_callable`, or of all.

    Raises:
        TypeError: ``callable`` is something else.
    """
    given: object = callable
    if given is not None and not isinstance(given, JaxCallable):
        found = type(given).__name__
        raise TypeError(f"clear_jax_callable_graph_cache: callable is of type {found}, expected what jax_callable gave")
    for one in list(_all) if callable is None else [callable]:
        one.clear_graph_cache()
