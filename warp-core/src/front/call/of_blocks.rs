//! What kernels of this library alone may call: what the threads of a block do together, and what they share.

use crate::builtins::{Operand, Tree, View, check_size};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Exchange, Intrinsic, ParamType, ThreadScope, Value};
use crate::span::Span;
use crate::ty::{Elem, MAX_NDIM, Type};
use ruff_python_ast::Arguments;

/// Whether a name is one of theirs.
pub fn is_name(name: &str) -> bool {
    matches!(name, "shared" | "barrier" | "warp_barrier") || Exchange::from_name(name).is_some()
}

impl Walk<'_> {
    /// A call of a name of these; None: it is none.
    pub(super) fn block_call(
        &mut self,
        name: &str,
        args: &Arguments,
        at: Span,
    ) -> Result<Option<Tree>> {
        if !is_name(name) {
            return Ok(None);
        }
        let args = self.arguments(args, None)?;
        let trees: Vec<Tree> = args.iter().map(|arg| arg.tree.clone()).collect();
        self.b.span = at;
        Ok(Some(match (name, &trees[..]) {
            ("shared", [shape, Tree::Type(Type::Elem(elem))]) => {
                self.shared_array(shape, *elem, at)?
            }
            ("barrier", []) => self.barrier(ThreadScope::Block),
            ("warp_barrier", []) => self.barrier(ThreadScope::Warp),
            (name, given) => match Exchange::from_name(name) {
                Some(exchange) => self.exchange(exchange, given, at)?,
                None => {
                    let what = "shared(shape, dtype), barrier(), warp_barrier()";
                    return Err(Error::at(Code::Argument, at, what));
                }
            },
        }))
    }

    fn exchange(&mut self, exchange: Exchange, given: &[Tree], at: Span) -> Result<Tree> {
        let scalar = |tree: &Tree| match tree {
            Tree::Elem(x) => match x.elem {
                Elem::Scalar(scalar) => Some((scalar, x.parts[0])),
                _ => None,
            },
            _ => None,
        };
        let given: Option<(Vec<Scalar>, Vec<Value>)> = given.iter().map(scalar).collect();
        let taken = given.and_then(|(types, values)| Some((exchange.gives(&types)?, values)));
        let Some((gives, values)) = taken else {
            let what = format!("{}({})", exchange.name(), exchange.takes());
            return Err(Error::at(Code::Argument, at, what));
        };
        let got = self
            .b
            .intrinsic(Intrinsic::Exchange(exchange), values, &[gives])[0];
        Ok(Tree::Elem(Operand::scalar(gives, got)))
    }

    fn barrier(&mut self, scope: ThreadScope) -> Tree {
        self.b.intrinsic(Intrinsic::Barrier(scope), Vec::new(), &[]);
        Tree::None
    }

    /// `wp.shared(shape, dtype)`: an array of the block.
    fn shared_array(&mut self, shape: &Tree, elem: Elem, at: Span) -> Result<Tree> {
        check_size(elem, at)?;
        let extents = self.local_shape(shape, at)?;
        let mut shape = [1; MAX_NDIM];
        shape[..extents.len()].copy_from_slice(&extents);
        let ndim = extents.len() as u8;
        let name = format!("shared{}", self.b.func().params.len());
        let id = self.b.param(name, ParamType::Shared { elem, ndim, shape });
        Ok(Tree::Array(View::whole(id, elem, ndim)))
    }
}
