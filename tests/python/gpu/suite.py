"""The files of tests that run on a GPU too, and what of them does not, by reason."""

from __future__ import annotations

HOST = "reads or writes memory of the host through a view: NumPy's, a pointer's, a buffer's"
CPU = "says or expects that the device is the CPU"
TOLD = "expects at once what a GPU tells who waits for it"
FUSED = "expects to the last bit what is rounded twice on the CPU, and once where fuse_fp holds"
LONG = "works on more elements than is worth while on the driver for tests"
FIRST = "expects whose fault is told where several threads have one"
PLUGIN = "the plugin copies NumPy arrays, so that two that overlap, or are none of the kernel's, are not what they were"

FILES: dict[str, dict[str, str]] = {
    "algorithms/test_linear": {},
    "algorithms/test_linear_batches": {},
    "algorithms/test_optim": {},
    "algorithms/test_utils": {
        "test_what_sums_refuse": HOST,
        "test_what_sorts_refuse": TOLD,
        "test_sorts_of_every_length": LONG,
    },
    "arrays/test_array": {
        "test_defaults": CPU,
        "test_pointer_and_deleter": HOST,
        "test_indexing_means_what_numpy_means": HOST,
    },
    "arrays/test_array_process": {
        "test_memory_does_not_grow": "measures memory of the process, where the driver for tests keeps its own",
        "test_exports_survive_the_end_of_python": HOST,
        "test_devices": CPU,
    },
    "arrays/test_array_views": {"test_none_has_no_gradient_and_no_elements": CPU},
    "arrays/test_indexedarray": {"test_attributes": CPU},
    "arrays/test_map": {"test_values_among_the_inputs": HOST, "test_return_kernel": PLUGIN, "test_signature": CPU},
    "arrays/test_map_functions": {},
    "arrays/test_map_operators": {"test_in_place_forms": HOST},
    "compiled/test_atomics": {},
    "compiled/test_bounds": {"test_empty_and_short_arrays": FIRST, "test_far_outside": TOLD},
    "compiled/test_component_loops": {},
    "geometry/test_adjacency": {},
    "geometry/test_marching_cubes": {},
    "geometry/test_sparse_marching_cubes": {},
    "geometry/test_surface_nets": {},
    "gradients/test_adjoint_strides": {"test_one_element_for_all": PLUGIN, "test_two_gradients_in_one_memory": PLUGIN},
    "gradients/test_autograd": {"test_where_and_how_a_kernel_is_launched": CPU},
    "gradients/test_custom_arrays": {},
    "gradients/test_custom_gradients": {},
    "gradients/test_custom_replays": {},
    "gradients/test_custom_rules": {},
    "gradients/test_grad": {},
    "gradients/test_second_derivatives": {"test_an_adjoint_launched_as_any_kernel_adds_what_threads_share": PLUGIN},
    "gradients/test_tape": {"test_strided_gradients": HOST, "test_zeros_that_somebody_gave_are_a_seed": HOST},
    "gradients/test_tape_kept": {"test_what_is_kept_is_given_back": LONG},
    "gradients/test_tape_overwrites": {"test_what_a_launch_left_may_be_verified": HOST},
    "gradients/test_tape_shared_memory": {
        "test_what_others_write_is_refused": HOST,
        "test_what_others_write_before_warp_does_is_refused": HOST,
        "test_torch_changes_a_tensor": HOST,
        "test_memory_that_torch_has_replaced_is_not_copied": HOST,
        "test_a_command_whose_tensor_was_given_other_memory": HOST,
        "test_many_tensors_on_one_memory": HOST,
        "test_tensors_whose_class_is_the_users": HOST,
        "test_operators_between_launches": HOST,
    },
    "language/builtins/test_builtin_calls": {},
    "language/builtins/test_builtin_edges": {},
    "language/builtins/test_builtins": {},
    "language/builtins/test_decompositions": {},
    "language/builtins/test_noise": {},
    "language/builtins/test_random_numbers": {"test_floats": FUSED},
    "language/structs/test_struct_array_gradients": {},
    "language/structs/test_struct_arrays": {},
    "language/structs/test_struct_gradients": {
        "test_array_fields_carry_gradients": HOST,
        "test_a_chain_of_launches_over_arrays_of_structs": HOST,
        "test_elements_that_are_overwritten_in_place": HOST,
        "test_structs_made_in_the_kernel": HOST,
        "test_seeds_and_second_passes": HOST,
        "test_a_gradient_that_is_asked_for_after_the_launch": HOST,
    },
    "language/test_generics": {"test_arrays_of_numpy_and_torch": PLUGIN},
    "language/test_local_arrays": {},
    "language/test_loops": {},
    "language/test_overloads": {},
    "language/test_slices": {},
    "language/test_statements": {},
    "language/test_static": {},
    "language/test_transforms": {},
    "language/test_types": {},
    "language/test_value_types": {},
    "language/test_values": {},
    "language/test_written_arguments": {},
    "launch/test_capture_algorithms": {
        "test_segments_are_read_when_the_graph_runs": TOLD,
        "test_results_for_python_are_refused": HOST,
    },
    "launch/test_launch": {
        "test_wrong_dtype": PLUGIN,
        "test_wrong_device": CPU,
        "test_read_only": PLUGIN,
        "test_not_a_kernel": PLUGIN,
        "test_recorded_launch": PLUGIN,
        "test_one_array_may_be_two_arguments": PLUGIN,
    },
    "launch/test_recorded_launches": {"test_a_launch_is_set_up_by_hand": CPU},
    "package/test_as_decided": {},
    "runtime/test_build_options": {},
}

#: Run by `make soak` only.
SLOW = {
    "algorithms/test_linear",
    "algorithms/test_utils",
    "arrays/test_array",
    "arrays/test_array_process",
    "compiled/test_bounds",
    "geometry/test_sparse_marching_cubes",
    "gradients/test_custom_arrays",
    "gradients/test_custom_gradients",
    "gradients/test_custom_replays",
    "gradients/test_custom_rules",
    "gradients/test_second_derivatives",
    "gradients/test_tape_kept",
    "gradients/test_tape_overwrites",
    "gradients/test_tape_shared_memory",
    "language/builtins/test_decompositions",
    "language/test_local_arrays",
    "launch/test_launch",
}
