//! Types of values: scalars, the small composites kernels compute with, and arrays of them.

mod structs;

pub use structs::{Field, Leaf, MAX_LEAVES, Struct, leaves};

use crate::dtype::Scalar;
use std::fmt;
use std::sync::Arc;

/// What an array holds and what arithmetic works on: a scalar or a fixed number of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elem {
    /// A single scalar.
    Scalar(Scalar),
    /// A vector of `len` components.
    Vec {
        /// Number of components.
        len: u32,
        /// Type of each component.
        scalar: Scalar,
    },
    /// A matrix, row-major.
    Mat {
        /// Number of rows.
        rows: u32,
        /// Number of columns.
        cols: u32,
        /// Type of each component.
        scalar: Scalar,
    },
    /// A quaternion (x, y, z, w).
    Quat(Scalar),
    /// A rigid transformation: position (x, y, z), then quaternion (x, y, z, w).
    Transform(Scalar),
    /// A struct without arrays. Only arrays on the host hold these; to what asks no further they are so many bytes.
    /// Kernels are passed an array for each leaf.
    Struct(Struct),
}

impl Elem {
    /// Type of each component.
    pub const fn scalar(self) -> Scalar {
        match self {
            Elem::Scalar(s) | Elem::Quat(s) | Elem::Transform(s) => s,
            Elem::Vec { scalar, .. } | Elem::Mat { scalar, .. } => scalar,
            Elem::Struct(_) => Scalar::U8,
        }
    }
    /// Number of components.
    pub const fn count(self) -> usize {
        match self {
            Elem::Scalar(_) => 1,
            Elem::Vec { len, .. } => len as usize,
            Elem::Mat { rows, cols, .. } => rows as usize * cols as usize,
            Elem::Quat(_) => 4,
            Elem::Transform(_) => 7,
            Elem::Struct(s) => s.size(),
        }
    }
    /// Bytes of one element in an array.
    pub const fn size(self) -> usize {
        self.count() * self.scalar().size()
    }
    /// Its address in memory is a multiple of this.
    pub const fn align(self) -> usize {
        match self {
            Elem::Struct(s) => s.align(),
            other => other.scalar().size(),
        }
    }
    /// Whether derivatives with respect to it exist: some of it is floating point.
    pub fn has_floats(self) -> bool {
        match self {
            Elem::Struct(s) => s.leaves().iter().any(|leaf| match leaf.ty {
                Type::Elem(elem) => elem.scalar().is_float(),
                _ => false,
            }),
            other => other.scalar().is_float(),
        }
    }
    /// The dimensions that an element adds behind an array's own when seen by NumPy or torch.
    pub fn inner_shape(self) -> smallvec::SmallVec<[usize; 2]> {
        match self {
            Elem::Scalar(_) => smallvec::smallvec![],
            Elem::Mat { rows, cols, .. } => smallvec::smallvec![rows as usize, cols as usize],
            other => smallvec::smallvec![other.count()],
        }
    }
    /// The same shape with another component type; a struct stays as it is.
    pub const fn with_scalar(self, scalar: Scalar) -> Elem {
        match self {
            Elem::Scalar(_) => Elem::Scalar(scalar),
            Elem::Vec { len, .. } => Elem::Vec { len, scalar },
            Elem::Mat { rows, cols, .. } => Elem::Mat { rows, cols, scalar },
            Elem::Quat(_) => Elem::Quat(scalar),
            Elem::Transform(_) => Elem::Transform(scalar),
            Elem::Struct(s) => Elem::Struct(s),
        }
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Elem::Scalar(s) => write!(f, "{s}"),
            Elem::Vec { len, scalar } => write!(f, "vec({len}, {scalar})"),
            Elem::Mat { rows, cols, scalar } => write!(f, "mat({rows}x{cols}, {scalar})"),
            Elem::Quat(s) => write!(f, "quat({s})"),
            Elem::Transform(s) => write!(f, "transform({s})"),
            Elem::Struct(s) => write!(f, "{s}"),
        }
    }
}

/// The most dimensions an array or a launch may have.
pub const MAX_NDIM: usize = 4;

/// A type in kernel code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar, vector, matrix, quaternion or transform; a struct is a [`Type::Struct`].
    Elem(Elem),
    /// A struct.
    Struct(Struct),
    /// An array of `ndim` dimensions.
    Array {
        /// What it holds.
        elem: Elem,
        /// 1 to [`MAX_NDIM`].
        ndim: u8,
    },
    /// Several values: function results, `wp.tid()` in several dimensions, `.shape`.
    Tuple(Arc<[Type]>),
    /// A string literal: only for `print` and `printf`.
    Str,
    /// What a statement-like call returns.
    None,
}

impl Type {
    /// The type of a value of what an array holds.
    pub const fn of(elem: Elem) -> Type {
        match elem {
            Elem::Struct(s) => Type::Struct(s),
            other => Type::Elem(other),
        }
    }
    /// Shorthand for a scalar type.
    pub const fn scalar(s: Scalar) -> Type {
        Type::Elem(Elem::Scalar(s))
    }
    /// The scalar, if this is a plain scalar type.
    pub const fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Type::Elem(Elem::Scalar(s)) => Some(*s),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Elem(e) => write!(f, "{e}"),
            Type::Struct(s) => write!(f, "{s}"),
            Type::Array { elem, ndim } => write!(f, "array({elem}, ndim={ndim})"),
            Type::Tuple(items) => {
                f.write_str("(")?;
                for (i, t) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{t}")?;
                }
                f.write_str(")")
            }
            Type::Str => f.write_str("str"),
            Type::None => f.write_str("None"),
        }
    }
}
