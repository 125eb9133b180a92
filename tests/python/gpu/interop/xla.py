"""Calls of XLA's foreign function interface, made by hand: what XLA does on a GPU, over memory of the driver's."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

INITIALIZE, EXECUTE = 2, 3
COMMAND_BUFFER_COMPATIBLE = 1
METADATA = 1
FLOAT32, INT32, UINT8 = 11, 4, 6
#: XLA's numbers of NumPy's types.
TYPES = {np.dtype(np.float32): FLOAT32, np.dtype(np.int32): INT32, np.dtype(np.uint8): UINT8, np.dtype(np.int64): 5}
STRING, ARRAY, SCALAR = 4, 1, 3


def _struct(name: str, *fields: tuple[str, Any]) -> Any:
    return type(name, (ctypes.Structure,), {"_fields_": [("size_of", c_size_t), ("extension", c_void_p), *fields]})


Version = _struct("Version", ("major", c_int), ("minor", c_int))
Buffer = _struct("Buffer", ("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", POINTER(c_int64)))
Buffers = _struct("Buffers", ("size", c_int64), ("kinds", POINTER(c_int)), ("buffers", POINTER(c_void_p)))
Attrs = _struct(
    "Attrs", ("size", c_int64), ("kinds", POINTER(c_int)), ("names", POINTER(c_void_p)), ("values", POINTER(c_void_p))
)
ErrorCreate = _struct("ErrorCreate", ("message", c_char_p), ("code", c_int))
ErrorMessage = _struct("ErrorMessage", ("error", c_void_p), ("message", c_char_p))
StreamGet = _struct("StreamGet", ("context", c_void_p), ("stream", c_void_p))
OrdinalGet = _struct("OrdinalGet", ("context", c_void_p), ("ordinal", c_int32))


class Span(ctypes.Structure):
    _fields_ = [("data", c_char_p), ("len", c_size_t)]


class Array(ctypes.Structure):
    _fields_ = [("dtype", c_int), ("size", c_size_t), ("data", c_void_p)]


class Scalar(ctypes.Structure):
    _fields_ = [("dtype", c_int), ("value", c_void_p)]


class Metadata(ctypes.Structure):
    _fields_ = [("size_of", c_size_t), ("version", Version), ("traits", c_uint32), ("state", c_int64)]


class Extension(ctypes.Structure):
    _fields_ = [("size_of", c_size_t), ("kind", c_int), ("next", c_void_p), ("metadata", c_void_p)]


Create = ctypes.CFUNCTYPE(c_void_p, POINTER(ErrorCreate))
Message = ctypes.CFUNCTYPE(None, POINTER(ErrorMessage))
Destroy = ctypes.CFUNCTYPE(None, c_void_p)
GetStream = ctypes.CFUNCTYPE(c_void_p, POINTER(StreamGet))
GetOrdinal = ctypes.CFUNCTYPE(c_void_p, POINTER(OrdinalGet))


class Api(ctypes.Structure):
    _fields_ = [
        ("size_of", c_size_t),
        ("extension", c_void_p),
        ("version", Version),
        ("internal", c_void_p),
        ("create", Create),
        ("message", Message),
        ("destroy", Destroy),
        ("register", c_void_p),
        ("stream", GetStream),
        ("others", c_void_p * 12),
        ("ordinal", GetOrdinal),
    ]


Frame = _struct(
    "Frame",
    ("api", POINTER(Api)),
    ("context", c_void_p),
    ("stage", c_int),
    ("args", Buffers),
    ("rets", Buffers),
    ("attrs", Attrs),
    ("future", c_void_p),
)

ctypes.pythonapi.PyCapsule_GetPointer.restype = c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, c_char_p]


class XlaError(Exception):
    """What a handler answers; `code` is XLA's."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass
class Memory:
    """A buffer: where it is and what is in it."""

    address: int
    shape: tuple[int, ...]
    dtype: Any = np.float32


class Caller:
    """XLA for one GPU.

    Args:
        handler: A capsule.
        stream: What XLA says the stream is; None for none, as on the CPU.
        ordinal: What XLA says the device is; None for an XLA that does not say.
    """

    def __init__(self, handler: Any, stream: int | None, ordinal: int | None = 0) -> None:
        self.handler = ctypes.CFUNCTYPE(c_void_p, c_void_p)(ctypes.pythonapi.PyCapsule_GetPointer(handler, None))
        self.stream, self.ordinal = stream, ordinal
        self.error: XlaError | None = None
        self.destroyed = 0

        @Create
        def create(request: Any) -> int:
            said = request.contents
            self.error = XlaError(said.code, said.message.decode())
            return 1

        @Message
        def message(request: Any) -> None:
            request.contents.message = b"there is no stream"

        @Destroy
        def destroy(_: Any) -> None:
            self.destroyed += 1

        @GetStream
        def get_stream(request: Any) -> int:
            if self.stream is None:
                return 1
            request.contents.stream = self.stream
            return 0

        @GetOrdinal
        def get_ordinal(request: Any) -> int:
            request.contents.ordinal = self.ordinal
            return 0

        size = ctypes.sizeof(Api) if ordinal is not None else Api.ordinal.offset
        self.api = Api(
            size, None, Version(24, None, 0, 1), None, create, message, destroy, None, get_stream, ordinal=get_ordinal
        )
        self._alive: list[Any] = []

    def _keep(self, value: Any) -> Any:
        self._alive.append(value)
        return value

    def _buffers(self, all_: Any) -> Any:
        made = []
        for one in all_:
            dims = self._keep((c_int64 * len(one.shape))(*one.shape))
            dtype = TYPES[np.dtype(one.dtype)]
            made.append(self._keep(Buffer(48, None, dtype, one.address, len(one.shape), dims)))
        kinds = self._keep((c_int * len(made))(*[1] * len(made)))
        pointers = self._keep((c_void_p * len(made))(*map(ctypes.addressof, made)))
        return Buffers(40, None, len(made), kinds, pointers)

    def _attrs(self, attributes: dict[str, Any]) -> Any:
        kinds, names, values = [], [], []
        for name, value in sorted(attributes.items()):
            names.append(self._keep(Span(name.encode(), len(name))))
            if isinstance(value, str):
                kinds.append(STRING)
                values.append(self._keep(Span(value.encode(), len(value))))
            elif isinstance(value, np.ndarray):
                kinds.append(ARRAY)
                values.append(self._keep(Array(TYPES[value.dtype], value.size, self._keep(value).ctypes.data)))
            else:
                kinds.append(SCALAR)
                number = self._keep(np.array(value))
                values.append(self._keep(Scalar(TYPES[number.dtype], number.ctypes.data)))
        count = len(kinds)
        pointers = [self._keep((c_void_p * count)(*map(ctypes.addressof, p))) for p in (names, values)]
        return Attrs(48, None, count, self._keep((c_int * count)(*kinds)), *pointers)

    def __call__(self, args: Any, rets: Any, attributes: dict[str, Any], stage: int = EXECUTE) -> None:
        """One call.

        Raises:
            XlaError: What the handler answers.
        """
        frame = Frame(
            168,
            None,
            ctypes.pointer(self.api),
            None,
            stage,
            self._buffers(args),
            self._buffers(rets),
            self._attrs(attributes),
        )
        failed, self.error = None, None
        failed = self.handler(ctypes.addressof(frame))
        self._alive.clear()
        assert bool(failed) == (self.error is not None)
        if self.error is not None:
            raise self.error

    def metadata(self) -> Metadata:
        """What the handler says about itself."""
        metadata = Metadata(64)
        extension = Extension(24, METADATA, None, ctypes.addressof(metadata))
        frame = Frame(168, ctypes.addressof(extension), ctypes.pointer(self.api))
        assert not self.handler(ctypes.addressof(frame))
        return metadata
