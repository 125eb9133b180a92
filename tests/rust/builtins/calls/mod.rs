//! How calls find their overload, what is refused and in which words; operators, constructors,
//! components and printing.

mod documents;
mod printing;

use warp_core::builtins::{
    self, Arg, BinaryOp, CompareOp, Operand, Tree, UnaryOp, binary, compare, component, construct,
    unary, with_component,
};
use warp_core::dtype::Scalar;
use warp_core::error::{Code, Error};
use warp_core::ir::{Builder, Const, ParamId, ParamType};
use warp_core::span::Span;
use warp_core::ty::{Compound, Elem, Type};
use warp_core::verify;

const AT: Span = Span {
    source: 0,
    start: 0,
    end: 1,
};

const fn vec(len: u32, scalar: Scalar) -> Elem {
    Elem::Vec { len, scalar }
}
const fn mat(rows: u32, cols: u32) -> Elem {
    Elem::Mat {
        rows,
        cols,
        scalar: Scalar::F32,
    }
}
const F32: Elem = Elem::Scalar(Scalar::F32);
const F64: Elem = Elem::Scalar(Scalar::F64);
const I32: Elem = Elem::Scalar(Scalar::I32);
const BOOL: Elem = Elem::Scalar(Scalar::Bool);

/// Constants 1, 2, 3, ... of a type.
fn value(b: &mut Builder, elem: Elem) -> Tree {
    let parts = (0..elem.count())
        .map(|i| b.number(elem.scalar(), i as f64 + 1.0))
        .collect();
    Tree::Elem(Operand { elem, parts })
}

fn arg(tree: Tree) -> Arg<'static> {
    Arg {
        name: None,
        tree,
        span: AT,
    }
}

fn call(name: &str, elems: &[Elem]) -> Result<Type, Error> {
    let mut b = Builder::new("k");
    let args: Vec<Arg<'_>> = elems.iter().map(|e| arg(value(&mut b, *e))).collect();
    builtins::find(name)
        .expect("a row")
        .call(&mut b, &args, AT)
        .map(|outcome| outcome.result.ty())
}

fn refusal(name: &str, elems: &[Elem]) -> String {
    call(name, elems).expect_err("must be refused").to_string()
}

#[test]
fn overloads_follow_the_types() {
    let ty = |name, elems: &[Elem]| call(name, elems).expect("accepted").to_string();
    assert_eq!(ty("min", &[F32, F32]), "float32");
    assert_eq!(
        ty("min", &[vec(3, Scalar::F64), vec(3, Scalar::F64)]),
        "vec(3, float64)"
    );
    assert_eq!(ty("min", &[vec(3, Scalar::I32)]), "int32");
    assert_eq!(ty("max", &[I32, I32, I32, I32]), "int32");
    assert_eq!(ty("mul", &[mat(2, 3), mat(3, 4)]), "mat(2x4, float32)");
    assert_eq!(
        ty("mul", &[mat(2, 3), vec(3, Scalar::F32)]),
        "vec(2, float32)"
    );
    assert_eq!(
        ty("outer", &[vec(2, Scalar::F32), vec(4, Scalar::F32)]),
        "mat(2x4, float32)"
    );
    assert_eq!(
        ty(
            "quat_to_axis_angle",
            &[Elem::Compound(Compound::Quat, Scalar::F32)]
        ),
        "(vec(3, float32), float32)"
    );
    assert_eq!(ty("argmax", &[vec(3, Scalar::F32)]), "uint32");
}

#[test]
fn refusals_say_what_was_found_and_what_would_be_right() {
    assert_eq!(
        refusal("sin", &[I32]),
        "argument `x` of `sin` is int32, expected a float type (accepted: sin(x: F) -> F)"
    );
    assert_eq!(
        refusal("atan2", &[F64, F32]),
        "argument `x` of `atan2` is float32, expected float64 (types are never converted silently: use \
         wp.float64(...); accepted: atan2(y: F, x: F) -> F)"
    );
    assert_eq!(
        refusal("cross", &[vec(3, Scalar::F32), vec(2, Scalar::F32)]),
        "argument `b` of `cross` is vec(2, float32), expected vec(3, float32) (accepted: \
         cross(a: vec(3, S), b: vec(3, S)) -> vec(3, S))"
    );
    assert_eq!(
        refusal("length", &[F32]),
        "`length` does not take (float32) (accepted: length(a: vec(N, F)) -> F; length(a: quat(F)) -> F)"
    );
    assert_eq!(
        refusal("sin", &[F32, F32]),
        "`sin` takes 1 argument, 2 given (accepted: sin(x: F) -> F)"
    );
    assert_eq!(
        refusal("clamp", &[F32, F32]),
        "`clamp` is called without its argument `high` (accepted: clamp(x: S, low: S, high: S) -> S)"
    );
    assert_eq!(
        refusal("lerp", &[vec(3, Scalar::F32), vec(2, Scalar::F32), F32]),
        "argument `b` of `lerp` is vec(2, float32), expected vec(3, float32) (accepted: \
         lerp(a: E(F), b: E(F), t: F) -> E)"
    );
    assert_eq!(builtins::find("nosuch").map(|row| row.name), None);
}

#[test]
fn names_and_defaults() {
    let mut b = Builder::new("k");
    let row = builtins::find("clamp").expect("a row");
    let parts: Vec<Tree> = (0..3).map(|_| value(&mut b, F32)).collect();
    let named = |names: [Option<&'static str>; 3]| -> Vec<Arg<'static>> {
        let pairs = names.into_iter().zip(&parts);
        pairs
            .map(|(name, tree)| Arg {
                name,
                tree: tree.clone(),
                span: AT,
            })
            .collect()
    };
    row.call(&mut b, &named([None, Some("high"), Some("low")]), AT)
        .expect("accepted");
    // An older name still counts.
    let v = arg(value(&mut b, vec(3, Scalar::F32)));
    for name in ["a", "x"] {
        let given = Arg {
            name: Some(name),
            ..v.clone()
        };
        let length = builtins::find("length").expect("a row");
        length.call(&mut b, &[given], AT).expect("accepted");
    }
    let error = row
        .call(&mut b, &named([None, Some("x"), Some("low")]), AT)
        .expect_err("twice");
    assert_eq!(error.message, "`clamp` got its argument `x` twice");
    let error = row
        .call(&mut b, &named([None, Some("lo"), Some("high")]), AT)
        .expect_err("unknown");
    assert_eq!(
        (error.code, &*error.message),
        (Code::Argument, "`clamp` has no parameter `lo`")
    );

    let n = b.i32(2);
    let n = Tree::Elem(Operand::scalar(Scalar::I32, n));
    let dtype = Arg {
        name: Some("dtype"),
        tree: Tree::Type(Type::scalar(Scalar::F64)),
        span: AT,
    };
    let row = builtins::find("identity").expect("a row");
    let found = row
        .call(&mut b, &[arg(n.clone()), dtype], AT)
        .expect("accepted");
    assert_eq!(found.result.ty().to_string(), "mat(2x2, float64)");
    let found = row.call(&mut b, &[arg(n)], AT).expect("accepted");
    assert_eq!(found.result.ty().to_string(), "mat(2x2, float32)");
    let row = builtins::find("norm_huber").expect("a row");
    let v = value(&mut b, vec(3, Scalar::F64));
    let found = row
        .call(&mut b, &[arg(v)], AT)
        .expect("the default takes the type of v");
    assert_eq!(found.result.ty(), Type::scalar(Scalar::F64));
}

fn operator(op: BinaryOp, l: Elem, r: Elem) -> Result<String, String> {
    let mut b = Builder::new("k");
    let (l, r) = (value(&mut b, l), value(&mut b, r));
    match binary(&mut b, op, &l, &r, AT) {
        Ok(tree) => Ok(tree.ty().to_string()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn operators_on_composites() {
    let ok = |op, l, r| operator(op, l, r).expect("defined");
    let (v2, v3) = (vec(2, Scalar::F32), vec(3, Scalar::F32));
    let q = Elem::Compound(Compound::Quat, Scalar::F32);
    assert_eq!(ok(BinaryOp::Add, v3, v3), "vec(3, float32)");
    assert_eq!(ok(BinaryOp::Mul, F32, v3), "vec(3, float32)");
    assert_eq!(ok(BinaryOp::Div, mat(2, 2), F32), "mat(2x2, float32)");
    assert_eq!(ok(BinaryOp::Mul, mat(2, 3), mat(3, 2)), "mat(2x2, float32)");
    assert_eq!(ok(BinaryOp::MatMul, mat(2, 3), v3), "vec(2, float32)");
    assert_eq!(ok(BinaryOp::Mul, v2, mat(2, 3)), "vec(3, float32)");
    assert_eq!(ok(BinaryOp::Mul, q, q), "quat(float32)");
    assert_eq!(ok(BinaryOp::Mod, v3, v3), "vec(3, float32)");
    assert_eq!(ok(BinaryOp::BitAnd, BOOL, BOOL), "bool");
    for (op, l, r) in [
        (BinaryOp::Mul, v3, v3),
        (BinaryOp::MatMul, v3, v3),
        (BinaryOp::MatMul, F32, F32),
        (BinaryOp::Add, v3, F32),
        (BinaryOp::Mul, mat(2, 3), mat(2, 3)),
        (BinaryOp::Pow, I32, I32),
        (BinaryOp::Add, BOOL, BOOL),
        (BinaryOp::Shl, F32, F32),
        (BinaryOp::Add, F32, I32),
    ] {
        operator(op, l, r).expect_err("not defined");
    }
    assert_eq!(
        operator(BinaryOp::Mul, F64, F32),
        Err("cannot multiply float64 and float32: `*` is not defined for them (types are never converted \
             silently: use wp.float64(...))"
            .into())
    );
}

#[test]
fn constants_stay_constant_where_indices_need_it() {
    let mut b = Builder::new("k");
    let three = value(&mut b, I32);
    let minus = unary(&mut b, UnaryOp::Neg, &three, AT).expect("a number");
    let Tree::Elem(x) = minus else {
        panic!("a scalar")
    };
    assert_eq!(b.as_const(x.parts[0]), Some(Const::Int(-1)));
    let args = [arg(three)];
    let byte = construct(&mut b, Elem::Scalar(Scalar::U8), &args, AT).expect("converted");
    let byte = Tree::Elem(byte);
    let minus = unary(&mut b, UnaryOp::Neg, &byte, AT).expect("a number");
    let Tree::Elem(x) = minus else {
        panic!("a scalar")
    };
    assert_eq!(b.as_const(x.parts[0]), Some(Const::Int(255)));
}

#[test]
fn comparisons_of_two_number_types_are_of_the_wider_one() {
    let mut b = Builder::new("k");
    for (l, r) in [
        (F32, I32),
        (I32, F64),
        (F32, F64),
        (I32, Elem::Scalar(Scalar::U8)),
    ] {
        let (l, r) = (value(&mut b, l), value(&mut b, r));
        let found = compare(&mut b, CompareOp::Lt, &l, &r, AT).expect("numbers");
        assert_eq!(found.ty(), Type::scalar(Scalar::Bool));
    }
    let v = vec(3, Scalar::F32);
    let (x, y) = (value(&mut b, v), value(&mut b, v));
    compare(&mut b, CompareOp::Ne, &x, &y, AT).expect("component by component");
    compare(&mut b, CompareOp::Lt, &x, &y, AT).expect_err("vectors have no order");
    let truth = value(&mut b, BOOL);
    compare(&mut b, CompareOp::Eq, &truth, &x, AT).expect_err("a truth value and a vector");
}

fn made(elem: Elem, of: &[Elem]) -> Result<Operand, String> {
    let mut b = Builder::new("k");
    let args: Vec<Arg<'_>> = of.iter().map(|e| arg(value(&mut b, *e))).collect();
    construct(&mut b, elem, &args, AT).map_err(|e| e.to_string())
}

#[test]
fn constructors() {
    let v3 = vec(3, Scalar::F32);
    let q = Elem::Compound(Compound::Quat, Scalar::F32);
    for of in [
        &[][..],
        &[F32],
        &[I32],
        &[F32, F32, F32],
        &[I32, F32, I32],
        &[vec(3, Scalar::F64)],
    ] {
        assert_eq!(made(v3, of).expect("made").parts.len(), 3);
    }
    assert_eq!(made(mat(2, 2), &[F32; 4]).expect("made").parts.len(), 4);
    assert_eq!(made(q, &[v3, F32]).expect("made").parts.len(), 4);
    assert_eq!(made(F64, &[BOOL]).expect("made").elem, F64);
    assert_eq!(
        made(v3, &[F32, F32]),
        Err("vec(3, float32) cannot be made of (float32, float32) (nothing (zeros), one float32 for all \
             components, 3 components, or a vector of 3)"
            .into())
    );
    assert_eq!(
        made(v3, &[F64, F64, F64]),
        Err("a component of vec(3, float32) is float32, this is float64 (types are never converted silently: \
             use wp.float32(...))"
            .into())
    );
    let rows =
        made(mat(2, 2), &[vec(2, Scalar::F32); 2]).expect_err("rows have a function of their own");
    assert!(rows.contains("matrix_from_rows"), "{rows}");
}

#[test]
fn static_components_are_checked() {
    let mut b = Builder::new("k");
    let Tree::Elem(m) = value(&mut b, mat(2, 3)) else {
        panic!()
    };
    let mut index = |i: i32| {
        let i = b.i32(i);
        Tree::Elem(Operand::scalar(Scalar::I32, i))
    };
    let (minus, one, three) = (index(-1), index(1), index(3));
    let row = component(&mut b, &m, std::slice::from_ref(&minus), AT).expect("a row");
    assert_eq!(
        row,
        Tree::Elem(Operand {
            elem: vec(3, Scalar::F32),
            parts: m.parts[3..].into()
        })
    );
    let cell = component(&mut b, &m, &[one.clone(), minus], AT).expect("a cell");
    assert_eq!(cell, Tree::Elem(Operand::scalar(Scalar::F32, m.parts[5])));
    let error = component(&mut b, &m, &[three.clone(), one.clone()], AT).expect_err("3 of 2 rows");
    assert_eq!(
        error.to_string(),
        "index 3 is out of range for mat(2x3, float32), which has 2 along it (indices go from -2 to 1)"
    );
    let double = value(&mut b, F64);
    let error = with_component(&mut b, &m, &[one.clone(), one.clone()], &double, AT);
    let error = error.expect_err("float64 into float32");
    assert!(error.to_string().contains("wp.float32"), "{error}");
    component(&mut b, &m, &[one.clone(), one.clone(), one], AT).expect_err("three indices");
    let attribute = builtins::attribute(&m, "x", AT).expect_err("a matrix has no x");
    assert_eq!(attribute.code, Code::Attribute);
}

#[test]
fn atomics_take_an_index_for_each_dimension() {
    let attempt = |elem, ndim, given: &[Elem]| {
        let mut b = Builder::new("k");
        let array = b.param("a", ParamType::Array { elem, ndim });
        assert_eq!(array, ParamId(0));
        let view = builtins::View::whole(array, elem, ndim);
        let mut args = vec![arg(Tree::Array(view))];
        for elem in given {
            let tree = value(&mut b, *elem);
            args.push(arg(tree));
        }
        let row = builtins::find("atomic_sub").expect("a row");
        match row.call(&mut b, &args, AT) {
            Ok(outcome) => {
                verify::check(b.func()).expect("well formed");
                Ok(outcome.result.ty().to_string())
            }
            Err(error) => Err(error.to_string()),
        }
    };
    let v3 = vec(3, Scalar::F32);
    assert_eq!(attempt(F32, 2, &[I32, I32, F32]), Ok("float32".into()));
    assert_eq!(
        attempt(v3, 1, &[Elem::Scalar(Scalar::U8), v3]),
        Ok("vec(3, float32)".into())
    );
    assert_eq!(
        attempt(F32, 2, &[I32, F32]),
        Err("`atomic_sub` on an array of 2 dimensions takes 2 indices and a value, 1 and a value are given".into())
    );
    attempt(F32, 1, &[F32, F32]).expect_err("a float is no index");
    assert_eq!(
        attempt(F64, 1, &[I32, F32]),
        Err("the value is float32, the array holds float64 (types are never converted silently: use \
             wp.float64(...))"
            .into())
    );
}
