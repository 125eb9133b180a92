//! How each value of a kernel comes about.

use crate::ir::{Block, Func, Kind, Op, Value};
use smallvec::SmallVec;
use std::collections::HashMap;

/// How a value comes about.
#[derive(Clone, Copy, Debug)]
pub enum Def<'a> {
    /// By an operation.
    Let(Op, &'a [Value]),
    /// As the variable of `for`.
    Index([Value; 3]),
    /// As a result of `if`: condition, and the value from either side.
    Either(Value, Value, Value),
    /// From memory, a loop's carried values and the like.
    Other,
}

/// How each value of `func` comes about.
pub fn definitions(func: &Func) -> Vec<Def<'_>> {
    let mut defs = vec![Def::Other; func.values.len()];
    for block in func.blocks() {
        define(block, &mut defs);
    }
    defs
}

/// For each value its number, the first value that is computed in the same way (value numbering: Cocke and Schwartz, 1970).
pub fn numbers(func: &Func, defs: &[Def<'_>]) -> Vec<Value> {
    let (mut numbers, mut known) = (Vec::with_capacity(defs.len()), HashMap::new());
    for (i, def) in defs.iter().enumerate() {
        let value = Value(i as u32);
        numbers.push(match def {
            Def::Let(op, args) => {
                // Values are defined before they are used, but their numbers need not tell in which order.
                let args = args.iter().map(|a| *numbers.get(a.0 as usize).unwrap_or(a));
                let args: SmallVec<[Value; 4]> = args.collect();
                *known.entry((*op, func.ty(value), args)).or_insert(value)
            }
            _ => value,
        });
    }
    numbers
}

fn define<'a>(block: &'a Block, defs: &mut Vec<Def<'a>>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            Kind::Let { out, op, args } => defs[out.0 as usize] = Def::Let(*op, args),
            Kind::For {
                start,
                stop,
                step,
                body,
                ..
            } => defs[body.params[0].0 as usize] = Def::Index([*start, *stop, *step]),
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                for (k, out) in outs.iter().enumerate() {
                    defs[out.0 as usize] = Def::Either(*cond, then.results[k], els.results[k]);
                }
            }
            _ => {}
        }
        for inner in stmt.kind.blocks() {
            define(inner, defs);
        }
    }
}
