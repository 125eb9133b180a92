"""Any Python function as a target of `jax.ffi.ffi_call`: buffers, attributes and kernels on them.

The function is called each time that the compiled program runs. It gets lists of buffers, which kernels take as they
are and NumPy reads through `__array_interface__`, and the call's attributes.

    python -m warp.examples.interop.example_jax_ffi_callback
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import warp as wp
from warp.jax_experimental import register_ffi_callback

from .. import _shared


@wp.kernel
def rotate(v: wp.array[wp.vec2], c: float, s: float, out: wp.array[wp.vec2]) -> None:
    """Turns vectors."""
    i = wp.tid()
    out[i] = wp.vec2(c * v[i][0] - s * v[i][1], s * v[i][0] + c * v[i][1])


def turned(inputs: list[Any], outputs: list[Any], attrs: dict[str, Any], ctx: Any) -> None:
    """Rotates an array of vectors; jax counts the components of a vector as a dimension."""
    c, s = float(np.cos(attrs["angle"])), float(np.sin(attrs["angle"]))
    with wp.ScopedStream(wp.Stream("cpu", cuda_stream=ctx.stream)):
        wp.launch(rotate, dim=inputs[0].shape[0], inputs=[inputs[0], c, s], outputs=[outputs[0]])


def sorted_rows(inputs: list[Any], outputs: list[Any], attrs: dict[str, Any], ctx: Any) -> None:
    """What is no kernel: NumPy on the buffers. `order` is text, `keep` a list of columns."""
    rows = np.asarray(inputs[0])[:, attrs["keep"]]
    made = np.sort(rows, axis=1)
    np.asarray(outputs[0])[...] = made[:, ::-1] if attrs["order"] == "falling" else made


def main() -> dict[str, float]:
    """Returns the error of each part."""
    register_ffi_callback("example_turned", turned)
    register_ffi_callback("example_sorted_rows", sorted_rows)
    v = jax.random.normal(jax.random.key(0), (100, 2))
    call = jax.ffi.ffi_call("example_turned", jax.ShapeDtypeStruct(v.shape, v.dtype))

    @jax.jit
    def full_circle(v: jax.Array) -> jax.Array:
        for _ in range(8):
            v = call(v, angle=np.float32(np.pi / 4))
        return v

    rows = jax.random.uniform(jax.random.key(1), (20, 5))
    keep = np.array([0, 2, 4])
    sort = jax.ffi.ffi_call("example_sorted_rows", jax.ShapeDtypeStruct((20, 3), rows.dtype))
    falling = jax.jit(lambda x: sort(x, order="falling", keep=keep))(rows)
    errors = {
        "a full circle": float(jnp.abs(full_circle(v) - v).max()),
        "sorted rows": float(np.abs(np.asarray(falling) + np.sort(-np.asarray(rows)[:, keep], axis=1)).max()),
    }
    for name, error in errors.items():
        print(f"{name:>20}: error {error:.1e}")
    return errors


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, draws=False)
    with _shared.with_jax(options.device):
        main()


if __name__ == "__main__":
    program()
