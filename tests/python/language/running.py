"""What tests of statements share: kernels that run over one array of results."""

import warp as wp


def run(kernel, *inputs, size=8, dtype=float):
    out = wp.zeros(size, dtype=dtype)
    wp.launch(kernel, dim=1, inputs=list(inputs), outputs=[out])
    return out.list()
