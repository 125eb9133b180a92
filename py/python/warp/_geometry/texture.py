"""Textures: images in one, two or three dimensions, between whose texels kernels interpolate."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
import warp.types as t
from warp._devices.stream import DeviceLike
from warp._geometry.texels import CODES, levels_of, mode_of, texels_of
from warp._language.struct import of_elem
from warp._warp import Device, _Described, _error, _fields, _library_struct, get_device, register_type
from warp._warp import array as Array  # noqa: N812

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

    def __init__(self, *args: Any, **options: Any) -> None:
        raise TypeError("Texture: make a Texture1D, Texture2D or Texture3D; this is what they have in common")

    def _init(
        self,
        texels: tuple[Any, tuple[int, ...], int, Any],
        modes: tuple[Any, Any, tuple[Any, ...], Any],
        normalized_coords: bool,
        num_mip_levels: int,
        device: DeviceLike,
        surface_access: bool,
        cuda_array: int,
    ) -> None:
        # `texels`: data, the extents, num_channels and dtype.
        # `modes`: filter_mode, address_mode, that of each axis, and mip_filter_mode.
        place = type(self).__name__
        if surface_access or cuda_array:
            raise _error("Runtime", f"{place}: surfaces and CUDA arrays are not supported; texels lie in linear memory")
        data, sizes, channels, dtype = texels
        where = get_device(data.device if device is None and isinstance(data, Array) else device)
        first = texels_of(place, self.ndim, data, sizes[::-1], channels, dtype)
        name = np.dtype(first.dtype.__name__ if isinstance(first, Array) else first.dtype).name
        filter_mode, address_mode, given, mip_filter_mode = modes
        whole = name in ("uint32", "int32")
        default = TextureFilterMode.CLOSEST if whole else TextureFilterMode.LINEAR
        filtered = mode_of(place, "filter_mode", TextureFilterMode, filter_mode, default)
        if filtered == TextureFilterMode.LINEAR and whole:
            raise _error("ArrayValue", f"{place}: texels of {name} are not interpolated; use filter_mode=CLOSEST")
        mips = mode_of(place, "mip_filter_mode", TextureFilterMode, mip_filter_mode, filtered)
        axes = address_mode if isinstance(address_mode, tuple | list) else (address_mode,) * 3
        if len(axes) < self.ndim:
            raise _error("ArrayValue", f"{place}: address_mode has {len(axes)} modes, expected {self.ndim}")
        beyond = [
            mode_of(place, f"address_mode_{'uvw'[n]}", TextureAddressMode, mode, axes[n])
            for n, mode in enumerate(given)
        ]
        info = _Info(name, filtered, mips, beyond, bool(normalized_coords))
        levels = levels_of(place, first, self.ndim, num_mip_levels)
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
            data = Array(padded, dtype=CODES[info.name][1], device=device)
        words[4:14] = (
            sum(level.size for level in levels),
            CODES[info.name][0],
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
        return CODES[self._info.name][1]

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


def _struct_of(name: str) -> Any:
    """The struct that a texture is in kernels."""
    elem = _library_struct(name)
    fields = {field: cls for field, cls, _ in _fields(elem)}
    return of_elem(elem, name, fields, {"__module__": "warp", "_declared_": None})


class Texture1D(Texture, _struct_of("Texture1D")):  # type: ignore[misc]
    """A line of texels, made and sampled as every :class:`Texture`."""

    ndim = 1

    def __init__(
        self,
        data: Any = None,
        width: int = 0,
        num_channels: int = 0,
        dtype: Any = None,
        filter_mode: Any = None,
        address_mode: Any = TextureAddressMode.CLAMP,
        address_mode_u: Any = None,
        normalized_coords: bool = True,
        num_mip_levels: int = 1,
        mip_filter_mode: Any = None,
        device: DeviceLike = None,
        surface_access: bool = False,
        cuda_array: int = 0,
    ) -> None:
        texels = (data, (width,), num_channels, dtype)
        modes = (filter_mode, address_mode, (address_mode_u,), mip_filter_mode)
        self._init(texels, modes, normalized_coords, num_mip_levels, device, surface_access, cuda_array)


class Texture2D(Texture, _struct_of("Texture2D")):  # type: ignore[misc]
    """An image of texels, made and sampled as every :class:`Texture`."""

    ndim = 2

    def __init__(
        self,
        data: Any = None,
        width: int = 0,
        height: int = 0,
        num_channels: int = 0,
        dtype: Any = None,
        filter_mode: Any = None,
        address_mode: Any = TextureAddressMode.CLAMP,
        address_mode_u: Any = None,
        address_mode_v: Any = None,
        normalized_coords: bool = True,
        num_mip_levels: int = 1,
        mip_filter_mode: Any = None,
        device: DeviceLike = None,
        surface_access: bool = False,
        cuda_array: int = 0,
    ) -> None:
        texels = (data, (width, height), num_channels, dtype)
        modes = (filter_mode, address_mode, (address_mode_u, address_mode_v), mip_filter_mode)
        self._init(texels, modes, normalized_coords, num_mip_levels, device, surface_access, cuda_array)


class Texture3D(Texture, _struct_of("Texture3D")):  # type: ignore[misc]
    """A box of texels, made and sampled as every :class:`Texture`."""

    ndim = 3

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
        texels = (data, (width, height, depth), num_channels, dtype)
        modes = (filter_mode, address_mode, (address_mode_u, address_mode_v, address_mode_w), mip_filter_mode)
        self._init(texels, modes, normalized_coords, num_mip_levels, device, surface_access, cuda_array)


def _document(cls: Any) -> None:
    """Adds what all textures have in common, without the parameters that this one has not."""
    lines = (Texture.__doc__ or "").split(".", 1)[1].rstrip().split("\n")
    lacks = [f"        {name}: " for n, name in enumerate(("height", "depth"), 2) if n > cls.ndim]
    lacks += [f"        address_mode_{axis}: " for n, axis in enumerate("vw", 2) if n > cls.ndim]
    kept = [line for line in lines if not line.startswith(tuple(lacks))] if lacks else lines
    cls.__doc__ = cls.__doc__ + "\n".join(kept) + "\n    "


for _class in (Texture1D, Texture2D, Texture3D):
    _class.__module__ = "warp"
    _document(_class)
    register_type(_class._elem, _class)
