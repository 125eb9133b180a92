//! One computation for equal expressions, in the block that holds all of them or outside it.
//!
//! Operations without arguments (constants, thread indices, extents, parameters) move to the top
//! of the function; everything else stays where it was first computed. On the way the few identities
//! that hold bit for bit are applied, and carried values that never change become what they started as. What a slot
//! gives back twice is one value.

use crate::dtype::Scalar;
use crate::ir::{
    Block, CalleeId, Comp, Const, Func, Intrinsic, Kind, Op, ParamId, ParamType, Place, Rules,
    Slot, Stmt, Value, Values,
};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::mem::Discriminant;

/// Which writes end the validity of what was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aliasing {
    /// Any array may be passed for two parameters: every write may change every array.
    Any,
    /// Arrays that the function never writes change never.
    Written,
}

/// Merges equal computations.
pub fn cse(func: &mut Func, aliasing: Aliasing) {
    let mut written = vec![false; func.params.len()];
    (func.blocks()).for_each(|block| find_written(block, &mut written));
    // Addresses of one kind may lead where those of another do.
    let pointer_based: Vec<bool> = (func.params.iter())
        .map(|p| matches!(p.ty, ParamType::PointerBased { .. }))
        .collect();
    let mut pairs = written.iter().zip(&pointer_based);
    if pairs.any(|(written, pointer_based)| *written && *pointer_based) {
        for (written, pointer_based) in written.iter_mut().zip(&pointer_based) {
            *written |= pointer_based;
        }
    }
    let mut pass = Pass {
        types: std::mem::take(&mut func.values),
        same: Vec::new(),
        known: HashMap::new(),
        consts: HashMap::new(),
        top: Vec::new(),
        results: Vec::new(),
        loads: HashMap::new(),
        recorded: HashMap::new(),
        fixed: written
            .iter()
            .map(|written| aliasing == Aliasing::Written && !written)
            .collect(),
    };
    pass.same = (0..pass.types.len() as u32).map(Value).collect();
    for body in func.blocks_mut() {
        pass.known.clear();
        pass.loads.clear();
        pass.block(body);
        pass.top.append(&mut body.stmts);
        body.stmts = std::mem::take(&mut pass.top);
    }
    func.values = pass.types;
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Discriminant<Op>,
    extra: (u64, u32),
    ty: Scalar,
    args: SmallVec<[Value; 3]>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Address {
    array: ParamId,
    index: Values,
    comp: (u32, Option<Value>),
}

/// What gives results without effects.
#[derive(PartialEq)]
enum Computed {
    Intrinsic(Intrinsic),
    Call(CalleeId),
}

/// Results that are in scope.
struct Results {
    what: Computed,
    args: Vec<Value>,
    outs: Vec<Value>,
}

struct Pass {
    types: Vec<Scalar>,
    /// What each value is replaced by.
    same: Vec<Value>,
    known: HashMap<Key, Value>,
    consts: HashMap<Value, Const>,
    top: Vec<Stmt>,
    results: Vec<Results>,
    loads: HashMap<Address, Value>,
    /// What was recorded.
    recorded: HashMap<Slot, Vec<Value>>,
    /// Arrays whose content cannot change.
    fixed: Vec<bool>,
}

impl Pass {
    fn block(&mut self, block: &mut Block) {
        let mut mine: Vec<Key> = Vec::new();
        let results = self.results.len();
        let mut kept = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.kind.uses_mut(|v| *v = self.same[v.0 as usize]);
            if self.stmt(&mut stmt, &mut mine) {
                kept.push(stmt);
            }
        }
        block.stmts = kept;
        for result in &mut block.results {
            *result = self.same[result.0 as usize];
        }
        for expr in mine {
            self.known.remove(&expr);
        }
        self.results.truncate(results);
    }

    /// Treats an intrinsic; false if its results are known.
    fn intrinsic(&mut self, op: &Intrinsic, args: &[Value], outs: &[Value]) -> bool {
        match op {
            Intrinsic::Record(slot) => {
                self.recorded.insert(*slot, args.to_vec());
            }
            Intrinsic::Replay(slot) => self.replay(*slot, outs),
            // An object has one address for a whole launch.
            op if op.effects().is_pure() || matches!(op, Intrinsic::Object(_)) => {
                return self.is_new(Computed::Intrinsic(op.clone()), args, outs);
            }
            op if op.effects().writes => self.forget(),
            _ => {}
        }
        true
    }

    /// Whether results have not been computed yet: if they have, these are used.
    fn is_new(&mut self, what: Computed, args: &[Value], outs: &[Value]) -> bool {
        let mut known = self.results.iter();
        if let Some(known) = known.find(|p| p.what == what && p.args == args) {
            for (out, same) in outs.iter().zip(&known.outs) {
                self.same[out.0 as usize] = *same;
            }
            return false;
        }
        let (args, outs) = (args.to_vec(), outs.to_vec());
        self.results.push(Results { what, args, outs });
        true
    }

    /// A value that was recorded twice comes back twice.
    fn replay(&mut self, slot: Slot, outs: &[Value]) {
        let values = self.recorded.remove(&slot).unwrap_or_default();
        for (i, (value, out)) in values.iter().zip(outs).enumerate() {
            let first = values.iter().position(|v| v == value).unwrap_or(i);
            self.same[out.0 as usize] = match self.consts.contains_key(value) {
                // It stands at the top.
                true => *value,
                false => outs[first],
            };
        }
    }

    /// Treats one statement; false if it is not needed any more.
    fn stmt(&mut self, stmt: &mut Stmt, mine: &mut Vec<Key>) -> bool {
        match &mut stmt.kind {
            Kind::Let { .. } => self.operation(stmt, mine),
            Kind::Load { out, place } => {
                let address = address(place);
                if let Some(value) = self.loads.get(&address) {
                    self.same[out.0 as usize] = *value;
                    return false;
                }
                self.loads.insert(address, *out);
                true
            }
            Kind::Store { .. } | Kind::Atomic { .. } => {
                self.forget();
                true
            }
            Kind::Intrinsic { op, args, outs } => self.intrinsic(op, args, outs),
            Kind::Call {
                callee,
                args,
                outs,
                effects,
            } => {
                if effects.writes {
                    self.forget();
                }
                !effects.is_pure() || self.is_new(Computed::Call(*callee), args, outs)
            }
            Kind::If {
                then, els, outs, ..
            } => self.branch(then, els, outs),
            Kind::For {
                init, body, outs, ..
            } => {
                self.unchanging(init, &[&body.params[1..]], body, outs);
                self.region(&mut [body]);
                true
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                let params = [&cond.params[..], &body.params[..]];
                self.unchanging(init, &params, body, outs);
                self.region(&mut [cond, body]);
                true
            }
            Kind::Custom { body, rules, .. } => self.custom(body, rules),
        }
    }

    /// Treats a function with rules of its own, which stays.
    fn custom(&mut self, body: &mut Block, rules: &mut Rules) -> bool {
        let before = self.loads.clone();
        for block in std::iter::once(&mut *body).chain(&mut rules.replay) {
            self.block(block);
            self.loads.clone_from(&before);
        }
        if let Some(reverse) = &mut rules.reverse {
            // It runs at another time.
            self.loads.clear();
            self.block(reverse);
            self.loads = before;
        }
        if writes(body) || rules.replay.as_ref().is_some_and(writes) {
            self.forget();
        }
        true
    }

    /// Treats an `if`, which stays: results that are equal in both branches are one.
    fn branch(&mut self, then: &mut Block, els: &mut Block, outs: &[Value]) -> bool {
        let before = self.loads.clone();
        self.block(then);
        self.loads.clone_from(&before);
        self.block(els);
        self.loads = before;
        if writes(then) || writes(els) {
            self.forget();
        }
        for (i, out) in outs.iter().enumerate() {
            // Equal results are defined outside both blocks.
            if then.results[i] == els.results[i] {
                self.same[out.0 as usize] = then.results[i];
                continue;
            }
            let pair = |k: &usize| [then.results[*k], els.results[*k]];
            if let Some(first) = (0..i).find(|k| pair(k) == pair(&i)) {
                self.same[out.0 as usize] = outs[first];
            }
        }
        true
    }

    /// Treats an operation; false if its result is known, or stands at the top.
    fn operation(&mut self, stmt: &Stmt, mine: &mut Vec<Key>) -> bool {
        let Kind::Let { out, op, args } = &stmt.kind else {
            return true;
        };
        if let Some(value) = self.identity(*out, *op, args) {
            self.same[out.0 as usize] = value;
            return false;
        }
        let expr = self.expr(*out, *op, args);
        if let Some(value) = self.known.get(&expr) {
            self.same[out.0 as usize] = *value;
            return false;
        }
        if let Op::Const(constant) = op {
            self.consts.insert(*out, *constant);
        }
        let nullary = args.is_empty();
        if !nullary {
            mine.push(expr.clone());
        }
        self.known.insert(expr, *out);
        if nullary {
            self.top.push(stmt.clone());
        }
        !nullary
    }

    /// The blocks of a loop: what they write is unknown on entry already.
    fn region(&mut self, blocks: &mut [&mut Block]) {
        let written = blocks.iter().any(|b| writes(b));
        if written {
            self.forget();
        }
        let before = self.loads.clone();
        for block in blocks {
            self.block(block);
            self.loads.clone_from(&before);
        }
    }

    /// Carried values that a loop hands on as they came are what they were before it.
    fn unchanging(&mut self, init: &[Value], params: &[&[Value]], body: &Block, outs: &[Value]) {
        let results = &body.results;
        let last = params.last().expect("a loop has a body");
        for i in 0..init.len() {
            if results[i] == last[i] {
                for value in params.iter().map(|p| p[i]).chain([outs[i]]) {
                    self.same[value.0 as usize] = init[i];
                }
            }
        }
    }

    fn forget(&mut self) {
        let fixed = &self.fixed;
        self.loads.retain(|a, _| fixed[a.array.0 as usize]);
    }

    fn expr(&self, out: Value, op: Op, args: &[Value]) -> Key {
        let extra = match op {
            Op::Const(Const::Bool(b)) => (u64::from(b), 0),
            Op::Const(Const::Int(i)) => (i as u64, 1),
            Op::Const(Const::Float(x)) => (x.to_bits(), 2),
            Op::Tid(d) => (d.into(), 0),
            Op::Shape(id, d) => (id.0.into(), d.into()),
            Op::Param(id, comp) => (id.0.into(), comp),
            Op::Present(id) | Op::Address(id) => (id.0.into(), 0),
            Op::Stride(id, d) => (id.0.into(), d.into()),
            _ => (0, 0),
        };
        let mut args = SmallVec::from_slice(args);
        if op.primitive().is_some_and(|row| row.commutes) {
            args.sort_unstable();
        }
        Key {
            op: std::mem::discriminant(&op),
            extra,
            ty: self.types[out.0 as usize],
            args,
        }
    }

    /// Identities that hold for every bit pattern.
    fn identity(&self, out: Value, op: Op, args: &[Value]) -> Option<Value> {
        let is = |v: Value, wanted: f64| match self.consts.get(&v) {
            Some(Const::Int(i)) => *i as f64 == wanted,
            Some(Const::Float(x)) => *x == wanted,
            _ => false,
        };
        let int = self.types[out.0 as usize].is_int();
        match (op, args) {
            (Op::Cast, [a]) if self.types[a.0 as usize] == self.types[out.0 as usize] => Some(*a),
            (Op::Select, [_, a, b]) if a == b => Some(*a),
            (Op::Mul, [a, b]) if is(*b, 1.0) => Some(*a),
            (Op::Mul, [a, b]) if is(*a, 1.0) => Some(*b),
            (Op::Div, [a, b]) if is(*b, 1.0) => Some(*a),
            (Op::Add | Op::Sub, [a, b]) if int && is(*b, 0.0) => Some(*a),
            (Op::Add, [a, b]) if int && is(*a, 0.0) => Some(*b),
            _ => None,
        }
    }
}

fn address(place: &Place) -> Address {
    Address {
        array: place.array,
        index: place.index.clone(),
        comp: match place.comp {
            Comp::Fixed(n) => (n, None),
            Comp::At(value) => (0, Some(value)),
        },
    }
}

/// Whether a block writes anything that others see.
pub(super) fn writes(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| {
        let mut inner = stmt.kind.blocks_run().into_iter();
        stmt.kind.effects().writes || inner.any(writes)
    })
}

fn find_written(block: &Block, written: &mut [bool]) {
    for stmt in &block.stmts {
        if let Kind::Store { place, .. } | Kind::Atomic { place, .. } = &stmt.kind {
            written[place.array.0 as usize] = true;
        }
        for inner in stmt.kind.blocks() {
            find_written(inner, written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Aliasing, cse};
    use crate::ir::read;

    fn merged(body: &str, aliasing: Aliasing) -> String {
        let text = format!("kernel k(x: array<float32, 1>, y: array<float32, 1>) {{\n{body}}}\n");
        let mut func = read(&text).expect("reads");
        cse(&mut func, aliasing);
        crate::verify::check(&func).expect("still valid");
        func.to_string()
    }

    const LOADS: &str = "\
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = load x[%0]
  %3:float32 = mul %1, %2
  store y[%0], %3
  %4:float32 = load x[%0]
  store y[%0], %4
";

    #[test]
    fn loads_merge_up_to_a_write() {
        assert_eq!(merged(LOADS, Aliasing::Any).matches("load").count(), 2);
        assert_eq!(merged(LOADS, Aliasing::Written).matches("load").count(), 1);
    }

    #[test]
    fn what_is_recorded_twice_is_replayed_once() {
        let text = merged(
            "\
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = const 2.0
  record 0:0 %1, %2, %1
  %3:float32, %4:float32, %5:float32 = replay 0:0
  store y[%0], %5
  store y[%0], %4
",
            Aliasing::Any,
        );
        assert!(
            text.contains("y[%0], %3") && text.contains("y[%0], %2"),
            "{text}"
        );
    }

    /// Two results of an `if` that are equal in both branches are one.
    #[test]
    fn equal_results_merge() {
        let text = merged(
            "\
  %0:int32 = tid 0
  %1:bool = lt %0, %0
  if %1 -> (%2:float32, %3:float32) {
    %4:float32 = load x[%0]
    yield %4, %4
  } else {
    %5:float32 = load y[%0]
    yield %5, %5
  }
  store y[%0], %3
",
            Aliasing::Any,
        );
        assert!(text.contains("store y[%0], %2"), "{text}");
    }

    #[test]
    fn scopes_are_respected() {
        let text = merged(
            "\
  %0:bool = const true
  if %0 -> (%1:int32) {
    %2:int32 = const 3
    %3:int32 = add %2, %2
    yield %3
  } else {
    %4:int32 = const 3
    %5:int32 = add %4, %4
    yield %4
  }
",
            Aliasing::Any,
        );
        assert_eq!(text.matches("const 3").count(), 1);
        assert_eq!(text.matches("add").count(), 2);
    }
}
