"""``python -m warp doctor``: checks of what programs rely on, and what to do where one fails."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import warp as wp
from warp._cli.info import installed
from warp._warp import FRAMEWORKS, _cache_dir

_NUMBERS = [0.0, 0.5, 1.0, 2.0]


class WrongError(Exception):
    """What is wrong, and what to do."""


class LeftError(Exception):
    """Why a check was left out."""


def _runs(device: Any) -> str:
    """A kernel and its gradient give what they should."""
    from warp._cli.trial import squares

    with wp.ScopedDevice(device):
        x = wp.array(_NUMBERS, dtype=float, requires_grad=True)
        y = wp.zeros(len(_NUMBERS), dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(squares, dim=len(_NUMBERS), inputs=[x], outputs=[y])
        tape.backward(grads={y: wp.ones(len(_NUMBERS), dtype=float)})
        pairs = [
            *zip(y.list(), (v * v + math.sin(v) for v in _NUMBERS), strict=True),
            *zip(x.grad.list(), (2.0 * v + math.cos(v) for v in _NUMBERS), strict=True),
        ]
    if not all(math.isclose(found, wanted, abs_tol=1e-5) for found, wanted in pairs):
        raise WrongError(
            f"a kernel computes {[found for found, _ in pairs]} in place of {[wanted for _, wanted in pairs]}"
        )
    return "compiles and runs a kernel and its gradient"


def _cache() -> str:
    """The folder of compiled kernels can be used."""
    folder = _cache_dir()
    if folder is None:
        raise WrongError(
            "no cache folder can be used, so that each process compiles again: HOME is not set, or others may write to "
            "the folder; let WARP_CACHE_PATH name a folder that only you write to"
        )
    if not wp.config.cache_kernels:
        raise LeftError("wp.config.cache_kernels is off")
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"kernel")
    except OSError as error:
        raise WrongError(
            f"{folder} cannot be written ({error.strerror}); let WARP_CACHE_PATH name another folder"
        ) from None
    return f"{folder} can be written"


def _numpy() -> str:
    import numpy as np

    host = np.ones(4, dtype=np.float32)
    shared: Any = wp.array(host, copy=False)
    _same_memory("numpy", shared.ptr, host.ctypes.data)
    _same_memory("numpy", shared.numpy().ctypes.data, host.ctypes.data)
    return f"numpy {np.__version__}: arrays are shared in both directions"


def _torch() -> str:
    torch: Any = import_module("torch")
    tensor = torch.ones(4, requires_grad=True)
    shared = wp.from_torch(tensor)
    _same_memory("torch", shared.ptr, tensor.data_ptr())
    _same_memory("torch", wp.to_torch(shared).data_ptr(), tensor.data_ptr())
    return f"torch {torch.__version__}: tensors are shared in both directions"


def _jax() -> str:
    jax: Any = import_module("jax")
    given = jax.device_put(jax.numpy.ones(4, dtype="float32"), jax.devices("cpu")[0])
    shared = wp.from_jax(given)
    _same_memory("jax", shared.ptr, given.unsafe_buffer_pointer())
    return f"jax {jax.__version__}: arrays are shared"


def _paddle() -> str:
    paddle: Any = import_module("paddle")
    tensor = paddle.to_tensor(_NUMBERS, place=paddle.CPUPlace())
    shared = wp.from_paddle(tensor)
    _same_memory("paddle", shared.ptr, tensor.data_ptr())
    _same_memory("paddle", wp.to_paddle(shared).data_ptr(), tensor.data_ptr())
    return f"paddle {paddle.__version__}: tensors are shared in both directions"


def _same_memory(name: str, found: int | None, wanted: int | None) -> None:
    if found != wanted:
        raise WrongError(f"{name}: a conversion copies; please report it with the output of `python -m warp info`")


_FRAMEWORKS: dict[str, Callable[[], str]] = {"numpy": _numpy, "torch": _torch, "jax": _jax, "paddle": _paddle}


def _framework(name: str, skip: Sequence[str]) -> str:
    if name in skip:
        raise LeftError(f"{name}: left out")
    if name != "numpy" and name not in FRAMEWORKS:
        raise LeftError(f"{name}: this build of warp was made without it")
    if installed(name) is None:
        if name == "numpy":
            raise WrongError("numpy is not installed; `pip install numpy` does it")
        raise LeftError(f"{name}: not installed")
    try:
        return _FRAMEWORKS[name]()
    except ImportError as error:
        raise WrongError(f"{name} is installed, but cannot be imported: {error}") from None


def _gpus() -> str:
    """Devices that the machine has are found."""
    if any(device.is_cuda for device in wp.get_devices()):
        return f"{wp.get_cuda_device_count()} CUDA devices are found"
    if os.path.exists("/dev/nvidia0"):
        raise WrongError(
            "the machine has an NVIDIA GPU, but its driver (libcuda.so.1) does not load; install or update it"
        )
    raise LeftError("no CUDA device: kernels run on the CPU")


def checks(skip: Sequence[str] = ()) -> list[tuple[str, Callable[[], str]]]:
    """What is checked, by name."""

    def on(device: Any) -> Callable[[], str]:
        return lambda: _runs(device)

    def of(name: str) -> Callable[[], str]:
        return lambda: _framework(name, skip)

    return [
        *((f"device {device.alias}", on(device)) for device in wp.get_devices()),
        ("GPUs", _gpus),
        ("cache", _cache),
        *((name, of(name)) for name in _FRAMEWORKS),
    ]


def doctor(skip: Sequence[str] = ()) -> int:
    """Run all checks, print what they find, and say by the status whether something is wrong."""
    wrong = 0
    for name, check in checks(skip):
        try:
            print(f"ok     {_line(name, check())}")
        except LeftError as left:
            print(f"-      {_line(name, str(left))}")
        except WrongError as found:
            wrong += 1
            print(f"WRONG  {_line(name, str(found))}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is wrong
            wrong += 1
            print(f"WRONG  {name}: {type(error).__name__}: {error}")
    print(
        "all is well" if not wrong else f"{wrong} of these checks failed" if wrong > 1 else "one of these checks failed"
    )
    return 1 if wrong else 0


def _line(name: str, text: str) -> str:
    return text if text.startswith(name) else f"{name}: {text}"
