"""A plugin for pytest: tests that were written for the CPU, on a GPU.

Launches copy NumPy arrays among their arguments to the GPU and back. With WARP_GPU_WAIT=1 they also wait, so that
faults are raised where such tests expect them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import warp as wp

WAIT = os.environ.get("WARP_GPU_WAIT") == "1"
run = wp.launch


def launch(kernel, dim, inputs=None, outputs=None, *rest: Any, **options: Any):
    stream = options.get("stream")
    device = stream.device if stream is not None else wp.get_device(options.get("device"))
    if not device.is_cuda or rest or options.get("record_cmd"):
        return run(kernel, dim, inputs, outputs, *rest, **options)
    moved: dict[int, tuple[wp.array, wp.array]] = {}
    parameters = [getattr(arg.type, "dtype", None) for arg in kernel.adj.args]

    def there(value: Any, dtype: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            return value
        if id(value) not in moved:
            known = {} if dtype in (None, Any) else {"dtype": dtype}
            try:
                host = wp.array(value, copy=False, device="cpu", **known)
            except (TypeError, ValueError, RuntimeError):
                return value
            moved[id(value)] = host, host.to(device)
        return moved[id(value)][1]

    given = [list(values) if values is not None else [] for values in (inputs, outputs)]
    parameters += [None] * (len(given[0]) + len(given[1]))
    given[0] = [there(v, t) for v, t in zip(given[0], parameters, strict=False)]
    given[1] = [there(v, t) for v, t in zip(given[1], parameters[len(given[0]) :], strict=False)]
    for name, start in (("adj_inputs", 0), ("adj_outputs", len(given[0]))):
        if options.get(name) is not None:
            options[name] = [there(v, t) for v, t in zip(options[name], parameters[start:], strict=False)]
    result = run(kernel, dim, *given, **options)
    for host, copied in moved.values():
        if host.numpy().flags.writeable:
            wp.copy(host, copied)
    if WAIT:
        wp.synchronize_device(device)
    return result


def pytest_configure() -> None:
    wp.launch = launch
