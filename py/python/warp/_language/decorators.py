"""The decorators: they read a function's text and annotations and hand them to the compiler."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar
from typing import overload as typing_overload

from warp._base.absent import CPP, AbsentFunction
from warp._base.class_names import named
from warp._language.function_text import _Annotations, _annotations, _source, _Text, _text
from warp._language.modules import (
    About,
    check_options,
    key_of,
    name_of,
    register_function,
    register_kernel,
    shared,
)
from warp._values.facts import type_is_value
from warp._warp import ArgumentError, Builtin, Function, Kernel, _defined

_F = TypeVar("_F", bound=Callable[..., Any])
_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")


class _MakesKernel(Protocol):
    def __call__(self, f: Callable[_P, Any], /) -> Kernel[_P]: ...


class _MakesFunction(Protocol):
    def __call__(self, f: Callable[_P, _R], /) -> Function[_P, _R]: ...


_watched: Any = None


def _watch_notebook() -> None:
    """Have kernels look their names up again after each cell of a notebook, in which anything may be assigned."""
    global _watched
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and shell is not _watched:
        _watched = shell
        shell.events.register("post_run_cell", lambda *_: _defined())


def _statics(fn: Callable[..., Any], text: _Text) -> dict[str, Any] | None:
    if "static" not in fn.__code__.co_names:
        return None
    from warp._language.statics import values_of  # few functions need it

    return values_of(fn, text[2], static)


def _make_kernel(
    fn: Callable[..., Any], text: _Text, annotations: _Annotations, key: str | None, owner: str, options: dict[str, Any]
) -> Kernel:
    """A kernel of a text, in the module that is called `owner`."""
    about = About(key or key_of(fn), owner, options, annotations)
    about.adj.text, about.adj.statics = text, _statics(fn, text)
    backward, checks = about.option("enable_backward"), about.option("check_bounds")
    made = Kernel._of(fn, text, annotations, backward, checks, about)
    register_kernel(made, about)
    return made


def _make_function(
    fn: Callable[..., Any], name: str, text: _Text, annotations: _Annotations, about: About, earlier: Function | None
) -> Function:
    """A function of a text, in its module; `earlier` is what its name meant before."""
    about.adj.text, about.adj.name, about.adj.statics = text, name, _statics(fn, text)
    if earlier is not None and earlier.adj is not None:
        about.adj.overloads = _others(earlier, annotations)
    made = Function._of(fn, name, text, annotations, earlier, about)
    register_function(made, about)
    return made


def _others(earlier: Function, annotations: _Annotations) -> list[Any]:
    """What pickles need of the functions of one name that take other types than the last one."""

    def kinds(parameters: _Annotations) -> list[Any]:
        return [(type(of), plain(of.dtype), of.ndim) if hasattr(of, "ndim") else plain(of) for _, of in parameters]

    def plain(of: Any) -> Any:
        return of if isinstance(of, type) else repr(of)  # what admits several types is new each time

    own = earlier.adj
    all_of = [*own.overloads, (earlier.func, own.name, own.text, [(var.label, var.type) for var in own.args])]
    return [one for one in all_of if one[2] is not None and kinds(one[3]) != kinds(annotations)]


def _construct_kernel(
    fn: Callable[..., Any], key: str | None, module: Any, options: Any, code_transformers: Any, source: str | None
) -> Kernel:
    """What ``wp.Kernel(...)`` gives."""
    text = _text(fn, source, code_transformers)
    _watch_notebook()
    options = check_options(dict(options or {}))
    annotations = _annotations(fn, "kernel", sys._getframe(1))
    return _make_kernel(fn, text, annotations, key, name_of(module, fn.__module__, "Kernel"), options)


def _construct_function(
    fn: Callable[..., Any], key: str, module: Any, source: str | None, code_transformers: Any
) -> Function:
    """What ``wp.Function(...)`` gives."""
    text = _text(fn, source, code_transformers)
    annotations = _annotations(fn, "function", sys._getframe(1))
    owner = name_of(None if module == "unique" else module, fn.__module__, "Function")
    return _make_function(fn, key, text, annotations, About(key, owner, {}, annotations), None)


@typing_overload
def kernel(f: Callable[_P, Any]) -> Kernel[_P]: ...


@typing_overload
def kernel(
    f: None = None,
    *,
    name: str | None = None,
    enable_backward: bool | None = None,
    check_bounds: bool | None = None,
    module: Any = None,
    module_options: dict[str, Any] | None = None,
    launch_bounds: Any = None,
    cuda_max_registers: int | None = None,
    enable_cuda_smem_spilling: builtins.bool | None = None,
    cluster_dim: Any = None,
    entry_point_abi: Any = None,
    grid_stride: builtins.bool | None = None,
) -> _MakesKernel: ...


def kernel(
    f: Any = None,
    *,
    name: str | None = None,
    enable_backward: bool | None = None,
    check_bounds: bool | None = None,
    module: Any = None,
    module_options: dict[str, Any] | None = None,
    launch_bounds: Any = None,
    cuda_max_registers: int | None = None,
    enable_cuda_smem_spilling: builtins.bool | None = None,
    cluster_dim: Any = None,
    entry_point_abi: Any = None,
    grid_stride: builtins.bool | None = None,
) -> Any:
    """Make a kernel from a Python function.

    Used as ``@wp.kernel`` or ``@wp.kernel(...)``. Every parameter needs an annotation: a scalar,
    vector, matrix or quaternion type, a struct, or an array of one, as in ``wp.array[float]`` or
    ``wp.array2d[wp.vec3]``. One that leaves types open (``typing.Any``, ``wp.Float``, ``wp.array[Any]``) makes
    the kernel generic: a launch takes the types from its arguments, see :func:`overload`. The function is compiled at
    its first launch, and again at a launch after something was
    defined (``@wp.func``, ``@wp.struct``, a notebook's cell) that changes what one of its names means.

    Args:
        f: The function.
        name: The key of the kernel in its module. Defaults to the function's qualified name, as one word.
        enable_backward: Whether gradients can be computed. Defaults to what
            :func:`set_module_options` says of the module, then to ``wp.config.enable_backward``.
        check_bounds: Whether an index out of range raises IndexError. Without, it reads or writes
            memory that is not the array's. Defaults likewise, to ``wp.config.check_bounds``.
        module: A ``wp.Module`` or its name, by default that of the Python module; or ``"unique"``: a module of its own,
            and of kernels that do the same, the first one.
        module_options: Options of the module, where that is ``"unique"``.
        launch_bounds: Only for CUDA, as all that follow; they are kept in the kernel's options.
        cuda_max_registers: Only for CUDA.
        enable_cuda_smem_spilling: Only for CUDA.
        cluster_dim: Only for CUDA.
        entry_point_abi: Only for CUDA.
        grid_stride: Only for CUDA.

    Raises:
        TypeError: A parameter has no annotation, or one that is not a kernel type.
        ValueError: ``module_options`` are given for a module that others share, or both ``launch_bounds`` and
            ``cuda_max_registers`` are.
        OSError: The source text of the function cannot be found.
    """

    if launch_bounds is not None and cuda_max_registers is not None:
        raise ValueError("kernel: launch_bounds and cuda_max_registers exclude each other")
    if module_options is not None and module != "unique":
        raise ValueError(
            'kernel: module_options needs module="unique"; wp.set_module_options() sets those of a shared module'
        )
    options: dict[str, Any] = {
        "launch_bounds": launch_bounds,
        "cuda_max_registers": cuda_max_registers,
        "enable_cuda_smem_spilling": enable_cuda_smem_spilling,
        "cluster_dim": cluster_dim,
        "entry_point_abi": entry_point_abi,
        "grid_stride": grid_stride,
        "enable_backward": enable_backward,
        "check_bounds": check_bounds,
    }
    options = {option: value for option, value in options.items() if value is not None}
    caller = sys._getframe(1)

    def make(fn: _F) -> Kernel:
        text = _source(fn)
        _watch_notebook()
        annotations = _annotations(fn, "kernel", caller)
        if module != "unique":
            return _make_kernel(fn, text, annotations, name, name_of(module, fn.__module__, "kernel"), options)
        key = name or key_of(fn)
        own = {**check_options(module_options or {}), **options}
        about = About(key, key, own, annotations)
        about.adj.text, about.adj.statics = text, _statics(fn, text)
        made = Kernel._of(fn, text, annotations, own.get("enable_backward"), own.get("check_bounds"), about)
        first: Kernel = shared(made, about)
        return first

    return make if f is None else make(f)


@typing_overload
def overload(kernel: Kernel[_P], arg_types: Sequence[Any] | dict[str, Any] | None = None) -> Kernel[_P]: ...


@typing_overload
def overload(kernel: Callable[_P, Any]) -> Kernel[_P]: ...


def overload(kernel: Any, arg_types: Any = None) -> Any:
    """Give a generic kernel types of its parameters.

    Used as ``wp.overload(kernel, [wp.array[float], float])``, with a dict of types by parameter, or as the
    decorator of a function without body that has the name of the kernel and the types as annotations.

    Args:
        kernel: The generic kernel, or the function that is decorated.
        arg_types: A type for each parameter in order; or a dict, which may leave out parameters that are not generic.

    Returns:
        The kernel for these types, which is not generic; the same one for the same types. The decorator returns the
        generic kernel, which launches the one that belongs to the types of its arguments.

    Raises:
        TypeError: The kernel is not generic, or the types do not fit its parameters; the message names what is wrong.
    """
    if isinstance(kernel, Kernel):
        if arg_types is None and kernel.is_generic:
            raise ArgumentError(f"overload: types for the parameters of kernel '{kernel.__name__}' are missing")
        return kernel.add_overload(arg_types or [])
    if not hasattr(kernel, "__code__"):
        raise ArgumentError(f"overload: expected a generic kernel, found {type(kernel).__name__}")
    caller = sys._getframe(1)
    name = kernel.__name__
    generic = caller.f_locals.get(name, caller.f_globals.get(name))
    if not isinstance(generic, Kernel):
        raise TypeError(f"overload: there is no kernel '{name}' that is defined before this overload of it")
    annotations = _annotations(kernel, "overload", caller)
    for parameter, annotation in annotations:
        if annotation is None:
            raise TypeError(f"overload: parameter '{parameter}' of the overload of kernel '{name}' has no annotation")
    generic.add_overload([annotation for _, annotation in annotations])
    return generic


def _overloaded(module: str, name: str, types: tuple[Any, ...]) -> Any:
    """The kernel that a pickle names by its generic kernel and the types of its parameters."""
    from importlib import import_module

    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found.add_overload(list(types)) if found.is_generic else found


@typing_overload
def func(f: Callable[_P, _R]) -> Function[_P, _R]: ...


@typing_overload
def func(
    f: None = None, *, name: str | None = None, module: Any = None, inline: bool | None = None
) -> _MakesFunction: ...


def func(f: Any = None, *, name: str | None = None, module: Any = None, inline: bool | None = None) -> Any:
    """Make a function that kernels can call.

    Used as ``@wp.func`` or ``@wp.func(...)``. Calls are inlined; recursion is refused. Called from
    Python, the function runs as plain Python.

    Functions of one name for different types are overloads. A call means the one whose parameters have exactly the
    types of the arguments; one that names a type goes before one that takes ``Any``. One for the same types replaces
    the earlier one.

    Args:
        f: The function.
        name: The key of the function in its module, and its name in messages. Defaults to the function's own.
        module: A ``wp.Module`` or its name. Defaults to that of the Python module.
        inline: Accepted for compatibility: calls are always inlined.

    Raises:
        OSError: The source text of the function cannot be found.
    """

    caller = sys._getframe(1)

    def make(fn: _F) -> Function:
        text = _source(fn)
        # What the name means so far is an overload if it takes other types.
        earlier = caller.f_locals.get(fn.__name__)
        if not isinstance(earlier, Function) or earlier.func.__module__ != fn.__module__:
            earlier = None
        annotations = _annotations(fn, "function", caller)
        owner = name_of(None if module == "unique" else module, fn.__module__, "func")
        about = About(name or key_of(fn), owner, {}, annotations)
        return _make_function(fn, name or fn.__name__, text, annotations, about, earlier)

    return make if f is None else make(f)


def static(value: _T) -> _T:
    """Inside a kernel, evaluate an expression in Python: where the kernel is defined, or else when it is compiled.

    The expression can use the names of the function. What they hold where the kernel or function is defined counts, so
    that a loop may define kernels that differ. An expression is left until the kernel is compiled if a name is not
    defined yet, or is a variable of the kernel: one that holds a constant, or that of an unrolled loop:
    loops without early exit over constant ranges of up to 16 iterations (``wp.config.max_unroll``), or of any length
    over ``range(wp.static(n))``. Its value may be a function: ``wp.static(functions[i])(x)``.

    Outside of kernels it returns its argument.
    """
    return value


def func_grad(forward_fn: Function) -> Callable[[_F], _F]:
    """Say what the derivative of a function is: the decorator of a function that takes the place of the exact one.

    It takes the parameters of ``forward_fn``, then the adjoint of each result, and adds to the adjoints of the
    parameters: ``wp.adjoint[x] += ...``. That of an array is its gradient: ``wp.adjoint[a][i] += ...``. Arrays hold
    what they held when the call was done. Launches that ask for no gradient do not run it. Derivatives of higher
    orders are those of its code.

    Of a function with overloads it is the derivative of the one that has its parameters. Its name means the plain
    Python function.

    Args:
        forward_fn: The function with ``@wp.func``.

    Raises:
        TypeError: ``forward_fn`` is no such function.
        ArgumentError: The parameters are others (a TypeError and RuntimeError).
    """
    return _rule("func_grad", forward_fn, True)


def func_replay(forward_fn: Function) -> Callable[[_F], _F]:
    """Say what runs in place of a function where a gradient runs the kernel forward again.

    For functions that do not give the same again, such as a counter: their replay reads from an array what they gave.
    It takes what ``forward_fn`` takes and returns what that returns. Arrays that ``forward_fn`` writes hold what the
    launch left in them. The derivative is that of ``forward_fn``, or what :func:`func_grad` says.

    Args:
        forward_fn: The function with ``@wp.func``.

    Raises:
        TypeError: ``forward_fn`` is no such function.
        ArgumentError: The parameters are others (a TypeError and RuntimeError).
    """
    return _rule("func_replay", forward_fn, False)


def _rule(decorator: str, of: Any, gradient: builtins.bool) -> Callable[[_F], _F]:
    if not isinstance(of, Function):
        raise TypeError(f"{decorator}: expected a function with @wp.func, found {type(of).__name__}")
    caller = sys._getframe(2)

    def make(fn: _F) -> _F:
        text = _source(fn)
        annotations = _annotations(fn, "function", caller)
        about = About(key_of(fn), fn.__module__, {}, annotations)
        about.adj.statics = _statics(fn, text)
        of._set_rule(Function._of(fn, fn.__name__, text, annotations, None, about), gradient)
        if of.adj is not None:
            of.adj.rules.append((fn, text, annotations, gradient))
        return fn

    return make


@named("adjoint")
class _Adjoint:
    """What ``wp.adjoint`` is."""

    __name__ = "adjoint"

    def __getitem__(self, parameter: Any) -> Any:
        raise RuntimeError(
            "adjoint: adjoints exist while a gradient runs, in functions with @wp.func_grad: wp.adjoint[x]"
        )

    def __setitem__(self, parameter: Any, value: Any) -> None:
        self[parameter]

    def __repr__(self) -> str:
        return "<warp adjoint>"


adjoint: Any = _Adjoint()
adjoint.__doc__ = """In functions with :func:`func_grad`, ``wp.adjoint[x]`` is the adjoint of the parameter ``x``."""


def func_native(snippet: str, adj_snippet: str | None = None, replay_snippet: str | None = None) -> Any:
    """Decorate a function whose body is C++. Kernels are compiled without a C++ compiler, so that it has no body here.

    A module that defines such functions can be imported. A kernel that calls one is refused when it is compiled, and a
    call from Python raises NotImplementedError; the messages say what to do instead.

    Raises:
        TypeError: What is decorated is no Python function.
    """
    import functools
    from types import FunctionType

    def declared(function: Callable[..., Any]) -> Any:
        if not isinstance(function, FunctionType):
            raise TypeError(f"func_native: expected a Python function, found {type(function).__name__}")
        return functools.update_wrapper(AbsentFunction("func_native", function.__name__, CPP), function)

    return declared


def address_of(value: Any) -> Any:
    """Inside a kernel, ``wp.address_of(a[i])`` is the address (``wp.uint64``) of an element of an array.

    ``wp.array(ptr=address, shape=n, dtype=float)`` makes an array at that address. The caller keeps the
    memory alive and in place.

    Raises:
        RuntimeError: It is called outside of kernels.
    """
    raise RuntimeError("address_of: elements have addresses in kernels; in Python an array has one: a.ptr")


class grad:
    """In kernels, ``wp.grad(f)(x, y)`` gives the partial derivatives of a function.

    One value for one argument, else a tuple: for each argument the derivative of the sum of the results, zero for
    integers. The function is a ``@wp.func`` or a builtin that writes no arrays.

    Args:
        func: The function.

    Raises:
        TypeError: This is no such function.
    """

    def __init__(self, func: Any) -> None:
        if not isinstance(func, Function | Builtin):
            raise TypeError(f"grad: expected a function with @wp.func or a builtin, found {type(func).__name__}")
        self.func = func

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("grad: derivatives are formed in kernels; launch one that calls wp.grad(f)(x)")

    def __repr__(self) -> str:
        return f"<gradient of {self.func!r}>"


def constant(value: _T) -> _T:
    """Declare a constant for kernels: an int, float, bool, vector, matrix or quaternion.

    Raises:
        TypeError: ``value`` is of another type.
    """
    if isinstance(value, builtins.bool | builtins.int | builtins.float):
        return value
    if type_is_value(type(value)):
        return value
    raise TypeError(f"constant: expected a number, vector, matrix or quaternion, found {type(value).__name__}")
