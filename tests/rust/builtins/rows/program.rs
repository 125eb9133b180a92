//! Kernels that make one call, and the kernels of their gradients.

use std::collections::HashMap;
use warp_core::builtins::{self, Arg, Row, Tree};
use warp_core::dtype::Scalar;
use warp_core::ir::primitive::adjoint;
use warp_core::ir::{
    Builder, Comp, ExprBuilder, Func, Intrinsic, Kind, Op, ParamId, ParamType, Place, Value,
};
use warp_core::span::Span;
use warp_core::ty::Elem;
use warp_core::{factor, verify};

fn flatten(tree: &Tree, into: &mut Vec<Value>) {
    match tree {
        Tree::Elem(x) => into.extend(&x.parts),
        Tree::Tuple(items) => items.iter().for_each(|t| flatten(t, into)),
        other => panic!("a result {other:?} has no components"),
    }
}

/// A kernel that stores the results of one call in `out`, and where its parameters came in.
pub struct Program {
    pub func: Func,
    pub results: usize,
}

pub(super) const ARRAY: ParamType = ParamType::Array {
    elem: Elem::Scalar(Scalar::F64),
    ndim: 1,
};

fn store(b: &mut Builder, out: ParamId, values: &[Value]) {
    for (i, value) in values.iter().enumerate() {
        let index = b.i32(i as i32);
        let value = b.cast(*value, Scalar::F64);
        let place = Place {
            array: out,
            index: smallvec::smallvec![index],
            comp: Comp::Fixed(0),
        };
        b.store(place, value);
    }
}

/// `out` comes first, so that further parameters can follow.
pub fn program(row: &Row, args: &[Elem]) -> (Builder, Vec<Value>, Vec<Value>) {
    let mut b = Builder::new(row.name);
    b.param("out", ARRAY);
    let mut inputs = Vec::new();
    let mut given = Vec::new();
    for (i, elem) in args.iter().enumerate() {
        let id = b.param(format!("x{i}"), ParamType::Elem(*elem));
        let parts: builtins::Parts = (0..elem.count())
            .map(|c| b.let_(elem.scalar(), Op::Param(id, c as u32), &[]))
            .collect();
        inputs.extend(parts.iter().copied());
        let tree = Tree::Elem(builtins::Operand { elem: *elem, parts });
        given.push(Arg {
            name: None,
            tree,
            span: Span::default(),
        });
    }
    let outcome = row
        .call(&mut b, &given, Span::default())
        .unwrap_or_else(|e| panic!("{}{args:?}: {e}", row.name));
    let mut results = Vec::new();
    flatten(&outcome.result, &mut results);
    (b, inputs, results)
}

pub fn finish(mut b: Builder, results: &[Value]) -> Program {
    store(&mut b, ParamId(0), results);
    let func = b.finish();
    verify::check(&func).unwrap_or_else(|bug| panic!("{bug}\n{func}"));
    Program {
        func,
        results: results.len(),
    }
}

/// The kernel that computes the gradient of `sum(weight[k] * result[k])` by the rows of primitives,
/// and the values of the gradient. Straight-line code only, which is what rows expand to.
pub fn gradient(func: &Func, inputs: &[Value], results: &[Value]) -> (Builder, Vec<Value>) {
    let mut b = Builder::new(format!("{}_adjoint", func.name));
    for param in &func.params {
        b.param(param.name.clone(), param.ty);
    }
    for ty in &func.values {
        b.fresh(*ty);
    }
    let body: Vec<_> = func
        .body
        .stmts
        .iter()
        .filter(|s| !matches!(s.kind, Kind::Store { .. }))
        .collect();
    for stmt in &body {
        b.push(stmt.kind.clone());
    }
    let mut adjoints: HashMap<Value, Value> = HashMap::new();
    for (k, result) in results.iter().enumerate() {
        if b.ty(*result).is_float() {
            let weight = b.number(b.ty(*result), weight(k));
            accumulate(&mut b, &mut adjoints, *result, weight);
        }
    }
    for stmt in body.iter().rev() {
        if let Kind::Intrinsic {
            op: Intrinsic::Factor(of),
            args,
            outs,
        } = &stmt.kind
        {
            let zero = b.number(b.ty(outs[0]), 0.0);
            let ds: Vec<Value> = (outs.iter())
                .map(|out| adjoints.get(out).copied().unwrap_or(zero))
                .collect();
            let parts = factor::adjoint(&mut b, *of, outs, &ds);
            for (arg, part) in args.iter().zip(parts) {
                accumulate(&mut b, &mut adjoints, *arg, part);
            }
            continue;
        }
        let Kind::Let { out, op, args } = &stmt.kind else {
            panic!("rows expand to straight-line code");
        };
        let Some(d) = adjoints.get(out).copied() else {
            continue;
        };
        let parts = adjoint(&ExprBuilder::new(&mut b), *op, args, *out, d);
        assert_eq!(parts.len(), args.len(), "{op:?}");
        for (arg, part) in args.iter().zip(parts) {
            if let Some(part) = part {
                assert_eq!(b.ty(part), b.ty(*arg), "{op:?} gives its argument's type");
                accumulate(&mut b, &mut adjoints, *arg, part);
            }
        }
    }
    let slopes = inputs.iter().map(|x| match adjoints.get(x) {
        Some(value) => *value,
        None => b.number(Scalar::F64, 0.0),
    });
    let slopes = slopes.collect();
    (b, slopes)
}

fn accumulate(b: &mut Builder, adjoints: &mut HashMap<Value, Value>, to: Value, part: Value) {
    let sum = match adjoints.get(&to) {
        Some(before) => b.op(Op::Add, &[*before, part]),
        None => part,
    };
    adjoints.insert(to, sum);
}

pub(super) fn weight(k: usize) -> f64 {
    1.0 + 0.37 * k as f64
}

/// The call, its gradient, and the gradient of that: the rules are made of operations with rules.
pub(super) fn derivatives(row: &Row, args: &[Elem]) -> (Program, Program, Program) {
    let (b, inputs, results) = program(row, args);
    let value = finish(b, &results);
    let (b, slopes) = gradient(&value.func, &inputs, &results);
    let first = finish(b, &slopes);
    let (b, bends) = gradient(&first.func, &inputs, &slopes);
    let second = finish(b, &bends);
    (value, first, second)
}
