//! What to write instead of a call that kernels do not have.

use crate::builtins;
use crate::error::{Code, Error};
use crate::span::Span;

const ADD_UP: &str = "each thread sees elements: add up with a loop or `wp.atomic_add`, or call it outside of kernels";
const RANDOM: &str = "`state = wp.rand_init(seed, wp.tid())` begins a sequence of random numbers, `wp.randf(state)`, `wp.randn(state)` and \
     `wp.randi(state)` draw from it";
const LOCAL: &str = "`wp.zeros(shape, dtype)` makes a local array; other arrays are made before the launch and passed";
const COUNT: &str = "an array keeps its size: write to `a[i]`, where `i = wp.atomic_add(count, 0, 1)` counts what is there";

/// Names of Python, NumPy and other libraries that no builtin has.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["sum", "mean", "prod", "any", "all", "std", "var", "cumsum"],
        ADD_UP,
    ),
    (
        &[
            "rand",
            "random",
            "uniform",
            "normal",
            "randint",
            "default_rng",
        ],
        RANDOM,
    ),
    (&["append", "extend", "pop", "insert", "remove"], COUNT),
    (
        &[
            "enumerate",
            "zip",
            "map",
            "filter",
            "sorted",
            "list",
            "iter",
        ],
        "kernels loop over numbers: `for i in range(n):`",
    ),
    (
        &["norm"],
        "the length of a vector is `wp.length(v)`, its square `wp.length_sq(v)`",
    ),
    (&["hypot"], "write `wp.length(wp.vec2(x, y))`"),
    (&["exp2"], "write `wp.pow(2.0, x)`"),
    (&["log1p"], "write `wp.log(1.0 + x)`"),
    (&["expm1"], "write `wp.exp(x) - 1.0`"),
    (&["square"], "write `x * x`"),
    (&["fmod", "remainder"], "write `x % y`"),
    (
        &["matmul", "mm", "bmm", "einsum"],
        "matrices and vectors are multiplied by `@`",
    ),
    (&["inv"], "the inverse of a matrix is `wp.inverse(m)`"),
    (
        &["det"],
        "the determinant of a matrix is `wp.determinant(m)`",
    ),
    (
        &[
            "asarray",
            "tensor",
            "zeros_like",
            "empty_like",
            "ones_like",
            "linspace",
            "arange",
        ],
        LOCAL,
    ),
];

/// What stands in kernels for a function that other libraries have under this name.
pub fn known(name: &str) -> Option<&'static str> {
    let found = KNOWN.iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, instead)| *instead)
}

/// The error for a method that values do not have.
#[cold]
pub fn no_method(name: &str, at: Span) -> Error {
    let what = format!("values in kernels have no method `{name}`");
    let error = Error::at(Code::Attribute, at, what);
    match (builtins::find(name), known(name)) {
        (Some(_), _) if !matches!(name, "min" | "max") => error.hint(format!(
            "write `wp.{name}(...)` with the value as its first argument"
        )),
        (Some(_), _) => error.hint(ADD_UP),
        (None, Some(instead)) => error.hint(instead),
        (None, None) => error.hint("builtins of `wp` take the value as an argument"),
    }
}

/// What to call in place of a Python function.
#[cold]
pub fn instead_of(path: &str, found: &str) -> String {
    let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
    // A function of the program's own may have any name.
    let is_own = module.is_empty() && found.starts_with("the Python function");
    match name {
        "zeros" | "ones" | "empty" | "full" | "array" if !module.is_empty() => LOCAL.into(),
        _ if builtins::find(name).is_some() => format!("the builtin of kernels is `wp.{name}`"),
        _ if found.starts_with("<warp kernel") => {
            "a kernel is launched; what kernels share is a function with `@wp.func`".into()
        }
        _ if is_own => format!("write `@wp.func` above `def {name}`, so that kernels can call it"),
        _ => known(name)
            .unwrap_or("kernels call builtins of `wp`, types, and functions with `@wp.func`")
            .into(),
    }
}
