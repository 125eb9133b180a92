//! Loops that wait for what another thread writes (busy waiting).
//!
//! Such a loop ends by what it loads from an array that the kernel writes elsewhere, and by nothing else: no value that it carries
//! from iteration to iteration is computed from one of the last iteration, and it writes none of what it looks at. On one thread, in the order of
//! thread indices, it finds what a thread with a lower index has written.
//!
//! A lock that is taken by an atomic operation is no such loop: whoever holds it runs.

use crate::dtype::Scalar;
use crate::ir::{Block, Func, Kind, Op, ParamId, ParamType, Place, Value};
use std::collections::{HashMap, HashSet};

/// Carried values that are followed. A loop that carries more is taken for one that ends by itself.
const MOST_CARRIED: usize = 64;

/// Loops within a loop that are gone through. A loop with more of them within each other is taken for one that ends by itself: each
/// doubles the time that it takes to look.
const MOST_NESTED: usize = 6;

/// Whether the kernel has such a loop.
pub fn waits(func: &Func) -> bool {
    if !func.any(&|kind| matches!(kind, Kind::While { .. })) {
        return false;
    }
    let mut memory = Memory {
        func,
        written: func
            .blocks()
            .flat_map(|block| written(func, &[block]))
            .collect(),
        loaded: HashSet::new(),
    };
    func.blocks().for_each(|block| memory.block(block));
    func.any(&|kind| match kind {
        Kind::While { cond, body, .. } => is_wait(&memory, cond, body),
        _ => false,
    })
}

/// An array, or any of those that addresses lead to.
type Array = Option<ParamId>;

fn array(func: &Func, place: &Place) -> Array {
    let pointer_based = matches!(func.param(place.array).ty, ParamType::PointerBased { .. });
    (!pointer_based).then_some(place.array)
}

/// Arrays that blocks write.
fn written(func: &Func, blocks: &[&Block]) -> HashSet<Array> {
    let mut found = HashSet::new();
    for stmt in blocks.iter().flat_map(|block| &block.stmts) {
        if let Kind::Store { place, .. } | Kind::Atomic { place, .. } = &stmt.kind {
            found.insert(array(func, place));
        }
        found.extend(written(func, &stmt.kind.blocks()));
    }
    found
}

/// What a kernel does with memory.
struct Memory<'a> {
    func: &'a Func,
    /// Arrays that it writes.
    written: HashSet<Array>,
    /// Values that are loaded from one of them, or follow from such. A loop may have had its load moved in front of it.
    loaded: HashSet<Value>,
}

impl Memory<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let mut loaded = matches!(&stmt.kind, Kind::Load { place, .. } if self.written.contains(&array(self.func, place)));
            stmt.kind.uses(|v| loaded |= self.loaded.contains(&v));
            let blocks = stmt.kind.blocks();
            if loaded {
                self.loaded
                    .extend(blocks.iter().flat_map(|block| &block.params));
            }
            for block in &blocks {
                self.block(block);
                loaded |= block.results.iter().any(|v| self.loaded.contains(v));
            }
            if loaded {
                self.loaded.extend(stmt.kind.outs());
            }
        }
    }
}

/// What a value of an iteration depends on. Sets of carried values are bits.
#[derive(Clone, Copy, Default, PartialEq)]
struct Source {
    /// Carried values that it may be, or that a condition tests which chooses it.
    same: u64,
    /// Carried values that it is computed from.
    computed: u64,
    /// It follows what is loaded from an array that others write.
    watches: bool,
    /// It may differ in the next iteration for another reason.
    changes: bool,
}

impl Source {
    /// Of what may be another value in each iteration.
    const CHANGES: Source = Source {
        same: 0,
        computed: 0,
        watches: false,
        changes: true,
    };

    /// Of a carried value itself.
    fn carried(k: usize) -> Source {
        Source {
            same: 1 << k,
            ..Source::default()
        }
    }

    fn join(self, other: Source) -> Source {
        Source {
            same: self.same | other.same,
            computed: self.computed | other.computed,
            watches: self.watches || other.watches,
            changes: self.changes || other.changes,
        }
    }

    /// Of what is computed from it.
    fn through_arithmetic(self) -> Source {
        Source {
            same: 0,
            computed: self.same | self.computed,
            ..self
        }
    }
}

fn is_wait(memory: &Memory<'_>, cond: &Block, body: &Block) -> bool {
    if cond.params.len() > MOST_CARRIED {
        return false;
    }
    let mut iteration = Iteration {
        memory,
        changed: written(memory.func, &[cond, body]),
        sources: HashMap::new(),
        depth: 0,
    };
    for params in [&cond.params, &body.params] {
        for (k, param) in params.iter().enumerate() {
            iteration.set(*param, Source::carried(k));
        }
    }
    iteration.block(cond);
    iteration.block(body);
    let ends = iteration.of(cond.results[0]);
    let carried: Vec<Source> = body.results.iter().map(|v| iteration.of(*v)).collect();
    // What the end depends on, over any number of iterations.
    let all = closure(ends.same | ends.computed, &carried);
    let all_of = || bits(all).map(|k| carried[k]).chain([ends]);
    let counts = |k: usize| {
        let mut from = bits(carried[k].computed);
        from.any(|j| closure(1 << j, &carried) & (1 << k) != 0)
    };
    all_of().any(|source| source.watches)
        && !all_of().any(|source| source.changes)
        && !bits(all).any(counts)
}

/// The carried values that some depend on, these included.
fn closure(mut of: u64, carried: &[Source]) -> u64 {
    loop {
        let more = bits(of).fold(of, |all, k| all | carried[k].same | carried[k].computed);
        if more == of {
            return of;
        }
        of = more;
    }
}

fn bits(of: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |k| of & (1 << k) != 0)
}

/// An iteration of a loop.
struct Iteration<'a> {
    memory: &'a Memory<'a>,
    /// Arrays that the loop writes.
    changed: HashSet<Array>,
    /// Of values that are defined in the loop: others stay what they are.
    sources: HashMap<Value, Source>,
    /// How many loops are around what is looked at, the loop itself left out.
    depth: usize,
}

impl Iteration<'_> {
    fn of(&self, value: Value) -> Source {
        let outside = || Source {
            watches: self.memory.loaded.contains(&value),
            ..Source::default()
        };
        self.sources.get(&value).copied().unwrap_or_else(outside)
    }

    fn of_all(&self, values: &[Value]) -> Source {
        let each = values.iter().map(|v| self.of(*v));
        each.fold(Source::default(), Source::join)
    }

    fn set(&mut self, value: Value, source: Source) {
        self.sources.insert(value, source);
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind);
        }
    }

    fn stmt(&mut self, kind: &Kind) {
        match kind {
            Kind::Let { out, op, args } => {
                let source = self.of_all(args);
                // Truth values count nothing: of few of them there are few states.
                let bools = || args.iter().all(|v| self.memory.func.ty(*v) == Scalar::Bool);
                let source = match op {
                    Op::Select => self
                        .of(args[0])
                        .through_arithmetic()
                        .join(self.of_all(&args[1..])),
                    _ if bools() => source,
                    _ => source.through_arithmetic(),
                };
                self.set(*out, source);
            }
            Kind::Load { out, place } => {
                let mut source = Source::default();
                place.uses(|v| source = source.join(self.of(v)));
                let mut source = source.through_arithmetic();
                let array = array(self.memory.func, place);
                source.changes |= self.changed.contains(&array);
                source.watches |= self.memory.written.contains(&array);
                self.set(*out, source);
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                self.block(then);
                self.block(els);
                let chosen = self.of(*cond);
                for (k, out) in outs.iter().enumerate() {
                    let source = self.of_all(&[then.results[k], els.results[k]]);
                    self.set(*out, source.join(chosen));
                }
            }
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } if self.depth < MOST_NESTED => {
                let range = self.of_all(&[*start, *stop, *step]).through_arithmetic();
                self.set(body.params[0], range);
                self.iterations(init, &[&body.params[1..]], &[body]);
                self.set_all(outs, init, body, range);
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } if self.depth < MOST_NESTED => {
                self.iterations(init, &[&cond.params, &body.params], &[cond, body]);
                self.set_all(outs, init, body, self.of(cond.results[0]));
            }
            Kind::Store { .. } => {}
            Kind::For { .. }
            | Kind::While { .. }
            | Kind::Atomic { .. }
            | Kind::Call { .. }
            | Kind::Custom { .. }
            | Kind::Intrinsic { .. } => {
                for out in kind.outs() {
                    self.set(*out, Source::CHANGES);
                }
            }
        }
    }

    /// A loop within the loop: goes through it until what its carried values depend on is known. The last block gives them.
    fn iterations(&mut self, init: &[Value], params: &[&[Value]], blocks: &[&Block]) {
        let results = &blocks[blocks.len() - 1].results;
        self.depth += 1;
        let mut given = init;
        loop {
            let mut changed = false;
            for (k, value) in given.iter().enumerate() {
                for params in params {
                    let old = self.of(params[k]);
                    let new = old.join(self.of(*value));
                    changed |= new != old;
                    self.set(params[k], new);
                }
            }
            if !changed && std::ptr::eq(given, results.as_slice()) {
                break;
            }
            blocks.iter().for_each(|block| self.block(block));
            given = results;
        }
        self.depth -= 1;
    }

    /// What a loop within the loop leaves, whose number of iterations depends on `ends`.
    fn set_all(&mut self, outs: &[Value], init: &[Value], body: &Block, ends: Source) {
        for (k, out) in outs.iter().enumerate() {
            let source = self.of_all(&[init[k], body.results[k]]);
            self.set(*out, source.join(ends));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::waits;
    use crate::ir::read;

    /// A loop that looks at the flag of the thread before, and what stands behind it.
    fn kernel(cond: &str, body: &str, behind: &str) -> String {
        format!(
            "kernel k(flags: array<int32, 1>, n: int32) {{
  %0:int32 = tid 0
  %1:int32 = const 1
  %2:int32 = sub %0, %1
  %3:int32 = const 0
  %4:bool = const false
{cond}{body}{behind}}}"
        )
    }

    fn is_wait(cond: &str, body: &str) -> bool {
        let behind = "  store flags[%0], %1\n";
        let func = read(&kernel(cond, body, behind)).expect("reads");
        crate::verify::check(&func).expect("verifies");
        waits(&func)
    }

    #[test]
    fn loops_that_look_at_a_flag() {
        let at_once = "  while with () -> () {
    %10:int32 = load flags[%2]
    %11:bool = eq %10, %3
    yield %11
  } do () {
";
        assert!(is_wait(at_once, "    yield\n  }\n"));
        // Nobody else writes it.
        let text = kernel(at_once, "    yield\n  }\n", "");
        assert!(!waits(&read(&text).expect("reads")));
        // What the loop writes itself may end it.
        let store = "    store flags[%2], %1\n    yield\n  }\n";
        assert!(!is_wait(at_once, store));
    }

    #[test]
    fn loops_that_carry_what_they_saw() {
        let seen = "  while with (%10:bool = %4) -> (%20:bool) {
    %11:bool = not %10
    yield %11
  } do (%12:bool) {
    %13:int32 = load flags[%2]
    %14:bool = ne %13, %3
    if %14 -> (%15:bool) {
      %16:bool = const true
      yield %16
    } else {
      yield %12
    }
    yield %15
  }
";
        assert!(is_wait(seen, ""));
    }

    /// The load was the same in each iteration, and stands in front of the loop.
    #[test]
    fn loops_whose_load_was_moved() {
        let carried = "  %9:int32 = load flags[%2]
  while with (%10:int32 = %9) -> (%20:int32) {
    %11:bool = eq %10, %3
    yield %11
  } do (%12:int32) {
    yield %9
  }
";
        assert!(is_wait(carried, ""));
        let once = carried.replace("yield %9", "yield %1");
        assert!(!is_wait(&once, ""));
    }

    /// A search that ends by its own count, by a path through memory, or by iterations that it counts beside.
    #[test]
    fn loops_that_end_by_themselves() {
        let carried = |cond: &str, next: &str| {
            format!(
                "  while with (%10:int32 = %3) -> (%20:int32) {{
    %11:int32 = load flags[%2]
    %12:bool = eq %11, %3
{cond}  }} do (%15:int32) {{
{next}  }}
"
            )
        };
        let count = "    %16:int32 = add %15, %1\n    yield %16\n";
        let both = "    %13:bool = lt %10, %1\n    %14:bool = and %12, %13\n    yield %14\n";
        assert!(!is_wait(&carried(both, count), ""));
        assert!(is_wait(&carried("    yield %12\n", count), ""));
        let path = "  while with (%10:int32 = %0) -> (%20:int32) {
    %11:int32 = load flags[%10]
    %12:bool = ne %11, %10
    yield %12
  } do (%15:int32) {
    %16:int32 = load flags[%15]
    yield %16
  }
";
        assert!(!is_wait(path, ""));
    }

    #[test]
    fn locks_are_free_of_order() {
        let lock = "  while with () -> () {
    %10:int32 = atomic compare(%3) flags[%3], %1
    %11:bool = ne %10, %3
    yield %11
  } do () {
    yield
  }
";
        assert!(!is_wait(lock, ""));
    }
}
