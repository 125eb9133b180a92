//! LLVM text, instruction by instruction: names, types, and how scalars live in registers.
//!
//! A register holds a bool as `i1`, an integer as itself, float16 and bfloat16 as a `float` that is
//! already rounded to them, the others as themselves. Memory holds a bool as a byte.

use crate::dtype::{Class, Scalar};
use crate::ir::Const;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Appends a line of text. Writing to a `String` cannot fail.
macro_rules! line {
    ($text:expr, $($arg:tt)*) => {{
        let _ = writeln!($text.code, "  {}", format_args!($($arg)*));
    }};
}

/// Appends an instruction that gives a result and returns the result's name.
macro_rules! ins {
    ($text:expr, $($arg:tt)*) => {{
        let name = $text.fresh();
        let _ = writeln!($text.code, "  {name} = {}", format_args!($($arg)*));
        name
    }};
}

pub(in crate::lower) use {ins, line};

/// Bytes of text that most functions have, so that it is not moved while it grows.
const USUAL: usize = 4096;

/// The body of one LLVM function under construction.
#[derive(Debug, Default)]
pub struct Text {
    /// What is written so far.
    pub code: String,
    /// Functions that the text calls and that have to be written behind it, by name.
    pub helpers: BTreeMap<String, String>,
    /// Label of the block that is being written.
    pub label: String,
    /// Whether sums and products of floats may be rounded together.
    pub contracts: bool,
    /// The device rounds a float64 to float16 at once, and has no vectors.
    pub narrows: bool,
    /// Whether quotients and square roots of float32 may be a GPU's approximations.
    pub approximates: bool,
    /// Whether LLVM is to make vectors of what is written on scalars.
    pub vectorises: bool,
    /// Lanes of what arithmetic is written on: 1 for scalars.
    pub width: usize,
    prefix: &'static str,
    temps: u32,
}

impl Text {
    /// Nothing yet. `prefix` keeps the names of two texts of one function apart.
    pub fn new(prefix: &'static str) -> Text {
        Text {
            code: String::with_capacity(USUAL),
            prefix,
            width: 1,
            ..Text::default()
        }
    }

    /// A name that is not in use.
    pub fn fresh(&mut self) -> String {
        self.temps += 1;
        let mut name = String::with_capacity(8);
        name.push('%');
        name.push_str(self.prefix);
        let _ = write!(name, "{}", self.temps);
        name
    }

    /// A block label that is not in use. LLVM has one namespace for labels and values: the names of values have no `$`.
    pub fn new_label(&mut self, what: &str) -> String {
        self.temps += 1;
        format!("{what}${}", self.temps)
    }

    /// Starts a block.
    pub fn start(&mut self, label: &str) {
        let _ = writeln!(self.code, "{label}:");
        self.label = label.to_string();
    }

    /// `c ? a : b`.
    pub fn select(&mut self, c: &str, ty: &str, a: &str, b: &str) -> String {
        let bit = self.bit();
        ins!(self, "select {bit} {c}, {ty} {a}, {ty} {b}")
    }

    /// Makes a `float` a value of a 16-bit type; anything else is left alone.
    pub fn round(&mut self, ty: Scalar, x: String) -> String {
        if !ty.is_narrow() {
            return x;
        }
        let (r, mem) = (self.reg(ty), self.mem(ty));
        if ty.class() == Class::Float {
            let narrow = ins!(self, "fptrunc {r} {x} to {mem}");
            return self.widen(ty, narrow);
        }
        let name = self.named("w.bf16");
        if !self.helpers.contains_key(&name) {
            let text = bf16(&name, self.width);
            self.helper(&name, &text);
        }
        ins!(self, "call {r} @{name}({r} {x})")
    }

    /// The `float` that a narrower float of LLVM is.
    fn widen(&mut self, ty: Scalar, narrow: String) -> String {
        let (r, mem) = (self.reg(ty), self.mem(ty));
        let wide = ins!(self, "fpext {mem} {narrow} to {r}");
        if self.width == 1 {
            return wide;
        }
        // Or LLVM makes it operations on vectors of `half`, and takes these apart where the machine has none.
        let suffix = self.suffix(ty);
        ins!(self, "call {r} @llvm.arithmetic.fence.{suffix}({r} {wide})")
    }

    /// Asks for a function to be written behind the kernel.
    pub fn helper(&mut self, name: &str, text: &str) {
        if !self.helpers.contains_key(name) {
            self.helpers.insert(name.into(), text.into());
        }
    }

    /// Reads a scalar; `tail` is what stands behind the instruction (metadata).
    pub fn load(&mut self, ty: Scalar, at: &str, tail: &str) -> String {
        let (mem, size) = (memory(ty), ty.size());
        let raw = ins!(self, "load {mem}, ptr {at}, align {size}{tail}");
        self.unpack(ty, raw)
    }

    /// Writes a scalar.
    pub fn store(&mut self, ty: Scalar, value: &str, at: &str, tail: &str) {
        let raw = self.pack(ty, value);
        let (mem, size) = (memory(ty), ty.size());
        line!(self, "store {mem} {raw}, ptr {at}, align {size}{tail}");
    }

    /// What a register makes of a memory representation.
    pub fn unpack(&mut self, ty: Scalar, raw: String) -> String {
        let (r, mem) = (self.reg(ty), self.mem(ty));
        match ty.class() {
            Class::Bool => {
                let zero = self.num(Scalar::U8, "0");
                ins!(self, "icmp ne {mem} {raw}, {zero}")
            }
            Class::Float if ty.is_narrow() => self.widen(ty, raw),
            Class::BFloat => {
                let (int, shift) = (self.reg(Scalar::U32), self.num(Scalar::U32, "16"));
                let wide = ins!(self, "zext {mem} {raw} to {int}");
                let bits = ins!(self, "shl nuw {int} {wide}, {shift}");
                ins!(self, "bitcast {int} {bits} to {r}")
            }
            _ => raw,
        }
    }

    /// What memory holds for a register.
    pub fn pack(&mut self, ty: Scalar, value: &str) -> String {
        let (r, mem) = (self.reg(ty), self.mem(ty));
        match ty.class() {
            Class::Bool => ins!(self, "zext {r} {value} to {mem}"),
            Class::Float if ty.is_narrow() => ins!(self, "fptrunc {r} {value} to {mem}"),
            Class::BFloat => {
                let (int, shift) = (self.reg(Scalar::U32), self.num(Scalar::U32, "16"));
                let bits = ins!(self, "bitcast {r} {value} to {int}");
                let high = ins!(self, "lshr {int} {bits}, {shift}");
                ins!(self, "trunc nuw {int} {high} to {mem}")
            }
            _ => value.into(),
        }
    }

    /// The bits of a scalar as they are in memory, as an integer of that width.
    pub fn pack_bits(&mut self, ty: Scalar, value: &str) -> String {
        let raw = self.pack(ty, value);
        if is_integer_in_memory(ty) {
            return raw;
        }
        let (mem, bits) = (self.mem(ty), self.bits(ty));
        ins!(self, "bitcast {mem} {raw} to {bits}")
    }

    /// Undoes [`Text::pack_bits`].
    pub fn unpack_bits(&mut self, ty: Scalar, mut bits: String) -> String {
        if !is_integer_in_memory(ty) {
            let (mem, from) = (self.mem(ty), self.bits(ty));
            bits = ins!(self, "bitcast {from} {bits} to {mem}");
        }
        self.unpack(ty, bits)
    }
}

/// Loads something from the argument block.
pub fn read(t: &mut Text, ty: &str, offset: usize, align: usize) -> String {
    let at = ins!(t, "getelementptr inbounds i8, ptr %args, i64 {offset}");
    ins!(t, "load {ty}, ptr {at}, align {align}")
}

/// Type of a register.
pub fn register(ty: Scalar) -> &'static str {
    match ty.class() {
        Class::Bool => "i1",
        _ if ty.is_narrow() => "float",
        _ => memory(ty),
    }
}

/// Type in memory.
pub fn memory(ty: Scalar) -> &'static str {
    match (ty.class(), ty.bits()) {
        (Class::Float, 16) => "half",
        (Class::Float, 32) => "float",
        (Class::Float, 64) => "double",
        (_, 8) => "i8",
        (_, 16) => "i16",
        (_, 32) => "i32",
        _ => "i64",
    }
}

/// How the names of intrinsics on memory of a type end.
pub fn memory_suffix(ty: Scalar) -> String {
    let letter = if is_integer_in_memory(ty) { 'i' } else { 'f' };
    format!("{letter}{}", ty.bits())
}

fn is_integer_in_memory(ty: Scalar) -> bool {
    memory(ty).starts_with('i')
}

/// A floating point constant. LLVM writes both widths with the bits of a double.
pub fn float(ty: Scalar, x: f64) -> String {
    let x = match ty {
        Scalar::F64 => x,
        _ => f64::from(x as f32),
    };
    format!("0x{:016X}", x.to_bits())
}

/// A constant of a type.
pub fn constant(ty: Scalar, value: Const) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::Int(i) if ty == Scalar::Bool => (i != 0).to_string(),
        Const::Int(i) => i.to_string(),
        Const::Float(x) => float(ty, x),
    }
}

/// A function that rounds to bfloat16, ties to even, as integer arithmetic: the hardware's conversion, where there
/// is one, turns subnormal numbers into zero.
fn bf16(name: &str, width: usize) -> String {
    let mut t = Text::new("t");
    t.width = width;
    let (float, int, bit) = (t.reg(Scalar::F32), t.reg(Scalar::U32), t.bit());
    let [one, shift, half, quiet, high] =
        ["1", "16", "32767", "4194304", "-65536"].map(|n| t.num(Scalar::U32, n));
    let zero = t.num(Scalar::F32, "0.0");
    line!(t, "%bits = bitcast {float} %x to {int}");
    line!(t, "%high = lshr {int} %bits, {shift}");
    line!(t, "%odd = and {int} %high, {one}");
    line!(t, "%bias = add nuw {int} %odd, {half}");
    line!(t, "%sum = add {int} %bits, %bias");
    line!(t, "%quiet = or {int} %bits, {quiet}");
    line!(t, "%nan = fcmp uno {float} %x, {zero}");
    line!(t, "%all = select {bit} %nan, {int} %quiet, {int} %sum");
    line!(t, "%cut = and {int} %all, {high}");
    line!(t, "%y = bitcast {int} %cut to {float}");
    line!(t, "ret {float} %y");
    format!(
        "define internal {float} @{name}({float} %x) alwaysinline {{\n{}}}\n",
        t.code
    )
}

/// The notes to LLVM that shared code refers to: !4 the range of extents, !5 for what never changes, !6 for what hardly
/// ever happens.
pub const NOTES: &str = "\
!4 = !{i32 0, i32 -2147483648}
!5 = !{}
!6 = !{!\"branch_weights\", i32 1, i32 1048576}
";
