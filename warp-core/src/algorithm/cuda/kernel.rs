//! Which kernels there are.

use super::element::{Source, Wide};
use super::key::Key;
use crate::dtype::{Scalar, TABLE};
use std::collections::HashSet;

/// The kernels, with what their texts depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kernel {
    /// Sums of tiles of rows, as another scalar.
    SumTiles(Source, Scalar),
    /// Sums of few rows.
    SumFew(Source, Scalar),
    /// Running sums of tiles; whether they include the element of their own index.
    Scan(Source, Scalar, bool),
    /// How often each digit occurs in each tile of keys.
    CountDigits(Key),
    /// Moves keys, and values of so many bytes, to where their digits belong.
    MoveByDigit(Key, usize),
    /// The numbers from 0 on.
    Iota,
    /// Elements by their numbers, in units of so many bytes.
    Gather(usize),
    /// Where segments begin and end.
    MarkSegments,
    /// Where an element is in no segment.
    MarkRest,
    /// Where runs of elements of so many bytes begin.
    RunStarts(usize),
    /// How long runs are.
    RunLengths,
}

impl Kernel {
    /// The name in the text, as profilers show it.
    pub fn name(self) -> String {
        let spelled = format!("{self:?}").to_lowercase();
        let words = spelled.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        format!("warp_{}", words.join("_"))
    }

    /// Every kernel that there is.
    pub fn all() -> Vec<Kernel> {
        use Kernel::*;
        let mut all = vec![Iota, MarkSegments, MarkRest, RunLengths];
        let numbers = TABLE.iter().map(|row| row.scalar);
        for scalar in numbers.filter(|s| *s != Scalar::Bool) {
            let wide = Wide::of(scalar).scalar();
            let (elements, products) = (Source::Elements(scalar), Source::Products(scalar));
            for (from, to) in [
                (elements, scalar),
                (elements, wide),
                (products, scalar),
                (products, wide),
            ] {
                all.extend([SumTiles(from, to), SumFew(from, to)]);
            }
            let partial = Source::Elements(wide);
            all.extend([SumTiles(partial, scalar), SumFew(partial, scalar)]);
            all.extend([Scan(elements, scalar, true), Scan(elements, scalar, false)]);
            let begins = Source::Begins(scalar);
            all.extend([
                SumTiles(begins, Scalar::U32),
                Scan(begins, Scalar::U32, true),
            ]);
            let key = Key::of(scalar);
            all.extend([CountDigits(key), MoveByDigit(key, 4), MoveByDigit(key, 8)]);
        }
        all.extend([1, 2, 4, 8].map(Gather));
        all.extend([1, 2, 4, 8].map(RunStarts));
        let mut found = HashSet::new();
        all.retain(|kernel| found.insert(*kernel));
        all
    }
}
