//! Which element of an array is not what it should be.

use super::memory::{Copied, Snapshot};
use super::twin::Twin;
use crate::interp::Num;
use crate::ir::{AtomicOp, Block, Kind};
use std::collections::BTreeSet;

/// The first element that differs between two results of one launch; none if there is none. Sums may differ by a share of
/// [`tolerance`].
pub fn differ(
    twin: &Twin,
    before: &Snapshot,
    found: &Snapshot,
    wanted: &Snapshot,
    share: f64,
) -> Option<String> {
    let mut changes = Changes::default();
    changes.look(&twin.func.body);
    // Arrays that share memory with one that is summed are summed, too.
    let in_regions = |ids: &BTreeSet<u32>| -> BTreeSet<usize> {
        let arrays = before.arrays.iter().filter(|a| ids.contains(&a.id.0));
        arrays.map(|a| a.region).collect()
    };
    let summed = in_regions(&changes.summed);
    let written = in_regions(&changes.written);
    for array in before.arrays.iter().filter(|a| written.contains(&a.region)) {
        let (now, right) = (found.numbers(array), wanted.numbers(array));
        let scale = match summed.contains(&array.region) {
            true => {
                let all = before
                    .numbers(array)
                    .into_iter()
                    .chain(right.iter().copied());
                Some(scale(all))
            }
            false => None,
        };
        let tolerance = share * tolerance(array);
        for (k, (a, b)) in now.iter().zip(&right).enumerate() {
            let near = scale.is_some_and(|scale| is_near(*a, *b, tolerance * scale));
            if !same(*a, *b) && !near {
                return Some(describe(twin, array, k, *a, *b));
            }
        }
    }
    None
}

/// Which number of which array is wrong.
pub fn describe(twin: &Twin, array: &Copied, k: usize, found: Num, wanted: Num) -> String {
    let count = array.elem.count();
    let mut at = k / count;
    let mut index = Vec::new();
    for n in array.given.shape().iter().rev() {
        index.insert(0, (at % *n as usize).to_string());
        at /= *n as usize;
    }
    let comp = match count {
        1 => String::new(),
        _ => format!(", component {}", k % count),
    };
    format!(
        "`{}[{}]`{comp} is {} instead of {}",
        twin.func.param(array.id).name,
        index.join(", "),
        number(found),
        number(wanted)
    )
}

fn number(x: Num) -> String {
    match x {
        Num::Int(i) => i.to_string(),
        Num::Float(x) => format!("{x:e}"),
    }
}

/// Bit by bit; NaN is one value.
pub fn same(a: Num, b: Num) -> bool {
    let nan = a.float().is_nan() && b.float().is_nan();
    a == b || (matches!((a, b), (Num::Float(_), Num::Float(_))) && nan)
}

/// What sums in another order may differ by, of the largest number.
pub fn tolerance(array: &Copied) -> f64 {
    match array.elem.scalar().size() {
        8 => 1e-9,
        4 => 1e-3,
        _ => 0.1,
    }
}

/// The largest finite number.
pub fn scale(numbers: impl Iterator<Item = Num>) -> f64 {
    let finite = numbers.map(|x| x.float().abs()).filter(|x| x.is_finite());
    finite.fold(0.0, f64::max)
}

/// Whether floats are near each other, or both too large or undefined.
pub fn is_near(a: Num, b: Num, tolerance: f64) -> bool {
    match (a, b) {
        (Num::Float(a), Num::Float(b)) => {
            (!a.is_finite() && !b.is_finite()) || (a - b).abs() <= tolerance
        }
        _ => false,
    }
}

/// Which arrays a kernel writes, and to which it adds floats.
#[derive(Default)]
struct Changes {
    written: BTreeSet<u32>,
    summed: BTreeSet<u32>,
}

impl Changes {
    fn look(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Store { place, .. } => {
                    self.written.insert(place.array.0);
                }
                Kind::Atomic { op, place, .. } => {
                    self.written.insert(place.array.0);
                    if *op == AtomicOp::Add {
                        self.summed.insert(place.array.0);
                    }
                }
                _ => {}
            }
            for inner in stmt.kind.blocks_run() {
                self.look(inner);
            }
        }
    }
}
