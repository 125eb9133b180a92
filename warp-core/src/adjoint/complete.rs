//! The derivative of a call that has a replay but no derivative of its own: that of its body.

use crate::adjoint::check;
use crate::adjoint::classify::{ReversePlan, is_float};
use crate::adjoint::emit::{Emitted, Emitter};
use crate::adjoint::normal::normalise_part;
use crate::adjoint::options::Options;
use crate::adjoint::runs::Runs;
use crate::error::Result;
use crate::ir::{Block, Builder, Func, Kind, ParamId, Value};
use crate::pass::dce::Live;
use crate::pass::slots::replays;
use std::borrow::Cow;

/// The same kernel, in which every call that is differentiated has a derivative. `keeps` as in [`crate::adjoint`].
///
/// # Errors
/// As [`super::reverse`].
pub(super) fn complete(func: &Func, keeps: bool) -> Result<Cow<'_, Func>> {
    if !lacks(&func.body) {
        return Ok(Cow::Borrowed(func));
    }
    let mut func = func.clone();
    let mut body = std::mem::take(&mut func.body);
    in_block(&mut func, &mut body, keeps)?;
    func.body = body;
    Ok(Cow::Owned(func))
}

fn lacks(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Custom { rules, .. } => rules.reverse.is_none(),
        kind => kind.blocks().into_iter().any(lacks),
    })
}

fn in_block(func: &mut Func, block: &mut Block, keeps: bool) -> Result<()> {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            Kind::Custom { body, rules, .. } => {
                if rules.reverse.is_none() {
                    in_block(func, body, keeps)?;
                    rules.reverse = Some(derivative(func, body, keeps)?);
                }
            }
            kind => {
                for inner in kind.blocks_mut() {
                    in_block(func, inner, keeps)?;
                }
            }
        }
    }
    Ok(())
}

/// The derivative of a body, as a rule.
fn derivative(func: &mut Func, body: &Block, keeps: bool) -> Result<Block> {
    let mut source = func.clone();
    source.body = body.clone();
    let params = std::mem::take(&mut source.body.params);
    let known = source.values.len();
    let source = normalise_part(&source);
    let all = (0..source.params.len() as u32).map(ParamId);
    // The gradient of what the body stores ends there.
    let options = Options {
        consume: all.clone().collect(),
        ..Options::default()
    };
    let plan = ReversePlan::of(&source, &params, &options);
    check::atomics(&source, &plan)?;
    let grads: Vec<Option<ParamId>> = all
        .map(|id| is_float(&source, id).then(|| func.gradients(id, 1)))
        .collect();
    let runs = Runs::default();
    let own = Func {
        body: Block::default(),
        values: source.values.clone(),
        ..func.clone()
    };
    let slots = replays(func).keys().map(|s| s.id + 1).max().unwrap_or(0);
    let keeps = keeps || !replays(&source).is_empty();
    let mut b = Builder::resume(own);
    b.open(Vec::new());
    let mut emitter = Emitter::within(b, &source, &plan, &runs, keeps, &grads, slots);
    for value in (0..known as u32).map(Value) {
        emitter.set(value, value);
    }
    let mut takes = emitter.b.fresh_like(&params);
    emitter.set_all(&params, &takes);
    let results = source.body.results.iter().copied();
    let results: Vec<Value> = results.filter(|v| source.ty(*v).is_float()).collect();
    let ds = emitter.b.fresh_like(&results);
    takes.extend(&ds);
    if keeps {
        emitter.keep(&source.body, &mut Vec::new());
    } else {
        emitter.sweep(&source.body, None, &mut Vec::new());
    }
    for (result, d) in results.iter().zip(&ds) {
        emitter.add(*result, *d);
    }
    emitter.reverse(&source.body);
    let parts = params.iter().map(|param| {
        let zero = emitter.zero(source.ty(*param));
        emitter.adj.get(param).copied().unwrap_or(zero)
    });
    let parts = parts.collect();
    let (loads, ordered) = (
        std::mem::take(&mut emitter.loads),
        std::mem::take(&mut emitter.ordered),
    );
    let (mut b, _) = emitter.end();
    let mut rule = b.close(parts);
    rule.params = takes;
    let mut out = Emitted {
        func: b.finish(),
        gradients: grads.into_iter().flatten().collect(),
        loads,
        ordered,
        derivatives: Vec::new(),
        exported: Vec::new(),
    };
    func.values.clone_from(&out.func.values);
    out.func.body = rule;
    let live = Live::of(&out.func);
    check::order(&source, &out, &live)?;
    live.drop_dead(&mut out.func);
    Ok(out.func.body)
}
