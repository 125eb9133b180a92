//! Writes LLVM text for straight-line arithmetic at any width: the same function at width 1 is the
//! scalar version, so that scalar and vector results are equal bit by bit.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Type of one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    F32,
    F64,
    I32,
    I64,
    Mask,
}

impl Ty {
    pub fn name(self) -> &'static str {
        match self {
            Ty::F32 => "float",
            Ty::F64 => "double",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::Mask => "i1",
        }
    }

    /// The integer of the same size.
    fn int(self) -> Ty {
        match self {
            Ty::F32 | Ty::I32 => Ty::I32,
            _ => Ty::I64,
        }
    }

    /// The type at some width.
    pub fn at(self, width: usize) -> String {
        match width {
            1 => self.name().to_string(),
            w => format!("<{w} x {}>", self.name()),
        }
    }
}

/// A value of the function being written.
#[derive(Clone, Debug)]
pub struct Val {
    pub text: String,
    pub ty: Ty,
}

/// The function being written.
pub struct Emit {
    width: usize,
    out: String,
    next: usize,
    /// Declarations of the intrinsics in use.
    declared: BTreeSet<String>,
}

/// Adding this to a small number rounds it to an integer, which then stands in the low bits.
fn magic(ty: Ty) -> (f64, i64) {
    match ty {
        Ty::F32 => (12_582_912.0, 0x4b40_0000),
        _ => (6_755_399_441_055_744.0, 0x4338_0000_0000_0000),
    }
}

impl Emit {
    pub fn new(width: usize) -> Emit {
        Emit {
            width,
            out: String::new(),
            next: 0,
            declared: BTreeSet::new(),
        }
    }

    /// The instructions written, and the declarations that they need.
    pub fn finish(self) -> (String, BTreeSet<String>) {
        (self.out, self.declared)
    }

    fn line(&mut self, ty: Ty, text: &str) -> Val {
        self.next += 1;
        let name = format!("%t{}", self.next);
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "  {name} = {text}");
        Val { text: name, ty }
    }

    fn splat(&self, ty: Ty, text: &str) -> Val {
        let text = match self.width {
            1 => text.to_string(),
            _ => format!("splat ({} {text})", ty.name()),
        };
        Val { text, ty }
    }

    /// A floating point constant, rounded to `ty`.
    pub fn num(&self, ty: Ty, x: f64) -> Val {
        let x = if ty == Ty::F32 {
            f64::from(x as f32)
        } else {
            x
        };
        self.splat(ty, &format!("0x{:016X}", x.to_bits()))
    }

    /// An integer constant.
    pub fn int(&self, ty: Ty, i: i64) -> Val {
        self.splat(ty, &i.to_string())
    }

    fn two(&mut self, op: &str, a: &Val, b: &Val) -> Val {
        debug_assert_eq!(a.ty, b.ty);
        let text = format!("{op} {} {}, {}", a.ty.at(self.width), a.text, b.text);
        self.line(a.ty, &text)
    }

    pub fn add(&mut self, a: &Val, b: &Val) -> Val {
        self.two("fadd", a, b)
    }
    pub fn sub(&mut self, a: &Val, b: &Val) -> Val {
        self.two("fsub", a, b)
    }
    pub fn mul(&mut self, a: &Val, b: &Val) -> Val {
        self.two("fmul", a, b)
    }
    pub fn div(&mut self, a: &Val, b: &Val) -> Val {
        self.two("fdiv", a, b)
    }
    pub fn iadd(&mut self, a: &Val, b: &Val) -> Val {
        self.two("add", a, b)
    }
    pub fn isub(&mut self, a: &Val, b: &Val) -> Val {
        self.two("sub", a, b)
    }
    pub fn and(&mut self, a: &Val, b: &Val) -> Val {
        self.two("and", a, b)
    }
    pub fn or(&mut self, a: &Val, b: &Val) -> Val {
        self.two("or", a, b)
    }
    pub fn xor(&mut self, a: &Val, b: &Val) -> Val {
        self.two("xor", a, b)
    }
    pub fn shl(&mut self, a: &Val, n: i64) -> Val {
        let n = self.int(a.ty, n);
        self.two("shl", a, &n)
    }
    pub fn ashr(&mut self, a: &Val, n: i64) -> Val {
        let n = self.int(a.ty, n);
        self.two("ashr", a, &n)
    }

    pub fn neg(&mut self, a: &Val) -> Val {
        let text = format!("fneg {} {}", a.ty.at(self.width), a.text);
        self.line(a.ty, &text)
    }

    fn intrinsic(&mut self, name: &str, args: &[&Val]) -> Val {
        let (ty, bits) = (args[0].ty, if args[0].ty == Ty::F32 { 32 } else { 64 });
        let full = match self.width {
            1 => format!("@llvm.{name}.f{bits}"),
            w => format!("@llvm.{name}.v{w}f{bits}"),
        };
        let at = ty.at(self.width);
        let typed: Vec<String> = args.iter().map(|a| format!("{at} {}", a.text)).collect();
        let plain = vec![at.as_str(); args.len()].join(", ");
        self.declared
            .insert(format!("declare {at} {full}({plain})"));
        self.line(ty, &format!("call {at} {full}({})", typed.join(", ")))
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&mut self, a: &Val, b: &Val, c: &Val) -> Val {
        self.intrinsic("fma", &[a, b, c])
    }
    /// `x - k * parts`, each part subtracted with one rounding.
    pub fn reduce(&mut self, x: &Val, k: &Val, parts: &[f64]) -> Val {
        let minus = self.neg(k);
        let mut r = x.clone();
        for p in parts {
            let p = self.num(x.ty, *p);
            r = self.fma(&minus, &p, &r);
        }
        r
    }
    pub fn abs(&mut self, a: &Val) -> Val {
        self.intrinsic("fabs", &[a])
    }
    pub fn sqrt(&mut self, a: &Val) -> Val {
        self.intrinsic("sqrt", &[a])
    }
    /// Towards 0.
    pub fn trunc(&mut self, a: &Val) -> Val {
        self.intrinsic("trunc", &[a])
    }
    pub fn copysign(&mut self, a: &Val, sign: &Val) -> Val {
        self.intrinsic("copysign", &[a, sign])
    }

    /// `olt`, `ogt`, `ugt`, … for floating point, `eq`, `ult`, … for integers.
    pub fn cmp(&mut self, predicate: &str, a: &Val, b: &Val) -> Val {
        let op = if matches!(a.ty, Ty::F32 | Ty::F64) {
            "fcmp"
        } else {
            "icmp"
        };
        let text = format!(
            "{op} {predicate} {} {}, {}",
            a.ty.at(self.width),
            a.text,
            b.text
        );
        self.line(Ty::Mask, &text)
    }

    pub fn select(&mut self, mask: &Val, a: &Val, b: &Val) -> Val {
        let (m, t) = (Ty::Mask.at(self.width), a.ty.at(self.width));
        let text = format!("select {m} {}, {t} {}, {t} {}", mask.text, a.text, b.text);
        self.line(a.ty, &text)
    }

    fn cast(&mut self, op: &str, a: &Val, to: Ty) -> Val {
        let (from, into) = (a.ty.at(self.width), to.at(self.width));
        self.line(to, &format!("{op} {from} {} to {into}", a.text))
    }

    /// The bits of a floating point value.
    pub fn bits(&mut self, a: &Val) -> Val {
        self.cast("bitcast", a, a.ty.int())
    }
    /// The floating point value of some bits.
    pub fn float(&mut self, a: &Val) -> Val {
        let to = if a.ty == Ty::I32 { Ty::F32 } else { Ty::F64 };
        self.cast("bitcast", a, to)
    }
    /// The value of an integer.
    pub fn value(&mut self, a: &Val) -> Val {
        let to = if a.ty == Ty::I32 { Ty::F32 } else { Ty::F64 };
        self.cast("sitofp", a, to)
    }
    pub fn widen(&mut self, a: &Val) -> Val {
        self.cast("fpext", a, Ty::F64)
    }
    pub fn narrow(&mut self, a: &Val) -> Val {
        self.cast("fptrunc", a, Ty::F32)
    }

    /// `c[0] + c[1] x + …`
    pub fn poly(&mut self, x: &Val, c: &[f64]) -> Val {
        let mut r = self.num(x.ty, c[c.len() - 1]);
        for c in c[..c.len() - 1].iter().rev() {
            let c = self.num(x.ty, *c);
            r = self.fma(&r, x, &c);
        }
        r
    }

    /// The integer nearest to `x * scale`: as a float, and in the low bits of an integer. NaN and
    /// what is out of range give some integer, never poison.
    pub fn round(&mut self, x: &Val, scale: f64) -> (Val, Val) {
        let (k, i) = self.round_low(x, scale, 0);
        let bits = self.int(i.ty, magic(x.ty).1);
        (k, self.isub(&i, &bits))
    }

    /// The same with the small number `more` added to the integer, whose upper half is something else.
    pub fn round_low(&mut self, x: &Val, scale: f64, more: i64) -> (Val, Val) {
        let m = self.num(x.ty, magic(x.ty).0 + more as f64);
        let scale = self.num(x.ty, scale);
        let t = self.fma(x, &scale, &m);
        let k = self.sub(&t, &m);
        (k, self.bits(&t))
    }

    /// `2^k` for an integer `k` in the range of normal numbers.
    pub fn pow2(&mut self, k: &Val) -> Val {
        let (bias, shift) = if k.ty == Ty::I32 {
            (127, 23)
        } else {
            (1023, 52)
        };
        let bias = self.int(k.ty, bias);
        let b = self.iadd(k, &bias);
        let b = self.shl(&b, shift);
        self.float(&b)
    }

    /// `x` held within `low ..= high`; NaN stays NaN.
    pub fn clamp(&mut self, x: &Val, low: f64, high: f64) -> Val {
        let (low, high) = (self.num(x.ty, low), self.num(x.ty, high));
        let below = self.cmp("olt", x, &low);
        let x = self.select(&below, &low, x);
        let above = self.cmp("ogt", &x, &high);
        self.select(&above, &high, &x)
    }
}
