"""What the extension uses of this package: where each of its hooks is, as `module:name` or a module.

`py/src/object/package.rs` says what each is called with. It is imported when the extension first uses it.
"""

from __future__ import annotations

from warp._warp import _register_hooks

HOOKS = {
    # The namespace, and settings.
    "namespace": "warp",
    "config": "warp.config",
    "lazy_name": "warp._later:LaterName",
    "instead_of": "warp._absent:instead",
    # Types and values.
    "make_type": "warp._values:_make",
    "any_float": "warp.types:Float",
    "any_int": "warp.types:Int",
    "any_scalar": "warp.types:Scalar",
    "fixed_array": "warp.types:fixedarray",
    "reference": "warp.types:ref",
    "ctypes_argument": "warp._ctype:argument",
    # Kernels and functions.
    "read_kernel": "warp._decorators:_read",
    "place_kernel": "warp._decorators:_place",
    "read_function": "warp._decorators:_read_function",
    "place_function": "warp._decorators:_place_function",
    "kernel_hash": "warp._modules:hash_of",
    "restore_overload": "warp._decorators:_overloaded",
    "evaluate": "warp._decorators:_evaluate",
    "gradient": "warp._decorators:grad",
    "log": "warp._logging:log",
    # Arrays.
    "indexed_array": "warp._indexed:indexedarray",
    "index_by_arrays": "warp._indexed:by_arrays",
    "memory_kind": "warp._raw:MemoryKind",
    "array_structure": "warp._raw:ctype",
    "array_pointer": "warp._raw:cptr",
    "deleter": "warp._deleter:Deleter",
    "record_copy": "warp._copy:record",
    "record_cast": "warp._cast:record",
    "copy_elements": "warp._struct:_deep_elements",
    "restore_elements": "warp._struct:_restore_elements",
    # `wp.map` and operators.
    "map_key": "warp._map:_key",
    "map_unary": "warp._map:unary",
    "map_binary": "warp._map:binary",
    "map_in_place": "warp._map:in_place",
    "map_foreign": "warp._map:beside",
    # Devices, launches and tapes.
    "current_stream": "warp._stream:get_stream",
    "null_stream": "warp._stream:null_stream",
    "caller_line": "warp._memory:_place",
    "print_launch": "warp._diagnostics:launched",
    "verify_finite": "warp._diagnostics:verify",
    "visualize_tape": "warp._tape.visualize:visualize",
}

_register_hooks(HOOKS)
