//! Printing.

use crate::builtins::format::{print, printf};
use crate::builtins::row::Row;
use crate::builtins::table::facts::exempt;
use crate::builtins::table::overload::overload;

const GROUP: &str = "Output";

pub const ROWS: &[Row] = &[
    Row {
        name: "print",
        group: GROUP,
        doc: "Prints values, separated by spaces, and ends the line. Vectors and quaternions are printed component by \
              component, matrices row by row on lines of their own.",
        overloads: &[overload!("(*values: any) -> None", print, exempt("prints"))],
    },
    Row {
        name: "printf",
        group: GROUP,
        doc: "Prints in the manner of C: `%d` and `%i` (signed), `%u`, `%x`, `%o`, `%c` take integers, `%f`, `%e`, `%g` \
              floats, `%s` string literals; flags, width and precision as in C. Lengths such as `l` are not needed.",
        overloads: &[overload!(
            "(format: str, *values: any) -> None",
            printf,
            exempt("prints")
        )],
    },
];
