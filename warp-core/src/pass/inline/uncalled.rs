//! Drops functions that nobody calls.

use crate::ir::{Block, CalleeId, Func, Kind};

/// Drops functions that nobody calls.
pub fn drop_uncalled(func: &mut Func) {
    let mut called = vec![false; func.callees.len()];
    for n in (0..=func.callees.len()).rev() {
        let block = match func.callees.get(n) {
            Some(callee) if called[n] => &callee.block,
            Some(_) => continue,
            None => &func.body,
        };
        mark(block, &mut called);
    }
    if called.iter().all(|called| *called) {
        return;
    }
    let mut next = 0;
    let numbers: Vec<CalleeId> = (called.iter())
        .map(|called| {
            next += u32::from(*called);
            CalleeId(next.saturating_sub(1))
        })
        .collect();
    let mut called = called.into_iter();
    func.callees.retain(|_| called.next() == Some(true));
    func.blocks_mut().for_each(|block| rename(block, &numbers));
}

fn mark(block: &Block, called: &mut [bool]) {
    for stmt in &block.stmts {
        if let Kind::Call { callee, .. } = &stmt.kind {
            called[callee.0 as usize] = true;
        }
        for inner in stmt.kind.blocks() {
            mark(inner, called);
        }
    }
}

fn rename(block: &mut Block, numbers: &[CalleeId]) {
    for stmt in &mut block.stmts {
        if let Kind::Call { callee, .. } = &mut stmt.kind {
            *callee = numbers[callee.0 as usize];
        }
        for inner in stmt.kind.blocks_mut() {
            rename(inner, numbers);
        }
    }
}
