//! Printing.

use crate::intrinsic::printf::printf;
use crate::intrinsic::row::{Row, ensure};
use crate::ir::Intrinsic;

pub const PRINT: Row = Row {
    check: |_, _, outs| ensure(outs.is_empty(), || "`print` gives nothing".into()),
    // Text is formatted and written.
    cost: |_| 4096,
    interpret: |op, machine, args| {
        if let Intrinsic::Print(format) = op {
            machine.print(&printf(format, args)?);
        }
        Ok(Vec::new())
    },
    ..Row::PLAIN
};
