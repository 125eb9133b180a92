"""What is looked at when something is wrong: versions and settings, launches as they happen, numbers that are none."""

from __future__ import annotations

import platform
import sys
from typing import Any

from warp import _warp, config
from warp._base.constants import LOG_INFO
from warp._host.logging import log
from warp.types import float64


def print_diagnostics() -> dict[str, Any]:
    """Print what this build is, what it runs on, and how it is set up; what an issue should begin with.

    Returns:
        The same, by name.
    """
    from importlib.metadata import PackageNotFoundError, version

    def installed(name: str) -> str | None:
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    host = _warp._host_id().split(" ", 4)
    llvm, target, cpu = f"{host[1]}", host[2], host[3]
    features = sorted(part[1:] for part in (host[4] if len(host) > 4 else "").split(",") if part.startswith("+"))
    found: dict[str, Any] = {
        "warp_python": _warp.__version__,
        "warp_native": _warp.__version__,
        "llvm": llvm,
        "python": sys.version,
        "platform": platform.platform(),
        "numpy": installed("numpy"),
        "frameworks": {name: installed("paddlepaddle" if name == "paddle" else name) for name in _warp.FRAMEWORKS},
        "cuda_enabled": False,
        "cuda_toolkit": None,
        "cuda_driver": None,
        "target": target,
        "cpu_name": cpu,
        "cpu_features": features,
        "threads": _warp._threads(),
        "kernel_cache_dir": _warp._cache_dir(),
        "debug": config.mode == "debug",
        "verify_fp": config.verify_fp,
        "devices": [{"alias": device.alias, "name": device.name} for device in _warp.get_devices()],
    }
    width = max(len(name) for name in found)
    for name, value in found.items():
        text = f"{len(value)}: {', '.join(value)}" if name == "cpu_features" else str(value)
        print(f"{name:<{width}}  {text}")
    return found


def launched(kernel: Any, dim: Any, inputs: Any, outputs: Any, device: str) -> None:
    """Print a launch that is about to happen, for ``wp.config.print_launches``."""
    text = f"kernel: {kernel.key} dim: {dim} inputs: {_listed(inputs)} outputs: {_listed(outputs)} device: {device}"
    if config.use_logging:
        log(LOG_INFO, text)
    else:
        print(text)


def _listed(values: Any) -> str:
    return f"[{', '.join(_short(value) for value in values or ())}]"


def _short(value: Any) -> str:
    if isinstance(value, _warp.array):
        return f"array(shape={tuple(value.shape)}, dtype={value.dtype.__name__})"
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{type(value).__name__}(shape={tuple(shape)}, dtype={dtype})"
    return repr(value)


def verify(kernel: Any, inputs: Any, outputs: Any) -> None:
    """Report arrays with elements that are infinite or no numbers, for ``wp.config.verify_fp``."""
    values = [*(inputs or ()), *(outputs or ())]
    names = [parameter.label for parameter in kernel.adj.args] if kernel.adj is not None else []
    for at, value in enumerate(values):
        if not isinstance(value, _warp.array):
            if not hasattr(value, "__dlpack__"):
                continue
            value = _warp.array(value, copy=False)
        found = _not_finite(value)
        if found is not None:
            name = f"'{names[at]}'" if at < len(names) else f"{at}"
            index = found[0] if len(found) == 1 else found
            log(30, f"verify_fp: after kernel '{kernel.key}', argument {name} is not finite at index {index}")


def _not_finite(array: Any) -> tuple[int, ...] | None:
    """Where the first element of an array is that is infinite or no number."""
    import numpy as np

    elem = getattr(array.dtype, "_elem", None)
    if elem is None or elem.kind == "struct" or not elem.is_float or array.size == 0:
        return None
    numbers = _warp.empty(array.size * elem.count, dtype=float64)
    _warp.array_cast(array, numbers)
    wrong = ~np.isfinite(numbers.numpy())
    if not wrong.any():
        return None
    first = int(wrong.argmax()) // elem.count
    return tuple(int(i) for i in np.unravel_index(first, array.shape))
