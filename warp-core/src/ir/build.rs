//! Builds a function statement by statement. Types are computed here, so that what a builder
//! makes is well typed by construction; a wrong call is a bug of the caller and panics in
//! `verify`, which runs on every finished function.

use crate::dtype::Scalar;
use crate::ir::data::{
    AtomicOp, Block, Callee, Comp, Func, Kind, Param, ParamType, Part, Place, Stmt, Values,
};
use crate::ir::factorization::Factorization;
use crate::ir::id::{CalleeId, ParamId, Value};
use crate::ir::intrinsic::Intrinsic;
use crate::ir::op::{Const, Op};
use crate::ir::probe::Probe;
use crate::span::Span;
use std::collections::{HashMap, HashSet};

/// A function under construction: a stack of open blocks, the innermost last.
#[derive(Debug)]
pub struct Builder {
    func: Func,
    open: Vec<Block>,
    consts: Vec<Option<Const>>,
    /// Numbers that their author wrote without a type, in full.
    untyped: HashMap<Value, f64>,
    /// Those that stand in the text as numbers.
    literals: HashSet<Value>,
    /// Constants of a call, whose function may be the same for others.
    pub probe: Probe,
    /// Where the statements that follow come from.
    pub span: Span,
}

impl Builder {
    /// Starts a function.
    pub fn new(name: impl Into<String>) -> Builder {
        let func = Func {
            name: name.into(),
            threads: None,
            params: Vec::new(),
            values: Vec::new(),
            callees: Vec::new(),
            body: Block::default(),
        };
        Builder {
            func,
            open: vec![Block::default()],
            consts: Vec::new(),
            untyped: HashMap::new(),
            literals: HashSet::new(),
            probe: Probe::default(),
            span: Span::default(),
        }
    }

    /// Goes on with a function, whose body it gives a new beginning.
    pub fn resume(func: Func) -> Builder {
        Builder {
            consts: vec![None; func.values.len()],
            open: vec![Block::default()],
            untyped: HashMap::new(),
            literals: HashSet::new(),
            probe: Probe::default(),
            span: Span::default(),
            func,
        }
    }

    /// See [`Func::gradients`].
    pub fn gradients(&mut self, of: ParamId, count: u32) -> ParamId {
        self.func.gradients(of, count)
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: impl Into<String>, ty: ParamType) -> ParamId {
        self.param_like(name, ty, None)
    }

    /// Adds a parameter; for `part` see [`Param`].
    pub fn param_like(
        &mut self,
        name: impl Into<String>,
        ty: ParamType,
        part: Option<Part>,
    ) -> ParamId {
        self.func.params.push(Param {
            name: name.into(),
            ty,
            part,
        });
        ParamId(self.func.params.len() as u32 - 1)
    }

    /// Adds a function, under a name of its own.
    pub fn callee(&mut self, callee: Callee) -> CalleeId {
        let Callee {
            mut name,
            block,
            exact,
        } = callee;
        let count = self.func.callees.len();
        if self.func.callees.iter().any(|other| other.name == name) {
            name = format!("{name}.{count}");
        }
        self.func.callees.push(Callee { name, block, exact });
        CalleeId(count as u32)
    }

    /// The function as far as it is built.
    pub fn func(&self) -> &Func {
        &self.func
    }

    /// Type of a value.
    pub fn ty(&self, value: Value) -> Scalar {
        self.func.ty(value)
    }

    /// The constant that defines a value, if one does.
    pub fn as_const(&self, value: Value) -> Option<Const> {
        self.consts[value.0 as usize].or_else(|| self.probe.ask(value))
    }
    /// The same, for what comes to the same if the value is another one.
    pub fn known(&self, value: Value) -> Option<Const> {
        self.consts[value.0 as usize].or_else(|| self.probe.look(value))
    }

    /// A new value of a type, to be defined by a statement or block the caller makes.
    pub fn fresh(&mut self, ty: Scalar) -> Value {
        self.func.values.push(ty);
        self.consts.push(None);
        Value(self.func.values.len() as u32 - 1)
    }

    /// Appends a statement to the innermost open block.
    pub fn push(&mut self, kind: Kind) {
        let stmt = Stmt {
            kind,
            span: self.span,
        };
        self.open
            .last_mut()
            .expect("a block is open")
            .stmts
            .push(stmt);
    }

    /// Opens a nested block with these parameters (see [`Builder::fresh`]).
    pub fn open(&mut self, params: Vec<Value>) {
        self.open.push(Block {
            params,
            ..Block::default()
        });
    }

    /// Closes the innermost block; hand it to a statement.
    pub fn close(&mut self, results: Vec<Value>) -> Block {
        let mut block = self.open.pop().expect("a block is open");
        block.results = results;
        block
    }

    /// Ends the function.
    pub fn finish(mut self) -> Func {
        assert_eq!(self.open.len(), 1, "every block that was opened is closed");
        self.func.body = self.close(Vec::new());
        self.func
    }

    /// A constant of a type.
    pub fn constant(&mut self, ty: Scalar, value: Const) -> Value {
        let out = self.let_(ty, Op::Const(value), &[]);
        self.consts[out.0 as usize] = Some(value);
        out
    }
    /// An int32 constant.
    pub fn i32(&mut self, value: i32) -> Value {
        self.constant(Scalar::I32, Const::Int(value.into()))
    }
    /// A bool constant.
    pub fn bool(&mut self, value: bool) -> Value {
        self.constant(Scalar::Bool, Const::Bool(value))
    }
    /// The number nearest to `value` of any type: how expansions write their constants.
    pub fn number(&mut self, ty: Scalar, value: f64) -> Value {
        let constant = match ty {
            Scalar::Bool => Const::Bool(value != 0.0),
            s if s.is_int() => Const::Int(value as i64),
            float => Const::Float(float.round(value)),
        };
        self.constant(ty, constant)
    }

    /// A number as its author wrote it, without a type: it has a type here and keeps its full value until a conversion gives
    /// it another one.
    pub fn untyped(&mut self, ty: Scalar, value: f64) -> Value {
        let out = self.number(ty, value);
        self.untyped.insert(out, value);
        out
    }
    /// The full value of a number without a type.
    pub fn full_value(&self, value: Value) -> Option<f64> {
        self.untyped.get(&value).copied()
    }

    /// Says that a constant stands in the text as a number, which messages may tell how to write.
    pub fn mark_literal(&mut self, value: Value) {
        self.literals.insert(value);
    }
    /// Whether a constant stands in the text as a number.
    pub fn is_literal(&self, value: Value) -> bool {
        self.literals.contains(&value)
    }

    /// Defines a value of a given type by any operation.
    pub fn let_(&mut self, ty: Scalar, op: Op, args: &[Value]) -> Value {
        let out = self.fresh(ty);
        self.push(Kind::Let {
            out,
            op,
            args: Values::from_slice(args),
        });
        out
    }

    /// Defines a value by an operation whose type follows from its arguments.
    ///
    /// # Panics
    /// If the arguments do not fit the operation: the caller checks types first.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let types: smallvec::SmallVec<[Scalar; 3]> = args.iter().map(|a| self.ty(*a)).collect();
        let ty = match op {
            Op::Select => types[1],
            Op::RangeLen => types[0],
            _ => op
                .rule()
                .and_then(|rule| rule.result(&types))
                .unwrap_or_else(|| {
                    panic!("operation {op:?} does not take {types:?}");
                }),
        };
        self.let_(ty, op, args)
    }

    /// Converts to a type; nothing if it is that type already.
    pub fn cast(&mut self, value: Value, ty: Scalar) -> Value {
        if self.ty(value) == ty {
            value
        } else {
            self.let_(ty, Op::Cast, &[value])
        }
    }

    /// `cond ? a : b`.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.op(Op::Select, &[cond, a, b])
    }

    /// Product of matrices `m x k` and `k x n`, row-major, as one statement.
    pub fn matmul(&mut self, a: &[Value], b: &[Value], dims: [u32; 3]) -> Vec<Value> {
        let types = vec![self.ty(a[0]); (dims[0] * dims[2]) as usize];
        self.intrinsic(Intrinsic::Matmul(dims), [a, b].concat(), &types)
    }

    /// Decomposes a matrix; gives the components of the results.
    pub fn factor(&mut self, of: Factorization, a: &[Value]) -> Vec<Value> {
        let types = vec![self.ty(a[0]); of.results()];
        self.intrinsic(Intrinsic::Factor(of), a.to_vec(), &types)
    }

    /// Appends an intrinsic with results of these types.
    pub fn intrinsic(&mut self, op: Intrinsic, args: Vec<Value>, types: &[Scalar]) -> Vec<Value> {
        let outs: Vec<Value> = types.iter().map(|ty| self.fresh(*ty)).collect();
        self.push(Kind::Intrinsic {
            op,
            args,
            outs: outs.clone(),
        });
        outs
    }

    /// Reads one component.
    pub fn load(&mut self, place: Place) -> Value {
        let ty = self.place_ty(&place);
        let out = self.fresh(ty);
        self.push(Kind::Load { out, place });
        out
    }
    /// Writes one component.
    pub fn store(&mut self, place: Place, value: Value) {
        self.push(Kind::Store {
            place,
            value,
            log: false,
        });
    }
    /// Changes one component atomically and gives its content before. In a local array nobody else is in the way.
    pub fn atomic(&mut self, op: AtomicOp, place: Place, value: Value) -> Value {
        if self.func.local(place.array).is_some() {
            let before = self.load(place.clone());
            let pair = [before, value];
            let after = match op {
                AtomicOp::Add => self.op(Op::Add, &pair),
                AtomicOp::Min => self.op(Op::Min, &pair),
                AtomicOp::Max => self.op(Op::Max, &pair),
                AtomicOp::And => self.op(Op::And, &pair),
                AtomicOp::Or => self.op(Op::Or, &pair),
                AtomicOp::Xor => self.op(Op::Xor, &pair),
                AtomicOp::Exchange => value,
                AtomicOp::CompareExchange(with) => {
                    let same = self.op(Op::Eq, &[before, with]);
                    self.select(same, value, before)
                }
            };
            self.store(place, after);
            return before;
        }
        let out = self.fresh(self.ty(value));
        self.push(Kind::Atomic {
            out: Some(out),
            op,
            place,
            value,
            log: false,
        });
        out
    }
    /// Adds to one component atomically.
    pub fn accumulate(&mut self, place: Place, value: Value) {
        if self.func.local(place.array).is_some() {
            self.atomic(AtomicOp::Add, place, value);
            return;
        }
        self.push(Kind::Atomic {
            out: None,
            op: AtomicOp::Add,
            place,
            value,
            log: false,
        });
    }

    /// Writes zeros to all of a local array.
    pub fn clear(&mut self, array: ParamId) {
        let Some(shape) = self.func.local(array).map(<[u32]>::to_vec) else {
            return;
        };
        let elem = self.func.param(array).ty.elem();
        let zero = self.number(elem.scalar(), 0.0);
        self.each_element(&shape, &mut Values::new(), &mut |b, index| {
            for comp in 0..elem.count() as u32 {
                let place = Place {
                    array,
                    index: index.clone(),
                    comp: Comp::Fixed(comp),
                };
                b.store(place, zero);
            }
        });
    }

    /// Calls `f` where each index of a shape is at hand: in loops, unless there are few.
    pub fn each_element(
        &mut self,
        shape: &[u32],
        index: &mut Values,
        f: &mut dyn FnMut(&mut Builder, &Values),
    ) {
        const FEW: u32 = 4;
        let Some((first, rest)) = shape.split_first() else {
            return f(self, index);
        };
        if *first <= FEW {
            for i in 0..*first {
                let i = self.i32(i as i32);
                index.push(i);
                self.each_element(rest, index, f);
                index.pop();
            }
            return;
        }
        let range = [0, *first as i32, 1].map(|n| self.i32(n));
        self.for_(range, Vec::new(), |b, i, _| {
            index.push(i);
            b.each_element(rest, index, f);
            index.pop();
            Vec::new()
        });
    }

    /// An `if` whose blocks `then` and `els` build; both return as many results.
    pub fn if_(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Builder) -> Vec<Value>,
        els: impl FnOnce(&mut Builder) -> Vec<Value>,
    ) -> Vec<Value> {
        self.open(Vec::new());
        let results = then(self);
        let then = self.close(results);
        self.open(Vec::new());
        let results = els(self);
        let els = self.close(results);
        self.branch(cond, then, els)
    }

    /// An `if` of blocks that are closed.
    pub fn branch(&mut self, cond: Value, then: Block, els: Block) -> Vec<Value> {
        let outs = self.fresh_like(&then.results);
        self.push(Kind::If {
            cond,
            then,
            els,
            outs: outs.clone(),
        });
        outs
    }

    /// `for iv in range(start, stop, step)`; `body` gets iv and the carried values.
    pub fn for_(
        &mut self,
        range: [Value; 3],
        init: Vec<Value>,
        body: impl FnOnce(&mut Builder, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let params = self.loop_params(range[0], &init);
        self.open(params.clone());
        let results = body(self, params[0], &params[1..]);
        let body = self.close(results);
        self.counted_loop(range, init, body)
    }

    /// The parameters of the body of a `for`: iv, which has the type of `start`, and the carried values.
    pub fn loop_params(&mut self, start: Value, init: &[Value]) -> Vec<Value> {
        let mut params = Vec::with_capacity(1 + init.len());
        params.push(self.fresh(self.ty(start)));
        params.extend(init.iter().map(|v| self.fresh(self.ty(*v))));
        params
    }

    /// A `for` whose body is closed.
    pub fn counted_loop(
        &mut self,
        [start, stop, step]: [Value; 3],
        init: Vec<Value>,
        body: Block,
    ) -> Vec<Value> {
        let outs = self.fresh_like(&init);
        self.push(Kind::For {
            start,
            stop,
            step,
            init,
            body,
            outs: outs.clone(),
        });
        outs
    }

    /// `while cond(carried): carried = body(carried)`.
    pub fn while_(
        &mut self,
        init: Vec<Value>,
        cond: impl FnOnce(&mut Builder, &[Value]) -> Value,
        body: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let carried = self.fresh_like(&init);
        self.open(carried.clone());
        let test = cond(self, &carried);
        let cond = self.close(vec![test]);
        let carried = self.fresh_like(&init);
        self.open(carried.clone());
        let results = body(self, &carried);
        let body = self.close(results);
        self.while_loop(init, cond, body)
    }

    /// A `while` whose blocks are closed.
    pub fn while_loop(&mut self, init: Vec<Value>, cond: Block, body: Block) -> Vec<Value> {
        let outs = self.fresh_like(&init);
        self.push(Kind::While {
            init,
            cond,
            body,
            outs: outs.clone(),
        });
        outs
    }

    /// New values with the types of others.
    pub fn fresh_like(&mut self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.fresh(self.ty(*v))).collect()
    }

    fn place_ty(&self, place: &Place) -> Scalar {
        self.func.param(place.array).ty.elem().scalar()
    }
}
