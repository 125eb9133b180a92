"""Arrays of NVIDIA Omniverse's Fabric: refused by name, with what to use instead."""

from __future__ import annotations

from typing import Any, NoReturn


class fabricarray:
    """An array on an attribute of NVIDIA Omniverse's Fabric.

    Not supported: copy the attribute to a `wp.array`, or wrap its memory: ``wp.array(ptr=..., dtype=..., shape=...)``.

    Raises:
        NotImplementedError: Always.
    """

    def __new__(cls, *args: Any, **options: Any) -> NoReturn:
        _refuse(cls)

    def __class_getitem__(cls, dtype: Any) -> NoReturn:
        _refuse(cls)


def _refuse(cls: type) -> NoReturn:
    raise NotImplementedError(
        f"wp.{cls.__name__}: arrays of NVIDIA Omniverse's Fabric are not supported; copy the attribute to a "
        "wp.array, or wrap its memory with wp.array(ptr=..., dtype=..., shape=...)"
    )


class fabricarrayarray(fabricarray):
    """As `fabricarray`, of arrays. Not supported."""


class indexedfabricarray(fabricarray):
    """As `fabricarray`, with indices. Not supported."""


class indexedfabricarrayarray(fabricarray):
    """As `fabricarrayarray`, with indices. Not supported."""
