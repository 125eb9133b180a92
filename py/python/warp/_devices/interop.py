"""Streams of torch and paddle as streams of ours, and back. Neither is imported before one of its streams is needed."""

from __future__ import annotations

from typing import Any

from warp import _warp
from warp._devices.stream import Stream, get_stream
from warp._warp import Device, get_devices


def _adopt(function: str, handle: Any, device: Device, owner: Any) -> Stream:
    """A stream with a handle of another library's, whose object it keeps."""
    if not isinstance(handle, int) or not device.is_cuda:
        raise RuntimeError(f"{function}: {owner!r} is no stream of a CUDA device")
    stream = Stream(device, cuda_stream=handle)
    stream._owner = owner
    return stream


def _check_gpu(function: str, given: Any) -> None:
    if not any(device.is_cuda for device in get_devices()):
        raise RuntimeError(f"{function}: {given!r} has no counterpart: there is no CUDA device")


def stream_from_torch(stream_or_device: Any = None) -> Stream:
    """The Warp stream of a CUDA stream of torch's: the same queue.

    Args:
        stream_or_device: A ``torch.cuda.Stream``, or a device of torch's, whose current stream is meant; torch's
            current device by default.

    Returns:
        Stream: It keeps torch's object. While it exists, memory that is freed waits for the stream, too.

    Raises:
        RuntimeError: There is no CUDA device, or the stream belongs to none.
    """
    stream = stream_or_device
    if not hasattr(stream, "cuda_stream"):
        _check_gpu("stream_from_torch", stream)
        import torch

        stream = torch.cuda.current_stream(stream)
    return _adopt("stream_from_torch", stream.cuda_stream, _warp.device_from_torch(stream.device), stream)


def stream_to_torch(stream_or_device: Any = None) -> Any:
    """The torch stream of a Warp stream on a CUDA device: the same queue.

    Args:
        stream_or_device: A ``wp.Stream``, or a device, whose current stream is meant; the current device by default.

    Returns:
        torch.cuda.Stream: It keeps the Warp stream.

    Raises:
        RuntimeError: The stream is not on a CUDA device.
        ValueError: There is no such device.
    """
    stream = stream_or_device if isinstance(stream_or_device, Stream) else get_stream(stream_or_device)
    if stream.cuda_stream is None:
        raise RuntimeError(f"stream_to_torch: device {stream.device} has no CUDA streams")
    import torch

    device = _warp.device_to_torch(stream.device)
    if stream.cuda_stream == 0:
        return torch.cuda.default_stream(device)
    made = torch.cuda.ExternalStream(stream.cuda_stream, device=device)
    made._warp_stream = stream
    return made


def stream_from_paddle(stream_or_device: Any = None) -> Stream:
    """The Warp stream of a CUDA stream of paddle's: the same queue.

    Args:
        stream_or_device: A stream of paddle's, or a place or the name of a device, whose current stream is meant;
            paddle's current device by default.

    Returns:
        Stream: It keeps paddle's object. While it exists, memory that is freed waits for the stream, too.

    Raises:
        RuntimeError: There is no CUDA device, or the stream belongs to none.
    """
    stream = stream_or_device
    if not hasattr(stream, "stream_base") and not hasattr(stream, "cuda_stream"):
        _check_gpu("stream_from_paddle", stream)
        import paddle

        stream = paddle.device.current_stream(stream)
    base = getattr(stream, "stream_base", stream)
    return _adopt("stream_from_paddle", base.cuda_stream, _warp.device_from_paddle(base.place), stream)
