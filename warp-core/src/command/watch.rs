//! Arrays that are looked for by address, whatever their number: those that a write may change.

use crate::abi::Strided;
use crate::array::View;
use crate::launch::interleaved;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::ops::Range;

/// An array that can be watched.
pub trait Watched: PartialEq {
    /// Where its elements lie.
    fn strided(&self) -> Strided;
}

impl Watched for View {
    fn strided(&self) -> Strided {
        View::strided(self)
    }
}

impl Watched for Strided {
    fn strided(&self) -> Strided {
        *self
    }
}

/// Arrays that are watched, each with a value. An array may be watched several times.
///
/// Arrays of a size class, which holds those of `2^class` bytes and more up to twice that, lie in the order of their
/// addresses. Whatever overlaps a write starts at most twice the class before it, so that a search looks at few others. Columns of
/// one array span nearly all of it: those with one distance between neighbours lie in the order of their addresses modulo that.
#[derive(Debug)]
pub struct Watch<T, A = View> {
    classes: BTreeMap<Class, BTreeMap<Start, Here<A, T>>>,
    len: usize,
}

/// What is watched that has one start.
type Here<A, T> = SmallVec<[(A, T); 1]>;

/// The distance between rows of which an array is a column, 0 for others, and the size class: of a column, of its width.
type Class = (usize, u32);
/// The first address, modulo the distance if there is one, and all of it.
type Start = (usize, usize);

/// A column is at most one in this many of the bytes of a row.
const SHARE: usize = 4;

impl<T, A: Watched> Watch<T, A> {
    /// Nothing is watched.
    pub const fn new() -> Watch<T, A> {
        Watch {
            classes: BTreeMap::new(),
            len: 0,
        }
    }

    /// How many arrays are watched.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is watched.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Watches an array. One without bytes is never written.
    pub fn insert(&mut self, view: A, value: T) {
        let Some((class, start)) = place(&view) else {
            return;
        };
        let starts = self.classes.entry(class).or_default();
        starts.entry(start).or_default().push((view, value));
        self.len += 1;
    }

    /// The values of exactly this array.
    pub fn of<'a>(&'a self, view: &'a A) -> impl Iterator<Item = &'a T> {
        let here = place(view).and_then(|(class, start)| self.classes.get(&class)?.get(&start));
        let here = here.into_iter().flat_map(|here| here.iter());
        here.filter(move |(other, _)| other == view)
            .map(|(_, value)| value)
    }

    /// Watches an array no more, with the values that `is` names.
    pub fn remove(&mut self, view: &A, is: impl Fn(&T) -> bool) {
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
        let classes = self.classes.iter().filter(|_| !written.bytes().is_empty());
        let all = classes.flat_map(|(class, starts)| {
            let near = near(*class, written).into_iter();
            near.flat_map(|range| starts.range(range))
        });
        let all = all.flat_map(|(_, here)| here.iter());
        all.filter(|(view, _)| may_change(view, written))
            .map(|(_, value)| value)
    }

    /// What a write to `written` may change: those arrays are watched no more.
    pub fn take(&mut self, written: &Strided) -> Vec<(A, T)> {
        let mut taken = Vec::new();
        if written.bytes().is_empty() {
            return taken;
        }
        let hit = |view: &A| may_change(view, written);
        let mut emptied: Vec<Start> = Vec::new();
        let mut is_emptied = false;
        for (class, starts) in &mut self.classes {
            for range in near(*class, written) {
                for (start, here) in starts.range_mut(range) {
                    let mut at = 0;
                    while at < here.len() {
                        match hit(&here[at].0) {
                            true => taken.push(here.remove(at)),
                            false => at += 1,
                        }
                    }
                    if here.is_empty() {
                        emptied.push(*start);
                    }
                }
            }
            for start in emptied.drain(..) {
                starts.remove(&start);
            }
            is_emptied |= starts.is_empty();
        }
        if is_emptied {
            self.classes.retain(|_, starts| !starts.is_empty());
        }
        self.len -= taken.len();
        taken
    }
}

impl<T, A: Watched> Default for Watch<T, A> {
    fn default() -> Watch<T, A> {
        Watch::new()
    }
}

/// Class and start of an array that has bytes.
fn place(view: &impl Watched) -> Option<(Class, Start)> {
    let array = view.strided();
    let bytes = array.bytes();
    let first = bytes.start;
    match column(&array) {
        Some((row, width)) => Some(((row, width.ilog2()), (first % row, first))),
        None => Some(((0, bytes.len().checked_ilog2()?), (first, first))),
    }
}

/// The distance between rows and the width, if an array is a column of something. The narrower the better.
fn column(array: &Strided) -> Option<(usize, usize)> {
    let rows = array.shape().iter().zip(array.strides());
    let rows = rows.filter(|(extent, stride)| **extent > 1 && **stride != 0);
    let columns = rows.filter_map(|(_, stride)| {
        let row = stride.unsigned_abs() as usize;
        let width = width(array, row);
        (width.saturating_mul(SHARE) <= row).then_some((row, width))
    });
    columns.min_by_key(|(row, width)| width.saturating_mul(1 << 16) / row)
}

/// How many bytes of a row an array spans, where rows follow each other at this distance.
fn width(array: &Strided, row: usize) -> usize {
    let dims = array.shape().iter().zip(array.strides());
    let reach = dims.map(|(extent, stride)| {
        let stride = stride.unsigned_abs() as usize;
        match stride % row {
            0 => 0,
            _ => stride.saturating_mul((*extent).max(1) as usize - 1),
        }
    });
    reach.fold(array.size, usize::saturating_add)
}

/// Where arrays of a class start that may overlap what is written.
fn near((row, class): Class, written: &Strided) -> SmallVec<[Range<Start>; 2]> {
    let bytes = written.bytes();
    let reach = 2usize.checked_shl(class).unwrap_or(usize::MAX);
    let from = |start: usize, end: usize| (start, 0)..(end, 0);
    if row == 0 {
        return smallvec![from(bytes.start.saturating_sub(reach), bytes.end)];
    }
    let width = width(written, row).min(bytes.len());
    if width.saturating_add(reach) >= row {
        return smallvec![from(0, row)];
    }
    // Rows are circles.
    let end = bytes.start % row + width;
    let mut all = smallvec![from(
        (bytes.start % row).saturating_sub(reach),
        end.min(row)
    )];
    if end > row {
        all.push(from(0, end - row));
    }
    if bytes.start % row < reach {
        all.push(from(row - (reach - bytes.start % row), row));
    }
    all
}

/// Whether a write to `written`, which is not empty, may change an array.
fn may_change(view: &impl Watched, written: &Strided) -> bool {
    let array = view.strided();
    let (own, to) = (array.bytes(), written.bytes());
    own.start < to.end
        && to.start < own.end
        && !interleaved(&array, written)
        && !in_other_columns(&array, written)
}

/// Whether one of two arrays is a column of something, and the other one has no byte in it.
fn in_other_columns(a: &Strided, b: &Strided) -> bool {
    let apart = |(row, _): (usize, usize)| {
        let (of_a, of_b) = (width(a, row), width(b, row));
        let (a, b) = (a.bytes().start % row, b.bytes().start % row);
        let ahead = (b + row - a) % row;
        of_a <= ahead && ahead + of_b <= row
    };
    column(a).is_some_and(apart) || column(b).is_some_and(apart)
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
        assert!(watch.is_empty());
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
        assert!(watch.is_empty());
    }

    #[test]
    fn what_has_no_bytes_is_not_watched() {
        let mut watch = Watch::new();
        watch.insert(view(100, 0, 4), 1);
        watch.insert(view(0, 2, 4), 2);
        assert!(watch.is_empty());
        watch.insert(view(100, 2, 4), 3);
        assert!(watch.take(&view(100, 0, 4).strided()).is_empty());
    }

    #[test]
    fn columns_are_apart() {
        let column = |at: usize, count: i32| view(4000 + 4 * at, count, 80);
        let mut watch = Watch::new();
        for at in 0..20 {
            watch.insert(column(at, 10), at);
        }
        assert_eq!(watch.take(&column(3, 10).strided()), [(column(3, 10), 3)]);
        // Of another length, or a part of a row.
        assert_eq!(watch.take(&column(4, 7).strided()), [(column(4, 10), 4)]);
        let row = view(4000 + 4 * 45, 2, 4).strided();
        let taken: Vec<usize> = watch.take(&row).into_iter().map(|(_, at)| at).collect();
        assert_eq!(taken, [5, 6]);
        // The end of a row and the start of the next one.
        let turn = view(4000 + 4 * 39, 2, 4).strided();
        let mut taken: Vec<usize> = watch.take(&turn).into_iter().map(|(_, at)| at).collect();
        taken.sort_unstable();
        assert_eq!(taken, [0, 19]);
        assert_eq!(watch.take(&view(4000, 400, 4).strided()).len(), 14);
    }

    #[test]
    fn many_columns_are_found_soon() {
        let column = |at: usize| view((1 << 20) + 4 * at, 8, 4 * 50_000);
        let mut watch = Watch::new();
        // Were all looked at in each step, it would take minutes.
        for at in 0..40_000 {
            watch.insert(column(at), at);
            assert!(watch.take(&column(at + 1).strided()).is_empty());
        }
        assert_eq!(watch.len(), 40_000);
    }

    /// Whether two arrays have a byte in common.
    fn meet(a: &Strided, b: &Strided) -> bool {
        let bytes = |s: &Strided| -> std::collections::HashSet<i64> {
            let each = (0..i64::from(s.array.shape[0])).flat_map(|i| {
                let at = s.array.data as i64 + i * s.array.strides[0];
                at..at + s.size as i64
            });
            each.collect()
        };
        !bytes(a).is_disjoint(&bytes(b))
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
        // And columns, of rows of two lengths.
        let strides = prop_oneof![-2..4i64, Just(20), Just(40), Just(-40)];
        let parts = (0..200usize, counts, strides);
        parts.prop_map(|(start, count, stride)| view(40_000 + 4 * start, count, 4 * stride))
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
        /// What is said not to change has no byte in common.
        #[test]
        fn what_may_change_holds_what_does(a in views(), b in views()) {
            let (array, written) = (a.strided(), b.strided());
            if !array.bytes().is_empty() && !written.bytes().is_empty() && meet(&array, &written) {
                prop_assert!(may_change(&a, &written));
            }
        }

        /// The watch finds what a look at everything finds.
        #[test]
        fn finds_what_overlaps(steps in steps()) {
            let mut watch = Watch::new();
            let mut all: Vec<(View, usize)> = Vec::new();
            for (at, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Insert(view) => {
                        watch.insert(view, at);
                        if !view.strided().bytes().is_empty() {
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
                        let hit = |view: &View| {
                            !strided.bytes().is_empty() && may_change(view, &strided)
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
