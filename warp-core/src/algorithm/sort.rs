//! Stable sorts of keys with values: by digits of the keys, the lowest first.

use super::place::Place;
use super::{GRAIN, each};
use crate::backend::cpu::pool;
use crate::dtype::{Class, Scalar};

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

/// A key's bits.
pub(super) trait Bits: Copy + Send + Sync + Ord + 'static {
    /// Its digit of 8 bits from a bit on.
    fn digit(self, shift: u32) -> usize;
    /// Bits whose order is that of the numbers they stand for.
    fn ordered(self, class: Class) -> Self;
    /// The bits from `begin` up to `end`.
    fn part(self, begin: u32, end: u32) -> Self;
    /// How many there are.
    const COUNT: u32;
    /// A key, followed by a number that distinguishes equal keys.
    type Numbered: Copy + Ord;
    /// The key with its number.
    fn numbered(self, number: u32) -> Self::Numbered;
    /// The number of a key.
    fn number(numbered: Self::Numbered) -> u32;
}

macro_rules! bits {
    ($($t:ty, $numbered:ty);*) => {$(
        impl Bits for $t {
            const COUNT: u32 = <$t>::BITS;
            type Numbered = $numbered;
            #[inline(always)]
            fn numbered(self, number: u32) -> $numbered {
                <$numbered>::from(self) << 32 | <$numbered>::from(number)
            }
            #[inline(always)]
            fn number(numbered: $numbered) -> u32 { numbered as u32 }
            #[inline(always)]
            fn digit(self, shift: u32) -> usize { (self >> shift) as usize & 0xff }
            #[inline(always)]
            fn ordered(self, class: Class) -> $t {
                let top = 1 << (<$t>::BITS - 1);
                match class {
                    Class::Bool | Class::UInt => self,
                    Class::Int => self ^ top,
                    // Negative numbers turned round, below the others.
                    Class::Float | Class::BFloat if self & top != 0 => !self,
                    Class::Float | Class::BFloat => self | top,
                }
            }
            #[inline(always)]
            fn part(self, begin: u32, end: u32) -> $t {
                match end - begin {
                    0 => 0,
                    n => (self << (<$t>::BITS - end)) >> (<$t>::BITS - n),
                }
            }
        }
    )*};
}

bits!(u8, u64; u16, u64; u32, u64; u64, u128);

/// Which bits of the keys count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub class: Class,
    pub begin: u32,
    pub end: u32,
}

impl Range {
    /// A key as it is compared.
    #[inline(always)]
    pub fn of<K: Bits>(self, key: K) -> K {
        key.ordered(self.class).part(self.begin, self.end)
    }
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

/// Keys and their values.
pub(super) struct Half<K, V> {
    pub keys: Place<K>,
    pub values: Place<V>,
}

impl<K, V> Clone for Half<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Half<K, V> {}

impl<K: Copy, V: Copy> Half<K, V> {
    pub fn from(self, i: usize) -> Self {
        Half {
            keys: self.keys.from(i),
            values: self.values.from(i),
        }
    }

    /// # Safety
    /// Pair `i` is there.
    #[inline(always)]
    pub unsafe fn get(self, i: usize) -> (K, V) {
        // SAFETY: promised by the caller.
        unsafe { (self.keys.get(i), self.values.get(i)) }
    }

    /// # Safety
    /// Pair `i` is there, and nothing else uses it.
    #[inline(always)]
    pub unsafe fn put(self, i: usize, (key, value): (K, V)) {
        // SAFETY: promised by the caller.
        unsafe {
            self.keys.put(i, key);
            self.values.put(i, value);
        }
    }
}

/// Counts of the 256 digits.
type Counts = [u32; 256];

/// Sorts `n` pairs with the help of as much free room, on the pool if there are many.
pub(super) fn radix<K: Bits, V: Copy + Send + Sync>(
    pairs: Half<K, V>,
    free: Half<K, V>,
    n: usize,
    range: Range,
) {
    if n <= 1 || range.begin == range.end {
        return;
    }
    let digits = (range.end - range.begin).div_ceil(8) as usize;
    // Each part of the pairs is counted, and then moved, by one thread; more parts than threads only cost.
    let parts = if n < 4 * GRAIN {
        1
    } else {
        2 * pool::threads()
    };
    let long = n.div_ceil(parts);
    let part = |i: usize| i * long..n.min((i + 1) * long);
    let mut counts: Vec<Counts> = vec![[0; 256]; parts * digits];
    let counts_at = Place::<Counts>::new(counts.as_mut_ptr().cast());
    each(parts, n, |p| {
        let counts: &mut [Counts] =
            // SAFETY: each part has its own counts.
            unsafe { std::slice::from_raw_parts_mut(counts_at.address().add(p * digits), digits) };
        for i in part(p) {
            // SAFETY: the pairs are there.
            let key = range.of(unsafe { pairs.keys.get(i) });
            for (d, counts) in counts.iter_mut().enumerate() {
                counts[key.digit(8 * d as u32)] += 1;
            }
        }
    });
    let (mut from, mut to) = (pairs, free);
    let mut moved = 0;
    for digit in 0..digits {
        let shift = 8 * digit as u32;
        let mut all: Counts = [0; 256];
        for p in 0..parts {
            let counts = &counts[p * digits + digit];
            (all.iter_mut().zip(counts)).for_each(|(all, count)| *all += count);
        }
        // All keys have this digit in common.
        if all.iter().any(|count| *count as usize == n) {
            continue;
        }
        let mut places: Vec<Counts> = (0..parts).map(|p| counts[p * digits + digit]).collect();
        if moved > 0 && parts > 1 {
            // The parts hold other keys than when they were counted.
            let places_at = Place::<Counts>::new(places.as_mut_ptr().cast());
            each(parts, n, |p| {
                let mut counts: Counts = [0; 256];
                for i in part(p) {
                    // SAFETY: the pairs are there.
                    counts[range.of(unsafe { from.keys.get(i) }).digit(shift)] += 1;
                }
                // SAFETY: each part has its own counts.
                unsafe { places_at.put(p, counts) };
            });
        }
        let mut next = 0;
        for d in 0..256 {
            for counts in &mut places {
                let count = counts[d];
                counts[d] = next;
                next += count;
            }
        }
        let places_at = Place::<Counts>::new(places.as_mut_ptr().cast());
        each(parts, n, |p| {
            // SAFETY: each part has its own places.
            let places = unsafe { &mut *places_at.address().add(p) };
            for i in part(p) {
                // SAFETY: the pairs are there; each goes to a place of its own.
                unsafe {
                    let pair = from.get(i);
                    let place = &mut places[range.of(pair.0).digit(shift)];
                    to.put(*place as usize, pair);
                    *place += 1;
                }
            }
        });
        (from, to) = (to, from);
        moved += 1;
    }
    if moved % 2 == 1 {
        each(parts, n, |p| {
            let part = part(p);
            // SAFETY: what was sorted lies in the other half.
            unsafe {
                let (keys, values) = (from.keys.from(part.start), from.values.from(part.start));
                let len = part.end.saturating_sub(part.start);
                let at = to.from(part.start);
                std::ptr::copy_nonoverlapping(
                    keys.address().cast::<u8>(),
                    at.keys.address().cast::<u8>(),
                    len * size_of::<K>(),
                );
                std::ptr::copy_nonoverlapping(
                    values.address().cast::<u8>(),
                    at.values.address().cast::<u8>(),
                    len * size_of::<V>(),
                );
            }
        });
    }
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
