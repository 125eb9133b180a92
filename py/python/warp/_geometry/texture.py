"""Textures: images in one, two or three dimensions, between whose texels kernels interpolate."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
import warp.types as t
from warp._devices.stream import DeviceLike
from warp._language.struct import of_elem
from warp._warp import Device, _Described, _error, _fields, _library_struct, get_device, register_type
from warp._warp import array as Array  # noqa: N812

#: The number of each type of texels, as `library/texture.py` knows it, and its dtype.
_CODES = {
    "float32": (0, t.float32),
    "float16": (1, t.float16),
    "uint32": (2, t.uint32),
    "int32": (3, t.int32),
    "uint8": (4, t.uint8),
    "int8": (5, t.int8),
    "uint16": (6, t.uint16),
    "int16": (7, t.int16),
}
#: Where levels are described, in words of 32 bits, and how many there are at most.
_LEVELS, _MOST = 32, 16


class TextureFilterMode(IntEnum):
    """How a texture is read between texels."""

    #: The closest texel.
    CLOSEST = 0
    #: Interpolated between the texels around.
    LINEAR = 1


class TextureAddressMode(IntEnum):
    """What a texture is beyond its borders."""

    #: The texture again.
    WRAP = 0
    #: The last texel.
    CLAMP = 1
    #: The texture mirrored, and again.
    MIRROR = 2
    #: Zero.
    BORDER = 3


class Texture:
    """A texture: what :class:`Texture1D`, :class:`Texture2D` and :class:`Texture3D` have in common.

    Kernels take it as a parameter of its class, in fields of structs and in arrays of such; ``wp.texture_sample``
    interpolates. Where it is given as a parameter, None stands for a texture that is 0 everywhere. Derivatives reach
    the coordinates, and the texels if ``data`` is an array of float32 that requires a gradient: then the texture shares
    its memory, and has one level.

    Args:
        data: Texels: a NumPy array or a Warp array of the shape (width), (height, width) or (depth, height, width),
            with 2 or 4 channels as another dimension, or of ``vec2`` or ``vec4``. Numbers of uint8 and uint16 are read
            as 0 to 1, of int8 and int16 as -1 to 1; of uint32, int32, float16 and float32 as they are.
        width: Texels along the first coordinate, if there is no ``data``.
        height: Along the second.
        depth: Along the third.
        num_channels: 1, 2 or 4, if there is no ``data``.
        dtype: The type of numbers, if there is no ``data``.
        filter_mode: ``TextureFilterMode.LINEAR`` (the default but for integers of 32 bits) or ``CLOSEST``.
        address_mode: What lies beyond the borders, along all axes, or a tuple with one for each.
        address_mode_u: The same, along the first axis.
        address_mode_v: Along the second.
        address_mode_w: Along the third.
        normalized_coords: Whether coordinates are from 0 to 1 instead of in texels.
        num_mip_levels: How many levels, each with half the texels of the one before; 0 for as many as there can be.
        mip_filter_mode: Whether levels are blended; as ``filter_mode`` by default.
        device: Where it is to lie; that of ``data`` by default.

    Raises:
        TypeError: An argument is of another type.
        ValueError: The shape, the number of channels or an option is none of these. It is a RuntimeError, too.
    """

    #: How many coordinates it has.
    ndim: ClassVar[int]
    _object: Any
    _info: Any
    _data: Any
    _shapes: Any
    _values: Any

    def __init__(
        self,
        data: Any = None,
        width: int = 0,
        height: int = 0,
        depth: int = 0,
        num_channels: int = 0,
        dtype: Any = None,
        filter_mode: Any = None,
        address_mode: Any = TextureAddressMode.CLAMP,
        address_mode_u: Any = None,
        address_mode_v: Any = None,
        address_mode_w: Any = None,
        normalized_coords: bool = True,
        num_mip_levels: int = 1,
        mip_filter_mode: Any = None,
        device: DeviceLike = None,
        surface_access: bool = False,
        cuda_array: int = 0,
    ) -> None:
        place = type(self).__name__
        if type(self) is Texture:
            raise TypeError("Texture: make a Texture1D, Texture2D or Texture3D; this is what they have in common")
        if surface_access or cuda_array:
            raise _error("Runtime", f"{place}: surfaces and CUDA arrays are not supported; texels lie in linear memory")
        where = get_device(data.device if device is None and isinstance(data, Array) else device)
        sizes = (width, height, depth)[: self.ndim][::-1]
        texels = _texels(place, self.ndim, data, sizes, num_channels, dtype)
        name = np.dtype(texels.dtype.__name__ if isinstance(texels, Array) else texels.dtype).name
        filtered = _mode(place, "filter_mode", TextureFilterMode, filter_mode, _default_filter(name))
        if filtered == TextureFilterMode.LINEAR and name in ("uint32", "int32"):
            raise _error("ArrayValue", f"{place}: texels of {name} are not interpolated; use filter_mode=CLOSEST")
        mips = _mode(place, "mip_filter_mode", TextureFilterMode, mip_filter_mode, filtered)
        axes = address_mode if isinstance(address_mode, tuple | list) else (address_mode,) * 3
        given = (address_mode_u, address_mode_v, address_mode_w)
        if len(axes) < self.ndim:
            raise _error("ArrayValue", f"{place}: address_mode has {len(axes)} modes, expected {self.ndim}")
        modes = [
            _mode(place, f"address_mode_{'uvw'[n]}", TextureAddressMode, given[n], axes[n]) for n in range(self.ndim)
        ]
        info = _Info(name, filtered, mips, modes, bool(normalized_coords))
        levels = _levels(place, texels, self.ndim, num_mip_levels)
        if len(levels) > 1 and not normalized_coords:
            raise _error("ArrayValue", f"{place}: levels need normalized_coords=True")
        self._make(levels, info, where)

    def _make(self, levels: list[Any], info: _Info, device: Device) -> None:
        """The object of these levels, the largest first."""
        first = levels[0]
        channels = first.shape[self.ndim]
        words = np.zeros(_LEVELS + 4 * _MOST, dtype=np.int32)
        if isinstance(first, Array):
            data = first if first.device == device else first.to(device)
        else:
            numbers = np.concatenate([level.reshape(-1) for level in levels])
            # Texels of 8 and 16 bits are read four bytes at a time.
            padded = np.zeros(-(-numbers.size // 4) * 4, dtype=numbers.dtype)
            padded[: numbers.size] = numbers
            data = Array(padded, dtype=_CODES[info.name][1], device=device)
        words[4:14] = (
            sum(level.size for level in levels),
            _CODES[info.name][0],
            channels,
            info.filtered,
            len(levels),
            info.normalized,
            *info.modes,
            *[0] * (3 - self.ndim),
            info.mips,
        )
        at = 0
        for n, level in enumerate(levels):
            words[_LEVELS + 4 * n] = at // channels
            words[_LEVELS + 4 * n + 1 : _LEVELS + 4 * n + 1 + self.ndim] = level.shape[: self.ndim][::-1]
            words[_LEVELS + 4 * n + 1 + self.ndim : _LEVELS + 4 * n + 4] = 1
            at += level.size
        gradient = 1 if isinstance(first, Array) else None
        made = _Described("texture", words.view(np.uint64).tolist(), data, gradient)
        values = [t.uint64(made.id), *first.shape[: self.ndim][::-1]]
        object.__setattr__(self, "_values", values)
        for name, value in (
            ("_object", made),
            ("_info", info),
            ("_data", data),
            ("_shapes", [x.shape for x in levels]),
        ):
            object.__setattr__(self, name, value)

    def __index__(self) -> int:
        return self._object.id  # type: ignore[no-any-return]

    @property
    def device(self) -> Device:
        """Where it lies."""
        return get_device(self._data.device)

    @property
    def num_channels(self) -> int:
        """How many numbers a texel has."""
        return self._shapes[0][-1]  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        """The type of numbers."""
        return _CODES[self._info.name][1]

    @property
    def filter_mode(self) -> TextureFilterMode:
        """How it is read between texels."""
        return self._info.filtered  # type: ignore[no-any-return]

    @property
    def mip_filter_mode(self) -> TextureFilterMode:
        """How it is read between levels."""
        return self._info.mips  # type: ignore[no-any-return]

    @property
    def num_mip_levels(self) -> int:
        """How many levels it has."""
        return len(self._shapes)

    @property
    def is_mipmapped(self) -> bool:
        """Whether it has more than one level."""
        return self.num_mip_levels > 1

    @property
    def normalized_coords(self) -> bool:
        """Whether coordinates are from 0 to 1."""
        return self._info.normalized  # type: ignore[no-any-return]

    @property
    def address_mode_u(self) -> TextureAddressMode:
        """What lies beyond the borders along the first axis."""
        return self._info.modes[0]  # type: ignore[no-any-return]

    @property
    def address_mode_v(self) -> TextureAddressMode:
        """Along the second axis."""
        return self._axis(1)

    @property
    def address_mode_w(self) -> TextureAddressMode:
        """Along the third axis."""
        return self._axis(2)

    def _axis(self, n: int) -> TextureAddressMode:
        modes = self._info.modes
        return modes[n] if n < len(modes) else TextureAddressMode.CLAMP

    @property
    def cuda_array(self) -> int:
        """Of textures of GPUs.

        Raises:
            RuntimeError: The texture lies on the CPU.
        """
        raise self._of_gpus("cuda_array")

    @property
    def cuda_texture(self) -> int:
        """Of textures of GPUs.

        Raises:
            RuntimeError: The texture lies on the CPU.
        """
        raise self._of_gpus("cuda_texture")

    @property
    def cuda_surface(self) -> int:
        """Of textures of GPUs.

        Raises:
            RuntimeError: The texture lies on the CPU.
        """
        raise self._of_gpus("cuda_surface")

    def _of_gpus(self, name: str) -> Exception:
        return _error("Runtime", f"{type(self).__name__}.{name}: the texture lies on the CPU")  # type: ignore[no-any-return]

    def copy_from(self, src: Any) -> None:
        """Copy texels from an array or a texture.

        Args:
            src: A NumPy array, a Warp array or a texture of the same shape and type of numbers.

        Raises:
            RuntimeError: The texture has several levels.
            TypeError: ``src`` has numbers of another type. It is a RuntimeError, too.
            ValueError: It has another shape. It is a RuntimeError, too.
        """
        place = f"{type(self).__name__}.copy_from"
        if self.is_mipmapped:
            raise _error("Runtime", f"{place}: a texture with several levels does not change; make another one")
        given = src._array() if isinstance(src, Texture) else src
        texels = np.asarray(given.numpy() if isinstance(given, Array) else given)
        shape = self._shapes[0]
        if texels.shape not in (shape, shape[:-1] if shape[-1] == 1 else shape):
            raise _error("ArrayValue", f"{place}: src has the shape {texels.shape}, the texture has {shape}")
        if texels.dtype.name != self._info.name:
            raise _error("ArrayType", f"{place}: src holds {texels.dtype.name}, the texture {self._info.name}")
        self._data.reshape(-1)[: texels.size].assign(np.ascontiguousarray(texels).reshape(-1))

    def copy_to(self, dst: Any) -> None:
        """Copy texels to an array or a texture.

        Args:
            dst: A NumPy array, a Warp array or a texture of the same shape and type of numbers.

        Raises:
            TypeError: ``dst`` has numbers of another type. It is a RuntimeError, too.
            ValueError: It has another shape. It is a RuntimeError, too.
        """
        if isinstance(dst, Texture):
            dst.copy_from(self)
            return
        place, texels = f"{type(self).__name__}.copy_to", self._array()
        found = dst.numpy() if isinstance(dst, Array) else dst
        if found.dtype.name != self._info.name:
            raise _error("ArrayType", f"{place}: dst holds {found.dtype.name}, the texture {self._info.name}")
        if found.size != texels.size or found.shape not in (texels.shape, texels.shape[:-1]):
            raise _error("ArrayValue", f"{place}: dst has the shape {found.shape}, the texture has {texels.shape}")
        if isinstance(dst, Array):
            dst.assign(texels.reshape(found.shape))
        else:
            dst[...] = texels.reshape(found.shape)

    def _array(self) -> Any:
        """The texels of the largest level."""
        shape = self._shapes[0]
        return self._data.numpy().reshape(-1)[: int(np.prod(shape))].reshape(shape)

    def __repr__(self) -> str:
        size = " x ".join(str(n) for n in self._values[1:])
        kind = f"{self.num_channels} x {self._info.name}"
        return f"{type(self).__name__}({size} texels of {kind}, device={str(self.device)!r})"

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __copy__(self) -> Any:
        # As the field of a struct: the same texture.
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        function, args = self.__reduce__()
        return function(*args)

    def __reduce__(self) -> tuple[Any, ...]:
        info = self._info
        options = (info.filtered, tuple(info.modes), info.normalized, self.num_mip_levels, info.mips)
        data = self._data if self._object_has_gradient() else self._array()
        return _restored, (type(self), data, options, str(self.device))

    def _object_has_gradient(self) -> bool:
        return bool(self._data.requires_grad)


class _Info:
    """What a texture is."""

    def __init__(self, name: str, filtered: Any, mips: Any, modes: list[Any], normalized: bool) -> None:
        self.name, self.filtered, self.mips, self.modes, self.normalized = name, filtered, mips, modes, normalized


def _restored(cls: Any, data: Any, options: tuple[Any, ...], device: str) -> Any:
    """A texture like another one."""
    filtered, modes, normalized, levels, mips = options
    more = {"filter_mode": filtered, "address_mode": modes, "mip_filter_mode": mips, "device": device}
    return cls(data, normalized_coords=normalized, num_mip_levels=levels, **more)


def _default_filter(name: str) -> TextureFilterMode:
    return TextureFilterMode.CLOSEST if name in ("uint32", "int32") else TextureFilterMode.LINEAR


def _mode(place: str, name: str, enum: Any, value: Any, default: Any) -> Any:
    """One of an enumeration."""
    found = default if value is None else value
    try:
        return enum(found)
    except ValueError:
        known = ", ".join(f"{enum.__name__}.{mode.name}" for mode in enum)
        raise _error("ArrayValue", f"{place}: {name} is {found!r}, expected one of {known}") from None


def _texels(place: str, ndim: int, data: Any, sizes: tuple[int, ...], channels: int, dtype: Any) -> Any:
    """An array with channels as its last dimension: that which is shared if it has a gradient, else one of NumPy."""
    if data is None:
        if any(n < 1 for n in sizes) or channels not in (1, 2, 4) or dtype is None:
            what = "width, height and depth as it has, num_channels (1, 2 or 4) and dtype"
            raise _error("ArrayValue", f"{place}: give data, or {what}")
        name = getattr(getattr(dtype, "_elem", None), "scalar", None) or np.dtype(dtype).name
        if name not in _CODES:
            raise _error("ArrayValue", f"{place}: dtype is {name}, expected one of {', '.join(_CODES)}")
        return np.zeros((*sizes, channels), dtype=name)
    if not isinstance(data, Array | np.ndarray):
        kind = type(data).__name__
        raise _error("ArrayValue", f"{place}: data is {kind}, expected an array of NumPy or Warp")
    texels: Any = data
    if isinstance(data, Array):
        shared = data.requires_grad
        texels = _with_channels(data) if shared else data.numpy()
        if shared and (not data.is_contiguous or texels.dtype != t.float32):
            raise _error("ArrayValue", f"{place}: data that requires a gradient is contiguous and of float32")
    name = texels.dtype.__name__ if isinstance(texels, Array) else texels.dtype.name
    if name not in _CODES:
        raise _error("ArrayValue", f"{place}: data holds {name}, expected one of {', '.join(_CODES)}")
    if len(texels.shape) == ndim:
        texels = texels.reshape((*texels.shape, 1))
    if len(texels.shape) != ndim + 1 or texels.shape[-1] not in (1, 2, 4) or 0 in texels.shape:
        axes = ("depth", "height", "width")[3 - ndim :]
        what = f"expected ({', '.join(axes)}) and 1, 2 or 4 channels"
        raise _error("ArrayValue", f"{place}: data has the shape {tuple(data.shape)}, {what}")
    return texels if isinstance(texels, Array) else np.ascontiguousarray(texels)


def _with_channels(data: Any) -> Any:
    """An array of vectors as one of numbers."""
    length = getattr(data.dtype, "_length_", 1)
    if length == 1 or data.dtype == t.float32:
        return data
    numbers = data.view(t.float32).reshape((*data.shape, length))
    if data.grad is not None:
        numbers.grad = data.grad.view(t.float32).reshape((*data.shape, length))
    return numbers


def _levels(place: str, texels: Any, ndim: int, wanted: Any) -> list[Any]:
    """The levels of a texture, each with half the texels of the one before: the mean of two along each axis."""
    if not isinstance(wanted, int) or wanted < 0:
        raise _error("ArrayValue", f"{place}: num_mip_levels is {wanted!r}, expected 0 or a number of levels")
    most = max(texels.shape[:ndim]).bit_length()
    if wanted > most:
        raise _error("ArrayValue", f"{place}: num_mip_levels is {wanted}, such a texture has {most} at most")
    count = most if wanted == 0 else wanted
    if count > 1 and isinstance(texels, Array):
        raise _error("ArrayValue", f"{place}: data that requires a gradient has one level; num_mip_levels is {wanted}")
    levels = [texels]
    while len(levels) < count:
        level = levels[-1].astype(np.float64)
        for axis in range(ndim):
            size = level.shape[axis]
            if size > 1:
                even = np.take(level, range(0, size // 2 * 2, 2), axis)
                level = (even + np.take(level, range(1, size // 2 * 2, 2), axis)) / 2
        if texels.dtype.kind in "iu":
            level = np.rint(level)
        levels.append(level.astype(texels.dtype))
    return levels


def _struct_of(name: str) -> Any:
    """The struct that a texture is in kernels."""
    elem = _library_struct(name)
    fields = {field: cls for field, cls, _ in _fields(elem)}
    return of_elem(elem, name, fields, {"__module__": "warp", "_declared_": None})


class Texture1D(Texture, _struct_of("Texture1D")):  # type: ignore[misc]
    """A line of texels, made and sampled as every :class:`Texture`."""

    ndim = 1


class Texture2D(Texture, _struct_of("Texture2D")):  # type: ignore[misc]
    """An image of texels, made and sampled as every :class:`Texture`."""

    ndim = 2


class Texture3D(Texture, _struct_of("Texture3D")):  # type: ignore[misc]
    """A box of texels, made and sampled as every :class:`Texture`."""

    ndim = 3


for _class in (Texture1D, Texture2D, Texture3D):
    _class.__module__ = "warp"
    # With the arguments, which are those of all textures.
    _class.__doc__ = f"{_class.__doc__}{(Texture.__doc__ or '').split('.', 1)[1].rstrip()}\n    "
    register_type(_class._elem, _class)
