"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import kernel
from warp.optim._parameters import Optimizer, accumulator_of, number_of

__all__ = ["SGD"]


@cache
def _step_of(scalar: Any) -> _warp.Kernel:
    """The step for parameters of a scalar type."""
    wide = accumulator_of(scalar)

    @kernel(enable_backward=False)
    def sgd(
        grad: wp.array[scalar],
        b: wp.array[wide],
        param: wp.array[scalar],
        lr: wide,
        momentum: wide,
        share: wide,
        weight_decay: wide,
        nesterov: bool,
    ) -> None:
        i = wp.tid()
        p = wide(param[i])
        g = wide(grad[i]) + weight_decay * p
        if momentum != wide(0.0):
            mean = momentum * b[i] + share * g
            b[i] = mean
            if nesterov:
                g = g + momentum * mean
            else:
                g = mean
        param[i] = scalar(p - lr * g)

    return sgd


class SGD(Optimizer):
    """Gradient descent, with momentum (B. T. Polyak 1964) in I. Sutskever's form of Nesterov's, if wanted.

    A step computes, with the gradient ``g`` of a parameter ``p`` and what is remembered of it, ``b``::

        g = g + weight_decay * p
        b = g                                       # the first step
        b = momentum * b + (1 - dampening) * g      # the others
        p = p - lr * (g + momentum * b if nesterov else b)

    which is ``p - lr * g`` where ``momentum`` is 0. See I. Sutskever, J. Martens, G. Dahl and G. Hinton, "On the
    importance of initialization and momentum in deep learning", ICML 2013. What is remembered of parameters of 16
    bits is float32.

    Args:
        params: The arrays to change; see :meth:`set_params`.
        lr: The length of a step. It may be assigned between steps, as may the following.
        momentum: How much of ``b`` is kept in a step.
        dampening: How much of the gradient does not enter ``b``.
        weight_decay: How much of the parameter is added to its gradient.
        nesterov: Whether to look ahead.

    Raises:
        TypeError: ``params`` is no list of arrays of floats; a number is none.
    """

    _name = "SGD"
    _slots = 1

    def __init__(
        self,
        params: Sequence[Any] | None = None,
        lr: float = 0.001,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        self.lr = number_of("SGD: lr", lr)
        self.momentum = number_of("SGD: momentum", momentum)
        self.dampening = number_of("SGD: dampening", dampening)
        self.weight_decay = number_of("SGD: weight_decay", weight_decay)
        self.nesterov = bool(nesterov)
        super().__init__(params)

    @property
    def b(self) -> list[_warp.array]:
        """What is remembered of each parameter."""
        return [memory[0] for memory in self._memory]

    def _change(self, grad: _warp.array, memory: list[_warp.array], param: _warp.array) -> None:
        # Before the first step `b` is zero, so that it becomes the whole gradient by a share of 1.
        share = 1 - self.dampening if self.t else 1.0
        numbers = [self.lr, self.momentum, share, self.weight_decay, self.nesterov]
        wp.launch(
            _step_of(param.dtype),
            dim=param.size,
            inputs=[grad, *memory, param, *numbers],
            device=param.device,
            record_tape=False,
        )
