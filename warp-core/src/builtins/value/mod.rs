//! What an expression in kernel code stands for while it is compiled.

pub mod view;

use crate::builtins::value::view::View;
use crate::ir::Value;
use crate::ty::{Elem, Struct, Type};
use smallvec::SmallVec;
use std::sync::Arc;

/// The scalars of a composite, row-major.
pub type Parts = SmallVec<[Value; 4]>;

/// A scalar, vector, matrix, quaternion or transform as its scalar components.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    /// What the components form.
    pub elem: Elem,
    /// As many as `elem.count()`.
    pub parts: Parts,
}

/// The meaning of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    /// Something to compute with.
    Elem(Operand),
    /// An array.
    Array(View),
    /// A struct: a tree for each field. That of an array field which got no array yet is `None`.
    Struct(Struct, Arc<[Tree]>),
    /// Several values.
    Tuple(Arc<[Tree]>),
    /// A string literal.
    Str(Arc<str>),
    /// A type, as in `wp.float64(x)` or `dtype=float`.
    Type(Type),
    /// A function, by its number among those that the walk over the source text has met.
    Function(u32),
    /// Nothing.
    None,
}

impl Operand {
    /// A scalar.
    pub fn scalar(ty: crate::dtype::Scalar, value: Value) -> Operand {
        Operand {
            elem: Elem::Scalar(ty),
            parts: smallvec::smallvec![value],
        }
    }
    /// The value, if this is a plain scalar.
    pub fn as_scalar(&self) -> Option<Value> {
        match self.elem {
            Elem::Scalar(_) => self.parts.first().copied(),
            _ => None,
        }
    }
}

impl Tree {
    /// How many dimensions an array or an indexed array has.
    pub fn dimensions(&self) -> Option<u8> {
        match self {
            Tree::Array(view) => Some(view.ndim),
            Tree::Struct(s, _) => s.as_indexed().map(|(_, ndim)| ndim),
            _ => None,
        }
    }

    /// The type, as messages name it.
    pub fn ty(&self) -> Type {
        match self {
            Tree::Elem(operand) => Type::Elem(operand.elem),
            Tree::Array(view) => Type::Array {
                elem: view.elem,
                ndim: view.ndim,
            },
            Tree::Struct(s, _) => Type::Struct(*s),
            Tree::Tuple(items) => Type::Tuple(items.iter().map(Tree::ty).collect()),
            Tree::Str(_) => Type::Str,
            Tree::Function(_) => Type::Function,
            Tree::Type(_) | Tree::None => Type::None,
        }
    }
}

/// A tree as messages name it.
pub fn describe_tree(tree: &Tree) -> String {
    match tree {
        Tree::Type(ty) => format!("the type {ty}"),
        other => other.ty().to_string(),
    }
}
