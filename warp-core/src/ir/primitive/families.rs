//! The list of families.

/// Hands `family { /// doc Variant … } …` of all families, in order, to the macro `$then`.
macro_rules! with_primitives {
    ($then:ident) => {
        trigonometric! { [power special rounding arithmetic comparison bits] $then }
    };
}
