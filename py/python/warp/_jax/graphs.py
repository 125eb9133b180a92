"""Functions that cannot be traced, as CUDA graphs: `GraphMode.WARP` and the staged modes on a GPU.

The function runs once while a capture of ours records what it launches; later executions launch the graph. A graph
works on the memory with which it was made: that of jax's buffers, so that there is one for each set of addresses, or
fixed buffers, from and to which arrays are copied.
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warp._devices.capture import ScopedCapture, capture_launch
from warp._operator import Binding, Parameter
from warp._warp import Graph, copy


@dataclass(frozen=True)
class _Recorded:
    graph: Graph
    #: The fixed buffers, by parameter.
    staged: Mapping[int, Any]


class Graphs:
    """The graphs of one function for arguments of certain shapes.

    Args:
        function: Called with an argument for each parameter.
        parameters: Of the function.
        staged: Those whose arrays are fixed buffers.
        most: How many graphs are kept; None for all.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        parameters: Sequence[Parameter],
        staged: Sequence[int],
        most: int | None,
    ) -> None:
        self._function = function
        self._parameters = parameters
        self._staged = frozenset(staged)
        self._most = most
        self._kept: collections.OrderedDict[Any, _Recorded] = collections.OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all graphs."""
        with self._lock:
            self._kept.clear()

    def run(
        self,
        device: Any,
        values: Mapping[int, Any],
        content: Sequence[bytes],
        inputs: Mapping[int, Any],
        outputs: Mapping[int, Any],
    ) -> None:
        """Execute the function on a device's current stream.

        Args:
            device: The device.
            values: Arguments that are no arrays, by parameter.
            content: The bytes of those that differ between executions: a graph holds them.
            inputs: jax's buffers of arrays that are given.
            outputs: Those of arrays that are returned.
        """
        fixed = self._staged
        addresses = [(i, b._address) for buffers in (inputs, outputs) for i, b in buffers.items() if i not in fixed]
        key = (device.alias, tuple(content), tuple(addresses))
        with self._lock:
            recorded = self._kept.get(key)
            if recorded is None:
                recorded = self._kept[key] = self._record(device, values, inputs, outputs)
                while self._most is not None and len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            for i, buffer in inputs.items():
                if i in fixed:
                    copy(recorded.staged[i], buffer._view(self._parameters[i].dtype, True))
            capture_launch(recorded.graph)
            for i, buffer in outputs.items():
                if i in fixed:
                    buffer._fill(recorded.staged[i])

    def _record(
        self, device: Any, values: Mapping[int, Any], inputs: Mapping[int, Any], outputs: Mapping[int, Any]
    ) -> _Recorded:
        staged: dict[int, Any] = {}
        filled = dict(values)
        for i, buffer in {**inputs, **outputs}.items():
            p = self._parameters[i]
            if i in self._staged:
                filled[i] = staged[i] = buffer._zeros(p.dtype)
            else:
                filled[i] = buffer._view(p.dtype, p.binding is Binding.READ)
        with ScopedCapture(device=device) as capture:
            for i in outputs:
                if i not in inputs:
                    filled[i].zero_()
                elif i not in self._staged:
                    copy(filled[i], inputs[i]._view(self._parameters[i].dtype, True))
            self._function(*(filled[i] for i in range(len(self._parameters))))
        assert capture.graph is not None  # the block did not raise
        return _Recorded(capture.graph, staged)
