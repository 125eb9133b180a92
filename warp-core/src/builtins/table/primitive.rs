//! Builtins that are one primitive: what the rows of primitives say about them.

use super::scalar::GROUP;
use crate::builtins::signature::row::{Expand, Overload, Row};
use crate::ir::{PRIMITIVES, Primitive};
use std::sync::LazyLock;

/// A row for each primitive that kernels can call by a name.
pub static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| PRIMITIVES.iter().copied().filter_map(row).collect());

fn row(primitive: &'static Primitive) -> Option<Row> {
    let builtin = primitive.builtin?;
    let overload = Overload {
        sig: builtin.sig,
        expand: Expand::Primitive(primitive.op),
        facts: builtin.facts,
    };
    Some(Row {
        name: builtin.name,
        group: GROUP,
        doc: primitive.doc,
        // Rows live for ever, as those that stand in tables do.
        overloads: vec![overload].leak(),
    })
}
