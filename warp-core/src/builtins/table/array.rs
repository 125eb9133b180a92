//! Thread indices, arrays and atomics.

use crate::builtins::operation::arrays::{atomic, compare_exchange, lower_bound, tid};
use crate::builtins::signature::row::{Expand, Overload, Row};
use crate::builtins::table::facts::exempt;
use crate::builtins::value::{Tree, describe_tree};
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Op};
use crate::ty::Elem;

const GROUP: &str = "Threads and arrays";

/// A signature for each number of dimensions: the array, its indices, and what else an operation takes.
macro_rules! atomics {
    ($expand:expr, $rest:literal) => {
        [
            atomics!(@one $expand, "(arr: array, i: any, ", $rest),
            atomics!(@one $expand, "(arr: array, i: any, j: any, ", $rest),
            atomics!(@one $expand, "(arr: array, i: any, j: any, k: any, ", $rest),
            atomics!(@one $expand, "(arr: array, i: any, j: any, k: any, l: any, ", $rest),
        ]
    };
    (@one $expand:expr, $first:literal, $rest:literal) => {
        Overload {
            sig: concat!($first, $rest, ") -> E"),
            expand: Expand::By($expand),
            facts: exempt("changes memory"),
        }
    };
}

macro_rules! atomic_row {
    ($name:literal, $op:ident, $negate:literal, $doc:literal) => {
        Row {
            name: $name,
            group: GROUP,
            doc: $doc,
            overloads: &atomics!(|c| atomic(c, AtomicOp::$op, $negate), "value: any"),
        }
    };
}

pub const ROWS: &[Row] = &[
    Row {
        name: "tid",
        group: GROUP,
        doc: "Index of the thread in the launch; assigned to several names, one index for each dimension.",
        overloads: &[Overload {
            sig: "() -> int32",
            expand: Expand::By(|c| tid(&mut c.builder(), 1, c.span)),
            facts: exempt("depends on the thread"),
        }],
    },
    Row {
        name: "block_dim",
        group: GROUP,
        doc: "How many threads the launch wants a block of the GPU to have; 1 on the CPU.",
        overloads: &[Overload {
            sig: "() -> int32",
            expand: Expand::By(|c| {
                let value = c.builder().let_(Scalar::I32, Op::BlockDim, &[]);
                Ok(c.tree(c.b.expr(value)))
            }),
            facts: exempt("depends on the device"),
        }],
    },
    Row {
        name: "lower_bound",
        group: GROUP,
        doc: "Index of the first element of a sorted array that is not below a value, or of the last element if all are; \
              of those from arr_begin up to arr_end only, where these are given. The array has one dimension.",
        overloads: &[
            Overload {
                sig: "(arr: array, value: S) -> int32",
                expand: Expand::By(lower_bound),
                facts: exempt("reads an array"),
            },
            Overload {
                sig: "(arr: array, arr_begin: int32, arr_end: int32, value: S) -> int32",
                expand: Expand::By(lower_bound),
                facts: exempt("reads an array"),
            },
        ],
    },
    atomic_row!(
        "atomic_add",
        Add,
        false,
        "Adds to an element of an array in one step; gives what was there before. Vectors and matrices are added component by component."
    ),
    atomic_row!(
        "atomic_sub",
        Add,
        true,
        "Subtracts from an element of an array in one step; gives what was there before."
    ),
    atomic_row!(
        "atomic_min",
        Min,
        false,
        "Lowers an element of an array to a value in one step; gives what was there before."
    ),
    atomic_row!(
        "atomic_max",
        Max,
        false,
        "Raises an element of an array to a value in one step; gives what was there before."
    ),
    atomic_row!(
        "atomic_and",
        And,
        false,
        "Keeps those bits of an integer element of an array that are set in a value too, in one step; gives what was there \
         before. No gradient."
    ),
    atomic_row!(
        "atomic_or",
        Or,
        false,
        "Sets those bits of an integer element of an array that are set in a value, in one step; gives what was there \
         before. No gradient."
    ),
    atomic_row!(
        "atomic_xor",
        Xor,
        false,
        "Turns those bits of an integer element of an array over that are set in a value, in one step; gives what was \
         there before. No gradient."
    ),
    atomic_row!(
        "atomic_exch",
        Exchange,
        false,
        "Writes an element of an array in one step; gives what was there before. No gradient."
    ),
    Row {
        name: "atomic_cas",
        group: GROUP,
        doc: "Writes an element of an array in one step if it equals a value; gives what was there before. Vectors and \
              matrices must be equal in all components, which are then written one after the other: other threads may \
              see some of them. No gradient.",
        overloads: &atomics!(compare_exchange, "compare: any, value: any"),
    },
    Row {
        name: "len",
        group: GROUP,
        doc: "Length of an array along its first dimension, number of components of a vector or quaternion, number of rows of a matrix, number of items of a tuple.",
        overloads: &[
            Overload {
                sig: "(a: array) -> int32",
                expand: Expand::By(|c| {
                    let view = c.view(0);
                    let value = view.extent(&mut c.builder(), 0);
                    Ok(c.tree(c.b.expr(value)))
                }),
                facts: exempt("reads an array's shape"),
            },
            Overload {
                sig: "(a: E) -> int32",
                expand: Expand::By(|c| {
                    let n = match c.elem(0) {
                        Elem::Scalar(_) => return Err(c.error(0, "is a scalar and has no length")),
                        Elem::Mat { rows, .. } => rows,
                        other => other.count() as u32,
                    };
                    Ok(c.tree(c.b.i32(n as i32)))
                }),
                facts: exempt("a constant of the type"),
            },
            Overload {
                sig: "(a: any) -> int32",
                expand: Expand::By(|c| {
                    let Tree::Tuple(items) = &c.args[0] else {
                        let what = format!("is {}, which has no length", describe_tree(&c.args[0]));
                        return Err(c.error(0, &what));
                    };
                    let n = items.len() as i32;
                    Ok(c.tree(c.b.i32(n)))
                }),
                facts: exempt("a constant of the type"),
            },
        ],
    },
];
