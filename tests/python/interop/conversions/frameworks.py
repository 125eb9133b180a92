"""Facts about each framework, from which the test matrix is built: one entry each, nothing else knows them.

A case of the matrix starts from a NumPy array `values`, seen through a chain of layout steps; `wrap` makes the
framework's object of it without changing the layout where the framework can express it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
ALL = ("bool", *INTS, *FLOATS)


@dataclass(frozen=True)
class Facts:
    """What one framework can do."""

    name: str
    """As shown in test names."""
    modules: tuple[str, ...]
    """What must be installed."""
    dtypes: tuple[str, ...]
    """Scalars that it has."""
    wrap: Callable[[np.ndarray], Any]
    """Its object on memory of its own or of the NumPy array, with the same values and layout."""
    values: Callable[[Any], np.ndarray]
    """The values of its object as a NumPy array."""
    imports: dict[str, Callable[..., Any]] = field(default_factory=dict)
    """Ways to a `wp.array` on the same memory: functions of the object and a dtype (None: its own)."""
    exports: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Ways from a `wp.array` to an object on the same memory."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Scalars that an export may give another name of the same width."""
    strided: bool = True
    """Whether its arrays can have strides."""
    negative: bool = True
    """Whether strides can be negative."""
    scalars: bool = True
    """Whether there are arrays without dimensions."""
    read_only: bool = True
    """Whether it says that memory must not be written."""
    frozen: bool = False
    """Whether its memory must never be written."""
    gradient: Callable[[Any], np.ndarray] | None = None
    """The gradient of its object, for frameworks that have one."""
    with_gradient: Callable[[Any], Any] | None = None
    """The object, made to require a gradient."""
    bfloat16: Callable[[np.ndarray], Any] | None = None
    """Its object of bfloat16 with the values of a float32 array."""

    def missing(self) -> str | None:
        """What is not installed, or not built into this module."""
        for module in self.modules:
            try:
                found = importlib.import_module(module)
            except ImportError:
                return module
            if module == "warp" and not hasattr(found, f"from_{self.name}"):
                return f"warp.from_{self.name}"
        return None


def shared(value: Any, dtype: Any) -> Any:
    return wp.array(value, dtype=dtype, copy=False)


# NumPy ------------------------------------------------------------------------------------------------------------


def ml_bfloat16(values: np.ndarray) -> Any:
    ml_dtypes = importlib.import_module("ml_dtypes")
    return values.astype(ml_dtypes.bfloat16)


NUMPY = Facts(
    name="numpy",
    modules=("numpy", "ml_dtypes"),
    dtypes=ALL,
    wrap=lambda n: n,
    values=np.asarray,
    imports={"array": shared},
    exports={"numpy": lambda a: a.numpy(), "asarray": np.asarray, "from_dlpack": np.from_dlpack},
    bfloat16=ml_bfloat16,
)

# The protocols, without a framework around them -------------------------------------------------------------------


class Speaks:
    """An object with one attribute of the NumPy array inside, and no other."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


class Interface(Speaks):
    __array_interface__ = property(lambda self: self.array.__array_interface__)


class Struct(Speaks):
    __array_struct__ = property(lambda self: self.array.__array_struct__)


class Method(Speaks):
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array


class Dlpack(Speaks):
    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def inside(value: Any) -> np.ndarray:
    return value.array


PROTOCOLS = (
    Facts("interface", (), ALL, Interface, inside, {"array": shared}),
    Facts("struct", (), ALL, Struct, inside, {"array": shared}),
    Facts("method", (), ALL, Method, inside, {"array": shared}),
    Facts("buffer", (), ALL, memoryview, np.asarray, {"array": shared}),
    Facts(
        "dlpack",
        ("warp",),
        ALL,
        Dlpack,
        inside,
        {"array": shared, "from_dlpack": lambda v, d: wp.from_dlpack(v, dtype=d)},
        {"capsule": lambda a: Dlpack(np.from_dlpack(a))},
    ),
)

# PyTorch ----------------------------------------------------------------------------------------------------------


def torch_tensor(values: np.ndarray) -> Any:
    return importlib.import_module("torch").from_numpy(values)


def torch_export(a: Any) -> Any:
    return importlib.import_module("torch").from_dlpack(a)


TORCH = Facts(
    name="torch",
    modules=("warp", "torch"),
    dtypes=ALL,
    wrap=torch_tensor,
    values=lambda t: t.detach().numpy(),
    imports={
        "from_torch": lambda t, d: wp.from_torch(t, dtype=d),
        "array": shared,
        "from_dlpack": lambda t, d: wp.from_dlpack(t.detach(), dtype=d),
    },
    exports={"to_torch": lambda a: wp.to_torch(a), "from_dlpack": torch_export},
    negative=False,
    read_only=False,
    gradient=lambda t: t.grad.numpy(),
    with_gradient=lambda t: t.requires_grad_(),
    bfloat16=lambda n: torch_tensor(n).bfloat16(),
)

# Paddle -----------------------------------------------------------------------------------------------------------


def paddle_tensor(values: np.ndarray) -> Any:
    return importlib.import_module("paddle").to_tensor(values)


def paddle_with_gradient(t: Any) -> Any:
    t.stop_gradient = False
    return t


PADDLE = Facts(
    name="paddle",
    modules=("warp", "paddle"),
    dtypes=("bool", "int8", "int16", "int32", "int64", "uint8", *FLOATS),
    wrap=paddle_tensor,
    values=lambda t: t.detach().numpy(),
    imports={
        "from_paddle": lambda t, d: wp.from_paddle(t, dtype=d),
        "array": shared,
    },
    exports={"to_paddle": lambda a: wp.to_paddle(a)},
    strided=False,
    negative=False,
    read_only=False,
    gradient=lambda t: t.grad.numpy(),
    with_gradient=paddle_with_gradient,
    bfloat16=lambda n: paddle_tensor(n).astype("bfloat16"),
)

# JAX: its arrays never change, so that nothing is written through to them -------------------------------------------


def jax_array(values: np.ndarray) -> Any:
    return importlib.import_module("jax.numpy").array(values)


JAX = Facts(
    name="jax",
    modules=("warp", "jax"),
    dtypes=("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32"),
    wrap=jax_array,
    values=np.asarray,
    imports={
        "from_jax": lambda v, d: wp.from_jax(v, dtype=d),
        "array": shared,
        "from_dlpack": lambda v, d: wp.from_dlpack(v, dtype=d),
    },
    strided=False,
    negative=False,
    frozen=True,
    bfloat16=lambda n: jax_array(n).astype("bfloat16"),
)

FRAMEWORKS = {facts.name: facts for facts in (NUMPY, *PROTOCOLS, TORCH, PADDLE, JAX)}
