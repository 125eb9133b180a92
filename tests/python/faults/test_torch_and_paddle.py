"""Two big frameworks in one process, whichever comes first, and what lives on when it ends."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("paddle", reason="paddle is not installed (it has no wheel for every Python)")

TOGETHER = """
import sys
__import__(sys.argv[1])
import torch, paddle
import warp as wp

a = wp.ones(3, dtype=float, requires_grad=True)
t, p = wp.to_torch(a), wp.to_paddle(a)
assert t.data_ptr() == p.data_ptr() == a.ptr
assert t.grad.data_ptr() == p.grad.data_ptr() == a.grad.ptr
a.grad.fill_(2.0)
assert t.grad.tolist() == p.grad.tolist() == [2, 2, 2]

x, y = torch.ones(3), paddle.ones([3])
assert wp.from_torch(x).ptr == x.data_ptr() and wp.from_paddle(y).ptr == y.data_ptr()
for wrong in (lambda: wp.from_torch(y), lambda: wp.from_paddle(x)):
    try:
        wrong()
    except TypeError:
        continue
    raise AssertionError("a tensor of the other framework was taken")


@wp.kernel
def add(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = y[i] + x[i]


wp.launch(add, dim=3, inputs=[x, y])
wp.launch(add, dim=3, inputs=[y, x])
assert (x.tolist(), y.tolist()) == ([3, 3, 3], [2, 2, 2])

# Both lose their gradient; the array puts its own back into both.
tape = wp.Tape()
tape.record_func(lambda: a.grad.fill_(4.0), [a])
p.clear_gradient(False)
t.grad = None
tape.backward()
assert t.grad.tolist() == p.grad.tolist() == a.grad.list() == [4, 4, 4]
print("done")
"""

# The first that a process does with paddle is to pass a tensor for which paddle's own functions would crash. Each way
# is the first of a fork, since importing paddle takes most of the time.
CRASHERS = """
import os
import paddle
import warp as wp


@wp.kernel
def read(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i]


t = paddle.ones([3])
t._clear()
y = wp.zeros(3, dtype=float)
ways = {
    "launch": lambda: wp.launch(read, dim=3, inputs=[t], outputs=[y]),
    "from_paddle": lambda: wp.from_paddle(t),
    "descriptor": lambda: wp.from_paddle(t, return_ctype=True),
    "from_dlpack": lambda: wp.from_dlpack(t),
    "array": lambda: wp.array(t),
    "shared": lambda: wp.array(t, copy=False),
    "assign": lambda: y.assign(t),
}


def refused(first):
    for name in (first, *ways):
        try:
            ways[name]()
        except (TypeError, ValueError) as error:
            assert "dense" in str(error) or "paddle.Tensor" in str(error), (name, error)
            continue
        raise AssertionError(name)


for first in ways:
    child = os.fork()
    if child == 0:
        refused(first)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, first
print("done")
"""

# Everything is alive in every way when the process ends.
LIVE = """
import sys
import warp as wp
import paddle

x = paddle.ones([1000])
x.stop_gradient = False
a = wp.from_paddle(x)
d = wp.from_paddle(x, return_ctype=True)
b = wp.zeros(1000, dtype=float, requires_grad=True)
t = wp.to_paddle(b)
u = paddle.from_dlpack(wp.zeros(10))
sys.kept = [a, d, t, u, wp.to_paddle(wp.from_paddle(paddle.ones([5]))), a.__dlpack__()]
cycle = [a, t]
cycle.append(cycle)
print("done")
"""


@pytest.mark.parametrize("first", ["torch", "paddle", "warp", "numpy"])
def test_both_in_one_process(script, first):
    assert script(TOGETHER).run(first) == "done\n"


def test_what_crashes_paddle_is_refused_from_the_start(script):
    assert script(CRASHERS).run() == "done\n"


def test_exit_with_live_tensors(script, rounds):
    program = script(LIVE)
    for _ in range(rounds(2, 100)):
        assert program.run() == "done\n"


LEAKS = """
import gc, sys
import numpy as np
import paddle
import warp as wp
from warp.paddle import paddle_kernel


@wp.kernel
def twice(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


def leaf():
    x = paddle.ones([10])
    x.stop_gradient = False
    return x


x, y, tracked, f = paddle.ones([10]), paddle.zeros([10]), leaf(), paddle_kernel(twice)
own, differentiable = wp.zeros(10, dtype=float), wp.zeros(10, dtype=float, requires_grad=True)
memory = np.zeros(10, np.float32)
few = 20 if int(sys.argv[1]) < 1_000_000 else 1  # what takes long runs less often, but in a soak run


def train():
    f(tracked).sum().backward()
    tracked.clear_grad()


def record():
    with wp.Tape() as tape:
        wp.launch(twice, dim=10, inputs=[tracked], outputs=[differentiable])
    tape.backward(grads={differentiable: own})


paths = {
    "from_paddle": (1, lambda: wp.from_paddle(x)),
    "from_paddle with grad": (1, lambda: wp.from_paddle(tracked)),
    "from_paddle with a new grad": (few, lambda: wp.from_paddle(leaf())),
    "from_paddle ctype": (1, lambda: wp.from_paddle(x, return_ctype=True)),
    "to_paddle": (1, lambda: wp.to_paddle(own)),
    "to_paddle with grad": (few, lambda: wp.to_paddle(differentiable)),
    "from_dlpack": (1, lambda: wp.from_dlpack(x)),
    "to paddle by dlpack": (few, lambda: paddle.from_dlpack(own)),
    "launch": (1, lambda: wp.launch(twice, dim=10, inputs=[x], outputs=[y])),
    "recorded launch": (few, record),
    "paddle_kernel": (few, lambda: f(x)),
    "paddle_kernel and back": (few, train),
}


# Paddle forgets 80 bytes whenever it takes a capsule, whosoever it is.
theirs = {"to paddle by dlpack": lambda: paddle.from_dlpack(memory)}


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def growth(path, count):
    before = resident()
    for _ in range(count):
        path()
    gc.collect()
    return resident() - before


for name, (less, path) in paths.items():
    count = int(sys.argv[1]) // less
    for _ in range(max(count // 10, 2000 // less)):
        path()
    gc.collect()
    references = [sys.getrefcount(o) for o in (x, tracked, own, differentiable)]
    grown = growth(path, count)
    if name in theirs:
        grown -= growth(theirs[name], count)
    assert grown < 1_000_000, (name, grown)
    assert [sys.getrefcount(o) for o in (x, tracked, own, differentiable)] == references, name
print("done")
"""


def test_conversions_leak_nothing(script, rounds):
    assert script(LEAKS).run(str(rounds(20_000, 1_000_000))) == "done\n"
