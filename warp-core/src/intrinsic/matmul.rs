//! Products of matrices.

use crate::dtype::Scalar;
use crate::intrinsic::row::{Derivative, Differentiated, Machine, Row, Typed, ensure};
use crate::ir::{Builder, Intrinsic, Num, Op, Value, evaluate};

pub const MATMUL: Row = Row {
    check,
    cost: |op| {
        let multiply = Op::Mul.primitive().map_or(1, |row| row.cost as u64);
        sizes(op).into_iter().map(u64::from).product::<u64>() * multiply
    },
    interpret,
    derivative: Derivative::Rule(derivative),
    ..Row::PLAIN
};

fn sizes(op: &Intrinsic) -> [u32; 3] {
    match op {
        Intrinsic::Matmul(sizes) => *sizes,
        _ => unreachable!("not a product"),
    }
}

/// Sizes fit, and all is of one number type.
fn check(op: &Intrinsic, args: &[Scalar], outs: &[Scalar]) -> Result<(), String> {
    let [m, k, n] = sizes(op).map(u64::from);
    let of = |count: usize, shapes: &[(u64, u64)]| {
        let wanted = shapes.iter().map(|(rows, cols)| rows * cols);
        let shape: Vec<String> = shapes.iter().map(|(r, c)| format!("{r} x {c}")).collect();
        ensure(wanted.sum::<u64>() == count as u64, || {
            format!("{count} values are no {} matrix", shape.join(" and "))
        })
    };
    ensure(m * k * n > 0, || {
        format!("a {m} x {k} by {k} x {n} product")
    })?;
    of(args.len(), &[(m, k), (k, n)])?;
    of(outs.len(), &[(m, n)])?;
    let ty = args[0];
    let mut types = args.iter().chain(outs);
    let one = ty != Scalar::Bool && types.all(|other| *other == ty);
    ensure(one, || format!("a matrix product of {ty:?}"))
}

fn interpret(op: &Intrinsic, _: &mut dyn Machine, args: &[Typed]) -> Result<Vec<Num>, String> {
    let [m, k, n] = sizes(op).map(|size| size as usize);
    let (a, b) = args.split_at(m * k);
    let ty = args[0].0;
    let mut outs = Vec::with_capacity(m * n);
    for at in 0..m * n {
        let (row, col) = (at / n * k, at % n);
        let mut sum = None;
        for l in 0..k {
            let product = evaluate(Op::Mul, ty, ty, &[a[row + l].1, b[l * n + col].1])?;
            sum = Some(match sum {
                Some(sum) => evaluate(Op::Add, ty, ty, &[sum, product])?,
                None => product,
            });
        }
        outs.extend(sum);
    }
    Ok(outs)
}

/// With `d` the adjoint of the product: that of `a` grows by `d bᵀ`, that of `b` by `aᵀ d`.
fn derivative(op: &Intrinsic, b: &mut Builder, of: &Differentiated<'_>) -> Vec<Option<Value>> {
    let [m, k, n] = sizes(op);
    let split = (m * k) as usize;
    let (left, right) = of.args.split_at(split);
    let mut parts = vec![None; of.args.len()];
    if of.wanted[..split].contains(&true) {
        let across = transpose(right, k, n);
        let found = b.matmul(of.adjoints, &across, [m, n, k]);
        parts[..split].copy_from_slice(&found.into_iter().map(Some).collect::<Vec<_>>());
    }
    if of.wanted[split..].contains(&true) {
        let across = transpose(left, m, k);
        let found = b.matmul(&across, of.adjoints, [k, m, n]);
        parts[split..].copy_from_slice(&found.into_iter().map(Some).collect::<Vec<_>>());
    }
    parts
}

/// The values of a row-major matrix with rows and columns exchanged.
fn transpose(values: &[Value], rows: u32, cols: u32) -> Vec<Value> {
    let all = (0..cols).flat_map(|col| (0..rows).map(move |row| row * cols + col));
    all.map(|at| values[at as usize]).collect()
}
