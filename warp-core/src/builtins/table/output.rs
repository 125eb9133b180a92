//! Printing.

use crate::builtins::operation::operators::CompareOp;
use crate::builtins::output::expect::{expect_near, expect_order};
use crate::builtins::output::format::{print, printf};
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::exempt;
use crate::builtins::table::overload::overload;

const GROUP: &str = "Output";

pub const ROWS: &[Row] = &[
    Row {
        name: "print",
        group: GROUP,
        doc: "Prints values, separated by spaces, and ends the line. Vectors and quaternions are printed component by \
              component, matrices row by row on lines of their own.",
        overloads: &[overload!("(*args: any) -> None", print, exempt("prints"))],
    },
    Row {
        name: "expect_eq",
        group: GROUP,
        doc: "Prints both values if they differ in any component; NaN differs from everything. The kernel goes on.",
        overloads: &[overload!(
            "(a: E, b: E) -> None",
            |c| expect_order(c, CompareOp::Ne, "is not equal to"),
            exempt("prints")
        )],
    },
    Row {
        name: "expect_neq",
        group: GROUP,
        doc: "Prints both values if they are equal. The kernel goes on.",
        overloads: &[overload!(
            "(a: E, b: E) -> None",
            |c| expect_order(c, CompareOp::Eq, "is equal to"),
            exempt("prints")
        )],
    },
    Row {
        name: "expect_near",
        group: GROUP,
        doc: "Prints both values if a component of one is further from that of the other than the tolerance, or is NaN. \
              The kernel goes on.",
        overloads: &[overload!(
            "(a: E(F), b: E(F), tolerance: G = 0.000001) -> None",
            expect_near,
            exempt("prints")
        )],
    },
    Row {
        name: "printf",
        group: GROUP,
        doc: "Prints in the manner of C: `%d` and `%i` (signed), `%u`, `%x`, `%o`, `%c` take integers, `%f`, `%e`, `%g` \
              floats, `%s` string literals; flags, width and precision as in C. Lengths such as `l` are not needed.",
        overloads: &[overload!(
            "(fmt: str, *args: any) -> None",
            printf,
            exempt("prints")
        )],
    },
];
