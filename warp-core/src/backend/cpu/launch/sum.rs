//! Adding numbers to memory: by non-atomic operations, or, if other threads may add to it at the same time, 16 bytes with one
//! atomic operation, if the processor has that.

use crate::dtype::Scalar;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod aarch64;
#[cfg(miri)]
mod other;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86_64;

#[cfg(all(target_arch = "aarch64", not(miri)))]
use aarch64::{exchange, exchanges_wide};
#[cfg(miri)]
use other::{exchange, exchanges_wide};
#[cfg(all(target_arch = "x86_64", not(miri)))]
use x86_64::{exchange, exchanges_wide};

/// Bytes that are exchanged at once.
const PART: usize = 16;
/// Bytes that are looked at before anything is added.
const LINE: usize = 64;

/// Adds numbers of the copies, `bytes` of each, to those at `to`: by non-atomic operations if nothing else changes them. A sum of zero
/// is not added, so that elements without additions keep their bits.
///
/// # Safety
/// So many bytes at `to` and in each copy are numbers of the type, aligned to their size, and no thread writes the copies. If it
/// is said to be `alone`, no other thread changes what is added to.
pub unsafe fn add(ty: Scalar, to: *mut u8, copies: &[*const u8], bytes: usize, alone: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        match ty {
            Scalar::F32 => add_all::<f32>(to, copies, bytes, alone),
            Scalar::F64 => add_all::<f64>(to, copies, bytes, alone),
            Scalar::I32 | Scalar::U32 => add_all::<u32>(to, copies, bytes, alone),
            Scalar::I64 | Scalar::U64 => add_all::<u64>(to, copies, bytes, alone),
            _ => unreachable!("such arrays are not copied"),
        }
    }
}

/// # Safety
/// As [`add`].
unsafe fn add_all<T: Number>(to: *mut u8, copies: &[*const u8], bytes: usize, alone: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        match alone {
            true => add_lines::<T>(to, copies, bytes),
            false => add_atomically::<T>(to, copies, bytes),
        }
    }
}

/// # Safety
/// As [`add`] with an exclusive lock.
unsafe fn add_lines<T: Number>(to: *mut u8, copies: &[*const u8], bytes: usize) {
    let whole = bytes - bytes % LINE;
    for at in (0..whole).step_by(LINE) {
        // SAFETY: within the bytes.
        unsafe { T::add_line(to, copies, at) };
    }
    for at in (whole..bytes).step_by(size_of::<T>()) {
        // SAFETY: as above.
        unsafe { T::add_one(to.add(at), T::sum(copies, at)) };
    }
}

/// # Safety
/// As [`add`].
unsafe fn add_atomically<T: Number>(to: *mut u8, copies: &[*const u8], bytes: usize) {
    let wide = exchanges_wide();
    let mut at = 0;
    while at < bytes {
        // SAFETY: within the bytes.
        unsafe {
            let here = to.add(at);
            let whole = (here as usize).is_multiple_of(LINE) && bytes - at >= LINE;
            if whole && is_zero(copies, at) {
                at += LINE;
            } else if wide && (here as usize).is_multiple_of(PART) && bytes - at >= PART {
                add_part::<T>(here, copies, at);
                at += PART;
            } else {
                T::add_one(here, T::sum(copies, at));
                at += size_of::<T>();
            }
        }
    }
}

/// Whether a line of every copy holds zeros only.
///
/// # Safety
/// The line lies within each copy.
unsafe fn is_zero(copies: &[*const u8], at: usize) -> bool {
    let any = copies.iter().fold(0, |any, copy| {
        // SAFETY: the caller's promise.
        let words = unsafe { copy.add(at).cast::<[u32; LINE / 4]>().read() };
        any | words.iter().fold(0, |any, word| any | word)
    });
    any == 0
}

/// A number that is added.
trait Number: Copy {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
    fn is_zero(self) -> bool;
    /// Adds to one number in memory.
    ///
    /// # Safety
    /// There is one, aligned.
    unsafe fn add_one(at: *mut u8, value: Self);

    /// Adds a line of numbers by non-atomic operations. Elements without additions are not written: others may write them.
    ///
    /// # Safety
    /// There is one in memory and in each copy, aligned to their size.
    unsafe fn add_line(to: *mut u8, copies: &[*const u8], at: usize);

    /// The sum over the copies.
    ///
    /// # Safety
    /// There is a number in each.
    unsafe fn sum(copies: &[*const u8], at: usize) -> Self {
        let each = copies.iter();
        // SAFETY: the caller's promise.
        each.fold(Self::ZERO, |sum, copy| unsafe {
            sum.plus(copy.add(at).cast::<Self>().read())
        })
    }
}

macro_rules! numbers {
    ($($number:ty, $atomic:ty, $plus:expr, $from:expr, $bits:expr;)*) => {$(
        impl Number for $number {
            const ZERO: Self = 0 as $number;
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            fn is_zero(self) -> bool {
                $bits(self) == 0
            }
            unsafe fn add_line(to: *mut u8, copies: &[*const u8], at: usize) {
                type Line = [$number; LINE / size_of::<$number>()];
                let mut sums = [Self::ZERO; LINE / size_of::<$number>()];
                for copy in copies {
                    // SAFETY: the caller's promise.
                    let line = unsafe { copy.add(at).cast::<Line>().read() };
                    for (sum, number) in sums.iter_mut().zip(line) {
                        *sum = sum.plus(number);
                    }
                }
                // SAFETY: as above.
                let to = unsafe { to.add(at).cast::<$number>() };
                let all = sums.iter().fold(true, |all, sum| all & !sum.is_zero());
                if all {
                    // SAFETY: as above.
                    let mut line = unsafe { to.cast::<Line>().read() };
                    for (number, sum) in line.iter_mut().zip(sums) {
                        *number = number.plus(sum);
                    }
                    // SAFETY: as above.
                    return unsafe { to.cast::<Line>().write(line) };
                }
                for (k, sum) in sums.into_iter().enumerate() {
                    if !sum.is_zero() {
                        // SAFETY: as above.
                        unsafe { to.add(k).write(to.add(k).read().plus(sum)) };
                    }
                }
            }
            unsafe fn add_one(at: *mut u8, value: Self) {
                if value.is_zero() {
                    return;
                }
                // SAFETY: the caller's promise.
                let memory = unsafe { <$atomic>::from_ptr(at.cast()) };
                let add = |old| Some($bits($from(old).plus(value)));
                // It always gives a new value.
                let _ = memory.fetch_update(Relaxed, Relaxed, add);
            }
        }
    )*};
}

numbers! {
    f32, AtomicU32, std::ops::Add::add, f32::from_bits, f32::to_bits;
    f64, AtomicU64, std::ops::Add::add, f64::from_bits, f64::to_bits;
    u32, AtomicU32, u32::wrapping_add, u32::from, u32::from;
    u64, AtomicU64, u64::wrapping_add, u64::from, u64::from;
}

/// Adds 16 bytes of numbers.
///
/// # Safety
/// They are there, at `to` aligned to 16, and the processor exchanges so many.
unsafe fn add_part<T: Number>(to: *mut u8, copies: &[*const u8], at: usize) {
    let count = PART / size_of::<T>();
    // Room for the shortest numbers.
    let mut sums = [T::ZERO; 4];
    for (k, sum) in sums[..count].iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *sum = unsafe { T::sum(copies, at + k * size_of::<T>()) };
    }
    // SAFETY: as above. What is read in two halves is compared as a whole.
    let mut old = unsafe { [0, 8].map(|k| AtomicU64::from_ptr(to.add(k).cast()).load(Relaxed)) };
    loop {
        let mut new = old;
        let numbers = std::ptr::from_mut(&mut new).cast::<T>();
        for (k, sum) in sums[..count].iter().enumerate() {
            if !sum.is_zero() {
                // SAFETY: so many numbers are in it.
                unsafe { numbers.add(k).write(numbers.add(k).read().plus(*sum)) };
            }
        }
        // SAFETY: the caller's promise.
        let seen = unsafe { exchange(to, old, new) };
        if seen == old {
            return;
        }
        old = seen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several threads add to the same numbers, in pieces that begin and end anywhere.
    #[test]
    fn nothing_is_lost_where_others_add() {
        const COUNT: usize = if cfg!(miri) { 40 } else { 1000 };
        let mut total = vec![0.5f32; COUNT + 1];
        let copy: Vec<f32> = (0..COUNT).map(|k| (k % 5) as f32).collect();
        let to = total[1..].as_mut_ptr() as usize;
        let rounds = if cfg!(miri) { 2 } else { 200 };
        std::thread::scope(|s| {
            for thread in 0..3 {
                let copy = &copy;
                s.spawn(move || {
                    for round in 0..rounds {
                        let cut = (thread * 31 + round) % COUNT;
                        for (from, until) in [(0, cut), (cut, COUNT)] {
                            let copies = [copy[from..].as_ptr().cast::<u8>(); 2];
                            let to = (to as *mut f32).wrapping_add(from).cast();
                            // SAFETY: both are as long; the threads only add.
                            unsafe { add(Scalar::F32, to, &copies, 4 * (until - from), false) };
                        }
                    }
                });
            }
        });
        assert_eq!(total[0], 0.5);
        for (k, sum) in total[1..].iter().enumerate() {
            assert_eq!(*sum, 0.5 + (3 * 2 * rounds * (k % 5)) as f32, "{k}");
        }
    }

    #[test]
    fn each_type_adds_as_it_does() {
        fn sum<T: Copy>(ty: Scalar, start: T, copies: [T; 2]) -> T {
            let mut to = [start; 37];
            let copies = copies.map(|c| [c; 37]);
            let copies = [0, 1].map(|k: usize| copies[k].as_ptr().cast());
            let mut alone = to;
            // SAFETY: so many numbers each.
            unsafe {
                add(ty, to.as_mut_ptr().cast(), &copies, size_of_val(&to), false);
                add(
                    ty,
                    alone.as_mut_ptr().cast(),
                    &copies,
                    size_of_val(&to),
                    true,
                );
            }
            let raw = |x: &[T]| {
                // SAFETY: it is as long, and numbers have no gaps.
                unsafe { std::slice::from_raw_parts(x.as_ptr().cast::<u8>(), size_of_val(x)) }
                    .to_vec()
            };
            assert_eq!(raw(&to), raw(&alone));
            to[8]
        }
        assert_eq!(sum(Scalar::F64, 1.0, [0.25, 0.5]), 1.75);
        assert_eq!(sum(Scalar::I32, 5i32, [-7, 1]), -1);
        assert_eq!(sum(Scalar::U64, u64::MAX, [1, 1]), 1);
        assert_eq!(sum(Scalar::F32, -0.0f32, [0.0, 0.0]).to_bits(), 1 << 31);
        assert!(sum(Scalar::F32, 1.0f32, [f32::NAN, 0.0]).is_nan());
    }

    #[test]
    fn what_nobody_added_to_is_as_it_was() {
        let start = [-0.0f32; 50];
        for every in 1..20 {
            let copy: Vec<f32> = (0..50).map(|k| f32::from(k % every == 0)).collect();
            let copies = [copy.as_ptr().cast(), [0.0f32; 50].as_ptr().cast()];
            let both = [false, true].map(|alone| {
                let mut to = start;
                // SAFETY: fifty numbers each, which nobody else knows.
                unsafe { add(Scalar::F32, to.as_mut_ptr().cast(), &copies, 200, alone) };
                to
            });
            for (k, added) in copy.iter().enumerate() {
                let expected = if *added == 0.0 { -0.0f32 } else { 1.0 };
                assert_eq!(both.map(|to| to[k].to_bits()), [expected.to_bits(); 2]);
            }
        }
    }
}
