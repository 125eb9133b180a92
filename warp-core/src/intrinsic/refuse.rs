//! What ends a kernel with a fault.

use crate::dtype::Scalar;
use crate::intrinsic::row::{Machine, Row, Typed, ensure};
use crate::ir::{Intrinsic, Num};

pub const CHECK: Row = Row {
    check: check_types,
    interpret: check,
    ..Row::PLAIN
};

pub const REQUIRE: Row = Row {
    check: |_, args, outs| {
        ensure(args == [Scalar::Bool] && outs.is_empty(), || {
            "`require` takes one bool".into()
        })
    },
    interpret: |op, _, args| match op {
        Intrinsic::Require(what) if !args[0].1.truth() => Err(format!("required: {}", what.name())),
        _ => Ok(Vec::new()),
    },
    ..Row::PLAIN
};

fn check_types(op: &Intrinsic, args: &[Scalar], outs: &[Scalar]) -> Result<(), String> {
    let fits = match op {
        Intrinsic::Check(Some(0)) => return Err("`check` of no size".into()),
        Intrinsic::Check(Some(_)) => args == [Scalar::I32; 2],
        _ => args == [Scalar::I32; 3] || args == [Scalar::I64; 3],
    };
    ensure(fits && outs.is_empty(), || format!("`check` of {args:?}"))
}

fn check(op: &Intrinsic, _: &mut dyn Machine, args: &[Typed]) -> Result<Vec<Num>, String> {
    let size = match op {
        Intrinsic::Check(Some(size)) => i64::from(*size),
        _ => args[2].1.int(),
    };
    let [index, given] = [0, 1].map(|n: usize| args[n].1.int());
    ensure((0..size).contains(&index), || {
        format!("index {given} is out of range for size {size}")
    })?;
    Ok(Vec::new())
}
