//! Which arrays a launch over their own extents writes from end to end, whatever its arguments are.
//!
//! Memory made for such an array need not be cleared first. Only arrays that are stored to and not looked at count: what
//! one thread sees of another's element is anybody's guess, but it shall not be what the memory held before.

use crate::ir::{Block, Comp, Func, Kind, Op, ParamId, Place, Value};
use std::collections::{HashMap, HashSet};

/// For each parameter, whether it is an array whose element at a thread's own index that thread stores to on every path:
/// launched over the array's extents, a kernel leaves no element as it was.
pub fn covered(func: &Func) -> Vec<bool> {
    let mut walk = Walk {
        tids: HashMap::new(),
        read: HashSet::new(),
    };
    // What a function stores is stored where it is called, perhaps.
    for callee in &func.callees {
        walk.block(&callee.block);
    }
    let stored = walk.block(&func.body);
    let one = |i: usize| {
        let id = ParamId(i as u32);
        func.array(id).is_some_and(|(elem, _)| {
            !walk.read.contains(&id) && (0..elem.count() as u32).all(|c| stored.contains(&(id, c)))
        })
    };
    (0..func.params.len()).map(one).collect()
}

/// Components of a thread's own element.
type Stored = HashSet<(ParamId, u32)>;

struct Walk {
    /// Values that are thread indices: along which dimension.
    tids: HashMap<Value, u8>,
    /// Arrays whose content something depends on.
    read: HashSet<ParamId>,
}

impl Walk {
    /// What is stored to on every path through a block.
    fn block(&mut self, block: &Block) -> Stored {
        let mut stored = Stored::new();
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Let {
                    out,
                    op: Op::Tid(d),
                    ..
                } => {
                    self.tids.insert(*out, *d);
                }
                Kind::Load { place, .. } | Kind::Atomic { place, .. } => {
                    self.read.insert(place.array);
                }
                Kind::Store { place, log, .. } => {
                    if *log {
                        self.read.insert(place.array);
                    }
                    stored.extend(self.own(place));
                }
                Kind::If { then, els, .. } => {
                    let (then, els) = (self.block(then), self.block(els));
                    stored.extend(then.intersection(&els));
                }
                // A loop may have no iteration.
                other => {
                    for block in other.blocks() {
                        self.block(block);
                    }
                }
            }
        }
        stored
    }

    /// The component, where the element is the thread's own.
    fn own(&self, place: &Place) -> Option<(ParamId, u32)> {
        let mut index = place.index.iter().enumerate();
        let own = index.all(|(d, i)| self.tids.get(i) == Some(&(d as u8)));
        match place.comp {
            Comp::Fixed(c) if own => Some((place.array, c)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::read;

    fn of(params: &str, body: &str) -> Vec<bool> {
        let text = format!("kernel k({params}) {{\n{body}}}\n");
        let func = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        crate::verify::check(&func).expect("a valid kernel");
        covered(&func)
    }

    const XY: &str = "x: array<float32, 1>, y: array<float32, 1>";

    #[test]
    fn a_store_at_the_threads_own_index() {
        let body = "  %0:int32 = tid 0\n  %1:float32 = load x[%0]\n  store y[%0], %1\n";
        assert_eq!(of(XY, body), [false, true]);
    }

    #[test]
    fn another_index_or_another_dimension() {
        let body = "  %0:int32 = const 1\n  %1:float32 = const 2\n  store x[%0], %1\n  %2:int32 = tid 1\n  store y[%2], %1\n";
        assert_eq!(of(XY, body), [false, false]);
        let two = "y: array<float32, 2>";
        let at = |index: &str| {
            format!(
                "  %0:int32 = tid 0\n  %1:int32 = tid 1\n  %2:float32 = const 2\n  store y[{index}], %2\n"
            )
        };
        assert_eq!(of(two, &at("%0, %1")), [true]);
        assert_eq!(of(two, &at("%1, %0")), [false]);
        assert_eq!(of(two, &at("%0, %0")), [false]);
    }

    #[test]
    fn both_branches_but_not_one_and_no_loop() {
        let branches = |els: &str| {
            format!(
                "  %0:int32 = tid 0\n  %1:float32 = const 2\n  %2:bool = const true\n  if %2 -> () {{\n    store y[%0], %1\n    \
                 yield \n  }} else {{\n{els}    yield \n  }}\n"
            )
        };
        let text = "y: array<float32, 1>";
        assert_eq!(of(text, &branches("    store y[%0], %1\n")), [true]);
        assert_eq!(of(text, &branches("")), [false]);
        let body = "  %0:int32 = tid 0\n  %1:float32 = const 2\n  %2:int32 = const 1\n  \
                    for %3:int32 in range(%2, %0, %2) with () -> () {\n    store y[%0], %1\n    yield \n  }\n";
        assert_eq!(of(text, body), [false]);
    }

    #[test]
    fn what_is_looked_at_is_not_covered() {
        let body = "  %0:int32 = tid 0\n  %1:float32 = load y[%0]\n  store y[%0], %1\n";
        assert_eq!(of(XY, body), [false, false]);
    }

    #[test]
    fn all_components() {
        let body = |n: u32| {
            let stores: String = (0..n).map(|c| format!("  store v[%0].{c}, %1\n")).collect();
            format!("  %0:int32 = tid 0\n  %1:float32 = const 2\n{stores}")
        };
        assert_eq!(of("v: array<vec<3, float32>, 1>", &body(3)), [true]);
        assert_eq!(of("v: array<vec<3, float32>, 1>", &body(2)), [false]);
    }
}
