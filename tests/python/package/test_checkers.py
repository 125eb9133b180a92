"""What type checkers say: they find the mistakes of `planted_mistakes.py`, and nothing in the documentation.

mypy is part of the requirements. basedpyright, which brings 280 MB, is tested where `WARP_BASEDPYRIGHT` names it, and
jedi where it is installed.
"""

from __future__ import annotations

import inspect
import json
import os
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest
import warp as wp

from repository.test_docs import PAGES, blocks_of
from support.places import ROOT

PLANTED = Path(__file__).with_name("planted_mistakes.py")
CORRECTED = PLANTED.with_name("corrected_mistakes.py")
SOURCES = ROOT / "py/python"
BASEDPYRIGHT = os.environ.get("WARP_BASEDPYRIGHT")
STRICT = """
[mypy]
strict = true
{more}
[mypy-warp.*]
follow_imports = silent
[mypy-jax.*,matplotlib.*,numba.*,optax.*,paddle.*,torch.*]
ignore_missing_imports = true
follow_imports = skip
"""
# Pages are short: kernels there have no result type. What a framework has is Any, since it is left out above.
OF_PAGES = "\n".join(f"{rule} = false" for rule in (
    "disallow_untyped_defs", "disallow_incomplete_defs", "disallow_untyped_calls", "disallow_subclassing_any",
))  # fmt: skip
# What checkers rightly do not know, by page and line of code.
UNKNOWN = {
    ("kernels", "    sums: wp.array[vec5],"),  # a type that is made by a call
    ("structs", "    return velocity * p.mass * p.SCALE"),  # attributes that a class gets later
    ("structs", "Particle.momentum = momentum"),
    ("structs", "Particle.SCALE = wp.constant(10.0)"),
    ("structs", "    out[0] = p.momentum(wp.vec3(1.0, 0.0, 0.0))"),
}
# A function that is defined twice, which the page is about: the line that each checker names.
TWICE = {"mypy": {("kernels", "@wp.func")}, "basedpyright": {("kernels", "def scaled(x: float):")}}
# The page about errors has three mistakes that checkers know.
MISTAKES = {
    ("errors", "    x[0] = scale * x[0]"),
    ("errors", "    x[0].w = 1.0"),
    ("errors", "    x[0] = wp.clamp(x[0], 1.0)"),
}


def mypy(files: list[Path], folder: Path, more: str = "") -> set[tuple[str, str]]:
    """The lines of code that mypy complains about, each with its file."""
    config = folder / "mypy.ini"
    config.write_text(STRICT.format(more=more))
    command = [sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", folder / "cache"]
    environment = os.environ | {"MYPYPATH": str(SOURCES)}
    done = subprocess.run(
        [*map(str, command), *(path.name for path in files)],
        cwd=files[0].parent, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    found = re.findall(r"^([^:\n]+):(\d+): error: ", done.stdout, re.MULTILINE)
    return {named(files[0].parent / name, int(line)) for name, line in found}


def basedpyright(files: list[Path], folder: Path, **rules: bool) -> set[tuple[str, str]]:
    config = folder / "pyright.json"
    settings = {"include": [str(path) for path in files], "extraPaths": [str(SOURCES)], "typeCheckingMode": "strict"}
    config.write_text(json.dumps(settings | rules))
    command = [str(BASEDPYRIGHT), "--outputjson", "--pythonpath", sys.executable, "-p", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {named(Path(one["file"]), one["range"]["start"]["line"] + 1) for one in found}


def named(path: Path, line: int) -> tuple[str, str]:
    return path.stem.removeprefix("page_"), path.read_text(encoding="utf-8").splitlines()[line - 1]


def pages(folder: Path) -> list[Path]:
    """The pages as modules, without blocks that must fail; with names that no framework has."""
    made = []
    for page in PAGES:
        kept = [""] * (page.read_text(encoding="utf-8").count("\n") + 1)
        for block in blocks_of(page.read_text(encoding="utf-8")):
            if block.info == "python":
                lines = block.body.splitlines()
                kept[block.line - 1 : block.line - 1 + len(lines)] = lines
        if any(kept):
            # Both the repository and its documentation have a README.
            stem = page.stem if page.parent == ROOT / "docs" else f"root_{page.stem}"
            made.append(folder / f"page_{stem.replace('-', '_')}.py")
            made[-1].write_text("\n".join(kept) + "\n", encoding="utf-8")
    return made


def mistakes(found: set[tuple[str, str]]) -> tuple[set[int], set[str]]:
    """The numbers of the planted mistakes among lines, and other lines."""
    numbers = {line: re.search(r"# (\d+): ", line) for _, line in found}
    return {int(m[1]) for m in numbers.values() if m}, {line for line, m in numbers.items() if not m}


def test_right_lines_stand_beside_mistakes():
    planted, corrected = (path.read_text(encoding="utf-8").splitlines() for path in (PLANTED, CORRECTED))
    begin = planted.index("from __future__ import annotations")
    pairs = zip(planted[begin:], corrected[begin:], strict=True)
    assert [one for one, other in pairs if (one == other) == (re.search(r"  # \d+: ", one) is not None)] == []


def test_mypy_finds_planted_mistakes(tmp_path):
    found, others = mistakes(mypy([PLANTED, CORRECTED], tmp_path))
    # A thread's index may be several numbers, so that what is found by it may be anything.
    assert (found, others) == (set(range(1, 33)) - {12}, set())


def test_mypy_has_nothing_to_say_of_the_documentation(tmp_path):
    assert mypy(pages(tmp_path), tmp_path, OF_PAGES) == UNKNOWN | MISTAKES | TWICE["mypy"]


MADE = """
import warp as wp

vec5d = wp.types.vector(length=5, dtype=wp.float64)
vec4i = wp.types.vector(4, int)
mat34 = wp.types.matrix((3, 4), wp.float32)


@wp.func
def first(m: mat34, v: vec5d) -> wp.float64:
    return v[0] * 2.0


@wp.kernel
def put(m: wp.array[mat34], v: wp.array[vec5d], n: wp.array[vec4i]) -> None:
    i = wp.tid()
    v[i] = vec5d(first(m[i], v[i]))
    n[i] = vec4i(1, 2, 3, 4) * 2
    v[i] = n[i]  # wrong: a vector of another type
    first(v[i], v[i])  # wrong: no matrix
    n[i] = vec4i(1, 2, 3, 4) * 2.5  # wrong: ints times a float
"""


def test_mypy_knows_types_that_calls_make(tmp_path):
    """With the plugin: nothing is said of what is right, in the documentation neither."""
    plugin = "plugins = warp.mypy_plugin"
    (tmp_path / "made.py").write_text(MADE)
    found = {line for _, line in mypy([tmp_path / "made.py"], tmp_path, plugin)}
    assert found == {line for line in MADE.splitlines() if "# wrong" in line}
    (tmp_path / "pages").mkdir()
    said = mypy(pages(tmp_path / "pages"), tmp_path, f"{OF_PAGES}\n{plugin}")
    assert said == (UNKNOWN | MISTAKES | TWICE["mypy"]) - {("kernels", "    sums: wp.array[vec5],")}


@pytest.mark.skipif(BASEDPYRIGHT is None, reason="WARP_BASEDPYRIGHT does not name the program")
def test_basedpyright_finds_planted_mistakes(tmp_path):
    assert mistakes(basedpyright([PLANTED, CORRECTED], tmp_path)) == (set(range(1, 33)), set())


@pytest.mark.skipif(BASEDPYRIGHT is None, reason="WARP_BASEDPYRIGHT does not name the program")
def test_basedpyright_has_nothing_to_say_of_the_documentation(tmp_path):
    # Rules about annotations that authors left out, about style, and about what frameworks and NumPy say of themselves.
    left_out = """
        reportUnknownMemberType reportUnknownArgumentType reportUnknownVariableType reportUnknownParameterType
        reportUnknownLambdaType reportMissingParameterType reportDuplicateImport reportConstantRedefinition
        reportUnusedImport reportOptionalMemberAccess reportIncompatibleMethodOverride"""
    about = [page for page in pages(tmp_path) if page.stem not in ("page_paddle", "page_dlpack")]
    found = basedpyright(about, tmp_path, **dict.fromkeys(left_out.split(), False))
    assert found == UNKNOWN | MISTAKES | TWICE["basedpyright"]


def test_every_public_name_has_help():
    values = {name: getattr(wp, name) for name in wp.__all__}
    texts = {name: pydoc.plain(pydoc.render_doc(value)) for name, value in values.items() if type(value) is not str}
    assert len(texts) > 300
    assert [name for name, text in texts.items() if len(text.splitlines()) < 3] == []


def test_every_function_has_a_signature():
    def has(of: object) -> bool:
        try:
            return inspect.signature(of) is not None  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return False

    functions = [name for name in wp.__all__ if callable(getattr(wp, name)) and not inspect.isclass(getattr(wp, name))]
    assert len(functions) > 100
    assert [name for name in functions if not has(getattr(wp, name))] == []


def test_completion_answers_for_every_public_name():
    jedi = pytest.importorskip("jedi")
    project = jedi.Project(str(SOURCES))
    known = {found.name for found in jedi.Script("import warp as wp\nwp.", project=project).complete(2, 3)}
    assert set(wp.__all__) - known == set()
    for attribute, of in (("x", "wp.vec3(1.0, 2.0, 3.0)"), ("numpy", "wp.zeros(3, dtype=float)")):
        script = jedi.Script(f"import warp as wp\nv = {of}\nv.", project=project)
        assert attribute in {found.name for found in script.complete(3, 2)}
