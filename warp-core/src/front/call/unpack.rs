//! Values that stand for several: what `*` in a call passes, and what `x, y = v` assigns.

use crate::builtins::{Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::data::index::Node;
use crate::front::walk::Walk;
use crate::span::Span;
use crate::ty::Elem;
use ruff_python_ast::{Expr, ExprSlice};

impl Walk<'_> {
    /// What `*value` among the arguments of a call passes; `at` is where it stands.
    pub fn unpacked(&mut self, value: &Expr, at: Span) -> Result<Vec<Tree>> {
        let node = match value {
            Expr::Subscript(it) => {
                let base = self.node(&it.value)?;
                if let (Some(dimensions), Expr::Slice(slice)) = (dimensions(&base), &*it.slice) {
                    return self.unpacked_elements(&base, dimensions, slice, at);
                }
                self.subscript_of(base, it, self.span(value))?
            }
            _ => self.node(value)?,
        };
        let is_array = dimensions(&node).is_some();
        let tree = self.load(node, value)?;
        items_of(&tree).ok_or_else(|| {
            let what = format!("`*` cannot unpack {}", tree.ty());
            Error::at(Code::Type, at, what).hint(match is_array {
                true => SLICES,
                false => "tuples, vectors, matrices (rows) and quaternions can be",
            })
        })
    }

    /// `*a[1:4]`: a call has to know how many elements it gets, so the bounds are known when compiling.
    fn unpacked_elements(
        &mut self,
        base: &Node,
        dimensions: u8,
        slice: &ExprSlice,
        at: Span,
    ) -> Result<Vec<Tree>> {
        let refuse = |code, what: &str| Err(Error::at(code, at, what).hint(SLICES));
        if dimensions != 1 {
            return refuse(Code::Type, "`*` unpacks arrays with one dimension only");
        }
        let Some(stop) = self.bound(slice.upper.as_deref())? else {
            return refuse(
                Code::Value,
                "how many elements `*` unpacks is not known: the slice of the array has no upper bound",
            );
        };
        let start = self.bound(slice.lower.as_deref())?.unwrap_or(0);
        let step = self.bound(slice.step.as_deref())?.unwrap_or(1);
        if step == 0 {
            return Err(Error::at(Code::Value, at, "the step of a slice is 0"));
        }
        if start < 0 || stop < 0 || step < 0 {
            return refuse(
                Code::Value,
                "where the array ends is not known when compiling: `*` takes no negative bounds and steps",
            );
        }
        if start >= stop {
            return Err(Error::at(Code::Value, at, "this slice is empty"));
        }
        if (stop - start - 1) / step >= MOST {
            let what = format!("`*` unpacks at most {MOST} elements");
            return Err(Error::at(Code::Value, at, what));
        }
        let mut items = Vec::new();
        let mut n = start;
        while n < stop {
            items.push(self.known_element(base.clone(), n, at)?);
            n = n.saturating_add(step);
        }
        Ok(items)
    }

    /// The element of a number that is known when compiling.
    fn known_element(&mut self, array: Node, n: i64, at: Span) -> Result<Tree> {
        self.b.span = at;
        // No array has an element beyond.
        let index = self.b.i32(i32::try_from(n).unwrap_or(i32::MAX));
        let index = Tree::Elem(Operand::scalar(Scalar::I32, index));
        match self.index(array, &[(index, at)], at)? {
            Node::Tree(tree) => Ok(tree),
            Node::Ref(place) => Ok(self.load_tree(&place)),
        }
    }
}

/// More arguments than this are no call that somebody writes.
const MOST: i64 = 1024;

const SLICES: &str =
    "of an array with one dimension, `*` unpacks a slice of known bounds: `*a[0:3]`";

/// The dimensions of an array or an indexed array.
fn dimensions(node: &Node) -> Option<u8> {
    match node {
        Node::Tree(tree) => tree.dimensions(),
        Node::Ref(_) => None,
    }
}

/// What a value is made of when it is unpacked: the items of a tuple, the components of a vector or quaternion, the rows
/// of a matrix.
pub(in crate::front) fn items_of(tree: &Tree) -> Option<Vec<Tree>> {
    match tree {
        Tree::Tuple(items) => Some(items.to_vec()),
        Tree::Elem(x) => {
            let scalar = x.elem.scalar();
            let (elem, size) = match x.elem {
                Elem::Mat { cols, .. } => (Elem::Vec { len: cols, scalar }, cols as usize),
                Elem::Vec { .. } | Elem::Compound(..) => (Elem::Scalar(scalar), 1),
                Elem::Scalar(_) | Elem::Struct(_) => return None,
            };
            let items = x.parts.chunks(size).map(|parts| {
                let parts = parts.iter().copied().collect();
                Tree::Elem(Operand { elem, parts })
            });
            Some(items.collect())
        }
        _ => None,
    }
}
