//! Decompositions and inverses of small matrices.

use crate::dtype::Scalar;
use crate::factor;
use crate::intrinsic::row::{Derivative, Differentiated, Machine, Row, Typed, ensure};
use crate::ir::{Builder, Factorization, Intrinsic, Num, Value};

pub const FACTOR: Row = Row {
    check,
    interpret,
    derivative: Derivative::Rule(derivative),
    expansion: Some(|op, ty| factor::body(which(op), ty)),
    ..Row::PLAIN
};

fn which(op: &Intrinsic) -> Factorization {
    match op {
        Intrinsic::Factor(of) => *of,
        _ => unreachable!("not a decomposition"),
    }
}

fn check(op: &Intrinsic, args: &[Scalar], outs: &[Scalar]) -> Result<(), String> {
    let of = which(op);
    let fits = args.len() == of.size() * of.size() && outs.len() == of.results();
    ensure(fits, || {
        let counts = (args.len(), outs.len());
        format!("{} of {} values gives {}", of.name(), counts.0, counts.1)
    })?;
    let ty = args[0];
    let one = ty.is_float() && args.iter().chain(outs).all(|other| *other == ty);
    ensure(one, || format!("{} of {ty:?}", of.name()))
}

fn interpret(op: &Intrinsic, m: &mut dyn Machine, args: &[Typed]) -> Result<Vec<Num>, String> {
    let func = factor::body(which(op), args[0].0);
    m.run(&func, args.iter().map(|(_, num)| *num).collect())
}

fn derivative(op: &Intrinsic, b: &mut Builder, of: &Differentiated<'_>) -> Vec<Option<Value>> {
    let parts = factor::adjoint(b, which(op), of.outs, of.adjoints);
    parts.into_iter().map(Some).collect()
}
