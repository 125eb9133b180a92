//! Blocks of threads: all threads of a warp or block come to its barriers and ballots together.
//!
//! Values are uniform, that is the same for all threads of a block, of a warp, or neither. What is loaded may differ in every thread,
//! since others may write meanwhile. What a block does together may stand where all that is decided around it is uniform for the block,
//! and likewise for a warp.

use crate::ir::thread_block::{MAX_SHARED, MAX_THREADS, WARP};
use crate::ir::{Block, Const, Func, Intrinsic, Kind, Op, ParamType, ThreadScope, Value};
use crate::verify::scope::{Checker, ensure};
use std::collections::{HashMap, HashSet};

/// For whom a value is the same; None: for each thread alone.
type Same = Option<ThreadScope>;

impl Checker<'_> {
    /// Checks what the kernel and its functions say of blocks.
    pub fn threads(&mut self) {
        let func = self.func;
        let together = |kind: &Kind| kind.effects().convergent;
        let shared = |ty: &ParamType| matches!(ty, ParamType::Shared { .. });
        let Some(threads) = func.threads else {
            let none = !func.any(&together) && !func.params.iter().any(|p| shared(&p.ty));
            self.note(ensure(none, || {
                "threads without blocks share something".into()
            }));
            return;
        };
        let last =
            |kind: &Kind| matches!(kind, Kind::Let { op: Op::Tid(d), .. } if *d > threads.dim);
        self.note(ensure(!func.any(&last), || {
            format!("a thread index beyond that in a block, {}", threads.dim)
        }));
        self.note(ensure((1..=MAX_THREADS).contains(&threads.threads), || {
            format!("a block of {} threads", threads.threads)
        }));
        let bytes = func.params.iter().filter_map(|p| match p.ty {
            ParamType::Shared { elem, shape, .. } => {
                let extents = shape.iter().map(|n| *n as usize);
                Some(extents.fold(elem.size(), usize::saturating_mul))
            }
            _ => None,
        });
        let bytes = bytes.fold(0, usize::saturating_add);
        self.note(ensure(bytes <= MAX_SHARED, || {
            format!("a block shares {bytes} bytes, {MAX_SHARED} are the most")
        }));
        let of_warps =
            |kind: &Kind| kind.intrinsic().and_then(Intrinsic::scope) == Some(ThreadScope::Warp);
        let whole = threads.threads.is_multiple_of(WARP) || !func.any(&of_warps);
        self.note(ensure(whole, || {
            format!(
                "a block of {} threads, which are no whole warps",
                threads.threads
            )
        }));
        for (n, block) in func.blocks().enumerate() {
            let mut walk = Uniformity::new(func);
            if n < func.callees.len() {
                // Who calls a function may give it anything.
                walk.differs(&block.params);
            }
            walk.block(block, Some(ThreadScope::Block));
            self.found.extend(walk.found);
        }
    }
}

/// Which values are uniform, and what stands where the threads of a warp or block may not come together.
struct Uniformity<'a> {
    func: &'a Func,
    same: Vec<Same>,
    consts: HashMap<Value, i64>,
    /// The index of the thread in its block, of any type.
    indices: HashSet<Value>,
    found: Vec<String>,
}

impl<'a> Uniformity<'a> {
    fn new(func: &'a Func) -> Self {
        Uniformity {
            func,
            same: vec![Some(ThreadScope::Block); func.values.len()],
            consts: HashMap::new(),
            indices: HashSet::new(),
            found: Vec::new(),
        }
    }

    fn of(&self, value: Value) -> Same {
        self.same[value.0 as usize]
    }

    fn all(&self, values: &[Value]) -> Same {
        let all = values.iter().map(|v| self.of(*v));
        all.min().unwrap_or(Some(ThreadScope::Block))
    }

    fn set(&mut self, value: Value, same: Same) {
        let known = &mut self.same[value.0 as usize];
        *known = same.min(*known);
    }

    fn differs(&mut self, values: &[Value]) {
        values.iter().for_each(|v| self.set(*v, None));
    }

    /// Walks over a block that threads of `around` enter together.
    fn block(&mut self, block: &Block, around: Same) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind, around);
        }
    }

    fn stmt(&mut self, kind: &Kind, around: Same) {
        let scope = kind.intrinsic().and_then(Intrinsic::scope);
        // A function is walked by itself: its barriers are for whole blocks there.
        let scope = match kind {
            Kind::Call { effects, .. } if effects.convergent => Some(ThreadScope::Block),
            _ => scope,
        };
        if let Some(scope) = scope
            && around < Some(scope)
        {
            let what = kind.intrinsic().map_or("call", Intrinsic::name);
            let what = format!(
                "a `{what}` that not all threads of a {} come to",
                scope.name()
            );
            if !self.found.contains(&what) {
                self.found.push(what);
            }
        }
        match kind {
            Kind::Let { out, op, args } => {
                if let Op::Const(Const::Int(n)) = op {
                    self.consts.insert(*out, *n);
                }
                let same = self.operation(*out, *op, args);
                self.set(*out, same);
            }
            Kind::Intrinsic { op, args, outs } => {
                let same = match op.effects().is_pure() {
                    true => self.all(args),
                    false => op.agreed(),
                };
                outs.iter().for_each(|out| self.set(*out, same));
            }
            Kind::Load { .. }
            | Kind::Store { .. }
            | Kind::Atomic { .. }
            | Kind::Call { .. }
            | Kind::Custom { .. } => {
                self.differs(kind.outs());
                for block in kind.blocks() {
                    self.differs(&block.params);
                    self.block(block, None);
                }
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                let decided = self.of(*cond);
                for block in [then, els] {
                    self.block(block, around.min(decided));
                }
                for (n, out) in outs.iter().enumerate() {
                    let results = self.all(&[then.results[n], els.results[n]]);
                    self.set(*out, decided.min(results));
                }
            }
            Kind::For { .. } | Kind::While { .. } => self.loop_(kind, around),
        }
    }

    fn operation(&mut self, out: Value, op: Op, args: &[Value]) -> Same {
        let by = args.get(1).and_then(|by| self.consts.get(by)).copied();
        let warp_number = match op {
            Op::Shr => by.is_some_and(|n| (5..31).contains(&n)),
            Op::Div | Op::FloorDiv => by.is_some_and(|n| n > 0 && n % i64::from(WARP) == 0),
            _ => false,
        };
        let of_index = args.first().is_some_and(|v| self.indices.contains(v));
        match op {
            Op::Tid(d) if self.func.threads.is_some_and(|t| t.dim == d) => {
                self.indices.insert(out);
                None
            }
            // In fewer bits, large indices would be negative.
            Op::Cast if of_index && self.func.ty(out).bits() > 16 => {
                self.indices.insert(out);
                None
            }
            _ if warp_number && of_index => Some(ThreadScope::Warp),
            _ => self.all(args),
        }
    }

    /// Repeats a loop until nothing more is found to differ.
    fn loop_(&mut self, kind: &Kind, around: Same) {
        let (Kind::For {
            init, body, outs, ..
        }
        | Kind::While {
            init, body, outs, ..
        }) = kind
        else {
            return;
        };
        loop {
            let before = self.same.clone();
            let decided = match kind {
                Kind::For {
                    start, stop, step, ..
                } => self.all(&[*start, *stop, *step]),
                Kind::While { cond, .. } => self.of(cond.results[0]),
                _ => None,
            };
            for block in kind.blocks() {
                // The variable of a `for` comes first.
                let (variable, carried) = block.params.split_at(block.params.len() - init.len());
                variable.iter().for_each(|v| self.set(*v, decided));
                for (n, value) in init.iter().enumerate() {
                    let now = decided.min(self.all(&[*value, body.results[n]]));
                    self.set(carried[n], now);
                    self.set(outs[n], now);
                }
                self.block(block, around.min(decided));
            }
            if self.same == before {
                return;
            }
        }
    }
}
