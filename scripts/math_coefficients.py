"""Writes warp-core/src/backend/math/coef_double.rs: coefficients for double precision, and of inverse error functions.

Run by hand after a change, with mpmath at hand (about a minute), and `cargo fmt` after it:

    python scripts/math_coefficients.py

Polynomials interpolate at Chebyshev nodes, which is within a factor of a few of the best. Quotients of polynomials are
fitted by least squares at such nodes with weights that level the error (Lawson's method).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mpmath import (
    asin,
    atan,
    atanh,
    cos,
    erf,
    erfc,
    erfinv,
    exp,
    expm1,
    log,
    lu_solve,
    matrix,
    mp,
    mpf,
    nstr,
    pi,
    polyval,
    sinh,
    sqrt,
    tan,
)

mp.prec = 300
OUT = Path(__file__).resolve().parent.parent / "warp-core/src/backend/math/coef_double.rs"

HEAD = """//! Made by `scripts/math_coefficients.py`: coefficients, lowest power first. The error is absolute,
//! of the function that the line names.

#![allow(clippy::approx_constant)] // They are coefficients that happen to be near a constant.
"""

Function = Callable[[mpf], mpf]


def nodes(low: mpf, high: mpf, n: int) -> list[mpf]:
    return [(low + high) / 2 + (high - low) / 2 * cos(pi * (k + mpf(1) / 2) / n) for k in range(n)]


def polynomial(f: Function, low: float, high: float, degree: int) -> list[mpf]:
    xs = nodes(mpf(low), mpf(high), degree + 1)
    a = matrix(len(xs), len(xs))
    b = matrix(len(xs), 1)
    for i, x in enumerate(xs):
        b[i] = f(x)
        for j in range(len(xs)):
            a[i, j] = x**j
    return list(lu_solve(a, b))


def quotient(f: Function, high: float, top: int) -> tuple[list[mpf], list[mpf], mpf]:
    """Numerator of degree `top`, denominator of one less, and the relative error on 0 ..= high."""
    # Nodes are dense near 0, where the function bends.
    count, bend = 90, mpf(3)
    end = mpf(high) / (mpf(high) + bend)
    xs = [bend * y / (1 - y) for y in nodes(mpf(0), end, count)]
    fs = [f(x) for x in xs]
    below, weights = [mpf(1)] * count, [mpf(1)] * count
    best: tuple[list[mpf], list[mpf], mpf] | None = None
    for _ in range(40):
        a, b = matrix(count, 2 * top), matrix(count, 1)
        for i, x in enumerate(xs):
            scale, u = weights[i] / (fs[i] * below[i]), x / 4
            for j in range(top + 1):
                a[i, j] = scale * u**j
            for j in range(top - 1):
                a[i, top + 1 + j] = -scale * fs[i] * u ** (j + 1)
            b[i] = scale * fs[i]
        s = list(lu_solve(a, b))
        p = [s[j] / mpf(4) ** j for j in range(top + 1)]
        q = [mpf(1)] + [s[top + 1 + j] / mpf(4) ** (j + 1) for j in range(top - 1)]
        below = [polyval(q[::-1], x) for x in xs]
        errors = [abs(polyval(p[::-1], x) / d / v - 1) for x, d, v in zip(xs, below, fs, strict=True)]
        if min(below) > 0 and (best is None or max(errors) < best[2]):
            best = (p, q, max(errors))
        mean = sum(errors) / count
        weights = [w * sqrt(e / mean) + mpf("1e-6") for w, e in zip(weights, errors, strict=True)]
    assert best is not None
    return best


def even(f: Function) -> Function:
    """`f` of the square root."""
    return lambda z: f(sqrt(abs(z) + mpf(10) ** -36))


def rest(f: Function) -> Function:
    """`(f(x) - x) / x^3` in `x^2`."""
    return even(lambda x: (f(x) - x) / x**3)


def erfcinv(q: mpf) -> mpf:
    if q > 0.01:
        return erfinv(1 - q)
    x = sqrt(-log(q))
    for _ in range(6):
        x = sqrt(max(-log(q * x * sqrt(pi)), mpf("0.5")))
    for _ in range(7):
        x += log(erfc(x) / q) * erfc(x) * exp(x * x) * sqrt(pi) / 2
    return x


def inverse(s: mpf) -> mpf:
    """`erfinv(x) / x` in `sqrt(-log(1 - x^2))`, which is smooth from 0 to infinity."""
    w = s * s
    x = sqrt(-expm1(-w))
    return erfcinv(exp(-w) / (1 + x)) / x


SHIFT, FLAT, NEAR, FAR = mpf("3.75"), mpf(0.6), mpf("0.8"), mpf("27.4")


def tail(y: mpf) -> mpf:
    """`(x + FLAT) erfc(x) e^(x^2)`, nearly constant, in `y`, which is -1 at NEAR and 1 at FAR."""
    a, b = ends()
    v = (a - y) / b
    x = 1 / v - SHIFT
    return (x + FLAT) * erfc(x) * exp(x * x)


def ends() -> tuple[mpf, mpf]:
    """a and b, so that `a - b v` is -1 at NEAR and 1 at FAR; as the doubles that are written."""
    high, low = 1 / (NEAR + SHIFT), 1 / (FAR + SHIFT)
    b = mpf(float(2 / (high - low)))
    return mpf(float((high + low) / (high - low))), b


def log_rest(z: mpf) -> mpf:
    s = sqrt(abs(z) + mpf(10) ** -36)
    return (atanh(s) / s - 1 - s * s / 3) / s**4


POLYNOMIALS: list[tuple[str, str, Function, float, float, int]] = [
    ("TAN_64", "(tan(r) - r) / r^3 in z = r^2 for |r| <= pi / 4", rest(tan), 0, float(pi / 4) ** 2 * 1.0001, 14),
    ("ASIN_64", "(asin(x) - x) / x^3 in z = x^2 for |x| <= 1/2", rest(asin), 0, 0.25, 13),
    ("ATAN_64", "(atan(u) - u) / u^3 in z = u^2 for |u| <= tan(pi / 8)", rest(atan), 0, 0.1717, 11),
    ("SINH_64", "(sinh(x) - x) / x^3 in z = x^2 for |x| <= 1", rest(sinh), 0, 1, 7),
    (
        "LOG_REST_64",
        "(atanh(s) / s - 1 - z / 3) / z^2 in z = s^2 for log of sqrt(1/2) ..= sqrt(2)",
        log_rest,
        0,
        0.02945,
        7,
    ),
    ("ROOT_64", "1 / cbrt(m) for m in 1 ..= 8: what is improved later", lambda m: m ** (-mpf(1) / 3), 1, 8, 6),
    ("ERF_64", "erf(x) / x - 1 in z = x^2 for |x| <= 0.8", even(lambda x: erf(x) / x - 1), 0, 0.6401, 11),
    ("ERFC_64", "(x + 0.6) erfc(x) e^(x^2) in y, which runs from -1 to 1 for x in 0.8 ..= 27.4", tail, -1, 1, 20),
]
QUOTIENTS = [
    ("ERFINV_32", "For results of single precision of erfinv", 4.1, 7),
    ("ERFCINV_32", "For results of single precision of erfcinv", 10.3, 9),
    ("ERFINV_64", "For both in double precision", 27.3, 9),
]


def listed(name: str, c: list[mpf]) -> str:
    lines = "".join(f"    {float(x)!r},\n" for x in c)
    return f"pub const {name}: &[f64] = &[\n{lines}];\n"


def main() -> None:
    text = HEAD
    for name, what, f, low, high, degree in POLYNOMIALS:
        c = polynomial(f, low, high, degree)
        rounded = [mpf(float(x)) for x in c]
        tries = nodes(mpf(low), mpf(high), 61)
        error = max(abs(polyval(c[::-1], x) - f(x)) for x in tries)
        most = max(abs(polyval(rounded[::-1], x) - f(x)) for x in tries)
        print(name, "error", nstr(error, 3), "rounded", nstr(most, 3), "first", nstr(c[0], 5), flush=True)
        text += f"\n/// {what}; error {nstr(error, 2)}.\n{listed(name, c)}"
        if name == "ERFC_64":
            low_part = float(c[0] - rounded[0])
            text += f"/// What rounding lost of the first.\npub const ERFC_FIRST_LOW: f64 = {low_part!r};\n"
    a, b = ends()
    text += "\n/// y = a - b v with v = 1 / (x + 3.75), for ERFC_64.\n"
    text += f"pub const ERFC_SCALE: (f64, f64) = ({float(a)!r}, {float(b)!r});\n"
    for name, what, high, top in QUOTIENTS:
        p, q, error = quotient(inverse, high, top)
        print(name, nstr(error, 3), flush=True)
        about = f"{what}: erfinv(x) / x in s = sqrt(-log(1 - x^2)) <= {high}"
        text += f"\n/// {about}, numerator; relative error {nstr(error, 2)}.\n{listed(name + '_TOP', p)}"
        text += f"/// Its denominator.\n{listed(name + '_BOTTOM', q)}"
    OUT.write_text(text)


if __name__ == "__main__":
    main()
