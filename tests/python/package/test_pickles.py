"""Kernels, functions and structs in pickles: by name where they can be imported, else with all that they need."""

from __future__ import annotations

import copy
import math
import pickle
import sys
import textwrap
import types

import pytest
import warp as wp

from . import anywhere
from .anywhere import printed

# What runs in other processes; a module that these can import.
HELPERS = """\
import warp as wp

def run(kernel, *arguments):
    a = wp.ones(3)
    wp.launch(kernel, dim=3, inputs=[*arguments, a])
    return a.list()

def slope(kernel, *arguments):
    x, y = wp.full(1, 2.0, requires_grad=True), wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=1, inputs=[*arguments, x, y])
    tape.backward(grads={y: wp.ones(1)})
    return y.list() + x.grad.list()
"""

# Definitions of all kinds, and what they capture: numbers, modules, functions, variables of a function around them.
DEFINITIONS = """\
import math
from typing import Any
import warp as wp

SCALE = 3.0
huge = (n for n in ())  # no pickle takes it; the name is also that of a variable below
V5 = wp.types.vector(5, float)

def plain(n):
    return n * SCALE

@wp.struct
class S:
    "A number."
    x: float
    v: V5
    def scaled(self): return self.x * SCALE
    @property
    def own(self): return self.x
    @staticmethod
    def one(): return 1

@wp.func
def f(s: S, x: float):
    return s.x * x * SCALE + wp.static(plain(2)) + math.pi

@wp.func
def g(x: float):
    return x * x

@wp.func
def g(x: int):
    return x + 1

@wp.func
def h(x: float):
    return x * x

@wp.func_grad(h)
def adj_h(x: float, d: float):
    wp.adjoint[x] += 100.0 * d

@wp.kernel
def k(s: S, a: wp.array(dtype=float)):
    i = wp.tid()
    huge = float(1.0)
    a[i] = f(s, a[i]) * huge + float(g(i)) + g(2.0)

@wp.kernel
def curve(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = h(x[i])

@wp.kernel
def generic(n: Any, a: wp.array(dtype=Any)):
    a[wp.tid()] += a.dtype(n)

instance = wp.overload(generic, [int, wp.array(dtype=float)])

def factory(c):
    @wp.kernel(enable_backward=False, module="unique")
    def inner(a: wp.array(dtype=float)):
        a[wp.tid()] = c * wp.static(float(S.one()))
    return inner

JOBS = [(k, S(2.0)), (generic, 3), (instance, 3), (factory(7.0),)]
"""
MAIN = """
import multiprocessing, helpers
if __name__ == "__main__":
    wanted = [helpers.run(*job) for job in JOBS]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.starmap(helpers.run, JOBS) == wanted, wanted
        assert pool.apply(helpers.slope, (curve,)) == [4.0, 100.0]
    print("same")
"""
LOKY = """
import cloudpickle, helpers, joblib
def told():
    return wp.array([S(1.0)], dtype=S).numpy()["x"].tolist(), S(2.0).scaled(), S(3.0).own, helpers.run(k, S(2.0)), V5
def again():
    wp.launch(k, dim=3, inputs=[S(2.0), wp.ones(3)])
    return id(k)
if __name__ == "__main__":
    with joblib.Parallel(n_jobs=2) as run:
        assert run(joblib.delayed(helpers.run)(*job) for job in JOBS) == [helpers.run(*job) for job in JOBS]
        assert run(joblib.delayed(told)() for _ in range(2)) == [told()] * 2
    with joblib.Parallel(n_jobs=2, max_nbytes=None, batch_size=1) as run:
        assert len(set(run(joblib.delayed(again)() for _ in range(8)))) <= 2
    print("same")
"""


@pytest.fixture
def helpers(tmp_path):
    (tmp_path / "helpers.py").write_text(HELPERS)
    return tmp_path


@pytest.fixture
def scope(monkeypatch):
    """What `exec` makes of the definitions, in a module that nobody can import."""
    found: dict = {"__name__": "nowhere"}
    text = DEFINITIONS
    exec(text, found)
    return types.SimpleNamespace(**found)


def test_spawned_processes_of_a_command(helpers):
    assert printed("-c", DEFINITIONS + MAIN, folder=helpers) == "same"


def test_spawned_processes_of_a_script(helpers):
    (helpers / "script.py").write_text(DEFINITIONS + MAIN)
    assert printed("script.py", folder=helpers) == "same"


@pytest.mark.parametrize("script", [False, True])
def test_joblib(helpers, script):
    pytest.importorskip("joblib")
    pytest.importorskip("cloudpickle")
    (helpers / "script.py").write_text(DEFINITIONS + LOKY)
    assert printed(*(["script.py"] if script else ["-c", DEFINITIONS + LOKY]), folder=helpers) == "same"


def test_another_process_reads_a_file(helpers):
    write = "\nimport pickle\nwith open('made', 'wb') as file: pickle.dump((k, S(2.0), S), file)"
    printed("-c", DEFINITIONS + write, folder=helpers)
    read = (
        "import pickle, helpers; k, s, S = pickle.load(open('made', 'rb'))\n"
        "assert type(s) is S and S.__doc__ == 'A number.' and s.scaled() == 6.0 and s.own == 2.0 and S.one() == 1\n"
        "print(helpers.run(k, s), k.key, k.__module__, k.func.__code__.co_filename)\n"
        "assert pickle.loads(pickle.dumps(k)) is k and k.module.kernels['k'] is k"
    )
    values = [2.0 * 3.0 + 6.0 + math.pi + float(i + 1) + 4.0 for i in range(3)]
    said = printed("-c", read, folder=helpers)
    assert said.endswith("] k __main__ <string>")
    assert [float(n) for n in said[1 : said.index("]")].split(",")] == pytest.approx(values)


def test_what_comes_back_is_what_was_sent(scope):
    for name in ("k", "f", "g", "generic", "instance", "S", "curve"):
        sent = getattr(scope, name)
        for protocol in (2, 5):
            assert pickle.loads(pickle.dumps(sent, protocol)) is sent, name
        assert copy.copy(sent) is sent
        assert copy.deepcopy(sent) is sent
    unique = scope.factory(7.0)
    assert pickle.loads(pickle.dumps(unique)) is unique


@wp.func
def named(x: float):
    return x


@wp.struct
class Named:
    x: float


def test_by_name_where_that_can_be_imported():
    for sent in (named, Named, wp.sin, wp.vec3, anywhere.python):
        assert len(pickle.dumps(sent)) < 100
        assert pickle.loads(pickle.dumps(sent)) is sent


def test_builtins_and_types():
    for sent in (wp.sin, wp.tid, wp.vec3, wp.float16, wp.types.vector(7, float), wp.types.matrix((2, 7), wp.float64)):
        assert pickle.loads(pickle.dumps(sent)) is sent
        assert copy.deepcopy(sent) is sent
    assert pickle.loads(pickle.dumps(Named._elem)) == Named._elem
    assert pickle.loads(pickle.dumps(wp.vec3._elem)) == wp.vec3._elem


def test_types_without_a_name_are_not_listed():
    made = wp.types.vector(9, float)
    assert made.__name__ not in dir(wp)
    assert getattr(wp, made.__name__) is made
    code = "import pickle, sys, warp as wp; print(pickle.loads(bytes.fromhex(sys.argv[1]))(1.0).length)"
    assert printed("-c", code.replace(".length", "._length_"), pickle.dumps(made).hex()) == "9"


def test_a_class_that_is_made_in_steps_is_a_struct(scope):
    """As the package cloudpickle makes classes: an empty one first, then its attributes."""
    fields = dict(vars(scope.S))
    made = types.new_class("S", scope.S.__bases__, {"metaclass": type(scope.S)})
    for name, value in fields.items():
        if name not in ("__dict__", "__weakref__", "__slots__"):
            setattr(made, name, value)
    array = wp.array([made(2.0)], dtype=made)
    assert array.list()[0].x == 2.0
    assert type(array.list()[0]) is made


def test_new_values_of_names_arrive(helpers):
    """A worker that has the kernel keeps it, and looks up what its names mean where they have changed."""
    sender = (
        "import warp as wp, pickle, sys, subprocess\n"
        "C = 1.0\n"
        "@wp.kernel\n"
        "def k(a: wp.array(dtype=float)):\n"
        "    a[wp.tid()] = C\n"
        "sent = [pickle.dumps(k).hex()]\n"
        "C = 2.0\n"
        "sent.append(pickle.dumps(k).hex())\n"
        "print(*sent)"
    )
    first, second = printed("-c", sender).split()
    receiver = (
        "import pickle, sys, helpers\n"
        "one = pickle.loads(bytes.fromhex(sys.argv[1])); a = helpers.run(one)[0]\n"
        "two = pickle.loads(bytes.fromhex(sys.argv[2])); print(one is two, a, helpers.run(two)[0])"
    )
    assert printed("-c", receiver, first, second, folder=helpers) == "True 1.0 2.0"


def test_code_of_another_version_is_refused(scope, monkeypatch):
    from warp._language import pickled

    sent = pickle.dumps(scope.k)
    monkeypatch.setattr(pickled, "MAGIC_NUMBER", b"other")
    pickled._known.clear()
    with pytest.raises(RuntimeError, match=rf"another version of Python than {sys.version.split()[0]}; pickle it"):
        pickle.loads(sent)


def test_functions_that_name_themselves():
    text = textwrap.dedent("""
        import warp as wp
        def walk(n):
            return 0 if n == 0 else 1 + walk(n - 1)
        @wp.kernel
        def k(a: wp.array(dtype=float)):
            a[wp.tid()] = float(wp.static(walk(4)))
    """)
    exec(text, scope := {"__name__": "nowhere"})
    from warp._language import pickled

    sent = pickle.dumps(scope["k"])
    pickled._known.clear()
    back = pickle.loads(sent)
    assert back is not scope["k"]
    a = wp.zeros(1)
    wp.launch(back, dim=1, inputs=[a])
    assert a.list() == [4.0]
