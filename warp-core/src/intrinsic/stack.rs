//! The recording stacks of a thread. That records and replays come in pairs is for `verify` to see, which knows the whole
//! function.

use crate::intrinsic::row::{Derivative, Row, ensure};
use crate::ir::{Intrinsic, STACKS, Slot};

/// Memory that is mostly in the cache.
const ACCESS: u64 = 8;

pub const RECORD: Row = Row {
    check: |op, _, outs| {
        let slot = slot(op);
        ensure(slot.stack < STACKS, || {
            format!("there are {STACKS} stacks, {slot} names another one")
        })?;
        ensure(outs.is_empty(), || "`record` gives nothing".into())
    },
    cost: |_| ACCESS,
    interpret: |op, machine, args| {
        machine.record(slot(op), args.iter().map(|(_, num)| *num).collect());
        Ok(Vec::new())
    },
    derivative: Derivative::Stack,
    ..Row::PLAIN
};

pub const REPLAY: Row = Row {
    check: |_, args, _| ensure(args.is_empty(), || "`replay` takes nothing".into()),
    cost: |_| ACCESS,
    interpret: |op, machine, _| machine.replay(slot(op)),
    derivative: Derivative::Stack,
    ..Row::PLAIN
};

fn slot(op: &Intrinsic) -> Slot {
    op.slot().expect("a record or replay")
}
