//! How the signatures of rows are written.

/// One signature of a row.
macro_rules! overload {
    ($sig:literal, $f:expr, $facts:expr) => {
        $crate::builtins::signature::row::Overload {
            sig: $sig,
            expand: $crate::builtins::signature::row::Expand::By($f),
            facts: $facts,
        }
    };
}

pub(super) use overload;
