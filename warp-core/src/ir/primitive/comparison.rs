//! Comparisons, and tests of one float.

use super::row::{Code, OnFloats, OnInts};
use std::cmp::Ordering;

family! { $ comparison;
    /// Equal.
    Eq: "eq", Same {
        commutes: true,
        floats: OnFloats::Compare(|order| order == Some(Ordering::Equal)),
        ints: OnInts::Compare(|order| order == Some(Ordering::Equal)),
        float_code: Code::Compare("oeq"),
        int_code: Code::Compare("eq"),
    }

    /// Not equal (true for NaN).
    Ne: "ne", Same {
        commutes: true,
        floats: OnFloats::Compare(|order| order != Some(Ordering::Equal)),
        ints: OnInts::Compare(|order| order != Some(Ordering::Equal)),
        float_code: Code::Compare("une"),
        int_code: Code::Compare("ne"),
    }

    /// Less.
    Lt: "lt", Order {
        floats: OnFloats::Compare(|order| order.is_some_and(Ordering::is_lt)),
        ints: OnInts::Compare(|order| order.is_some_and(Ordering::is_lt)),
        float_code: Code::Compare("olt"),
        int_code: Code::Compare("lt"),
    }

    /// Less or equal.
    Le: "le", Order {
        floats: OnFloats::Compare(|order| order.is_some_and(Ordering::is_le)),
        ints: OnInts::Compare(|order| order.is_some_and(Ordering::is_le)),
        float_code: Code::Compare("ole"),
        int_code: Code::Compare("le"),
    }

    /// Greater.
    Gt: "gt", Order {
        floats: OnFloats::Compare(|order| order.is_some_and(Ordering::is_gt)),
        ints: OnInts::Compare(|order| order.is_some_and(Ordering::is_gt)),
        float_code: Code::Compare("ogt"),
        int_code: Code::Compare("gt"),
    }

    /// Greater or equal.
    Ge: "ge", Order {
        floats: OnFloats::Compare(|order| order.is_some_and(Ordering::is_ge)),
        ints: OnInts::Compare(|order| order.is_some_and(Ordering::is_ge)),
        float_code: Code::Compare("oge"),
        int_code: Code::Compare("ge"),
    }

    /// Whether the value is not a number.
    IsNan: "isnan", Test {
        floats: OnFloats::Test(f64::is_nan),
        float_code: Code::Several,
    }

    /// Whether the value is infinite.
    IsInf: "isinf", Test {
        floats: OnFloats::Test(f64::is_infinite),
        float_code: Code::Several,
    }

    /// Whether the value is neither infinite nor NaN.
    IsFinite: "isfinite", Test {
        floats: OnFloats::Test(f64::is_finite),
        float_code: Code::Several,
    }
}
