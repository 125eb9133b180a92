"""Kernels, functions and launches; part of the extension module."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, overload

from typing_extensions import ParamSpec, TypeVar
from warp._device import Device, DeviceLike, Shape
from warp._devices.stream import Stream

# Where a program names the classes alone, any parameters and result will do.
P = ParamSpec("P", default=...)
R = TypeVar("R", covariant=True, default=Any)

class Definition(Generic[P]):
    __name__: str
    @property
    def key(self) -> str: ...
    @property
    def func(self) -> Callable[P, Any]: ...
    @property
    def module(self) -> Any: ...
    @property
    def options(self) -> dict[str, Any] | None: ...
    @property
    def adj(self) -> Any: ...

class Kernel(Definition[P]):
    def __init__(
        self,
        func: Callable[P, Any],
        key: str | None = None,
        module: Any = None,
        options: dict[str, Any] | None = None,
        code_transformers: Any = None,
        source: str | None = None,
    ) -> None: ...
    @staticmethod
    def _of(
        function: Callable[..., Any],
        source: tuple[str, int, str],
        annotations: Sequence[tuple[str, Any]],
        enable_backward: bool | None,
        check_bounds: bool | None,
        about: Any = None,
    ) -> Kernel: ...
    @property
    def hash(self) -> bytes: ...
    @property
    def sig(self) -> str: ...
    @property
    def is_generic(self) -> bool: ...
    @property
    def overloads(self) -> dict[str, Kernel]: ...
    def add_overload(self, arg_types: Sequence[Any] | dict[str, Any]) -> Kernel: ...
    def get_overload(self, arg_types: Sequence[Any] | dict[str, Any]) -> Kernel | None: ...
    def infer_argument_types(self, args: Sequence[Any]) -> list[Any]: ...
    def report(self, adjoint: bool = False) -> str: ...
    def inspect(self, form: Literal["ir", "llvm", "asm", "ptx"] = "ir", adjoint: bool = False) -> str: ...

class Function(Definition[P], Generic[P, R]):
    def __new__(
        cls,
        func: Callable[P, R],
        key: str,
        namespace: str = "",
        module: Any = None,
        source: str | None = None,
        code_transformers: Sequence[Any] | None = None,
    ) -> Function[P, R]: ...
    @staticmethod
    def _of(
        function: Callable[..., Any],
        name: str,
        source: tuple[str, int, str],
        annotations: Sequence[tuple[str, Any]],
        earlier: Function | None = None,
        about: Any = None,
    ) -> Function: ...
    def _set_rule(self, rule: Function, gradient: bool) -> None: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

class Launch:
    def __init__(
        self,
        kernel: Kernel,
        device: DeviceLike = None,
        hooks: None = None,
        params: None = None,
        params_addr: None = None,
        bounds: Any = None,
        max_blocks: int = 0,
        block_dim: int | None = None,
        adjoint: bool = False,
        fwd_args: Sequence[Any] | None = None,
        adj_args: Sequence[Any] | None = None,
    ) -> None: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def device(self) -> Device: ...
    @property
    def dim(self) -> tuple[int, ...] | None: ...
    @property
    def bounds(self) -> tuple[int, ...] | None: ...
    @property
    def adjoint(self) -> bool: ...
    @property
    def fwd_args(self) -> list[Any]: ...
    @property
    def adj_args(self) -> list[Any]: ...
    def set_dim(self, dim: Shape) -> None: ...
    def set_param_at_index(self, index: int, value: Any, adjoint: bool = False) -> None: ...
    def set_param_by_name(self, name: str, value: Any, adjoint: bool = False) -> None: ...
    def set_params(self, params: Sequence[Any]) -> None: ...
    def set_param_at_index_from_ctype(self, index: int, value: Any, adjoint: bool = False) -> None: ...
    def set_param_by_name_from_ctype(self, name: str, value: Any, adjoint: bool = False) -> None: ...
    def set_params_from_ctypes(self, values: Sequence[Any]) -> None: ...
    def launch(self, stream: Stream | None = None) -> None: ...

@overload
def launch(
    kernel: Kernel,
    dim: Shape,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    adj_inputs: Sequence[Any] | None = None,
    adj_outputs: Sequence[Any] | None = None,
    device: DeviceLike = None,
    stream: Stream | None = None,
    adjoint: bool = False,
    record_tape: bool = True,
    record_cmd: Literal[False] = False,
    max_blocks: int = 0,
    block_dim: int | None = None,
) -> None: ...
@overload
def launch(
    kernel: Kernel,
    dim: Shape,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    adj_inputs: Sequence[Any] | None = None,
    adj_outputs: Sequence[Any] | None = None,
    device: DeviceLike = None,
    stream: Stream | None = None,
    adjoint: bool = False,
    record_tape: bool = True,
    *,
    record_cmd: Literal[True],
    max_blocks: int = 0,
    block_dim: int | None = None,
) -> Launch: ...
@overload
def launch(
    kernel: Kernel,
    dim: Shape,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    adj_inputs: Sequence[Any] | None = None,
    adj_outputs: Sequence[Any] | None = None,
    device: DeviceLike = None,
    stream: Stream | None = None,
    adjoint: bool = False,
    record_tape: bool = True,
    record_cmd: bool = False,
    max_blocks: int = 0,
    block_dim: int | None = None,
) -> Launch | None: ...
