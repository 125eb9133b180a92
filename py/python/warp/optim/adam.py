"""Adam."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import kernel
from warp.optim._parameters import Optimizer, accumulator_of, number_of

__all__ = ["Adam"]


@cache
def _step_of(scalar: Any) -> _warp.Kernel:
    """The step for parameters of a scalar type."""
    wide = accumulator_of(scalar)

    @kernel(enable_backward=False)
    def adam(
        grad: wp.array[scalar],
        m: wp.array[wide],
        v: wp.array[wide],
        param: wp.array[scalar],
        lr: wide,
        beta1: wide,
        beta2: wide,
        rest1: wide,
        rest2: wide,
        eps: wide,
        m_scale: wide,
        v_scale: wide,
    ) -> None:
        i = wp.tid()
        g = wide(grad[i])
        first = beta1 * m[i] + rest1 * g
        second = beta2 * v[i] + rest2 * g * g
        m[i] = first
        v[i] = second
        change = lr * (first * m_scale) / (wp.sqrt(second * v_scale) + eps)
        param[i] = scalar(wide(param[i]) - change)

    return adam


class Adam(Optimizer):
    """Adam: each number moves by its mean gradient over the root of its mean squared gradient.

    Algorithm 1 of D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015
    (arXiv:1412.6980), with its names: ``m`` and ``v`` hold the two means of each parameter, ``t`` counts steps.
    Means of parameters of 16 bits are float32.

    Args:
        params: The arrays to change; see :meth:`set_params`.
        lr: The length of a step. It may be assigned between steps, as may the following.
        betas: How much of the two means is kept in a step, from 0 to below 1.
        eps: Added to the root, against division by zero.

    Raises:
        TypeError: ``params`` is no list of arrays of floats; a number is none.
        ValueError: ``betas`` are out of range, or ``eps`` is negative.
    """

    _name = "Adam"
    _slots = 2

    def __init__(
        self,
        params: Sequence[Any] | None = None,
        lr: float = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        self.lr = number_of("Adam: lr", lr)
        self.beta1, self.beta2 = (number_of("Adam: betas", beta) for beta in betas)
        self.eps = number_of("Adam: eps", eps)
        if not (0 <= self.beta1 < 1 and 0 <= self.beta2 < 1):
            raise ValueError(f"Adam: betas are {betas}, expected two numbers from 0 to below 1")
        if not self.eps >= 0:
            raise ValueError(f"Adam: eps is {eps}, expected 0 or more")
        super().__init__(params)

    @property
    def m(self) -> list[_warp.array]:
        """The mean gradient of each parameter."""
        return [memory[0] for memory in self._memory]

    @property
    def v(self) -> list[_warp.array]:
        """The mean squared gradient of each parameter."""
        return [memory[1] for memory in self._memory]

    def _change(self, grad: _warp.array, memory: list[_warp.array], param: _warp.array) -> None:
        m_scale = 1 / (1 - self.beta1 ** (self.t + 1))
        v_scale = 1 / (1 - self.beta2 ** (self.t + 1))
        # What is left of 1 is computed here: in float32, 1 - 0.999 has lost four digits.
        rest = [1 - self.beta1, 1 - self.beta2]
        numbers = [self.lr, self.beta1, self.beta2, *rest, self.eps, m_scale, v_scale]
        wp.launch(
            _step_of(param.dtype),
            dim=param.size,
            inputs=[grad, *memory, param, *numbers],
            device=param.device,
            record_tape=False,
        )
