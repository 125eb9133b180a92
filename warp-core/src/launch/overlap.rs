//! Which arrays of a launch share memory.

use crate::abi::Strided;
use smallvec::SmallVec;
use std::ops::Range;

/// Whether two arrays are fields of the same structs: their bytes lie between each other without overlapping.
pub fn interleaved(a: &Strided, b: &Strided) -> bool {
    let swap = (a.array.data as usize) > b.array.data as usize;
    let (first, second) = if swap { (b, a) } else { (a, b) };
    let same = first.shape() == second.shape() && first.strides() == second.strides();
    let offset = second.array.data as usize - first.array.data as usize;
    let both = Strided {
        size: offset.saturating_add(second.size),
        ..*first
    };
    same && offset >= first.size && !both.overlaps_itself()
}

/// Whether non-atomic adds to any of these arrays could lose one: two overlap, or one overlaps itself.
pub fn any_overlap(arrays: &[Strided]) -> bool {
    let mut ranges: SmallVec<[(Range<usize>, usize); 8]> = SmallVec::new();
    for (at, array) in arrays.iter().enumerate() {
        if array.overlaps_itself() {
            return true;
        }
        let range = array.bytes();
        if !range.is_empty() {
            ranges.push((range, at));
        }
    }
    ranges.sort_unstable_by_key(|r| r.0.start);
    if !ranges
        .windows(2)
        .any(|pair| pair[1].0.start < pair[0].0.end)
    {
        return false;
    }
    // Fields of structs lie between each other: every pair is looked at.
    let pairs = (0..ranges.len()).flat_map(|i| (i + 1..ranges.len()).map(move |j| (i, j)));
    pairs.into_iter().any(|(i, j)| {
        let ((x, a), (y, b)) = (&ranges[i], &ranges[j]);
        y.start < x.end && !interleaved(&arrays[*a], &arrays[*b])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::ArrayArg;

    /// An array of elements of 4 bytes.
    fn array(data: usize, shape: &[i32], strides: &[i64]) -> Strided {
        let mut arg = ArrayArg {
            data: data as *mut u8,
            ..ArrayArg::MISSING
        };
        arg.shape[..shape.len()].copy_from_slice(shape);
        arg.strides[..strides.len()].copy_from_slice(strides);
        Strided {
            array: arg,
            ndim: shape.len(),
            size: 4,
        }
    }

    #[test]
    fn bytes_of_views() {
        assert_eq!(array(100, &[3], &[4]).bytes(), 100..112);
        assert_eq!(array(100, &[3], &[-4]).bytes(), 92..104);
        assert_eq!(array(100, &[0, 5], &[4, 4]).bytes(), 0..0);
        assert_eq!(array(100, &[2, 3], &[4, 8]).bytes(), 100..124);
    }

    #[test]
    fn self_overlap() {
        assert!(!array(0, &[3, 4], &[16, 4]).overlaps_itself());
        assert!(!array(0, &[4, 3], &[4, 16]).overlaps_itself(), "transposed");
        assert!(array(0, &[5], &[0]).overlaps_itself(), "broadcast");
        assert!(!array(0, &[1], &[0]).overlaps_itself(), "one element");
        assert!(
            array(0, &[3, 3], &[4, 4]).overlaps_itself(),
            "sliding window"
        );
        assert!(!array(0, &[0, 3], &[4, 4]).overlaps_itself(), "empty");
    }

    #[test]
    fn fields_of_structs_lie_between_each_other() {
        let of = array;
        let (x, y, z) = (
            of(100, &[5], &[12]),
            of(104, &[5], &[12]),
            of(108, &[5], &[12]),
        );
        assert!(interleaved(&x, &y) && interleaved(&y, &x));
        assert!(!any_overlap(&[x, y, z]));
        assert!(!interleaved(&x, &x), "the same");
        assert!(!interleaved(&x, &of(102, &[5], &[12])), "half of it");
        assert!(!interleaved(&x, &of(110, &[5], &[12])), "half of the next");
        assert!(!interleaved(&x, &of(112, &[5], &[12])), "the next ones");
        assert!(!interleaved(&x, &of(104, &[4], &[12])), "another shape");
        assert!(!interleaved(&x, &of(104, &[5], &[8])), "other strides");
        assert!(any_overlap(&[x, y, of(112, &[4], &[12])]));
        let (p, q) = (of(100, &[2, 3], &[24, 8]), of(104, &[2, 3], &[24, 8]));
        assert!(interleaved(&p, &q), "two dimensions");
        assert!(
            interleaved(&of(100, &[2, 3], &[8, 16]), &of(104, &[2, 3], &[8, 16])),
            "transposed"
        );
        assert!(
            interleaved(&of(200, &[3], &[-8]), &of(204, &[3], &[-8])),
            "reversed"
        );
    }

    #[test]
    fn overlap_of_two() {
        let a = array(100, &[4], &[4]);
        let b = array(112, &[4], &[4]);
        let c = array(116, &[4], &[4]);
        assert!(any_overlap(&[a, b]));
        assert!(!any_overlap(&[a, c]));
        assert!(any_overlap(&[a, a]));
    }
}
