//! In which dimensions of a launch each thread has elements of an array for itself.

use crate::ir::{Block, Func, Kind, Op, ParamId, Place, Value};
use std::collections::HashMap;

/// Launch dimensions, as bits, in which no two threads touch the same element of the array: all
/// accesses have the same index in some dimension of the array, and it grows with that thread index.
pub(super) fn private_dims(func: &Func, array: ParamId) -> u8 {
    let mut scan = Scan {
        func,
        array,
        tids: HashMap::new(),
        consts: HashMap::new(),
        index: None,
        same: HashMap::new(),
        first: HashMap::new(),
    };
    // The body first, then functions behind those that call them.
    func.blocks().rev().for_each(|block| scan.block(block));
    let common = scan.index.into_iter().flatten().flatten();
    common
        .filter_map(|v| scan.tids.get(&v))
        .fold(0, |bits, dim| bits | 1 << dim)
}

struct Scan<'a> {
    func: &'a Func,
    array: ParamId,
    /// Values that are a thread index plus a constant that is not negative.
    tids: HashMap<Value, u8>,
    consts: HashMap<Value, i64>,
    /// The index that all accesses so far have in common.
    index: Option<Vec<Option<Value>>>,
    /// What a value is another name of: a thread index that was asked for before, or what all calls of a function pass. None for
    /// parameters of which calls pass several values.
    same: HashMap<Value, Option<Value>>,
    /// By dimension: the first value that is the thread index.
    first: HashMap<u8, Value>,
}

impl Scan<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Let { out, op, args } => self.expression(*out, *op, args),
                Kind::Load { place, .. }
                | Kind::Store { place, .. }
                | Kind::Atomic { place, .. }
                    if place.array == self.array
                        || self.func.gradient_of(place.array) == Some(self.array) =>
                {
                    self.access(place);
                }
                Kind::Call { callee, args, .. } => {
                    for (param, arg) in self.func.callee(*callee).block.params.iter().zip(args) {
                        let arg = self.named(*arg);
                        let known = self.same.entry(*param).or_insert(Some(arg));
                        *known = known.filter(|known| *known == arg);
                    }
                }
                _ => {}
            }
            for inner in stmt.kind.blocks() {
                self.block(inner);
            }
        }
    }

    fn expression(&mut self, out: Value, op: Op, args: &[Value]) {
        let dim = match (op, args) {
            (Op::Const(crate::ir::Const::Int(i)), _) => {
                self.consts.insert(out, i);
                None
            }
            (Op::Tid(d), _) => {
                let first = *self.first.entry(d).or_insert(out);
                self.same.insert(out, Some(first));
                Some(d)
            }
            (Op::Cast, [a]) => self.tids.get(&self.named(*a)).copied(),
            (Op::Add, [a, b]) => self.shifted(*a, *b).or_else(|| self.shifted(*b, *a)),
            _ => None,
        };
        if let Some(dim) = dim {
            self.tids.insert(out, dim);
        }
    }

    /// The sum stays below the array's extent, far from wrapping, or is no valid index at all.
    fn shifted(&self, tid: Value, by: Value) -> Option<u8> {
        let small = |c: &i64| (0..1 << 20).contains(c);
        self.consts.get(&self.named(by)).filter(|c| small(c))?;
        self.tids.get(&self.named(tid)).copied()
    }

    /// The value that a value is another name of, or itself.
    fn named(&self, value: Value) -> Value {
        self.same.get(&value).copied().flatten().unwrap_or(value)
    }

    fn access(&mut self, place: &Place) {
        let index = place.index.iter().map(|v| self.named(*v));
        let index: Vec<Value> = index.collect();
        match &mut self.index {
            None => self.index = Some(index.into_iter().map(Some).collect()),
            Some(common) => {
                for (common, found) in common.iter_mut().zip(index) {
                    *common = common.filter(|c| *c == found);
                }
            }
        }
    }
}
