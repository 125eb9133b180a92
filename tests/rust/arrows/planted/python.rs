//! Circles of Python modules.

use super::circles;
use crate::python::graph;

fn found(files: &[(&str, &str)]) -> Vec<String> {
    circles(&graph(files))
}

/// `a.py` with `code`, beside a `b.py` that needs what `a.py` defines.
fn found_in(code: &str) -> Vec<String> {
    found(&[
        (
            "warp/__init__.py",
            "from warp._native import launch\nfrom warp.b import f\nfrom warp import c as other\n",
        ),
        ("warp/a.py", &format!("{code}\ndef g(): pass\n")),
        ("warp/b.py", "from warp.a import g\ndef f(): pass\n"),
        ("warp/c.py", ""),
        ("warp/sub/__init__.py", "from ..b import f as renamed\n"),
    ])
}

#[test]
fn two_modules_are_found_in_every_spelling() {
    for code in [
        "import warp.b",
        "import warp.b as other",
        "from warp import b",
        "from warp.b import f",
        "from warp.b import *",
        "from . import b",
        "from .b import f",
        "def h():\n    from warp.b import f",
        "class C:\n    def h(self):\n        import warp.b",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from warp.b import f",
        "try:\n    from warp import b\nexcept ImportError:\n    pass",
        // Through the package that re-exports it.
        "from warp import f",
        "import warp as wp\ndef h(): wp.f()",
        "import warp\ndef h(): return [warp.b.f()]",
        "from warp.sub import renamed",
        "from warp import sub\nx = sub.renamed",
        // By its name, when it is first used.
        "LATER = {'f': 'warp.b:f'}",
        "import importlib\ndef h(): return importlib.import_module('warp.b').f()",
    ] {
        assert_eq!(found_in(code), ["warp/a.py warp/b.py"], "{code}");
    }
}

#[test]
fn three_modules_are_found() {
    let files = [
        ("warp/__init__.py", ""),
        ("warp/a.py", "from warp import b"),
        ("warp/b.py", "from warp.c import C"),
        ("warp/c.py", "class C:\n    import warp.a as a"),
    ];
    assert_eq!(found(&files), ["warp/a.py warp/b.py warp/c.py"]);
}

#[test]
fn a_circle_through_the_package_is_found() {
    for init in [
        "from warp.a import g\nclass P: pass\nx = g()",
        "from warp import a\nclass P: pass\ndef h(): return a.g()",
        "class P: pass\ndef h():\n    from warp.a import g\n    return g()",
    ] {
        let files = [
            ("warp/__init__.py", init),
            ("warp/a.py", "from warp import P\ndef g(): pass"),
        ];
        assert_eq!(found(&files), ["warp/__init__.py warp/a.py"], "{init}");
    }
}

#[test]
fn a_stub_says_where_names_come_from() {
    let files = [
        ("warp/__init__.py", "globals().update(table())"),
        ("warp/__init__.pyi", "from warp.b import f\n"),
        ("warp/a.py", "import warp as wp\ndef g(): wp.f()\n"),
        ("warp/b.py", "from warp.a import g\ndef f(): pass\n"),
    ];
    assert_eq!(found(&files), ["warp/a.py warp/b.py"]);
}

#[test]
fn what_is_no_circle_is_left_alone() {
    for code in [
        "",
        "# from warp.b import f",
        "\"\"\"from warp.b import f\"\"\"",
        "import numpy, other.b",
        "from warp import c, other, launch",
        "import warp as wp\nwp.launch()\nwp.c.anything",
        "import warp.sub",
        "raise TypeError('warp.b.f: x is none')",
    ] {
        assert_eq!(found_in(code), [""; 0], "{code}");
    }
    let face = [
        (
            "warp/__init__.py",
            "from warp import a\nfrom warp.a import g\n__all__ = ['P', 'a', 'g']\nclass P: pass",
        ),
        ("warp/a.py", "from warp import P\ndef g(): pass"),
    ];
    assert_eq!(found(&face), [""; 0]);
}
