//! Loads that a block surely comes to stand before the branches and loops that load the same.
//!
//! [`cse`](super::cse()) then makes one load of them, and an adjoint adds to the gradient once instead of once for each
//! branch and iteration: an add is atomic, and costs as much as ten numbers.

use crate::ir::{Block, Comp, Func, Kind, ParamId, Place, Stmt, Value, Values};
use std::collections::HashMap;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Address {
    array: ParamId,
    index: Values,
    comp: (u32, Option<Value>),
}

impl Address {
    fn of(place: &Place) -> Address {
        Address {
            array: place.array,
            index: place.index.clone(),
            comp: match place.comp {
                Comp::Fixed(comp) => (comp, None),
                Comp::At(value) => (0, Some(value)),
            },
        }
    }
}

/// Moves loads up, in each block by itself.
pub fn hoist(func: &mut Func) {
    func.blocks_mut().for_each(block);
}

fn block(it: &mut Block) {
    let stmts = std::mem::take(&mut it.stmts);
    // Of each address, the first statement with blocks that loads it, as long as nothing has been written.
    let mut within: HashMap<Address, usize> = HashMap::new();
    // Where each value is defined, among the statements of this block.
    let mut defined: HashMap<Value, usize> = HashMap::new();
    let mut moved: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, stmt) in stmts.iter().enumerate() {
        defined.extend(stmt.kind.outs().iter().map(|out| (*out, at)));
        match &stmt.kind {
            Kind::Load { place, .. } => {
                let Some(before) = within.get(&Address::of(place)) else {
                    continue;
                };
                let mut ready = true;
                place.uses(|v| ready &= defined.get(&v).is_none_or(|own| own < before));
                if ready {
                    moved.entry(*before).or_default().push(at);
                }
            }
            kind if has_effect(kind) => within.clear(),
            kind => {
                for inner in kind.blocks() {
                    loads(inner, &mut |place| {
                        within.entry(Address::of(place)).or_insert(at);
                    });
                }
            }
        }
    }
    let mut stmts: Vec<Option<Stmt>> = stmts.into_iter().map(Some).collect();
    for at in 0..stmts.len() {
        for load in moved.remove(&at).unwrap_or_default() {
            it.stmts.extend(stmts[load].take());
        }
        it.stmts.extend(stmts[at].take());
    }
    for stmt in &mut it.stmts {
        stmt.kind.blocks_mut().into_iter().for_each(block);
    }
}

/// Whether loads may not pass it: it writes, or a thread may end there.
fn has_effect(kind: &Kind) -> bool {
    let mut inside = kind.blocks().into_iter().flat_map(|b| &b.stmts);
    let own = kind.effects().is_lasting() || matches!(kind, Kind::Custom { .. });
    own || inside.any(|stmt| has_effect(&stmt.kind))
}

fn loads(block: &Block, f: &mut impl FnMut(&Place)) {
    for stmt in &block.stmts {
        match &stmt.kind {
            Kind::Load { place, .. } => f(place),
            kind => kind.blocks().into_iter().for_each(|inner| loads(inner, f)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hoist;
    use crate::pass::cse::{Aliasing, cse};

    fn hoisted(text: &str) -> String {
        let mut func = crate::ir::read(text).expect("reads");
        hoist(&mut func);
        cse(&mut func, Aliasing::Any);
        crate::verify::verify(func.clone()).expect("verifies");
        func.to_string()
    }

    fn kernel(between: &str) -> String {
        format!(
            "\
kernel k(x: array<float32, 1>, y: array<float32, 1>, n: int32) {{
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:bool = lt %0, %1
  %3:float32 = const 0.0
  if %2 -> (%5:float32) {{
    %4:float32 = load x[%0]
    yield %4
  }} else {{
    yield %3
  }}
{between}  %6:float32 = load x[%0]
  %7:float32 = add %5, %6
  store y[%0], %7
}}
"
        )
    }

    #[test]
    fn a_load_that_surely_runs_comes_first() {
        let text = hoisted(&kernel(""));
        assert_eq!(text.matches("load").count(), 1, "{text}");
        assert!(text.find("load") < text.find("if "), "{text}");
    }

    #[test]
    fn none_passes_a_write() {
        let text = hoisted(&kernel("  store y[%0], %3\n"));
        assert_eq!(text.matches("load").count(), 2, "{text}");
    }

    #[test]
    fn none_passes_the_end_of_a_thread() {
        let text = hoisted(&kernel("  require assertion %2\n"));
        assert_eq!(text.matches("load").count(), 2, "{text}");
    }
}
