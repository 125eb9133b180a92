//! Trees as lists of scalars: what a loop carries, and back.

use crate::builtins::{Operand, Tree, TypedCandidate, View};
use crate::ir::{Builder, Value};

/// The scalars in a tree, in order, those that say where an array lies among them; false if it holds a function or a text.
pub(in crate::front) fn scalars(tree: &Tree, out: &mut Vec<Value>) -> bool {
    match tree {
        Tree::Elem(x) => {
            out.extend(x.parts.iter().copied());
            true
        }
        Tree::Array(view) => {
            out.extend(view.values());
            true
        }
        Tree::Tuple(items) => items.iter().all(|item| scalars(item, out)),
        Tree::Struct(_, trees) => trees.iter().all(|tree| scalars(tree, out)),
        Tree::None => true,
        Tree::Str(_) | Tree::Type(_) | Tree::Function(_) => false,
    }
}

/// The scalars of a tree in the order of those of another one, which knows all arrays that it may hold.
pub(super) fn as_carried(b: &mut Builder, tree: &Tree, like: &Tree, out: &mut Vec<Value>) {
    match (tree, like) {
        (Tree::Array(view), Tree::Array(like)) => {
            if like.which.is_some() {
                out.push(view.number_among(b, &like.candidates));
            }
            for candidate in &like.candidates {
                let known = view
                    .candidates
                    .iter()
                    .find(|known| known.is_like(candidate));
                out.extend(known.unwrap_or(candidate).values());
            }
        }
        (Tree::Tuple(items), Tree::Tuple(likes)) => {
            let pairs = items.iter().zip(likes.iter());
            pairs.for_each(|(item, like)| as_carried(b, item, like, out));
        }
        (Tree::Struct(_, trees), Tree::Struct(_, likes)) => {
            let pairs = trees.iter().zip(likes.iter());
            pairs.for_each(|(tree, like)| as_carried(b, tree, like, out));
        }
        (tree, _) => drop(scalars(tree, out)),
    }
}

/// The arrays in a tree, in order.
pub(super) fn views(tree: &Tree) -> Vec<&View> {
    match tree {
        Tree::Array(view) => vec![view],
        Tree::Tuple(items) => items.iter().flat_map(views).collect(),
        Tree::Struct(_, trees) => trees.iter().flat_map(views).collect(),
        _ => Vec::new(),
    }
}

/// The tree with arrays that may be these, too.
pub(super) fn widened<'w>(
    b: &mut Builder,
    tree: &Tree,
    wider: &mut impl Iterator<Item = &'w Vec<TypedCandidate>>,
) -> Tree {
    match tree {
        Tree::Array(view) => match wider.next() {
            Some(candidates) => Tree::Array(view.widened(b, candidates)),
            None => tree.clone(),
        },
        Tree::Tuple(items) => Tree::Tuple(items.iter().map(|t| widened(b, t, wider)).collect()),
        Tree::Struct(s, trees) => {
            Tree::Struct(*s, trees.iter().map(|t| widened(b, t, wider)).collect())
        }
        other => other.clone(),
    }
}

/// The tree with other scalars.
pub(super) fn replace(tree: &Tree, values: &mut impl Iterator<Item = Value>) -> Tree {
    match tree {
        Tree::Elem(x) => {
            let parts = x
                .parts
                .iter()
                .map(|old| values.next().unwrap_or(*old))
                .collect();
            Tree::Elem(Operand {
                elem: x.elem,
                parts,
            })
        }
        Tree::Array(view) => Tree::Array(view.with_values(values)),
        Tree::Tuple(items) => Tree::Tuple(items.iter().map(|item| replace(item, values)).collect()),
        Tree::Struct(s, trees) => {
            let trees = trees.iter().map(|tree| replace(tree, values));
            Tree::Struct(*s, trees.collect())
        }
        other => other.clone(),
    }
}
