//! Counts the calls of functions, and drops functions that no statement calls.

use crate::ir::{Block, CalleeId, Func, Kind};

/// Drops functions that no statement calls.
pub fn drop_uncalled(func: &mut Func) {
    let mut calls = vec![0; func.callees.len()];
    for n in (0..=func.callees.len()).rev() {
        let block = match func.callees.get(n) {
            Some(callee) if calls[n] > 0 => &callee.block,
            Some(_) => continue,
            None => &func.body,
        };
        count_calls(block, &mut calls);
    }
    let called: Vec<bool> = calls.iter().map(|calls| *calls > 0).collect();
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

/// Adds the calls in a block to those of each function.
pub fn count_calls(block: &Block, calls: &mut [usize]) {
    for stmt in &block.stmts {
        if let Kind::Call { callee, .. } = &stmt.kind {
            calls[callee.0 as usize] += 1;
        }
        for inner in stmt.kind.blocks() {
            count_calls(inner, calls);
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
