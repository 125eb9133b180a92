//! Components at run time, and what kernels print.

use super::{AT, F32, F64, I32, arg, mat, value};
use warp_core::builtins::{
    self, Arg, CompareOp, Operand, Tree, compare, component, with_component,
};
use warp_core::dtype::Scalar;
use warp_core::interp::{self, Memory, Num};
use warp_core::ir::{Builder, Const, ParamType};
use warp_core::ty::Elem;
use warp_core::verify;

/// Runs a kernel with one int32 parameter `i` and gives what it printed.
fn printed(i: i64, build: impl FnOnce(&mut Builder, Tree)) -> String {
    let mut b = Builder::new("k");
    let id = b.param("i", ParamType::Elem(I32));
    let i_value = b.let_(Scalar::I32, warp_core::ir::Op::Param(id, 0), &[]);
    build(&mut b, Tree::Elem(Operand::scalar(Scalar::I32, i_value)));
    let func = verify::verify(b.finish()).expect("well formed");
    let args = [interp::Arg::Elem(vec![Num::Int(i)])];
    interp::run(&func, &[1], &args, &mut Memory::default()).expect("runs")
}

pub(super) fn print(b: &mut Builder, args: &[Tree]) {
    let args: Vec<Arg<'_>> = args.iter().cloned().map(arg).collect();
    builtins::find("print")
        .expect("a row")
        .call(b, &args, AT)
        .expect("printed");
}

#[test]
fn components_at_run_time() {
    let read = |i| {
        printed(i, |b, i| {
            let Tree::Elem(m) = value(b, mat(2, 2)) else {
                panic!()
            };
            let row = component(b, &m, std::slice::from_ref(&i), AT).expect("a row");
            let cell = component(b, &m, &[i.clone(), i.clone()], AT).expect("a cell");
            let nine = b.number(Scalar::F32, 9.0);
            let nine = Tree::Elem(Operand::scalar(Scalar::F32, nine));
            let m = with_component(b, &m, &[i.clone(), i], &nine, AT).expect("replaced");
            print(b, &[row, cell, Tree::Elem(m)]);
        })
    };
    assert_eq!(read(0), "1 2 1 9 2\n3 4\n");
    assert_eq!(read(1), "3 4 4 1 2\n3 9\n");
    assert_eq!(read(-1), read(1));
    assert_eq!(read(-2), read(0));
}

#[test]
fn printing() {
    let out = printed(7, |b, i| {
        let double = value(b, F64);
        let truth = compare(b, CompareOp::Gt, &i, &double, AT).expect("numbers");
        let byte = value(b, Elem::Scalar(Scalar::U8));
        let long = b.constant(Scalar::I64, Const::Int(1 << 40));
        let long = Tree::Elem(Operand::scalar(Scalar::I64, long));
        print(b, &[Tree::Str("100%".into()), i, truth, byte, long, double]);
    });
    assert_eq!(out, "100% 7 True 1 1099511627776 1\n");
}

fn formatted(format: &str, elems: &[Elem]) -> Result<String, String> {
    let mut outcome = Ok(());
    let out = printed(0, |b, _| {
        let mut args = vec![arg(Tree::Str(format.into()))];
        for elem in elems {
            let tree = value(b, *elem);
            args.push(arg(tree));
        }
        let row = builtins::find("printf").expect("a row");
        outcome = row.call(b, &args, AT).map(drop).map_err(|e| e.message);
    });
    outcome.map(|()| out)
}

#[test]
fn printf_formats() {
    assert_eq!(
        formatted("%5.2f|%-4d|%%\n", &[F32, I32]),
        Ok(" 1.00|1   |%\n".into())
    );
    assert_eq!(
        formatted("%lld %u", &[I32, Elem::Scalar(Scalar::U64)]),
        Ok("1 1".into())
    );
    assert_eq!(
        formatted("%d", &[F32]),
        Err("`%d` cannot print float32".into())
    );
    assert_eq!(
        formatted("%f", &[I32]),
        Err("`%f` cannot print int32".into())
    );
    assert_eq!(
        formatted("%d %d", &[I32]),
        Err("the format of `printf` has more conversions than the 1 value given".into())
    );
    assert_eq!(
        formatted("", &[I32]),
        Err("`printf` got 1 values, its format prints 0".into())
    );
    assert_eq!(
        formatted("%n", &[I32]),
        Err("`printf` does not know the conversion `%n`".into())
    );
    assert_eq!(
        formatted("50%", &[]),
        Err("`printf` does not know the conversion `%`".into())
    );
    assert_eq!(
        formatted("%é", &[]),
        Err("`printf` does not know the conversion `%é`".into())
    );
}
