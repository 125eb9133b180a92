//! Soft arithmetic against the processor's.

use super::*;

/// Bit patterns with many special values, cancellations and ties.
fn samples(n: usize, seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    (0..n).map(move |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let word = state ^ state >> 29;
        match word % 8 {
            0 => word & 0x8000_0000_8000_0000,
            1 => word | 0x7f80_0000_7f80_0000,
            2 => word & 0x800f_ffff_807f_ffff,
            3 => word & 0xffff_0000_ffff_0000,
            4 => word & 0xbfff_ffff_3fff_ffff | 0x3f80_0000,
            _ => word,
        }
    })
}

// The bits of a NaN are compared as integers: LLVM replaces `if x.is_nan() { f32::NAN } else { x }` by `x`.
fn same32(soft: u64, hard: f32, what: &str) {
    if hard.is_nan() {
        assert_eq!(soft as u32, 0x7fff_ffff, "{what}");
    } else {
        assert_eq!(soft as u32, hard.to_bits(), "{what}");
    }
}
fn same64(soft: u64, hard: f64, what: &str) {
    if hard.is_nan() {
        assert_eq!(soft, F64.nan, "{what}");
    } else {
        assert_eq!(soft, hard.to_bits(), "{what}");
    }
}

#[test]
fn to_nearest_it_agrees_with_the_processor() {
    let n = Round::Near;
    let (mut b, mut c) = (samples(200_000, 7), samples(200_000, 11));
    for a in samples(200_000, 3) {
        let (b, c) = (b.next().unwrap(), c.next().unwrap());
        let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
        let [p, q, r] = [a, b, c].map(|v| v & 0xffff_ffff);
        let what = format!("{x:e} {y:e} {z:e}");
        same32(add(p, q, F32, n), x + y, &what);
        same32(mul(p, q, F32, n), x * y, &what);
        same32(fma(p, q, r, F32, n), x.mul_add(y, z), &what);
        same32(div(p, q, F32, n), x / y, &what);
        same32(sqrt(p, F32, n), x.sqrt(), &what);
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let what = format!("{x:e} {y:e} {z:e}");
        same64(add(a, b, F64, n), x + y, &what);
        same64(mul(a, b, F64, n), x * y, &what);
        same64(fma(a, b, c, F64, n), x.mul_add(y, z), &what);
        same64(div(a, b, F64, n), x / y, &what);
        same64(sqrt(a, F64, n), x.sqrt(), &what);
        same32(Real::f64(x).pack(F32, n), x as f32, &what);
    }
}

#[test]
fn directed_results_enclose_the_exact_one() {
    let mut b = samples(50_000, 17);
    for a in samples(50_000, 13) {
        let b = b.next().unwrap();
        for op in [add, mul, div] {
            let [near, zero, down, up] = [Round::Near, Round::Zero, Round::Down, Round::Up]
                .map(|r| f64::from_bits(op(a, b, F64, r)));
            if near.is_nan() {
                continue;
            }
            assert!(down <= near && near <= up);
            assert!(down == up || down.next_up() == up, "{down:e} {up:e}");
            assert!(zero == if near < 0.0 { up } else { down } || down == 0.0 || up == 0.0);
        }
    }
}

#[test]
fn a_zero_from_a_difference_is_negative_downwards_only() {
    let (one, minus) = (1f32.to_bits().into(), (-1f32).to_bits().into());
    assert_eq!(add(one, minus, F32, Round::Near), 0);
    assert_eq!(add(one, minus, F32, Round::Down), 0x8000_0000);
}

#[test]
fn half_formats() {
    let half = |x: f64| Real::f64(x).pack(F16, Round::Near);
    assert_eq!(half(1.0), 0x3c00);
    assert_eq!(half(65519.9), 0x7bff);
    assert_eq!(half(65520.0), 0x7c00);
    assert_eq!(half(2f64.powi(-24)), 1);
    assert_eq!(half(2f64.powi(-25)), 0);
    assert_eq!(half(-1.5 * 2f64.powi(-25)), 0x8001);
    assert_eq!(Real::f64(65520.0).pack(F16, Round::Zero), 0x7bff);
    assert_eq!(Real::f64(1.0).pack(BF16, Round::Near), 0x3f80);
    for bits in 0..0x7c00u64 {
        assert_eq!(Real::of(bits, F16).pack(F16, Round::Near), bits);
        assert_eq!(Real::of(bits, BF16).pack(BF16, Round::Near), bits);
    }
}
