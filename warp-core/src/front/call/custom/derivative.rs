//! The derivative that an author wrote, as a block: adjoints of results go in, adjoints of arguments come out.

use super::positional;
use super::rewrite::variable;
use crate::builtins::{Operand, Tree, View};
use crate::error::{Code, Error, Result};
use crate::front::data::index::count;
use crate::front::source::scope::FuncRef;
use crate::front::walk::Walk;
use crate::ir::{Block, Value};
use crate::span::Span;
use crate::ty::{Elem, Type};

fn has_floats(view: &View) -> bool {
    match view.elem {
        Elem::Struct(s) => s.leaves().iter().any(|leaf| match leaf.ty {
            Type::Elem(elem) | Type::Array { elem, .. } => elem.scalar().is_float(),
            _ => false,
        }),
        elem => elem.scalar().is_float(),
    }
}

impl Walk<'_> {
    pub(super) fn derivative(
        &mut self,
        func: &FuncRef,
        gradient: &FuncRef,
        bound: &[Tree],
        result: &Tree,
        at: Span,
    ) -> Result<Block> {
        let mut given = self.given(bound);
        let adjoints: Vec<Tree> = match result {
            Tree::None => Vec::new(),
            Tree::Tuple(items) => items.to_vec(),
            one => vec![one.clone()],
        };
        let mut params = std::mem::take(&mut given.params);
        let adjoints = adjoints.iter().map(|tree| self.seed(tree, &mut params));
        let adjoints: Vec<Tree> = adjoints.collect();
        self.b.open(params);
        let routine = self.gradient_routine(gradient, bound.len(), at)?;
        let names: Vec<String> = (routine.def.parameters.iter_non_variadic_params())
            .map(|p| p.parameter.name.to_string())
            .collect();
        let wanted = bound.len() + adjoints.len();
        if names.len() != wanted {
            let (name, of) = (&gradient.source.name, &func.source.name);
            let what = format!(
                "`{name}`, the derivative of `{of}`, has {}, expected {wanted}",
                count(names.len(), "parameter")
            );
            return Err(Error::at(Code::Argument, at, what).hint(format!(
                "it takes the parameters of `{of}` ({}), then an adjoint for each result ({})",
                bound.len(),
                adjoints.len()
            )));
        }
        let trees = given.trees.clone();
        let args = positional(given.trees.into_iter().chain(adjoints).collect(), at);
        let parts = self.within(gradient, at, |w| {
            w.bind_args(gradient, &args, at)?;
            let mut slots = Vec::new();
            for (name, tree) in names.iter().zip(&trees) {
                let slot = w.local(&variable(name));
                if let Some(slot) = slot {
                    let adjoint = w.adjoint_of(tree, name, at)?;
                    w.bind(slot, adjoint, at);
                }
                slots.push(slot);
            }
            // They are read when its body has ended, as arguments are that a function writes.
            w.frame.refs = slots.iter().flatten().map(|slot| (*slot, at)).collect();
            let called = w.called(gradient, at)?;
            if called.result != Tree::None {
                let what = format!(
                    "the derivative `{}` gives {}",
                    gradient.source.name,
                    called.result.ty()
                );
                return Err(Error::at(Code::Type, at, what)
                    .hint("it gives nothing, and adds to wp.adjoint[...] of the parameters"));
            }
            let mut parts = Vec::new();
            for (((slot, name), tree), bound) in
                slots.into_iter().zip(&names).zip(&trees).zip(bound)
            {
                let adjoint = match slot {
                    Some(slot) => Some(w.read(slot, at)?),
                    None => None,
                };
                if let Some(found) = adjoint.as_ref().map(Tree::ty)
                    && found != tree.ty()
                {
                    let what =
                        format!("`{}` is {found}, `{name}` is {}", variable(name), tree.ty());
                    return Err(Error::at(Code::Type, at, what)
                        .hint("an adjoint has the type of its parameter"));
                }
                w.parts(bound, adjoint.as_ref(), &mut parts);
            }
            Ok(parts)
        })?;
        Ok(self.b.close(parts))
    }

    /// The adjoint of a result, whose floats are new parameters.
    fn seed(&mut self, tree: &Tree, params: &mut Vec<Value>) -> Tree {
        match tree {
            Tree::Elem(x) if x.elem.scalar().is_float() => {
                let parts = self.b.fresh_like(&x.parts);
                params.extend(&parts);
                Tree::Elem(Operand {
                    elem: x.elem,
                    parts: parts.into(),
                })
            }
            Tree::Tuple(items) => Tree::Tuple(items.iter().map(|t| self.seed(t, params)).collect()),
            Tree::Struct(s, fields) => {
                let fields = fields.iter().map(|t| self.seed(t, params));
                Tree::Struct(*s, fields.collect())
            }
            other => self.zeros(&other.ty()).unwrap_or(Tree::None),
        }
    }

    /// What `wp.adjoint[name]` is at first.
    fn adjoint_of(&mut self, tree: &Tree, name: &str, at: Span) -> Result<Tree> {
        if self.is_reached(tree) {
            let what = format!(
                "`{}`: `{name}` lies where an array of structs says, and such arrays have no adjoint in derivatives that authors write",
                variable(name)
            );
            return Err(Error::at(Code::Type, at, what)
                .hint("pass the array to the kernel, or leave the derivative to Warp"));
        }
        match tree {
            Tree::Array(view) if !has_floats(view) => {
                let what = format!(
                    "`{}`: `{name}` holds {}, which have no adjoint",
                    variable(name),
                    view.elem
                );
                Err(Error::at(Code::Type, at, what).hint("arrays of floats have gradients"))
            }
            other => Ok(self.adjoint_tree(other)),
        }
    }

    /// Whether anything of it is an array that an address leads to.
    fn is_reached(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Array(view) => {
                let mut candidates = view.candidates.iter();
                candidates.any(|candidate| self.b.func().is_pointer_based(candidate.array))
            }
            Tree::Struct(_, trees) | Tree::Tuple(trees) => trees.iter().any(|t| self.is_reached(t)),
            _ => false,
        }
    }

    fn adjoint_tree(&mut self, tree: &Tree) -> Tree {
        match tree {
            Tree::Array(view) if has_floats(view) => {
                let mut view = view.clone();
                let leaves = match view.elem {
                    Elem::Struct(s) => s.leaves().len() as u32,
                    _ => 1,
                };
                for candidate in &mut view.candidates {
                    candidate.array = self.b.gradients(candidate.array, leaves);
                }
                Tree::Array(view)
            }
            Tree::Struct(s, fields) => {
                let fields = fields.iter().map(|t| self.adjoint_tree(t));
                Tree::Struct(*s, fields.collect())
            }
            Tree::Tuple(items) => Tree::Tuple(items.iter().map(|t| self.adjoint_tree(t)).collect()),
            // Of an indexed array the gradient has the same indices.
            Tree::Array(_) => tree.clone(),
            other => self.zeros(&other.ty()).unwrap_or(Tree::None),
        }
    }

    /// The scalars of an adjoint that belong to the values of a call, zeros if there is no adjoint.
    pub(super) fn parts(&mut self, bound: &Tree, adjoint: Option<&Tree>, parts: &mut Vec<Value>) {
        match (bound, adjoint) {
            (Tree::Elem(x), adjoint) if x.elem.scalar().is_float() => {
                for (n, part) in x.parts.iter().enumerate() {
                    if self.b.as_const(*part).is_none() {
                        parts.push(match adjoint {
                            Some(Tree::Elem(d)) => d.parts[n],
                            _ => self.b.number(x.elem.scalar(), 0.0),
                        });
                    }
                }
            }
            (Tree::Tuple(items) | Tree::Struct(_, items), adjoint) => {
                for (n, item) in items.iter().enumerate() {
                    let adjoint = match adjoint {
                        Some(Tree::Tuple(ds) | Tree::Struct(_, ds)) => ds.get(n),
                        _ => None,
                    };
                    self.parts(item, adjoint, parts);
                }
            }
            _ => {}
        }
    }
}
