"""Solvers on random systems against NumPy: a residual that they call small enough is so, and what can be solved is."""

from __future__ import annotations

import os
import zlib
from itertools import pairwise

import numpy as np
import pytest
import warp as wp
from warp.optim.linear import LinearOperator, bicgstab, cg, cr, gmres, preconditioner

ROUNDS = 200 if os.environ.get("WARP_SOAK") else 2
SIZE = 64


def rotated(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """A symmetric matrix with these eigenvalues."""
    q, _ = np.linalg.qr(rng.normal(size=(len(values), len(values))))
    return (q * values) @ q.T


def positive(rng: np.random.Generator, n: int) -> np.ndarray:
    return rotated(rng, np.logspace(0, 2, n))


def indefinite(rng: np.random.Generator, n: int) -> np.ndarray:
    return rotated(rng, np.linspace(1, 10, n) * rng.choice([-1.0, 1.0], n))


def nonsymmetric(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, n)) + 2.0 * np.sqrt(n) * np.eye(n)


def turned(rng: np.random.Generator, n: int) -> np.ndarray:
    """Eigenvalues on both sides of zero and complex ones: no diagonal is close to the inverse."""
    return nonsymmetric(rng, n) @ np.diag(rng.choice([-1.0, 1.0], n))


def scaled(rng: np.random.Generator, n: int) -> np.ndarray:
    scale = np.logspace(-2, 2, n)
    return rotated(rng, np.linspace(1, 10, n)) * np.outer(scale, scale)


def rows_scaled(rng: np.random.Generator, n: int) -> np.ndarray:
    return nonsymmetric(rng, n) * np.logspace(-3, 3, n)[:, None]


#: Families of matrices, and what each solver is to solve in float64, without and with the diagonal as preconditioner.
FAMILIES = {
    positive: {"cg": "both", "cr": "both", "bicgstab": "both", "gmres": "both"},
    indefinite: {"cr": "plain", "bicgstab": "none", "gmres": "plain"},
    nonsymmetric: {"bicgstab": "both", "gmres": "both"},
    turned: {"bicgstab": "none", "gmres": "none"},
    scaled: {"cg": "diag", "cr": "diag", "bicgstab": "diag", "gmres": "diag"},
    rows_scaled: {"bicgstab": "diag", "gmres": "diag"},
}
SOLVERS = {
    "cg": (cg, [{}, {"restart": 20}]),
    "cr": (cr, [{}, {"restart": 20}]),
    "bicgstab": (bicgstab, [{}, {"is_left_preconditioner": True}]),
    "gmres": (gmres, [{}, {"is_left_preconditioner": True}]),
}
CASES = [(family, name, wanted) for family, solvers in FAMILIES.items() for name, wanted in solvers.items()]


def rounding(a: np.ndarray, x: np.ndarray, b: np.ndarray, dtype: type) -> float:
    """By how much a residual may be off that is computed in a type."""
    eps = np.finfo(np.float32 if dtype is wp.float32 else np.float64).eps
    return float(4 * eps * np.linalg.norm(np.abs(a) @ np.abs(x) + np.abs(b)))


@pytest.mark.parametrize("dtype", [wp.float32, wp.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize(("family", "name", "wanted"), CASES, ids=lambda c: getattr(c, "__name__", str(c)))
def test_what_is_said_of_residuals_is_true(family, name, wanted, dtype):
    solver, kinds = SOLVERS[name]
    rng = np.random.default_rng(zlib.crc32(f"{family.__name__} {name}".encode()))
    wide = dtype is wp.float64
    for at in range(ROUNDS):
        A = wp.array(family(rng, SIZE), dtype=dtype)
        right = wp.array(rng.normal(size=SIZE), dtype=dtype)
        a, b = A.numpy().astype(np.float64), right.numpy().astype(np.float64)
        solution = np.linalg.solve(a, b)
        for how in ("plain", "diag"):
            M = preconditioner(A, "diag") if how == "diag" else None
            options = kinds[at % 2]
            if options.get("restart") and how != wanted != "both":
                options = {}
            for tolerance in (1e-9 if wide else 1e-4, 1e-12 if wide else 1e-6):
                x = wp.zeros(SIZE, dtype=dtype)
                _, found, limit = solver(A, right, x, tol=tolerance, M=M, maxiter=10 * SIZE, **options)
                got = x.numpy().astype(np.float64)
                if not np.isfinite(got).all():
                    assert not found <= limit
                    continue
                left = np.linalg.norm(b - a @ got)
                # Nobody is told more than is so, whether or not the residual is small enough.
                slack = rounding(a, got, b, dtype)
                assert abs(left - found) <= 1e-3 * left + slack, (how, options, tolerance)
                if wide and wanted in ("both", how) and tolerance == 1e-9:
                    assert found <= limit, (how, options)
                    error = np.linalg.norm(got - solution) / np.linalg.norm(solution)
                    assert error <= 2 * np.linalg.cond(a) * tolerance


@pytest.mark.parametrize("dtype", [wp.float32, wp.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", SOLVERS)
def test_batches(name, dtype):
    solver, kinds = SOLVERS[name]
    rng = np.random.default_rng(7)
    families = [positive, scaled] if name in ("cg", "cr") else [positive, nonsymmetric, rows_scaled]
    for at in range(ROUNDS):
        sizes = [int(n) for n in rng.integers(1, 40, len(families))]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        whole = np.zeros((offsets[-1], offsets[-1]))
        for family, start, n in zip(families, offsets, sizes, strict=False):
            whole[start : start + n, start : start + n] = family(rng, n)
        A = wp.array(whole, dtype=dtype)
        right, x = wp.array(rng.normal(size=len(whole)), dtype=dtype), wp.zeros(len(whole), dtype=dtype)
        product = wp.optim.linear.aslinearoperator(A)
        operator = LinearOperator(product.shape, dtype, product.device, product.matvec, batch_offsets=offsets)
        tolerance = 1e-9 if dtype is wp.float64 else 1e-4
        _, found, limit = solver(
            operator, right, x, tol=tolerance, M=preconditioner(A, "diag"), maxiter=400, check_every=0, **kinds[at % 2]
        )
        a, b, got = A.numpy().astype(np.float64), right.numpy().astype(np.float64), x.numpy().astype(np.float64)
        left = b - a @ got
        for k, (start, end) in enumerate(pairwise(offsets)):
            said, most = (float(array.numpy()[k]) ** 0.5 for array in (found, limit))
            true = float(np.linalg.norm(left[start:end]))
            slack = rounding(a[start:end], got, b[start:end], dtype)
            assert abs(true - said) <= 1e-3 * true + slack
            if dtype is wp.float64:
                assert said <= most * (1 + 1e-6)


def test_the_first_answer_is_not_trusted():
    """In float32 the residual that is updated goes to zero, that of the solution does not."""
    rng = np.random.default_rng(0)
    A = wp.array(scaled(rng, SIZE), dtype=wp.float32)
    b = wp.array(rng.normal(size=SIZE), dtype=wp.float32)
    told: list[tuple[int, float, float]] = []
    for restart in (None, 20):
        x = wp.zeros(SIZE, dtype=wp.float32)
        done, found, limit = cg(
            A, b, x, M=preconditioner(A), maxiter=1000, restart=restart, callback=lambda *a: told.append(a)
        )
        assert found > limit
        # It is not gone on with for ever where rounding allows no more.
        assert done < 1000
        assert told[-1] == (done, found, limit)
