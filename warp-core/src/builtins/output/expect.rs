//! Checks that print when they fail. The kernel goes on.

use crate::builtins::operation::cast::cast;
use crate::builtins::operation::operators::{CompareOp, compare};
use crate::builtins::output::format::Text;
use crate::builtins::signature::call::Call;
use crate::builtins::value::{Operand, Tree};
use crate::error::Result;
use crate::ir::expr::vector::{join, zip};
use crate::ir::{Builder, Value};

/// `expect_eq(a, b)` fails where any component differs, `expect_neq(a, b)` where none does.
pub fn expect_order(c: &mut Call<'_>, fails: CompareOp, says: &str) -> Result<Tree> {
    let (a, b, span) = (c.args[0].clone(), c.args[1].clone(), c.span);
    let Tree::Elem(failed) = compare(&mut c.builder(), fails, &a, &b, span)? else {
        unreachable!("a comparison gives a truth value");
    };
    report(c, failed.parts[0], says);
    Ok(Tree::None)
}

/// `expect_near(a, b, tolerance)` fails where a component is further away than the tolerance, or NaN.
pub fn expect_near(c: &mut Call<'_>) -> Result<Tree> {
    let tolerance = cast(&mut c.builder(), c.operand(2), c.scalar(0));
    let (a, b, tolerance) = (c.parts(0), c.parts(1), c.b.expr(tolerance.parts[0]));
    let near = zip(&a, &b, |a, b| (a - b).abs().le(tolerance));
    let failed = !join(&near, |all, one| all & one);
    report(c, failed.value(), "is not near");
    Ok(Tree::None)
}

/// Prints `expect_eq failed: a says b` where a check failed.
fn report(c: &mut Call<'_>, failed: Value, says: &str) {
    let (name, a, b) = (c.name, c.operand(0).clone(), c.operand(1).clone());
    c.builder().if_(
        failed,
        |builder| {
            let mut text = Text::default();
            text.verbatim(&format!("{name} failed: "));
            text.row(builder, &a);
            text.verbatim(&format!(" {says} "));
            text.row(builder, &b);
            text.verbatim("\n");
            text.emit(builder);
            Vec::new()
        },
        |_| Vec::new(),
    );
}

impl Text {
    /// A value on one line: composites in brackets, with commas.
    fn row(&mut self, b: &mut Builder, x: &Operand) {
        let several = x.as_scalar().is_none();
        if several {
            self.verbatim("(");
        }
        for (i, part) in x.parts.iter().enumerate() {
            if i > 0 {
                self.verbatim(", ");
            }
            self.value(b, *part);
        }
        if several {
            self.verbatim(")");
        }
    }
}
