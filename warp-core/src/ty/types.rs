//! Elements, structs and the types of kernel code. They are made of each other, so they stand in one file.

use super::compound::{Compound, Form};
use crate::dtype::Scalar;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The most dimensions an array or a launch may have.
pub const MAX_NDIM: usize = 4;

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
    /// A composite with a name and parts, such as a quaternion.
    Compound(Compound, Scalar),
    /// A struct. Only arrays on the host hold these; to what asks no further they are so many bytes.
    /// Kernels are passed an array for each leaf.
    Struct(Struct),
}

impl Elem {
    /// Type of each component. A struct has none of its own: it counts as its bytes.
    pub const fn scalar(self) -> Scalar {
        match self {
            Elem::Scalar(s) | Elem::Compound(_, s) => s,
            Elem::Vec { scalar, .. } | Elem::Mat { scalar, .. } => scalar,
            Elem::Struct(_) => Scalar::U8,
        }
    }
    /// Number of components; of a struct, its bytes.
    pub const fn count(self) -> usize {
        match self {
            Elem::Scalar(_) => 1,
            Elem::Vec { len, .. } => len as usize,
            Elem::Mat { rows, cols, .. } => rows as usize * cols as usize,
            Elem::Compound(compound, _) => compound.count(),
            Elem::Struct(s) => s.size(),
        }
    }
    /// A part of a compound with components of a type.
    pub const fn part(form: Form, scalar: Scalar) -> Elem {
        match form {
            Form::Number => Elem::Scalar(scalar),
            Form::Vec(len) => Elem::Vec { len, scalar },
            Form::Compound(compound) => Elem::Compound(compound, scalar),
        }
    }
    /// Whether this is a spatial vector: six floats, the angular part first.
    pub const fn is_spatial(self) -> bool {
        matches!(self, Elem::Vec { len: 6, scalar } if scalar.is_float())
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
    /// Whether derivatives with respect to it exist: some of it is floating point, arrays that a struct holds included.
    pub fn has_floats(self) -> bool {
        match self {
            Elem::Struct(s) => s.leaves().iter().any(|leaf| match leaf.ty {
                Type::Elem(elem) | Type::Array { elem, .. } => elem.has_floats(),
                _ => false,
            }),
            other => other.scalar().is_float(),
        }
    }
    /// The dimensions that an element adds after an array's own when seen by NumPy or torch.
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
            Elem::Compound(compound, _) => Elem::Compound(compound, scalar),
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
            Elem::Compound(compound, s) => write!(f, "{}({s})", compound.name()),
            Elem::Struct(s) => write!(f, "{s}"),
        }
    }
}

/// A type in kernel code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar, vector, matrix or compound; a struct is a [`Type::Struct`].
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
    /// A local array of these extents; 1 after the last dimension. Only annotations name it: what it is given is an array.
    Fixed {
        /// What it holds.
        elem: Elem,
        /// 1 to [`MAX_NDIM`].
        ndim: u8,
        /// Extents.
        shape: [u32; MAX_NDIM],
    },
    /// Several values: function results, `wp.tid()` in several dimensions, `.shape`.
    Tuple(Arc<[Type]>),
    /// A string literal: only for `print` and `printf`.
    Str,
    /// A function that stands for itself: what is passed for `wp.Function`.
    Function,
    /// A parameter of a function that the function writes: `wp.ref[T]`. Only annotations name it.
    Ref(Arc<Type>),
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
            Type::Fixed { elem, ndim, shape } => {
                let shape = shape[..*ndim as usize].iter().map(u32::to_string);
                write!(
                    f,
                    "fixedarray({elem}, shape=({}))",
                    shape.collect::<Vec<_>>().join(", ")
                )
            }
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
            Type::Function => f.write_str("function"),
            Type::Ref(ty) => write!(f, "ref[{ty}]"),
            Type::None => f.write_str("None"),
        }
    }
}

/// A struct type. Two that were declared under one key with the same fields are the same type.
#[derive(Clone, Copy)]
pub struct Struct(pub(super) &'static Definition);

/// What was declared.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) stored: Vec<Leaf>,
    pub(super) layout: Extent,
    /// Whether it stands for an indexed array: its data, then an index array for each dimension.
    pub(super) is_indexed: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) size: usize,
    pub(super) align: usize,
}

/// A field of a struct.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Name.
    pub name: String,
    /// A scalar, vector, matrix, compound, array or struct.
    pub ty: Type,
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// Number of its first leaf among those of the struct.
    pub leaf: usize,
    /// How many leaves it has.
    pub leaves: usize,
    /// Number of its first leaf among those that are [stored](Struct::stored).
    pub stored: usize,
}

/// A part of a parameter that is passed by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The path of fields to it, joined by dots.
    pub path: String,
    /// What it is: no struct. An array of them only where it is stored.
    pub ty: Type,
    /// Bytes from the start of the struct.
    pub offset: usize,
}

impl Struct {
    /// Name, for messages.
    pub fn name(self) -> &'static str {
        &self.0.name
    }
    /// Fields in order.
    pub fn fields(self) -> &'static [Field] {
        &self.0.fields
    }
    /// The field of a name, and its number.
    pub fn field(self, name: &str) -> Option<(usize, &'static Field)> {
        let found = self.0.fields.iter().enumerate();
        found.into_iter().find(|(_, f)| f.name == name)
    }
    /// What it is passed as.
    pub fn leaves(self) -> &'static [Leaf] {
        &self.0.leaves
    }
    /// What it is in memory: as [`Struct::leaves`], but an array is one leaf, whatever it holds.
    pub fn stored(self) -> &'static [Leaf] {
        &self.0.stored
    }
    /// Whether it stands for an indexed array ([`Struct::indexed`]).
    pub const fn is_indexed(self) -> bool {
        self.0.is_indexed
    }
    /// What an indexed array holds, and how many dimensions it has.
    pub fn as_indexed(self) -> Option<(Elem, u8)> {
        match self.0.fields.first().map(|data| &data.ty) {
            Some(Type::Array { elem, ndim }) if self.0.is_indexed => Some((*elem, *ndim)),
            _ => None,
        }
    }
    /// Whether it holds no arrays, so that its bytes say all.
    pub fn is_plain(self) -> bool {
        let mut stored = self.0.stored.iter();
        stored.all(|leaf| matches!(leaf.ty, Type::Elem(_)))
    }
    /// Bytes of one in memory.
    pub const fn size(self) -> usize {
        self.0.layout.size
    }
    /// Its address in memory is a multiple of this.
    pub const fn align(self) -> usize {
        self.0.layout.align
    }
    /// Name and fields, for messages where the name alone does not tell.
    pub fn describe(self) -> String {
        let fields = self
            .0
            .fields
            .iter()
            .map(|f| format!("{}: {}", f.name, f.ty));
        format!("{}({})", self.0.name, fields.collect::<Vec<_>>().join(", "))
    }
}

impl PartialEq for Struct {
    fn eq(&self, other: &Struct) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Struct {}
impl Hash for Struct {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}
impl fmt::Debug for Struct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Struct({})", self.0.name)
    }
}
impl fmt::Display for Struct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}
