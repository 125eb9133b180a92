//! What lowering has to know about a kernel before it writes the first line.

use super::Options;
use super::body::Layout;
use super::range::{Def, definitions};
use crate::ir::{AtomicOp, Block, Comp, Func, Kind, Op, ParamId, ParamType, Place, Value};
use std::collections::{BTreeSet, HashMap};

/// Facts about a kernel.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The kernel.
    pub func: &'a Func,
    /// How each value comes about.
    pub defs: Vec<Def<'a>>,
    /// Number of launch dimensions that the kernel tells apart, at least 1.
    pub dims: usize,
    /// Arrays that are accessed.
    pub arrays: BTreeSet<ParamId>,
    /// Arrays whose shape is read.
    pub shapes: BTreeSet<ParamId>,
    /// Arrays on which atomic operations may be plain ones: the caller says so, and when it does not hold.
    pub plain: BTreeSet<ParamId>,
    /// Further such arrays, found here: if no buffers overlap, a thread is the only one to touch its element.
    pub owned: BTreeSet<ParamId>,
    /// Atomic operations that a chunk collects in a register first: slot by statement.
    pub private: HashMap<usize, usize>,
    /// The statements of the slots.
    pub slots: Vec<&'a Kind>,
    /// Arrays that the kernel asks about whether they are missing.
    pub asked: BTreeSet<ParamId>,
    /// Whether the body that tests for missing arrays keeps to scalars: under a test, vectors of elements with
    /// several components become gathers and scatters, which lose.
    pub tests_lose: bool,
    /// Whether a value is read at all.
    pub used: Vec<bool>,
    /// Whether iterations of the launch loop are independent.
    pub parallel: bool,
    /// Whether scattered access costs so much against the arithmetic that vectors would lose.
    pub scattered: bool,
    /// Whether the arithmetic is worth vectors even if all access is scattered.
    pub heavy: bool,
    /// Recording stacks that are used.
    pub records: BTreeSet<u8>,
    /// Whether anything is printed.
    pub prints: bool,
    /// Byte sizes of what is logged.
    pub logs: BTreeSet<usize>,
}

/// Identity of a statement while its kernel is borrowed.
pub fn key(kind: &Kind) -> usize {
    std::ptr::from_ref(kind) as usize
}

impl<'a> Plan<'a> {
    /// Looks at a kernel.
    pub fn new(func: &'a Func, options: &Options) -> Plan<'a> {
        let mut walk = Walk {
            func,
            dims: 1,
            shapes: BTreeSet::new(),
            asked: BTreeSet::new(),
            invariant: vec![false; func.values.len()],
            varying: vec![false; func.values.len()],
            used: vec![false; func.values.len()],
            accesses: HashMap::new(),
            records: BTreeSet::new(),
            prints: false,
            logs: BTreeSet::new(),
            cost: 0,
            scattered: 0,
            memory: 0,
            defs: definitions(func),
        };
        walk.count_dims(&func.body);
        walk.block(&func.body);
        let plain = options
            .plain
            .iter()
            .enumerate()
            .filter(|(_, plain)| **plain);
        let plain: BTreeSet<ParamId> = plain.map(|(i, _)| ParamId(i as u32)).collect();
        let owned = walk.owned().filter(|id| !plain.contains(id)).collect();
        let mut plan = Plan {
            func,
            dims: walk.dims,
            arrays: walk.accesses.keys().copied().collect(),
            private: HashMap::new(),
            slots: Vec::new(),
            parallel: true,
            tests_lose: walk
                .asked
                .iter()
                .any(|id| func.param(*id).ty.elem().count() > 1),
            scattered: walk.scattered > 0 && walk.cost < walk.scattered,
            heavy: walk.cost >= 8 * walk.memory,
            records: std::mem::take(&mut walk.records),
            logs: std::mem::take(&mut walk.logs),
            shapes: std::mem::take(&mut walk.shapes),
            asked: std::mem::take(&mut walk.asked),
            used: std::mem::take(&mut walk.used),
            defs: std::mem::take(&mut walk.defs),
            prints: walk.prints,
            plain,
            owned,
        };
        for (id, accesses) in &walk.accesses {
            plan.collect(*id, accesses, &walk.invariant);
        }
        plan
    }

    /// Gives the atomic operations on one array slots, if nothing else touches the array and every
    /// thread names the same element.
    fn collect(&mut self, id: ParamId, accesses: &[&'a Kind], invariant: &[bool]) {
        let fixed = |place: &Place| {
            let mut all = true;
            place.uses(|v| all &= invariant[v.0 as usize]);
            all
        };
        let mut ops = Vec::new();
        for kind in accesses {
            if let Kind::Atomic {
                out,
                op,
                place,
                log,
                ..
            } = kind
            {
                let used = out.is_some_and(|v| self.used[v.0 as usize]);
                self.parallel &= !used || self.is_plain(id);
                if !used && !log && fixed(place) {
                    ops.push(*op);
                }
            }
        }
        let all = ops.len() == accesses.len() && ops.iter().all(|op| *op == ops[0]);
        if all && !self.is_plain(id) {
            for kind in accesses {
                self.private.insert(key(kind), self.slots.len());
                self.slots.push(kind);
            }
        }
    }

    /// Whether atomic operations on an array are plain ones in the body for plain layouts.
    pub fn is_plain(&self, id: ParamId) -> bool {
        self.plain.contains(&id) || self.owned.contains(&id)
    }

    /// The bodies that the kernel needs.
    pub fn layouts(&self) -> Vec<Layout> {
        let mut all = Vec::new();
        if !self.asked.is_empty() {
            all.push(Layout::Full);
        }
        all.push(Layout::Inner);
        // Without arrays there is but one layout.
        if !self.arrays.is_empty() {
            all.push(Layout::Any);
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
}

struct Walk<'a> {
    func: &'a Func,
    dims: usize,
    shapes: BTreeSet<ParamId>,
    asked: BTreeSet<ParamId>,
    /// The same for every thread of the launch, and computable before it.
    invariant: Vec<bool>,
    /// May differ between neighbours along the last dimension.
    varying: Vec<bool>,
    used: Vec<bool>,
    accesses: HashMap<ParamId, Vec<&'a Kind>>,
    records: BTreeSet<u8>,
    prints: bool,
    logs: BTreeSet<usize>,
    cost: usize,
    /// Arithmetic that would make up for access out of order.
    scattered: usize,
    memory: usize,
    defs: Vec<Def<'a>>,
}

impl<'a> Walk<'a> {
    fn count_dims(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Kind::Let { op: Op::Tid(d), .. } = stmt.kind {
                self.dims = self.dims.max(d as usize + 1);
            }
            for inner in stmt.kind.blocks() {
                self.count_dims(inner);
            }
        }
    }

    fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            stmt.kind.uses(|v| self.used[v.0 as usize] = true);
            self.stmt(&stmt.kind);
        }
        for v in &block.results {
            self.used[v.0 as usize] = true;
        }
    }

    fn any_varying(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.varying[v.0 as usize])
    }

    fn stmt(&mut self, kind: &'a Kind) {
        match kind {
            Kind::Let { out, op, args } => {
                let i = out.0 as usize;
                self.invariant[i] =
                    !matches!(op, Op::Tid(_)) && args.iter().all(|a| self.invariant[a.0 as usize]);
                self.varying[i] = *op == Op::Tid(self.dims as u8 - 1) || self.any_varying(args);
                if let Op::Shape(id, _) = op {
                    self.shapes.insert(*id);
                }
                if let Op::Present(id) = op {
                    self.asked.insert(*id);
                }
                self.cost += cost(*op);
            }
            Kind::Load { out, place } => {
                self.access(kind, place);
                let mut varies = false;
                place.uses(|v| varies |= self.varying[v.0 as usize]);
                self.varying[out.0 as usize] = varies;
            }
            Kind::Store { place, log, .. } | Kind::Atomic { place, log, .. } => {
                self.access(kind, place);
                if *log {
                    self.logs.insert(self.scalar_size(place));
                }
                self.vary(kind.outs());
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
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
            Kind::Record { slot, .. } | Kind::Replay { slot, .. } => {
                self.records.insert(slot.stack);
                self.vary(kind.outs());
            }
            Kind::Mark { .. } => self.vary(kind.outs()),
            Kind::Print { .. } => self.prints = true,
            Kind::Unwind { .. } => {}
        }
    }

    fn vary(&mut self, values: &[Value]) {
        for v in values {
            self.varying[v.0 as usize] = true;
        }
    }

    fn scalar_size(&self, place: &Place) -> usize {
        self.func.param(place.array).ty.elem().scalar().size()
    }

    fn access(&mut self, kind: &'a Kind, place: &Place) {
        self.accesses.entry(place.array).or_default().push(kind);
        self.memory += 1;
        let Some((last, outer)) = place.index.split_last() else {
            return;
        };
        let jumps = self.any_varying(outer)
            || (self.varying[last.0 as usize] && !self.neighbours(*last, 6))
            || matches!(place.comp, Comp::At(v) if self.varying[v.0 as usize]);
        // Fields of neighbouring structs lie apart, if only a little: lanes gather and scatter them one by one.
        let param = self.func.param(place.array);
        let apart = param.step() != param.ty.elem().size() && self.varying[last.0 as usize];
        self.scattered += match (jumps, apart) {
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
        match self.defs[value.0 as usize] {
            Def::Let(Op::Tid(_), _) => true,
            Def::Let(Op::Add | Op::Sub | Op::Cast, args) => {
                args.iter().all(|a| self.neighbours(*a, depth - 1))
            }
            Def::Let(Op::Mul, args) => {
                let small = |v: &Value| {
                    matches!(self.defs[v.0 as usize],
                        Def::Let(Op::Const(crate::ir::Const::Int(i)), _) if i.abs() <= 4)
                };
                args.iter()
                    .all(|a| small(a) || self.neighbours(*a, depth - 1))
                    && args.iter().any(small)
            }
            _ => false,
        }
    }

    /// Arrays of which every access names the element that only this thread names: an index that
    /// holds each of the thread's own indices.
    fn owned(&self) -> impl Iterator<Item = ParamId> {
        self.accesses.iter().filter_map(|(id, kinds)| {
            let atomic = kinds.iter().any(|k| matches!(k, Kind::Atomic { .. }));
            let first = self.index_of(kinds[0])?;
            let mine = (0..self.dims).all(|d| first.contains(&Some(d as u8)));
            let same = kinds
                .iter()
                .all(|k| self.index_of(k) == Some(first.clone()));
            (atomic && mine && same).then_some(*id)
        })
    }

    /// The thread index in each position; None for the whole if a position holds something else.
    fn index_of(&self, kind: &Kind) -> Option<Vec<Option<u8>>> {
        let (Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. }) =
            kind
        else {
            return None;
        };
        let tid = |v: &Value| match self.defs[v.0 as usize] {
            Def::Let(Op::Tid(d), _) => Some(Some(d)),
            _ => None,
        };
        place.index.iter().map(tid).collect()
    }
}

/// Rough cycles of an operation.
fn cost(op: Op) -> usize {
    match op {
        Op::Const(_) | Op::Tid(_) | Op::Shape(..) | Op::Param(..) | Op::Present(_) => 0,
        Op::Cast | Op::Select | Op::RangeLen => 1,
        named => named.primitive().map_or(1, |row| row.cost),
    }
}

/// What leaves the memory as it is when combined with it: where a collected operation starts.
pub fn identity(op: AtomicOp, ty: crate::dtype::Scalar) -> String {
    use super::range::Range;
    use super::text::float;
    if ty.is_float() {
        return float(
            ty,
            match op {
                AtomicOp::Add => -0.0,
                AtomicOp::Min => f64::INFINITY,
                AtomicOp::Max => f64::NEG_INFINITY,
            },
        );
    }
    let range = Range::of(ty);
    match op {
        AtomicOp::Add => "0".into(),
        AtomicOp::Min => range.hi.to_string(),
        AtomicOp::Max => range.lo.to_string(),
    }
}
