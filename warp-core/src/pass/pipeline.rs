//! In which order passes run: the lists, and the one runner.
//!
//! A list takes a function and gives one that verifies. Debug builds, and so all tests, verify behind each pass too, so that a
//! bug is reported with the name of the pass that made it.

use crate::error::Bug;
use crate::ir::{Func, ParamId};
use crate::pass::ascend::ascend;
use crate::pass::cse::{Aliasing, cse};
use crate::pass::dce::{dce, dce_part};
use crate::pass::expand::{expand, has_expansions};
use crate::pass::fuse::fuse;
use crate::pass::hoist::hoist;
use crate::pass::inline::{Limits, drop_uncalled, inline_all, inline_short};
use crate::pass::renumber::renumber;
use crate::pass::splice::{has_customs, splice};
use crate::pass::zeros::zeros;
use crate::verify::{Verified, check, verify};
use std::borrow::Cow;
use std::collections::HashSet;

/// A pass and its name.
type Step<'a> = (&'static str, &'a dyn Fn(&mut Func));

/// A kernel of more values has equal computations merged before it is lowered. LLVM would do that too, but takes longer for
/// what it has to read first, and merges nothing across segments.
const LONG: usize = 400;

/// What the front built, ready to be lowered. Calls with derivatives of their own are spliced: what is differentiated is the
/// function as it was built.
///
/// # Errors
/// A bug of the front or of a pass: the function does not verify.
pub fn front(func: Func) -> Result<Verified, Bug> {
    let merge_equal = |func: &mut Func| {
        if func.values.len() > LONG {
            cse(func, Aliasing::Any);
        }
    };
    let splice = |func: &mut Func| {
        if has_customs(func) {
            splice(func);
        }
    };
    let steps: [Step<'_>; 5] = [
        ("inline", &|func| inline_short(func, Limits::default())),
        ("renumber", &renumber),
        ("splice", &splice),
        ("zeros", &zeros),
        ("cse", &merge_equal),
    ];
    run(func, &steps)
}

/// The normal form that reverse mode begins with, of a function that it has tidied up.
///
/// # Errors
/// As [`front`].
pub fn normal(func: Func) -> Result<Verified, Bug> {
    let steps: [Step<'_>; 4] = [
        ("dce", &dce),
        ("hoist", &hoist),
        ("cse", &|func| cse(func, Aliasing::Any)),
        ("dce", &dce),
    ];
    run(func, &steps)
}

/// As [`normal`], of a part of a function: what is defined outside of it cannot be verified.
pub fn normal_part(func: &mut Func) {
    dce_part(func);
    hoist(func);
    cse(func, Aliasing::Any);
    dce_part(func);
}

/// What reverse mode emitted, cleaned up. `gradients`: parameters that are no other's memory. `again`: it is to be differentiated,
/// so that calls with derivatives of their own stay.
///
/// # Errors
/// As [`front`].
pub fn adjoint(func: Func, gradients: &HashSet<ParamId>, again: bool) -> Result<Verified, Bug> {
    let splice = |func: &mut Func| {
        if !again && has_customs(func) {
            splice(func);
        }
    };
    let steps: [Step<'_>; 8] = [
        ("splice", &splice),
        ("zeros", &zeros),
        ("ascend", &|func| ascend(func, gradients)),
        ("cse", &|func| cse(func, Aliasing::Written)),
        ("fuse", &fuse),
        ("dce", &dce),
        ("drop_uncalled", &drop_uncalled),
        ("renumber", &renumber),
    ];
    run(func, &steps)
}

/// What is lowered: no calls with derivatives of their own, no intrinsics that have an expansion. `calls`: functions may stay
/// functions.
///
/// # Errors
/// As [`front`].
pub fn lower(func: &Verified, calls: bool) -> Result<Cow<'_, Verified>, Bug> {
    let inlines = !calls && !func.callees.is_empty();
    if !has_customs(func) && !has_expansions(func) && !inlines {
        return Ok(Cow::Borrowed(func));
    }
    let splice = |func: &mut Func| {
        if has_customs(func) {
            splice(func);
        }
    };
    let inline = |func: &mut Func| {
        if inlines {
            inline_all(func);
        }
    };
    let steps: [Step<'_>; 3] = [
        ("inline", &inline),
        ("splice", &splice),
        ("expand", &expand),
    ];
    run((**func).clone(), &steps).map(Cow::Owned)
}

/// Runs passes one after the other on a function that verifies.
fn run(mut func: Func, steps: &[Step<'_>]) -> Result<Verified, Bug> {
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
