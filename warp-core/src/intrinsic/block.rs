//! What the threads of a block do together. That all of a warp or block come to such a statement is for `verify` to see, which knows the
//! whole kernel. The interpreter runs these for all of them at once (`interp/block.rs`).

use crate::dtype::Scalar;
use crate::intrinsic::row::{Row, ensure};

/// Threads wait for the slowest one.
const WAITING: u64 = 32;

pub const BARRIER: Row = Row {
    check: |_, args, outs| {
        ensure(args.is_empty() && outs.is_empty(), || {
            "`barrier` takes and gives nothing".into()
        })
    },
    cost: |_| WAITING,
    interpret: |op, _, _| Err(format!("a thread comes to a `{}` alone", op.name())),
    ..Row::PLAIN
};

pub const BALLOT: Row = Row {
    check: |_, args, outs| {
        ensure(args == [Scalar::Bool] && outs == [Scalar::U32], || {
            format!("`ballot` takes one bool and gives a uint32, not {args:?} and {outs:?}")
        })
    },
    ..BARRIER
};
