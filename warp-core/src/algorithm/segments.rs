//! Stable sorts of many parts of an array.

use super::each;
use super::place::Place;
use super::sort::{Bits, Half, Pairs, Range, radix, with_pair};
use crate::error::{Code, Error, Result};

/// Where the parts begin and end: pairs of numbers within the count of pairs, each end not before its beginning.
pub type Segments<'a> = &'a [(usize, usize)];

/// Fewer pairs are sorted by insertion.
const FEW: usize = 24;
/// Fewer pairs are compared: the counts of digits cost as much as many comparisons.
const SOME: usize = 2048;
/// More pairs are sorted by all threads.
const MANY: usize = 1 << 18;

/// Reads where segments begin and end, from int32s.
///
/// # Safety
/// There are so many starts and ends.
///
/// # Errors
/// A segment is not within the count.
pub unsafe fn read(
    count: usize,
    starts: *const u8,
    ends: *const u8,
    segments: usize,
) -> Result<Vec<(usize, usize)>> {
    let (starts, ends) = (
        Place::<i32>::new(starts.cast_mut()),
        Place::<i32>::new(ends.cast_mut()),
    );
    let checked = |i| {
        // SAFETY: promised by the caller.
        let (start, end) = unsafe { (starts.get(i), ends.get(i)) };
        match (usize::try_from(start), usize::try_from(end)) {
            (Ok(start), Ok(end)) if start <= end && end <= count => Ok((start, end)),
            _ => Err(Error::new(
                Code::ArrayValue,
                format!("segment {i} is [{start}, {end}), which is not within the {count} pairs"),
            )),
        }
    };
    (0..segments).map(checked).collect()
}

/// Sorts each segment of pairs by its keys, as [`super::sort_pairs`] does. Segments that overlap are sorted one after the other.
/// What the second half of the room holds then is arbitrary.
///
/// # Safety
/// As [`super::sort_pairs`]; the segments lie within the count.
pub unsafe fn sort_segments(pairs: &Pairs, segments: Segments<'_>) {
    let n = pairs.count;
    with_pair!(
        pairs.scalar.size(),
        pairs.width,
        K,
        V => {
            let half = Half { keys: Place::<K>::new(pairs.keys), values: Place::<V>::new(pairs.values) };
            let range = Range { class: pairs.scalar.class(), begin: 0, end: K::COUNT };
            sort_each(half, half.from(n), segments, range);
        },
        panic!("values of {} bytes", pairs.width)
    )
}

fn sort_each<K: Bits, V: Copy + Send + Sync>(
    pairs: Half<K, V>,
    free: Half<K, V>,
    segments: Segments<'_>,
    range: Range,
) {
    let one = |&(begin, end): &(usize, usize)| match end - begin {
        0 | 1 => {}
        n if n <= FEW => insertion(pairs.from(begin), n, range),
        n if n <= SOME => comparison(pairs.from(begin), free.from(begin), n, range),
        n => radix(pairs.from(begin), free.from(begin), n, range),
    };
    if !segments.is_sorted_by(|a, b| a.1 <= b.0) {
        segments.iter().for_each(one);
        return;
    }
    let pairs: usize = segments.iter().map(|(begin, end)| end - begin).sum();
    let (long, short): (Vec<_>, Vec<_>) =
        segments.iter().partition(|(begin, end)| end - begin > MANY);
    long.iter().for_each(one);
    // A pair costs about as much as 16 additions.
    each(short.len(), 16 * pairs, |i| one(&short[i]));
}

fn insertion<K: Bits, V: Copy>(pairs: Half<K, V>, n: usize, range: Range) {
    for i in 1..n {
        // SAFETY: the caller of `sort_segments` promises these pairs.
        unsafe {
            let pair = pairs.get(i);
            let key = range.of(pair.0);
            let mut at = i;
            while at > 0 && range.of(pairs.keys.get(at - 1)) > key {
                pairs.put(at, pairs.get(at - 1));
                at -= 1;
            }
            pairs.put(at, pair);
        }
    }
}

/// Sorts the keys with their numbers, so that equal ones keep their order, and then moves the pairs.
fn comparison<K: Bits, V: Copy>(pairs: Half<K, V>, free: Half<K, V>, n: usize, range: Range) {
    let mut order: Vec<K::Numbered> = (0..n)
        // SAFETY: the caller of `sort_segments` promises these pairs.
        .map(|i| range.of(unsafe { pairs.keys.get(i) }).numbered(i as u32))
        .collect();
    order.sort_unstable();
    // SAFETY: as above; the room behind the pairs is as long.
    unsafe {
        for (to, from) in order.iter().enumerate() {
            free.put(to, pairs.get(K::number(*from) as usize));
        }
        for i in 0..n {
            pairs.put(i, free.get(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Scalar;

    fn sorted(keys: &[f32], segments: Segments<'_>) -> (Vec<f32>, Vec<u32>) {
        let n = keys.len();
        let mut room: Vec<f32> = keys.iter().chain(keys).copied().collect();
        let mut values: Vec<u32> = (0..2 * n as u32).collect();
        let pairs = Pairs {
            scalar: Scalar::F32,
            keys: room.as_mut_ptr().cast(),
            values: values.as_mut_ptr().cast(),
            width: 4,
            count: n,
        };
        // SAFETY: room for twice the count.
        unsafe { sort_segments(&pairs, segments) };
        (room[..n].to_vec(), values[..n].to_vec())
    }

    #[test]
    fn each_segment_is_sorted_and_nothing_else_moves() {
        let n = 900_000;
        let keys: Vec<f32> = (0..n).map(|i| ((i * 7919) % 1009) as f32 - 500.0).collect();
        let segments = [
            (0, 3),
            (3, 50),
            (50, 50),
            (60, 1000),
            (1000, 2900),
            (2900, 300_000),
            (300_000, 800_000),
            (899_999, n),
        ];
        let (found, order) = sorted(&keys, &segments);
        let mut want: Vec<u32> = (0..n as u32).collect();
        for (begin, end) in segments {
            want[begin..end].sort_by(|a, b| keys[*a as usize].total_cmp(&keys[*b as usize]));
        }
        assert!(order == want);
        assert!(
            found
                .iter()
                .zip(&order)
                .all(|(k, i)| *k == keys[*i as usize])
        );
    }

    #[test]
    fn segments_that_overlap_are_sorted_in_order() {
        let (found, order) = sorted(&[5.0, 3.0, 1.0, 4.0, 2.0, 6.0], &[(0, 4), (2, 6)]);
        assert_eq!(found, [1.0, 3.0, 2.0, 4.0, 5.0, 6.0]);
        assert_eq!(order, [2, 1, 4, 3, 0, 5]);
    }
}
