//! Functions that stay functions in an adjoint.
//!
//! Activity, sweeps and reverses go through the functions of a kernel as through its body. A function has two forms in the adjoint:
//! itself, where the adjoint runs forward, and its *derivative*, where it runs backward: that one takes the arguments and the
//! adjoints of the results, sweeps and reverses the body, and gives the adjoints of the arguments. A value has an adjoint in all
//! calls if it has one in any: a function is differentiated once. A call in a sweep also gives the values that take long to
//! compute, and its derivative is given them; [`mod@crate::pass::dce`] drops those that no derivative needs.
//!
//! That needs functions that write nothing, and load only what the kernel does not write. Others are inlined first
//! ([`inline_others`]). A derivative adds to the gradients of what its function loads; where the kernel does more with one of them
//! than to add to it, the emission is repeated without that function.

use crate::adjoint::emit::{Emitter, Function};
use crate::ir::{Block, Callee, CalleeId, Func, Kind, Value};
use crate::pass::access::{self, Access};
use crate::pass::inline::{Limits, inline_short, inline_where};
use std::collections::HashSet;

/// Puts the bodies of functions in the places of their calls, but for long ones that have derivatives which are functions.
/// `excluded`: names of some that have none.
pub(super) fn inline_others(func: &mut Func, limits: Limits, excluded: &HashSet<String>) {
    inline_short(func, limits);
    loop {
        let accesses = access::of(func);
        let in_customs = called_in_customs(func);
        let others: HashSet<String> = (func.callees.iter().zip(0..))
            .filter(|(callee, id)| {
                excluded.contains(&callee.name)
                    || in_customs.contains(&CalleeId(*id))
                    || callee
                        .block
                        .any(&|kind| has_no_derivative(func, kind, &accesses))
            })
            .map(|(callee, _)| callee.name.clone())
            .collect();
        if others.is_empty() {
            return;
        }
        inline_where(func, &|callee| others.contains(&callee.name));
    }
}

/// Whether a function with this statement has no derivative that is a function.
fn has_no_derivative(func: &Func, kind: &Kind, accesses: &[Access]) -> bool {
    match kind {
        Kind::Load { place, .. } => {
            let array = place.array;
            let access = accesses[array.0 as usize];
            access.writes() || access.backward || func.is_pointer_based(array)
        }
        Kind::Store { .. } | Kind::Atomic { .. } | Kind::Custom { .. } => true,
        Kind::Intrinsic { op, .. } => op.effects().ordered || op.effects().writes,
        _ => false,
    }
}

/// The functions that calls with derivatives of their own call.
fn called_in_customs(func: &Func) -> HashSet<CalleeId> {
    fn visit(block: &Block, inside: bool, found: &mut HashSet<CalleeId>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Call { callee, .. } if inside => {
                    found.insert(*callee);
                }
                kind => {
                    let inside = inside || matches!(kind, Kind::Custom { .. });
                    (kind.blocks().into_iter()).for_each(|b| visit(b, inside, found));
                }
            }
        }
    }
    let mut found = HashSet::new();
    func.blocks().for_each(|b| visit(b, false, &mut found));
    found
}

/// The function that a call calls, its arguments and its results.
fn parts(call: &Kind) -> (CalleeId, &[Value], &[Value]) {
    match call {
        Kind::Call {
            callee, args, outs, ..
        } => (*callee, args, outs),
        _ => unreachable!("not a call"),
    }
}

impl Emitter<'_> {
    /// A call where the adjoint runs forward.
    pub fn copy_function_call(&mut self, kind: &Kind) {
        let (callee, args, outs) = parts(kind);
        let function = self.forward(callee);
        let args = self.get_all(args);
        let mut new = Vec::new();
        for out in outs {
            let value = self.fresh_of(*out);
            if !self.given.contains(out) {
                self.set(*out, value);
            }
            new.push(value);
        }
        for (name, value) in self
            .kept_by(callee, kind)
            .into_iter()
            .zip(self.kept(callee))
        {
            let value = self.fresh_of(*value);
            self.set(name, value);
            new.push(value);
        }
        self.push_call(function, args, new);
    }

    /// A call of the derivative.
    pub fn reverse_function_call(&mut self, kind: &Kind) {
        let (callee, args, outs) = parts(kind);
        let block = &self.source.callee(callee).block;
        let mut given = self.get_all(args);
        let mut any = false;
        for (out, result) in outs.iter().zip(&block.results) {
            let d = self.adj.remove(out);
            any |= d.is_some();
            if self.plan.is_active(*result) {
                let zero = self.zero(self.source_ty(*out));
                given.push(d.unwrap_or(zero));
            }
        }
        if !any {
            return;
        }
        given.extend(self.get_all(&self.kept_by(callee, kind)));
        let derivative = self.derivative(callee);
        let active = args.iter().zip(&block.params);
        let active: Vec<Value> = active
            .filter(|(_, param)| self.plan.is_active(**param))
            .map(|(arg, _)| *arg)
            .collect();
        let parts: Vec<Value> = active.iter().map(|arg| self.fresh_of(*arg)).collect();
        self.push_call(derivative, given, parts.clone());
        for (arg, part) in active.into_iter().zip(parts) {
            self.add(arg, part);
        }
    }

    fn push_call(&mut self, function: Function, args: Vec<Value>, outs: Vec<Value>) {
        let Function { id, effects } = function;
        self.b.push(Kind::Call {
            callee: id,
            args,
            outs,
            effects,
        });
    }

    /// The source's function itself, in the adjoint.
    fn forward(&mut self, callee: CalleeId) -> Function {
        if let Some(known) = self.forms[callee.0 as usize].forward {
            return known;
        }
        let Callee { name, block, .. } = self.source.callee(callee);
        let emitted = self.function(name.clone(), block, Vec::new(), |this, _| {
            this.plain(block, None);
            let kept = this.kept(callee);
            [&block.results, kept].map(|v| this.get_all(v)).concat()
        });
        self.forms[callee.0 as usize].forward = Some(emitted);
        emitted
    }

    /// What takes the arguments, the adjoints of those results that have them, and what the call kept, and gives the adjoints of
    /// those parameters that have them.
    fn derivative(&mut self, callee: CalleeId) -> Function {
        if let Some(known) = self.forms[callee.0 as usize].derivative {
            return known;
        }
        let Callee { name, block, .. } = self.source.callee(callee);
        let plan = self.plan;
        let active = |values: &[Value]| -> Vec<Value> {
            let values = values.iter().copied();
            values.filter(|v| plan.is_active(*v)).collect()
        };
        let (params, results) = (active(&block.params), active(&block.results));
        let name = format!("adj_{name}");
        let kept = self.kept(callee);
        let more = [&results, kept].concat();
        let emitted = self.function(name, block, more, |this, more| {
            let (ds, given) = more.split_at(results.len());
            this.set_all(kept, given);
            let outer = std::mem::replace(&mut this.given, kept.iter().copied().collect());
            match this.keeps {
                true => this.keep(block, &mut Vec::new()),
                false => this.sweep(block, None, &mut Vec::new()),
            }
            for (result, d) in results.into_iter().zip(ds) {
                this.add(result, *d);
            }
            this.reverse(block);
            this.given = outer;
            let parts = params.iter().map(|param| {
                let zero = this.zero(this.source_ty(*param));
                this.adj.get(param).copied().unwrap_or(zero)
            });
            parts.collect()
        });
        self.forms[callee.0 as usize].derivative = Some(emitted);
        self.derivatives.push((emitted.id, callee));
        emitted
    }

    /// Emits a function that takes what `block` takes, and values like `more`. Values of the body that calls it are not seen there.
    fn function(
        &mut self,
        name: String,
        block: &Block,
        more: Vec<Value>,
        emit: impl FnOnce(&mut Self, &[Value]) -> Vec<Value>,
    ) -> Function {
        let params: Vec<Value> = block.params.iter().map(|p| self.fresh_of(*p)).collect();
        let more: Vec<Value> = more.into_iter().map(|v| self.fresh_of(v)).collect();
        self.set_all(&block.params, &params);
        let span = self.b.span;
        self.b
            .open(params.into_iter().chain(more.clone()).collect());
        let zeros = Emitter::zeros(&mut self.b);
        let zeros = std::mem::replace(&mut self.zeros, zeros);
        let grads = self.presences();
        let grads = std::mem::replace(&mut self.grads, grads);
        let outer = std::mem::take(&mut self.adj);
        let results = emit(self, &more);
        self.adj = outer;
        self.zeros = zeros;
        self.grads = grads;
        let block = self.b.close(results);
        self.b.span = span;
        let effects = block.effects();
        let id = self.b.callee(Callee {
            name,
            block,
            exact: false,
        });
        Function { id, effects }
    }
}
