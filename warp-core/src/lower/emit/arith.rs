//! Pure operations as LLVM instructions.

use crate::dtype::Scalar;
use crate::ir::primitive::Code;
use crate::ir::{Op, Primitive};
use crate::lower::analysis::range::Range;
use crate::lower::emit::text::{Text, float, ins, line};
use crate::lower::emit::width::literal;
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
    /// Whether a remainder most likely only brings an index back that is one period too far, as `(i + 1) % n` does.
    pub wraps: bool,
}

impl Known {
    /// Nothing is known.
    pub fn nothing(ty: Scalar) -> Known {
        let all = Range::of(if ty.is_float() { Scalar::I64 } else { ty });
        Known {
            a: all,
            b: all,
            fits: false,
            wraps: false,
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

/// The type that holds a float type, and its name in `@wm.` functions.
fn wide(ty: Scalar) -> (Scalar, &'static str) {
    match ty {
        Scalar::F64 => (Scalar::F64, "f64"),
        _ => (Scalar::F32, "f32"),
    }
}

/// A call of an intrinsic or a function on values of one type.
fn call(t: &mut Text, name: &str, r: &str, args: &[String]) -> String {
    let args: Vec<String> = args.iter().map(|a| format!("{r} {a}")).collect();
    ins!(t, "call {r} @{name}({})", args.join(", "))
}

fn of_floats(t: &mut Text, row: &Primitive, ty: Scalar, args: &[String]) -> String {
    let (held, stem) = wide(ty);
    let (r, suffix) = (&*t.reg(held), &*t.suffix(held));
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
        Code::Function(_) => {
            let name = t.function(row.name, stem);
            call(t, &name, r, args)
        }
        Code::Instruction(name @ ("fadd" | "fsub" | "fmul")) if t.contracts && !ty.is_narrow() => {
            ins!(t, "{name} contract {r} {operands}")
        }
        Code::Instruction(name) => ins!(t, "{name} {r} {operands}"),
        Code::Wrapping(_) | Code::Undefined => unreachable!("`{}` takes no floats", row.name),
    };
    t.round(ty, value)
}

/// The primitives whose code for floats is [`Code::Several`].
fn several_of_floats(t: &mut Text, op: Op, ty: Scalar, args: &[String]) -> String {
    let (held, _) = wide(ty);
    let (r, suffix) = (&*t.reg(held), &*t.suffix(held));
    let a = args[0].as_str();
    let b = args.get(1).map_or("", String::as_str);
    let [zero, inf] = [0.0, f64::INFINITY].map(|x| t.num(held, &float(held, x)));
    match op {
        Op::Neg => ins!(t, "fneg {r} {a}"),
        Op::Sign => {
            let [one, minus] = [1.0, -1.0].map(|x| t.num(held, &float(held, x)));
            let low = ins!(t, "fcmp olt {r} {a}, {zero}");
            t.select(&low, r, &minus, &one)
        }
        Op::IsNan => ins!(t, "fcmp uno {r} {a}, {zero}"),
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
            let name = format!("w.mod.{suffix}");
            if !t.helpers.contains_key(&name) {
                let text = modulo(held, t.width);
                t.helper(&name, &text);
            }
            call(t, &name, r, args)
        }
        Op::Min | Op::Max => extreme(t, op, held, a, b),
        _ => unreachable!("nobody wrote the code of {op:?} for floats"),
    }
}

/// The smaller or larger of two floats, the first of equals; the other one of a NaN. x86 has the comparison and the choice
/// in one instruction, which gives the second where they are unordered. So the first one is replaced if it is a NaN, which
/// is one comparison for all minima and maxima of a number.
fn extreme(t: &mut Text, op: Op, ty: Scalar, a: &str, b: &str) -> String {
    if is_nan(a) {
        return b.to_string();
    }
    if is_nan(b) {
        return a.to_string();
    }
    let r = &*t.reg(ty);
    let order = if op == Op::Min { "lt" } else { "gt" };
    // A number that is written down is no NaN now, nor is what it replaces.
    if !b.starts_with('%') {
        let other = ins!(t, "fcmp u{order} {r} {b}, {a}");
        return t.select(&other, r, b, a);
    }
    let first = match a.starts_with('%') {
        true => {
            let zero = t.num(ty, "0.0");
            let nan = ins!(t, "fcmp uno {r} {a}, {zero}");
            t.select(&nan, r, b, a)
        }
        false => a.to_string(),
    };
    let other = ins!(t, "fcmp o{order} {r} {b}, {first}");
    t.select(&other, r, b, &first)
}

/// Whether a NaN is written down, as one number or for all lanes.
fn is_nan(name: &str) -> bool {
    let bits = name
        .rsplit_once("0x")
        .map(|(_, hex)| hex.trim_end_matches(')'));
    let bits = bits.and_then(|hex| u64::from_str_radix(hex, 16).ok());
    !name.starts_with('%') && bits.is_some_and(|bits| f64::from_bits(bits).is_nan())
}

/// The remainder of truncated division, exact. While the quotient is below 2^22 (2^51) its truncation
/// is right or one too large, and the product is subtracted exactly by a fused operation;
/// beyond that, and for what is not finite, a function does it: not every device has `frem` exactly.
fn modulo(ty: Scalar, width: usize) -> String {
    let mut t = Text::new("t");
    t.width = width;
    let (r, s, bit) = (&*t.reg(ty), &*t.suffix(ty), &*t.bit());
    let most = match ty {
        Scalar::F64 => 2251799813685248.0,
        _ => 4194304.0,
    };
    let [zero, limit] = [0.0, most].map(|x| t.num(ty, &float(ty, x)));
    let exact = t.function("fmod", wide(ty).1);
    line!(t, "%a = call {r} @llvm.fabs.{s}({r} %x)");
    line!(t, "%b = call {r} @llvm.fabs.{s}({r} %y)");
    line!(t, "%ratio = fdiv {r} %a, %b");
    line!(t, "%near = fcmp olt {r} %ratio, {limit}");
    let near = t.all("%near");
    line!(t, "br i1 {near}, label %fast, label %slow");
    t.start("fast");
    line!(t, "%q = call {r} @llvm.trunc.{s}({r} %ratio)");
    line!(t, "%nq = fneg {r} %q");
    line!(
        t,
        "%first = call {r} @llvm.fma.{s}({r} %nq, {r} %b, {r} %a)"
    );
    line!(t, "%over = fcmp olt {r} %first, {zero}");
    line!(t, "%fixed = fadd {r} %first, %b");
    line!(t, "%rest = select {bit} %over, {r} %fixed, {r} %first");
    line!(t, "%whole = fcmp olt {r} %a, %b");
    line!(t, "%size = select {bit} %whole, {r} %a, {r} %rest");
    line!(
        t,
        "%signed = call {r} @llvm.copysign.{s}({r} %size, {r} %x)"
    );
    line!(t, "ret {r} %signed");
    t.start("slow");
    line!(t, "%exact = call {r} @{exact}({r} %x, {r} %y)");
    line!(t, "ret {r} %exact");
    format!(
        "define internal {r} @w.mod.{s}({r} %x, {r} %y) alwaysinline {{\n{}}}\n",
        t.code
    )
}

fn of_ints(t: &mut Text, row: &Primitive, ty: Scalar, args: &[String], known: Known) -> String {
    let r = &*t.reg(ty);
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
        Code::Intrinsic(name) => {
            let suffix = t.suffix(ty);
            call(t, &format!("llvm.{u}{name}.{suffix}"), r, args)
        }
        Code::Several => several_of_ints(t, row.op, ty, args, known),
        Code::Exact(_) | Code::Function(_) | Code::Undefined => {
            unreachable!("`{}` takes no integers", row.name)
        }
    }
}

/// The primitives whose code for integers is [`Code::Several`].
fn several_of_ints(t: &mut Text, op: Op, ty: Scalar, args: &[String], known: Known) -> String {
    let r = &*t.reg(ty);
    let bits = ty.bits();
    let signed = ty.is_signed();
    let a = args[0].as_str();
    let b = args.get(1).map_or("", String::as_str);
    let [zero, one, minus] = ["0", "1", "-1"].map(|x| t.num(ty, x));
    match op {
        Op::Neg => ins!(t, "sub {r} {zero}, {a}"),
        Op::Not if ty == Scalar::Bool => {
            let truth = t.num(ty, "true");
            ins!(t, "xor {r} {a}, {truth}")
        }
        Op::Not => ins!(t, "xor {r} {a}, {minus}"),
        Op::Abs if !signed || known.a.lo >= 0 => a.into(),
        Op::Abs => {
            let suffix = t.suffix(ty);
            ins!(t, "call {r} @llvm.abs.{suffix}({r} {a}, i1 false)")
        }
        Op::Sign if !signed => one,
        Op::Sign => {
            let low = ins!(t, "icmp slt {r} {a}, {zero}");
            t.select(&low, r, &minus, &one)
        }
        Op::BitCount => {
            let suffix = t.suffix(ty);
            ins!(t, "call {r} @llvm.ctpop.{suffix}({r} {a})")
        }
        Op::Shl => {
            let bits = t.num(ty, &bits.to_string());
            let inside = ins!(t, "icmp ult {r} {b}, {bits}");
            let shifted = ins!(t, "shl {r} {a}, {b}");
            t.select(&inside, r, &shifted, &zero)
        }
        Op::Shr => {
            let last = t.num(ty, &(bits - 1).to_string());
            let bits = t.num(ty, &bits.to_string());
            let inside = ins!(t, "icmp ult {r} {b}, {bits}");
            if signed {
                let amount = t.select(&inside, r, b, &last);
                ins!(t, "ashr {r} {a}, {amount}")
            } else {
                let shifted = ins!(t, "lshr {r} {a}, {b}");
                t.select(&inside, r, &shifted, &zero)
            }
        }
        Op::Mod if known.wraps && !t.vectorises => {
            let name = format!("w.wrap.{}", t.suffix(ty));
            if !t.helpers.contains_key(&name) {
                let text = wrap(ty, t.width);
                t.helper(&name, &text);
            }
            call(t, &name, r, args)
        }
        Op::Div | Op::FloorDiv | Op::Mod => divide(t, op, ty, a, b, known),
        _ => unreachable!("nobody wrote the code of {op:?} for integers"),
    }
}

/// Division that never traps: by 0 it gives 0, by -1 it negates (wrapping at the smallest number).
fn divide(t: &mut Text, op: Op, ty: Scalar, a: &str, b: &str, known: Known) -> String {
    let r = &*t.reg(ty);
    let rest = op == Op::Mod;
    let unsigned = !ty.is_signed() || (known.a.lo >= 0 && known.b.lo >= 0);
    let name = match (rest, unsigned) {
        (false, true) => "udiv",
        (false, false) => "sdiv",
        (true, true) => "urem",
        (true, false) => "srem",
    };
    if op == Op::FloorDiv && !unsigned && known.b.lo > 0 {
        return floor_by_positive(t, ty, a, b, known.b);
    }
    let [nil, one, down] = ["0", "1", "-1"].map(|x| t.num(ty, x));
    let zero = known.b.has(0).then(|| ins!(t, "icmp eq {r} {b}, {nil}"));
    let minus = (!unsigned && known.b.has(-1)).then(|| ins!(t, "icmp eq {r} {b}, {down}"));
    let mut divisor = b.to_string();
    for bad in zero.iter().chain(&minus) {
        divisor = t.select(bad, r, &one, &divisor);
    }
    let mut value = match by_floats(t, ty, &divisor) {
        true => t.quotient(ty, a, &divisor, rest),
        false => ins!(t, "{name} {r} {a}, {divisor}"),
    };
    if op == Op::FloorDiv && !unsigned {
        let product = ins!(t, "mul {r} {value}, {divisor}");
        let left = ins!(t, "sub {r} {a}, {product}");
        let bit = &*t.bit();
        let some = ins!(t, "icmp ne {r} {left}, {nil}");
        let mixed = ins!(t, "xor {r} {a}, {divisor}");
        let apart = ins!(t, "icmp slt {r} {mixed}, {nil}");
        let lower = ins!(t, "and {bit} {some}, {apart}");
        let one = ins!(t, "sext {bit} {lower} to {r}");
        value = ins!(t, "add {r} {value}, {one}");
    }
    if let Some(minus) = minus {
        let negated = if rest {
            nil.clone()
        } else {
            ins!(t, "sub {r} {nil}, {a}")
        };
        value = t.select(&minus, r, &negated, &value);
    }
    match zero {
        Some(zero) => t.select(&zero, r, &nil, &value),
        None => value,
    }
}

/// The remainder x % y of what is hardly ever beyond 2 y: the lesser of x and x - y as unsigned numbers, if that is less than y.
/// A negative y, or one so large that x - y might wrap, is left to the division.
fn wrap(ty: Scalar, width: usize) -> String {
    let mut t = Text::new("t");
    t.width = width;
    let (r, s, bit) = (&*t.reg(ty), &*t.suffix(ty), &*t.bit());
    let [one, most] = ["1", "1073741823"].map(|x| t.num(ty, x));
    line!(t, "%rest = sub {r} %x, %y");
    line!(t, "%least = call {r} @llvm.umin.{s}({r} %x, {r} %rest)");
    line!(t, "%inside = icmp ult {r} %least, %y");
    line!(t, "%below = sub {r} %y, {one}");
    line!(t, "%usual = icmp ult {r} %below, {most}");
    line!(t, "%near = and {bit} %inside, %usual");
    let near = t.all("%near");
    line!(t, "br i1 {near}, label %fast, label %slow");
    t.start("fast");
    line!(t, "ret {r} %least");
    t.start("slow");
    let exact = divide(&mut t, Op::Mod, ty, "%x", "%y", Known::nothing(ty));
    line!(t, "ret {r} {exact}");
    format!(
        "define internal {r} @w.wrap.{s}({r} %x, {r} %y) alwaysinline {{\n{}}}\n",
        t.code
    )
}

/// Whether integers of the type are divided as floats: processors divide no vectors of integers.
fn by_floats(t: &Text, ty: Scalar, divisor: &str) -> bool {
    let in_vectors = t.width > 1 || t.vectorises;
    in_vectors && ty.bits() <= 32 && divisor.starts_with('%')
}

/// Division of a signed number by a positive one, rounded down: a shift if that is a power of two. Otherwise a negative
/// number's complement is not negative, and the complement of its quotient is what is looked for.
fn floor_by_positive(t: &mut Text, ty: Scalar, a: &str, b: &str, divisor: Range) -> String {
    let r = &*t.reg(ty);
    if divisor.lo == divisor.hi && divisor.lo.count_ones() == 1 {
        let bits = t.num(ty, &divisor.lo.trailing_zeros().to_string());
        return ins!(t, "ashr {r} {a}, {bits}");
    }
    let last = t.num(ty, &(ty.bits() - 1).to_string());
    let sign = ins!(t, "ashr {r} {a}, {last}");
    let size = ins!(t, "xor {r} {a}, {sign}");
    let quotient = match by_floats(t, ty, b) {
        true => t.quotient(ty, &size, b, false),
        false => ins!(t, "udiv {r} {size}, {b}"),
    };
    ins!(t, "xor {r} {quotient}, {sign}")
}

/// `range(start, stop, step)`: how many iterations, as an unsigned number of the type's width.
pub fn iterations(t: &mut Text, ty: Scalar, [start, stop, step]: [&str; 3]) -> String {
    let r = &*t.reg(ty);
    let u = if ty.is_signed() { "s" } else { "u" };
    let [nil, unit] = ["0", "1"].map(|x| t.num(ty, x));
    // One direction: how many steps of `size` fit into `from .. to`, from below to.
    let count = |t: &mut Text, from: &str, to: &str, size: &str| {
        let some = ins!(t, "icmp {u}lt {r} {from}, {to}");
        let gap = ins!(t, "sub {r} {to}, {from}");
        let last = ins!(t, "sub {r} {gap}, {unit}");
        let zero = ins!(t, "icmp eq {r} {size}, {nil}");
        let size = t.select(&zero, r, &unit, size);
        let steps = ins!(t, "udiv {r} {last}, {size}");
        let n = ins!(t, "add {r} {steps}, {unit}");
        t.select(&some, r, &n, &nil)
    };
    if let Some(step) = literal(step) {
        let size = t.num(ty, &step.abs().to_string());
        return match step {
            0 => nil.clone(),
            s if s > 0 || u == "u" => {
                let size = t.num(ty, &s.to_string());
                count(t, start, stop, &size)
            }
            _ => count(t, stop, start, &size),
        };
    }
    let up = count(t, start, stop, step);
    let none = ins!(t, "icmp eq {r} {step}, {nil}");
    let n = if u == "s" {
        let size = ins!(t, "sub {r} {nil}, {step}");
        let down = count(t, stop, start, &size);
        let falling = ins!(t, "icmp slt {r} {step}, {nil}");
        t.select(&falling, r, &down, &up)
    } else {
        up
    };
    t.select(&none, r, &nil, &n)
}
