//! Thread indices, arrays and atomics.

use crate::builtins::arrays::{atomic, tid};
use crate::builtins::row::{Expand, Overload, Row};
use crate::builtins::table::facts::exempt;
use crate::builtins::value::{Operand, Tree};
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Op};
use crate::ty::Elem;

const GROUP: &str = "Threads and arrays";

macro_rules! atomic_row {
    ($name:literal, $op:ident, $negate:literal, $doc:literal) => {
        Row {
            name: $name,
            group: GROUP,
            doc: $doc,
            overloads: &[Overload {
                sig: "(arr: array, *index_and_value: any) -> E",
                expand: Expand::By(|c| atomic(c, AtomicOp::$op, $negate)),
                facts: exempt("changes memory"),
            }],
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
            expand: Expand::By(|c| tid(c.b, 1, c.span)),
            facts: exempt("depends on the thread"),
        }],
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
    Row {
        name: "len",
        group: GROUP,
        doc: "Length of an array along its first dimension, number of components of a vector or quaternion, number of rows of a matrix.",
        overloads: &[
            Overload {
                sig: "(a: array) -> int32",
                expand: Expand::By(|c| {
                    let view = c.view(0);
                    let value = c.b.let_(
                        Scalar::I32,
                        Op::Shape(view.array, view.prefix.len() as u8),
                        &[],
                    );
                    Ok(c.tree(value))
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
                    let value = c.b.i32(n as i32);
                    Ok(Tree::Elem(Operand::scalar(Scalar::I32, value)))
                }),
                facts: exempt("a constant of the type"),
            },
        ],
    },
];
