//! Comparisons.

use super::float32::input;
use super::half;
use super::integer::{Int, by_int};
use super::{Binary, float64};
use crate::ptx::types::Type;
use std::cmp::Ordering;

/// What a comparison asks. The second half holds if an operand is NaN, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

const ALL: [Relation; 14] = {
    use Relation::*;
    [
        Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan,
    ]
};

pub(crate) const NAMES: [(&str, Relation); 18] = {
    use Relation::*;
    [
        ("eq", Eq),
        ("ne", Ne),
        ("lt", Lt),
        ("le", Le),
        ("gt", Gt),
        ("ge", Ge),
        ("lo", Lt),
        ("ls", Le),
        ("hi", Gt),
        ("hs", Ge),
        ("equ", Equ),
        ("neu", Neu),
        ("ltu", Ltu),
        ("leu", Leu),
        ("gtu", Gtu),
        ("geu", Geu),
        ("num", Num),
        ("nan", Nan),
    ]
};

impl Relation {
    #[inline(always)]
    fn holds(self, order: Option<Ordering>) -> bool {
        use Ordering::{Equal, Greater, Less};
        use Relation::*;
        match self {
            Eq => order == Some(Equal),
            Ne => matches!(order, Some(Less | Greater)),
            Lt => order == Some(Less),
            Le => matches!(order, Some(Less | Equal)),
            Gt => order == Some(Greater),
            Ge => matches!(order, Some(Greater | Equal)),
            Equ => matches!(order, None | Some(Equal)),
            Neu => order != Some(Equal),
            Ltu => matches!(order, None | Some(Less)),
            Leu => order != Some(Greater),
            Gtu => matches!(order, None | Some(Greater)),
            Geu => order != Some(Less),
            Num => order.is_some(),
            Nan => order.is_none(),
        }
    }

    /// Whether integers have it.
    pub fn ordered(self) -> bool {
        (self as u8) < Relation::Equ as u8
    }
}

fn ints<T: Int, const R: u8>(a: u64, b: u64) -> u64 {
    let order = T::of(a).cmp(&T::of(b));
    ALL[R as usize].holds(Some(order)).into()
}
fn f32s<const F: bool, const R: u8>(a: u64, b: u64) -> u64 {
    let order = input::<F>(a).partial_cmp(&input::<F>(b));
    ALL[R as usize].holds(order).into()
}
fn f64s<const F: bool, const R: u8>(a: u64, b: u64) -> u64 {
    let order = float64::of(a).partial_cmp(&float64::of(b));
    ALL[R as usize].holds(order).into()
}
fn halves<const BRAIN: bool, const F: bool, const R: u8>(a: u64, b: u64) -> u64 {
    let (a, b) = (half::value(a, BRAIN, F), half::value(b, BRAIN, F));
    ALL[R as usize].holds(a.partial_cmp(&b)).into()
}

macro_rules! by_relation {
    ($name:ident, $relation:expr, $($first:tt)*) => {
        match $relation {
            Relation::Eq => $name::<$($first)*, 0>,
            Relation::Ne => $name::<$($first)*, 1>,
            Relation::Lt => $name::<$($first)*, 2>,
            Relation::Le => $name::<$($first)*, 3>,
            Relation::Gt => $name::<$($first)*, 4>,
            Relation::Ge => $name::<$($first)*, 5>,
            Relation::Equ => $name::<$($first)*, 6>,
            Relation::Neu => $name::<$($first)*, 7>,
            Relation::Ltu => $name::<$($first)*, 8>,
            Relation::Leu => $name::<$($first)*, 9>,
            Relation::Gtu => $name::<$($first)*, 10>,
            Relation::Geu => $name::<$($first)*, 11>,
            Relation::Num => $name::<$($first)*, 12>,
            Relation::Nan => $name::<$($first)*, 13>,
        }
    };
}

fn int_comparing<T: Int>(relation: Relation) -> Binary {
    by_relation!(ints, relation, T)
}

/// The comparison of two numbers of a type, which answers 0 or 1. Packed types compare their low halves.
pub(crate) fn comparing(relation: Relation, ty: Type, flush: bool) -> Binary {
    match (ty, flush) {
        (Type::F32, false) => by_relation!(f32s, relation, false),
        (Type::F32, true) => by_relation!(f32s, relation, true),
        (Type::F64, _) => by_relation!(f64s, relation, false),
        (Type::F16 | Type::F16x2, false) => by_relation!(halves, relation, false, false),
        (Type::F16 | Type::F16x2, true) => by_relation!(halves, relation, false, true),
        (Type::Bf16 | Type::Bf16x2, _) => by_relation!(halves, relation, true, false),
        _ => {
            let of_type: fn(Relation) -> Binary = by_int!(int_comparing, ty);
            of_type(relation)
        }
    }
}
