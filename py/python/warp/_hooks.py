"""What the extension uses of this package: where each of its hooks is, as `module:name` or a module.

`py/src/object/package.rs` says what each is called with. It is imported when the extension first uses it.
"""

from __future__ import annotations

from warp._warp import _register_hooks

HOOKS = {
    # The namespace, and settings.
    "namespace": "warp",
    "config": "warp.config",
    "lazy_name": "warp._base.lazy:LazyName",
    "instead_of": "warp._base.absent:instead",
    # Types and values.
    "make_type": "warp._values.composite:_make",
    "any_float": "warp.types:Float",
    "any_int": "warp.types:Int",
    "any_scalar": "warp.types:Scalar",
    "fixed_array": "warp.types:fixedarray",
    "reference": "warp.types:ref",
    "ctypes_argument": "warp._values.ctype:argument",
    # Kernels and functions.
    "construct_kernel": "warp._language.decorators:_construct_kernel",
    "construct_function": "warp._language.decorators:_construct_function",
    "kernel_hash": "warp._language.modules:hash_of",
    "restore_overload": "warp._language.decorators:_overloaded",
    "evaluate": "warp._language.statics:_evaluate",
    "gradient": "warp._language.decorators:grad",
    "log": "warp._host.logging:log",
    "long_wait": "warp._host.logging:long_wait",
    # Arrays.
    "indexed_array": "warp._arrays.indexed:indexedarray",
    "select": "warp._arrays.selection:select",
    "assign_selected": "warp._arrays.selection:assign",
    "memory_kind": "warp._values.c_array:MemoryKind",
    "array_shown": "warp._arrays.shown:representation",
    "array_structure": "warp._values.c_array:ctype",
    "array_pointer": "warp._values.c_array:cptr",
    "deleter": "warp._arrays.deleter:Deleter",
    "record_copy": "warp._arrays.copy:record",
    "record_cast": "warp._arrays.cast:record",
    "copy_elements": "warp._language.struct:_deep_elements",
    "restore_elements": "warp._language.struct:_restore_elements",
    # `wp.map` and operators.
    "map_key": "warp._arrays.map:_key",
    "map_unary": "warp._arrays.map:unary",
    "map_binary": "warp._arrays.map:binary",
    "map_in_place": "warp._arrays.map:in_place",
    "map_foreign": "warp._arrays.map:beside",
    # Devices, launches and tapes.
    "current_stream": "warp._devices.stream:get_stream",
    "null_stream": "warp._devices.stream:null_stream",
    "caller_line": "warp._host.memory:_place",
    "print_launch": "warp._host.diagnostics:launched",
    "verify_finite": "warp._host.diagnostics:verify",
    "visualize_tape": "warp._tape.visualize:visualize",
}

_register_hooks(HOOKS)
