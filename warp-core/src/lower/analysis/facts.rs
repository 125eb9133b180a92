//! What lowering has to know about a kernel before it writes the first line, whatever the device.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Block, Func, Intrinsic, Kind, Op, ParamId, ParamType, Place, Value};
use crate::lower::analysis::busy_wait::waits;
use crate::lower::analysis::defs::{Def, definitions, numbers};
use crate::lower::analysis::split::{Held, Split};
use crate::lower::analysis::variant::Variant;
use crate::lower::analysis::work;
use crate::lower::emit::lane::LONG;
use crate::lower::options::Options;
use crate::pass::order::ordered_by;
use std::collections::{BTreeMap, BTreeSet};

/// Facts about a kernel.
#[derive(Debug)]
pub struct KernelFacts<'a> {
    /// The kernel.
    pub func: &'a Func,
    /// How each value comes about.
    pub defs: Vec<Def<'a>>,
    /// For each value the first that is computed in the same way.
    pub numbers: Vec<Value>,
    /// Whether a value is read at all.
    pub used: Vec<bool>,
    /// Number of launch dimensions that the kernel tells apart, at least 1.
    pub dims: usize,
    /// Whether there are local arrays.
    pub locals: bool,
    /// Whether there is access to arrays that addresses lead to: they may be any, those that are passed included.
    pub pointer_based: bool,
    /// Arrays that are passed and accessed, with the statements that do. The order is that of the parameters, since what is
    /// numbered in it reaches the text, and the text must be the same in every process.
    pub accesses: BTreeMap<ParamId, Vec<&'a Kind>>,
    /// Arrays whose shape is read.
    pub shapes: BTreeSet<ParamId>,
    /// Arrays that the kernel asks about whether they are missing.
    pub asked: BTreeSet<ParamId>,
    /// Arrays on which atomic operations may be plain ones: the caller says so, and when it does not hold.
    pub non_atomic: BTreeSet<ParamId>,
    /// Further such arrays, found here: if no buffers overlap, a thread is the only one to touch its element.
    pub owned: BTreeSet<ParamId>,
    /// Arrays that the kernel only adds to, which threads may do in copies of their own, with the bits that say so.
    pub summed: BTreeMap<ParamId, u8>,
    /// Recording stacks that are used.
    pub records: BTreeSet<u8>,
    /// Whether functions of the kernel record.
    pub functions_record: bool,
    /// Byte sizes of what is logged.
    pub logs: BTreeSet<usize>,
    /// Whether anything is printed.
    pub prints: bool,
    /// Whether a thread may wait for what one with a lower index writes.
    pub waits: bool,
    /// Whether threads run in an order that an object of the launch says, if it says one.
    pub ordered: bool,
    /// Whether any loop may run for long: it then asks now and then whether to go on.
    pub long_loops: bool,
    /// In how many places paths may part: accesses and conditions, and loops, which count more.
    pub forks: usize,
    /// How rows are split, if the kernel is the interior of another one.
    pub split: Option<&'a Split>,
}

impl<'a> KernelFacts<'a> {
    /// Looks at a kernel.
    pub fn new(func: &'a Func, options: &Options) -> KernelFacts<'a> {
        let defs = definitions(func);
        let mut facts = KernelFacts {
            func,
            numbers: numbers(func, &defs),
            defs,
            used: vec![false; func.values.len()],
            dims: 1,
            locals: false,
            pointer_based: false,
            accesses: BTreeMap::new(),
            shapes: BTreeSet::new(),
            asked: BTreeSet::new(),
            non_atomic: BTreeSet::new(),
            owned: BTreeSet::new(),
            summed: BTreeMap::new(),
            records: BTreeSet::new(),
            functions_record: functions_record(func),
            logs: BTreeSet::new(),
            prints: false,
            waits: waits(func),
            ordered: ordered_by(func).is_some(),
            long_loops: false,
            forks: 0,
            split: None,
        };
        for block in func.blocks() {
            facts.long_loops |= work::has_long_loops(block, &facts.defs);
            facts.block(block);
        }
        if facts.pointer_based {
            // Nobody knows who else touches an element.
            return facts;
        }
        let non_atomic = options.non_atomic.iter().enumerate();
        let non_atomic = non_atomic.filter(|(_, non_atomic)| **non_atomic);
        facts.non_atomic = non_atomic.map(|(i, _)| ParamId(i as u32)).collect();
        facts.owned = facts.find_owned();
        facts.summed = facts.find_summed();
        facts
    }

    /// Those of the interior of a kernel, which has these itself.
    pub fn of_interior(&self, func: &'a Func, split: &'a Split, options: &Options) -> Self {
        KernelFacts {
            // Threads at borders may access the same arrays, in other ways.
            non_atomic: self.non_atomic.clone(),
            owned: self.owned.clone(),
            summed: self.summed.clone(),
            dims: self.dims,
            split: Some(split),
            ..KernelFacts::new(func, options)
        }
    }

    /// How a value goes on that the interior takes from the beginning of a subrange.
    pub fn held(&self, value: Value) -> Option<Held> {
        self.split.and_then(|split| split.held(value))
    }

    /// Whether an int32 remainder most likely only brings an index back by one period: that of a sum with the divisor itself, or with
    /// a constant.
    pub fn wraps(&self, args: &[Value]) -> bool {
        let [mut of, by] = args[..] else {
            return false;
        };
        let def = |value: Value| self.defs[value.0 as usize];
        let same = |value: Value| self.numbers[value.0 as usize] == self.numbers[by.0 as usize];
        let constant = |value: Value| matches!(def(value), Def::Let(Op::Const(_), _));
        if self.func.ty(by) != Scalar::I32 || constant(by) {
            return false;
        }
        for _ in 0..3 {
            let Def::Let(Op::Add | Op::Sub, sides) = def(of) else {
                return false;
            };
            if sides.iter().any(|side| same(*side) || constant(*side)) {
                return true;
            }
            of = sides[0];
        }
        false
    }

    /// Whether atomic operations on an array are plain ones in the bodies for dense arrays.
    pub fn is_non_atomic(&self, id: ParamId) -> bool {
        self.non_atomic.contains(&id) || self.owned.contains(&id)
    }

    /// Whether paths part in so many places that branches in each access would take LLVM long.
    pub fn is_crowded(&self) -> bool {
        self.forks > CROWDED
    }

    /// Whether a launch has many rows of threads: by its dimensions, or by quotients of a flat index.
    pub fn has_rows(&self) -> bool {
        self.dims > 1 || self.split.is_some_and(|split| split.has_quotients())
    }

    /// The bodies that the kernel needs.
    pub fn variants(&self) -> Vec<Variant> {
        let mut all = Vec::new();
        // A test for a missing array costs nothing beside an element that is read in vectors.
        let short = |id: &ParamId| self.func.param(*id).ty.elem().count() < LONG;
        if self.asked.iter().any(short) {
            all.push(Variant::Full);
        }
        all.push(Variant::Inner);
        // Without arrays there is but one layout.
        if !self.accesses.is_empty() {
            all.push(Variant::Any);
        }
        all
    }

    /// Parameters that are arrays, in order.
    pub fn array_params(&self) -> impl Iterator<Item = ParamId> {
        let params = self.func.params.iter().enumerate();
        params
            .filter(|(_, p)| matches!(p.ty, ParamType::Array { .. }))
            .map(|(i, _)| ParamId(i as u32))
    }

    /// Arrays that each thread has for itself.
    pub fn local_params(&self) -> impl Iterator<Item = ParamId> {
        let params = self.func.params.iter().enumerate();
        params
            .filter(|(_, p)| matches!(p.ty, ParamType::Local { .. }))
            .map(|(i, _)| ParamId(i as u32))
    }

    fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            stmt.kind.uses(|v| self.used[v.0 as usize] = true);
            self.stmt(&stmt.kind);
            self.forks += forks(&stmt.kind);
            for inner in stmt.kind.blocks() {
                self.block(inner);
            }
        }
        for v in &block.results {
            self.used[v.0 as usize] = true;
        }
    }

    fn stmt(&mut self, kind: &'a Kind) {
        match kind {
            Kind::Let { op, .. } => match op {
                Op::Tid(d) => self.dims = self.dims.max(*d as usize + 1),
                Op::Shape(id, _) => {
                    self.shapes.insert(*id);
                }
                Op::Present(id) => {
                    self.asked.insert(*id);
                }
                _ => {}
            },
            Kind::Load { place, .. } => self.access(kind, place),
            Kind::Store { place, log, .. } | Kind::Atomic { place, log, .. } => {
                self.access(kind, place);
                if *log {
                    let elem = self.func.param(place.array).ty.elem();
                    self.logs.insert(elem.scalar().size());
                }
            }
            Kind::Intrinsic { op, .. } => {
                self.records.extend(op.slot().map(|slot| slot.stack));
                self.prints |= matches!(op, Intrinsic::Print(_));
            }
            _ => {}
        }
    }

    fn access(&mut self, kind: &'a Kind, place: &Place) {
        match self.func.param(place.array).ty {
            ParamType::Local { .. } => self.locals = true,
            ParamType::PointerBased { .. } => self.pointer_based = true,
            _ => self.accesses.entry(place.array).or_default().push(kind),
        }
    }

    /// Arrays of which every access names the element that only this thread names: an index that
    /// holds each of the thread's own indices.
    fn find_owned(&self) -> BTreeSet<ParamId> {
        let owned = self.accesses.iter().filter(|(id, kinds)| {
            let atomic = kinds.iter().any(|k| matches!(k, Kind::Atomic { .. }));
            let Some(first) = self.tids_of(kinds[0]) else {
                return false;
            };
            let mine = (0..self.dims).all(|d| first.contains(&(d as u8)));
            let mut tids = kinds.iter().map(|k| self.tids_of(k));
            let same = tids.all(|tids| tids.as_ref() == Some(&first));
            atomic && mine && same && !self.non_atomic.contains(id)
        });
        owned.map(|(id, _)| *id).collect()
    }

    /// The thread index in each position; none for the whole if a position holds something else.
    fn tids_of(&self, kind: &Kind) -> Option<Vec<u8>> {
        let (Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. }) =
            kind
        else {
            return None;
        };
        let tids = place.index.iter().map(|v| match self.defs[v.0 as usize] {
            Def::Let(Op::Tid(d), _) => Some(d),
            _ => None,
        });
        tids.collect()
    }

    /// Arrays that may be copied, with their bits: every access is an add of numbers whose result nobody reads.
    fn find_summed(&self) -> BTreeMap<ParamId, u8> {
        let mut defs = self.defs.iter();
        if defs.any(|def| matches!(def, Def::Let(Op::Address(_), _))) {
            return BTreeMap::new();
        }
        let all = self.accesses.iter().filter(|(id, accesses)| {
            let param = self.func.param(**id);
            matches!(param.ty, ParamType::Array { .. })
                && is_copied(param.ty.elem().scalar())
                && !self.is_non_atomic(**id)
                && accesses.iter().all(|kind| self.only_adds(kind))
        });
        all.map(|(id, _)| *id).take(COPIES).zip(0..).collect()
    }

    fn only_adds(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Atomic {
                out,
                op: AtomicOp::Add,
                log: false,
                ..
            } => !out.is_some_and(|v| self.used[v.0 as usize]),
            _ => false,
        }
    }
}

/// Accesses and conditions beyond which a kernel is crowded.
const CROWDED: usize = 256;

fn functions_record(func: &Func) -> bool {
    let records = |kind: &Kind| kind.intrinsic().is_some_and(|op| op.slot().is_some());
    let mut callees = func.callees.iter();
    callees.any(|callee| callee.block.any(&records))
}

/// In how many places paths may part in a statement.
const fn forks(kind: &Kind) -> usize {
    match kind {
        Kind::Load { .. } | Kind::Store { .. } | Kind::Atomic { .. } | Kind::If { .. } => 1,
        Kind::For { .. } | Kind::While { .. } => 4,
        _ => 0,
    }
}

/// So many arrays may be copied: each has a bit.
const COPIES: usize = 16;

/// Whether copies of such numbers are added up.
const fn is_copied(ty: Scalar) -> bool {
    use Scalar::{F32, F64, I32, I64, U32, U64};
    matches!(ty, F32 | F64 | I32 | U32 | I64 | U64)
}
