"""The files of tests that run on a GPU too, and what of them does not, by reason."""

from __future__ import annotations

HOST = "reads or writes memory of the host through a view: NumPy's, a pointer's, a buffer's"
CPU = "says or expects that the device is the CPU"
TOLD = "expects at once what a GPU tells who waits for it"
FUSED = "expects to the last bit what is rounded twice on the CPU, and once where fuse_fp holds"
LONG = "sorts more pairs than is worth while on the driver for tests"
PLUGIN = "the plugin copies NumPy arrays, so that two that overlap, or are none of the kernel's, are not what they were"

FILES: dict[str, dict[str, str]] = {
    "test_adjoint_strides": {"test_one_element_for_all": PLUGIN, "test_two_gradients_in_one_memory": PLUGIN},
    "test_array": {
        "test_defaults": CPU,
        "test_pointer_and_deleter": HOST,
        "test_indexing_means_what_numpy_means": HOST,
        "test_buffers": HOST,
        "test_memory_does_not_grow": "measures memory of the process, where the driver for tests keeps its own",
        "test_exports_survive_the_end_of_python": HOST,
        "test_devices": CPU,
    },
    "test_array_views": {"test_none_has_no_gradient_and_no_elements": CPU},
    "test_as_decided": {},
    "test_atomics": {},
    "test_autograd": {"test_where_and_how_a_kernel_is_launched": CPU},
    "test_build_options": {},
    "test_builtin_edges": {},
    "test_builtins": {},
    "test_capture_algorithms": {
        "test_segments_are_read_when_the_graph_runs": TOLD,
        "test_results_for_python_are_refused": HOST,
    },
    "test_component_loops": {},
    "test_custom_gradients": {},
    "test_decompositions": {},
    "test_generics": {"test_arrays_of_numpy_and_torch": PLUGIN},
    "test_grad": {},
    "test_indexedarray": {"test_attributes": CPU},
    "test_linear": {},
    "test_linear_batches": {},
    "test_local_arrays": {},
    "test_map": {
        "test_values_among_the_inputs": HOST,
        "test_return_kernel": PLUGIN,
        "test_signature": CPU,
        "test_in_place_forms": HOST,
    },
    "test_noise": {},
    "test_optim": {},
    "test_random_numbers": {"test_floats": FUSED},
    "test_recorded_launches": {"test_a_launch_is_set_up_by_hand": CPU},
    "test_statements": {},
    "test_static": {},
    "test_tape": {"test_strided_gradients": HOST, "test_zeros_that_somebody_gave_are_a_seed": HOST},
    "test_transforms": {},
    "test_types": {},
    "test_utils": {
        "test_what_sums_refuse": HOST,
        "test_what_sorts_refuse": TOLD,
        "test_sorts_of_every_length": LONG,
    },
    "test_values": {},
    "test_written_arguments": {},
}

#: Run by `make soak` only.
SLOW = {
    "test_array",
    "test_custom_gradients",
    "test_decompositions",
    "test_linear",
    "test_local_arrays",
    "test_utils",
}
