//! What LLVM's loop vectoriser is told about the loop over threads: whether it may, and whether it pays.

use super::dependence::{crossings, depends_on_itself};
use crate::dtype::Scalar;
use crate::intrinsic::row;
use crate::ir::{Block, Comp, Func, Kind, Op, ParamId, Place, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::split::Held;
use crate::lower::analysis::variant::Variant;
use crate::lower::analysis::work;
use crate::lower::emit::text::NOTES;
use crate::lower::options::Options;
use std::collections::HashSet;

/// Operations for each access from which on its kind does not matter: an eighth of them, in lanes, takes ten times as long
/// as the slowest access.
const ARITHMETIC: u64 = 1024;

/// Components of an element from which on it is read and written component by component.
const WIDE: usize = 9;
/// Cycles of arithmetic for each number in memory from which on the largest registers pay: where elements are numbers, and where
/// they have several components, which have to be shuffled. Measured on Ice Lake: with them kernels of minima and maxima
/// take 0.6 of the time, rotations of vectors 1.2.
const DENSE: [u64; 2] = [3, 8];
/// Cycles of arithmetic for each number in memory from which on elements of several components are worth shuffles in the largest
/// registers, by groups of threads: LLVM's own are of half the size, and there are more of them. Measured on Cascade Lake:
/// rotations take 0.67 of the time, normalised vectors 0.9, inverses of 2x2 matrices (2.25) 1.1, sums of vectors (1) 1.2.
const SHUFFLED: f64 = 2.5;

/// What LLVM makes of the loop over threads by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// One thread at a time.
    None,
    /// Vectors, as fast as groups of threads.
    Fast,
    /// Vectors that take elements of several components apart, for which groups of threads need fewer shuffles.
    Shuffled,
}

/// Facts about the loop over threads.
#[derive(Debug)]
pub struct VectorFacts {
    /// Whether iterations are independent, and LLVM may be told.
    pub parallel: bool,
    /// Arrays that must not overlap where LLVM is told so.
    pub crossings: Vec<(ParamId, ParamId)>,
    /// Whether scattered access costs so much against the arithmetic that vectors would lose.
    pub scattered: bool,
    /// Whether the arithmetic is worth vectors even if all access is scattered.
    pub heavy: bool,
    /// Whether there is so much arithmetic that it does not matter how memory is accessed: one body is enough then.
    pub arithmetic: bool,
    /// Whether there is so much arithmetic for each number in memory that the largest registers pay. LLVM avoids them on some
    /// processors, where rows that memory bounds are no faster with them.
    pub dense: bool,
    /// Whether elements have several components, and there is less arithmetic than that, but enough to shuffle them in the
    /// largest registers.
    pub shuffled: bool,
    /// Whether elements of several components are accessed where a condition holds that differs between threads: LLVM gathers and
    /// scatters these, or keeps to scalars.
    pub masked: bool,
    /// Whether there are rows of threads whose last ones may run in a vector with a mask: each access is to a number that lies beside
    /// that of the next thread, or is the same for all threads. Masks for other accesses cost gathers and shuffles.
    pub masks_remainder: bool,
    /// Whether the body that tests for missing arrays keeps to scalars: under a test, vectors of elements with
    /// several components become gathers and scatters, which lose.
    pub tests_lose: bool,
}

impl VectorFacts {
    /// Looks at a kernel.
    pub fn new(facts: &KernelFacts<'_>) -> VectorFacts {
        let mut walk = Walk {
            facts,
            varying: vec![false; facts.func.values.len()],
            cost: 0,
            scattered: 0,
            memory: 0,
            masked: false,
            places: HashSet::new(),
        };
        walk.block(&facts.func.body);
        let mut asked = facts.asked.iter();
        let mut read_or_written = facts.accesses.keys();
        let shuffles = read_or_written.any(|id| facts.func.param(*id).ty.elem().count() > 1);
        let crossings = crossings(facts);
        let places = walk.places.len() as u64;
        let dense = walk.cost >= DENSE[usize::from(shuffles)] * places;
        VectorFacts {
            // Threads that run in vectors would need a local array each. What addresses lead to may be what another thread
            // writes.
            parallel: is_parallel(facts)
                && !depends_on_itself(facts)
                && !facts.locals
                && !facts.pointer_based
                && facts.func.callees.is_empty(),
            scattered: walk.scattered > 0 && walk.cost < walk.scattered,
            heavy: walk.cost >= 8 * walk.memory,
            arithmetic: !has_atomics(facts)
                && crossings.is_empty()
                && walk.memory > 0
                && walk.cost >= ARITHMETIC * walk.memory,
            dense,
            shuffled: shuffles && !dense && walk.cost as f64 >= SHUFFLED * places as f64,
            masked: walk.masked,
            masks_remainder: facts.has_rows()
                && walk.scattered == 0
                && !shuffles
                && !has_atomics(facts),
            tests_lose: asked.any(|id| facts.func.param(*id).ty.elem().count() > 1),
            crossings,
        }
    }

    /// The bodies that the kernel needs.
    pub fn bodies(&self, facts: &KernelFacts<'_>) -> Vec<Variant> {
        if self.arithmetic {
            vec![Variant::Any]
        } else {
            facts.variants()
        }
    }

    /// Whether a body's accesses are marked as free of dependences, so that its loop is vectorised.
    pub fn groups_accesses(&self, variant: Variant) -> bool {
        self.parallel
            && match variant {
                Variant::Full | Variant::Inner => !self.scattered,
                // Here nobody has looked whether they overlap.
                Variant::Any => self.heavy && self.crossings.is_empty(),
            }
    }

    /// The notes of the loop over threads; see [`notes`].
    pub fn loop_notes(&self, variant: Variant) -> &'static str {
        match variant {
            Variant::Full | Variant::Inner if self.scattered => "!8",
            Variant::Inner if self.tests_lose => "!8",
            Variant::Full | Variant::Inner => "!1",
            Variant::Any => "!3",
        }
    }
}

/// How many threads LLVM is told to run at once in the fissioned loops of a long kernel: numbers of 32 bits fill a register then,
/// those of 64 bits two, which takes 0.6 of the time of one. LLVM would plan each width to compare them, for a tenth of the
/// time that such a kernel takes to compile.
pub fn width(func: &Func, options: &Options) -> usize {
    let mut counts = [0usize; 9];
    for ty in func.values.iter().filter(|ty| **ty != Scalar::Bool) {
        counts[ty.size()] += 1;
    }
    let counts = counts.into_iter().enumerate();
    let (size, _) = counts.max_by_key(|(_, n)| *n).expect("there are sizes");
    options.vector / size.clamp(1, 4)
}

/// Whether there are atomic operations: plain ones in the bodies for dense arrays, but not in the one for any strides.
pub fn has_atomics(facts: &KernelFacts<'_>) -> bool {
    let mut all = facts.accesses.values().flatten();
    all.any(|kind| matches!(kind, Kind::Atomic { .. }))
}

/// Iterations depend on each other only through results of atomic operations that are read.
fn is_parallel(facts: &KernelFacts<'_>) -> bool {
    let mut arrays = facts.accesses.iter();
    arrays.all(|(id, accesses)| {
        let reads_result = |kind: &&Kind| match kind {
            Kind::Atomic { out: Some(out), .. } => facts.used[out.0 as usize],
            _ => false,
        };
        facts.is_non_atomic(*id) || !accesses.iter().any(reads_result)
    })
}

struct Walk<'a> {
    facts: &'a KernelFacts<'a>,
    /// May differ between neighbours along the last dimension.
    varying: Vec<bool>,
    /// Cycles of the arithmetic.
    cost: u64,
    /// Arithmetic that would make up for access out of order.
    scattered: u64,
    /// Accesses.
    memory: u64,
    /// See [`VectorFacts::masked`].
    masked: bool,
    /// Where they go: array, indices and component.
    places: HashSet<(ParamId, Vec<Value>, Option<u32>)>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind);
        }
    }

    fn any_varying(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.varying[v.0 as usize])
    }

    fn stmt(&mut self, kind: &Kind) {
        match kind {
            Kind::Let { out, op, args } => {
                let last = Op::Tid(self.facts.dims as u8 - 1);
                let varies = *op == last || self.any_varying(args);
                self.varying[out.0 as usize] = varies && self.facts.held(*out) != Some(Held::Fixed);
                self.cost += work::of_op(*op);
            }
            Kind::Load { out, place } => {
                self.access(place);
                let mut varies = false;
                place.uses(|v| varies |= self.varying[v.0 as usize]);
                self.varying[out.0 as usize] = varies;
            }
            Kind::Intrinsic { op, outs, .. } => {
                if op.effects().is_pure() {
                    self.cost += (row(op).cost)(op);
                }
                self.vary(outs);
            }
            Kind::Call { outs, .. } => {
                self.cost += work::of_stmt(kind, &self.facts.defs);
                self.vary(outs);
            }
            Kind::Custom { .. } => unreachable!("its body stands in its place"),
            Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                self.access(place);
                self.vary(kind.outs());
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                self.masked |= self.any_varying(&[*cond])
                    && [then, els]
                        .iter()
                        .any(|side| side.any(&|kind| self.is_wide(kind)));
                self.block(then);
                self.block(els);
                for (k, out) in outs.iter().enumerate() {
                    self.varying[out.0 as usize] =
                        self.any_varying(&[*cond, then.results[k], els.results[k]]);
                }
            }
            Kind::For {
                start, step, body, ..
            } => {
                self.vary(&body.params);
                let iv = body.params[0].0 as usize;
                self.varying[iv] = self.any_varying(&[*start, *step]);
                self.block(body);
                self.vary(kind.outs());
            }
            Kind::While { cond, body, .. } => {
                self.vary(&cond.params);
                self.vary(&body.params);
                self.block(cond);
                self.block(body);
                self.vary(kind.outs());
            }
        }
    }

    /// Whether a statement accesses an element of several components that differs between threads.
    fn is_wide(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } => {
                let elem = self.facts.func.param(place.array).ty.elem();
                elem.count() > 1 && self.any_varying(&place.index)
            }
            _ => false,
        }
    }

    fn vary(&mut self, values: &[Value]) {
        for v in values {
            self.varying[v.0 as usize] = true;
        }
    }

    fn access(&mut self, place: &Place) {
        self.memory += 1;
        let comp = match place.comp {
            Comp::Fixed(comp) => Some(comp),
            Comp::At(_) => None,
        };
        self.places
            .insert((place.array, place.index.to_vec(), comp));
        let Some((last, outer)) = place.index.split_last() else {
            return;
        };
        let jumps = self.any_varying(outer)
            || (self.varying[last.0 as usize] && !self.neighbours(*last, 6))
            || matches!(place.comp, Comp::At(v) if self.varying[v.0 as usize]);
        // Fields of neighbouring structs lie apart, if only a little: lanes gather and scatter them one by one.
        let param = self.facts.func.param(place.array);
        let apart = param.step() != param.ty.elem().size() && self.varying[last.0 as usize];
        // The components of a matrix go through more shuffles than its arithmetic takes, and these compile slowly.
        let wide = param.ty.elem().count() >= WIDE && self.varying[last.0 as usize];
        self.scattered += match (jumps || wide, apart) {
            (true, _) => 8,
            (false, true) => 4,
            (false, false) => 0,
        };
    }

    /// Whether neighbours along the last dimension have neighbouring values, or nearly so.
    fn neighbours(&self, value: Value, depth: u32) -> bool {
        if depth == 0 || !self.varying[value.0 as usize] {
            return depth > 0;
        }
        if let Some(Held::Along(step)) = self.facts.held(value) {
            return step.abs() <= 4;
        }
        match self.facts.defs[value.0 as usize] {
            Def::Let(Op::Tid(_), _) => true,
            Def::Let(Op::Add | Op::Sub | Op::Cast, args) => {
                args.iter().all(|a| self.neighbours(*a, depth - 1))
            }
            Def::Let(Op::Mul, args) => {
                let small = |v: &Value| {
                    matches!(self.facts.defs[v.0 as usize],
                        Def::Let(Op::Const(crate::ir::Const::Int(i)), _) if i.abs() <= 4)
                };
                args.iter()
                    .all(|a| small(a) || self.neighbours(*a, depth - 1))
                    && args.iter().any(small)
            }
            _ => false,
        }
    }
}

/// The notes to LLVM that the bodies refer to; `heavy`: the body for any strides is vectorised. !0 the access group, !1, !3 and !8 the
/// launch loops, !9 loops over lanes that stay loops, and those that all devices have. A `width` is how many threads the launch
/// loops run at once. With `remainder`, such a number too, the loop for dense arrays has no other loop behind it: the last threads
/// of a row, too few for a vector, run in one with a mask.
pub fn notes(heavy: bool, width: Option<usize>, remainder: Option<usize>) -> String {
    let threads = |n| format!(", !{{!\"llvm.loop.vectorize.width\", i32 {n}}}");
    let width = width.map_or(String::new(), threads);
    let inner = match remainder {
        Some(n) => format!(
            "!1, !2{}, !{{!\"llvm.loop.vectorize.predicate.enable\", i1 true}}",
            threads(n)
        ),
        None => format!("!1, !2{width}"),
    };
    let any = format!("!3, {}{width}", if heavy { "!2" } else { "!7" });
    format!(
        "\
!0 = distinct !{{}}
!1 = distinct !{{{inner}}}
!2 = !{{!\"llvm.loop.parallel_accesses\", !0}}
!3 = distinct !{{{any}}}
{NOTES}\
!7 = !{{!\"llvm.loop.vectorize.enable\", i1 false}}
!8 = distinct !{{!8, !7}}
!9 = distinct !{{!9, !7, !{{!\"llvm.loop.unroll.disable\"}}}}
"
    )
}
