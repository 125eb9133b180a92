//! What must hold of all rows.

use super::*;
use crate::dtype::{Scalar, TABLE};
use std::collections::BTreeSet;

/// Types that a primitive takes.
fn types(row: &Primitive) -> impl Iterator<Item = Scalar> {
    let (rule, arity) = (row.rule, row.rule.arity());
    let all = TABLE.iter().map(|row| row.scalar);
    all.filter(move |ty| rule.result(&vec![*ty; arity]).is_some())
}

#[test]
fn an_operation_finds_its_own_row() {
    let mut names = BTreeSet::new();
    for row in PRIMITIVES {
        let found = row.op.primitive().expect("a row");
        assert!(std::ptr::eq(*row, found), "{}", row.name);
        assert!(names.insert(row.name), "two rows called `{}`", row.name);
        assert!(!row.doc.is_empty() && !row.doc.starts_with(' '));
    }
    assert!(Op::Select.primitive().is_none());
}

#[test]
fn a_row_says_something_of_every_number_that_its_rule_takes() {
    for row in PRIMITIVES {
        let name = row.name;
        let floats = types(row).any(Scalar::is_float);
        let ints = types(row).any(|ty| !ty.is_float());
        assert_eq!(floats, !matches!(row.floats, OnFloats::Undefined), "{name}");
        assert_eq!(floats, !matches!(row.float_code, Code::Undefined), "{name}");
        assert_eq!(ints, !matches!(row.ints, OnInts::Undefined), "{name}");
        assert_eq!(ints, !matches!(row.int_code, Code::Undefined), "{name}");
        let differentiable =
            floats && row.rule.result(&vec![Scalar::F64; row.rule.arity()]) == Some(Scalar::F64);
        assert_eq!(
            differentiable,
            !matches!(row.derivative, Derivative::Undefined),
            "{name}"
        );
    }
}

#[test]
fn functions_take_as_many_arguments_as_their_rule() {
    for row in PRIMITIVES {
        let arities = [
            match row.floats {
                OnFloats::Undefined => None,
                OnFloats::Unary(_) | OnFloats::Test(_) => Some(1),
                OnFloats::Binary(_) | OnFloats::Compare(_) => Some(2),
            },
            match row.ints {
                OnInts::Undefined => None,
                OnInts::Unary(_) => Some(1),
                OnInts::Binary(_) | OnInts::Compare(_) => Some(2),
            },
            match row.derivative {
                Derivative::Undefined | Derivative::Zero => None,
                Derivative::Unary(_) => Some(1),
                Derivative::Binary(_) => Some(2),
            },
            row.library().map(|library| match library {
                Library::Unary(..) => 1,
                Library::Binary(..) => 2,
            }),
        ];
        for arity in arities.into_iter().flatten() {
            assert_eq!(arity, row.rule.arity(), "{}", row.name);
        }
    }
}
