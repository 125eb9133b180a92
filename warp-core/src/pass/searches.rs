//! Functions in the places of searches, for devices that have no code of their own for these.

use super::expand::renamed;
use crate::error::Bug;
use crate::ir::{Block, Callee, CalleeId, Effects, Func, Intrinsic, Kind, Search, Value};
use crate::span::Span;

/// What does a search: a function whose parameters are values, and whose body gives the result.
pub type Body<'a> = &'a dyn Fn(Search) -> Result<Func, Bug>;

/// Whether there are searches.
pub fn has_searches(func: &Func) -> bool {
    func.any(&|kind| matches!(kind.intrinsic(), Some(Intrinsic::Search(_))))
}

/// Puts calls of functions, one for each kind of search, in the places of searches. There are no other functions.
///
/// # Errors
/// What `body` says.
pub fn call_searches(func: &mut Func, body: Body<'_>) -> Result<(), Bug> {
    let mut found = Vec::new();
    func.blocks().for_each(|block| collect(block, &mut found));
    for search in &found {
        let inner = body(*search)?;
        let first = func.values.len() as u32;
        func.values.extend(&inner.values);
        let names: Vec<Value> = (0..inner.values.len() as u32)
            .map(|v| Value(first + v))
            .collect();
        func.callees.push(Callee {
            name: format!("search.{}", search.name()),
            block: renamed(inner.body, &names, Span::default()),
            exact: true,
        });
    }
    replace(&mut func.body, &found);
    func.set_effects();
    Ok(())
}

fn collect(block: &Block, found: &mut Vec<Search>) {
    for stmt in &block.stmts {
        if let Some(Intrinsic::Search(search)) = stmt.kind.intrinsic()
            && !found.contains(search)
        {
            found.push(*search);
        }
        stmt.kind
            .blocks()
            .into_iter()
            .for_each(|inner| collect(inner, found));
    }
}

fn replace(block: &mut Block, found: &[Search]) {
    for stmt in &mut block.stmts {
        if let Kind::Intrinsic {
            op: Intrinsic::Search(search),
            args,
            outs,
        } = &mut stmt.kind
        {
            let number = found.iter().position(|known| known == search).unwrap_or(0);
            stmt.kind = Kind::Call {
                callee: CalleeId(number as u32),
                args: std::mem::take(args),
                outs: std::mem::take(outs),
                effects: Effects::READ,
            };
            continue;
        }
        stmt.kind
            .blocks_mut()
            .into_iter()
            .for_each(|inner| replace(inner, found));
    }
}
