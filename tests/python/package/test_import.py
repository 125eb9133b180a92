"""`import warp` alone: quick, without any other package, and enough to work with."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest
import warp as wp

from support.places import ROOT

PACKAGE = Path(wp.__file__).parent


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with this package and nothing else, not even pip."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "warp").symlink_to(PACKAGE)
    return folder


def run(bare: Path, program: str) -> str:
    """Runs a program from a file in that Python and gives what it printed."""
    path = bare / "program.py"
    path.write_text(textwrap.dedent(program), encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    # Compiled once for all runs, as an installed package is, and outside the package's own folder.
    environment["PYTHONPYCACHEPREFIX"] = str(bare / "compiled")
    done = subprocess.run(
        [bare / "bin" / "python", path], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_import_takes_under_60_ms(bare):
    """Its own time on the processor: how long that takes depends on who else is at work on the machine."""
    program = """
        import time
        start = time.thread_time()
        import warp
        print(time.thread_time() - start)
    """
    run(bare, program)
    assert min(float(run(bare, program)) for _ in range(5)) < 0.060


def test_import_brings_nothing_that_is_not_needed(bare):
    program = """
        import sys
        import warp as wp
        a = wp.array([1.0, 2.0], dtype=float)
        wp.zeros(3, dtype=wp.vec3).fill_(1.0)
        wp.array(a, copy=False)
        unneeded = ("numpy", "inspect", "torch", "paddle", "jax", "pathlib", "importlib.metadata")
        print(*(name for name in unneeded if name in sys.modules))
    """
    assert run(bare, program).split() == []


def test_everything_that_needs_no_framework(bare):
    program = """
        import array, copy, pickle
        import warp as wp

        @wp.kernel
        def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = x[i] * x[i]

        x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
        y = wp.zeros(3, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(square, dim=3, inputs=[x], outputs=[y])
        tape.backward(grads={y: wp.ones(3)})
        assert y.list() == [1, 4, 9] and x.grad.list() == [2, 4, 6]
        assert str(x) == "[1.0 2.0 3.0]"
        assert repr(x[:2]) == "array([1.0, 2.0], dtype=float32, requires_grad=True)"
        assert (x[:2] + x[1:]).list() == [3, 5]
        assert str(wp.zeros(2000)) == "[0.0 0.0 0.0 ... 0.0 0.0 0.0]"
        assert str(wp.array([[1, 2], [3, 4]])) == "[[1 2] [3 4]]"
        other = array.array("f", [4, 5, 6])
        wp.launch(square, dim=3, inputs=[other], outputs=[other])
        assert other.tolist() == [16, 25, 36]
        assert wp.from_dlpack(x).ptr == x.ptr
        assert pickle.loads(pickle.dumps(x)).grad.list() == copy.deepcopy(x).grad.list() == [2, 4, 6]
        assert wp.array([wp.vec3(1, 2, 3)])[0] == wp.vec3(1, 2, 3)

        def refused(error, says, call):
            try:
                call()
            except error as e:
                assert says in str(e), e
            else:
                raise AssertionError("not refused")

        refused(ImportError, "NumPy", x.numpy)
        refused(ImportError, "NumPy", lambda: wp.dtype_to_numpy(float))
        refused(ImportError, "NumPy", lambda: wp.dtype_from_numpy("f4"))
        refused(ImportError, "torch", lambda: wp.to_torch(x))
        refused(TypeError, "expected a torch.Tensor", lambda: wp.from_torch(x))
        refused(TypeError, "not installed", lambda: wp.array(["text"]))
    """
    run(bare, program)


def test_modules_come_with_their_first_use(bare):
    program = """
        import sys
        import warp as wp

        assert "__getattr__" not in vars(wp) or set(wp._warp.FRAMEWORKS) < {"numpy", "torch", "paddle", "jax"}
        assert "warp.dlpack" not in sys.modules
        module = wp.dlpack  # stands for the module
        assert "first use" in repr(module) and "warp.dlpack" not in sys.modules
        assert module.from_dlpack is wp.from_dlpack
        assert wp.dlpack is sys.modules["warp.dlpack"]
        module.marked = 1
        assert wp.dlpack.marked == 1 and "marked" in dir(module)
        del module.marked
        assert not hasattr(wp.dlpack, "marked")
        try:
            wp.no_such_name
        except AttributeError as e:
            assert "no attribute 'no_such_name'" in str(e)
        else:
            raise AssertionError("found")
    """
    run(bare, program)


def test_names_of_frameworks_are_there_or_say_why_not():
    """`scripts/check_features.py --run` builds each combination; this one is whatever is installed."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import single_framework
    finally:
        sys.path.pop(0)
    single_framework.main(list(wp._warp.FRAMEWORKS))


LOOKS = {
    "dir": "[dir(getattr(wp, name)) for name in dir(wp)]",
    "members": "inspect.getmembers(wp)",
    "members of all": "[inspect.getmembers(getattr(wp, name)) for name in dir(wp)]",
    "help": "pydoc.render_doc(wp)",
    "help of all": "[pydoc.render_doc(v) for v in map(wp.__getattribute__, dir(wp)) if not isinstance(v, str)]",
    "html": "pydoc.html.document(wp)",
    "doctest": "doctest.DocTestFinder().find(wp)",
    "autospec": "unittest.mock.create_autospec(wp)",
    "autospec of all": "[unittest.mock.create_autospec(getattr(wp, name)) for name in dir(wp)]",
    "repr": "[repr(value) for value in vars(wp).values()]",
    "signatures": "[inspect.signature(wp.map), inspect.signature(wp.jax_kernel)]",
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_who_looks_at_the_package_needs_no_framework(bare, look):
    program = f"""
        import doctest, inspect, pydoc, unittest.mock
        import warp as wp
        {look}
        print("done")
    """
    assert run(bare, program).split() == ["done"]


def test_who_looks_at_the_package_imports_no_framework():
    program = """
        import doctest, inspect, pydoc, sys
        import warp as wp
        inspect.getmembers(wp)
        for value in vars(wp).values():
            inspect.getdoc(value), inspect.unwrap(value)
            [getattr(value, name, None) for name in ("__name__", "__file__", "__path__", "__spec__", "__test__")]
        doctest.DocTestFinder().find(wp)
        pydoc.render_doc(wp)
        print(*{"torch", "paddle", "jax", "warp._arrays.map", "warp.torch"} & set(sys.modules))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_names_that_are_imported_later_have_their_texts():
    program = """
        import inspect
        import warp as wp
        print(wp.map.__doc__ is not None and "element of arrays" in wp.map.__doc__, wp.map.__name__, wp.map)
        print(wp.autograd.__doc__ is not None, wp.autograd.__name__, wp.autograd.__file__.endswith("autograd.py"))
        print(*inspect.signature(wp.map).parameters)
        print(wp.Kernel.__module__, wp.Function.__module__, type(wp.Kernel.__doc__).__mro__[1].__name__)
        print(inspect.unwrap(wp.map) is wp.map, hasattr(wp.map, "_is_coroutine_mark"))
        print("refit" in dir(wp.Mesh), "load_from_numpy" in dir(wp.Volume))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "True map <'map' of 'warp._arrays.map', imported at its first use>",
        "True warp.autograd True",
        "func inputs out return_kernel block_dim device",
        "warp warp str",
        "True False",
        "True True",
    ]


def test_objects_have_the_text_of_their_function():
    @wp.kernel
    def documented(x: wp.array(dtype=float)):
        """Does nothing."""

    assert documented.__doc__ == "Does nothing."
    assert documented.__module__ == __name__
    assert wp.Kernel.__module__ == "warp"
