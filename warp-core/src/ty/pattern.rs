//! What an annotation admits: one type, or all that look alike.

use super::compound::Compound;
use super::types::{Elem, Type};
use crate::dtype::{Scalar, TABLE};
use std::fmt;
use std::sync::Arc;

/// A set of scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalars(u32);

impl Scalars {
    /// All of them: `typing.Any`.
    pub const ANY: Scalars = Scalars(u32::MAX);

    /// One of them.
    pub const fn one(scalar: Scalar) -> Scalars {
        Scalars(1 << scalar as u32)
    }

    /// Those for which `accept` says yes.
    fn those(accept: impl Fn(Scalar) -> bool) -> Scalars {
        let accepted = TABLE.iter().filter(|row| accept(row.scalar));
        accepted.fold(Scalars(0), |all, row| all | Scalars::one(row.scalar))
    }

    /// `wp.Float`.
    pub fn floats() -> Scalars {
        Scalars::those(Scalar::is_float)
    }

    /// `wp.Int`: signed and unsigned, no bool.
    pub fn ints() -> Scalars {
        Scalars::those(|s| s.is_int() && s != Scalar::Bool)
    }

    /// Whether a scalar is one of them.
    pub const fn has(self, scalar: Scalar) -> bool {
        self.0 & 1 << scalar as u32 != 0
    }
}

impl std::ops::BitOr for Scalars {
    type Output = Scalars;
    fn bitor(self, other: Scalars) -> Scalars {
        Scalars(self.0 | other.0)
    }
}

impl fmt::Display for Scalars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Scalars::ANY {
            return f.write_str("Any");
        }
        let named = [
            ("Float", Scalars::floats()),
            ("Int", Scalars::ints()),
            ("Scalar", Scalars::floats() | Scalars::ints()),
        ];
        if let Some((name, _)) = named.iter().find(|(_, set)| set == self) {
            return f.write_str(name);
        }
        let names = TABLE.iter().filter(|row| self.has(row.scalar));
        let names: Vec<_> = names.map(|row| row.name).collect();
        f.write_str(&names.join(" | "))
    }
}

/// What an annotation admits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// Any type: `typing.Any`, or no annotation.
    Any,
    /// One type.
    Exact(Type),
    /// A scalar.
    Scalar(Scalars),
    /// A vector; `len` is None for any length.
    Vec {
        /// Number of components.
        len: Option<u32>,
        /// What components may be.
        scalars: Scalars,
    },
    /// A matrix; None for any number.
    Mat {
        /// Number of rows.
        rows: Option<u32>,
        /// Number of columns.
        cols: Option<u32>,
        /// What components may be.
        scalars: Scalars,
    },
    /// A compound.
    Compound(Compound, Scalars),
    /// An array of `ndim` dimensions whose elements match.
    Array {
        /// What an element may be.
        of: Arc<Pattern>,
        /// Number of dimensions.
        ndim: u8,
    },
    /// An indexed array of `ndim` dimensions whose elements match.
    Indexed {
        /// What an element may be.
        of: Arc<Pattern>,
        /// Number of dimensions.
        ndim: u8,
    },
    /// Several values.
    Tuple(Arc<[Pattern]>),
}

/// How closely a type is meant by a pattern: the larger, the more closely.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Closeness {
    /// Any type is admitted.
    Any,
    /// Those that look like it are.
    Like,
    /// Only this one is.
    Exact,
}

impl Scalars {
    /// The scalar, if it is the only one.
    fn single(self) -> Option<Scalar> {
        let one = self.0.count_ones() == 1;
        let mut rows = TABLE.iter().map(|row| row.scalar);
        rows.find(|scalar| one && self.has(*scalar))
    }
}

impl Pattern {
    /// The same; exact where nothing is left open.
    #[must_use]
    pub fn simplified(self) -> Pattern {
        let elem = match &self {
            Pattern::Scalar(scalars) => scalars.single().map(Elem::Scalar),
            Pattern::Vec { len, scalars } => {
                let pair = len.zip(scalars.single());
                pair.map(|(len, scalar)| Elem::Vec { len, scalar })
            }
            Pattern::Mat {
                rows,
                cols,
                scalars,
            } => {
                let all = rows.zip(*cols).zip(scalars.single());
                all.map(|((rows, cols), scalar)| Elem::Mat { rows, cols, scalar })
            }
            Pattern::Compound(compound, scalars) => {
                let scalar = scalars.single();
                scalar.map(|scalar| Elem::Compound(*compound, scalar))
            }
            _ => None,
        };
        elem.map_or(self, |elem| Pattern::Exact(Type::Elem(elem)))
    }

    /// The type, if only one is admitted.
    pub const fn exact(&self) -> Option<&Type> {
        match self {
            Pattern::Exact(ty) => Some(ty),
            _ => None,
        }
    }

    /// An array of what matches `of`.
    pub fn array(of: Pattern, ndim: u8) -> Pattern {
        match of {
            Pattern::Exact(Type::Elem(elem)) => Pattern::Exact(Type::Array { elem, ndim }),
            Pattern::Exact(Type::Struct(s)) => {
                let elem = Elem::Struct(s);
                Pattern::Exact(Type::Array { elem, ndim })
            }
            of => Pattern::Array {
                of: Arc::new(of),
                ndim,
            },
        }
    }

    /// A tuple of what matches each of `items`.
    pub fn tuple(items: Vec<Pattern>) -> Pattern {
        let types: Option<Vec<Type>> = items.iter().map(|item| item.exact().cloned()).collect();
        match types {
            Some(types) => Pattern::Exact(Type::Tuple(types.into())),
            None => Pattern::Tuple(items.into()),
        }
    }

    /// Whether a type is admitted.
    pub fn admits(&self, ty: &Type) -> bool {
        self.closeness(ty).is_some()
    }

    /// Whether a type is admitted, and how closely it is meant.
    pub fn closeness(&self, ty: &Type) -> Option<Closeness> {
        let like = match (self, ty) {
            (Pattern::Any, _) => return Some(Closeness::Any),
            (Pattern::Exact(wanted), ty) => {
                return (wanted == ty).then_some(Closeness::Exact);
            }
            (Pattern::Scalar(scalars), Type::Elem(Elem::Scalar(s))) => scalars.has(*s),
            (Pattern::Vec { len, scalars }, Type::Elem(Elem::Vec { len: n, scalar })) => {
                len.is_none_or(|len| len == *n) && scalars.has(*scalar)
            }
            (
                Pattern::Mat {
                    rows,
                    cols,
                    scalars,
                },
                Type::Elem(Elem::Mat {
                    rows: m,
                    cols: n,
                    scalar,
                }),
            ) => {
                rows.is_none_or(|rows| rows == *m)
                    && cols.is_none_or(|cols| cols == *n)
                    && scalars.has(*scalar)
            }
            (Pattern::Compound(of, scalars), Type::Elem(Elem::Compound(compound, s))) => {
                of == compound && scalars.has(*s)
            }
            (Pattern::Array { of, ndim }, Type::Array { elem, ndim: n }) => {
                ndim == n && of.admits(&Type::of(*elem))
            }
            (Pattern::Indexed { of, ndim }, Type::Struct(s)) => s
                .as_indexed()
                .is_some_and(|(elem, n)| *ndim == n && of.admits(&Type::of(elem))),
            (Pattern::Tuple(items), Type::Tuple(types)) => {
                items.len() == types.len()
                    && items.iter().zip(types.iter()).all(|(p, t)| p.admits(t))
            }
            _ => false,
        };
        like.then_some(Closeness::Like)
    }
}

impl From<Type> for Pattern {
    fn from(ty: Type) -> Pattern {
        Pattern::Exact(ty)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extent = |n: &Option<u32>| n.map_or("Any".to_string(), |n| n.to_string());
        match self {
            Pattern::Any => f.write_str("Any"),
            Pattern::Exact(ty) => write!(f, "{ty}"),
            Pattern::Scalar(scalars) => write!(f, "{scalars}"),
            Pattern::Vec { len, scalars } => write!(f, "vec({}, {scalars})", extent(len)),
            Pattern::Mat {
                rows,
                cols,
                scalars,
            } => write!(f, "mat({} x {}, {scalars})", extent(rows), extent(cols)),
            Pattern::Compound(compound, scalars) => write!(f, "{}({scalars})", compound.name()),
            Pattern::Array { of, ndim } => write!(f, "array({of}, ndim={ndim})"),
            Pattern::Indexed { of, ndim } => write!(f, "indexedarray({of}, ndim={ndim})"),
            Pattern::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Pattern::to_string).collect();
                write!(f, "({})", items.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F32: Scalar = Scalar::F32;

    #[test]
    fn families_are_named_and_hold_no_bool() {
        let all = Scalars::floats() | Scalars::ints();
        assert_eq!(all.to_string(), "Scalar");
        assert_eq!(Scalars::floats().to_string(), "Float");
        assert_eq!(Scalars::ANY.to_string(), "Any");
        assert!(Scalars::ANY.has(Scalar::Bool) && !all.has(Scalar::Bool));
        assert_eq!(
            (Scalars::one(F32) | Scalars::one(Scalar::I8)).to_string(),
            "int8 | float32"
        );
    }

    #[test]
    fn closeness_grows_with_what_is_said() {
        let vec3 = Type::Elem(Elem::Vec {
            len: 3,
            scalar: F32,
        });
        let any_vec = Pattern::Vec {
            len: None,
            scalars: Scalars::floats(),
        };
        let vec2 = Pattern::Vec {
            len: Some(2),
            scalars: Scalars::ANY,
        };
        let found = [
            Pattern::Any,
            any_vec.clone(),
            Pattern::Exact(vec3.clone()),
            vec2,
        ]
        .map(|p| p.closeness(&vec3));
        assert_eq!(
            found,
            [
                Some(Closeness::Any),
                Some(Closeness::Like),
                Some(Closeness::Exact),
                None
            ]
        );
        let ints = Pattern::Vec {
            len: None,
            scalars: Scalars::ints(),
        };
        assert!(!ints.admits(&vec3) && !ints.admits(&Type::scalar(Scalar::I32)));
        let array = Pattern::array(any_vec, 2);
        let of = |ndim| Type::Array {
            elem: Elem::Vec {
                len: 4,
                scalar: Scalar::F64,
            },
            ndim,
        };
        assert!(array.admits(&of(2)) && !array.admits(&of(1)));
        assert_eq!(array.to_string(), "array(vec(Any, Float), ndim=2)");
    }

    #[test]
    fn what_is_complete_is_exact() {
        let float = Pattern::Exact(Type::scalar(F32));
        assert!(Pattern::array(float.clone(), 1).exact().is_some());
        assert!(
            Pattern::tuple(vec![float.clone(), float.clone()])
                .exact()
                .is_some()
        );
        let open = Pattern::tuple(vec![float, Pattern::Any]);
        let pair = |s| Type::Tuple([Type::scalar(F32), Type::scalar(s)].into());
        assert!(open.admits(&pair(Scalar::I8)) && open.to_string() == "(float32, Any)");
    }
}
