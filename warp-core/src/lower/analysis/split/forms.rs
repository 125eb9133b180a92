//! How values depend on the thread index: not within a subrange, or by growing from thread to thread.

use super::data::{Held, Level};
use crate::dtype::Scalar;
use crate::ir::{Block, Const, Func, Kind, Op, Value, Values};
use crate::lower::analysis::defs::{definitions, numbers};
use crate::lower::analysis::range::Ranges;
use crate::lower::options::Options;
use std::collections::HashMap;

/// How a value depends on the thread index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// One number within a subrange, and computed where that begins. `row`: also within a row. `launch`: for all threads.
    Fixed { row: bool, launch: bool },
    /// An integer that grows by so much from thread to thread, modulo its type.
    Along(i64),
    /// Anything else.
    Other,
}

/// A selection that is made in the interior.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    /// What decides it.
    pub cond: Value,
    /// The operation that gives `cond`, if the kernel has none.
    pub made: Option<(Op, [Value; 2])>,
    /// What `cond` is in the interior.
    pub truth: bool,
    /// What the selection then is.
    pub chosen: Value,
}

/// The values of a kernel.
#[derive(Debug)]
pub struct Forms {
    /// Type of each.
    pub types: Vec<Scalar>,
    /// The operation by which a value comes about.
    pub ops: Vec<Option<(Op, Values)>>,
    /// In the order in which they are computed.
    pub order: Vec<Value>,
    forms: Vec<Form>,
    /// Values that do not wrap, whatever the arguments are.
    exact: Vec<bool>,
    /// Values that are not negative.
    natural: Vec<bool>,
    /// Integers that 64 bits hold with room.
    small: Vec<bool>,
    /// For each value the first that is computed in the same way.
    numbers: Vec<Value>,
    /// Selections that are made in the interior.
    pub picks: HashMap<Value, Pick>,
    /// Values that are what they are because of such selections.
    picked: Vec<bool>,
    /// Differences that are remainders.
    pub remainders: HashMap<Value, [Value; 2]>,
    /// Which conditions are decided in the interior.
    pub level: Level,
    last: u8,
    check_division: bool,
}

/// Steps from thread to thread that are followed.
const STEEPEST: i64 = 1 << 16;
/// A row of a flat index that is worth a subrange.
pub const SHORTEST_ROW: i64 = 16;

impl Forms {
    /// Looks at a kernel.
    pub fn new(func: &Func, options: &Options, level: Level) -> Forms {
        let defs = definitions(func);
        let numbers = numbers(func, &defs);
        let ranges = Ranges::new(func, &defs, &numbers, i32::MAX.into());
        let count = func.values.len();
        let mut forms = Forms {
            types: func.values.clone(),
            ops: vec![None; count],
            order: Vec::new(),
            forms: vec![Form::Other; count],
            exact: vec![false; count],
            natural: vec![false; count],
            small: vec![false; count],
            numbers: numbers.clone(),
            picks: HashMap::new(),
            picked: vec![false; count],
            remainders: HashMap::new(),
            level,
            last: 0,
            check_division: options.check_division,
        };
        forms.last = last_dimension(&func.body);
        forms.block(&func.body, &ranges);
        forms
    }

    /// How a value depends on the thread index.
    pub fn of(&self, value: Value) -> Form {
        let form = self.forms.get(value.0 as usize);
        form.copied().unwrap_or(Form::Other)
    }

    /// Whether a value grows from thread to thread.
    pub fn grows(&self, value: Value) -> bool {
        matches!(self.of(value), Form::Along(_))
    }

    /// The first value that is computed in the same way.
    pub fn number(&self, value: Value) -> Value {
        self.numbers.get(value.0 as usize).copied().unwrap_or(value)
    }

    /// Adds a value.
    pub fn make(&mut self, ty: Scalar, op: Op, args: &[Value]) -> Value {
        let value = Value(self.types.len() as u32);
        self.types.push(ty);
        self.ops.push(Some((op, Values::from_slice(args))));
        self.order.push(value);
        self.forms.push(Form::Fixed {
            row: false,
            launch: false,
        });
        self.exact.push(true);
        self.natural.push(false);
        self.small.push(true);
        self.picked.push(false);
        value
    }

    /// The number that a value is.
    pub fn constant(&self, value: Value) -> Option<i64> {
        match self.ops[value.0 as usize] {
            Some((Op::Const(Const::Int(n)), _)) => Some(n),
            _ => None,
        }
    }

    /// Whether a value is not negative, whatever the arguments are.
    pub fn is_natural(&self, value: Value) -> bool {
        self.natural[value.0 as usize]
    }

    /// Whether the form of a value is that of the interior only.
    pub fn is_picked(&self, value: Value) -> bool {
        self.picked[value.0 as usize]
    }

    /// Whether a value might wrap between two threads.
    pub fn may_wrap(&self, value: Value) -> bool {
        !self.exact[value.0 as usize]
    }

    fn block(&mut self, block: &Block, ranges: &Ranges<'_>) {
        for stmt in &block.stmts {
            if let Kind::Let { out, op, args } = &stmt.kind {
                self.compute(*out, *op, args, ranges);
            }
            for inner in stmt.kind.blocks() {
                self.block(inner, ranges);
            }
        }
    }

    fn compute(&mut self, out: Value, op: Op, args: &[Value], ranges: &Ranges<'_>) {
        let at = out.0 as usize;
        self.ops[at] = Some((op, Values::from_slice(args)));
        self.order.push(out);
        let form = self.operation(out, op, args);
        self.forms[at] = form;
        self.picked[at] = self.picks.contains_key(&out) || args.iter().any(|a| self.is_picked(*a));
        if form == Form::Other || !self.types[at].is_int() {
            return;
        }
        let range = ranges.of(out);
        self.natural[at] = range.lo >= 0;
        self.small[at] = self.types[at].bits() < 64 || (range.lo >= -MOST && range.hi <= MOST);
        let fits = !matches!(op, Op::Add | Op::Sub | Op::Mul) || ranges.fits(out);
        let held = matches!(form, Form::Fixed { .. }) || self.held(out).is_some();
        self.exact[at] = held || (fits && args.iter().all(|a| !self.may_wrap(*a)));
    }

    /// The form of a result; the arguments' are known.
    fn operation(&mut self, out: Value, op: Op, args: &[Value]) -> Form {
        match op {
            Op::Tid(d) if d == self.last => return Form::Along(1),
            Op::Tid(_) => {
                return Form::Fixed {
                    row: true,
                    launch: false,
                };
            }
            Op::Const(_) | Op::Param(..) | Op::Shape(..) => {
                return Form::Fixed {
                    row: true,
                    launch: true,
                };
            }
            Op::BlockDim | Op::Present(_) | Op::Address(_) | Op::Stride(..) | Op::Bits => {
                return Form::Other;
            }
            _ => {}
        }
        let ty = self.types[out.0 as usize];
        let from = self.types[args[0].0 as usize];
        if ty.is_float() || (from.is_float() && !is_comparison(op)) {
            return Form::Other;
        }
        let divides = matches!(op, Op::Div | Op::FloorDiv | Op::Mod);
        if divides && self.check_division {
            return Form::Other;
        }
        let of: Vec<Form> = args.iter().map(|a| self.of(*a)).collect();
        if let Some(fixed) = all_fixed(&of) {
            return fixed;
        }
        if of.contains(&Form::Other) {
            return Form::Other;
        }
        if op == Op::Select {
            return self.selection(out, args, ty);
        }
        if !matches!(from, Scalar::I32 | Scalar::I64) {
            return Form::Other;
        }
        if is_comparison(op) {
            return match self.compares(args) {
                true => SUBRANGE,
                false => Form::Other,
            };
        }
        let [a, b] = [0, of.len() - 1].map(|k| step(of[k]));
        let found = match op {
            Op::Add => a.checked_add(b),
            Op::Sub if self.is_remainder(out, args) => Some(a),
            Op::Sub => a.checked_sub(b),
            Op::Neg => a.checked_neg(),
            Op::Mul => match (self.constant(args[0]), self.constant(args[1])) {
                (Some(n), _) => b.checked_mul(n),
                (_, Some(n)) => a.checked_mul(n),
                _ => None,
            },
            Op::Cast if matches!(ty, Scalar::I32 | Scalar::I64) => Some(a),
            Op::Min | Op::Max => return self.extreme(out, op, args),
            _ if divides => return self.quotient(op, args),
            _ => None,
        };
        match found {
            Some(0) => SUBRANGE,
            Some(step) if step.abs() <= STEEPEST => Form::Along(step),
            _ => Form::Other,
        }
    }

    /// Whether it can be said where a comparison changes.
    fn compares(&self, args: &[Value]) -> bool {
        let small = |v: &Value| self.small[v.0 as usize];
        args.iter().all(small) && (self.types[args[0].0 as usize].bits() < 64 || self.wide(args))
    }

    /// 64-bit integers must not wrap: nobody looks for where they do.
    fn wide(&self, args: &[Value]) -> bool {
        args.iter().all(|a| !self.may_wrap(*a))
    }

    fn quotient(&self, op: Op, args: &[Value]) -> Form {
        let (of, by) = (args[0], args[1]);
        let (Form::Along(rise), Form::Fixed { row: true, .. }) = (self.of(of), self.of(by)) else {
            return Form::Other;
        };
        let short = self.constant(by).is_some_and(|n| n < SHORTEST_ROW);
        // Lanes divide next to other work; rows that fill no group would cost more.
        if self.level == Level::Idle || rise < 1 || short || !self.compares(args) {
            return Form::Other;
        }
        match op {
            Op::Mod => Form::Along(rise),
            _ => SUBRANGE,
        }
    }

    /// Whether a difference is `x - (x // w) * w`; notes that.
    fn is_remainder(&mut self, out: Value, args: &[Value]) -> bool {
        let same = |s: &Self, a: Value, b: Value| s.number(a) == s.number(b);
        let Some((Op::Mul, factors)) = self.ops[args[1].0 as usize].clone() else {
            return false;
        };
        for [q, w] in [[0, 1], [1, 0]].map(|at| at.map(|k: usize| factors[k])) {
            let Some((Op::Div | Op::FloorDiv, division)) = self.ops[q.0 as usize].clone() else {
                continue;
            };
            let held = self.of(q) == SUBRANGE && matches!(self.of(division[0]), Form::Along(_));
            if held && same(self, division[0], args[0]) && same(self, division[1], w) {
                self.remainders.insert(out, [args[0], w]);
                return true;
            }
        }
        false
    }

    /// `min` or `max` of what grows and what does not: in the interior it is what grows.
    fn extreme(&mut self, out: Value, op: Op, args: &[Value]) -> Form {
        let [a, b] = [args[0], args[1]];
        let (chosen, other) = match (self.of(a), self.of(b)) {
            (Form::Along(_), Form::Fixed { .. }) => (a, b),
            (Form::Fixed { .. }, Form::Along(_)) => (b, a),
            _ => return Form::Other,
        };
        let near = |n: i64| n < SHORTEST_ROW;
        let early = op == Op::Min && self.constant(other).is_some_and(near);
        if self.level == Level::Idle || early || !self.compares(args) {
            return Form::Other;
        }
        let how = if op == Op::Min { Op::Le } else { Op::Ge };
        let pick = Pick {
            cond: out,
            made: Some((how, [chosen, other])),
            truth: true,
            chosen,
        };
        self.picks.insert(out, pick);
        self.of(chosen)
    }

    /// A selection between integers, at least one of which grows.
    fn selection(&mut self, out: Value, args: &[Value], ty: Scalar) -> Form {
        let expected = match self.level {
            Level::Idle => None,
            Level::Borders => self.expected(args[0]),
        };
        let Some(truth) = expected.filter(|_| ty.is_int()) else {
            return Form::Other;
        };
        let chosen = if truth { args[1] } else { args[2] };
        let pick = Pick {
            cond: args[0],
            made: None,
            truth,
            chosen,
        };
        self.picks.insert(out, pick);
        self.of(chosen)
    }

    /// Whether the interior takes any value from the beginning of a subrange.
    pub fn has_held(&self) -> bool {
        self.order.iter().any(|v| self.held(*v).is_some())
    }

    /// How a value of the interior goes on from the beginning of a subrange, if that is where it is computed.
    pub fn held(&self, value: Value) -> Option<Held> {
        let (op, _) = self.ops[value.0 as usize].as_ref()?;
        let divides = matches!(op, Op::Div | Op::FloorDiv | Op::Mod);
        match self.of(value) {
            Form::Along(step) if divides || self.remainders.contains_key(&value) => {
                Some(Held::Along(step))
            }
            Form::Fixed { row: false, .. } if divides => Some(Held::Fixed),
            _ => None,
        }
    }
}

/// Numbers that may be subtracted from each other in 64 bits.
const MOST: i128 = 1 << 60;

/// One number within a subrange.
const SUBRANGE: Form = Form::Fixed {
    row: false,
    launch: false,
};

/// By how much a value grows from thread to thread.
fn step(form: Form) -> i64 {
    match form {
        Form::Along(step) => step,
        _ => 0,
    }
}

/// What is computed of what is fixed.
fn all_fixed(forms: &[Form]) -> Option<Form> {
    let mut all = (true, true);
    for form in forms {
        let Form::Fixed { row, launch } = form else {
            return None;
        };
        all = (all.0 && *row, all.1 && *launch);
    }
    Some(Form::Fixed {
        row: all.0,
        launch: all.1,
    })
}

/// Whether an operation compares two values.
pub const fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

/// The last launch dimension that a kernel tells apart.
fn last_dimension(block: &Block) -> u8 {
    let each = block.stmts.iter().map(|stmt| match &stmt.kind {
        Kind::Let { op: Op::Tid(d), .. } => *d,
        kind => kind
            .blocks()
            .into_iter()
            .map(last_dimension)
            .max()
            .unwrap_or(0),
    });
    each.max().unwrap_or(0)
}
