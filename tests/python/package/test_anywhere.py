"""Kernels that are defined in no file: their text is found, and no other is taken for it."""

from __future__ import annotations

import code
import linecache
import os
import pty
import select
import subprocess
import sys
import textwrap
import time

import pytest
import warp as wp
from warp._language import recovered

from .anywhere import PRINTED, PROGRAM, printed, python

BODY = "import warp as wp\n@wp.kernel\ndef k(a: wp.array(dtype=float)):\n    a[0] = {value}\n"


def ran(kernel: wp.Kernel) -> float:
    a = wp.zeros(1)
    wp.launch(kernel, dim=1, inputs=[a])
    return float(a.list()[0])


@pytest.mark.parametrize("options", [["-c"], ["-X", "utf8", "-c"], ["-Wc", "-c"]])
def test_command(options):
    assert printed(*options, PROGRAM) == PRINTED


def test_command_in_one_word():
    assert printed(f"-Bc{PROGRAM}") == PRINTED


def test_standard_input_from_a_file(tmp_path):
    file = tmp_path / "program"
    file.write_text(PROGRAM)
    for arguments in (["-"], []):
        with file.open() as stdin:
            assert printed(*arguments, stdin=stdin) == PRINTED
    with file.open() as stdin:
        assert printed("-i", "-q", stdin=stdin).replace("... ", "").replace(">>> ", "") == PRINTED


LONG = "# a line of a comment\n" * 400
NESTED = """
def outer():
    # a comment

    @wp.kernel
    def inner(x: wp.array(dtype=float)):
        x[0] = 4.0
    return inner

x = wp.zeros(1)
wp.launch(outer(), dim=1, inputs=[x])
print(x.list())
"""


@pytest.mark.parametrize("before", ["", LONG, LONG + "if True:\n    one = 1\n"])
def test_standard_input_from_a_pipe(before):
    for arguments in (["-"], []):
        assert printed(*arguments, input=before + PROGRAM, env={"PYTHONUNBUFFERED": ""}) == PRINTED
    assert printed(input=before + PROGRAM + NESTED, env={"PYTHONUNBUFFERED": ""}) == f"{PRINTED}\n[4.0]"


def test_standard_input_from_a_pipe_that_is_gone():
    for options in ({"env": {"PYTHONUNBUFFERED": "1"}}, {"env": {"PYTHONUNBUFFERED": ""}, "after": LONG}):
        done = python("-", input=PROGRAM + options.pop("after", ""), **options)
        assert done.returncode == 1
        assert "the source text of function 'f' (<stdin>, line 8) is not available; Python read" in done.stderr
        assert "`python - < file.py`" in done.stderr


@pytest.mark.skipif(sys.flags.no_site, reason="the line editor comes with site")
def test_prompt():
    """Typed at a terminal, with the line editor that Python has there."""
    pytest.importorskip("readline")
    terminal, other = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "PYTHON_BASIC_REPL": "1", "PYTHON_HISTORY": os.devnull}
    process = subprocess.Popen(
        [sys.executable, "-q"], stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True
    )
    os.close(other)
    shown = b""

    def read() -> None:
        """What there is until the next prompt."""
        nonlocal shown
        end = time.monotonic() + 60
        start = len(shown)
        while not shown[start:].endswith((b">>> ", b"... ")) and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 65536)

    try:
        read()
        for line in PROGRAM.splitlines():
            os.write(terminal, line.encode() + b"\n")
            read()
        assert PRINTED in shown.decode(), shown.decode()
    finally:
        os.close(terminal)
        process.kill()
        process.wait()


def test_console():
    """`code.interact()`, and what is made of it."""
    console = code.InteractiveConsole({"print": lambda *found: said.append(found)})
    said: list[object] = []
    for line in PROGRAM.splitlines():
        console.push(line)
    assert said == [([6.0, 6.0], [7.0, 7.0])]


def test_exec():
    scope: dict = {}
    text = BODY.format(value=5.0)
    exec(text, scope)
    assert ran(scope["k"]) == 5.0
    again = text.replace("5.0", "6.0")
    exec(compile(again, "made", "exec"), other := {})
    assert ran(other["k"]) == 6.0


def test_exec_of_bytes_of_a_file_and_of_what_an_object_holds(tmp_path):
    data = BODY.format(value=7.0).encode()
    exec(data, scope := {})
    assert ran(scope["k"]) == 7.0
    file = tmp_path / "text"
    file.write_text(BODY.format(value=8.0))
    exec(file.read_text(), scope := {})
    assert ran(scope["k"]) == 8.0

    class Cell:
        def __init__(self, source):
            self.source = source

    def run(cell):
        exec(cell.source, scope)

    run(Cell(textwrap.dedent(BODY.format(value=9.0))))
    assert ran(scope["k"]) == 9.0


def test_of_several_texts_the_right_one_is_taken():
    texts = [BODY.format(value=float(value)) for value in range(4)]
    found = []
    # All of them are in reach, with one name of file, function and line.
    first, second, third, fourth = texts
    for text in (third, first, fourth, second):
        scope: dict = {}
        exec(text, scope)
        found.append(ran(scope["k"]))
    assert found == [2.0, 0.0, 3.0, 1.0]


def test_a_wrong_text_that_is_registered_is_not_taken():
    wrong = BODY.format(value=1.0)
    linecache.cache["<string>"] = (len(wrong), None, wrong.splitlines(keepends=True), "<string>")
    try:
        right = BODY.format(value=2.0)
        exec(right, scope := {})
        assert ran(scope["k"]) == 2.0
        with pytest.raises(OSError, match=r"'k' \(<string>, line 2\) is not available; define it in a file"):
            exec(
                "".join(["import warp as wp\n@wp.kernel\ndef k(a: wp.array(dtype=float)):\n", "    a[0] = 33.0\n"]), {}
            )
    finally:
        del linecache.cache["<string>"]


def test_functions_of_a_text_define_kernels_later():
    scope: dict = {}

    def run() -> None:
        text = (
            BODY.format(value=1.0)
            + "def later():\n"
            + textwrap.indent(BODY.format(value=2.5), "    ")
            + "    return k\n"
        )
        exec(text, scope)

    run()
    assert ran(scope["later"]()) == 2.5


def test_a_text_in_no_variable_is_refused():
    def made(value: float) -> str:
        return BODY.format(value=value)

    with pytest.raises(OSError, match=r"keep the text in a variable of the function that calls exec"):
        exec(made(4.0), {})


def test_a_text_that_compiles_to_other_code_does_not_count():
    def f(x):
        return x + 1

    here = f.__code__
    lines = linecache.getlines(here.co_filename)
    assert recovered._compiles_to("".join(lines).replace("return x + 1", "return x + 2"), here) is False
    assert recovered._compiles_to("\n" + "".join(lines), here) is False


def test_what_future_imports_say_is_kept():
    text = "from __future__ import annotations\n" + BODY.format(value=3.0)
    exec(text, scope := {})
    assert ran(scope["k"]) == 3.0


def test_notebook():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    shell.run_cell(PROGRAM.replace("print(", "said = (")).raise_error()
    assert shell.user_ns["said"] == ([6.0, 6.0], [7.0, 7.0])
