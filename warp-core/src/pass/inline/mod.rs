//! Puts the bodies of functions in the places of calls.
//!
//! A copy has values, slots and local arrays of its own, as if its author had written it there. Functions that nobody calls go.

mod callable;
mod copy;
mod sizes;
mod uncalled;

use crate::dtype::Scalar;
use crate::ir::{Block, Callee, CalleeId, Func, Kind, Param, ParamId, ParamType, Stmt, Value};
use crate::pass::slots::replays;
pub use callable::CanBeCalled;
use copy::Copy;
use sizes::Sizes;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;
pub use uncalled::{count_calls, drop_uncalled};

/// From which size on functions stay functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Statements of a kernel that has no calls: LLVM does better with one text, and is done with it soon.
    pub kernel: usize,
    /// Statements of a function from which on a call may be cheaper than another copy of it.
    pub function: usize,
}

impl Limits {
    /// Whatever can be a function stays one.
    pub const NONE: Limits = Limits {
        kernel: 0,
        function: 0,
    };
}

impl Default for Limits {
    /// `WARP_INLINE` is for tests and measurements: `never` inlines only what cannot be a function, `always` everything.
    fn default() -> Limits {
        static LIMITS: OnceLock<Limits> = OnceLock::new();
        *LIMITS.get_or_init(|| match std::env::var("WARP_INLINE").as_deref() {
            Ok("never") => Limits::NONE,
            Ok("always") => Limits {
                kernel: usize::MAX,
                function: usize::MAX,
            },
            _ => Limits {
                kernel: 2000,
                function: 64,
            },
        })
    }
}

/// Puts the bodies of all functions in the places of their calls.
pub fn inline_all(func: &mut Func) {
    if !func.callees.is_empty() {
        inline(func, &vec![false; func.callees.len()]);
    }
}

/// Puts the bodies of functions that are as `wanted` in the places of their calls.
pub fn inline_where(func: &mut Func, wanted: &dyn Fn(&Callee) -> bool) {
    let kept: Vec<bool> = (func.callees.iter().map(|callee| !wanted(callee))).collect();
    if kept.contains(&false) {
        inline(func, &kept);
    }
}

/// Puts bodies in the places of calls where that is no great loss: everywhere in kernels that stay short, otherwise those of
/// functions that are short themselves, are called once, or cannot be functions.
pub fn inline_short(func: &mut Func, limits: Limits) {
    if func.callees.is_empty() {
        return;
    }
    let sizes = Sizes::of(func, limits.function);
    if sizes.inlined <= limits.kernel {
        return inline_all(func);
    }
    let shared = shared_locals(func);
    let can = CanBeCalled::of(func);
    let kept: Vec<bool> = (0..func.callees.len())
        .map(|n| {
            let often = sizes.calls[n] > 1 || limits == Limits::NONE;
            let long = sizes.own[n] >= limits.function && often;
            long && !shared[n] && can.be(&func.callees[n].block)
        })
        .collect();
    inline(func, &kept);
}

/// The local arrays that a block uses.
fn locals(func: &Func, block: &Block) -> BTreeSet<ParamId> {
    fn visit(func: &Func, block: &Block, found: &mut BTreeSet<ParamId>) {
        for stmt in &block.stmts {
            if let Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } =
                &stmt.kind
                && func.local(place.array).is_some()
            {
                found.insert(place.array);
            }
            for inner in stmt.kind.blocks() {
                visit(func, inner, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    visit(func, block, &mut found);
    found
}

/// For each function whether it uses a local array that is not its own.
fn shared_locals(func: &Func) -> Vec<bool> {
    let used: Vec<BTreeSet<ParamId>> = func.blocks().map(|block| locals(func, block)).collect();
    let count = |id: &ParamId| used.iter().filter(|used| used.contains(id)).count();
    let shared = used.iter().map(|used| used.iter().any(|id| count(id) > 1));
    shared.take(func.callees.len()).collect()
}

fn inline(func: &mut Func, kept: &[bool]) {
    let used: Vec<BTreeSet<ParamId>> = func.blocks().map(|block| locals(func, block)).collect();
    let others = |n: usize, id: &ParamId| {
        let mut used = used.iter().enumerate();
        used.any(|(other, used)| other != n && used.contains(id))
    };
    let own = (0..func.callees.len()).map(|n| {
        let own = used[n].iter().copied();
        own.filter(|id| !others(n, id)).collect()
    });
    let next_slot = replays(func).keys().map(|slot| slot.id + 1).max();
    let mut pass = Inliner {
        kept,
        own: own.collect(),
        copies: vec![0; kept.len()],
        done: Vec::new(),
        numbers: Vec::new(),
        types: std::mem::take(&mut func.values),
        params: std::mem::take(&mut func.params),
        next_slot: next_slot.unwrap_or(0),
        same: HashMap::new(),
    };
    let callees = std::mem::take(&mut func.callees);
    for (n, mut callee) in callees.into_iter().enumerate() {
        pass.block(&mut callee.block);
        pass.numbers.push(CalleeId(func.callees.len() as u32));
        if kept[n] {
            func.callees.push(callee.clone());
        }
        pass.done.push(callee);
    }
    pass.block(&mut func.body);
    func.values = pass.types;
    func.params = pass.params;
    drop_uncalled(func);
    func.set_effects();
}

struct Inliner<'a> {
    kept: &'a [bool],
    /// Local arrays of each function.
    own: Vec<BTreeSet<ParamId>>,
    /// How often each function has been copied.
    copies: Vec<usize>,
    /// The functions, without calls of those that are not kept.
    done: Vec<Callee>,
    /// The new number of each function that is kept.
    numbers: Vec<CalleeId>,
    types: Vec<Scalar>,
    params: Vec<Param>,
    next_slot: u32,
    /// What stands for results of calls.
    same: HashMap<Value, Value>,
}

impl Inliner<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.kind
                .uses_mut(|v| *v = self.same.get(v).copied().unwrap_or(*v));
            match &mut stmt.kind {
                Kind::Call {
                    callee, args, outs, ..
                } => {
                    let n = callee.0 as usize;
                    if self.kept[n] {
                        *callee = self.numbers[n];
                        stmts.push(stmt);
                        continue;
                    }
                    let results = self.copy(n, args, &mut stmts);
                    self.same.extend(outs.iter().copied().zip(results));
                }
                kind => {
                    for inner in kind.blocks_mut() {
                        self.block(inner);
                    }
                    stmts.push(stmt);
                }
            }
        }
        block.stmts = stmts;
        for result in &mut block.results {
            *result = self.same.get(result).copied().unwrap_or(*result);
        }
    }

    /// Appends a copy of a function's statements; what it gives.
    fn copy(&mut self, n: usize, args: &[Value], into: &mut Vec<Stmt>) -> Vec<Value> {
        let mut block = self.done[n].block.clone();
        let mut copy = Copy {
            types: &mut self.types,
            values: block
                .params
                .iter()
                .copied()
                .zip(args.iter().copied())
                .collect(),
            arrays: HashMap::new(),
            slots: HashMap::new(),
            next_slot: &mut self.next_slot,
        };
        self.copies[n] += 1;
        // The first copy may have the function's own local arrays.
        if self.copies[n] > 1 {
            let own = self.own[n].iter().copied();
            let gradients = (0..self.params.len() as u32).map(ParamId).filter(|id| {
                matches!(self.params[id.0 as usize].ty, ParamType::Gradient { of, .. } if self.own[n].contains(&of))
            });
            for id in own.chain(gradients).collect::<Vec<_>>() {
                let mut param = self.params[id.0 as usize].clone();
                param.name = format!("{}.{}", param.name, self.params.len());
                if let ParamType::Gradient { of, .. } = &mut param.ty {
                    copy.array(of);
                }
                self.params.push(param);
                copy.arrays
                    .insert(id, ParamId(self.params.len() as u32 - 1));
            }
        }
        for stmt in &mut block.stmts {
            copy.stmt(stmt);
        }
        into.append(&mut block.stmts);
        block.results.iter_mut().for_each(|v| copy.apply(v));
        block.results
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, inline_all, inline_short};
    use crate::ir::{Func, read};
    use crate::pass::renumber;

    const TWICE: &str = "\
kernel k(x: array<float32, 1>, l: local<float32, 2>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = call f %1, %0
  %3:float32 = call f %2, %0
  store x[%0], %3
}
function unused() {
  yield 
}
function g(%4:float32) {
  %5:float32 = sin %4
  yield %5
}
function f(%6:float32, %7:int32) {
  store l[%7], %6
  %8:float32 = load l[%7]
  record 0:0 %8
  %9:float32 = call g %8
  %10:float32 = replay 0:0
  %11:float32 = mul %9, %10
  yield %11
}
";

    fn verified(text: &str) -> Func {
        let func = read(text).expect("reads");
        crate::verify::check(&func).expect("is right");
        func
    }

    #[test]
    fn each_copy_has_its_own_values_slots_and_local_arrays() {
        let mut func = verified(TWICE);
        inline_all(&mut func);
        renumber(&mut func);
        crate::verify::check(&func).expect("still valid");
        let want = "\
kernel k(x: array<float32, 1>, l: local<float32, 2>, l.2: local<float32, 2>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  store l[%0], %1
  %2:float32 = load l[%0]
  record 0:0 %2
  %3:float32 = sin %2
  %4:float32 = replay 0:0
  %5:float32 = mul %3, %4
  store l.2[%0], %5
  %6:float32 = load l.2[%0]
  record 0:1 %6
  %7:float32 = sin %6
  %8:float32 = replay 0:1
  %9:float32 = mul %7, %8
  store x[%0], %9
}
";
        assert_eq!(func.to_string(), want);
    }

    /// A long function that is called often stays a function.
    #[test]
    fn long_functions_stay() {
        let sines = |first: usize| {
            let each =
                (0..100).map(|n| format!("  %{}:float32 = sin %{}\n", first + n + 1, first + n));
            each.collect::<String>()
        };
        let calls = |count: usize| {
            let each = (0..count).map(|n| format!("  %{}:float32 = call f %{}\n", n + 2, n + 1));
            let calls: String = each.collect();
            let first = count + 2;
            format!(
                "kernel k(x: array<float32, 1>) {{\n  %0:int32 = tid 0\n  %1:float32 = load x[%0]\n{calls}  store x[%0], %{}\n}}\n\
                 function f(%{first}:float32) {{\n{}  yield %{}\n}}\n",
                count + 1,
                sines(first),
                first + 100,
            )
        };
        for (count, stays) in [(1, false), (10, false), (30, true)] {
            let mut func = verified(&calls(count));
            inline_short(&mut func, Limits::default());
            crate::verify::check(&func).expect("still valid");
            assert_eq!(func.callees.len(), usize::from(stays), "{count} calls");
        }
    }
}
