//! The derivatives of a part of a kernel, where it stands: `wp.grad`.

use crate::adjoint::classify::ReversePlan;
use crate::adjoint::complete::complete;
use crate::adjoint::emit::Emitter;
use crate::adjoint::normal::normalise_part;
use crate::adjoint::options::Options;
use crate::adjoint::runs::Runs;
use crate::error::Result;
use crate::ir::{Block, Builder, Func, Value};
use crate::pass::inline::inline_all;
use crate::pass::slots::replays;

/// Statements that give results of some inputs, without effects on arrays.
#[derive(Debug)]
pub struct Part {
    /// The statements; the results are what is differentiated. The parameters stand for the inputs.
    pub block: Block,
    /// The inputs: floats, which may be equal.
    pub inputs: Vec<Value>,
}

/// Emits the derivatives of the sum of a part's results with respect to each of its inputs, at the place where the builder is.
/// `slots`: how many slots for recorded values the kernel uses so far; those that are added are counted.
///
/// # Errors
/// As [`super::reverse`].
pub fn partials(b: &mut Builder, part: Part, slots: &mut u32) -> Result<Vec<Value>> {
    let Part { mut block, inputs } = part;
    let params = std::mem::take(&mut block.params);
    let mut source = Func {
        name: b.func().name.clone(),
        threads: b.func().threads,
        params: b.func().params.clone(),
        values: b.func().values.clone(),
        callees: b.func().callees.clone(),
        body: block,
    };
    inline_all(&mut source);
    super::check::repeatable(&source)?;
    let known = source.values.len();
    let keeps = !replays(&source).is_empty();
    let source = normalise_part(&*complete(&source, keeps)?);
    for param in &source.params[b.func().params.len()..] {
        b.param(param.name.clone(), param.ty);
    }
    let plan = ReversePlan::of(&source, &params, &Options::default());
    super::check::atomics(&source, &plan)?;
    let runs = Runs::default();
    let grads = vec![None; source.params.len()];
    let own = std::mem::replace(b, Builder::new(""));
    let mut emitter = Emitter::within(own, &source, &plan, &runs, keeps, &grads, *slots);
    // What stands outside the part is what it is.
    for value in (0..known as u32).map(Value) {
        emitter.set(value, value);
    }
    emitter.set_all(&params, &inputs);
    if keeps {
        emitter.keep(&source.body, &mut Vec::new());
    } else {
        emitter.sweep(&source.body, None, &mut Vec::new());
    }
    for result in &source.body.results {
        let ty = source.ty(*result);
        if ty.is_float() {
            let one = emitter.b.number(ty, 1.0);
            emitter.add(*result, one);
        }
    }
    emitter.reverse(&source.body);
    let parts = params.iter().map(|param| {
        let zero = emitter.zero(source.ty(*param));
        emitter.adj.get(param).copied().unwrap_or(zero)
    });
    let parts = parts.collect();
    let (own, used) = emitter.end();
    *b = own;
    *slots = used;
    Ok(parts)
}
