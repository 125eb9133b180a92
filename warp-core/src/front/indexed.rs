//! Indexed arrays: `wp.indexedarray` parameters. One is passed as a struct of its data and an index array for each
//! dimension ([`Struct::indexed`]), so that nothing behind the front knows of them: an element is that of the data whose
//! indices the index arrays hold.

use crate::builtins::{Arg, Operand, Tree, View, index_value};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::index::{Node, Ref, count};
use crate::front::walk::Walk;
use crate::ir::{Comp, Op, Place};
use crate::span::Span;
use crate::ty::{Struct, Type};

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
        let (data, rest) = self.data_of((s, trees), index, at)?;
        if rest.is_empty() {
            let View {
                array,
                elem,
                prefix,
                ..
            } = data;
            return Ok(Node::Ref(Ref::whole(array, prefix, elem)));
        }
        let row = Struct::indexed(data.elem, data.ndim)?;
        let trees = std::iter::once(Tree::Array(data)).chain(rest.iter().cloned());
        Ok(Node::Tree(Tree::Struct(row, trees.collect())))
    }

    /// The part of the data that indices of an indexed array mean, and the index arrays that are left.
    fn data_of<'t>(
        &mut self,
        (s, trees): (Struct, &'t [Tree]),
        index: &[(Tree, Span)],
        at: Span,
    ) -> Result<(View, &'t [Tree])> {
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
        let mut part = data.clone();
        for ((tree, at), along) in index.iter().zip(indices) {
            self.b.span = *at;
            let mut place = along.prefix.clone();
            place.push(index_value(&mut self.b, tree, *at)?);
            let found = self.b.load(Place {
                array: along.array,
                index: place,
                comp: Comp::Fixed(0),
            });
            part.prefix.push(found);
        }
        self.b.span = at;
        part.ndim -= index.len() as u8;
        Ok((part, &trees[1 + index.len()..]))
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
    fn indexed_shape(&mut self, trees: &[Tree]) -> Vec<crate::ir::Value> {
        let Some((_, indices)) = parts(trees) else {
            return Vec::new();
        };
        let extents = indices.map(|along| {
            let d = along.prefix.len() as u8;
            self.b.let_(Scalar::I32, Op::Shape(along.array, d), &[])
        });
        extents.collect()
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
        let (data, _) = self.data_of((s, trees), &given.collect::<Vec<_>>(), at)?;
        let first = data.prefix.len() - ndim.min(rest.len());
        for (arg, found) in rest.iter_mut().zip(&data.prefix[first..]) {
            arg.tree = Tree::Elem(Operand::scalar(Scalar::I32, *found));
        }
        array.tree = match trees.first() {
            Some(Tree::Array(whole)) => Tree::Array(whole.clone()),
            _ => Tree::None,
        };
        Ok(None)
    }
}

/// The parts of an indexed array; None for anything else.
pub(super) fn indexed(tree: &Tree) -> Option<(Struct, &[Tree])> {
    match tree {
        Tree::Struct(s, trees) if s.is_indexed() => Some((*s, trees)),
        _ => None,
    }
}
