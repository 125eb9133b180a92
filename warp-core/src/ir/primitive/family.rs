//! The form of a family of primitives.
//!
//! A row stands once. `family!` makes a static of each row, and of all rows of a family a macro with the family's
//! name. `with_primitives!` in `families.rs` hands the names of all families to a macro of the caller's: the enum
//! [`Op`](crate::ir::Op) gets its variants in this way, and the table its rows.

/// Declares a family: its name, then a row per primitive of the form
///
/// ```text
/// /// What it computes.
/// Variant: "name", Rule { field: value, … }
/// ```
///
/// The fields are those of [`Primitive`](super::Primitive); what is left out is as in
/// [`Primitive::plain`](super::Primitive::plain). The `$` in front of the family's name is what the macro made here needs to
/// spell its own variables.
macro_rules! family {
    ($d:tt $family:ident;
     $($(#[doc = $doc:literal])+ $op:ident: $name:literal, $rule:ident { $($field:ident: $value:expr),* $(,)? })+
    ) => {
        $(
            $(#[doc = $doc])+
            #[allow(non_upper_case_globals, reason = "called as the variant of `Op` is")]
            pub static $op: $crate::ir::primitive::row::Primitive = $crate::ir::primitive::row::Primitive {
                $($field: $value,)*
                ..$crate::ir::primitive::row::Primitive::plain(
                    $crate::ir::op::Op::$op,
                    $name,
                    // Without the space that follows `///`.
                    concat!($($doc),+).split_at(1).1,
                    $crate::ir::primitive::rule::Rule::$rule,
                )
            };
        )+

        /// Adds the names of this family to those that came `before`; goes on with the `next` family, or hands
        /// all of them to `then`.
        macro_rules! $family {
            ([] $d then:ident $d($d before:tt)*) => {
                $d then! { $d($d before)* $family { $($(#[doc = $doc])+ $op)+ } }
            };
            ([$d next:ident $d($d rest:ident)*] $d then:ident $d($d before:tt)*) => {
                $d next! { [$d($d rest)*] $d then $d($d before)* $family { $($(#[doc = $doc])+ $op)+ } }
            };
        }
    };
}

/// Names a function of the C library for float32 and the same for float64.
macro_rules! library {
    ($single:ident, $double:ident) => {{
        // SAFETY: both are functions of the C library, which every process has, with these arguments and results.
        unsafe extern "C" {
            safe fn $single(x: f32) -> f32;
            safe fn $double(x: f64) -> f64;
        }
        $crate::ir::primitive::row::Code::Function($crate::ir::primitive::row::Library::Unary(
            $single, $double,
        ))
    }};
    ($single:ident, $double:ident, binary) => {{
        // SAFETY: as above.
        unsafe extern "C" {
            safe fn $single(x: f32, y: f32) -> f32;
            safe fn $double(x: f64, y: f64) -> f64;
        }
        $crate::ir::primitive::row::Code::Function($crate::ir::primitive::row::Library::Binary(
            $single, $double,
        ))
    }};
}

/// The builtin of a float function of one argument: its name, where it is smooth, and an independent definition.
macro_rules! of_float {
    ($name:literal, [$low:literal, $high:literal], $reference:expr) => {
        Some($crate::ir::primitive::row::Builtin {
            name: $name,
            sig: "(x: F) -> F",
            facts: $crate::ir::primitive::facts::Facts {
                domain: &[($low, $high)],
                reference: $crate::ir::primitive::facts::Reference::Is(|x| {
                    let f: fn(f64) -> f64 = $reference;
                    vec![f(x[0])]
                }),
            },
        })
    };
}
