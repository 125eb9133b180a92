"""Jacobians of kernels and functions, and gradients checked against central differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from warp import config
from warp._autograd import plot as _plot
from warp._autograd.call import FunctionMetadata, Mask, call_of
from warp._autograd.check import compare, complaint, errors, summary
from warp._autograd.jacobian import arrays_of, differences, reverse
from warp._warp import Kernel, array

__all__ = ["FunctionMetadata", "gradcheck", "gradcheck_tape", "jacobian", "jacobian_fd", "jacobian_plot"]


def jacobian(
    function: Kernel | Callable[..., Any],
    dim: Any = None,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    input_output_mask: Mask = None,
    device: Any = None,
    max_blocks: int = 0,
    block_dim: int | None = None,
    max_outputs_per_var: int = -1,
    plot_jacobians: bool = False,
    metadata: FunctionMetadata | None = None,
    restore_inputs: bool = True,
) -> dict[tuple[int, int], array]:
    """The Jacobians of a kernel or function, by its adjoint.

    A kernel is launched on copies of its arguments, each an array of its own. A function is called with ``inputs`` on
    a tape and returns an array or several; what its launches wrote elsewhere stays written.

    Args:
        function: A kernel, or a Python function that launches kernels.
        dim: The launch dimensions of a kernel.
        inputs: The arguments. Those count that are arrays with ``requires_grad``.
        outputs: The arguments of a kernel that follow ``inputs``, with what they hold before the launch. A function
            returns its own.
        input_output_mask: The pairs of an input and an output that are wanted, each by name or by its index in
            ``inputs`` and ``outputs``; all by default. The outputs of functions are called ``output_0`` and so on.
        device: Where a kernel is launched.
        max_blocks: As in :func:`warp.launch`.
        block_dim: As in :func:`warp.launch`.
        max_outputs_per_var: How many numbers of each output are differentiated; all, if negative.
        plot_jacobians: Whether to draw them with matplotlib; see :func:`jacobian_plot`.
        metadata: Names for the plot, instead of those of the parameters.
        restore_inputs: Whether to put back what a function overwrites in its inputs.

    Returns:
        For each pair of the indices of an input and an output an array with a row for each number of the output and a
        column for each element of the input, of the dtype of the input. Rows that were not asked for are NaN.

    Raises:
        TypeError: ``function`` is no kernel or function, or returns something else than arrays; arguments of a kernel
            are missing.
        ValueError: ``inputs``, or the outputs of a kernel, are missing; the mask names something that is not there.
        RuntimeError: The kernel has no gradient.
        ImportError: A plot is asked for, and matplotlib is not installed.
    """
    if plot_jacobians:
        _plot.pyplot("autograd.jacobian")
    call = call_of(
        function, dim, inputs, outputs, restore_inputs, device=device, max_blocks=max_blocks, block_dim=block_dim
    )
    matrices = reverse(call, input_output_mask, max_outputs_per_var)
    if plot_jacobians:
        _plot.plot(matrices, metadata or call.metadata, f"Jacobians of {call.metadata.key}, by its adjoint")
    return arrays_of(call, matrices)


def jacobian_fd(
    function: Kernel | Callable[..., Any],
    dim: Any = None,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    input_output_mask: Mask = None,
    device: Any = None,
    max_blocks: int = 0,
    block_dim: int | None = None,
    max_inputs_per_var: int = -1,
    eps: float = 1e-4,
    plot_jacobians: bool = False,
    metadata: FunctionMetadata | None = None,
    restore_inputs: bool = True,
) -> dict[tuple[int, int], array]:
    """The Jacobians of a kernel or function, by central differences.

    They are computed in double precision from what the outputs hold; outputs of float32 leave two or three digits.

    Args:
        function: As in :func:`jacobian`, like the others that are not named here.
        dim: The launch dimensions of a kernel.
        inputs: The arguments.
        outputs: The arguments of a kernel that follow ``inputs``.
        input_output_mask: The pairs of an input and an output that are wanted.
        device: Where a kernel is launched.
        max_blocks: As in :func:`warp.launch`.
        block_dim: As in :func:`warp.launch`.
        max_inputs_per_var: How many numbers of each input are moved; all, if negative.
        eps: How far they are moved in each direction.
        plot_jacobians: Whether to draw the Jacobians.
        metadata: Names for the plot.
        restore_inputs: Whether to put back, between calls too, what a function overwrites in its inputs.

    Returns:
        As :func:`jacobian`; columns that were not asked for are NaN.

    Raises:
        TypeError: As in :func:`jacobian`.
        ValueError: As in :func:`jacobian`, or ``eps`` is not above 0.
        ImportError: A plot is asked for, and matplotlib is not installed.
    """
    if plot_jacobians:
        _plot.pyplot("autograd.jacobian_fd")
    call = call_of(
        function, dim, inputs, outputs, restore_inputs, device=device, max_blocks=max_blocks, block_dim=block_dim
    )
    matrices = differences(call, input_output_mask, eps, max_inputs_per_var)
    if plot_jacobians:
        _plot.plot(matrices, metadata or call.metadata, f"Jacobians of {call.metadata.key}, by central differences")
    return arrays_of(call, matrices)


def gradcheck(
    function: Kernel | Callable[..., Any],
    dim: Any = None,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    *,
    eps: float = 1e-4,
    atol: float = 1e-3,
    rtol: float = 1e-2,
    raise_exception: bool = True,
    input_output_mask: Mask = None,
    device: Any = None,
    max_blocks: int = 0,
    block_dim: int | None = None,
    max_inputs_per_var: int = -1,
    max_outputs_per_var: int = -1,
    plot_relative_error: bool = False,
    plot_absolute_error: bool = False,
    show_summary: bool = True,
    restore_inputs: bool = True,
) -> bool:
    """Whether the gradients of a kernel or function agree with central differences.

    Each number of each Jacobian must hold ``abs(adjoint - differences) <= atol + rtol * abs(differences)``. The
    tolerances suit arrays of float32 whose numbers are near 1.

    Args:
        function: As in :func:`jacobian`, like the others that are not named here.
        dim: The launch dimensions of a kernel.
        inputs: The arguments.
        outputs: The arguments of a kernel that follow ``inputs``.
        eps: How far inputs are moved in each direction for the differences.
        atol: The absolute tolerance.
        rtol: The relative tolerance.
        raise_exception: Whether to raise ValueError where they do not agree.
        input_output_mask: The pairs of an input and an output that are checked.
        device: Where a kernel is launched.
        max_blocks: As in :func:`warp.launch`.
        block_dim: As in :func:`warp.launch`.
        max_inputs_per_var: How many numbers of each input are checked; all, if negative.
        max_outputs_per_var: How many numbers of each output are checked; all, if negative.
        plot_relative_error: Whether to draw where the relative errors are, with matplotlib.
        plot_absolute_error: Whether to draw where the absolute errors are.
        show_summary: Whether to print how far each pair is off at most (not with ``wp.config.quiet``).
        restore_inputs: Whether to put back what a function overwrites in its inputs.

    Raises:
        TypeError: As in :func:`jacobian`.
        ValueError: The gradients do not agree; as in :func:`jacobian`; or there is nothing to check, because no input,
            or no output, requires a gradient.
        RuntimeError: The kernel has no gradient.
        ImportError: A plot is asked for, and matplotlib is not installed.
    """
    plots = [("relative", plot_relative_error), ("absolute", plot_absolute_error)]
    if any(wanted for _, wanted in plots):
        _plot.pyplot("autograd.gradcheck")
    call = call_of(
        function, dim, inputs, outputs, restore_inputs, device=device, max_blocks=max_blocks, block_dim=block_dim
    )
    ours = reverse(call, input_output_mask, max_outputs_per_var)
    if not ours:
        raise ValueError(
            f"gradient check of '{call.metadata.key}': there is nothing to check; "
            "give inputs and outputs that are arrays of floats, vectors or matrices with requires_grad=True; "
            "structs and arrays of them are not checked"
        )
    theirs = differences(call, input_output_mask, eps, max_inputs_per_var)
    found = compare(ours, theirs, max_outputs_per_var, max_inputs_per_var, atol, rtol)
    if show_summary and not config.quiet:
        print(summary(call.metadata, found))
    for kind, wanted in plots:
        if wanted:
            _plot.plot(errors(ours, theirs, kind == "relative"), call.metadata, f"{call.metadata.key}: {kind} errors")
    failed = next((comparison for comparison in found if not comparison.passed), None)
    if failed is not None and raise_exception:
        raise ValueError(complaint(call.metadata, failed))
    return failed is None


def gradcheck_tape(
    tape: Any,
    *,
    eps: float = 1e-4,
    atol: float = 1e-3,
    rtol: float = 1e-2,
    raise_exception: bool = True,
    input_output_masks: dict[str, Mask] | None = None,
    blacklist_kernels: Sequence[str] | None = None,
    whitelist_kernels: Sequence[str] | None = None,
    max_inputs_per_var: int = -1,
    max_outputs_per_var: int = -1,
    plot_relative_error: bool = False,
    plot_absolute_error: bool = False,
    show_summary: bool = True,
    reverse_launches: bool = False,
    skip_to_launch_index: int = 0,
) -> bool:
    """Whether the gradients of the launches on a tape agree with central differences, launch by launch.

    Each is checked as :func:`gradcheck` does it, at what its arguments hold now. Launches of which no input, or no
    output, requires a gradient are passed over, as are functions that were recorded.

    Args:
        tape: The tape.
        eps: As in :func:`gradcheck`, like the others that are not named here.
        atol: The absolute tolerance.
        rtol: The relative tolerance.
        raise_exception: Whether to raise ValueError at the first launch whose gradients do not agree.
        input_output_masks: The pairs of an input and an output that are checked, by the name of the kernel.
        blacklist_kernels: Names of kernels that are not checked.
        whitelist_kernels: Names of kernels that are; all by default.
        max_inputs_per_var: How many numbers of each input are checked.
        max_outputs_per_var: How many numbers of each output are checked.
        plot_relative_error: Whether to draw where the relative errors are.
        plot_absolute_error: Whether to draw where the absolute errors are.
        show_summary: Whether to print how far each pair is off at most.
        reverse_launches: Whether to go from the last launch to the first.
        skip_to_launch_index: How many launches are passed over, in the order in which they are checked.

    Raises:
        TypeError: ``tape`` does not say what it recorded, or ``input_output_masks`` is no dict.
        ValueError: The gradients of a launch do not agree, or its outputs were not given as ``outputs``.
        RuntimeError: A kernel has no gradient; name it in ``blacklist_kernels``.
        ImportError: A plot is asked for, and matplotlib is not installed.
    """
    launches = getattr(tape, "launches", None)
    if launches is None:
        raise TypeError(f"gradcheck_tape: expected a tape that lists its launches, found {type(tape).__name__}")
    order = list(reversed(launches)) if reverse_launches else list(launches)
    masks: Any = {} if input_output_masks is None else input_output_masks
    if not isinstance(masks, dict):
        raise TypeError(f"gradcheck_tape: input_output_masks is {masks!r}, expected a dict of masks by kernel")
    passed = True
    for launch in order[skip_to_launch_index:]:
        if callable(launch):
            continue
        kernel, dim, max_blocks, inputs, outputs, device, *rest = launch
        called = {kernel.key, kernel.__name__}
        if whitelist_kernels is not None and called.isdisjoint(whitelist_kernels):
            continue
        if blacklist_kernels is not None and not called.isdisjoint(blacklist_kernels):
            continue
        if not (_any_gradient(inputs) and (_any_gradient(outputs) or not outputs)):
            continue
        passed &= gradcheck(
            kernel,
            dim,
            inputs,
            outputs,
            eps=eps,
            atol=atol,
            rtol=rtol,
            raise_exception=raise_exception,
            input_output_mask=masks.get(kernel.key, masks.get(kernel.__name__)),
            device=device,
            max_blocks=max_blocks,
            block_dim=rest[0] if rest else None,
            max_inputs_per_var=max_inputs_per_var,
            max_outputs_per_var=max_outputs_per_var,
            plot_relative_error=plot_relative_error,
            plot_absolute_error=plot_absolute_error,
            show_summary=show_summary,
        )
    return passed


def _any_gradient(values: Sequence[Any]) -> bool:
    return any(isinstance(value, array) and value.requires_grad for value in values)


def jacobian_plot(
    jacobians: dict[tuple[int, int], array],
    kernel: FunctionMetadata | Kernel,
    inputs: Sequence[Any] | None = None,
    show_plot: bool = True,
    show_colorbar: bool = True,
    scale_colors_per_submatrix: bool = False,
    title: str | None = None,
    colormap: str = "coolwarm",
    log_scale: bool = False,
) -> Any:
    """Draw Jacobians with matplotlib: a row of pictures for each output, a column for each input.

    Args:
        jacobians: What :func:`jacobian` or :func:`jacobian_fd` returned.
        kernel: The kernel, or the names to write.
        inputs: The inputs of the kernel, which say where its outputs begin.
        show_plot: Whether to show the figure.
        show_colorbar: Whether to draw the scale of colours.
        scale_colors_per_submatrix: Whether each picture has a scale of its own.
        title: The title of the figure.
        colormap: The name of the colours in matplotlib.
        log_scale: Whether colours follow the logarithm of the magnitude.

    Returns:
        The figure.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: ``kernel`` is neither a kernel nor a :class:`FunctionMetadata`, or ``jacobians`` are no dictionary.
        ValueError: ``inputs`` are missing, or ``jacobians`` are empty.
    """
    if isinstance(kernel, Kernel):
        if inputs is None:
            raise ValueError("jacobian_plot: inputs are missing: they say where the outputs of the kernel begin")
        names = list(kernel.func.__code__.co_varnames[: kernel.func.__code__.co_argcount])
        metadata = FunctionMetadata(kernel.__name__, names[: len(inputs)], names[len(inputs) :])
    elif isinstance(kernel, FunctionMetadata):
        metadata = kernel
    else:
        raise TypeError(f"jacobian_plot: expected a kernel or its names, found {type(kernel).__name__}")
    found: Any = jacobians
    if not isinstance(found, dict):
        raise TypeError(f"jacobian_plot: jacobians is of type {type(found).__name__}, expected what jacobian() returns")
    if not jacobians:
        raise ValueError("jacobian_plot: there are no Jacobians to draw")
    return _plot.plot(
        {pair: _plot.flat(matrix) for pair, matrix in jacobians.items()},
        metadata,
        title or f"Jacobians of {metadata.key}",
        show=show_plot,
        colorbar=show_colorbar,
        own_scales=scale_colors_per_submatrix,
        colormap=colormap,
        log_scale=log_scale,
    )
