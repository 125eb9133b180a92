//! Members of values and elements: `v.x`, `a.shape`, `type(v).length`.

use super::Node;
use crate::builtins::{self, Operand, Tree, View};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::Op;
use crate::span::Span;
use crate::ty::{Elem, Type};
use ruff_python_ast::{Expr, ExprAttribute};

/// The type of the components of a value, of an element of an array or of a type.
fn components(node: &Node) -> Option<Scalar> {
    let elem = match node {
        Node::Tree(Tree::Elem(x)) => x.elem,
        Node::Tree(Tree::Type(Type::Elem(elem))) => *elem,
        Node::Ref(place) => place.elem,
        Node::Tree(_) => return None,
    };
    match elem {
        Elem::Struct(_) => None,
        elem => Some(elem.scalar()),
    }
}

impl Walk<'_> {
    /// `value.name` where `value` is no module.
    pub fn attribute(
        &mut self,
        whole: &Expr,
        it: &ExprAttribute,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Node> {
        if self.is_outside(&it.value) {
            return self.name_or_path(whole, want, at);
        }
        let base = self.node(&it.value)?;
        self.b.span = at;
        self.member(base, it.attr.as_str(), at)
    }

    /// `base.name`.
    pub fn member(&mut self, base: Node, name: &str, at: Span) -> Result<Node> {
        if name == "dtype"
            && let Some(scalar) = components(&base)
        {
            return Ok(Node::Tree(Tree::Type(Type::scalar(scalar))));
        }
        match base {
            Node::Tree(Tree::Array(view)) => self.array_member(&view, name, at).map(Node::Tree),
            Node::Ref(place) => {
                if let Elem::Struct(s) = place.elem {
                    return match self.of_class(s, name) {
                        Some(found) => self.constant(found, name, None, at).map(Node::Tree),
                        None => self.element_field(&place, s, name, at),
                    };
                }
                let part = match place.elem {
                    // Components of longer ones are read with the whole.
                    Elem::Vec { len, .. } if len > 4 => None,
                    elem => builtins::named_part(elem, name),
                };
                match part {
                    Some((first, elem)) => Ok(Node::Ref(place.part(elem, first as u32, place.at))),
                    None => {
                        let x = self.load_ref(&place);
                        builtins::attribute(&x, name, at).map(|x| Node::Tree(Tree::Elem(x)))
                    }
                }
            }
            Node::Tree(Tree::Elem(x)) => {
                builtins::attribute(&x, name, at).map(|x| Node::Tree(Tree::Elem(x)))
            }
            Node::Tree(Tree::Struct(s, trees)) if s.is_indexed() => {
                self.indexed_member((s, &trees), name, at).map(Node::Tree)
            }
            Node::Tree(Tree::Struct(s, trees)) => match self.of_class(s, name) {
                Some(found) => self.constant(found, name, None, at).map(Node::Tree),
                None => self.get_field(s, &trees, name, at).map(Node::Tree),
            },
            Node::Tree(other) => {
                if let Tree::Type(Type::Struct(s)) = other
                    && let Some(found) = self.of_class(s, name)
                {
                    return self.constant(found, name, None, at).map(Node::Tree);
                }
                if let Tree::Type(Type::Elem(elem)) = other
                    && let Some(found) = self.of_type(elem, name)
                {
                    return Ok(Node::Tree(found));
                }
                let what = match &other {
                    Tree::Type(ty) => format!("the type {ty} has no attribute `{name}` in kernels"),
                    _ => format!("{} has no attribute `{name}`", other.ty()),
                };
                Err(Error::at(Code::Attribute, at, what))
            }
        }
    }

    /// What a type of vectors or matrices says of itself: `type(v).length`.
    fn of_type(&mut self, elem: Elem, name: &str) -> Option<Tree> {
        let shape = elem.inner_shape();
        if shape.is_empty() {
            return None;
        }
        let mut number = |n: usize| {
            let value = self.b.i32(n as i32);
            Tree::Elem(Operand::scalar(Scalar::I32, value))
        };
        match name {
            "length" | "_length_" => Some(number(elem.count())),
            "shape" | "_shape_" => Some(Tree::Tuple(shape.iter().map(|n| number(*n)).collect())),
            _ => None,
        }
    }

    fn array_member(&mut self, view: &View, name: &str, at: Span) -> Result<Tree> {
        let mut shape = (0..view.ndim as usize).map(|d| {
            let value = view.extent(&mut self.b, d);
            Tree::Elem(Operand::scalar(Scalar::I32, value))
        });
        match name {
            "shape" => Ok(Tree::Tuple(shape.collect())),
            "size" => {
                let Some(Tree::Elem(first)) = shape.next() else {
                    return Ok(Tree::None);
                };
                let rest: Vec<Tree> = shape.collect();
                let mut size = first.parts[0];
                for extent in rest {
                    if let Tree::Elem(extent) = extent {
                        size = self.b.op(Op::Mul, &[size, extent.parts[0]]);
                    }
                }
                Ok(Tree::Elem(Operand::scalar(Scalar::I32, size)))
            }
            "ndim" => {
                let value = self.b.i32(i32::from(view.ndim));
                Ok(Tree::Elem(Operand::scalar(Scalar::I32, value)))
            }
            "dtype" => Ok(Tree::Type(Type::of(view.elem))),
            _ => {
                if name == "ptr" {
                    return self.address_of_array(view, at);
                }
                let what = format!("an array has no attribute `{name}` in kernels");
                let hint = match view.elem {
                    Elem::Struct(s) if s.field(name).is_some() => {
                        format!("its elements have: `a[i].{name}`")
                    }
                    _ => "it has shape, size, ndim, dtype and ptr".to_string(),
                };
                Err(Error::at(Code::Attribute, at, what).hint(hint))
            }
        }
    }
}
