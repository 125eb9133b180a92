//! What operators, numbers and control flow append to a builder.

use crate::dtype::Scalar;
use crate::ir::{Builder, ExprBuilder, Op, ParamType};
use crate::ty::Elem;

/// The text of a function that takes two numbers of a type and does what `write` says.
fn text(ty: Scalar, write: impl FnOnce(&ExprBuilder<'_>, [crate::ir::Value; 2])) -> String {
    let mut b = Builder::new("f");
    let pair = Elem::Vec { len: 2, scalar: ty };
    let id = b.param("p", ParamType::Elem(pair));
    let values = [0, 1].map(|n| b.let_(ty, Op::Param(id, n), &[]));
    write(&ExprBuilder::new(&mut b), values);
    let text = b.finish().to_string();
    let lines = text.lines().skip(3).map(str::trim);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_operator_is_a_statement_in_the_order_of_evaluation() {
    let found = text(Scalar::F32, |b, [x, y]| {
        let (x, y) = (b.expr(x), b.expr(y));
        let _ = (x * x + y * y).sqrt();
    });
    let expected = "%2:float32 = mul %0, %0\n%3:float32 = mul %1, %1\n\
                    %4:float32 = add %2, %3\n%5:float32 = sqrt %4\n}";
    assert_eq!(found, expected);
}

#[test]
fn a_number_has_the_type_of_what_it_stands_beside() {
    let found = text(Scalar::I64, |b, [x, _]| {
        let x = b.expr(x);
        let _ = x.lt(3).select(x, -1.0);
    });
    let expected = "%2:int64 = const 3\n%3:bool = lt %0, %2\n\
                    %4:int64 = const -1\n%5:int64 = select %3, %0, %4\n}";
    assert_eq!(found, expected);
}

#[test]
fn a_number_on_the_left_stays_there() {
    let found = text(Scalar::F64, |b, [x, _]| {
        let _ = 1.0 - b.expr(x);
    });
    assert_eq!(found, "%2:float64 = const 1.0\n%3:float64 = sub %2, %0\n}");
}

#[test]
fn blocks_use_expressions_from_outside() {
    let found = text(Scalar::I32, |b, [x, y]| {
        let (x, y) = (b.expr(x), b.expr(y));
        let least = b.while_(&[x], |now| now[0].gt(y), |now| [now[0] - y]);
        let _ = b.if_(least[0].eq(y), || [x], || [x + y]);
    });
    assert!(found.contains("gt %"), "{found}");
    assert!(found.contains("if %"), "{found}");
    assert_eq!(found.matches(", %1\n").count(), 4, "{found}");
}

#[test]
#[should_panic(expected = "already")]
fn who_holds_the_builder_cannot_use_expressions() {
    text(Scalar::F32, |b, [x, _]| {
        let _held = b.builder();
        let _ = -b.expr(x);
    });
}
