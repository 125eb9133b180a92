//! Elements of one type as another.

use super::place::Place;
use super::{GRAIN, each};
use crate::dtype::{Native, Scalar, with_native};
use crate::floating_point::Standard;

/// Writes `n` scalars of one type as another.
///
/// # Safety
/// `from` holds as many, `to` has room for as many and may be written; they do not overlap, and nothing else uses `to` or
/// writes `from`.
pub unsafe fn cast(n: usize, from: *const u8, of: Scalar, to: *mut u8, into: Scalar) {
    let _standard = Standard::enter();
    with_native!(of, A => with_native!(into, B => {
        convert(n, Place::<A>::new(from.cast_mut()), Place::<B>::new(to));
    }));
}

fn convert<A: Native, B: Native>(n: usize, from: Place<A>, to: Place<B>) {
    each(n.div_ceil(GRAIN), n, |block| {
        let (from, to) = (from.from(block * GRAIN), to.from(block * GRAIN));
        for i in 0..GRAIN.min(n - block * GRAIN) {
            // SAFETY: the caller of `cast` promises them; each block has its own.
            unsafe { to.put(i, from.get(i).to()) };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_others_as_in_kernels() {
        let from = [1.9f32, -2.7, 3e10, f32::NAN, -1.0];
        let mut to = [0i32; 5];
        // SAFETY: both have 5 elements.
        unsafe {
            cast(
                5,
                from.as_ptr().cast(),
                Scalar::F32,
                to.as_mut_ptr().cast(),
                Scalar::I32,
            )
        };
        assert_eq!(to, [1, -2, i32::MAX, 0, -1]);
        let mut bytes = [9u8; 5];
        // SAFETY: as above.
        unsafe {
            cast(
                5,
                to.as_ptr().cast(),
                Scalar::I32,
                bytes.as_mut_ptr(),
                Scalar::U8,
            )
        };
        assert_eq!(bytes, [1, 254, 255, 0, 255]);
        // SAFETY: as above.
        unsafe {
            cast(
                5,
                to.as_ptr().cast(),
                Scalar::I32,
                bytes.as_mut_ptr(),
                Scalar::Bool,
            )
        };
        assert_eq!(bytes, [1, 1, 1, 0, 1]);
        let big = [u64::MAX, 1 << 53];
        let mut floats = [0f64; 2];
        // SAFETY: both have 2 elements.
        unsafe {
            cast(
                2,
                big.as_ptr().cast(),
                Scalar::U64,
                floats.as_mut_ptr().cast(),
                Scalar::F64,
            )
        };
        assert_eq!(
            floats,
            [18_446_744_073_709_551_615.0, 9_007_199_254_740_992.0]
        );
    }

    #[test]
    fn long_arrays_are_cast_in_blocks() {
        let from: Vec<u16> = (0..100_003u32).map(|i| i as u16).collect();
        let mut to = vec![0f64; from.len()];
        // SAFETY: both are as long.
        unsafe {
            cast(
                from.len(),
                from.as_ptr().cast(),
                Scalar::U16,
                to.as_mut_ptr().cast(),
                Scalar::F64,
            )
        };
        assert!(from.iter().zip(&to).all(|(a, b)| f64::from(*a) == *b));
    }
}
