//! The one runner of passes.
//!
//! A list takes a function and gives one that verifies. Debug builds, and so all tests, verify behind each pass too, so that a
//! bug is reported with the name of the pass that made it.

use crate::error::Bug;
use crate::ir::Func;
use crate::verify::{Verified, check, verify};

/// A pass and its name.
pub(super) type Step<'a> = (&'static str, &'a dyn Fn(&mut Func));

/// Runs passes one after the other on a function that verifies.
///
/// # Errors
/// A bug of a pass, or of what made the function: it does not verify.
pub(super) fn run(mut func: Func, steps: &[Step<'_>]) -> Result<Verified, Bug> {
    if cfg!(debug_assertions) {
        check(&func)?;
    }
    for (name, pass) in steps {
        pass(&mut func);
        if cfg!(debug_assertions) {
            check(&func).map_err(|bug| Bug(format!("behind `{name}`: {}", bug.0)))?;
        }
    }
    verify(func)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::ir::{Func, Value, read};

    /// A pass that breaks a function is named.
    #[test]
    fn a_broken_pass_is_named() {
        let func = read("kernel k(x: array<int32, 1>) {\n%0:int32 = tid 0\nstore x[%0], %0\n}")
            .expect("reads");
        let breaks = |func: &mut Func| {
            func.body.stmts[1].kind.uses_mut(|v| *v = Value(7));
        };
        let bug =
            run(func, &[("nothing", &|_| {}), ("breaks", &breaks)]).expect_err("it is broken");
        assert!(bug.0.contains("behind `breaks`: "), "{bug}");
    }
}
