"""Prints and keeps what a machine is: the driver, its devices, Python, and the packages that tests look for.

python scripts/gpu/facts.py --json FILE
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
from gpu.support.driver_calls import Driver, real_driver  # noqa: E402

# CUdevice_attribute, by what it says.
ATTRIBUTES = {
    "multiprocessors": 16,
    "clock kHz": 13,
    "memory clock kHz": 36,
    "bus bits": 37,
    "L2 bytes": 38,
    "threads per multiprocessor": 39,
    "blocks per multiprocessor": 106,
    "registers per multiprocessor": 82,
    "shared bytes per multiprocessor": 81,
    "shared bytes per block": 8,
    "shared bytes per block on request": 97,
    "copy engines": 40,
    "concurrent kernels": 31,
    "ECC": 32,
    "compute mode": 20,
    "unified addressing": 41,
    "managed memory": 83,
    "pageable memory access": 88,
    "memory pools": 115,
    "cooperative launch": 95,
}
PACKAGES = ("warp-rs", "numpy", "pytest", "hypothesis", "torch", "jax", "jaxlib", "paddlepaddle-gpu", "cupy", "numba")


def devices(driver: Driver) -> list[dict[str, object]]:
    """A row for each device."""
    found = []
    for ordinal in range(driver.get("cuDeviceGetCount", kind=ctypes.c_int)):
        name, size = ctypes.create_string_buffer(200), ctypes.c_size_t(0)
        driver.ok("cuDeviceGetName", name, 200, ordinal)
        driver.ok("cuDeviceTotalMem_v2", ctypes.byref(size), ordinal)
        row: dict[str, object] = {
            "name": name.value.decode(),
            "sm": 10 * driver.attribute(75, ordinal) + driver.attribute(76, ordinal),
            "bytes": size.value,
        }
        for what, number in ATTRIBUTES.items():
            value = ctypes.c_int(0)
            code = driver.call("cuDeviceGetAttribute", ctypes.byref(value), number, ordinal)
            row[what] = value.value if code == 0 else f"code {code}"
        found.append(row)
    return found


def packages() -> dict[str, str]:
    """The versions of those that are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def kernel_driver() -> str:
    """The version of the driver's kernel module, as `nvidia-smi` shows it."""
    path = Path("/proc/driver/nvidia/version")
    return path.read_text().splitlines()[0] if path.exists() else "not said"


def nvidia_smi() -> str:
    """Clocks, and what else uses the device."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return "not installed"
    what = "name driver_version clocks.sm clocks.mem clocks.max.sm temperature.gpu utilization.gpu memory.used"
    command = [program, f"--query-gpu={','.join(what.split())}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=15, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stdout or done.stderr).strip()


def torch_sees_a_gpu() -> str:
    try:
        import torch
    except ImportError:
        return "not installed"
    return f"yes, CUDA {torch.version.cuda}" if torch.cuda.is_available() else "no"


def jax_sees_a_gpu() -> str:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
    except ImportError:
        return "not installed"
    return "yes" if any(device.platform == "gpu" for device in jax.devices()) else "no"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    options = parser.parse_args()
    facts: dict[str, object] = {}

    def keep(name: str, value: object) -> None:
        """Kept at once: what comes next may end the process."""
        facts[name] = value
        print(f"{name}: {value}", flush=True)
        options.json.write_text(json.dumps(facts, indent=1))

    keep("python", f"{platform.python_version()} {sys.executable}")
    keep("platform", f"{platform.platform()}, glibc {platform.libc_ver()[1]}")
    keep("cores", len(os.sched_getaffinity(0)))
    keep("packages", packages())
    keep("kernel driver", kernel_driver())
    keep("nvidia-smi", nvidia_smi())
    path = real_driver()
    keep("driver", path)
    if path is None:
        return 1
    driver = Driver(path)
    driver.ok("cuInit", 0)
    keep("CUDA", f"{driver.version // 1000}.{driver.version % 1000 // 10}")
    keep("device", driver.describe())
    for ordinal, row in enumerate(devices(driver)):
        keep(f"cuda:{ordinal}", row)
    import warp as wp

    keep("warp", f"{wp.__version__} {Path(wp.__file__).parent}")
    keep("warp sees", [f"{device.alias} {device.name}" for device in wp.get_cuda_devices()])
    keep("libdevice", os.environ.get("WARP_LIBDEVICE", "not named"))
    keep("torch sees a GPU", torch_sees_a_gpu())
    keep("jax sees a GPU", jax_sees_a_gpu())
    return 0


if __name__ == "__main__":
    sys.exit(main())
