//! Arrays that are watched for writes: found by address, whatever their number.

use crate::abi::Strided;
use crate::array::View;
use crate::launch::interleaved;
use std::collections::BTreeMap;
use std::ops::Range;

/// Arrays that are watched, each with a value. An array may be watched several times.
///
/// Arrays of a size class, which holds those of `2^class` bytes and more up to twice that, lie in the order of their
/// addresses. Whatever overlaps a write starts at most twice the class before it, so that a search looks at few others.
#[derive(Debug)]
pub struct Watch<T> {
    classes: BTreeMap<u32, BTreeMap<usize, Vec<(View, T)>>>,
    len: usize,
}

impl<T> Watch<T> {
    /// Nothing is watched.
    pub const fn new() -> Watch<T> {
        Watch {
            classes: BTreeMap::new(),
            len: 0,
        }
    }

    /// How many arrays are watched.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Watches an array. One without bytes is never written.
    pub fn insert(&mut self, view: View, value: T) {
        let Some((class, start)) = place(&view) else {
            return;
        };
        let starts = self.classes.entry(class).or_default();
        starts.entry(start).or_default().push((view, value));
        self.len += 1;
    }

    /// The values of exactly this array.
    pub fn of<'a>(&'a self, view: &'a View) -> impl Iterator<Item = &'a T> {
        let here = place(view).and_then(|(class, start)| self.classes.get(&class)?.get(&start));
        let here = here.into_iter().flatten();
        here.filter(move |(other, _)| other == view)
            .map(|(_, value)| value)
    }

    /// Watches an array no more, with the values that `is` names.
    pub fn remove(&mut self, view: &View, is: impl Fn(&T) -> bool) {
        let Some((class, start)) = place(view) else {
            return;
        };
        if let Some(starts) = self.classes.get_mut(&class)
            && let Some(here) = starts.get_mut(&start)
        {
            let before = here.len();
            here.retain(|(other, value)| other != view || !is(value));
            self.len -= before - here.len();
            if here.is_empty() {
                starts.remove(&start);
            }
            if starts.is_empty() {
                self.classes.remove(&class);
            }
        }
    }

    /// The values of what a write to `written` may change.
    pub fn overlapping<'a>(&'a self, written: &'a Strided) -> impl Iterator<Item = &'a T> {
        let to = written.bytes();
        let classes = self.classes.iter().filter(|_| !written.bytes().is_empty());
        let near = classes.flat_map({
            let to = to.clone();
            move |(class, starts)| starts.range(near(*class, &to))
        });
        let all = near.flat_map(|(_, here)| here);
        all.filter(move |(view, _)| may_change(view, written, &to))
            .map(|(_, value)| value)
    }

    /// What a write to `written` may change: those arrays are watched no more.
    pub fn take(&mut self, written: &Strided) -> Vec<(View, T)> {
        let mut taken = Vec::new();
        let to = written.bytes();
        if to.is_empty() {
            return taken;
        }
        let hit = |view: &View| may_change(view, written, &to);
        self.classes.retain(|class, starts| {
            let emptied: Vec<usize> = starts
                .range_mut(near(*class, &to))
                .filter_map(|(start, here)| {
                    taken.extend(here.extract_if(.., |(view, _)| hit(view)));
                    here.is_empty().then_some(*start)
                })
                .collect();
            for start in emptied {
                starts.remove(&start);
            }
            !starts.is_empty()
        });
        self.len -= taken.len();
        taken
    }
}

impl<T> Default for Watch<T> {
    fn default() -> Watch<T> {
        Watch::new()
    }
}

/// Size class and first address of an array that has bytes.
fn place(view: &View) -> Option<(u32, usize)> {
    let bytes = bytes(view);
    Some((bytes.len().checked_ilog2()?, bytes.start))
}

fn bytes(view: &View) -> Range<usize> {
    view.strided().bytes()
}

/// Where arrays of a size class start that overlap `to`.
fn near(class: u32, to: &Range<usize>) -> Range<usize> {
    let reach = 2usize.checked_shl(class).unwrap_or(usize::MAX);
    to.start.saturating_sub(reach)..to.end
}

/// Whether a write to `written`, which is not empty and lies in `to`, may change an array.
fn may_change(view: &View, written: &Strided, to: &Range<usize>) -> bool {
    let own = bytes(view);
    own.start < to.end && to.start < own.end && !interleaved(&view.strided(), written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Layout;
    use crate::device::Device;
    use crate::dtype::Scalar;
    use crate::ty::Elem;
    use proptest::prelude::*;

    fn view(start: usize, count: i32, stride: i64) -> View {
        let mut layout = Layout::contiguous(&[count.into()], 4).expect("one dimension");
        layout.strides[0] = stride;
        let elem = Elem::Scalar(Scalar::F32);
        View::new(start as *mut u8, layout, elem, Device::Cpu, false)
    }

    #[test]
    fn fields_between_each_other_are_apart() {
        let mut watch = Watch::new();
        watch.insert(view(100, 5, 8), "even");
        watch.insert(view(104, 5, 8), "odd");
        let taken = watch.take(&view(104, 5, 8).strided());
        assert_eq!(taken, [(view(104, 5, 8), "odd")]);
        assert_eq!(
            watch.take(&view(100, 1, 4).strided()),
            [(view(100, 5, 8), "even")]
        );
        assert!(watch.len() == 0);
    }

    #[test]
    fn one_array_with_several_values() {
        let mut watch = Watch::new();
        let (a, b) = (view(100, 2, 4), view(100, 3, 4));
        watch.insert(a, 1);
        watch.insert(a, 2);
        watch.insert(b, 3);
        assert_eq!(watch.of(&a).collect::<Vec<_>>(), [&1, &2]);
        watch.remove(&a, |value| *value == 1);
        watch.remove(&a, |value| *value == 3);
        assert_eq!(watch.len(), 2);
        assert_eq!(watch.of(&a).collect::<Vec<_>>(), [&2]);
        watch.remove(&view(7, 2, 4), |_| true);
        watch.remove(&b, |_| true);
        watch.remove(&a, |_| true);
        assert!(watch.len() == 0);
    }

    #[test]
    fn what_has_no_bytes_is_not_watched() {
        let mut watch = Watch::new();
        watch.insert(view(100, 0, 4), 1);
        watch.insert(view(0, 2, 4), 2);
        assert!(watch.len() == 0);
        watch.insert(view(100, 2, 4), 3);
        assert!(watch.take(&view(100, 0, 4).strided()).is_empty());
    }

    #[derive(Clone, Debug)]
    enum Step {
        Insert(View),
        Remove(View),
        Take(View),
    }

    fn views() -> impl Strategy<Value = View> {
        // From single elements to what spans all others.
        let counts = prop_oneof![0..3i32, 0..20i32, 0..200i32];
        let parts = (0..200usize, counts, -2..4i64);
        parts.prop_map(|(start, count, stride)| view(4000 + 4 * start, count, 4 * stride))
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => views().prop_map(Step::Insert),
            1 => views().prop_map(Step::Remove),
            1 => views().prop_map(Step::Take),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        /// The watch finds what a look at everything finds.
        #[test]
        fn finds_what_overlaps(steps in steps()) {
            let mut watch = Watch::new();
            let mut all: Vec<(View, usize)> = Vec::new();
            for (at, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Insert(view) => {
                        watch.insert(view, at);
                        if !bytes(&view).is_empty() {
                            all.push((view, at));
                        }
                    }
                    Step::Remove(view) => {
                        // Of something that is watched, if there is anything.
                        let view = all.get(at % all.len().max(1)).map_or(view, |w| w.0);
                        watch.remove(&view, |value| value % 2 == 0);
                        all.retain(|(other, value)| *other != view || value % 2 != 0);
                    }
                    Step::Take(written) => {
                        let strided = written.strided();
                        let mut found: Vec<usize> = watch.overlapping(&strided).copied().collect();
                        let mut taken = watch.take(&written.strided());
                        let to = bytes(&written);
                        let hit = |view: &View| {
                            !to.is_empty() && may_change(view, &written.strided(), &to)
                        };
                        let mut want: Vec<_> = all.extract_if(.., |(view, _)| hit(view)).collect();
                        taken.sort_by_key(|t| t.1);
                        want.sort_by_key(|t| t.1);
                        found.sort_unstable();
                        prop_assert_eq!(found, want.iter().map(|t| t.1).collect::<Vec<_>>());
                        prop_assert_eq!(taken, want);
                    }
                }
                prop_assert_eq!(watch.len(), all.len());
                for (view, _) in &all {
                    let found: Vec<usize> = watch.of(view).copied().collect();
                    let mut want: Vec<usize> = all.iter().filter(|(v, _)| v == view).map(|t| t.1).collect();
                    want.sort_unstable();
                    prop_assert_eq!(found, want);
                }
            }
        }
    }
}
