//! Indexed arrays: `wp.indexedarray` parameters. One is passed as a struct of its data and an index array for each
//! dimension ([`Struct::indexed`]), so that nothing behind the front knows of them: an element is that of the data whose
//! indices the index arrays hold.

use crate::builtins::{Arg, Cut, Operand, Tree, View, index_value};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::data::index::{Node, Ref, count};
use crate::front::walk::Walk;
use crate::ir::{Comp, Op, Value};
use crate::span::Span;
use crate::ty::{Struct, Type};
use ruff_python_ast::Expr;

/// What a part of an indexed array is.
fn view(tree: &Tree) -> Option<&View> {
    match tree {
        Tree::Array(view) => Some(view),
        _ => None,
    }
}

/// The data of an indexed array and its index arrays.
fn parts(trees: &[Tree]) -> Option<(&View, impl Iterator<Item = &View>)> {
    let (data, indices) = trees.split_first()?;
    Some((view(data)?, indices.iter().filter_map(view)))
}

impl Walk<'_> {
    /// `a[i, j]` where `a` is an indexed array: an element of its data, or an indexed array of fewer dimensions.
    pub fn index_indexed(
        &mut self,
        (s, trees): (Struct, &[Tree]),
        index: &[(Tree, Span)],
        at: Span,
    ) -> Result<Node> {
        let (data, found, rest) = self.found((s, trees), index, at)?;
        if rest.is_empty() {
            let element = data.element(&mut self.b, &found);
            return Ok(Node::Ref(Ref::whole(element, data.elem)));
        }
        let cuts: Vec<Cut> = found.into_iter().map(Cut::At).collect();
        let data = data.cut(&mut self.b, &cuts);
        indexed_of(data, rest.to_vec())
    }

    /// `a[i, 1:]` where `a` is an indexed array: one with fewer dimensions or fewer indices.
    pub fn slice_indexed(
        &mut self,
        (s, trees): (Struct, &[Tree]),
        index: &Expr,
        at: Span,
    ) -> Result<Node> {
        let Some((data, indices)) = parts(trees) else {
            return Err(Error::at(Code::Bug, at, format!("{s} without its arrays")));
        };
        let cuts = self.cuts(data, index, at)?;
        let (mut of_data, mut left) = (Vec::new(), Vec::new());
        for (n, along) in indices.enumerate() {
            match cuts.get(n) {
                Some((Cut::At(index), at)) => {
                    self.b.span = *at;
                    let element = along.element(&mut self.b, &[*index]);
                    of_data.push(Cut::At(element.load(&mut self.b, Comp::Fixed(0))));
                    continue;
                }
                Some((slice, at)) => {
                    self.b.span = *at;
                    left.push(Tree::Array(along.cut(&mut self.b, &[*slice])));
                }
                None => left.push(Tree::Array(along.clone())),
            }
            of_data.push(Cut::Slice {
                lower: None,
                upper: None,
                step: None,
            });
        }
        self.b.span = at;
        let data = data.cut(&mut self.b, &of_data);
        indexed_of(data, left)
    }

    /// The data of an indexed array, the indices into it that indices of the array mean, and the index arrays that are left.
    fn found<'t>(
        &mut self,
        (s, trees): (Struct, &'t [Tree]),
        index: &[(Tree, Span)],
        at: Span,
    ) -> Result<(&'t View, Vec<Value>, &'t [Tree])> {
        let Some((data, indices)) = parts(trees) else {
            return Err(Error::at(Code::Bug, at, format!("{s} without its arrays")));
        };
        let ndim = data.ndim as usize;
        if index.len() > ndim {
            let what = format!(
                "`{}` has {}, {} given",
                self.array_name(data),
                count(ndim, "dimension"),
                count(index.len(), "index"),
            );
            return Err(Error::at(Code::Type, at, what));
        }
        let mut found = Vec::with_capacity(index.len());
        for ((tree, at), along) in index.iter().zip(indices) {
            self.b.span = *at;
            let place = index_value(&mut self.b, tree, *at)?;
            let element = along.element(&mut self.b, &[place]);
            found.push(element.load(&mut self.b, Comp::Fixed(0)));
        }
        self.b.span = at;
        Ok((data, found, &trees[1 + index.len()..]))
    }

    /// `a.shape` and the like of an indexed array.
    pub fn indexed_member(
        &mut self,
        (s, trees): (Struct, &[Tree]),
        name: &str,
        at: Span,
    ) -> Result<Tree> {
        let extents = self.indexed_shape(trees);
        let elem = parts(trees).map(|(data, _)| data.elem);
        match name {
            "shape" => {
                let extents = extents.into_iter();
                let trees = extents.map(|n| Tree::Elem(Operand::scalar(Scalar::I32, n)));
                Ok(Tree::Tuple(trees.collect()))
            }
            "size" => {
                let size = (extents.into_iter()).reduce(|size, n| self.b.op(Op::Mul, &[size, n]));
                Ok(size.map_or(Tree::None, |n| Tree::Elem(Operand::scalar(Scalar::I32, n))))
            }
            "ndim" => {
                let ndim = self.b.i32(extents.len() as i32);
                Ok(Tree::Elem(Operand::scalar(Scalar::I32, ndim)))
            }
            "dtype" => Ok(elem.map_or(Tree::None, |elem| Tree::Type(Type::of(elem)))),
            _ => {
                let what = format!("{s} has no attribute `{name}` in kernels");
                Err(Error::at(Code::Attribute, at, what).hint("it has shape, size, ndim and dtype"))
            }
        }
    }

    /// Elements per dimension: as many as each index array holds.
    fn indexed_shape(&mut self, trees: &[Tree]) -> Vec<Value> {
        let Some((_, indices)) = parts(trees) else {
            return Vec::new();
        };
        indices.map(|along| along.extent(&mut self.b, 0)).collect()
    }

    /// Makes the arguments of a builtin on an indexed array those on its data: `wp.atomic_add(a, i, x)`. Others take it as
    /// the struct that it is. Returns the result where that is known: `len(a)`.
    pub fn on_data(
        &mut self,
        builtin: &str,
        args: &mut [Arg<'_>],
        at: Span,
    ) -> Result<Option<Tree>> {
        let Some((array, rest)) = args.split_first_mut() else {
            return Ok(None);
        };
        let tree = array.tree.clone();
        let Some((s, trees)) = indexed(&tree) else {
            return Ok(None);
        };
        if builtin == "len" && rest.is_empty() {
            let first = self.indexed_shape(trees).first().copied();
            return Ok(first.map(|n| Tree::Elem(Operand::scalar(Scalar::I32, n))));
        }
        if !builtin.starts_with("atomic_") {
            return Ok(None);
        }
        let ndim = trees.len() - 1;
        let given = rest
            .iter()
            .take(ndim)
            .map(|arg| (arg.tree.clone(), arg.span));
        let (_, found, _) = self.found((s, trees), &given.collect::<Vec<_>>(), at)?;
        for (arg, found) in rest.iter_mut().zip(found) {
            arg.tree = Tree::Elem(Operand::scalar(Scalar::I32, found));
        }
        array.tree = match trees.first() {
            Some(Tree::Array(whole)) => Tree::Array(whole.clone()),
            _ => Tree::None,
        };
        Ok(None)
    }
}

/// An indexed array of its parts.
fn indexed_of(data: View, indices: Vec<Tree>) -> Result<Node> {
    let s = Struct::indexed(data.elem, data.ndim)?;
    let trees = std::iter::once(Tree::Array(data)).chain(indices);
    Ok(Node::Tree(Tree::Struct(s, trees.collect())))
}

/// The parts of an indexed array; None for anything else.
pub(in crate::front) fn indexed(tree: &Tree) -> Option<(Struct, &[Tree])> {
    match tree {
        Tree::Struct(s, trees) if s.is_indexed() => Some((*s, trees)),
        _ => None,
    }
}
