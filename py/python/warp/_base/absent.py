"""Names that this library does not have: refused by name, with what to do instead.

Those are names of NVIDIA Warp, and some that users of NumPy, PyTorch or Numba look for first.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any, NoReturn

from warp._base.lazy import LazyName

_MESHES = "query in each thread, with the name without `_tiled`"
_TILES = (
    "launch one thread for each element; wp.atomic_add combines what threads find, wp.utils.array_sum, array_scan and "
    "radix_sort_pairs work on whole arrays, and wp.matrix is for small products and decompositions"
)
_DEBUGGER = "print in the kernel, or inspect arrays between launches"
CPP = "C++ snippets are not compiled; write the function in Python with @wp.func"
_GRAPHICS = "copy the pixels or vertices with array.numpy()"

_RANDOM = (
    "in a kernel, state = wp.rand_init(seed, wp.tid()) begins a sequence and wp.randf(state) draws from it; outside of "
    "kernels wp.array(np.random.rand(n), dtype=float)"
)
_SORTS = "wp.utils.radix_sort_pairs sorts keys with their values"

# Names of other libraries; `dir(wp)` does not list them.
_OTHERS = {
    "a.sum() and its like are methods of arrays; in a kernel add up with a loop or wp.atomic_add": "sum mean",
    _RANDOM: "rand random uniform",
    "wp.array(data, dtype=float) copies, with copy=False it shares the memory": "asarray tensor Tensor ndarray",
    "wp.length(v) is the length of a vector": "norm",
    "wp.max and wp.min are of numbers and vectors; wp.map(wp.max, a, b) of arrays": "maximum minimum",
    "a.reshape(shape) is a method of arrays": "reshape",
    "wp.utils.array_scan adds up from the beginning": "cumsum",
    _SORTS: "sort argsort",
    "@wp.kernel is above what a launch runs for each index, @wp.func above what kernels call": "jit njit",
    "write wp.log(1.0 + x)": "log1p",
    "write wp.exp(x) - 1.0": "expm1",
    "write wp.pow(2.0, x)": "exp2",
    "write wp.length(wp.vec2(x, y))": "hypot",
}

# By module and by what to do instead.
_TABLES = {
    "wp": {
        **_OTHERS,
        _MESHES: """
        BvhQueryTiled MeshQueryAABBTiled bvh_query_aabb_tiled bvh_query_next_tiled bvh_query_ray_tiled
        mesh_query_aabb_next_tiled mesh_query_aabb_tiled""",
        _GRAPHICS: "GLTextureResource RegisteredGLBuffer TextureResourceFlags",
        _TILES: """
        tile tile_arange tile_argmax tile_argmin tile_assign tile_astype tile_atomic_add tile_atomic_add_indexed
        tile_axpy tile_broadcast tile_bvh_query_aabb tile_bvh_query_next tile_bvh_query_ray tile_cholesky
        tile_cholesky_inplace tile_cholesky_solve tile_cholesky_solve_inplace tile_diag_add tile_dot tile_empty
        tile_extract tile_fft tile_from_thread tile_full tile_ifft tile_load tile_load_indexed tile_lower_solve
        tile_lower_solve_inplace tile_map tile_matmul tile_max tile_mesh_query_aabb tile_mesh_query_aabb_next tile_min
        tile_ones tile_query_valid tile_randf tile_randi tile_reduce tile_reshape tile_scan_exclusive
        tile_scan_inclusive tile_scan_max_inclusive tile_scan_min_inclusive tile_scatter_add tile_scatter_masked
        tile_slice_indexed tile_sort tile_squeeze tile_stack tile_stack_clear tile_stack_count tile_stack_pop
        tile_stack_push tile_store tile_store_indexed tile_sum tile_transpose tile_upper_solve tile_upper_solve_inplace
        tile_view tile_zeros untile""",
        _DEBUGGER: "breakpoint",
        "wp.where(condition, value_if_true, value_if_false)": "select",
    },
    "wp.utils": {
        "memory on the CPU has Warp's own allocator": "AllocatorRmm",
    },
    "wp.optim.linear": {
        "matrices are arrays or a LinearOperator; preconditioner(A, 'diag') is of their diagonal": "FSAI",
    },
}

_MODULES = {
    "sparse": "wp.optim.linear takes a matrix as a LinearOperator, a function that multiplies with it",
    "fem": "write the elements' kernels, and solve with wp.optim.linear",
    "render": "copy arrays with numpy() to a renderer",
    "build_experimental": "kernels are kept in the cache folder",
}


class Absent(type):
    """The class of classes that are not there."""

    _path: str
    _instead: str

    def __call__(cls, *args: Any, **named: Any) -> NoReturn:
        refuse(cls._path, cls._instead)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"{cls._path} is not supported: {cls._instead}")

    def __repr__(cls) -> str:
        return f"<{cls._path}, which is not supported>"


class AbsentFunction:
    """A function that is not there."""

    def __init__(self, path: str, name: str, instead: str) -> None:
        self.__name__ = name
        self._path = path
        self._instead = instead

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        refuse(self._path, self._instead)

    def __repr__(self) -> str:
        return f"<{self._path}, which is not supported>"


def refuse(path: str, instead: str) -> NoReturn:
    """Say that something is not supported.

    Raises:
        NotImplementedError: Always.
    """
    raise NotImplementedError(f"{path} is not supported: {instead}")


def instead(value: Any) -> str | None:
    """What to do instead of something that is not there; None for what is."""
    if value is builtins.breakpoint:
        return _DEBUGGER
    if isinstance(value, LazyName) and value._module == __name__:
        value = value._found()
    return value._instead if isinstance(value, Absent | AbsentFunction) else None


def stand_ins(module: str) -> Iterator[tuple[str, LazyName]]:
    """The missing names of a module, and their stand-ins until they are first used."""
    for names in _TABLES[module].values():
        for name in names.split():
            yield name, LazyName(__name__, name)


def of_others() -> set[str]:
    """Names that NVIDIA Warp does not have either."""
    return {name for names in _OTHERS.values() for name in names.split()}


def __getattr__(name: str) -> Any:
    """The stand-in for a name, which is made when it is asked for: a class if it begins with a capital letter."""
    for module, table in _TABLES.items():
        for hint, names in table.items():
            if name in names.split():
                path = f"{module}.{name}"
                if name[0].isupper():
                    found: Any = Absent(name, (), {"_path": path, "_instead": hint, "__module__": "warp"})
                else:
                    found = AbsentFunction(path, name, hint)
                globals()[name] = found
                return found
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def import_of(module: str) -> NoReturn:
    """Refuse to import a module of the package.

    Raises:
        ModuleNotFoundError: Always.
    """
    name = module.removeprefix("warp.")
    raise ModuleNotFoundError(f"{module} is not supported: {_MODULES[name]}", name=module)
