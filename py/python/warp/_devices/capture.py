"""Captures: launches, fills and copies of a thread become a graph, which runs them as often as one likes."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from warp._base.modes import CaptureMode
from warp._devices.stream import DeviceLike, Stream
from warp._warp import (
    Device,
    Graph,
    _capture_begin,
    _capture_end,
    _capture_if,
    _capture_launch,
    _capture_while,
    _capturing,
    array,
    get_device,
)
from warp.types import int32


def _place(function: str, device: Any, stream: Any) -> Device:
    """The device that is meant; a stream is one of a device.

    Raises:
        TypeError: The stream is not a stream.
        ValueError: There is no such device, or the stream is another's.
    """
    if stream is None:
        return get_device(device)
    if not isinstance(stream, Stream):
        raise TypeError(f"{function}: stream is {type(stream).__name__}, expected a wp.Stream or None")
    own = get_device(stream.device)
    if device is not None and get_device(device) != own:
        raise ValueError(f"{function}: the stream is one of the device '{own}', device is '{get_device(device)}'")
    return own


def _check_options(function: str, external: bool, apic: bool, device: Device, stream: Any) -> None:
    if apic:
        raise NotImplementedError(f"{function}: apic=True is for graphs to be saved, which these cannot be")
    if not external:
        return
    if not device.is_cuda:
        raise ValueError(f"{function}: external=True is for captures of CUDA that another library has begun")
    captured: Any = stream if stream is not None else device.stream
    if not captured._cuda.is_captured_by_others:
        raise RuntimeError(f"{function}: external=True, but no other library captures the stream {captured!r}")


class _External(threading.local):
    """How many captures of other libraries this thread has been told of."""

    def __init__(self) -> None:
        self.depth = 0


_external = _External()


def _begin(external: bool) -> None:
    if external:
        _external.depth += 1
    else:
        _capture_begin()


def _end(device: Device) -> Graph | None:
    if _external.depth and not _capturing():
        _external.depth -= 1
        return None
    return _capture_end(device)


def capture_begin(
    device: DeviceLike = None,
    stream: Stream | None = None,
    force_module_load: bool | None = None,
    external: bool = False,
    apic: bool = False,
    capture_mode: CaptureMode = CaptureMode.THREAD_LOCAL,
) -> None:
    """Begin to capture: what this thread launches, fills and copies from now on is recorded and does not run.

    Kernels are compiled at capture. The graph keeps arrays alive. Memory that is made meanwhile is reset to its initial
    content before each run of the graph. Reading an array that the capture writes is an error until the graph has run.
    Other threads are not affected, whatever ``capture_mode`` says. Calls of other libraries, operators made of kernels
    included, are not captured.

    Steps on a GPU become CUDA graphs when the graph is first launched, in the order in which they were captured. The
    host runs its own steps between them, each time: kernels on the CPU, and copies between a GPU and pageable memory,
    which are synchronous. Within a capture that another library has begun on the current stream, launches, fills and
    copies become part of that capture, without any call of this function.

    Args:
        device: The device; the current one by default. All devices are captured.
        stream: A stream of it. The graph's order is that of the calls, on whichever streams they are.
        force_module_load: Accepted; kernels are compiled when they are captured.
        external: Another library captures the current stream, and goes on doing so: nothing is recorded here.
            ``capture_end`` returns None then.
        apic: Only False.
        capture_mode: Accepted; it has no effect.

    Raises:
        RuntimeError: This thread captures already; or ``external``, and the stream is not captured.
        TypeError: ``stream`` is no stream.
        ValueError: There is no such device; or ``external`` for the CPU.
        NotImplementedError: ``apic``.
    """
    _check_options("capture_begin", external, apic, _place("capture_begin", device, stream), stream)
    _begin(external)


def capture_end(device: DeviceLike = None, stream: Stream | None = None) -> Graph | Any:
    """End the capture of this thread.

    Returns:
        What was captured, for :func:`capture_launch`; None after ``capture_begin(external=True)``.

    Raises:
        RuntimeError: This thread captures nothing.
        TypeError, ValueError: As :func:`capture_begin`.
    """
    return _end(_place("capture_end", device, stream))


def capture_launch(graph: Graph, stream: Stream | None = None) -> None:
    """Run a graph. Within a capture it becomes part of that.

    A tape that is in force does not record what runs; it keeps what is overwritten that it needs, as ever.

    Args:
        graph: The graph.
        stream: The stream of a GPU that does the work; the current one by default.

    Raises:
        TypeError: ``graph`` is no graph, or ``stream`` no stream.
        RuntimeError, IndexError and others: What its kernels raise. Steps before are done then, later ones are not.
            Faults of kernels on a GPU are raised at the next synchronisation.
    """
    if stream is not None:
        _place("capture_launch", None, stream)
    _capture_launch(graph, stream)


def _check_condition(function: str, condition: Any) -> array:
    if not isinstance(condition, array) or condition.dtype is not int32 or condition.size != 1:
        found = f"an array of {condition.size} {condition.dtype.__name__}" if isinstance(condition, array) else None
        raise TypeError(
            f"{function}: condition is {found or type(condition).__name__}, expected a Warp array of one int32"
        )
    return condition


def _check_body(function: str, name: str, body: Any) -> None:
    if not isinstance(body, Graph) and not callable(body):
        raise TypeError(f"{function}: {name} is {type(body).__name__}, expected a function or a wp.Graph")


def _run(body: Any, keywords: dict[str, Any]) -> None:
    if isinstance(body, Graph):
        _capture_launch(body)
    else:
        body(**keywords)


def capture_if(
    condition: array,
    on_true: Callable[..., object] | Graph | None = None,
    on_false: Callable[..., object] | Graph | None = None,
    stream: Stream | None = None,
    **kwargs: Any,
) -> None:
    """Run one of two bodies, whichever an array says when the graph runs. Outside of a capture, at once.

    In a capture both functions are called, and what they launch is recorded. A GPU decides by itself where its driver
    can (:func:`is_conditional_graph_supported`) and the bodies need no host, which kernels that print do, too.
    Otherwise the host waits for the array.

    Args:
        condition: An array of one int32, true unless it is 0.
        on_true: A function, or a graph.
        on_false: The same for the other case.
        stream: A stream; the order is that of the calls.
        kwargs: Given to the functions.

    Raises:
        TypeError: An argument is not as described.
    """
    _check_condition("capture_if", condition)
    for name, body in (("on_true", on_true), ("on_false", on_false)):
        if body is not None:
            _check_body("capture_if", name, body)
    if stream is not None:
        _place("capture_if", None, stream)
    if _capturing():
        _capture_if(condition, on_true, on_false, kwargs)
        return
    body = on_true if condition.item() else on_false
    if body is not None:
        _run(body, kwargs)


def capture_while(
    condition: array, while_body: Callable[..., object] | Graph, stream: Stream | None = None, **kwargs: Any
) -> None:
    """Run a body until it sets an array to 0, when the graph runs. Outside of a capture, at once.

    In a capture the function is called once, and what it launches is recorded. The condition is evaluated as for
    :func:`capture_if`.

    Args:
        condition: An array of one int32; the body runs while it is not 0.
        while_body: A function, or a graph.
        stream: A stream; the order is that of the calls.
        kwargs: Given to the function.

    Raises:
        TypeError: An argument is not as described.
    """
    _check_condition("capture_while", condition)
    _check_body("capture_while", "while_body", while_body)
    if stream is not None:
        _place("capture_while", None, stream)
    if _capturing():
        _capture_while(condition, while_body, kwargs)
        return
    while condition.item():
        _run(while_body, kwargs)


class ScopedCapture:
    """Captures within a ``with`` block. Afterwards ``graph`` holds what was captured; None where the block raised.

    Takes the arguments of :func:`capture_begin`, and raises what that does.

    ```python
    with wp.ScopedCapture() as capture:
        wp.launch(step, dim=n, inputs=[x])
    for _ in range(100):
        wp.capture_launch(capture.graph)
    ```
    """

    def __init__(
        self,
        device: DeviceLike = None,
        stream: Stream | None = None,
        force_module_load: bool | None = None,
        external: bool = False,
        apic: bool = False,
        capture_mode: CaptureMode = CaptureMode.THREAD_LOCAL,
    ) -> None:
        self.device = _place("ScopedCapture", device, stream)
        _check_options("ScopedCapture", external, apic, self.device, stream)
        self.external = external
        self.stream = stream
        self.active = False
        # None only where nothing was captured, which programs that go on need not ask.
        self.graph: Graph | Any = None

    def __enter__(self) -> ScopedCapture:
        _begin(self.external)
        self.active = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if self.active:
            self.active = False
            graph = _end(self.device)
            self.graph = graph if kind is None else None


def _refuse(function: str) -> NoReturn:
    raise NotImplementedError(
        f"{function}: graphs cannot be saved: they hold the addresses of this process's memory; capture again instead"
    )


def capture_save(
    graph: Graph,
    path: str,
    inputs: dict[str, Any] | None = None,
    outputs: dict[str, Any] | None = None,
    source_fallback: bool = False,
) -> NoReturn:
    """Raises: NotImplementedError: Graphs cannot be saved."""
    _refuse("capture_save")


def capture_load(path: str, device: DeviceLike = None) -> NoReturn:
    """Raises: NotImplementedError: Graphs cannot be saved."""
    _refuse("capture_load")


def capture_load_from_bytes(data: Any, modules: Any = None, device: DeviceLike = None) -> NoReturn:
    """Raises: NotImplementedError: Graphs cannot be saved."""
    _refuse("capture_load_from_bytes")


def capture_debug_dot_print(graph: Graph, path: str, verbose: bool = True) -> None:
    """Write a graph as text of the language DOT of GraphViz: its steps in order, branches and bodies as boxes.

    Args:
        graph: The graph.
        path: The file.
        verbose: Whether names of steps have the dimensions of launches and the shapes of arrays.

    Raises:
        TypeError: ``graph`` is no graph.
        OSError: The file cannot be written.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"capture_debug_dot_print: graph is {type(graph).__name__}, expected a wp.Graph")
    lines = ["digraph capture {", "  node [shape=box];"]
    _write_steps(graph._listing(), "  ", verbose, lines, [0])
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "}", ""]))


def _write_steps(steps: list[Any], indent: str, verbose: bool, lines: list[str], counter: list[int]) -> str | None:
    """Write steps, each joined to the next; the name of the first."""
    names = []
    for name, parts in steps:
        own = f"step{counter[0]}"
        counter[0] += 1
        names.append(own)
        shown = name if verbose else name.partition("[")[0]
        lines.append(f'{indent}{own} [label="{shown}"];')
        for part, inner in parts.items():
            lines.append(f"{indent}subgraph cluster{counter[0]} {{")
            lines.append(f'{indent}  label="{part}";')
            first = _write_steps(inner, f"{indent}  ", verbose, lines, counter)
            lines.append(f"{indent}}}")
            if first:
                lines.append(f'{indent}{own} -> {first} [style=dashed, label="{part}"];')
    lines += [f"{indent}{a} -> {b};" for a, b in itertools.pairwise(names)]
    return names[0] if names else None
