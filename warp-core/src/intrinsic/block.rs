//! What the threads of a block do together. That all of a warp or block come to such a statement is for `verify` to see, which knows the
//! whole kernel. The interpreter runs these for all of them at once (`interp/block.rs`).

use crate::intrinsic::row::{Row, ensure};
use crate::ir::Intrinsic;

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

pub const EXCHANGE: Row = Row {
    check: |op, args, outs| match op {
        Intrinsic::Exchange(exchange) => ensure(
            matches!((exchange.gives(args), outs), (Some(gives), [out]) if gives == *out),
            || {
                let (name, takes) = (exchange.name(), exchange.takes());
                format!("`{name}` takes {takes}, not {args:?}, or does not give {outs:?}")
            },
        ),
        other => Err(format!("`{}` is no exchange", other.name())),
    },
    ..BARRIER
};
