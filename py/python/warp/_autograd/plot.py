"""Pictures of Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from warp import _warp
from warp._autograd.call import FunctionMetadata


def pyplot(where: str) -> ModuleType:
    """matplotlib's plotting interface.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"{where} needs matplotlib to draw; install it (pip install matplotlib)") from error
    module: ModuleType = plt
    return module


def plot(
    matrices: dict[tuple[int, int], np.ndarray[Any, Any]],
    metadata: FunctionMetadata,
    title: str,
    show: bool = True,
    colorbar: bool = True,
    own_scales: bool = False,
    colormap: str = "coolwarm",
    log_scale: bool = False,
    where: str = "autograd.jacobian_plot",
) -> Any:
    """A figure with a picture of each matrix: a row for each output, a column for each input.

    Args:
        matrices: By input and output.
        metadata: The names of those.
        title: The title of the figure.
        show: Whether to show the figure.
        colorbar: Whether to draw the scales of colours.
        own_scales: Whether each matrix has a scale of its own.
        colormap: Its name in matplotlib.
        log_scale: Whether colours follow the logarithm of the magnitude.
        where: The name of the caller, for messages.
    """
    plt = pyplot(where)
    inputs = sorted({i for i, _ in matrices})
    outputs = sorted({o for _, o in matrices})
    figure, axes = plt.subplots(
        max(len(outputs), 1), max(len(inputs), 1), squeeze=False, constrained_layout=True, num=None
    )
    figure.suptitle(title)
    scale = _scale(list(matrices.values()), log_scale)
    image = None
    for row, o in enumerate(outputs):
        for column, i in enumerate(inputs):
            axis = axes[row][column]
            matrix = matrices.get((i, o))
            if matrix is None:
                axis.set_axis_off()
                continue
            norm = (_scale([matrix], log_scale) if own_scales else scale)()
            image = axis.imshow(matrix, cmap=colormap, norm=norm, aspect="auto", interpolation="nearest")
            axis.set_xlabel(metadata.input_labels[i])
            axis.set_ylabel(metadata.output_labels[o])
            if colorbar and own_scales:
                figure.colorbar(image, ax=axis)
    if colorbar and not own_scales and image is not None:
        figure.colorbar(image, ax=axes)
    if show:
        plt.show()
    return figure


def _scale(matrices: Sequence[np.ndarray[Any, Any]], log_scale: bool) -> Callable[[], Any]:
    """Makes the scale of colours for matrices, with 0 in its middle."""
    from matplotlib.colors import Normalize, SymLogNorm

    sizes = np.concatenate([np.abs(matrix).reshape(-1) for matrix in matrices] or [np.zeros(0)])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    largest = float(sizes.max()) if sizes.size else 1.0
    if log_scale:
        smallest = float(sizes.min()) if sizes.size else 1.0
        return lambda: SymLogNorm(linthresh=smallest, vmin=-largest, vmax=largest)
    return lambda: Normalize(vmin=-largest, vmax=largest)


def flat(array: _warp.array) -> np.ndarray[Any, Any]:
    """A Jacobian with a column for each number."""
    content = np.asarray(array.numpy(), dtype=np.float64)
    return content.reshape(content.shape[0], -1)
