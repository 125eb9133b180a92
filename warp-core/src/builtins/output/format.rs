//! `print` and `printf`: formats are taken apart here, so that what is compiled gets one conversion
//! for each value, of the value's own width.

use crate::builtins::signature::call::Call;
use crate::builtins::value::{Operand, Tree, describe_tree};
use crate::dtype::{Class, Scalar};
use crate::error::{Code, Error, Result};
use crate::ir::{Builder, Kind, Value};
use crate::span::Span;
use crate::ty::Elem;

/// A piece of output under construction.
#[derive(Default)]
pub struct Text {
    format: String,
    args: Vec<Value>,
}

impl Text {
    /// Text as it is.
    pub fn verbatim(&mut self, text: &str) {
        self.format.push_str(&text.replace('%', "%%"));
    }

    /// Prints it.
    pub fn emit(&mut self, b: &mut Builder) {
        let Text { format, args } = std::mem::take(self);
        if !format.is_empty() {
            b.push(Kind::print(format, args));
        }
    }

    /// A number, or `True` or `False`.
    pub fn value(&mut self, b: &mut Builder, value: Value) {
        let ty = b.ty(value);
        if ty == Scalar::Bool {
            // A word, not a number: two prints, of which one runs.
            self.emit(b);
            let word = |text: &str| Kind::print(text.into(), Vec::new());
            b.if_(
                value,
                |b| {
                    b.push(word("True"));
                    Vec::new()
                },
                |b| {
                    b.push(word("False"));
                    Vec::new()
                },
            );
            return;
        }
        let letter = match ty.class() {
            Class::UInt => "u",
            Class::Int | Class::Bool => "d",
            _ => "g",
        };
        self.convert(b, "", letter, value);
    }

    /// One conversion: `%`, flags, the length that fits, the letter.
    fn convert(&mut self, b: &mut Builder, flags: &str, letter: &str, value: Value) {
        let ty = b.ty(value);
        // What C's varargs would do: nothing narrower than int and double is passed.
        let (wide, length) = match (ty.class(), ty.bits()) {
            _ if ty.is_float() => (Scalar::F64, ""),
            (Class::UInt, 64) => (Scalar::U64, "ll"),
            (Class::Int, 64) => (Scalar::I64, "ll"),
            (Class::UInt, _) => (Scalar::U32, ""),
            _ => (Scalar::I32, ""),
        };
        self.args.push(b.cast(value, wide));
        self.format.push('%');
        self.format.push_str(flags);
        self.format.push_str(length);
        self.format.push_str(letter);
    }

    fn operand(&mut self, b: &mut Builder, x: &Operand) {
        let cols = match x.elem {
            Elem::Mat { cols, .. } => cols as usize,
            _ => x.parts.len(),
        };
        for (i, part) in x.parts.iter().enumerate() {
            if i > 0 {
                self.verbatim(if i % cols == 0 { "\n" } else { " " });
            }
            self.value(b, *part);
        }
    }

    fn tree(&mut self, b: &mut Builder, tree: &Tree, span: Span) -> Result<()> {
        match tree {
            Tree::Elem(x) => self.operand(b, x),
            Tree::Str(text) => self.verbatim(text),
            Tree::None => self.verbatim("None"),
            Tree::Struct(s, trees) => {
                self.verbatim(s.name());
                for (i, (field, item)) in s.fields().iter().zip(trees.iter()).enumerate() {
                    self.verbatim(if i == 0 { "(" } else { ", " });
                    self.verbatim(&field.name);
                    self.verbatim("=");
                    match item {
                        Tree::Array(_) => self.verbatim("array"),
                        item => self.tree(b, item, span)?,
                    }
                }
                self.verbatim(")");
            }
            Tree::Tuple(items) => {
                self.verbatim("(");
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.verbatim(", ");
                    }
                    self.tree(b, item, span)?;
                }
                self.verbatim(")");
            }
            // What it is, as the host says it: its elements are in memory, and may be many.
            Tree::Array(view) => {
                self.verbatim("array(shape=(");
                for dim in 0..usize::from(view.ndim) {
                    if dim > 0 {
                        self.verbatim(", ");
                    }
                    let extent = view.extent(b, dim);
                    self.value(b, extent);
                }
                let comma = if view.ndim == 1 { "," } else { "" };
                self.verbatim(&format!("{comma}), dtype={})", view.elem));
            }
            Tree::Type(_) | Tree::Function(_) => {
                let message = format!("cannot print {}", describe_tree(tree));
                return Err(Error::at(Code::Type, span, message)
                    .hint("print elements, as in `print(a[i])`, or `a.shape[0]`"));
            }
        }
        Ok(())
    }
}

/// `print(a, b, ...)`
pub fn print(c: &mut Call<'_>) -> Result<Tree> {
    let mut text = Text::default();
    for i in 0..c.args.len() {
        if i > 0 {
            text.verbatim(" ");
        }
        let tree = c.args[i].clone();
        text.tree(&mut c.builder(), &tree, c.spans[i])?;
    }
    text.verbatim("\n");
    text.emit(&mut c.builder());
    Ok(Tree::None)
}

/// `wp.printf(format, a, b, ...)`
pub fn printf(c: &mut Call<'_>) -> Result<Tree> {
    let Tree::Str(format) = c.args[0].clone() else {
        panic!("the signature says str");
    };
    let mut text = Text::default();
    let mut next = 1;
    let mut rest = &*format;
    while let Some(at) = rest.find('%') {
        text.verbatim(&rest[..at]);
        let (conversion, after) = Conversion::read(&rest[at + 1..], c)?;
        rest = after;
        let Some((flags, letter)) = conversion.parts() else {
            text.verbatim("%");
            continue;
        };
        let Some(tree) = c.args.get(next).cloned() else {
            let message = format!(
                "the format of `printf` has more conversions than the {} given",
                match next - 1 {
                    1 => "1 value".to_string(),
                    n => format!("{n} values"),
                }
            );
            return Err(Error::at(Code::Argument, c.span, message));
        };
        let span = c.spans[next];
        next += 1;
        match &tree {
            Tree::Str(word) if letter == "s" && flags.is_empty() => text.verbatim(word),
            Tree::Elem(x) if x.as_scalar().is_some() && fits(letter, x.elem.scalar()) => {
                text.convert(&mut c.builder(), flags, letter, x.parts[0]);
            }
            other => {
                let message = format!("`%{flags}{letter}` cannot print {}", describe_tree(other));
                return Err(Error::at(Code::Type, span, message).hint(suggestion(other)));
            }
        }
    }
    text.verbatim(rest);
    if next < c.args.len() {
        let message = format!(
            "`printf` got {} values, its format prints {}",
            c.args.len() - 1,
            next - 1
        );
        return Err(Error::at(Code::Argument, c.spans[next], message));
    }
    text.emit(&mut c.builder());
    Ok(Tree::None)
}

fn fits(letter: &str, scalar: Scalar) -> bool {
    match letter {
        "d" | "i" | "u" | "x" | "X" | "o" => !scalar.is_float(),
        // C takes an int here.
        "c" => scalar.is_int() && scalar.bits() <= 32,
        "s" => false,
        _ => scalar.is_float(),
    }
}

fn suggestion(tree: &Tree) -> String {
    match tree {
        Tree::Elem(x) if x.as_scalar().is_none() => {
            "print components, or the whole with `print(...)`".into()
        }
        Tree::Elem(x) if x.elem.scalar().is_float() => "`%f`, `%g` and `%e` print floats".into(),
        Tree::Elem(_) => "`%d` prints integers".into(),
        Tree::Str(_) => "`%s` prints string literals".into(),
        _ => "numbers can be printed".into(),
    }
}

/// What follows a `%`.
enum Conversion<'a> {
    Percent,
    Value { flags: &'a str, letter: &'a str },
}

impl<'a> Conversion<'a> {
    fn parts(&self) -> Option<(&'a str, &'a str)> {
        match self {
            Conversion::Percent => None,
            Conversion::Value { flags, letter } => Some((flags, letter)),
        }
    }

    /// Flags, width, precision, a length that is dropped, a letter.
    fn read(text: &'a str, c: &Call<'_>) -> Result<(Conversion<'a>, &'a str)> {
        let is_flag = |ch: char| ch.is_ascii_digit() || "-+ #.".contains(ch);
        let flags_end = text.find(|ch| !is_flag(ch)).unwrap_or(text.len());
        let (flags, rest) = text.split_at(flags_end);
        let rest = rest.trim_start_matches(['l', 'h', 'z', 'j', 't']);
        let letter = rest.chars().next().unwrap_or(' ');
        let digits = flags.chars().filter(char::is_ascii_digit).count();
        if letter == '%' && flags.is_empty() {
            return Ok((Conversion::Percent, &rest[1..]));
        }
        if !"diuxXocsfFeEgG".contains(letter) || digits > 6 {
            let shown: String = text.chars().take(flags_end + 1).collect();
            let message = format!(
                "`printf` does not know the conversion `%{}`",
                shown.trim_end()
            );
            return Err(Error::at(Code::Value, c.spans[0], message).hint(
                "%d %i %u %x %o %c print integers, %f %e %g floats, %s strings, %% a percent sign",
            ));
        }
        let (letter, rest) = rest.split_at(1);
        Ok((Conversion::Value { flags, letter }, rest))
    }
}
