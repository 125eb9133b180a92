//! Which gradients a launch has to consume, and which ones to clear before a second backward pass.
//!
//! A gradient that belongs to one backward pass is cleared before the second. The gradient of an array that launches only
//! write stays readable after the pass: it is the gradient of the final content.

use crate::abi::{ArrayArg, Strided};
use crate::command::Watch;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::ops::Range;

/// How a launch, or a fill, uses one array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// The bytes that the array may touch; empty for an array without elements.
    pub bytes: Range<usize>,
    /// The array, where it is known: fields of structs and columns of one array are then distinguished, whose bytes are
    /// interleaved.
    pub array: Option<Strided>,
    /// Whether the kernel looks at the content (loads, or an atomic whose result is used).
    pub reads: bool,
    /// Whether the kernel changes the content.
    pub writes: bool,
    /// Whether what is written depends on no array: a fill. The gradient ends there, and nothing is passed on.
    pub fills: bool,
}

impl Use {
    /// Of what has no memory.
    pub const NOTHING: Use = Use {
        bytes: 0..0,
        array: None,
        reads: false,
        writes: false,
        fills: false,
    };
}

/// The answers, launch by launch and argument by argument, as the uses were given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BackwardPlan {
    /// The reverse of this write must set the gradient to zero once it is read, since launches before
    /// it gave or took gradient from the same memory.
    pub consume: Vec<Flags>,
    /// A value that launches pass on to launches: its gradient belongs to one backward pass and
    /// is cleared before the next.
    pub intermediate: Vec<Flags>,
}

/// One for each argument of a launch.
pub type Flags = SmallVec<[bool; 16]>;

/// Plans the backward pass over `launches`, in recorded order.
pub fn plan(launches: &[Vec<Use>]) -> BackwardPlan {
    let groups = Groups::of(launches);
    let count = groups.count;
    let mut written = vec![usize::MAX; count];
    let mut passed_on = vec![false; count];
    for (launch, uses) in launches.iter().enumerate() {
        for (arg, used) in uses.iter().enumerate() {
            let Some(group) = groups.of[launch][arg] else {
                continue;
            };
            if used.reads && written[group] < launch {
                passed_on[group] = true;
            }
            if used.writes && !used.fills {
                written[group] = written[group].min(launch);
            }
        }
    }
    let consumes = |(launch, (uses, first)): (usize, (&Vec<Use>, &Row))| -> Flags {
        let pairs = uses.iter().zip(first);
        pairs
            .map(|(used, first)| used.writes && first.is_some_and(|first| first < launch))
            .collect()
    };
    let of = groups.of.iter();
    BackwardPlan {
        consume: launches
            .iter()
            .zip(&groups.first)
            .enumerate()
            .map(consumes)
            .collect(),
        intermediate: of
            .map(|of| of.iter().map(|g| g.is_some_and(|g| passed_on[g])).collect())
            .collect(),
    }
}

/// A number for each argument of a launch that has memory.
type Row = SmallVec<[Option<usize>; 8]>;

/// Uses whose bytes overlap, directly or through others, are of one group.
struct Groups {
    of: Vec<Row>,
    /// The first launch that uses some of the same bytes, directly.
    first: Vec<Row>,
    count: usize,
}

impl Groups {
    fn of(launches: &[Vec<Use>]) -> Groups {
        let mut of: Vec<Row> = Vec::with_capacity(launches.len());
        // Uses of one view are one: tapes use few arrays in many launches. Each with the launch that uses it first.
        let mut views: Vec<(&Use, usize)> = Vec::new();
        let mut known: HashMap<(Range<usize>, Option<Key>), usize> = HashMap::new();
        for (launch, uses) in launches.iter().enumerate() {
            let mut own = SmallVec::with_capacity(uses.len());
            for (at, used) in uses.iter().enumerate() {
                if used.bytes.is_empty() {
                    own.push(None);
                    continue;
                }
                // Often the launch before has the same arguments.
                let before = of.last().and_then(|before| *before.get(at)?);
                let same = |group: &usize| {
                    let (view, _) = views[*group];
                    view.bytes == used.bytes && view.array == used.array
                };
                own.push(Some(before.filter(same).unwrap_or_else(|| {
                    let key = (used.bytes.clone(), used.array.as_ref().map(key));
                    *known.entry(key).or_insert_with(|| {
                        views.push((used, launch));
                        views.len() - 1
                    })
                })));
            }
            of.push(own);
        }
        let mut parent: Vec<usize> = (0..views.len()).collect();
        let mut first: Vec<usize> = views.iter().map(|(_, launch)| *launch).collect();
        let mut seen: Watch<usize, Strided> = Watch::new();
        for (at, (used, _)) in views.iter().enumerate() {
            let array = used.array.unwrap_or_else(|| whole(&used.bytes));
            for before in seen.overlapping(&array) {
                let (a, b) = (root(&mut parent, *before), root(&mut parent, at));
                parent[a] = b;
                first[at] = first[at].min(views[*before].1);
            }
            seen.insert(array, at);
        }
        let rows = of
            .iter()
            .map(|row| row.iter().map(|view| Some(first[(*view)?])).collect());
        let first = rows.collect();
        for group in of.iter_mut().flatten().flatten() {
            *group = root(&mut parent, *group);
        }
        Groups {
            of,
            first,
            count: views.len(),
        }
    }
}

/// All of these bytes, as one element.
fn whole(bytes: &Range<usize>) -> Strided {
    let mut array = ArrayArg {
        data: bytes.start as *mut u8,
        ..ArrayArg::MISSING
    };
    array.shape[0] = 1;
    Strided {
        array,
        ndim: 1,
        size: bytes.len(),
    }
}

/// What tells views of the same bytes apart.
type Key = (usize, [i32; 4], [i64; 4], usize);

fn key(strided: &Strided) -> Key {
    let array = &strided.array;
    (
        array.data as usize,
        array.shape,
        array.strides,
        strided.size,
    )
}

fn root(parent: &mut [usize], at: usize) -> usize {
    let mut at = at;
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::ArrayArg;

    fn lists(flags: &[Flags]) -> Vec<Vec<bool>> {
        flags.iter().map(|of| of.to_vec()).collect()
    }
    fn reads(bytes: Range<usize>) -> Use {
        Use {
            bytes: 4000 + bytes.start..4000 + bytes.end,
            reads: true,
            ..Use::NOTHING
        }
    }
    fn writes(bytes: Range<usize>) -> Use {
        Use {
            reads: false,
            writes: true,
            ..reads(bytes)
        }
    }

    #[test]
    fn the_last_output_keeps_its_gradient() {
        let plan = plan(&[
            vec![reads(0..8), writes(8..16)],
            vec![reads(8..16), writes(16..24)],
        ]);
        assert_eq!(lists(&plan.consume), [[false, false], [false, false]]);
        assert_eq!(lists(&plan.intermediate), [[false, true], [true, false]]);
    }

    #[test]
    fn parts_of_one_array_that_nobody_used_before_keep_their_gradients() {
        let plan = plan(&[
            vec![reads(100..108), writes(0..8)],
            vec![reads(100..108), writes(8..16)],
            vec![reads(0..16), writes(200..208)],
            vec![writes(12..20)],
        ]);
        let consume = [vec![false; 2], vec![false; 2], vec![false; 2], vec![true]];
        assert_eq!(lists(&plan.consume), consume);
        assert_eq!(lists(&plan.intermediate)[..2], [[false, true]; 2]);
    }

    #[test]
    fn a_fill_ends_the_gradient_and_passes_nothing_on() {
        let fills = |bytes| Use {
            fills: true,
            ..writes(bytes)
        };
        let plan = plan(&[
            vec![fills(0..8)],
            vec![reads(0..8), writes(8..16)],
            vec![fills(0..4)],
        ]);
        assert_eq!(
            lists(&plan.consume),
            [vec![false], vec![false, false], vec![true]]
        );
        assert_eq!(
            lists(&plan.intermediate),
            [vec![false], vec![false, false], vec![false]]
        );
    }

    #[test]
    fn memory_that_was_used_before_is_consumed_when_overwritten() {
        let plan = plan(&[vec![reads(0..8), writes(8..16)], vec![writes(0..4)]]);
        assert_eq!(lists(&plan.consume), [vec![false, false], vec![true]]);
    }

    #[test]
    fn ranges_that_only_touch_are_apart_and_chains_are_one() {
        let plan = plan(&[
            vec![writes(0..8), writes(8..16), writes(6..10), writes(20..20)],
            vec![reads(15..16), reads(16..17), reads(20..21)],
        ]);
        assert_eq!(plan.intermediate[1].to_vec(), [true, false, false]);
    }

    #[test]
    fn fields_of_structs_are_apart() {
        let field = |offset: usize| {
            let mut arg = ArrayArg {
                data: (1000 + offset) as *mut u8,
                ..ArrayArg::MISSING
            };
            (arg.shape[0], arg.strides[0]) = (5, 12);
            Use {
                array: Some(Strided {
                    array: arg,
                    ndim: 1,
                    size: 4,
                }),
                bytes: 1000 + offset..1000 + offset + 52,
                ..reads(0..0)
            }
        };
        let written = |offset| Use {
            writes: true,
            reads: false,
            ..field(offset)
        };
        // One field is computed of another one, and read.
        let mut launches = [vec![field(0), written(4)], vec![field(4), field(0)]];
        let found = plan(&launches);
        assert_eq!(lists(&found.intermediate), [[false, true], [true, false]]);
        assert_eq!(lists(&found.consume), [[false, false], [false, false]]);
        // A launch that uses the structs as a whole uses all fields.
        launches[1].push(Use {
            bytes: 1000..1060,
            ..reads(0..0)
        });
        let found = plan(&launches);
        assert_eq!(found.intermediate[0].to_vec(), [true, true]);
    }

    #[test]
    fn many_columns_are_planned_soon() {
        let column = |at: usize| {
            let mut array = ArrayArg {
                data: ((1 << 20) + 4 * at) as *mut u8,
                ..ArrayArg::MISSING
            };
            (array.shape[0], array.strides[0]) = (8, 4 * 50_000);
            let array = Strided {
                array,
                ndim: 1,
                size: 4,
            };
            Use {
                bytes: array.bytes(),
                array: Some(array),
                ..Use::NOTHING
            }
        };
        let launches: Vec<Vec<Use>> = (0..40_000)
            .map(|at| {
                let (mut x, mut y) = (column(at), column(at + 1));
                (x.reads, y.writes) = (true, true);
                vec![x, y]
            })
            .collect();
        // Were all compared with all, it would take minutes.
        let found = plan(&launches);
        assert_eq!(found.intermediate[0].to_vec(), [false, true]);
        assert!(found.consume.iter().flatten().all(|consumed| !consumed));
    }
}
