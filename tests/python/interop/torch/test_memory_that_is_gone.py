"""Memory of torch that is swapped while a launch is prepared, or runs.

What crashed runs in a process of its own, on memory that is gone from the process once it is freed: programs whose
cases run one after another.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

torch = pytest.importorskip("torch")


SWAPS = """
import threading, time
import numpy as np, torch, warp as wp

BIG = 8_000_000  # Memory of this size is gone from the process once it is freed.

@wp.kernel
def scale(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * s

@wp.kernel
def add(x: wp.array(dtype=float), y: wp.array(dtype=float), z: wp.array(dtype=float)):
    i = wp.tid()
    z[i] = x[i] + y[i]

@wp.kernel
def slow(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    for k in range(n):
        x[i] = x[i] + 1.0

def swap(t):
    t.data = torch.full((BIG,), 7.0)

class Swapping:
    # A number or an array that gives another argument other memory when it is converted.
    memory = np.ones(BIG, np.float32)
    def __init__(self, act):
        self.act = act
    def __float__(self):
        self.act()
        return 2.0
    def __dlpack__(self, **options):
        self.act()
        return self.memory.__dlpack__(**options)
    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()
"""


@pytest.fixture
def run(tmp_path):
    def run(source: str) -> None:
        program = tmp_path / "program.py"
        program.write_text(SWAPS + textwrap.dedent(source))
        done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=250)
        assert done.returncode == 0, f"exit status {done.returncode} in {done.stdout.split()[-1:]}: {done.stderr}"

    return run


def test_memory_that_is_gone_from_the_process(run):
    """What is left at the old address is nothing that may be touched, by whoever looks at it."""
    run("""
    def recorded(a):
        return wp.launch(scale, dim=BIG, inputs=[a, 2.0, a], record_cmd=True).launch

    def launched(a):
        return lambda: wp.launch(scale, dim=BIG, inputs=[a, 2.0, a])

    def part(a):
        a = a[5:]
        return lambda: wp.launch(scale, dim=BIG - 5, inputs=[a, 2.0, a])

    def filled(a):
        return lambda: a.fill_(1.0)

    def read(a):
        return a.numpy

    moves = [
        lambda t: t.share_memory_(),
        lambda t: t.resize_(2 * BIG),
        lambda t: t.untyped_storage().resize_(0),
        lambda t: torch.cat([torch.ones(BIG), torch.ones(BIG)], out=t),
    ]
    for use in [launched, recorded, part, filled, read]:
        for number, move in enumerate(moves):
            print(use.__name__, number, flush=True)
            t = torch.ones(BIG)
            again = use(wp.from_torch(t))
            again()
            move(t)
            try:
                found = again()
                if use is read:
                    found.sum()
            except RuntimeError as error:
                assert "given other memory" in str(error), error
            else:
                raise AssertionError("it was not refused")
    """)


def test_an_argument_that_gives_others_other_memory(run):
    run("""
    def value(t):
        y = wp.zeros(BIG)
        wp.launch(scale, dim=BIG, inputs=[t, Swapping(lambda: swap(t))], outputs=[y])
        # The array counts as it was when the values were known.
        assert (y.numpy() == 14.0).all()

    def array(t):
        z = wp.zeros(BIG)
        wp.launch(add, dim=BIG, inputs=[t, Swapping(lambda: swap(t))], outputs=[z])
        assert (z.numpy() == 8.0).all()

    def recorded(t):
        z = wp.zeros(BIG)
        command = wp.launch(add, dim=BIG, inputs=[t, Swapping(lambda: swap(t))], outputs=[z], record_cmd=True)
        swap(t)
        t.fill_(0.0)
        command.launch()
        assert (z.numpy() == 8.0).all()

    def taped(t):
        z, a = wp.zeros(BIG, requires_grad=True), wp.zeros(BIG, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(add, dim=BIG, inputs=[t, Swapping(lambda: swap(t))], outputs=[z])
        tape.backward(grads={z: wp.ones(BIG)})

    def moved(t):
        a, z = wp.from_torch(t), wp.zeros(BIG)
        try:
            wp.launch(add, dim=BIG, inputs=[a, Swapping(t.share_memory_)], outputs=[z])
        except RuntimeError as error:
            assert "argument 'x'" in str(error) and "given other memory" in str(error), error
        else:
            raise AssertionError("it was not refused")

    def adjoint(t):
        g = torch.zeros(BIG)
        def both():
            swap(t)
            swap(g)
        wp.launch(scale, dim=BIG, inputs=[t, Swapping(both)], outputs=[wp.zeros(BIG)], adj_inputs=[g, None],
                  adj_outputs=[wp.ones(BIG)], adjoint=True)

    for case in [value, array, recorded, taped, moved, adjoint]:
        for t in [torch.ones(BIG), torch.nn.Parameter(torch.ones(BIG), False)]:
            print(case.__name__, flush=True)
            case(t)
    """)


def test_another_thread_gives_the_arguments_of_a_running_launch_other_memory(run):
    run("""
    def launch(t, n):
        wp.launch(slow, dim=BIG, inputs=[t, n])

    def converted(t, n):
        launch(wp.from_torch(t), n)

    def recorded(t, n):
        wp.launch(slow, dim=BIG, inputs=[t, n], record_cmd=True).launch()

    def adjoint(t, n):
        wp.launch(slow, dim=BIG, inputs=[t, n], adj_inputs=[torch.zeros(BIG), None], adjoint=True)

    def drop(t):
        t.data = torch.zeros(3)

    for case in [launch, converted, recorded, adjoint]:
        for change in [swap, drop, torch.Tensor.set_]:
            print(case.__name__, change.__name__, flush=True)
            # Where other work keeps this thread waiting, the launch is over too soon: then a longer one.
            for n in [30, 100, 300, 1000]:
                t = torch.zeros(BIG)
                case(t, 1)  # From here on it is compiled, and known to take long.
                thread = threading.Thread(target=case, args=(t, n))
                thread.start()
                time.sleep(0.02)
                change(t)
                was_running = thread.is_alive()
                thread.join()
                if was_running:
                    break
            assert was_running, "every launch was over too soon"
    """)


def test_another_thread_gives_the_arguments_of_a_first_launch_other_memory(run):
    run("""
    t = torch.ones(BIG)
    found = []
    def work(kernel):
        y = wp.zeros(BIG)
        wp.launch(kernel, dim=BIG, inputs=[t, 2.0], outputs=[y])
        found.append(float(y.numpy()[-1]))
    for kernel in [scale, scale, scale]:
        thread = threading.Thread(target=work, args=(kernel,))
        thread.start()
        while thread.is_alive():
            swap(t)
        thread.join()
    assert len(found) == 3 and set(found) <= {2.0, 14.0}, found
    """)
