//! Pure operations as LLVM instructions.

use super::range::Range;
use super::text::{Text, float, ins, register};
use crate::dtype::Scalar;
use crate::ir::primitive::Code;
use crate::ir::{Op, Primitive};
use std::fmt::Write;

/// What is known about the integers that an operation takes and gives.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The first argument.
    pub a: Range,
    /// The second argument.
    pub b: Range,
    /// Whether the exact result fits the type.
    pub fits: bool,
}

impl Known {
    /// Nothing is known.
    pub fn nothing(ty: Scalar) -> Known {
        let all = Range::of(if ty.is_float() { Scalar::I64 } else { ty });
        Known {
            a: all,
            b: all,
            fits: false,
        }
    }
}

/// Emits a primitive on arguments of type `ty` and returns the result.
pub fn named(t: &mut Text, op: Op, ty: Scalar, args: &[String], known: Known) -> String {
    let row = op.primitive().expect("an operation that is a plain name");
    if ty.is_float() {
        of_floats(t, row, ty, args)
    } else {
        of_ints(t, row, ty, args, known)
    }
}

/// `float` or `double`, and its name in intrinsics and in `@wm.` functions.
fn wide(ty: Scalar) -> (&'static str, &'static str) {
    match ty {
        Scalar::F64 => ("double", "f64"),
        _ => ("float", "f32"),
    }
}

/// A call of an intrinsic or a function on values of one type.
fn call(t: &mut Text, name: &str, r: &str, args: &[String]) -> String {
    let args: Vec<String> = args.iter().map(|a| format!("{r} {a}")).collect();
    ins!(t, "call {r} @{name}({})", args.join(", "))
}

fn of_floats(t: &mut Text, row: &Primitive, ty: Scalar, args: &[String]) -> String {
    let (r, suffix) = wide(ty);
    let operands = args.join(", ");
    let value = match row.float_code {
        Code::Compare(predicate) => return ins!(t, "fcmp {predicate} {r} {operands}"),
        Code::Exact(name) => return call(t, &format!("llvm.{name}.{suffix}"), r, args),
        Code::Several => return several_of_floats(t, row.op, ty, args),
        Code::Intrinsic("sqrt") if t.approximates && ty == Scalar::F32 => {
            return call(t, "llvm.nvvm.sqrt.approx.ftz.f", r, args);
        }
        Code::Instruction("fdiv") if t.approximates && ty == Scalar::F32 => {
            return call(t, "llvm.nvvm.div.approx.ftz.f", r, args);
        }
        Code::Intrinsic(name) => call(t, &format!("llvm.{name}.{suffix}"), r, args),
        Code::Function(_) => call(t, &format!("wm.{}.{suffix}", row.name), r, args),
        Code::Instruction(name @ ("fadd" | "fsub" | "fmul"))
            if t.contracts && ty != Scalar::F16 && ty != Scalar::BF16 =>
        {
            ins!(t, "{name} contract {r} {operands}")
        }
        Code::Instruction(name) => ins!(t, "{name} {r} {operands}"),
        Code::Wrapping(_) | Code::Undefined => unreachable!("`{}` takes no floats", row.name),
    };
    t.round(ty, value)
}

/// The primitives whose code for floats is [`Code::Several`].
fn several_of_floats(t: &mut Text, op: Op, ty: Scalar, args: &[String]) -> String {
    let (r, suffix) = wide(ty);
    let a = args[0].as_str();
    let b = args.get(1).map_or("", String::as_str);
    let inf = float(Scalar::F64, f64::INFINITY);
    match op {
        Op::Neg => ins!(t, "fneg {r} {a}"),
        Op::Sign => {
            let one = float(ty, 1.0);
            let minus = float(ty, -1.0);
            let low = ins!(t, "fcmp olt {r} {a}, 0.0");
            t.select(&low, r, &minus, &one)
        }
        Op::IsNan => ins!(t, "fcmp uno {r} {a}, 0.0"),
        Op::IsInf | Op::IsFinite => {
            let how = if op == Op::IsInf { "oeq" } else { "olt" };
            let size = call(t, &format!("llvm.fabs.{suffix}"), r, args);
            ins!(t, "fcmp {how} {r} {size}, {inf}")
        }
        Op::FloorDiv => {
            let q = ins!(t, "fdiv {r} {a}, {b}");
            let q = t.round(ty, q);
            ins!(t, "call {r} @llvm.floor.{suffix}({r} {q})")
        }
        Op::Mod => {
            t.helper(&format!("w.mod.{suffix}"), &modulo(ty));
            call(t, &format!("w.mod.{suffix}"), r, args)
        }
        Op::Min | Op::Max => extreme(t, op, r, a, b),
        _ => unreachable!("nobody wrote the code of {op:?} for floats"),
    }
}

/// The smaller or larger of two floats, the first of equals; the other one of a NaN. x86 has the comparison and the choice
/// in one instruction, which gives the second where they are unordered; a second one cares for a NaN that comes first.
fn extreme(t: &mut Text, op: Op, r: &str, a: &str, b: &str) -> String {
    let order = if op == Op::Min { "lt" } else { "gt" };
    // A number that is written down is no NaN, nor is what it replaces.
    if !b.starts_with('%') {
        let other = ins!(t, "fcmp u{order} {r} {b}, {a}");
        return t.select(&other, r, b, a);
    }
    let other = ins!(t, "fcmp o{order} {r} {b}, {a}");
    let value = t.select(&other, r, b, a);
    if !a.starts_with('%') {
        return value;
    }
    let nan = ins!(t, "fcmp uno {r} {a}, 0.0");
    t.select(&nan, r, b, &value)
}

/// The remainder of truncated division, exact. While the quotient is below 2^22 (2^51) its truncation
/// is right or one too large, and the product is subtracted exactly by a fused operation;
/// beyond that, and for what is not finite, a function does it: not every device has `frem` exactly.
fn modulo(ty: Scalar) -> String {
    let (r, s) = wide(ty);
    let limit = float(
        ty,
        if s == "f32" {
            4194304.0
        } else {
            2251799813685248.0
        },
    );
    format!(
        "\
define internal {r} @w.mod.{s}({r} %x, {r} %y) alwaysinline {{
  %a = call {r} @llvm.fabs.{s}({r} %x)
  %b = call {r} @llvm.fabs.{s}({r} %y)
  %ratio = fdiv {r} %a, %b
  %near = fcmp olt {r} %ratio, {limit}
  br i1 %near, label %fast, label %slow
fast:
  %q = call {r} @llvm.trunc.{s}({r} %ratio)
  %nq = fneg {r} %q
  %first = call {r} @llvm.fma.{s}({r} %nq, {r} %b, {r} %a)
  %over = fcmp olt {r} %first, 0.0
  %fixed = fadd {r} %first, %b
  %rest = select i1 %over, {r} %fixed, {r} %first
  %whole = fcmp olt {r} %a, %b
  %size = select i1 %whole, {r} %a, {r} %rest
  %signed = call {r} @llvm.copysign.{s}({r} %size, {r} %x)
  ret {r} %signed
slow:
  %exact = call {r} @wm.fmod.{s}({r} %x, {r} %y)
  ret {r} %exact
}}
"
    )
}

fn of_ints(t: &mut Text, row: &Primitive, ty: Scalar, args: &[String], known: Known) -> String {
    let r = register(ty);
    let signed = ty.is_signed();
    let u = if signed { "s" } else { "u" };
    let operands = args.join(", ");
    match row.int_code {
        Code::Compare(same @ ("eq" | "ne")) => ins!(t, "icmp {same} {r} {operands}"),
        Code::Compare(order) => ins!(t, "icmp {u}{order} {r} {operands}"),
        Code::Wrapping(name) => {
            let flag = match (known.fits, signed) {
                (false, _) => "",
                (true, true) => "nsw ",
                (true, false) => "nuw ",
            };
            ins!(t, "{name} {flag}{r} {operands}")
        }
        Code::Instruction(name) => ins!(t, "{name} {r} {operands}"),
        Code::Intrinsic(name) => call(t, &format!("llvm.{u}{name}.{r}"), r, args),
        Code::Several => several_of_ints(t, row.op, ty, args, known),
        Code::Exact(_) | Code::Function(_) | Code::Undefined => {
            unreachable!("`{}` takes no integers", row.name)
        }
    }
}

/// The primitives whose code for integers is [`Code::Several`].
fn several_of_ints(t: &mut Text, op: Op, ty: Scalar, args: &[String], known: Known) -> String {
    let r = register(ty);
    let bits = ty.bits();
    let signed = ty.is_signed();
    let a = args[0].as_str();
    let b = args.get(1).map_or("", String::as_str);
    match op {
        Op::Neg => ins!(t, "sub {r} 0, {a}"),
        Op::Not if ty == Scalar::Bool => ins!(t, "xor i1 {a}, true"),
        Op::Not => ins!(t, "xor {r} {a}, -1"),
        Op::Abs if !signed || known.a.lo >= 0 => a.into(),
        Op::Abs => ins!(t, "call {r} @llvm.abs.{r}({r} {a}, i1 false)"),
        Op::Sign if !signed => "1".into(),
        Op::Sign => {
            let low = ins!(t, "icmp slt {r} {a}, 0");
            t.select(&low, r, "-1", "1")
        }
        Op::BitCount => ins!(t, "call {r} @llvm.ctpop.{r}({r} {a})"),
        Op::Shl => {
            let inside = ins!(t, "icmp ult {r} {b}, {bits}");
            let shifted = ins!(t, "shl {r} {a}, {b}");
            t.select(&inside, r, &shifted, "0")
        }
        Op::Shr => {
            let inside = ins!(t, "icmp ult {r} {b}, {bits}");
            if signed {
                let last = (bits - 1).to_string();
                let amount = t.select(&inside, r, b, &last);
                ins!(t, "ashr {r} {a}, {amount}")
            } else {
                let shifted = ins!(t, "lshr {r} {a}, {b}");
                t.select(&inside, r, &shifted, "0")
            }
        }
        Op::Div | Op::FloorDiv | Op::Mod => divide(t, op, ty, a, b, known),
        _ => unreachable!("nobody wrote the code of {op:?} for integers"),
    }
}

/// Division that never traps: by 0 it gives 0, by -1 it negates (wrapping at the smallest number).
fn divide(t: &mut Text, op: Op, ty: Scalar, a: &str, b: &str, known: Known) -> String {
    let r = register(ty);
    let rest = op == Op::Mod;
    let unsigned = !ty.is_signed() || (known.a.lo >= 0 && known.b.lo >= 0);
    let name = match (rest, unsigned) {
        (false, true) => "udiv",
        (false, false) => "sdiv",
        (true, true) => "urem",
        (true, false) => "srem",
    };
    let zero = known.b.has(0).then(|| ins!(t, "icmp eq {r} {b}, 0"));
    let minus = (!unsigned && known.b.has(-1)).then(|| ins!(t, "icmp eq {r} {b}, -1"));
    let mut divisor = b.to_string();
    for bad in zero.iter().chain(&minus) {
        divisor = t.select(bad, r, "1", &divisor);
    }
    let mut value = ins!(t, "{name} {r} {a}, {divisor}");
    if op == Op::FloorDiv && !unsigned {
        let product = ins!(t, "mul {r} {value}, {divisor}");
        let left = ins!(t, "sub {r} {a}, {product}");
        let some = ins!(t, "icmp ne {r} {left}, 0");
        let mixed = ins!(t, "xor {r} {a}, {divisor}");
        let apart = ins!(t, "icmp slt {r} {mixed}, 0");
        let lower = ins!(t, "and i1 {some}, {apart}");
        let one = ins!(t, "sext i1 {lower} to {r}");
        value = ins!(t, "add {r} {value}, {one}");
    }
    if let Some(minus) = minus {
        let negated = if rest {
            "0".into()
        } else {
            ins!(t, "sub {r} 0, {a}")
        };
        value = t.select(&minus, r, &negated, &value);
    }
    match zero {
        Some(zero) => t.select(&zero, r, "0", &value),
        None => value,
    }
}

/// `range(start, stop, step)`: how many rounds, as an unsigned number of the type's width.
pub fn rounds(t: &mut Text, ty: Scalar, [start, stop, step]: [&str; 3]) -> String {
    let r = register(ty);
    let u = if ty.is_signed() { "s" } else { "u" };
    // One direction: how many steps of `size` fit into `from .. to`, from below to.
    let count = |t: &mut Text, from: &str, to: &str, size: &str| {
        let some = ins!(t, "icmp {u}lt {r} {from}, {to}");
        let gap = ins!(t, "sub {r} {to}, {from}");
        let last = ins!(t, "sub {r} {gap}, 1");
        let zero = ins!(t, "icmp eq {r} {size}, 0");
        let size = t.select(&zero, r, "1", size);
        let steps = ins!(t, "udiv {r} {last}, {size}");
        let n = ins!(t, "add {r} {steps}, 1");
        t.select(&some, r, &n, "0")
    };
    if let Ok(step) = step.parse::<i128>() {
        return match step {
            0 => "0".into(),
            s if s > 0 || u == "u" => count(t, start, stop, &step.to_string()),
            s => count(t, stop, start, &(-s).to_string()),
        };
    }
    let up = count(t, start, stop, step);
    let none = ins!(t, "icmp eq {r} {step}, 0");
    let n = if u == "s" {
        let size = ins!(t, "sub {r} 0, {step}");
        let down = count(t, stop, start, &size);
        let falling = ins!(t, "icmp slt {r} {step}, 0");
        t.select(&falling, r, &down, &up)
    } else {
        up
    };
    t.select(&none, r, "0", &n)
}
