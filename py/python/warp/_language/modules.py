"""Modules: the kernels, functions and structs of a Python module, and the options that they share."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Hashable, Iterable
from types import ModuleType
from typing import Any
from weakref import WeakValueDictionary

from warp import config
from warp._base.constants import DeterministicMode
from warp._devices.stream import DeviceLike
from warp._warp import __version__, _clear_cache, _defined, _digest, _host_id, _load_kernel, get_device

_BOOLEANS = ("check_bounds", "enable_backward", "fuse_fp", "fast_math", "lineinfo")

# What options are, unless somebody sets them. None: as `wp.config` says, at the first launch.
_DEFAULTS: dict[str, Any] = {
    "max_unroll": 16,
    "enable_backward": True,
    "check_bounds": None,
    "fast_math": False,
    "fuse_fp": True,
    "lineinfo": None,
    "cuda_output": None,
    "mode": None,
    "optimization_level": None,
    "lanes": None,
    "cpu_compiler_flags": None,
    "block_dim": 256,
    "compile_time_trace": False,
    "strip_hash": False,
    "default_grid_stride": None,
    "enable_mathdx_gemm": None,
    "enable_mathdx_solver": None,
    "enable_mathdx_fft": None,
    "deterministic_max_records": 0,
    "extra_build_options": None,
}

_MODES = (None, "release", "debug")


class Var:
    """A parameter of a kernel, or a field of a struct."""

    # No named tuple: each of these costs the import of the package 0.15 ms.
    __slots__ = ("label", "type")

    def __init__(self, label: str, type: Any) -> None:
        self.label = label
        self.type = type

    def __repr__(self) -> str:
        return f"Var(label={self.label!r}, type={self.type!r})"


class Signature:
    """What a kernel is called with."""

    # Beside the parameters what pickles need: the text, the function's own name, its other overloads, derivatives that
    # the author wrote, and what pickles call it.
    __slots__ = ("args", "name", "overloads", "rules", "statics", "text", "token")
    # Those of `wp.static` are part of the text that is compiled, whenever they are evaluated.
    has_unresolved_static_expressions = False

    def __init__(self, args: list[Var]) -> None:
        self.args = args
        self.name: str | None = None
        self.overloads: list[Any] = []
        self.rules: list[Any] = []
        # What `wp.static` gave where it was defined (`warp._language.statics`).
        self.statics: dict[str, Any] | None = None
        self.text: tuple[str, int, str] | None = None
        self.token: str | None = None


class About:
    """What a kernel or a function is called, and where it belongs. It does not refer to it."""

    __slots__ = ("adj", "key", "options", "owner")

    def __init__(self, key: str, owner: str, options: dict[str, Any], parameters: list[tuple[str, Any]]) -> None:
        self.key = key
        self.owner = owner
        self.options = options
        self.adj = Signature([Var(*parameter) for parameter in parameters])

    @property
    def module(self) -> Module:
        """The module that it belongs to."""
        return get_module(self.owner)

    def option(self, name: str) -> Any:
        """What the kernel says of an option, or else its module; None where neither does."""
        return option(self.owner, name, self.options.get(name))


def key_of(fn: Any) -> str:
    """The key of a Python function: its qualified name, as one word."""
    name: str = fn.__qualname__
    return name.replace(".", "__").replace("<", "").replace(">", "")


class Module:
    """The kernels, functions and structs that were defined in a Python module, or under a name.

    It keeps none of them alive. Kernels are compiled one by one, each when it is first launched; :meth:`load` compiles
    all of them before.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._kernels: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._functions: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._structs: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._options: dict[str, Any] = {}

    @property
    def kernels(self) -> dict[str, Any]:
        """The kernels that there are, by key; of several with one key, the last."""
        return dict(self._kernels)

    @property
    def functions(self) -> dict[str, Any]:
        """The functions that there are, by key."""
        return dict(self._functions)

    @property
    def structs(self) -> dict[str, Any]:
        """The structs that there are, by name."""
        return dict(self._structs)

    @property
    def options(self) -> dict[str, Any]:
        """The options, defaults included."""
        return {**_DEFAULTS, "deterministic": DeterministicMode.NOT_GUARANTEED, **self._options}

    @property
    def _is_empty(self) -> bool:
        return not (self._kernels or self._functions or self._structs)

    def load(self, device: DeviceLike = None, block_dim: int | None = None) -> Module:
        """Compile all kernels that are not compiled yet, several at a time.

        Generic kernels are compiled for the types that they have been given so far.

        Args:
            device: The device to compile for; the current one by default.
            block_dim: Only for CUDA.

        Raises:
            ValueError: There is no such device.
            Exception: What is wrong with a kernel; the others are compiled nevertheless.
        """
        _load([self], device, None)
        return self

    def unload(self) -> None:
        """Accepted for compatibility: the code of a kernel goes with the kernel."""

    def mark_modified(self) -> None:
        """Have kernels look up again at their next launch what the names in them mean."""
        _defined()

    def __repr__(self) -> str:
        return f"<warp module '{self.name}'>"


_modules: dict[str, Module] = {}


def get_module(name: str) -> Module:
    """The module of a name; an empty one if nothing was defined under it.

    Raises:
        TypeError: ``name`` is no string.
    """
    found = _modules.get(name)
    if found is None:
        if not isinstance(name, str):
            raise TypeError(f"get_module: expected the name of a module, found {name!r}")
        found = _modules[name] = Module(name)
    return found


def name_of(module: Any, default: str | None, where: str) -> str:
    """The name of a module, which is given as one of any kind.

    A function that `exec` made of a text knows no module, and belongs to the main one.

    Raises:
        TypeError: It is none.
    """
    if module is None:
        return default or "__main__"
    if isinstance(module, str):
        return module
    if isinstance(module, Module):
        return module.name
    if isinstance(module, ModuleType):
        name = vars(module).get("__name__")
        if not isinstance(name, str):
            raise TypeError(f"{where}: the Python module {module!r} has no name; give one")
        return name
    raise TypeError(f"{where}: module is {module!r}; expected a wp.Module, a Python module or a name")


def check_options(options: Any) -> dict[str, Any]:
    """Options that kernels know have values of the right kind; others are kept and mean nothing.

    Raises:
        TypeError: A value is of another kind.
        ValueError: There is no such value.
    """
    if not isinstance(options, dict):
        raise TypeError(f"options are a dict, not {options!r}")
    for name in _BOOLEANS:
        if not isinstance(options.get(name), bool | None):
            raise TypeError(f"option '{name}' is a bool, not {options[name]!r}")
    deterministic = options.get("deterministic")
    if deterministic is not None and config._deterministic(deterministic):
        raise ValueError(f"option 'deterministic' is {config._deterministic(deterministic)}, not {deterministic!r}")
    if options.get("mode") not in _MODES:
        raise ValueError(f"option 'mode' is None, 'release' or 'debug', not {options['mode']!r}")
    rounds = options.get("max_unroll")
    if rounds is not None and not (type(rounds) is int and 0 <= rounds <= config._MAX_UNROLL):
        raise ValueError(f"option 'max_unroll' is an int from 0 to {config._MAX_UNROLL}, not {rounds!r}")
    threads = options.get("block_dim")
    if threads is not None and not (type(threads) is int and 1 <= threads <= 1024):
        raise ValueError(f"option 'block_dim' is an int from 1 to 1024, not {threads!r}")
    level = options.get("optimization_level")
    if level is not None and level not in (0, 1, 2, 3):
        raise ValueError(f"option 'optimization_level' is None or 0 to 3, not {level!r}")
    lanes = options.get("lanes")
    if lanes is not None and config._lanes(lanes):
        raise ValueError(f"option 'lanes' is None, {config._lanes(lanes)}, not {lanes!r}")
    return options


def set_module_options(options: dict[str, Any], module: Module | ModuleType | str | None = None) -> None:
    """Set options of the kernels of a module.

    They hold for kernels that are defined afterwards, unless a kernel says otherwise itself
    (``@wp.kernel(check_bounds=False)``). What they leave out is as ``wp.config`` says when a kernel is first launched.

    Args:
        options: By name: ``check_bounds`` and ``enable_backward`` (bool, see :func:`kernel`), ``deterministic`` (a
            bool or a ``wp.DeterministicMode``: results do not depend on the order of threads, as with
            ``wp.config.deterministic``), ``mode``, ``max_unroll``, ``lanes`` and ``optimization_level`` (see
            ``wp.config``); on GPUs also ``block_dim`` (threads of a block, 256 unless set), ``fuse_fp`` (products and
            sums are rounded at once, True unless set) and ``fast_math`` (float32 is approximated, False unless set).
            Other names are kept and have no effect.
        module: The module, the Python module, or its name. Defaults to the one that calls.

    Raises:
        TypeError: A value is of the wrong kind.
        ValueError: There is no such mode or level.
    """
    name = name_of(module, sys._getframe(1).f_globals.get("__name__"), "set_module_options")
    get_module(name)._options.update(check_options(options))


def get_module_options(module: Module | ModuleType | str | None = None) -> dict[str, Any]:
    """The options of the kernels of a module: those that :func:`set_module_options` set, and what the others are.

    Args:
        module: The module, the Python module, or its name. Defaults to the one that calls.
    """
    return get_module(name_of(module, sys._getframe(1).f_globals.get("__name__"), "get_module_options")).options


def option(module: str, name: str, own: Any) -> Any:
    """What a kernel says of an option, or else its module; None where neither does."""
    if own is not None:
        return own
    found = _modules.get(module)
    return None if found is None else found._options.get(name)


def register_kernel(kernel: Any, about: About) -> None:
    """Tell a module of a kernel."""
    get_module(about.owner)._kernels[about.key] = kernel


def register_function(function: Any, about: About) -> None:
    """Tell a module of a function."""
    get_module(about.owner)._functions[about.key] = function


def register_struct(struct: type, module: str) -> None:
    """Tell a module of a struct."""
    get_module(module)._structs[struct.__name__] = struct


# One object for each meaning of the kernels that have no digest; they live as long as their modules.
_meanings: dict[Hashable, Hashable] = {}


def shared(kernel: Any, about: About) -> Any:
    """The kernel of a module of its own: an earlier one, if that does the same."""
    from warp._language.meaning import meaning, values_meaning  # only kernels of modules of their own need it

    digest = ""
    if not getattr(kernel, "is_generic", False):
        # The first launch says what is wrong, when names may mean more than now.
        with contextlib.suppress(Exception):
            digest = _digest(kernel)[:8]
    if not digest:
        means = (meaning(kernel.func), values_meaning(about.adj.statics))
        digest = f"{id(_meanings.setdefault(means, means)):x}"
    threads = about.options.get("block_dim")
    about.owner = f"{about.key}_{digest}" if threads is None else f"{about.key}_{digest}_{threads}"
    module = get_module(about.owner)
    earlier = module._kernels.get(about.key)
    if earlier is not None and earlier.func.__code__.co_filename == kernel.func.__code__.co_filename:
        return earlier
    module._options.update(about.options)
    register_kernel(kernel, about)
    return kernel


def hash_of(kernel: Any) -> bytes:
    """A digest of what a kernel does. It is compiled for that, but not to native code."""
    return bytes.fromhex(_digest(kernel))


def load_module(
    module: Module | ModuleType | str | None = None,
    device: DeviceLike = None,
    recursive: bool = False,
    block_dim: int | None = None,
    max_workers: int | None = None,
) -> None:
    """Compile the kernels of a module, so that no launch has to wait for it.

    Args:
        module: The module, the Python module, or its name. Defaults to the one that calls.
        device: The device to compile for; the current one by default.
        recursive: Whether modules whose names begin with that of the module and a dot are loaded, too.
        block_dim: Only for CUDA.
        max_workers: How many kernels are compiled at a time; ``wp.config.load_module_max_workers`` by default.

    Raises:
        RuntimeError: Nothing was defined in the module.
        ValueError: There is no such device, or ``max_workers`` is negative.
        Exception: What is wrong with a kernel; the others are compiled nevertheless.
    """
    name = name_of(module, sys._getframe(1).f_globals.get("__name__"), "load_module")
    found = [m for m in [_modules.get(name)] if m is not None]
    if recursive:
        found += [m for other, m in list(_modules.items()) if other.startswith(f"{name}.")]
    if all(m._is_empty for m in found):
        raise RuntimeError(f"load_module: no kernel, function or struct was defined in '{name}'; has it been imported?")
    _load(found, device, max_workers)


def force_load(
    device: DeviceLike | list[DeviceLike] = None,
    modules: Iterable[Module | ModuleType | str] | None = None,
    block_dim: int | None = None,
    max_workers: int | None = None,
) -> None:
    """Compile the kernels of modules, so that no launch has to wait for it.

    Args:
        device: The device to compile for, or a list of devices; all devices by default.
        modules: The modules; all by default.
        block_dim: Only for CUDA.
        max_workers: How many kernels are compiled at a time; ``wp.config.load_module_max_workers`` by default.

    Raises:
        TypeError: There is something else among the modules.
        ValueError: There is no such device, or ``max_workers`` is negative.
        Exception: What is wrong with a kernel; the others are compiled nevertheless.
    """
    if modules is None:
        chosen = list(_modules.values())
    else:
        chosen = [get_module(name_of(module, "", "force_load")) for module in modules]
    for one in device if isinstance(device, list | tuple) else [device]:
        _load(chosen, one, max_workers)


def _load(modules: list[Module], device: DeviceLike, max_workers: int | None) -> None:
    """Compile all kernels of modules. A kernel that does not compile keeps no other from being compiled."""
    target = get_device(device)
    workers = config.load_module_max_workers if max_workers is None else max_workers
    if workers is not None and (not isinstance(workers, int) or workers < 0):
        raise ValueError(f"max_workers is {workers!r}; expected None or a number of threads, or 0 for one per core")
    kernels = [made for module in modules for kernel in module.kernels.values() for made in _instances(kernel)]
    wrong: list[Exception] = []

    def load(kernel: Any) -> None:
        try:
            _load_kernel(kernel, target)
        except Exception as error:  # noqa: BLE001 - raised below
            wrong.append(error)

    if len(kernels) < 2 or workers == 1:
        for kernel in kernels:
            load(kernel)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(workers or None) as pool:
            list(pool.map(load, kernels))
    if wrong:
        raise wrong[0]


def _instances(kernel: Any) -> list[Any]:
    """A kernel, or those that were made of a generic one."""
    return list(kernel.overloads.values()) if getattr(kernel, "is_generic", False) else [kernel]


def clear_kernel_cache() -> None:
    """Remove all compiled kernels from the cache folder. What is loaded stays; other processes compile again."""
    _clear_cache()


def clear_lto_cache() -> None:
    """Accepted for compatibility: kernels are not linked from parts."""


def get_cpu_kernel_cache_key(*, cpu_compiler_flags: str | None = None) -> str:
    """A text that is equal on machines which can share a cache folder: version, compiler and features of the CPU.

    The folder itself needs no such key, since each entry has its own.

    Raises:
        ValueError: ``cpu_compiler_flags`` are given; kernels are compiled without.
    """
    if cpu_compiler_flags:
        raise ValueError(f"get_cpu_kernel_cache_key: kernels are compiled without flags, found {cpu_compiler_flags!r}")
    import hashlib

    return hashlib.sha256(f"{__version__} {_host_id()}".encode()).hexdigest()[:16]


def compile_aot_module(module: Any, *arguments: Any, **named: Any) -> Any:
    """Not supported: the cache folder takes the place of compiled modules.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError(
        "compile_aot_module: kernels are kept in the cache folder (WARP_CACHE_PATH) instead; fill it with "
        "wp.load_module, and copy it to machines with the same wp.get_cpu_kernel_cache_key()"
    )


def load_aot_module(module: Any, *arguments: Any, **named: Any) -> Any:
    """Not supported: the cache folder takes the place of compiled modules.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError(
        "load_aot_module: kernels are taken from the cache folder (WARP_CACHE_PATH), which may be a copy"
    )
