"""Random programs on views of one array, and their gradients: on a tape, and by torch, which overwrites nothing.

A step reads some elements of the array and writes others, at indices that are affine in the thread index, come from
memory, or belong to a loop. Threads of one step never read what another thread writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import warp as wp

F = wp.float64


def array(values, grad: bool = True):
    return wp.array(np.asarray(values, float), dtype=wp.float64, requires_grad=grad)


@wp.kernel
def move(x: wp.array(dtype=wp.float64), to: wp.vec2i, source: wp.vec2i):
    """One array, by one parameter."""
    i = wp.tid()
    a = x[source[0] * i + source[1]]
    x[to[0] * i + to[1]] = F(0.7) * wp.sin(a) + F(0.2) * x[to[0] * i + to[1]]


@wp.kernel
def move_between(y: wp.array(dtype=wp.float64), x: wp.array(dtype=wp.float64), to: wp.vec2i, source: wp.vec2i):
    """The same of two views, or of one array by two parameters."""
    i = wp.tid()
    a = x[source[0] * i + source[1]]
    y[to[0] * i + to[1]] = F(0.7) * wp.sin(a) + F(0.2) * y[to[0] * i + to[1]]


@wp.kernel
def gather(x: wp.array(dtype=wp.float64), to: wp.vec2i, source: wp.array(dtype=int)):
    i = wp.tid()
    x[to[0] * i + to[1]] = wp.cos(x[source[i]]) * F(0.8)


@wp.kernel
def scatter(x: wp.array(dtype=wp.float64), to: wp.array(dtype=int), source: wp.vec2i):
    i = wp.tid()
    x[to[i]] = wp.cos(x[source[0] * i + source[1]]) * F(0.8)


@wp.kernel
def add(x: wp.array(dtype=wp.float64), to: wp.vec2i, source: wp.vec2i):
    i = wp.tid()
    a = x[source[0] * i + source[1]]
    wp.atomic_add(x, to[0] * i + to[1], F(0.3) * a * a)


@wp.kernel
def run(x: wp.array(dtype=wp.float64), start: int, stop: int, step: int):
    """A thread that reads what it has written."""
    for k in range(start, stop, step):
        x[k + 1] = F(0.6) * wp.sin(x[k]) + F(0.3) * x[k + 1]


@wp.kernel
def rows(x: wp.array2d(dtype=wp.float64), to: int, source: int):
    i = wp.tid()
    if to != source:
        x[to, i] = wp.sin(x[source, i]) * x[source, i]


@wp.kernel
def weigh(x: wp.array(dtype=wp.float64), weights: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, weights[i] * x[i] * x[i])


@dataclass
class Step:
    """What a step does: a kernel or a fill, and indices."""

    what: str
    count: int = 0
    to: tuple[int, int] = (0, 0)
    source: tuple[int, int] = (0, 0)
    indices: list[int] = field(default_factory=list)
    views: tuple[int, int] = (0, 0)

    def written(self) -> list[int]:
        return [self.to[0] * i + self.to[1] for i in range(self.count)]

    def read(self) -> list[int]:
        return [self.source[0] * i + self.source[1] for i in range(self.count)]


class Program:
    """Steps on an array, made up at random."""

    width = 5

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.size = self.width * int(rng.integers(4, 9))
        self.start = rng.uniform(-1.0, 1.0, self.size)
        self.weights = rng.uniform(0.5, 1.0, self.size)
        self.steps = [self.step() for _ in range(int(rng.integers(3, 25)))]

    def affine(self, count: int) -> tuple[int, int]:
        """Stride and start of `count` different indices in range."""
        stride = int(self.rng.integers(1, (self.size - 1) // max(count - 1, 1) + 1)) if count > 1 else 1
        stride = min(stride, 6)
        last = self.size - 1 - stride * (count - 1)
        start = int(self.rng.integers(0, last + 1))
        if self.rng.random() < 0.2:
            return -stride, start + stride * (count - 1)
        return stride, start

    def step(self) -> Step:
        names = [
            "move",
            "between",
            "views",
            "gather",
            "scatter",
            "add",
            "run",
            "rows",
            "fill",
            "element",
            "copy",
            "weigh",
        ]
        what = str(self.rng.choice(names))
        while True:
            count = int(self.rng.integers(1, self.width + 1))
            step = Step(what, count, self.affine(count), self.affine(count))
            written, read = step.written(), step.read()
            apart = not set(written) & set(read)
            if what == "gather":
                left = sorted(set(range(self.size)) - set(written))
                step.indices = [int(self.rng.choice(left)) for _ in range(count)]
                return step
            if what == "scatter":
                left = sorted(set(range(self.size)) - set(read))
                step.indices = [int(i) for i in self.rng.choice(left, count, replace=False)]
                return step
            if what == "rows":
                row = self.rng.integers(0, self.size // self.width, 2)
                step.to, step.source, step.count = (int(row[0]), 0), (int(row[1]), 0), self.width
                return step
            if what in ("views", "copy"):
                # Neighbouring views of one length.
                half = self.size // 2
                step.views = (0, half) if self.rng.random() < 0.5 else (half, 0)
                if max(written + read) < half:
                    return step
                continue
            if what in ("fill", "element", "weigh"):
                return step
            if what == "run":
                stop = int(self.rng.integers(1, self.size))
                step.source = (int(self.rng.integers(0, stop)), stop)
                step.to = (int(self.rng.integers(1, 3)), 0)
                return step
            # An element may be read by the thread that writes it.
            if apart or step.to == step.source:
                return step

    def value(self, start: np.ndarray) -> float:
        """The loss, with nothing recorded."""
        return float(play(self, array(start, False), array([0.0], False)))

    def __repr__(self) -> str:
        return "\n".join(map(str, self.steps))


def play(program: Program, x: wp.array, loss: wp.array) -> float:
    """Runs the steps and the loss on Warp arrays."""
    weights = array(program.weights, False)
    for step in program.steps:
        to, source = wp.vec2i(*step.to), wp.vec2i(*step.source)
        half = program.size // 2
        match step.what:
            case "move":
                wp.launch(move, dim=step.count, inputs=[x, to, source])
            case "between":
                wp.launch(move_between, dim=step.count, inputs=[x, x, to, source])
            case "views":
                first, second = (x[at : at + half] for at in step.views)
                wp.launch(move_between, dim=step.count, inputs=[first, second, to, source])
            case "gather":
                wp.launch(gather, dim=step.count, inputs=[x, to, wp.array(step.indices, dtype=int)])
            case "scatter":
                wp.launch(scatter, dim=step.count, inputs=[x, wp.array(step.indices, dtype=int), source])
            case "add":
                wp.launch(add, dim=step.count, inputs=[x, to, source])
            case "run":
                wp.launch(run, dim=1, inputs=[x, step.source[0], step.source[1], step.to[0]])
            case "rows":
                table = x.reshape((-1, program.width))
                wp.launch(rows, dim=program.width, inputs=[table, step.to[0], step.source[0]])
            case "fill":
                first, last = min(step.written()), max(step.written())
                x[first : last + 1 : abs(step.to[0])].fill_(0.25)
            case "element":
                x[step.to[1]] = 0.5
            case "copy":
                first, second = (x[at : at + half] for at in step.views)
                wp.copy(first[: step.count], second[: step.count])
            case "weigh":
                wp.launch(weigh, dim=program.size, inputs=[x, weights, loss])
    wp.launch(weigh, dim=program.size, inputs=[x, weights, loss])
    return loss.numpy()[0]


def warp_gradients(program: Program, passes: int) -> tuple[list[np.ndarray], int]:
    """The gradients of several passes, and what the tape has kept before them."""
    start, loss = array(program.start), array([0.0])
    with wp.Tape() as tape:
        x = wp.clone(start)
        play(program, x, loss)
    kept, found = tape.kept_bytes, []
    for _ in range(passes):
        tape.zero()
        tape.backward(loss)
        found.append(start.grad.numpy().copy())
    return found, kept


def torch_gradients(program: Program) -> np.ndarray:
    """The same by torch: each step gives a new tensor."""
    import torch

    start = torch.tensor(program.start, requires_grad=True)
    weights = torch.tensor(program.weights)
    x, loss = start, torch.zeros((), dtype=torch.float64)

    def put(x, indices, values):
        return x.index_put((torch.tensor(indices),), values)

    for step in program.steps:
        written, read = step.written(), step.read()
        match step.what:
            case "move" | "between":
                x = put(x, written, 0.7 * torch.sin(x[read]) + 0.2 * x[written])
            case "views":
                first, second = step.views
                written, read = [first + i for i in written], [second + i for i in read]
                x = put(x, written, 0.7 * torch.sin(x[read]) + 0.2 * x[written])
            case "gather":
                x = put(x, written, torch.cos(x[step.indices]) * 0.8)
            case "scatter":
                x = put(x, step.indices, torch.cos(x[read]) * 0.8)
            case "add":
                x = x.index_put((torch.tensor(written),), 0.3 * x[read] ** 2, accumulate=True)
            case "run":
                for k in range(step.source[0], step.source[1], step.to[0]):
                    x = put(x, [k + 1], (0.6 * torch.sin(x[k]) + 0.3 * x[k + 1])[None])
            case "rows":
                to, source = step.to[0], step.source[0]
                if to != source:
                    table = x.reshape(-1, program.width)
                    row = torch.sin(table[source]) * table[source]
                    x = put(x, list(range(to * program.width, (to + 1) * program.width)), row)
            case "fill":
                first, last, stride = min(written), max(written), abs(step.to[0])
                indices = list(range(first, last + 1, stride))
                x = put(x, indices, torch.full((len(indices),), 0.25, dtype=torch.float64))
            case "element":
                x = put(x, [step.to[1]], torch.full((1,), 0.5, dtype=torch.float64))
            case "copy":
                first, second = step.views
                x = put(x, [first + i for i in range(step.count)], x[second : second + step.count])
            case "weigh":
                loss = loss + (weights * x * x).sum()
    loss = loss + (weights * x * x).sum()
    loss.backward()
    return start.grad.numpy()
