//! Functions that stay functions in an adjoint.
//!
//! Activity, sweeps and reverses go through the functions of a kernel as through its body. A function has two forms in the adjoint:
//! itself, where the adjoint runs forward, and its *derivative*, where it runs backward: that one takes the arguments and the
//! adjoints of the results, sweeps and reverses the body, and gives the adjoints of the arguments. A value has an adjoint in all
//! calls if it has one in any: a function is differentiated once.
//!
//! That needs functions of numbers: what they load is written by nobody and has no gradient, they write nothing, and the rounds
//! of their loops record nothing. Others are inlined first ([`inline_others`]); what a derivative records is known only when it has been
//! emitted, and then the emission is repeated.

use crate::adjoint::classify::is_float;
use crate::adjoint::emit::{Emitter, Function};
use crate::ir::{Block, Callee, CalleeId, Func, Kind, ParamId, Value};
use crate::pass::inline::{Limits, inline_short, inline_where, must_be_inlined};
use std::collections::HashSet;

/// Puts the bodies of functions in the places of their calls, but for long ones that have derivatives which are functions.
/// `excluded`: names of some that have none.
pub(super) fn inline_others(func: &mut Func, limits: Limits, excluded: &HashSet<String>) {
    inline_short(func, limits);
    let written = written(func);
    loop {
        let in_customs = called_in_customs(func);
        let others: HashSet<String> = (func.callees.iter().zip(0..))
            .filter(|(callee, id)| {
                excluded.contains(&callee.name)
                    || in_customs.contains(&CalleeId(*id))
                    || callee
                        .block
                        .any(&|kind| has_no_derivative(func, kind, &written))
            })
            .map(|(callee, _)| callee.name.clone())
            .collect();
        if others.is_empty() {
            return;
        }
        inline_where(func, &|_, callee| others.contains(&callee.name));
    }
}

/// Whether a function with this statement has no derivative that is a function.
fn has_no_derivative(func: &Func, kind: &Kind, written: &HashSet<ParamId>) -> bool {
    match kind {
        Kind::Load { place, .. } => {
            let array = place.array;
            is_float(func, array) || func.is_addressed(array) || written.contains(&array)
        }
        Kind::Store { .. } | Kind::Atomic { .. } | Kind::Custom { .. } => true,
        kind => must_be_inlined(func, kind),
    }
}

/// The arrays that a kernel writes.
fn written(func: &Func) -> HashSet<ParamId> {
    fn visit(block: &Block, found: &mut HashSet<ParamId>) {
        for stmt in &block.stmts {
            if let Kind::Store { place, .. } | Kind::Atomic { place, .. } = &stmt.kind {
                found.insert(place.array);
            }
            (stmt.kind.blocks().into_iter()).for_each(|inner| visit(inner, found));
        }
    }
    let mut found = HashSet::new();
    func.blocks().for_each(|block| visit(block, &mut found));
    found
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

impl Emitter<'_> {
    /// A call where the adjoint runs forward.
    pub fn copy_function_call(&mut self, callee: CalleeId, args: &[Value], outs: &[Value]) {
        let function = self.forward(callee);
        let args = self.get_all(args);
        let new: Vec<Value> = outs.iter().map(|out| self.fresh_of(*out)).collect();
        self.set_all(outs, &new);
        self.push_call(function, args, new);
    }

    /// A call of the derivative.
    pub fn reverse_function_call(&mut self, callee: CalleeId, args: &[Value], outs: &[Value]) {
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
        let Callee { name, block } = self.source.callee(callee);
        let emitted = self.function(name.clone(), block, Vec::new(), |this, _| {
            this.plain(block, None);
            this.get_all(&block.results)
        });
        self.forms[callee.0 as usize].forward = Some(emitted);
        emitted
    }

    /// What takes the arguments and the adjoints of those results that have them, and gives the adjoints of those parameters that
    /// have them.
    fn derivative(&mut self, callee: CalleeId) -> Function {
        if let Some(known) = self.forms[callee.0 as usize].derivative {
            return known;
        }
        let Callee { name, block } = self.source.callee(callee);
        let plan = self.plan;
        let active = |values: &[Value]| -> Vec<Value> {
            let values = values.iter().copied();
            values.filter(|v| plan.is_active(*v)).collect()
        };
        let (params, results) = (active(&block.params), active(&block.results));
        let name = format!("adj_{name}");
        let emitted = self.function(name, block, results.clone(), |this, ds| {
            match this.keeps {
                true => this.keep(block, &mut Vec::new()),
                false => this.sweep(block, None, &mut Vec::new()),
            }
            for (result, d) in results.into_iter().zip(ds) {
                this.add(result, *d);
            }
            this.reverse(block);
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
        let outer = std::mem::take(&mut self.adj);
        let results = emit(self, &more);
        self.adj = outer;
        self.zeros = zeros;
        let block = self.b.close(results);
        self.b.span = span;
        let effects = block.effects();
        let id = self.b.callee(Callee { name, block });
        Function { id, effects }
    }
}
