"""``python -m warp info``."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import Any

import warp as wp
from warp._cli.cache import entries, readable
from warp._warp import FRAMEWORKS, _cache_dir, _driver_version, _host_id, _threads

#: The package that installs a framework, where that is called something else.
_PACKAGES = {"paddle": "paddlepaddle"}
#: How arrays of others arrive, for those that have no conversions of their own.
_BY_PROTOCOL = ("cupy", "numba", "tensorflow", "mlx")


def installed(name: str) -> str | None:
    """The version of an installed package, without importing it."""
    from importlib.metadata import PackageNotFoundError, version

    for package in (_PACKAGES.get(name, name), f"{_PACKAGES.get(name, name)}-gpu"):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return None


def frameworks() -> list[dict[str, Any]]:
    """Which frameworks are found, and how their arrays become arrays of kernels."""
    found: list[dict[str, Any]] = [
        {
            "name": "numpy",
            "version": installed("numpy"),
            "reached": "wp.array and a.numpy(), or as arguments of launches",
        }
    ]
    for name in sorted({*FRAMEWORKS} - {"numpy"}):
        gradients = ", gradients included" if name in ("torch", "paddle") else ""
        reached = f"wp.from_{name} and wp.to_{name}, or as arguments of launches{gradients}"
        found.append({"name": name, "version": installed(name), "reached": reached})
    for name in _BY_PROTOCOL:
        version = installed(name)
        if version is not None:
            found.append({"name": name, "version": version, "reached": "wp.from_dlpack, or as arguments of launches"})
    return found


def facts() -> dict[str, Any]:
    """What there is, by name."""
    host = _host_id().split(" ", 4)
    folder = _cache_dir()
    kept = entries(folder) if folder is not None else []
    driver = _driver_version()
    return {
        "version": wp.__version__,
        "location": str(Path(wp.__file__).parent),
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "llvm": host[1],
        "processor": f"{host[3]} ({host[2]})",
        "threads": _threads(),
        "cuda_driver": None if driver is None else f"{driver // 1000}.{driver % 1000 // 10}",
        "devices": [{"alias": device.alias, "name": device.name} for device in wp.get_devices()],
        "frameworks": frameworks(),
        "cache": {"folder": folder, "entries": len(kept), "bytes": sum(entry.size for entry in kept)},
    }


def info(as_json: bool) -> int:
    """Print what there is."""
    found = facts()
    if as_json:
        import json

        print(json.dumps(found, indent=2))
        return 0
    for name in ("version", "location", "python", "platform", "llvm", "processor", "threads"):
        print(f"{name:<12}{found[name]}")
    print(f"{'CUDA driver':<12}{found['cuda_driver'] or 'none'}")
    print("devices")
    for device in found["devices"]:
        print(f"  {device['alias']:<10}{device['name']}")
    print("frameworks")
    for framework in found["frameworks"]:
        version = framework["version"]
        print(f"  {framework['name']:<10}" + (f"{version:<12}{framework['reached']}" if version else "not installed"))
    cache = found["cache"]
    if cache["folder"] is None:
        print("cache       none: kernels are compiled by each process")
    else:
        print(f"cache       {cache['folder']}\n            {cache['entries']} kernels, {readable(cache['bytes'])}")
    return 0
