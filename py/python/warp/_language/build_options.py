"""What `wp.ModuleBuildOptions` holds: options for code in C++, of which there is none here."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

_Paths = Sequence[str | PathLike[str]]


class ModuleBuildOptions:
    """Options for the C++ code of modules. They are kept; kernels are compiled without C++.

    Args:
        extra_cuda_include_dirs: Only for CUDA.
        extra_cpu_include_dirs: Only None or an empty list.
        extra_cuda_preamble: Only for CUDA.
        extra_cpu_preamble: Only None or an empty text.
        extra_build_dependencies: Kept: what a kernel does decides whether it is compiled again.

    Raises:
        NotImplementedError: There are directories or text for the CPU's code.
        TypeError: A list of paths or a text has another type.
    """

    def __init__(
        self,
        *,
        extra_cuda_include_dirs: _Paths | None = None,
        extra_cpu_include_dirs: _Paths | None = None,
        extra_cuda_preamble: str | None = None,
        extra_cpu_preamble: str | None = None,
        extra_build_dependencies: _Paths | None = None,
    ) -> None:
        self.extra_cuda_include_dirs = _paths("extra_cuda_include_dirs", extra_cuda_include_dirs)
        self.extra_cpu_include_dirs = _paths("extra_cpu_include_dirs", extra_cpu_include_dirs)
        self.extra_cuda_preamble = _text("extra_cuda_preamble", extra_cuda_preamble)
        self.extra_cpu_preamble = _text("extra_cpu_preamble", extra_cpu_preamble)
        self.extra_build_dependencies = _paths("extra_build_dependencies", extra_build_dependencies)
        for name in ("extra_cpu_include_dirs", "extra_cpu_preamble"):
            if getattr(self, name):
                raise NotImplementedError(
                    f"ModuleBuildOptions: {name} is for C++, which kernels are not made of; write what it has in "
                    "Python, with @wp.func"
                )

    def merged(self, *others: ModuleBuildOptions) -> ModuleBuildOptions:
        """New options: these, then those of the others; what is in a list already is not added again.

        Raises:
            TypeError: One of them is something else.
        """
        made = ModuleBuildOptions()
        for options in (self, *others):
            if not isinstance(options, ModuleBuildOptions):
                raise TypeError(f"merged: expected ModuleBuildOptions, found {options!r}")
            for name, value in vars(options).items():
                own = getattr(made, name)
                if isinstance(value, str):
                    setattr(made, name, "\n".join(filter(None, (own, value))))
                else:
                    setattr(made, name, own + [path for path in value if path not in own])
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModuleBuildOptions) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # options can change

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value)
        return f"ModuleBuildOptions({given})"


def _paths(name: str, given: Any) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str | PathLike) or not all(isinstance(path, str | PathLike) for path in given):
        raise TypeError(f"ModuleBuildOptions: {name} is {given!r}; expected a list of paths")
    return [str(path) for path in given]


def _text(name: str, given: Any) -> str:
    if given is not None and not isinstance(given, str):
        raise TypeError(f"ModuleBuildOptions: {name} is {given!r}; expected a str")
    return given or ""
