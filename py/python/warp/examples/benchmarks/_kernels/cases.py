"""A row of the benchmarks of kernels: a launch, what it must compute, and what other compilers need for the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

DEVICE = "cpu"  # benchmark_gpu sets another

Dim = int | tuple[int, ...]
Launch = Callable[[], object]


@dataclass
class Native:
    """The same work for a function of C or Numba: NAME(*dim, *values), where results are arrays among the values. C is
    given those sizes of arrays, too, that the dimensions do not say."""

    function: str
    dim: tuple[int, ...]
    values: list[Any]
    results: list[int]
    sizes: list[int]

    def result(self) -> np.ndarray:
        return np.concatenate([self.values[k].reshape(-1) for k in self.results])


@dataclass
class Joined:
    """Several arrays as one."""

    arrays: list[Any]

    def numpy(self) -> np.ndarray:
        return np.concatenate([a.numpy().reshape(-1) for a in self.arrays])


@dataclass
class Case:
    """One row: a launch, the array it fills and the values that NumPy finds for it."""

    name: str
    launch: Launch
    result: Any
    expected: np.ndarray | None  # None: what C finds
    tolerance: float = 1e-5
    may_differ: float = 0.0  # share of elements that may be off: where rounding decides a branch
    native: Native | None = None
    memory_bound: bool = False

    def check(self) -> None:
        self.launch()
        if self.expected is not None:
            self.compare(self.result.numpy(), self.expected)

    def compare(self, got: np.ndarray, expected: np.ndarray) -> None:
        got, expected = got.reshape(-1), expected.reshape(-1)
        # Gradients may be large where others are small: what is small is held against the largest.
        scale = self.tolerance * max(1.0, float(np.abs(expected).mean()))
        close = np.isclose(got, expected, rtol=self.tolerance, atol=scale)
        if 1 - close.mean() > self.may_differ:
            raise SystemExit(f"{self.name}: {(~close).sum()} of {close.size} values are wrong")


def array(values: np.ndarray, dtype: Any = float) -> Any:
    return wp.array(values, dtype=dtype, device=DEVICE)


def launcher(
    kernel: Any, dim: Any, inputs: Sequence[Any], outputs: Sequence[Any] = (), **more: Any
) -> Callable[[], object]:
    """A launch with everything but the call decided."""
    return lambda: wp.launch(kernel, dim=dim, inputs=list(inputs), outputs=list(outputs), device=DEVICE, **more)


def case(
    name: str,
    kernel: Any,
    dim: Dim,
    values: Sequence[Any],
    expected: np.ndarray | None,
    *,
    result: int = -1,
    types: Mapping[int, Any] | None = None,
    sizes: Sequence[int] = (),
    **more: Any,
) -> Case:
    """A launch on these NumPy arrays and numbers, of which `result` is written. `types` has the dtypes of those arrays
    that hold neither float32 nor int32."""
    native = Native(kernel.func.__name__, shape(dim), list(values), [result], list(sizes))
    arguments = [on_device(value, (types or {}).get(k)) for k, value in enumerate(values)]
    return Case(name, launcher(kernel, dim, arguments), arguments[result], expected, native=native, **more)


def adjoint(
    name: str,
    kernel: Any,
    dim: Dim,
    inputs: Sequence[Any],
    output: np.ndarray,
    wanted: Sequence[int],
    expected: np.ndarray | None = None,
    *,
    seed: np.ndarray | None = None,
    types: Mapping[int, Any] | None = None,
    sizes: Sequence[int] = (),
    **more: Any,
) -> Case:
    """The adjoint of a kernel whose last parameter alone is an output, for the gradients of the inputs `wanted`."""
    types = types or {}
    seed = np.ones_like(output) if seed is None else seed
    gradients = [np.zeros_like(inputs[k]) for k in wanted]
    native = Native(
        kernel.func.__name__ + "_adjoint",
        shape(dim),
        [*inputs, output, *gradients, seed],
        [len(inputs) + 1 + k for k in range(len(wanted))],
        list(sizes),
    )
    arguments = [on_device(value, types.get(k)) for k, value in enumerate([*inputs, output])]
    grads: list[Any] = [None] * len(inputs)
    for k, gradient in zip(wanted, gradients, strict=True):
        grads[k] = on_device(gradient, types.get(k))
    seeds = [on_device(seed, types.get(len(inputs)))]
    run = launcher(kernel, dim, arguments[:-1], arguments[-1:], adj_inputs=grads, adj_outputs=seeds, adjoint=True)
    return Case(name, run, Joined([grads[k] for k in wanted]), expected, native=native, **more)


def shape(dim: Dim) -> tuple[int, ...]:
    return dim if isinstance(dim, tuple) else (dim,)


def on_device(value: Any, dtype: Any) -> Any:
    """A NumPy array on the device; a number as it is."""
    if not isinstance(value, np.ndarray):
        return value
    return array(value, dtype or (int if value.dtype == np.int32 else float))
