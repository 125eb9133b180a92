//! Stable sorts of keys with values: by digits of the keys, the lowest first.

mod half;
mod keys;
mod radix;

use super::place::Place;
use super::{GRAIN, each};
use crate::dtype::Scalar;
pub(super) use half::Half;
pub(super) use keys::{Bits, Range};
pub(super) use radix::radix;

/// Keys and values in memory, each followed by as much scratch space for sorting.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    /// What the keys are; not bool.
    pub scalar: Scalar,
    /// The first key.
    pub keys: *mut u8,
    /// The first value.
    pub values: *mut u8,
    /// Bytes of a value.
    pub width: usize,
    /// How many pairs there are.
    pub count: usize,
}

/// Runs code with `$k` as the bits of a key and `$v` as a value; `$other` for values of other widths.
macro_rules! with_pair {
    ($key:expr, $width:expr, $k:ident, $v:ident => $body:expr, $other:expr) => {{
        macro_rules! value {
            ($key_type:ty) => {{
                type $k = $key_type;
                macro_rules! of {
                    ($value_type:ty) => {{
                        type $v = $value_type;
                        $body
                    }};
                }
                match $width {
                    1 => of!(u8),
                    2 => of!(u16),
                    4 => of!(u32),
                    8 => of!(u64),
                    16 => of!(u128),
                    _ => $other,
                }
            }};
        }
        match $key {
            1 => value!(u8),
            2 => value!(u16),
            4 => value!(u32),
            _ => value!(u64),
        }
    }};
}

pub(super) use with_pair;

/// Sorts pairs by the bits of their keys from `begin` up to `end`, in the order of the numbers; negative floats have all bits
/// flipped, others the highest one. -0.0 comes before 0.0, a NaN at the end that its sign says. What the second half of
/// the room holds then is arbitrary.
///
/// # Safety
/// Both have room for twice the count, may be written, do not overlap, and nothing else uses them.
pub unsafe fn sort_pairs(pairs: &Pairs, begin: u32, end: u32) {
    let class = pairs.scalar.class();
    let range = Range { class, begin, end };
    let n = pairs.count;
    with_pair!(
        pairs.scalar.size(),
        pairs.width,
        K,
        V => {
            let half = Half { keys: Place::<K>::new(pairs.keys), values: Place::<V>::new(pairs.values) };
            radix(half, half.from(n), n, range);
        },
        // SAFETY: promised by the caller.
        unsafe { sort_wide(pairs, range) }
    )
}

/// Sorts values of any width: their places first.
///
/// # Safety
/// As [`sort_pairs`].
unsafe fn sort_wide(pairs: &Pairs, range: Range) {
    let (n, width) = (pairs.count, pairs.width);
    let mut order: Vec<u32> = (0..2 * n).map(|i| i as u32).collect();
    with_pair!(
        pairs.scalar.size(),
        4,
        K,
        V => {
            let values = Place::<V>::new(order.as_mut_ptr().cast());
            let half = Half { keys: Place::<K>::new(pairs.keys), values };
            radix(half, half.from(n), n, range);
        },
        unreachable!("4 bytes are a width")
    );
    let (values, order) = (Place::<u8>::new(pairs.values), &order[..n]);
    each(n.div_ceil(GRAIN), n * width / 4, |block| {
        for (i, from) in order.iter().enumerate().skip(block * GRAIN).take(GRAIN) {
            // SAFETY: the second half is free, and each block has its own part of it.
            unsafe {
                let (from, to) = (
                    values.address().add(*from as usize * width),
                    values.address().add((n + i) * width),
                );
                std::ptr::copy_nonoverlapping(from, to, width);
            }
        }
    });
    // SAFETY: the halves do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(pairs.values.add(n * width), pairs.values, n * width) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorts `keys`, given as bytes, with their indices as values.
    fn sorted<K: Copy, V: Copy + From<u32> + Into<u64>>(
        scalar: Scalar,
        keys: &[K],
        begin: u32,
        end: u32,
    ) -> Vec<u64> {
        let n = keys.len();
        let mut room: Vec<K> = keys.iter().chain(keys).copied().collect();
        let mut values: Vec<V> = (0..2 * n).map(|i| V::from(i as u32)).collect();
        let pairs = Pairs {
            scalar,
            keys: room.as_mut_ptr().cast(),
            values: values.as_mut_ptr().cast(),
            width: size_of::<V>(),
            count: n,
        };
        // SAFETY: room for twice the count.
        unsafe { sort_pairs(&pairs, begin, end) };
        values[..n].iter().map(|v| (*v).into()).collect()
    }

    /// Small numbers, each many times.
    fn numbers(n: usize) -> impl Iterator<Item = i64> {
        (0..n as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as i64 % 5000 - 2500)
    }

    #[test]
    fn sorts_are_stable_for_any_number_of_parts() {
        for n in [0, 1, 2, 300, 200_000] {
            let keys: Vec<i64> = numbers(n).collect();
            let mut want: Vec<u64> = (0..n as u64).collect();
            want.sort_by_key(|i| keys[*i as usize]);
            assert!(sorted::<i64, u64>(Scalar::I64, &keys, 0, 64) == want);
            let narrow: Vec<i32> = keys.iter().map(|k| *k as i32).collect();
            assert!(sorted::<i32, u64>(Scalar::I32, &narrow, 0, 32) == want);
            let floats: Vec<f64> = keys.iter().map(|k| *k as f64 / 7.0).collect();
            assert!(sorted::<f64, u64>(Scalar::F64, &floats, 0, 64) == want);
        }
    }

    #[test]
    fn wide_values_move_whole() {
        let n = 40_000;
        let keys: Vec<i32> = numbers(n).map(|k| k as i32).collect();
        let mut room: Vec<i32> = keys.iter().chain(&keys).copied().collect();
        let mut values: Vec<[u32; 3]> = (0..2 * n as u32).map(|i| [i, i + 1, i + 2]).collect();
        let pairs = Pairs {
            scalar: Scalar::I32,
            keys: room.as_mut_ptr().cast(),
            values: values.as_mut_ptr().cast(),
            width: 12,
            count: n,
        };
        // SAFETY: room for twice the count.
        unsafe { sort_pairs(&pairs, 0, 32) };
        let mut want: Vec<u32> = (0..n as u32).collect();
        want.sort_by_key(|i| keys[*i as usize]);
        assert!(
            values[..n]
                .iter()
                .zip(&want)
                .all(|(v, i)| *v == [*i, i + 1, i + 2])
        );
        assert!(room[..n].is_sorted());
    }

    #[test]
    fn floats_are_ordered_by_sign_and_size() {
        let keys = [
            3.0,
            f32::NAN,
            -f32::NAN,
            -5.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            0.0,
            -0.0,
        ];
        assert_eq!(
            sorted::<f32, u32>(Scalar::F32, &keys, 0, 32),
            [2, 5, 3, 7, 6, 0, 4, 1]
        );
    }

    #[test]
    fn only_the_bits_asked_for_count() {
        let keys = [0x13i32, 0x21, 0x02, 0x31];
        assert_eq!(sorted::<i32, u32>(Scalar::I32, &keys, 0, 4), [1, 3, 2, 0]);
        assert_eq!(sorted::<i32, u32>(Scalar::I32, &keys, 4, 8), [2, 0, 1, 3]);
        assert_eq!(sorted::<i32, u32>(Scalar::I32, &keys, 4, 4), [0, 1, 2, 3]);
        // Without the sign's bit.
        assert_eq!(
            sorted::<i32, u32>(Scalar::I32, &[3, -1, 2, -5], 0, 31),
            [2, 0, 3, 1]
        );
    }
}
