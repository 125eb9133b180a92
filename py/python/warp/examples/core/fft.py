"""A fast Fourier transform by hand, and what is left of a picture without its fine waves.

Shows complex numbers as `wp.vec2`, a `@wp.func` for their product, and one launch for each of the log2(n) rounds of
butterflies. The order of the numbers is Stockham's, which needs no bit reversal (Cochran and others, 1967). Rows are
transformed, the result is transposed, and rows again: the transform of an image.

    python -m warp.examples.core.fft [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.func
def times(a: wp.vec2, b: wp.vec2) -> wp.vec2:
    """The product of two complex numbers."""
    return wp.vec2(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0])


@wp.kernel
def butterflies(x: wp.array2d[wp.vec2], half: int, sign: float, out: wp.array2d[wp.vec2]) -> None:
    """Transforms of `half` numbers become transforms of twice as many, in each row."""
    row, t = wp.tid()
    k = t % half
    angle = sign * wp.PI * float(k) / float(half)
    a = x[row, t]
    b = times(x[row, t + x.shape[1] // 2], wp.vec2(wp.cos(angle), wp.sin(angle)))
    to = 2 * (t - k) + k
    out[row, to] = a + b
    out[row, to + half] = a - b


@wp.kernel
def transpose(x: wp.array2d[wp.vec2], scale: float, out: wp.array2d[wp.vec2]) -> None:
    i, j = wp.tid()
    out[j, i] = scale * x[i, j]


@wp.kernel
def keep_low(x: wp.array2d[wp.vec2], radius: float) -> None:
    """Fades out waves that go through the picture more often than `radius` times."""
    i, j = wp.tid()
    fi = float(wp.min(i, x.shape[0] - i))
    fj = float(wp.min(j, x.shape[1] - j))
    x[i, j] = x[i, j] * wp.exp(-(fi * fi + fj * fj) / (2.0 * radius * radius))


def rows(x: wp.array, sign: float) -> wp.array:
    """Transforms each row of complex numbers; the length of a row is a power of two."""
    count, length = x.shape
    if length & (length - 1):
        raise ValueError(f"the length of a row must be a power of two, not {length}")
    out, half = wp.empty_like(x), 1
    x = wp.clone(x)
    while half < length:
        wp.launch(butterflies, dim=(count, length // 2), inputs=[x, half, sign], outputs=[out])
        x, out = out, x
        half *= 2
    return x


def turned(x: wp.array, scale: float = 1.0) -> wp.array:
    out = wp.empty(x.shape[::-1], dtype=wp.vec2)
    wp.launch(transpose, dim=x.shape, inputs=[x, scale], outputs=[out])
    return out


def fft2(x: wp.array) -> wp.array:
    """The transform of complex numbers in two dimensions."""
    return turned(rows(turned(rows(x, -1.0)), -1.0))


def ifft2(x: wp.array) -> wp.array:
    """The numbers that have this transform."""
    return turned(rows(turned(rows(x, 1.0)), 1.0), 1.0 / x.size)


def complex_array(values: np.ndarray) -> wp.array:
    return wp.array(np.stack([values.real, values.imag], axis=-1), dtype=wp.vec2)


def scene(side: int) -> np.ndarray:
    """Rings that get finer outwards, and a star."""
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j]
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    return np.where(r < 0.95, 0.5 + 0.5 * np.cos(38 * r * r) * np.where(r < 0.62, 1, np.sign(np.cos(24 * angle))), 0.5)


def draw(before: np.ndarray, waves: np.ndarray, after: np.ndarray, file: str) -> None:
    with _shared.sheet(file, 1, 3, size=(13.5, 4.8)) as panels:
        _shared.image(panels[0], before, "a picture", cmap="gray")
        size = np.log10(np.hypot(waves[..., 0], waves[..., 1]) + 1)
        _shared.image(panels[1], np.fft.fftshift(size), "its waves, longest in the middle", cmap="inferno")
        _shared.image(panels[2], after, "without the short ones", cmap="gray")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    before = scene(512)
    with wp.ScopedDevice(options.device):
        transformed = fft2(complex_array(before))
        waves = np.array(transformed.numpy())
        back = ifft2(transformed).numpy()[..., 0]
        wp.launch(keep_low, dim=transformed.shape, inputs=[transformed, 24.0])
        after = ifft2(transformed).numpy()[..., 0]
    print(f"there and back, pixels differ by at most {np.abs(back - before).max():.1e}")
    if not options.headless:
        draw(before, waves, after, options.picture)


if __name__ == "__main__":
    main()
