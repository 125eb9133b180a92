//! Signatures as data. A row writes its signature as the text that documentation shows; this
//! module reads that text and matches arguments against it.
//!
//! Capital letters are variables, bound by the first argument that has them: `F`, `G` a float type, `I` an
//! integer type, `S`, `T` a number type, `A` any scalar type; `M`, `N`, `K`, `L` a size; `E` the type
//! of an element of any shape, `E(F)` one whose components are floats. `ref(uint32)` is a uint32 that the call
//! changes: its argument gets another value.

use crate::dtype::Scalar;
use crate::ty::{Compound, Elem, Type};
use smallvec::SmallVec;
use std::fmt::{self, Display, Formatter};

/// A scalar type or a variable for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarPat {
    /// This type and no other.
    Exactly(Scalar),
    /// A variable; the letter says what it may stand for.
    Var(u8),
}

/// A size or a variable for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// This size.
    Exactly(u32),
    /// A variable.
    Var(u8),
}

/// What an argument may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// A scalar.
    Scalar(ScalarPat),
    /// A vector.
    Vec(Size, ScalarPat),
    /// A matrix.
    Mat(Size, Size, ScalarPat),
    /// A compound.
    Compound(Compound, ScalarPat),
    /// Any element type, bound as a whole (`E`), with its scalar.
    Elem(u8, ScalarPat),
    /// An array of anything.
    Array,
    /// A scalar type, as in `dtype=float`.
    Type,
    /// A string literal.
    Str,
    /// Anything at all.
    Any,
}

/// What a parameter is when no argument is given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Default {
    /// A number of the parameter's type.
    Number(f64),
    /// A type.
    Type(Scalar),
    /// Nothing: the builtin sees what stands in.
    None,
}

/// A parameter of a signature.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParamPattern {
    /// Name: arguments may be given by it.
    pub name: &'static str,
    /// What fits.
    pub pattern: Pattern,
    /// What stands in when it is left out.
    pub default: Option<Default>,
    /// Takes all positional arguments that are left; parameters after it are given by name.
    pub variadic: bool,
    /// The call gives the argument another value.
    pub updated: bool,
}

/// What the variables of a signature stand for, by letter.
#[derive(Clone, Copy, Debug, std::default::Default)]
pub struct Bindings {
    scalars: [Option<Scalar>; 26],
    sizes: [Option<u32>; 26],
    elems: [Option<Elem>; 26],
}

/// The parameters of a signature text. Tables are tested: a text that does not parse is a bug here.
pub fn parse(text: &'static str) -> SmallVec<[ParamPattern; 4]> {
    let (inner, _) = split_result(text);
    split_top(inner).map(param).collect()
}

/// Parameter list without brackets, and the result.
pub fn split_result(text: &'static str) -> (&'static str, &'static str) {
    let (params, result) = text.rsplit_once(" -> ").unwrap_or((text, "None"));
    let inner = params
        .strip_prefix('(')
        .and_then(|p| p.strip_suffix(')'))
        .unwrap_or_else(|| panic!("signature `{text}` has no brackets"));
    (inner, result)
}

/// Cuts at commas outside brackets.
pub fn split_top(text: &'static str) -> impl Iterator<Item = &'static str> {
    let mut depth = 0;
    text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

fn param(text: &'static str) -> ParamPattern {
    let (name, rest) = text
        .split_once(": ")
        .unwrap_or_else(|| panic!("parameter `{text}` has no type"));
    let (ty, default) = match rest.split_once(" = ") {
        Some((ty, default)) => (ty, Some(default_value(default))),
        None => (rest, None),
    };
    let inner = ty.strip_prefix("ref(").and_then(|ty| ty.strip_suffix(')'));
    ParamPattern {
        name: name.trim_start_matches('*'),
        pattern: pattern(inner.unwrap_or(ty)),
        default,
        variadic: name.starts_with('*'),
        updated: inner.is_some(),
    }
}

fn default_value(text: &str) -> Default {
    match Scalar::from_name(text) {
        Some(scalar) => Default::Type(scalar),
        None if text == "none" => Default::None,
        None => Default::Number(
            text.parse()
                .unwrap_or_else(|_| panic!("no default `{text}`")),
        ),
    }
}

/// Reads one type of a signature.
pub fn pattern(text: &'static str) -> Pattern {
    let (head, inner) = match text.split_once('(') {
        Some((head, rest)) => (head, rest.strip_suffix(')').unwrap_or(rest)),
        None => (text, ""),
    };
    let items: SmallVec<[&'static str; 3]> = split_top(inner).collect();
    match (head, &items[..]) {
        ("vec", [n, s]) => Pattern::Vec(size(n), scalar(s)),
        ("mat", [r, c, s]) => Pattern::Mat(size(r), size(c), scalar(s)),
        ("array", []) => Pattern::Array,
        ("type", []) => Pattern::Type,
        ("str", []) => Pattern::Str,
        ("any", []) => Pattern::Any,
        ("E", []) => Pattern::Elem(b'E', ScalarPat::Var(b'E')),
        ("E", [s]) => Pattern::Elem(b'E', scalar(s)),
        (_, []) => Pattern::Scalar(scalar(head)),
        (name, [s]) => match Compound::named(name) {
            Some(compound) => Pattern::Compound(compound, scalar(s)),
            None => panic!("no pattern `{text}`"),
        },
        _ => panic!("no pattern `{text}`"),
    }
}

fn scalar(text: &str) -> ScalarPat {
    match (text.as_bytes(), Scalar::from_name(text)) {
        (_, Some(scalar)) => ScalarPat::Exactly(scalar),
        ([letter @ (b'F' | b'G' | b'I' | b'S' | b'T' | b'A')], None) => ScalarPat::Var(*letter),
        _ => panic!("no scalar pattern `{text}`"),
    }
}

fn size(text: &str) -> Size {
    match text.as_bytes() {
        [letter @ (b'M' | b'N' | b'K' | b'L')] => Size::Var(*letter),
        _ => Size::Exactly(
            text.parse()
                .unwrap_or_else(|_| panic!("no size pattern `{text}`")),
        ),
    }
}

const fn at(letter: u8) -> usize {
    (letter - b'A') as usize
}

impl Bindings {
    /// What a scalar variable stands for.
    pub fn scalar(&self, letter: u8) -> Option<Scalar> {
        self.scalars[at(letter)]
    }
    /// What a pattern for a scalar stands for.
    pub fn resolve(&self, pat: ScalarPat) -> Option<Scalar> {
        match pat {
            ScalarPat::Exactly(s) => Some(s),
            ScalarPat::Var(letter) => self.scalar(letter),
        }
    }

    /// Whether a type fits a pattern; binds the pattern's variables.
    pub fn matches(&mut self, pattern: Pattern, ty: &Type) -> bool {
        match (pattern, ty) {
            (Pattern::Any, _) | (Pattern::Array, Type::Array { .. }) => true,
            (Pattern::Str, Type::Str) => true,
            (Pattern::Elem(letter, s), Type::Elem(elem)) => {
                let slot = &mut self.elems[at(letter)];
                let same = *slot.get_or_insert(*elem) == *elem;
                same && self.scalar_matches(s, elem.scalar())
            }
            (Pattern::Scalar(s), Type::Elem(Elem::Scalar(found))) => self.scalar_matches(s, *found),
            (Pattern::Compound(of, s), Type::Elem(Elem::Compound(compound, found))) => {
                of == *compound && self.scalar_matches(s, *found)
            }
            (Pattern::Vec(n, s), Type::Elem(Elem::Vec { len, scalar })) => {
                self.size_matches(n, *len) && self.scalar_matches(s, *scalar)
            }
            (Pattern::Mat(r, c, s), Type::Elem(Elem::Mat { rows, cols, scalar })) => {
                self.size_matches(r, *rows)
                    && self.size_matches(c, *cols)
                    && self.scalar_matches(s, *scalar)
            }
            _ => false,
        }
    }

    fn scalar_matches(&mut self, pat: ScalarPat, found: Scalar) -> bool {
        match pat {
            ScalarPat::Exactly(s) => s == found,
            ScalarPat::Var(letter) => {
                let fits = match letter {
                    b'F' | b'G' => found.is_float(),
                    b'I' => found.is_int(),
                    b'S' | b'T' => found != Scalar::Bool,
                    _ => true,
                };
                fits && *self.scalars[at(letter)].get_or_insert(found) == found
            }
        }
    }

    fn size_matches(&mut self, size: Size, found: u32) -> bool {
        match size {
            Size::Exactly(n) => n == found,
            Size::Var(letter) => *self.sizes[at(letter)].get_or_insert(found) == found,
        }
    }

    /// A pattern in words, with what is already known filled in.
    pub fn describe(&self, pattern: Pattern) -> String {
        match pattern {
            Pattern::Scalar(s) => self.scalar_text(s),
            Pattern::Vec(n, s) => format!("vec({}, {})", self.size_text(n), self.scalar_text(s)),
            Pattern::Mat(r, c, s) => format!(
                "mat({}x{}, {})",
                self.size_text(r),
                self.size_text(c),
                self.scalar_text(s)
            ),
            Pattern::Compound(compound, s) => {
                format!("{}({})", compound.name(), self.scalar_text(s))
            }
            Pattern::Elem(letter, s) => match self.elems[at(letter)] {
                Some(elem) => elem.to_string(),
                None => format!("scalar, vector or matrix of {}", self.scalar_text(s)),
            },
            Pattern::Array => "an array".into(),
            Pattern::Type => "a scalar type".into(),
            Pattern::Str => "a string literal".into(),
            Pattern::Any => "anything".into(),
        }
    }

    fn scalar_text(&self, pat: ScalarPat) -> String {
        match (pat, self.resolve(pat)) {
            (_, Some(scalar)) => scalar.to_string(),
            (ScalarPat::Var(b'F' | b'G'), None) => "a float type".into(),
            (ScalarPat::Var(b'I'), None) => "an integer type".into(),
            (ScalarPat::Var(b'S' | b'T'), None) => "a number type".into(),
            _ => "a scalar type".into(),
        }
    }

    fn size_text(&self, size: Size) -> Length {
        match size {
            Size::Exactly(n) => Length::Known(n),
            Size::Var(letter) => match self.sizes[at(letter)] {
                Some(n) => Length::Known(n),
                None => Length::Letter(letter),
            },
        }
    }

    /// Whether only the component type keeps a type from fitting: the one it would have to be.
    pub fn wanted_scalar(&self, pattern: Pattern, ty: &Type) -> Option<Scalar> {
        let Type::Elem(elem) = ty else { return None };
        let wanted = match pattern {
            Pattern::Scalar(s)
            | Pattern::Vec(_, s)
            | Pattern::Mat(_, _, s)
            | Pattern::Compound(_, s) => self.resolve(s),
            Pattern::Elem(letter, _) => self.elems[at(letter)].map(Elem::scalar),
            _ => None,
        }?;
        let retyped = Type::Elem(elem.with_scalar(wanted));
        (wanted != elem.scalar() && { *self }.matches(pattern, &retyped)).then_some(wanted)
    }
}

enum Length {
    Known(u32),
    Letter(u8),
}

impl Display for Length {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Length::Known(n) => write!(f, "{n}"),
            Length::Letter(letter) => write!(f, "{}", *letter as char),
        }
    }
}
