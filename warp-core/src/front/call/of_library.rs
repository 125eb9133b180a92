//! Calls of the functions of `library`, and what only these may call.

use crate::builtins::{Arg, Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::inline::Called;
use crate::front::source::scope::FuncRef;
use crate::front::walk::Walk;
use crate::ir::Intrinsic;
use crate::library as texts;
use crate::span::Span;
use crate::ty::{Elem, Type};
use ruff_python_ast::Arguments;

impl Walk<'_> {
    /// Calls a function of a library. An id becomes the address of the object.
    pub(in crate::front) fn call_library(
        &mut self,
        func: &FuncRef,
        mut args: Vec<Arg<'_>>,
        at: Span,
    ) -> Result<Called> {
        self.b.span = at;
        self.fit_numbers(func, &mut args, at)?;
        let name = &func.source.name;
        let is_id = |arg: &Arg<'_>| arg.name.is_none_or(|name| name == "id");
        let takes_id = self
            .params_of(func, at)?
            .first()
            .is_some_and(|param| param.0 == "id");
        let others = args.iter().filter(|arg| !matches!(arg.name, Some("id")));
        let second = match args.first() {
            Some(first) if first.name.is_none() => args.get(1),
            _ => others.into_iter().next(),
        };
        let scalar = second.and_then(|arg| match &arg.tree {
            Tree::Elem(x) => Some(x.elem.scalar()),
            _ => None,
        });
        let id = args.iter().position(is_id).filter(|_| takes_id);
        if let (Some(id), Some(it)) = (id, texts::find(name))
            && let Tree::Elem(x) = &args[id].tree
            && x.elem == Elem::Scalar(Scalar::U64)
        {
            let kind = (it.queried)(name, scalar);
            let id_value = x.parts[0];
            let op = Intrinsic::Object(kind);
            let address = self.b.intrinsic(op, vec![id_value], &[Scalar::U64])[0];
            args[id].tree = Tree::Elem(Operand::scalar(Scalar::U64, address));
        }
        self.call_function(func, &args, at)
    }

    /// Numbers that are written in a call take the types of the parameters.
    fn fit_numbers(&mut self, func: &FuncRef, args: &mut [Arg<'_>], at: Span) -> Result<()> {
        let mut known = Vec::new();
        for candidate in func.overloads.iter().chain([func]) {
            known.push(self.params_of(candidate, at)?);
        }
        let given: Vec<Option<Type>> = args.iter().map(|arg| Some(arg.tree.ty())).collect();
        for (n, arg) in args.iter_mut().enumerate() {
            let Tree::Elem(x) = &arg.tree else { continue };
            let Some(full) = x.as_scalar().and_then(|v| self.b.full_value(v)) else {
                continue;
            };
            // The first overload that takes what has a type already says it.
            let wanted = known.iter().find_map(|params| {
                let named = |name: &str| params.iter().position(|param| param.0 == name);
                let place = arg.name.map_or(Some(n), named)?;
                let others = params
                    .iter()
                    .zip(&given)
                    .enumerate()
                    .all(|(k, (param, ty))| {
                        let Some(ty) = ty else { return true };
                        k == place
                            || !matches!(ty, Type::Elem(Elem::Vec { .. }))
                            || param.1.admits(ty)
                    });
                let wanted = params.get(place).filter(|_| others)?.1.exact()?.as_scalar();
                wanted
            });
            if let Some(wanted) = wanted
                && wanted != x.elem.scalar()
                && (wanted.is_float() || x.elem.scalar().is_int())
            {
                let value = self.b.number(wanted, full);
                arg.tree = Tree::Elem(Operand::scalar(wanted, value));
            }
        }
        Ok(())
    }

    /// `wp.read(address, index, dtype)`: a number in the memory of an object.
    pub(super) fn read_call(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let args = self.arguments(args, None)?;
        self.b.span = at;
        let trees: Vec<&Tree> = args.iter().map(|arg| &arg.tree).collect();
        let [Tree::Elem(address), Tree::Elem(index), Tree::Type(ty)] = trees[..] else {
            return Err(Error::at(Code::Argument, at, "read(address, index, dtype)"));
        };
        let (Some(scalar), Some(address), Some(index)) =
            (ty.as_scalar(), address.as_scalar(), index.as_scalar())
        else {
            return Err(Error::at(Code::Type, at, "`read` reads numbers"));
        };
        let op = Intrinsic::Read(scalar);
        let value = self.b.intrinsic(op, vec![address, index], &[scalar])[0];
        Ok(Tree::Elem(Operand::scalar(scalar, value)))
    }
}
