"""What makes arrays; part of the extension module."""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, overload

from typing_extensions import TypeVar
from warp._array import array
from warp._device import DeviceLike, Shape
from warp._warp import ArrayDescriptor

T = TypeVar("T", default=Any)
D = TypeVar("D", bound=SupportsIndex | Sequence[SupportsIndex])

@overload
def from_ptr(
    ptr: SupportsIndex, length: int, dtype: type[T], shape: Shape | None = None, device: DeviceLike = None
) -> array[T, Any]: ...
@overload
def from_ptr(
    ptr: SupportsIndex, length: int, dtype: Any = None, shape: Shape | None = None, device: DeviceLike = None
) -> array[Any, Any]: ...
@overload
def zeros(
    shape: D,
    dtype: type[T],
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[T, D]: ...
@overload
def zeros(
    shape: D,
    dtype: None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[float, D]: ...
@overload
def zeros(
    shape: Shape | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[Any, Any]: ...
@overload
def empty(
    shape: D,
    dtype: type[T],
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[T, D]: ...
@overload
def empty(
    shape: D,
    dtype: None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[float, D]: ...
@overload
def empty(
    shape: Shape | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[Any, Any]: ...
@overload
def ones(
    shape: D,
    dtype: type[T],
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[T, D]: ...
@overload
def ones(
    shape: D,
    dtype: None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[float, D]: ...
@overload
def ones(
    shape: Shape | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[Any, Any]: ...
@overload
def full(
    shape: D,
    value: Any,
    dtype: type[T],
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[T, D]: ...
@overload
def full(
    shape: Shape | None = None,
    value: Any = None,
    dtype: Any = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pinned: bool = False,
    retain_grad: bool = False,
    *,
    strides: Shape | None = None,
    n: Shape | None = None,
    ndim: int | None = None,
) -> array[Any, Any]: ...
@overload
def zeros_like(
    src: array[T, D],
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[T, D]: ...
@overload
def zeros_like(
    src: Any,
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
@overload
def empty_like(
    src: array[T, D],
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[T, D]: ...
@overload
def empty_like(
    src: Any,
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
@overload
def ones_like(
    src: array[T, D],
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[T, D]: ...
@overload
def ones_like(
    src: Any,
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
@overload
def full_like(
    src: array[T, D],
    value: Any,
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[T, D]: ...
@overload
def full_like(
    src: Any,
    value: Any,
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
@overload
def clone(
    src: array[T, D],
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[T, D]: ...
@overload
def clone(
    src: Any,
    device: DeviceLike = None,
    requires_grad: bool | None = None,
    pinned: bool | None = None,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
def copy(
    dest: Any, src: Any, dest_offset: int = 0, src_offset: int = 0, count: int = 0, stream: Any = None
) -> None: ...
@overload
def from_numpy(
    arr: Any,
    dtype: type[T],
    shape: Shape | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    retain_grad: bool = False,
) -> array[T, Any]: ...
@overload
def from_numpy(
    arr: Any,
    dtype: Any = None,
    shape: Shape | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
@overload
def from_torch(
    t: Any,
    dtype: type[T],
    requires_grad: bool | None = None,
    grad: Any = None,
    return_ctype: Literal[False] = False,
    retain_grad: bool = False,
) -> array[T, Any]: ...
@overload
def from_torch(
    t: Any,
    dtype: Any = None,
    requires_grad: bool | None = None,
    grad: Any = None,
    return_ctype: Literal[False] = False,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
@overload
def from_torch(
    t: Any,
    dtype: Any = None,
    requires_grad: bool | None = None,
    grad: Any = None,
    *,
    return_ctype: Literal[True],
    retain_grad: bool = False,
) -> ArrayDescriptor: ...
@overload
def from_paddle(
    t: Any,
    dtype: type[T],
    requires_grad: bool | None = None,
    grad: Any = None,
    return_ctype: Literal[False] = False,
    retain_grad: bool = False,
) -> array[T, Any]: ...
@overload
def from_paddle(
    t: Any,
    dtype: Any = None,
    requires_grad: bool | None = None,
    grad: Any = None,
    return_ctype: Literal[False] = False,
    retain_grad: bool = False,
) -> array[Any, Any]: ...
@overload
def from_paddle(
    t: Any,
    dtype: Any = None,
    requires_grad: bool | None = None,
    grad: Any = None,
    *,
    return_ctype: Literal[True],
    retain_grad: bool = False,
) -> ArrayDescriptor: ...
@overload
def from_dlpack(
    source: Any, dtype: type[T], *, device: DeviceLike = None, copy: bool | None = None
) -> array[T, Any]: ...
@overload
def from_dlpack(
    source: Any, dtype: Any = None, *, device: DeviceLike = None, copy: bool | None = None
) -> array[Any, Any]: ...
@overload
def from_jax(jax_array: Any, dtype: type[T]) -> array[T, Any]: ...
@overload
def from_jax(jax_array: Any, dtype: Any = None) -> array[Any, Any]: ...
