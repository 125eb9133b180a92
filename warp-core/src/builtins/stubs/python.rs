//! The types of signatures as types of Python.

use crate::builtins::signature::sig::{Pattern, ScalarPat, Size};
use crate::dtype::Scalar;
use crate::ty::Compound;
use std::collections::BTreeMap;

/// The type variables that stubs use, each with what it admits.
#[derive(Default)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    /// Each variable with the rest of its declaration, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }

    fn variable(&mut self, name: String, admits: String) -> String {
        self.0.insert(name.clone(), admits);
        name
    }

    /// A type variable that stands for all types of a pattern, where the result is what was given.
    pub fn whole(&mut self, pattern: Pattern) -> String {
        let name = match pattern {
            Pattern::Vec(n, s) => format!("_Vec{}{}", size(n), letter(s)),
            Pattern::Mat(r, c, s) => format!("_Mat{}{}{}", size(r), size(c), letter(s)),
            Pattern::Compound(of, s) => format!("_{}{}", capital(of.row().name), letter(s)),
            Pattern::Elem(_, s) => format!("_E{}", letter(s)),
            Pattern::Scalar(s) => return self.scalar(s),
            _ => return "Any".into(),
        };
        let bound = match pattern {
            Pattern::Elem(_, ScalarPat::Var(b'E')) => return "_Element".into(),
            Pattern::Elem(_, s) => format!("{} | Composite[Any, Any]", any_scalar(s)),
            _ => base(pattern, scalar_bound(pattern), &mut |n| match n {
                Size::Exactly(n) => format!("Literal[{n}]"),
                Size::Var(_) => "Any".into(),
            }),
        };
        self.variable(name, format!("bound={bound}"))
    }

    /// A parameter that is not the result: its sizes and components are type variables, but for those that are
    /// `single`, at one place of the signature.
    pub fn part(&mut self, pattern: Pattern, single: &[u8]) -> String {
        match pattern {
            Pattern::Scalar(s @ ScalarPat::Var(l)) if single.contains(&l) && l != b'A' => {
                any_scalar(s).into()
            }
            Pattern::Scalar(s) => self.scalar(s),
            Pattern::Vec(_, s) | Pattern::Mat(_, _, s) | Pattern::Compound(_, s) => {
                let of = match s {
                    ScalarPat::Var(l) if single.contains(&l) => "Any".into(),
                    _ => self.scalar(s),
                };
                base(pattern, of, &mut |n| match n {
                    Size::Exactly(n) => format!("Literal[{n}]"),
                    Size::Var(l) if single.contains(&l) => "Any".into(),
                    Size::Var(l) => {
                        self.variable(format!("_{}", char::from(l)), "bound=int".into())
                    }
                })
            }
            Pattern::Elem(..) => self.whole(pattern),
            Pattern::Array => "array[Any, Any] | _Others".into(),
            Pattern::Type => "type[Any]".into(),
            Pattern::Str => "str".into(),
            Pattern::Any => "Any".into(),
        }
    }

    fn scalar(&mut self, pat: ScalarPat) -> String {
        let floats = "float, float64, float16, bfloat16";
        let ints = "int, int64, int8, int16, uint8, uint16, uint32, uint64";
        match pat {
            ScalarPat::Exactly(s) => python(s),
            ScalarPat::Var(b'A') => "_Condition".into(),
            ScalarPat::Var(l) => {
                let admits = match l {
                    b'F' | b'G' => floats.into(),
                    b'I' => ints.into(),
                    _ => format!("{ints}, {floats}"),
                };
                self.variable(format!("_{}", char::from(l)), admits)
            }
        }
    }
}

fn base(pattern: Pattern, of: String, size: &mut dyn FnMut(Size) -> String) -> String {
    match pattern {
        Pattern::Vec(n, _) => format!("Vector[{of}, Any, {}]", size(n)),
        Pattern::Mat(r, c, _) => format!("Matrix[{of}, Any, {}, {}]", size(r), size(c)),
        Pattern::Compound(compound, _) => format!("{}[{of}, Any]", compound.row().class),
        _ => of,
    }
}

fn scalar_bound(pattern: Pattern) -> String {
    match scalar_of(pattern) {
        Some(ScalarPat::Exactly(s)) => python(s),
        _ => "Any".into(),
    }
}

/// The scalar type of a pattern's components.
pub fn scalar_of(pattern: Pattern) -> Option<ScalarPat> {
    match pattern {
        Pattern::Scalar(s)
        | Pattern::Vec(_, s)
        | Pattern::Mat(_, _, s)
        | Pattern::Compound(_, s)
        | Pattern::Elem(_, s) => Some(s),
        _ => None,
    }
}

/// A scalar type that stands once in a signature.
pub fn any_scalar(pat: ScalarPat) -> &'static str {
    match pat {
        ScalarPat::Var(b'F' | b'G') => "_AnyFloat",
        ScalarPat::Var(b'I') => "_AnyInt",
        _ => "_AnyNumber",
    }
}

/// Python's own types stand for those that kernels do not tell apart from them.
pub fn python(s: Scalar) -> String {
    match s {
        Scalar::F32 => "float".into(),
        Scalar::I32 => "int".into(),
        _ => s.name().into(),
    }
}

/// The class of a type, if it has a name.
pub fn class(pattern: Pattern, s: Scalar) -> Option<String> {
    let letter = match s {
        Scalar::F32 => "f",
        Scalar::F64 => "d",
        Scalar::F16 => "h",
        Scalar::BF16 => "bf",
        _ => return None,
    };
    let spatial = letter != "bf";
    match pattern {
        Pattern::Scalar(_) => Some(python(s)),
        Pattern::Vec(Size::Exactly(n @ 2..=4), _) => Some(format!("vec{n}{letter}")),
        Pattern::Vec(Size::Exactly(6), _) if spatial => Some(format!("spatial_vector{letter}")),
        Pattern::Mat(Size::Exactly(r @ 2..=4), Size::Exactly(c), _) if r == c => {
            Some(format!("mat{r}{c}{letter}"))
        }
        Pattern::Mat(Size::Exactly(6), Size::Exactly(6), _) if spatial => {
            Some(format!("spatial_matrix{letter}"))
        }
        Pattern::Compound(of, _) if spatial || of == Compound::Quat => {
            Some(format!("{}{letter}", of.row().name))
        }
        _ => None,
    }
}

/// With a capital letter.
fn capital(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

fn size(n: Size) -> String {
    match n {
        Size::Exactly(n) => n.to_string(),
        Size::Var(letter) => char::from(letter).into(),
    }
}

fn letter(s: ScalarPat) -> String {
    match s {
        ScalarPat::Exactly(s) => s.name().into(),
        ScalarPat::Var(letter) => char::from(letter).into(),
    }
}
