//! What a kernel does with each array, and what that means for its adjoint.

use crate::adjoint::activity::active;
use crate::adjoint::options::Options;
use crate::ir::primitive::DIVISION;
use crate::ir::{
    AtomicOp, Block, Comp, Func, Intrinsic, Kind, ParamId, ParamType, Place, Slot, Value,
};
use crate::pass::inline::count_calls;
use crate::pass::slots::{Replays, replays};
use std::collections::HashMap;

/// How a kernel uses an array. Names what the adjoint does with its gradient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Not accessed, or not an array.
    Unused,
    /// Only loaded: the gradient is added to.
    Loaded,
    /// Each component is stored at most once by a thread, outside loops, and the array is not accessed
    /// otherwise: the gradient is read, and set to zero only if the launch asks for that.
    StoredOnce,
    /// Only atomically added to: the gradient is read.
    Added,
    /// Only changed by atomic minima, or only by atomic maxima: the gradient is read and goes to every
    /// thread whose value equals the final content; the adjoint needs that content. Equal means bit for bit,
    /// so kernel and adjoint have to round alike: neither may be compiled with contraction.
    Extremum,
    /// Anything else: the reverse of a store reads the gradient and sets it to zero.
    Mutable,
}

/// Number of a loop, in order of the text.
pub(super) type LoopId = usize;

/// What the later passes have to know about the normalised kernel.
#[derive(Debug)]
pub(super) struct ReversePlan {
    /// Class of each parameter.
    pub class: Vec<Class>,
    /// Whether the gradient of each parameter is consumed by the reverse of a store.
    pub consumes: Vec<bool>,
    /// Whether each value has an adjoint.
    pub active: Vec<bool>,
    /// Whether an array is read as the launch left it: calls write it, and these writes do not run again. Another code runs in the
    /// place of the call, or each component is stored once and only the derivatives of calls read it.
    pub after: Vec<bool>,
    /// Whether a derivative that its author wrote writes the array itself.
    pub live: Vec<bool>,
    /// Whether the kernel writes the array.
    pub overwritten: Vec<bool>,
    /// By function: what a call in a sweep gives besides its results, for the derivative.
    pub kept: Vec<Vec<Value>>,
    loops: HashMap<usize, LoopId>,
    writes: HashMap<usize, usize>,
    /// By call: how many values the calls before it keep.
    calls: HashMap<usize, usize>,
    /// How many all calls keep.
    pub kept_count: usize,
    replays: Replays,
}

/// A statement's identity: its address. The source is borrowed unchanged through all passes.
pub(super) fn address(kind: &Kind) -> usize {
    std::ptr::from_ref(kind).addr()
}

impl ReversePlan {
    pub fn of(func: &Func, inputs: &[Value], options: &Options) -> ReversePlan {
        let mut uses = vec![Uses::default(); func.params.len()];
        let (mut loops, mut writes) = (HashMap::new(), HashMap::new());
        let mut counts = vec![0; func.callees.len()];
        (func.blocks()).for_each(|block| count_calls(block, &mut counts));
        let kept: Vec<Vec<Value>> = (func.callees.iter().zip(counts))
            .map(|(callee, calls)| costly(&callee.block, calls))
            .collect();
        let (mut calls, mut kept_count) = (HashMap::new(), 0);
        let mut look = Look {
            func,
            uses: &mut uses,
            loops: &mut loops,
            writes: &mut writes,
            kept: &kept,
            calls: &mut calls,
            kept_count: &mut kept_count,
        };
        func.blocks()
            .for_each(|block| look.block(block, Part::Kernel));
        let ids = (0..func.params.len() as u32).map(ParamId);
        let class: Vec<Class> = ids
            .clone()
            .zip(&uses)
            .map(|(id, uses)| class_of(func, id, *uses))
            .collect();
        let left = |(id, uses): (ParamId, &Uses)| {
            let once = uses.called && !uses.is_shared() && stored_once(func, id);
            uses.replaced || uses.rule_writes || once
        };
        let after = ids.clone().zip(&uses).map(left).collect();
        let live = uses.iter().map(|uses| uses.rule_writes).collect();
        let overwritten = uses.iter().map(|uses| uses.writes()).collect();
        let consumes = ids
            .zip(&class)
            .map(|(id, class)| match class {
                Class::Mutable => is_float(func, id) && uses[id.0 as usize].stores,
                Class::StoredOnce => is_float(func, id) && options.consume.contains(&id),
                _ => false,
            })
            .collect();
        ReversePlan {
            class,
            consumes,
            active: active(func, inputs),
            after,
            live,
            overwritten,
            kept,
            loops,
            writes,
            calls,
            kept_count,
            replays: replays(func),
        }
    }

    pub fn is_active(&self, value: Value) -> bool {
        self.active[value.0 as usize]
    }

    pub fn loop_id(&self, kind: &Kind) -> LoopId {
        self.loops[&address(kind)]
    }

    pub fn loop_count(&self) -> usize {
        self.loops.len()
    }

    /// Number of a store or atomic, in order of the text.
    pub fn write_id(&self, kind: &Kind) -> usize {
        self.writes[&address(kind)]
    }

    pub fn write_count(&self) -> usize {
        self.writes.len()
    }

    /// How many values the calls before this one keep.
    pub fn kept_before(&self, call: &Kind) -> usize {
        self.calls[&address(call)]
    }

    /// For each value of a slot whether it has an adjoint where it is replayed.
    pub fn replayed(&self, slot: Slot) -> Vec<bool> {
        let outs = self.replays.get(&slot).expect("a record has its replay");
        outs.iter().map(|out| self.is_active(*out)).collect()
    }

    /// Whether the reverse of a statement does anything.
    pub fn has_reverse(&self, kind: &Kind) -> bool {
        let own = match kind {
            Kind::Store { place, value, .. } => {
                self.is_active(*value) || self.consumes[place.array.0 as usize]
            }
            Kind::Atomic { value, .. } => self.is_active(*value),
            Kind::Intrinsic {
                op: Intrinsic::Record(slot),
                ..
            } => self.replayed(*slot).contains(&true),
            Kind::Custom { .. } => true,
            _ => kind.outs().iter().any(|o| self.is_active(*o)),
        };
        let inside = |b: &&Block| b.stmts.iter().any(|s| self.has_reverse(&s.kind));
        own || kind.blocks().iter().any(inside)
    }
}

/// Whether a parameter is an array of floats: exactly these have gradients.
pub(super) fn is_float(func: &Func, id: ParamId) -> bool {
    let ty = func.param(id).ty;
    let has = !matches!(ty, ParamType::Elem(_) | ParamType::Gradient { .. });
    has && ty.elem().scalar().is_float()
}

/// What stands in the place of a call where an adjoint runs forward.
pub(super) fn forward_body(kind: &Kind) -> &Block {
    match kind {
        Kind::Custom { body, rules, .. } => rules.replay.as_ref().unwrap_or(body),
        _ => unreachable!("not a call"),
    }
}

/// The values of a function that take longer to compute again than to fetch: what a derivative is given of them, it need not
/// compute. All calls together keep few: LLVM takes time for values that many others outlive.
fn costly(block: &Block, calls: usize) -> Vec<Value> {
    const BY_FUNCTION: usize = 64;
    const BY_KERNEL: usize = 500;
    let outs = block.stmts.iter().flat_map(|stmt| match &stmt.kind {
        Kind::Let { out, op, .. } if op.primitive().is_some_and(|p| p.cost >= DIVISION) => {
            std::slice::from_ref(out)
        }
        kind @ Kind::Call { .. } => kind.outs(),
        _ => &[],
    });
    let most = BY_FUNCTION.min(BY_KERNEL / calls.max(1));
    outs.copied().take(most).collect()
}

#[derive(Clone, Copy, Default)]
struct Uses {
    loads: bool,
    stores: bool,
    adds: bool,
    mins: bool,
    maxs: bool,
    results: bool,
    /// Loaded by a derivative that its author wrote.
    rule_loads: bool,
    /// Written by such a derivative.
    rule_writes: bool,
    /// Written where the derivative is its author's.
    called: bool,
    /// Changed atomically there.
    called_atomics: bool,
    /// Written where another code runs in the adjoint.
    replaced: bool,
    /// A derivative that its author wrote uses the gradient.
    gradient: bool,
}

impl Uses {
    /// Whether what is differentiated writes the array.
    fn writes(self) -> bool {
        self.stores || self.adds || self.mins || self.maxs || self.called
    }

    /// Whether a call is not alone in what it does to an array.
    fn is_shared(self) -> bool {
        let writes = self.stores || self.adds || self.mins || self.maxs;
        writes || self.loads || self.results || self.called_atomics
    }
}

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// In what is differentiated.
    Kernel,
    /// In a call with a derivative of its own.
    Call,
    /// In a call for which another code runs in the adjoint.
    Replaced,
    /// In the derivative of a call.
    Reverse,
}

struct Look<'a> {
    func: &'a Func,
    uses: &'a mut [Uses],
    loops: &'a mut HashMap<usize, LoopId>,
    writes: &'a mut HashMap<usize, usize>,
    kept: &'a [Vec<Value>],
    calls: &'a mut HashMap<usize, usize>,
    kept_count: &'a mut usize,
}

impl Look<'_> {
    fn block(&mut self, block: &Block, part: Part) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind, part);
        }
    }

    fn uses(&mut self, place: &Place) -> &mut Uses {
        &mut self.uses[place.array.0 as usize]
    }

    fn stmt(&mut self, kind: &Kind, part: Part) {
        match kind {
            Kind::Store { .. } | Kind::Atomic { .. } => {
                self.writes.insert(address(kind), self.writes.len());
            }
            Kind::For { .. } | Kind::While { .. } | Kind::Custom { .. } => {
                self.loops.insert(address(kind), self.loops.len());
            }
            Kind::Call { callee, .. } => {
                self.calls.insert(address(kind), *self.kept_count);
                *self.kept_count += self.kept[callee.0 as usize].len();
            }
            _ => {}
        }
        match kind {
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. }
                if self.func.gradient_of(place.array).is_some() =>
            {
                let of = self.func.gradient_of(place.array);
                self.uses[of.unwrap_or(place.array).0 as usize].gradient = true;
            }
            Kind::Load { .. } if part == Part::Replaced => {}
            Kind::Load { place, .. } if part == Part::Reverse => self.uses(place).rule_loads = true,
            Kind::Store { place, .. } | Kind::Atomic { place, .. }
                if part == Part::Reverse && self.func.local(place.array).is_none() =>
            {
                self.uses(place).rule_writes = true;
            }
            Kind::Load { place, .. } => self.uses(place).loads = true,
            Kind::Store { place, .. } | Kind::Atomic { place, .. } if part != Part::Kernel => {
                let uses = self.uses(place);
                uses.called = true;
                uses.called_atomics |= matches!(kind, Kind::Atomic { .. });
                uses.replaced |= part == Part::Replaced;
            }
            Kind::Store { place, .. } => self.uses(place).stores = true,
            Kind::Atomic { place, op, out, .. } => {
                let uses = self.uses(place);
                uses.results |= out.is_some();
                match op {
                    AtomicOp::Add => uses.adds = true,
                    AtomicOp::Min => uses.mins = true,
                    AtomicOp::Max => uses.maxs = true,
                    // Neither stored once nor only added to.
                    _ => (uses.stores, uses.adds) = (true, true),
                }
            }
            Kind::Custom { body, rules, .. } => {
                let within = |inner| if part == Part::Kernel { inner } else { part };
                let replaced = rules.replay.as_ref().map_or(Part::Call, |_| Part::Replaced);
                self.block(body, within(replaced));
                let replay = rules.replay.iter();
                replay.for_each(|b| self.block(b, within(Part::Call)));
                let reverse = rules.reverse.iter();
                reverse.for_each(|b| self.block(b, Part::Reverse));
                return;
            }
            _ => {}
        }
        for inner in kind.blocks() {
            self.block(inner, part);
        }
    }
}

fn class_of(func: &Func, id: ParamId, uses: Uses) -> Class {
    if func.array(id).is_none() {
        return Class::Unused;
    }
    let writes = [uses.stores, uses.adds, uses.mins, uses.maxs];
    if uses.called || uses.rule_writes || (uses.gradient && writes.contains(&true)) {
        return Class::Mutable;
    }
    match (uses.loads || uses.results || uses.rule_loads, writes) {
        (false, [false, false, false, false]) => Class::Unused,
        (true, [false, false, false, false]) => Class::Loaded,
        (false, [false, true, false, false]) => Class::Added,
        (false, [false, false, true, false] | [false, false, false, true]) => Class::Extremum,
        (false, [true, false, false, false]) if stored_once(func, id) => Class::StoredOnce,
        _ => Class::Mutable,
    }
}

/// Whether a thread stores each component of an element at most once.
fn stored_once(func: &Func, id: ParamId) -> bool {
    let components = func.param(id).ty.elem().count() as u32;
    (0..components).all(|comp| stores(&func.body, id, comp) <= 1)
}

/// The most stores to a component of an array on any path; 2 stands for any larger number.
fn stores(block: &Block, array: ParamId, comp: u32) -> u32 {
    let count = |stmt: &crate::ir::Stmt| match &stmt.kind {
        Kind::Store { place, .. } => u32::from(place.array == array && may_be(place.comp, comp)),
        Kind::If { then, els, .. } => stores(then, array, comp).max(stores(els, array, comp)),
        Kind::Custom { body, .. } => stores(body, array, comp),
        kind => {
            let blocks = kind.blocks().into_iter();
            blocks.map(|b| 2 * stores(b, array, comp)).sum()
        }
    };
    block.stmts.iter().map(count).sum::<u32>().min(2)
}

const fn may_be(comp: Comp, wanted: u32) -> bool {
    match comp {
        Comp::Fixed(n) => n == wanted,
        Comp::At(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, ReversePlan};
    use crate::adjoint::options::Options;
    use crate::adjoint::private_dims::private_dims;
    use crate::ir::{ParamId, read};

    const TEXT: &str = "\
kernel k(a: array<float32, 1>, b: array<vec<2, float32>, 1>, c: array<float32, 1>, d: array<float32, 1>, e: array<float32, 2>, f: array<int32, 1>) {
  %0:int32 = tid 0
  %1:int32 = tid 1
  %2:float32 = load a[%0]
  %3:bool = lt %0, %1
  if %3 -> () {
    store b[%0].0, %2
    yield 
  } else {
    store b[%0].0, %2
    yield 
  }
  store b[%0].1, %2
  atomic add c[%1], %2
  atomic max d[%1], %2
  for %4:int32 in range(%0, %1, %1) with () -> () {
    store e[%0, %4], %2
    yield 
  }
}
";

    #[test]
    fn classes() {
        let func = read(TEXT).expect("reads");
        let plan = ReversePlan::of(&func, &[], &Options::default());
        assert_eq!(
            plan.class,
            [
                Class::Loaded,
                Class::StoredOnce,
                Class::Added,
                Class::Extremum,
                Class::Mutable,
                Class::Unused
            ]
        );
        assert_eq!(plan.consumes, [false, false, false, false, true, false]);
        let dims: Vec<u8> = (0..6).map(|i| private_dims(&func, ParamId(i))).collect();
        assert_eq!(dims, [1, 1, 2, 2, 1, 0]);
    }
}
