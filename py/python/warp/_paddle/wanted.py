"""Which gradients a backward pass of paddle's takes from a layer.

`paddle.grad` wants None for an input of a layer from which nothing leads to what it differentiates, but does not tell
the layer: it runs a copy of the graph. The arguments of `paddle.grad` say what it differentiates.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Sequence
from types import CodeType, FrameType
from typing import Any

import paddle

_GRAD: CodeType = inspect.unwrap(paddle.grad).__code__
#: Backward passes that take all gradients. One of them may run inside a layer's part of another pass.
_WHOLE = {inspect.unwrap(f).__code__ for f in (paddle.Tensor.backward, paddle.autograd.backward)}


def edges(result: Any, count: int) -> list[Any]:
    """The node of each of the `count` inputs of the layer that gave a result; empty if paddle does not tell."""
    node = result.grad_fn
    found = [] if node is None else list(node.next_functions)
    return found if len(found) == count else []


def reached(inputs: Sequence[Any]) -> list[bool]:
    """For the node of each input of a layer: whether the pass that runs takes a gradient there."""
    targets = _targets()
    if targets is None:
        return [True] * len(inputs)
    return [node is not None and _leads(node, targets) for node in inputs]


def _targets() -> set[int] | None:
    """The nodes of what `paddle.grad` differentiates; None in other passes."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not _GRAD:
        if frame.f_code in _WHOLE:
            return None
        frame = frame.f_back
    if frame is None:
        return None
    given = frame.f_locals["inputs"]
    given = given if isinstance(given, list | tuple) else [given]
    return {t.grad_fn.node_ptr() for t in _tensors(given)}


def _tensors(given: Iterable[Any]) -> Iterable[Any]:
    return (t for t in given if t is not None and t.grad_fn is not None)


def _leads(node: Any, targets: set[int]) -> bool:
    """Whether a path back from a node comes to one of the targets."""
    seen, left = set(), [node]
    while left:
        node = left.pop()
        address = node.node_ptr()
        if address in targets:
            return True
        if address not in seen:
            seen.add(address)
            left += [below for below in node.next_functions if below is not None]
    return False
