//! What kernels of this library alone may call: what the threads of a block do together, and what they share.

use crate::builtins::{Operand, Tree, View, check_size};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Intrinsic, ParamType, ThreadScope, Value};
use crate::span::Span;
use crate::ty::{Elem, MAX_NDIM, Type};
use ruff_python_ast::Arguments;

/// Their names.
pub const NAMES: &[&str] = &["shared", "barrier", "warp_barrier", "ballot"];

impl Walk<'_> {
    /// A call of one of [`NAMES`]; None: it is none of these.
    pub(super) fn block_call(
        &mut self,
        name: &str,
        args: &Arguments,
        at: Span,
    ) -> Result<Option<Tree>> {
        if !NAMES.contains(&name) {
            return Ok(None);
        }
        let args = self.arguments(args, None)?;
        let trees: Vec<Tree> = args.iter().map(|arg| arg.tree.clone()).collect();
        self.b.span = at;
        let u32 = |value: Value| Tree::Elem(Operand::scalar(Scalar::U32, value));
        Ok(Some(match (name, &trees[..]) {
            ("shared", [shape, Tree::Type(Type::Elem(elem))]) => {
                self.shared_array(shape, *elem, at)?
            }
            ("barrier", []) => self.barrier(ThreadScope::Block),
            ("warp_barrier", []) => self.barrier(ThreadScope::Warp),
            ("ballot", [Tree::Elem(x)]) if x.elem == Elem::Scalar(Scalar::Bool) => u32(self
                .b
                .intrinsic(Intrinsic::Ballot, vec![x.parts[0]], &[Scalar::U32])[0]),
            _ => {
                let what = "shared(shape, dtype), barrier(), warp_barrier(), ballot(bool)";
                return Err(Error::at(Code::Argument, at, what));
            }
        }))
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
