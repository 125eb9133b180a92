"""Environment variables that settings begin with."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import warp as wp
from warp import config
from warp._base.environment import value_of

from support.places import ROOT, search_path

NAMES = sorted({*config._CHECKS, *config._KEPT} - {"version"})


def python(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": search_path(), **variables}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=environment)


def begun(name: str, text: str) -> str:
    """What a setting is in a process that starts with its variable."""
    done = python(f"import warp as wp; print(repr(wp.config.{name}))", **{f"WARP_{name.upper()}": text})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def said(name: str, text: str) -> object:
    """The value that a text says, as `wp.config` takes it."""
    found, expected = value_of(name, text, getattr(config, name))
    check = config._CHECKS.get(name)
    if expected is None and check is not None:
        expected = check(found)
    if expected is not None:
        raise ValueError(expected)
    return found


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("verbose", "1", "True"),
        ("cpu_threads", "3", "3"),
        ("deterministic", "run_to_run", "<DeterministicMode.RUN_TO_RUN: 1>"),
        ("kernel_cache_dir", "/tmp/Some Where", "'/tmp/Some Where'"),
        ("tiered_compilation", "", "True"),
        ("tiered_compilation", "0", "False"),
        ("lineinfo", "yes", "True"),
    ],
)
def test_settings_begin_with_their_variables(name, text, value):
    assert begun(name, text) == value


def test_every_setting_has_a_variable():
    program = "import warp as wp; print([getattr(wp.config, name) for name in %r])"
    truths = [name for name in NAMES if isinstance(getattr(config, name), bool)]
    assert len(truths) > 25
    for text, value in (("true", True), ("off", False)):
        done = python(program % truths, **{f"WARP_{name.upper()}": text for name in truths})
        assert done.stdout.strip() == str([value] * len(truths)), done.stderr


def test_they_have_effect():
    program = (
        "import warp as wp\n"
        "@wp.kernel\n"
        "def k(a: wp.array(dtype=float)):\n"
        "    a[5] = 1.0\n"
        "try: wp.launch(k, dim=1, inputs=[wp.zeros(1)])\n"
        "except IndexError: print('checked')\n"
        "from warp._warp import _threads; print(_threads())"
    )
    done = python(program, WARP_CPU_THREADS="3", WARP_PRINT_LAUNCHES="1", WARP_NUM_THREADS="5")
    assert re.match(r"kernel: k dim: .*\nchecked\n3\n", done.stdout), done.stdout + done.stderr
    assert python(program, WARP_NUM_THREADS="5").stdout == "checked\n5\n"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("verbose", {"1": True, "Yes": True, " on ": True, "FALSE": False, "0": False}),
        ("deterministic", {"1": True, "0": False, "GPU_TO_GPU": wp.DeterministicMode.GPU_TO_GPU}),
        ("cpu_threads", {"none": None, "8": 8}),
        ("log_level", {"debug": wp.LOG_DEBUG, "Error": wp.LOG_ERROR, "25": 25}),
        ("lanes", {"always": "always", "16": 16}),
        ("mode", {"Debug": "debug"}),
        ("load_module_max_workers", {"none": None, "3": 3}),
        ("ptx_target_arch", {"none": None, "90": 90}),
        ("cuda_output", {"ptx": "ptx"}),
        ("deterministic_max_records", {"7": 7}),
    ],
)
def test_texts(name, texts):
    for text, value in texts.items():
        found = said(name, text)
        assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("verbose", "maybe", "1 or 0 (true or false"),
        ("deterministic", "2", "or not_guaranteed, run_to_run"),
        ("cpu_threads", "two", "None or an int from 1 to 1024"),
        ("cpu_threads", "0", "None or an int from 1 to 1024"),
        ("lanes", "3", '"auto", "always"'),
        ("mode", "fast", '"release" or "debug"'),
        ("log_level", "loud", "an int, or debug, info, warning, error"),
        ("max_unroll", "none", "an int from 0 to 4096"),
        ("optimization_level", "4", "None or an int from 0 to 3"),
        ("deterministic_max_records", "many", "an int"),
    ],
)
def test_wrong_texts(name, text, expected):
    with pytest.raises(ValueError, match=re.escape(expected)):
        said(name, text)


def test_wrong_texts_end_the_import():
    done = python("import warp", WARP_CPU_THREADS="two")
    assert done.returncode == 1
    assert done.stderr.strip().endswith(
        "MismatchError: the environment variable WARP_CPU_THREADS is 'two'; expected None or an int from 1 to 1024"
    )


def test_the_version_is_no_setting():
    assert python("import warp; print(warp.config.version)", WARP_VERSION="7").stdout.strip() == wp.__version__


def test_the_guide_lists_them():
    text = (ROOT / "docs/running.md").read_text(encoding="utf-8")
    for name in {*config._CHECKS} - {"version"}:
        assert f"`{name}`" in text, name
        assert f"`WARP_{name.upper()}`" in text, name


def test_no_number_of_threads_is_the_number_at_the_start():
    program = (
        "import warp as wp; from warp._warp import _threads as count; "
        "first = count(); wp.config.cpu_threads = 2; second = count(); "
        "wp.config.cpu_threads = None; print(first, second, count())"
    )
    done = python(program, WARP_NUM_THREADS="5")
    assert done.stdout.split() == ["5", "2", "5"], done.stderr
