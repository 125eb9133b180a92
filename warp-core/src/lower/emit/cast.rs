//! Conversions between scalar types: floats to integers saturate, every rounding happens once.

use crate::dtype::Scalar;
use crate::lower::emit::text::{Text, float, ins, line};
use std::fmt::Write;

/// Converts a register of type `from` to one of type `to`.
pub fn convert(t: &mut Text, from: Scalar, to: Scalar, x: &str) -> String {
    let (rf, rt) = (&*t.reg(from), &*t.reg(to));
    let zero = t.num(from, if from.is_float() { "0.0" } else { "0" });
    match (from.is_float(), to.is_float()) {
        _ if from == to => x.into(),
        (true, _) if to == Scalar::Bool => ins!(t, "fcmp une {rf} {x}, {zero}"),
        (false, false) if to == Scalar::Bool => ins!(t, "icmp ne {rf} {x}, {zero}"),
        (true, true) => float_to_float(t, from, to, x),
        (true, false) => float_to_int(t, from, to, x),
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

fn float_to_int(t: &mut Text, from: Scalar, to: Scalar, x: &str) -> String {
    let (rf, rt) = (&*t.reg(from), &*t.reg(to));
    let (signed, bits) = (to.is_signed(), to.bits() as i32);
    let name = if signed { "fptosi" } else { "fptoui" };
    if t.width == 1 && !t.vectorises {
        let (into, out_of) = (t.suffix(to), t.suffix(from));
        return ins!(t, "call {rt} @llvm.{name}.sat.{into}.{out_of}({rf} {x})");
    }
    // LLVM takes vectors apart for its saturating conversion. What the other one is not defined for, it gets 0 in place of.
    let least = if signed { -(2_f64.powi(bits - 1)) } else { 0.0 };
    let beyond = 2_f64.powi(bits - i32::from(signed));
    let [least, beyond, zero] = [least, beyond, 0.0].map(|n| t.num(from, &float(from, n)));
    let bit = t.bit();
    let large = ins!(t, "fcmp oge {rf} {x}, {least}");
    let small = ins!(t, "fcmp olt {rf} {x}, {beyond}");
    let fits = ins!(t, "and {bit} {large}, {small}");
    let defined = t.select(&fits, rf, x, &zero);
    let number = ins!(t, "{name} {rf} {defined} to {rt}");
    let most = if signed { i64::MAX >> (64 - bits) } else { -1 };
    let most = t.num(to, &most.to_string());
    let over = ins!(t, "fcmp oge {rf} {x}, {beyond}");
    let number = t.select(&over, rt, &most, &number);
    if !signed {
        return number;
    }
    let lowest = t.num(to, &(i64::MIN >> (64 - bits)).to_string());
    let under = ins!(t, "fcmp olt {rf} {x}, {least}");
    t.select(&under, rt, &lowest, &number)
}

fn float_to_float(t: &mut Text, from: Scalar, to: Scalar, x: &str) -> String {
    let [single, double] = [Scalar::F32, Scalar::F64].map(|ty| t.reg(ty));
    match (from, to) {
        (Scalar::F64, Scalar::F32) => ins!(t, "fptrunc {double} {x} to {single}"),
        (_, Scalar::F64) => ins!(t, "fpext {single} {x} to {double}"),
        (_, Scalar::F32) => x.into(),
        (Scalar::F64, Scalar::F16) if t.narrows => {
            let half = ins!(t, "fptrunc {double} {x} to half");
            ins!(t, "fpext half {half} to {single}")
        }
        (Scalar::F64, _) => {
            let name = t.named("w.odd");
            if !t.helpers.contains_key(&name) {
                let text = odd(&name, t.width);
                t.helper(&name, &text);
            }
            let odd = ins!(t, "call {single} @{name}({double} {x})");
            t.round(to, odd)
        }
        _ => t.round(to, x.into()),
    }
}

fn int_to_float(t: &mut Text, from: Scalar, to: Scalar, x: &str) -> String {
    let rf = &*t.reg(from);
    let name = if from.is_signed() { "sitofp" } else { "uitofp" };
    // Integers below 2^24 are exact in a float, and those above are beyond float16 anyway.
    if !to.is_narrow() || to == Scalar::F16 || from.bits() <= 16 {
        let r = t.reg(to);
        let wide = ins!(t, "{name} {rf} {x} to {r}");
        return t.round(to, wide);
    }
    let mut x = x.to_string();
    if from.bits() == 64 {
        // Too many bits for a double: fold the low ones into one that says "some".
        let suffix = &*t.suffix(Scalar::I64);
        let [zero, mask, bit, rest, limit] =
            ["0", "2047", "2048", "-2048", "9007199254740992"].map(|n| t.num(Scalar::I64, n));
        let low = ins!(t, "and {rf} {x}, {mask}");
        let some = ins!(t, "icmp ne {rf} {low}, {zero}");
        let sticky = t.select(&some, rf, &bit, &zero);
        let high = ins!(t, "and {rf} {x}, {rest}");
        let folded = ins!(t, "or {rf} {high}, {sticky}");
        let size = match from.is_signed() {
            true => ins!(t, "call {rf} @llvm.abs.{suffix}({rf} {x}, i1 false)"),
            false => x.clone(),
        };
        let exact = ins!(t, "icmp ult {rf} {size}, {limit}");
        x = t.select(&exact, rf, &x, &folded);
    }
    let double = t.reg(Scalar::F64);
    let wide = ins!(t, "{name} {rf} {x} to {double}");
    float_to_float(t, Scalar::F64, to, &wide)
}

/// A function that makes of a double a float rounded to odd: what rounding once more, to 16 bits, turns into the right
/// result.
fn odd(name: &str, width: usize) -> String {
    let mut t = Text::new("t");
    t.width = width;
    let [float, double, int] = [Scalar::F32, Scalar::F64, Scalar::I32].map(|ty| t.reg(ty));
    let (suffix, bit, one) = (t.suffix(Scalar::F64), t.bit(), t.num(Scalar::I32, "1"));
    line!(t, "%y = fptrunc {double} %x to {float}");
    line!(t, "%back = fpext {float} %y to {double}");
    line!(t, "%inexact = fcmp one {double} %back, %x");
    line!(t, "%bits = bitcast {float} %y to {int}");
    line!(t, "%ax = call {double} @llvm.fabs.{suffix}({double} %x)");
    line!(t, "%ab = call {double} @llvm.fabs.{suffix}({double} %back)");
    line!(t, "%far = fcmp ogt {double} %ab, %ax");
    line!(t, "%less = sext {bit} %far to {int}");
    line!(t, "%towards = add {int} %bits, %less");
    line!(t, "%odd = or {int} %towards, {one}");
    line!(t, "%all = select {bit} %inexact, {int} %odd, {int} %bits");
    line!(t, "%z = bitcast {int} %all to {float}");
    line!(t, "ret {float} %z");
    format!(
        "define internal {float} @{name}({double} %x) alwaysinline {{\n{}}}\n",
        t.code
    )
}
