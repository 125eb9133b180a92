"""Monte Carlo: the price of an option from random paths, and how its error shrinks.

Shows random numbers: each thread has a generator of its own (`wp.rand_init(seed, i)`), draws normal numbers with
`wp.randn` and adds its result to sums. The share price follows a geometric Brownian motion; the price of a European
call is that of Black and Scholes (1973), and that of an option on the mean price (Asian) has no formula.

    python -m warp.examples.core.monte_carlo [--steps DAYS] [--headless]
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, exp, log, sqrt

import numpy as np
import warp as wp

from .. import _shared

START, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0


@wp.kernel
def simulate(seed: int, days: int, paths: wp.array2d[float], sums: wp.array[wp.float64]) -> None:
    """Follows one path; what both options pay is added to `sums`, and the first paths are kept."""
    i = wp.tid()
    state = wp.rand_init(seed, i)
    dt = YEARS / float(days)
    price = float(START)
    total = float(0.0)
    for day in range(days):
        if i < paths.shape[0]:
            paths[i, day] = price
        price *= wp.exp((RATE - 0.5 * VOLATILITY * VOLATILITY) * dt + VOLATILITY * wp.sqrt(dt) * wp.randn(state))
        total += price
    discount = wp.exp(-RATE * YEARS)
    call = wp.float64(discount * wp.max(price - STRIKE, 0.0))
    asian = wp.float64(discount * wp.max(total / float(days) - STRIKE, 0.0))
    wp.atomic_add(sums, 0, call)
    wp.atomic_add(sums, 1, call * call)
    wp.atomic_add(sums, 2, asian)
    wp.atomic_add(sums, 3, asian * asian)


@dataclass
class Prices:
    """Prices of both options and their standard errors, from `count` paths; the first few paths."""

    count: int
    call: float
    call_error: float
    asian: float
    asian_error: float
    paths: np.ndarray


def price(count: int, days: int, seed: int = 1, kept: int = 400) -> Prices:
    paths = wp.zeros((min(kept, count), days), dtype=float)
    sums = wp.zeros(4, dtype=wp.float64)
    wp.launch(simulate, dim=count, inputs=[seed, days], outputs=[paths, sums])
    call, call2, asian, asian2 = sums.numpy() / count
    error, asian_error = (sqrt((square - mean**2) / count) for mean, square in ((call, call2), (asian, asian2)))
    return Prices(count, float(call), error, float(asian), asian_error, np.array(paths.numpy()))


def black_scholes() -> float:
    """The price of the call."""

    def below(x: float) -> float:
        return 0.5 + 0.5 * erf(x / sqrt(2))

    spread = VOLATILITY * sqrt(YEARS)
    d = (log(START / STRIKE) + (RATE + 0.5 * VOLATILITY**2) * YEARS) / spread
    return START * below(d) - STRIKE * exp(-RATE * YEARS) * below(d - spread)


def draw(runs: list[Prices], file: str) -> None:
    true = black_scholes()
    with _shared.sheet(file, 1, 2, size=(13, 5), width_ratios=(1.4, 1)) as (left, right):
        paths = runs[-1].paths
        for path, end in zip(paths, paths[:, -1], strict=True):
            left.plot(path, color=_shared.RED if end > STRIKE else _shared.BLUE, linewidth=0.5, alpha=0.35)
        left.axhline(STRIKE, color=_shared.INK, linewidth=1, linestyle="--")
        left.set(
            title="paths of the price; those above the line pay",
            xlabel="day",
            ylabel="price",
            xlim=(0, paths.shape[1] - 1),
        )
        counts = [run.count for run in runs]
        right.loglog(counts, [abs(run.call - true) for run in runs], "o", color=_shared.RED, label="true error")
        right.loglog(counts, [run.call_error for run in runs], color=_shared.INK, label="standard error")
        right.set(title="error of the call's price", xlabel="paths")
        right.legend()


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=250)
    with wp.ScopedDevice(options.device):
        runs = [price(1 << power, options.steps, seed=power) for power in range(6, 19)]
    last = runs[-1]
    print(f"call:  {last.call:.4f} +- {last.call_error:.4f}, Black and Scholes: {black_scholes():.4f}")
    print(f"asian: {last.asian:.4f} +- {last.asian_error:.4f}")
    if not options.headless:
        draw(runs, options.picture)


if __name__ == "__main__":
    main()
