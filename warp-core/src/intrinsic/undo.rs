//! The undo log of a thread.

use crate::dtype::Scalar;
use crate::intrinsic::row::{Row, ensure};
use crate::ir::Num;

pub const MARK: Row = Row {
    check: |_, args, outs| {
        ensure(args.is_empty() && outs == [Scalar::I64], || {
            "a mark is int64".into()
        })
    },
    cost: |_| 2,
    interpret: |_, machine, _| Ok(vec![Num::Int(machine.logged())]),
    ..Row::PLAIN
};

pub const UNWIND: Row = Row {
    check: |_, args, outs| {
        ensure(args == [Scalar::I64] && outs.is_empty(), || {
            "a mark is int64".into()
        })
    },
    // What is taken back was logged before, and the log has a limit.
    cost: |_| 2,
    interpret: |_, machine, args| {
        machine.unwind(args[0].1.int());
        Ok(Vec::new())
    },
    ..Row::PLAIN
};
