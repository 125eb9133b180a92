//! Which kernels there are, and what the names in their text mean: `library/algorithm.py`.

use super::element::{Key, Source, unit, wide};
use crate::dtype::{Scalar, TABLE};
use crate::front::{Constant, External, Meanings};
use crate::ir::{Const, ThreadBlock};
use crate::library::ALGORITHMS;
use crate::module::own::OwnKernel;
use crate::ty::{Elem, Type};
use std::collections::HashSet;

/// Threads of a block of every kernel.
pub const BLOCK: usize = 256;
/// Rows of a tile of a scan that follow each other and are one thread's.
pub const ROWS_EACH: usize = 8;
/// Keys of a tile of a sort that one thread has.
pub const KEYS_EACH: usize = 16;
/// A segment that does not lie within the pairs.
pub const OUTSIDE: i32 = 1;
/// A pair that is in more than one segment.
pub const OVERLAP: i32 = 2;

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

    /// The function that it is, the number of dimensions in which its blocks lie, and what names mean in it.
    fn instance(self) -> (&'static str, u8, Meanings) {
        let summed = |from: Source, to: Scalar| Meanings {
            names: vec![
                ("Term", scalar(from.scalar())),
                ("Wide", scalar(from.wide())),
                ("To", scalar(to)),
                // Four loads are under way at a time.
                (
                    "AHEAD",
                    External::Int(if from.is_product() { 2 } else { 4 }),
                ),
            ],
            functions: vec![("term", from.function())],
        };
        let of = |names| Meanings {
            names,
            functions: Vec::new(),
        };
        match self {
            Kernel::SumTiles(from, to) => ("sum_tiles", 3, summed(from, to)),
            Kernel::SumFew(from, to) => ("sum_few", 1, summed(from, to)),
            Kernel::Scan(from, to, inclusive) => {
                let mut meanings = summed(from, to);
                meanings.names.extend([
                    ("EACH", External::Int(ROWS_EACH as i128)),
                    ("Several", vector(ROWS_EACH, from.wide())),
                    ("INCLUSIVE", External::Bool(inclusive)),
                ]);
                ("scan_tiles", 2, meanings)
            }
            Kernel::CountDigits(key) => ("count_digits", 1, of(keys(key))),
            Kernel::MoveByDigit(key, width) => {
                let mut names = keys(key);
                let bits = unit(key.size().max(4));
                names.extend([
                    ("Keys", vector(KEYS_EACH, bits)),
                    ("Ranks", vector(KEYS_EACH, Scalar::U32)),
                    ("Value", scalar(unit(width))),
                    ("Values", vector(4, unit(width))),
                ]);
                ("move_by_digit", 1, of(names))
            }
            Kernel::Iota => ("iota", 1, of(Vec::new())),
            Kernel::Gather(size) => ("gather", 1, of(vec![("Unit", scalar(unit(size)))])),
            Kernel::MarkSegments => {
                let code = External::Int(OUTSIDE.into());
                ("mark_segments", 1, of(vec![("OUTSIDE", code)]))
            }
            Kernel::MarkRest => {
                let code = External::Int(OVERLAP.into());
                ("mark_rest", 1, of(vec![("OVERLAP", code)]))
            }
            Kernel::RunStarts(size) => ("run_starts", 1, of(vec![("Unit", scalar(unit(size)))])),
            Kernel::RunLengths => ("run_lengths", 1, of(Vec::new())),
        }
    }

    /// Its text, and what that depends on.
    pub fn own(self) -> OwnKernel {
        let (function, dim, meanings) = self.instance();
        OwnKernel {
            library: &ALGORITHMS,
            function,
            meanings,
            symbol: self.name(),
            threads: ThreadBlock {
                threads: BLOCK as u32,
                dim,
            },
        }
    }

    /// Every kernel that there is.
    pub fn all() -> Vec<Kernel> {
        use Kernel::*;
        let mut all = vec![Iota, MarkSegments, MarkRest, RunLengths];
        let numbers = TABLE.iter().map(|row| row.scalar);
        for scalar in numbers.filter(|s| *s != Scalar::Bool) {
            let wide = wide(scalar);
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

fn scalar(scalar: Scalar) -> External {
    External::Type(Type::Elem(Elem::Scalar(scalar)))
}

fn vector(len: usize, scalar: Scalar) -> External {
    let len = len as u32;
    External::Type(Type::Elem(Elem::Vec { len, scalar }))
}

/// What names mean of keys. Those of fewer than four bytes are looked at as four.
fn keys(key: Key) -> Vec<(&'static str, External)> {
    let bits = unit(key.size().max(4));
    let number = |n| External::Constant(Constant::scalar(bits, Const::Int(n)));
    vec![
        ("Key", scalar(unit(key.size()))),
        ("Bits", scalar(bits)),
        ("FIRST", number(1 << (8 * key.size() - 1))),
        ("LAST_BIT", number(bits.bits() as i64 - 1)),
        ("ORDER", External::Int(key.order())),
        ("EACH", External::Int(KEYS_EACH as i128)),
    ]
}
