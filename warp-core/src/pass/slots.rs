//! Which values each slot's Replay gives.

use crate::ir::{Block, Func, Intrinsic, Kind, Slot, Value};
use std::collections::HashMap;

/// By slot: what its Replay defines. Entry `i` is entry `i` of what was recorded.
pub type Replays = HashMap<Slot, Vec<Value>>;

/// The replays of a function.
pub fn replays(func: &Func) -> Replays {
    let mut found = Replays::new();
    func.blocks().for_each(|block| visit(block, &mut found));
    found
}

fn visit(block: &Block, found: &mut Replays) {
    for stmt in &block.stmts {
        if let Kind::Intrinsic {
            op: Intrinsic::Replay(slot),
            outs,
            ..
        } = &stmt.kind
        {
            found.insert(*slot, outs.clone());
        }
        for inner in stmt.kind.blocks() {
            visit(inner, found);
        }
    }
}
