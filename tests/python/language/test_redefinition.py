"""Names in kernels that come to mean something else after a launch: cells of a notebook that are run again."""

from __future__ import annotations

import itertools
import linecache
import sys
import types

import pytest
import warp as wp

NUMBERS = itertools.count()


class Notebook:
    """Runs cells in one namespace, as notebooks do."""

    def __init__(self):
        self.names = {"wp": wp, "__name__": "notebook"}

    def run(self, text):
        file = f"<cell {next(NUMBERS)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), self.names)

    def launch(self, **options):
        out = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(self.names["k"], dim=1, inputs=[out], **options)
        return out.numpy()[0]


KERNEL = """
@wp.kernel
def k(out: wp.array(dtype=float)):
    out[0] = out[0] + f(2.0)
"""


def function(body, name="f"):
    return f"@wp.func\ndef {name}(x: float):\n    return {body}\n"


def test_a_function_that_is_defined_again():
    book = Notebook()
    book.run(function("x + 1.0"))
    book.run(KERNEL)
    assert [book.launch(), book.launch()] == [3, 3]
    for factor in (10, 20):
        book.run(function(f"x * {factor}.0"))
        assert [book.launch(), book.launch()] == [2 * factor] * 2
    # The same text as before, from another cell.
    book.run(function("x + 1.0"))
    assert book.launch() == 3


def test_what_an_overload_calls():
    book = Notebook()
    book.run(function("x + 1.0", "g"))
    book.run(function("g(x)"))
    # Another overload is the last one: the first is what is called.
    book.run("@wp.func\ndef f(x: wp.vec2):\n    return x[0]\n")
    book.run(KERNEL)
    assert book.launch() == 3
    book.run(function("x * 10.0", "g"))
    assert book.launch() == 20


def test_a_function_that_a_function_calls():
    book = Notebook()
    book.run(function("x", "g"))
    book.run(function("g(x) + 1.0"))
    book.run(KERNEL)
    assert book.launch() == 3
    book.run(function("5.0 * x", "g"))
    assert book.launch() == 11


def test_an_attribute_of_a_module():
    book = Notebook()
    book.run(function("x"))
    book.names["m"] = types.SimpleNamespace(f=book.names["f"])
    book.run(KERNEL.replace("f(2.0)", "m.f(2.0)"))
    assert book.launch() == 2
    book.run(function("x + x"))
    assert book.launch() == 2
    book.names["m"].f = book.names["f"]
    book.run(function("x", "other"))
    assert book.launch() == 4


def test_a_builtin_that_is_hidden():
    book = Notebook()
    book.run(KERNEL.replace("f(2.0)", "abs(-2.0)"))
    assert book.launch() == 2
    book.run(function("x", "abs"))
    assert book.launch() == -2


def test_constants_and_structs_at_the_next_definition():
    book = Notebook()
    book.run("N = 1.0\nclass S:\n    x: float\nS = wp.struct(S)\n")
    book.run(function("N * x"))
    book.run(KERNEL.replace("f(2.0)", "f(S(2.0).x)"))
    assert book.launch() == 2
    book.names["N"] = 3.0
    assert book.launch() == 2
    book.run(function("x", "unrelated"))
    assert book.launch() == 6
    book.run("class S:\n    y: float\n    x: float\nS = wp.struct(S)\n")
    assert book.launch() == 0


def test_a_notebook_looks_after_each_cell(monkeypatch):
    registered = []
    shell = types.SimpleNamespace(events=types.SimpleNamespace(register=lambda *args: registered.append(args)))
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    book = Notebook()
    book.run("N = 1.0\n" + function("N * x") + KERNEL + KERNEL.replace("def k", "def k2"))
    [(event, callback)] = registered
    assert event == "post_run_cell"
    assert book.launch() == 2
    book.names["N"] = 4.0
    callback("result")
    assert book.launch() == 8


def test_nothing_is_compiled_again_for_nothing(capsys):
    book = Notebook()
    book.run("NAN = float('nan')\n" + function("wp.where(NAN == NAN, 1.0, x)"))
    book.run(KERNEL)
    wp.config.verbose = True
    try:
        book.launch()
        for _ in range(3):
            book.run(function("x", "unrelated"))
            assert book.launch() == 2
    finally:
        wp.config.verbose = False
    assert capsys.readouterr().out.count("kernel 'k'") == 1


def test_what_was_recorded_keeps_its_kernel():
    book = Notebook()
    book.run(function("x * x"))
    book.run(KERNEL.replace("k(out", "k(a: wp.array(dtype=float), out").replace("f(2.0)", "f(a[0])"))
    a, out = (wp.array([3.0], dtype=float, requires_grad=True) for _ in range(2))
    command = wp.launch(book.names["k"], dim=1, inputs=[a, out], record_cmd=True)
    with wp.Tape() as tape:
        wp.launch(book.names["k"], dim=1, inputs=[a, out])
    book.run(function("100.0 * x"))
    wp.launch(book.names["k"], dim=1, inputs=[a, out])
    assert out.item() == 3 + 9 + 300
    tape.backward(out)
    assert a.grad.item() == 6
    command.launch()
    assert out.item() == 3 + 9 + 300 + 9
    assert wp.launch(book.names["k"], dim=1, inputs=[a, out], record_cmd=True).kernel.key == "k"


def test_operators_are_made_of_the_function_of_now():
    torch = pytest.importorskip("torch")
    book = Notebook()
    book.run(function("x + 1.0"))
    book.run(KERNEL.replace("k(out", "k(a: wp.array(dtype=float), out").replace("out[0] + f(2.0)", "f(a[0])"))
    x = torch.ones(1)
    old = wp.torch.torch_kernel(book.names["k"], launch_dims=1)
    assert old(x).item() == 2
    book.run(function("x + 10.0"))
    assert wp.torch.torch_kernel(book.names["k"], launch_dims=1)(x).item() == 11
    assert old(x).item() == 2
    book.run(function("x + 20.0"))
    assert wp.torch.torch_kernel(book.names["k"], launch_dims=1)(x).item() == 21
