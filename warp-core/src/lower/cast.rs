//! Conversions between scalar types: floats to integers saturate, every rounding happens once.

use super::text::{Text, ins, register};
use crate::dtype::Scalar;
use std::fmt::Write;

/// Converts a register of type `from` to one of type `to`.
pub fn convert(t: &mut Text, from: Scalar, to: Scalar, x: &str) -> String {
    let (rf, rt) = (register(from), register(to));
    match (from.is_float(), to.is_float()) {
        _ if from == to => x.into(),
        (true, _) if to == Scalar::Bool => ins!(t, "fcmp une {rf} {x}, 0.0"),
        (false, false) if to == Scalar::Bool => ins!(t, "icmp ne {rf} {x}, 0"),
        (true, true) => float_to_float(t, from, to, x),
        (true, false) => {
            let name = if to.is_signed() { "fptosi" } else { "fptoui" };
            let suffix = if from == Scalar::F64 { "f64" } else { "f32" };
            ins!(t, "call {rt} @llvm.{name}.sat.{rt}.{suffix}({rf} {x})")
        }
        (false, true) => int_to_float(t, from, to, x),
        (false, false) => {
            let width = |s: Scalar| if s == Scalar::Bool { 1 } else { s.bits() };
            match width(from).cmp(&width(to)) {
                std::cmp::Ordering::Equal => x.into(),
                std::cmp::Ordering::Greater => ins!(t, "trunc {rf} {x} to {rt}"),
                std::cmp::Ordering::Less if from.is_signed() => {
                    ins!(t, "sext {rf} {x} to {rt}")
                }
                std::cmp::Ordering::Less => ins!(t, "zext {rf} {x} to {rt}"),
            }
        }
    }
}

fn float_to_float(t: &mut Text, from: Scalar, to: Scalar, x: &str) -> String {
    match (from, to) {
        (Scalar::F64, Scalar::F32) => ins!(t, "fptrunc double {x} to float"),
        (_, Scalar::F64) => ins!(t, "fpext float {x} to double"),
        (_, Scalar::F32) => x.into(),
        (Scalar::F64, _) => {
            t.helper("w.odd", ODD);
            let odd = ins!(t, "call float @w.odd(double {x})");
            t.round(to, odd)
        }
        _ => t.round(to, x.into()),
    }
}

fn int_to_float(t: &mut Text, from: Scalar, to: Scalar, x: &str) -> String {
    let rf = register(from);
    let name = if from.is_signed() { "sitofp" } else { "uitofp" };
    // Integers below 2^24 are exact in a float, and those above are beyond float16 anyway.
    if to != Scalar::BF16 || from.bits() <= 16 {
        let r = register(to);
        let wide = ins!(t, "{name} {rf} {x} to {r}");
        return t.round(to, wide);
    }
    let mut x = x.to_string();
    if from.bits() == 64 {
        // Too many bits for a double: fold the low ones into one that says "some".
        let low = ins!(t, "and i64 {x}, 2047");
        let some = ins!(t, "icmp ne i64 {low}, 0");
        let sticky = ins!(t, "select i1 {some}, i64 2048, i64 0");
        let high = ins!(t, "and i64 {x}, -2048");
        let folded = ins!(t, "or i64 {high}, {sticky}");
        let size = match from.is_signed() {
            true => ins!(t, "call i64 @llvm.abs.i64(i64 {x}, i1 false)"),
            false => x.clone(),
        };
        let exact = ins!(t, "icmp ult i64 {size}, 9007199254740992");
        x = t.select(&exact, "i64", &x, &folded);
    }
    let wide = ins!(t, "{name} {rf} {x} to double");
    float_to_float(t, Scalar::F64, to, &wide)
}

/// A double as a float rounded to odd: what rounding once more, to 16 bits, turns into the right
/// result.
const ODD: &str = "\
define internal float @w.odd(double %x) alwaysinline {
  %y = fptrunc double %x to float
  %back = fpext float %y to double
  %inexact = fcmp one double %back, %x
  %bits = bitcast float %y to i32
  %ax = call double @llvm.fabs.f64(double %x)
  %ab = call double @llvm.fabs.f64(double %back)
  %far = fcmp ogt double %ab, %ax
  %less = sext i1 %far to i32
  %towards = add i32 %bits, %less
  %odd = or i32 %towards, 1
  %all = select i1 %inexact, i32 %odd, i32 %bits
  %z = bitcast i32 %all to float
  ret float %z
}
";
