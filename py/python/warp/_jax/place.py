"""Where compiled programs run: devices of kernels, and Python functions on the device and the stream of a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
from warp._devices.stream import ScopedStream, Stream
from warp._jax.modes import JaxModulePreloadMode
from warp._warp import Device, _jax_follow, device_from_jax, get_device, get_devices
from warp.context import ScopedDevice

#: jax's names of the platforms that programs can be lowered for.
PLATFORMS = ("cpu", "cuda")


@dataclass(frozen=True)
class Place:
    """What a program is lowered for."""

    #: Whether that is GPUs.
    is_gpu: bool
    #: The devices for which its kernels are compiled now.
    devices: tuple[Device, ...] = ()


HOST = Place(False, (get_device("cpu"),))


def gpus(mode: JaxModulePreloadMode, assigned: Any) -> Place:
    """The GPUs for which a program's kernels are loaded before it runs; `assigned` is jax's devices of the program, if
    they are known. For the others they are loaded at its first execution.
    """
    if mode == JaxModulePreloadMode.NONE or not has_gpus():
        return Place(True)
    theirs = list(assigned or ())
    if mode == JaxModulePreloadMode.ALL_DEVICES or not theirs:
        try:
            theirs = jax.local_devices(backend="cuda")
        except RuntimeError:
            return Place(True)  # jax has none: the program is for another machine
        if mode == JaxModulePreloadMode.CURRENT_DEVICE:
            theirs = theirs[:1]
    own = jax.process_index()
    return Place(True, tuple(device_from_jax(d) for d in theirs if d.platform == "gpu" and d.process_index == own))


def has_gpus() -> bool:
    """Whether kernels can run on a GPU here."""
    return len(get_devices()) > 1


def default_device() -> Device:
    """The device of jax's that programs run on which name none."""
    chosen = jax.config.jax_default_device
    if not isinstance(chosen, jax.Device):
        chosen = jax.local_devices(backend=chosen)[0]
    return device_from_jax(chosen) if chosen.platform in ("cpu", "gpu") else get_device("cpu")


def run_at(context: Any, function: Callable[..., Any], *args: Any) -> None:
    """Call a function while the device and the stream of an FFI call are the current ones of this thread."""
    device = context.device
    if device.is_cpu:
        if get_device() is device:
            function(*args)
            return
        with ScopedDevice(device):
            function(*args)
        return
    try:
        with ScopedDevice(device), ScopedStream(Stream(device, cuda_stream=context.stream), sync_enter=False):
            function(*args)
    finally:
        # Whatever the function keeps is given back in the order of our streams.
        _jax_follow(device, context.stream)
