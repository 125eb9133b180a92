//! Functions of one number that generated code calls: those that rows of primitives name, and what LLVM needs.
//!
//! The vector functions of the parent module fall back on these for arguments out of their range.

use std::ffi::c_void;

use half::{bf16, f16};

use crate::dtype::{bf16_of, f16_of};
use crate::ir::PRIMITIVES;

/// Declares functions of the C library and lists them by name.
macro_rules! libm {
    ($($name32:ident $name64:ident: $($arg:ident)+;)*) => {
        unsafe extern "C" {
            $(safe fn $name32($($arg: f32),+) -> f32;
            safe fn $name64($($arg: f64),+) -> f64;)*
        }
        /// Names of the C library with their addresses.
        fn libm() -> Vec<(&'static str, usize)> {
            vec![$(
                (stringify!($name32), $name32 as *const () as usize),
                (stringify!($name64), $name64 as *const () as usize),
            )*]
        }
    };
}

libm! {
    floorf floor: x;
    ceilf ceil: x;
    truncf trunc: x;
    rintf rint: x;
    nearbyintf nearbyint: x;
    roundf round: x;
    roundevenf roundeven: x;
    fmodf fmod: x y;
    fminf fmin: x y;
    fmaxf fmax: x y;
    fmaf fma: x y z;
}

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: i32, n: usize) -> *mut c_void;
}

// Conversions that LLVM calls where the CPU has no instruction. A 16-bit float travels in the low
// half of a vector register, where an f32 of the same bits puts it.
extern "C" fn f16_to_f32(x: f32) -> f32 {
    f16::from_bits(x.to_bits() as u16).to_f32()
}
extern "C" fn f32_to_f16(x: f32) -> f32 {
    f32::from_bits(u32::from(f16::from_f32(x).to_bits()))
}
extern "C" fn f64_to_f16(x: f64) -> f32 {
    f32::from_bits(u32::from(f16_of(x).to_bits()))
}
extern "C" fn f32_to_bf16(x: f32) -> f32 {
    f32::from_bits(u32::from(bf16::from_f32(x).to_bits()))
}
extern "C" fn f64_to_bf16(x: f64) -> f32 {
    f32::from_bits(u32::from(bf16_of(x).to_bits()))
}

/// Everything generated code may leave undefined for mathematics: `wm.*`, the C library's names
/// (LLVM's intrinsics become calls of them), memory functions and 16-bit conversions.
pub fn symbols() -> Vec<(String, usize)> {
    let own: [(&str, usize); 8] = [
        ("memcpy", memcpy as *const () as usize),
        ("memmove", memmove as *const () as usize),
        ("memset", memset as *const () as usize),
        ("__extendhfsf2", f16_to_f32 as *const () as usize),
        ("__truncsfhf2", f32_to_f16 as *const () as usize),
        ("__truncdfhf2", f64_to_f16 as *const () as usize),
        ("__truncsfbf2", f32_to_bf16 as *const () as usize),
        ("__truncdfbf2", f64_to_bf16 as *const () as usize),
    ];
    // What lowering calls where LLVM's own remainder is not exact.
    let remainder = [
        ("wm.fmod.f32", fmodf as *const () as usize),
        ("wl.fmod.f32", fmodf as *const () as usize),
        ("wm.fmod.f64", fmod as *const () as usize),
        ("wl.fmod.f64", fmod as *const () as usize),
    ];
    let plain = libm().into_iter().chain(own).chain(remainder);
    let mut all: Vec<(String, usize)> = plain.map(|(name, at)| (name.to_string(), at)).collect();
    for row in PRIMITIVES {
        let Some(library) = row.library() else {
            continue;
        };
        let [single, double] = library.addresses();
        let name = row.name;
        all.extend([(format!("{name}f"), single), (name.to_string(), double)]);
        // `wm` is what lowering calls, `wl` what our own bodies fall back on.
        for prefix in ["wm", "wl"] {
            all.push((format!("{prefix}.{name}.f32"), single));
            all.push((format!("{prefix}.{name}.f64"), double));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_both_symbols() {
        let all = symbols();
        for row in PRIMITIVES.iter().filter(|row| row.library().is_some()) {
            for width in ["f32", "f64"] {
                let symbol = format!("wm.{}.{width}", row.name);
                assert!(all.iter().any(|(n, _)| *n == symbol), "{symbol}");
            }
        }
        let mut names: Vec<&String> = all.iter().map(|(n, _)| n).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len(), "a symbol is defined twice");
    }
}
