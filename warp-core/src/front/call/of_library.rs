//! Calls of the functions of `library`, and what only these may call.

use crate::builtins::{Arg, Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::inline::Called;
use crate::front::call::overload::Param;
use crate::front::source::scope::FuncRef;
use crate::front::walk::Walk;
use crate::ir::{Const, Intrinsic, ObjectKind, Search};
use crate::library as texts;
use crate::span::Span;
use crate::ty::{Elem, Type};
use ruff_python_ast::{Arguments, Expr};

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
        let (name, params) = (&func.source.name, self.params_of(func, at)?);
        let of_param = |n| {
            place_of(&args, &params, n).map(|at| match &args[at].tree {
                Tree::Type(ty) => ty.clone(),
                tree => tree.ty(),
            })
        };
        let types: Vec<Option<Type>> = (0..params.len()).map(of_param).collect();
        let id = place_of(&args, &params, 0).filter(|_| params[0].0 == "id");
        if let (Some(id), Some(it)) = (id, texts::find(name))
            && let Tree::Elem(x) = &args[id].tree
            && x.elem == Elem::Scalar(Scalar::U64)
        {
            let op = Intrinsic::Object((it.queried)(name, &types));
            let address = self.b.intrinsic(op, vec![x.parts[0]], &[Scalar::U64])[0];
            args[id].tree = Tree::Elem(Operand::scalar(Scalar::U64, address));
        }
        self.call_function(func, &args, at)
    }

    /// Numbers that are written in a call take the types of the parameters, of the first overload that takes the vectors.
    fn fit_numbers(&mut self, func: &FuncRef, args: &mut [Arg<'_>], at: Span) -> Result<()> {
        let mut chosen = None;
        for candidate in func.overloads.iter().chain([func]) {
            let params = self.params_of(candidate, at)?;
            let fits = args.len() == params.len()
                && (0..params.len()).all(|n| {
                    let given = place_of(args, &params, n).map(|at| args[at].tree.ty());
                    let vector = |ty: &Type| matches!(ty, Type::Elem(Elem::Vec { .. }));
                    given.is_none_or(|ty| !vector(&ty) || params[n].1.admits(&ty))
                });
            if fits {
                chosen = Some(params);
                break;
            }
        }
        let Some(params) = chosen else { return Ok(()) };
        for (n, param) in params.iter().enumerate() {
            let wanted = param.1.exact().and_then(Type::as_scalar);
            let (Some(at), Some(wanted)) = (place_of(args, &params, n), wanted) else {
                continue;
            };
            let Tree::Elem(x) = &args[at].tree else {
                continue;
            };
            let (found, value) = (x.elem.scalar(), x.as_scalar());
            let written = |value| match self.b.as_const(value) {
                Some(Const::Int(whole)) => Some(whole as f64),
                _ => self.b.full_value(value),
            };
            if let Some(full) = value.and_then(written)
                && wanted != found
                && (wanted.is_float() || found.is_int())
            {
                let value = self.b.number(wanted, full);
                args[at].tree = Tree::Elem(Operand::scalar(wanted, value));
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

impl Walk<'_> {
    /// `wp.object(kind, id)`: the address of the memory of an object.
    pub(super) fn object_call(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let wrong = || Error::at(Code::Argument, at, "object(kind, id)");
        let [Expr::StringLiteral(name), id] = &args.args[..] else {
            return Err(wrong());
        };
        let kind = ObjectKind::from_name(name.value.to_str()).ok_or_else(wrong)?;
        let id = match self.expr(id)? {
            Tree::Elem(x) if x.elem == Elem::Scalar(Scalar::U64) => x.parts[0],
            _ => return Err(wrong()),
        };
        self.b.span = at;
        let op = Intrinsic::Object(kind);
        let address = self.b.intrinsic(op, vec![id], &[Scalar::U64])[0];
        Ok(Tree::Elem(Operand::scalar(Scalar::U64, address)))
    }

    /// `wp.search(name, address, ...)`: an integer that is searched for in an object.
    pub(super) fn search_call(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let wrong = || Error::at(Code::Argument, at, "search(name, address, arguments)");
        let Some((Expr::StringLiteral(name), _)) = args.args.split_first() else {
            return Err(wrong());
        };
        let search = Search::from_name(name.value.to_str()).ok_or_else(wrong)?;
        let mut values = Vec::new();
        for arg in &args.args[1..] {
            match self.expr(arg)? {
                Tree::Elem(x) => values.extend(x.parts.iter().copied()),
                _ => return Err(wrong()),
            }
        }
        self.b.span = at;
        let found = self
            .b
            .intrinsic(Intrinsic::Search(search), values, &[Scalar::I32])[0];
        Ok(Tree::Elem(Operand::scalar(Scalar::I32, found)))
    }
}

/// The place of the argument of a parameter.
fn place_of(args: &[Arg<'_>], params: &[Param], n: usize) -> Option<usize> {
    let name = &params.get(n)?.0;
    let named = args.iter().position(|arg| arg.name == Some(name));
    named.or_else(|| args.get(n).filter(|arg| arg.name.is_none()).map(|_| n))
}
