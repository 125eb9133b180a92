//! What the runtime has to know to run an adjoint.

use crate::adjoint::classify::{Class, ReversePlan, is_float};
use crate::adjoint::private_dims::private_dims;
use crate::adjoint::runs::Runs;
use crate::ir::{AtomicOp, Block, Func, Kind, ParamId, ParamType, Place, Value};
use std::collections::HashSet;

/// What the runtime has to know to run an adjoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// One entry per array parameter of the kernel, in order.
    pub arrays: Vec<ArrayReport>,
    /// The adjoint needs what arrays hold that no parameter names: those that lie described in memory of others.
    pub reaches: bool,
}

/// Which content of an array the adjoint has to be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Data {
    /// None: the adjoint looks at the array's extents at most.
    None,
    /// What it holds: the kernel does not change it.
    Same,
    /// What it held before the launch. Not changed.
    Before,
    /// A copy of what it held before the launch: the adjoint changes it and takes the changes back.
    Scratch,
    /// What it held after the launch. Not changed.
    After,
    /// The array itself, as it is when the adjoint runs, which writes it: a derivative that an author wrote says so.
    Live,
}

/// What the runtime has to know about one array.
///
/// Arrays are taken to be distinct. If memory of a stored array overlaps that of another parameter, the runtime
/// asks for [`crate::adjoint::Options::consume`] of the stored one and ignores `plain`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayReport {
    /// The parameter.
    pub param: ParamId,
    /// The parameter of the adjoint that is its gradient, for arrays of floats.
    pub grad: Option<ParamId>,
    /// How the kernel uses it.
    pub class: Class,
    /// Which content the adjoint needs.
    pub data: Data,
    /// Launch dimensions, as bits, in which no two threads touch the same element of the gradient. If every
    /// dimension whose extent is not 1 is among them, an add to the gradient needs no atomic.
    pub non_atomic: u8,
    /// The adjoint adds to the gradient.
    pub adds: bool,
    /// The adjoint reads the gradient.
    pub reads: bool,
    /// The adjoint sets what it read of the gradient to zero.
    pub consumes: bool,
}

impl Report {
    pub(super) fn of(
        func: &Func,
        plan: &ReversePlan,
        runs: &Runs,
        loads: &HashSet<Value>,
    ) -> Report {
        let mut traffic = Traffic {
            plan,
            loads,
            read: HashSet::new(),
            adds: HashSet::new(),
            reads: HashSet::new(),
            clears: HashSet::new(),
            func,
        };
        func.blocks().for_each(|block| traffic.block(block));
        let mut grads = func.arguments().len() as u32;
        let mut arrays = Vec::new();
        for (i, param) in func.params.iter().enumerate() {
            let id = ParamId(i as u32);
            let ParamType::Array { .. } = param.ty else {
                continue;
            };
            let grad = is_float(func, id).then(|| {
                grads += 1;
                ParamId(grads - 1)
            });
            let class = plan.class[i];
            let read = traffic.read.contains(&id);
            let data = match class {
                _ if plan.live[i] => Data::Live,
                _ if plan.after[i] && read => Data::After,
                Class::Extremum if traffic.reads.contains(&id) => Data::After,
                Class::Mutable if runs.writes(id) => Data::Scratch,
                Class::Mutable if read => Data::Before,
                Class::Loaded if read => Data::Same,
                _ => Data::None,
            };
            arrays.push(ArrayReport {
                param: id,
                grad,
                class,
                data,
                non_atomic: private_dims(func, id),
                adds: grad.is_some() && traffic.adds.contains(&id),
                reads: grad.is_some() && traffic.reads.contains(&id),
                consumes: plan.consumes[i] || traffic.clears.contains(&id),
            });
        }
        let mut ids = traffic.read.iter();
        let reaches = ids.any(|id| func.is_pointer_based(*id));
        Report { arrays, reaches }
    }

    /// The entry of a parameter.
    pub fn array(&self, param: ParamId) -> Option<&ArrayReport> {
        self.arrays.iter().find(|a| a.param == param)
    }
}

struct Traffic<'a> {
    plan: &'a ReversePlan,
    loads: &'a HashSet<Value>,
    read: HashSet<ParamId>,
    adds: HashSet<ParamId>,
    reads: HashSet<ParamId>,
    clears: HashSet<ParamId>,
    func: &'a Func,
}

impl Traffic<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Load { out, place } => {
                    if self.loads.contains(out) {
                        self.read.insert(place.array);
                    }
                    if self.plan.is_active(*out) {
                        self.adds.insert(place.array);
                    }
                }
                Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                    if self.plan.has_reverse(&stmt.kind) {
                        self.reads.insert(place.array);
                    }
                }
                Kind::Custom { body, rules, .. } => {
                    self.call(rules.replay.as_ref().unwrap_or(body));
                    rules.reverse.iter().for_each(|b| self.call(b));
                }
                kind => kind.blocks().into_iter().for_each(|b| self.block(b)),
            }
        }
    }

    /// What runs in the place of a call, and what its author says is its derivative.
    fn call(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let gradient = |place: &Place| self.func.gradient_of(place.array);
            match &stmt.kind {
                Kind::Load { out, place } => match gradient(place) {
                    Some(of) => {
                        self.reads.insert(of);
                    }
                    None if self.loads.contains(out) => {
                        self.read.insert(place.array);
                    }
                    None => {}
                },
                Kind::Store { place, .. } => self.clears.extend(gradient(place)),
                Kind::Atomic { place, out, op, .. } => {
                    let of = gradient(place);
                    match op {
                        AtomicOp::Add => self.adds.extend(of),
                        _ => self.clears.extend(of),
                    }
                    if out.is_some() {
                        self.reads.extend(of);
                    }
                }
                Kind::Custom { body, rules, .. } => {
                    self.call(rules.replay.as_ref().unwrap_or(body));
                }
                kind => kind.blocks().into_iter().for_each(|b| self.call(b)),
            }
        }
    }
}
