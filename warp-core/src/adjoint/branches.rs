//! Which branches the reverse of an `if` sweeps again, instead of being given what they computed.
//!
//! A value that a branch gives to its reverse occupies a register, or its place on the stack, until then, and lanes select it from
//! what both branches give. So a long branch is swept again where its reverse begins. That costs nothing where nobody else needs
//! the results of the `if`: then [`mod@crate::pass::dce`] drops what ran forward. Otherwise it has to be cheap for what it saves.
//!
//! What runs again must find the memory that it found before: no store of the kernel runs in the adjoint. What a loop in the
//! branch records is replayed in the same branch.

use crate::adjoint::classify::address;
use crate::ir::{Block, Func, Kind, Value};
use crate::pass::dce::Live;
use std::collections::{HashMap, HashSet};

/// How many values a branch gives its reverse at least if it is swept again. With 16, stencils in branches lost more by loads that they
/// no longer shared than they gained.
const MANY: usize = 64;
/// How many statements run again for each of them at most, where the branch runs forward as well.
const STATEMENTS: usize = 4;

/// An `if` of the source whose branches give their reverse what they compute.
#[derive(Debug)]
pub(super) struct Exported {
    /// Its address.
    pub branches: usize,
    /// What stands for its results.
    pub outs: Vec<Value>,
    /// What it gives to its reverse.
    pub exports: Vec<Value>,
}

/// The `if`s whose branches are swept again, by their addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Branches(HashSet<usize>);

impl Branches {
    /// Whether an `if` is one of them.
    pub fn has(&self, kind: &Kind) -> bool {
        self.0.contains(&address(kind))
    }

    /// Adds those for which it pays. `live` says what is needed of what they give.
    pub fn choose(&mut self, source: &Func, exported: &[Exported], live: &Live) {
        let mut known = HashMap::new();
        for block in source.blocks() {
            look(block, &mut known);
        }
        for one in exported {
            let count = one.exports.iter().filter(|v| live.has(**v)).count();
            let Some(weight) = known[&one.branches] else {
                continue;
            };
            let is_needed = one.outs.iter().any(|v| live.has(*v));
            let is_cheap = weight.is_some_and(|w| w <= STATEMENTS * count);
            if count >= MANY && (!is_needed || is_cheap) {
                self.0.insert(one.branches);
            }
        }
    }
}

/// How many statements run in an `if`, at most; `Some(None)` if loops make that unknown, None if it may not be run again.
type Weight = Option<Option<usize>>;

/// Finds the weights of all `if`s, and gives that of the block.
fn look(block: &Block, known: &mut HashMap<usize, Weight>) -> Weight {
    let weights: Vec<Weight> = (block.stmts.iter())
        .map(|stmt| {
            let inner: Vec<Weight> = (stmt.kind.blocks().into_iter())
                .map(|block| look(block, known))
                .collect();
            match &stmt.kind {
                Kind::Let { .. } | Kind::Load { .. } => Some(Some(1)),
                Kind::If { .. } => {
                    let weight = sum(inner);
                    known.insert(address(&stmt.kind), weight);
                    weight
                }
                Kind::For { .. } | Kind::While { .. } => sum(inner).map(|_| None),
                Kind::Intrinsic { op, .. } => (!op.effects().is_lasting()).then_some(Some(1)),
                Kind::Call { effects, .. } => (!effects.is_lasting()).then_some(None),
                Kind::Store { .. } | Kind::Atomic { .. } | Kind::Custom { .. } => None,
            }
        })
        .collect();
    sum(weights)
}

/// The weight of several that all run.
fn sum(weights: Vec<Weight>) -> Weight {
    let known: Option<Vec<Option<usize>>> = weights.into_iter().collect();
    known.map(|weights| weights.into_iter().sum())
}

#[cfg(test)]
mod tests {
    use crate::adjoint::{Options, reverse};
    use crate::ir::read;
    use std::fmt::Write;

    /// The most results of an `if` in the adjoint of a kernel with `count` sines in a branch, of which `then` makes the result.
    fn most(count: usize, then: &str) -> usize {
        let mut text = "kernel k(x: array<float32, 1>, y: array<float32, 1>) {\n%0:int32 = tid 0\n%1:float32 = load x[%0]\n\
             %2:float32 = const 0.0\n%3:bool = lt %1, %2\nif %3 -> (%4:float32) {\n%10:float32 = sin %1\n"
            .to_string();
        for k in 10..10 + count {
            let _ = writeln!(text, "%{}:float32 = sin %{k}", k + 1);
        }
        let _ = write!(
            text,
            "yield %{}\n}} else {{\nyield %1\n}}\n{then}\n}}\n",
            10 + count
        );
        let func = read(&text).expect("IR");
        crate::verify::check(&func).expect("a kernel");
        let adjoint = reverse(&func, &Options::default()).expect("an adjoint");
        let text = adjoint.func.to_string();
        let ifs = text.lines().filter(|l| l.trim_start().starts_with("if "));
        ifs.map(|l| l.matches("float32").count()).max().unwrap_or(0)
    }

    #[test]
    fn long_branches_are_swept_again() {
        let (plain, squared) = (
            "store y[%0], %4",
            "%5:float32 = mul %4, %4\nstore y[%0], %5",
        );
        assert!(
            most(20, plain) >= 20,
            "what a short one computes is given on"
        );
        assert_eq!(most(80, plain), 1);
        assert_eq!(most(80, squared), 1, "cheap for what it saves");
    }
}
