//! Statements without control flow: assignments in all forms, calls.

use crate::builtins::{self, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::inline::{conversion, fitting};
use crate::front::call::unpack::items_of;
use crate::front::data::index::{Node, Ref, count, has_slice};
use crate::front::walk::{Walk, boolean};
use crate::ir::{Kind, Op, Requirement};
use crate::span::Span;
use crate::ty::{Elem, Type};
use ruff_python_ast::{
    Expr, ExprSubscript, Operator, Stmt, StmtAnnAssign, StmtAssert, StmtAugAssign,
};
use ruff_text_size::Ranged;

impl Walk<'_> {
    pub fn simple(&mut self, stmt: &Stmt) -> Result<()> {
        let at = self.span(stmt);
        self.b.span = at;
        match stmt {
            Stmt::Pass(_) => Ok(()),
            // Docstrings and `...` do nothing.
            Stmt::Expr(it)
                if matches!(
                    &*it.value,
                    Expr::StringLiteral(_) | Expr::EllipsisLiteral(_)
                ) =>
            {
                Ok(())
            }
            Stmt::Expr(it) => self.expr(&it.value).map(|_| ()),
            Stmt::Assign(it) => {
                let tree = self.assigned_value(&it.targets, &it.value)?;
                let tree = self.copied(tree, &it.value)?;
                it.targets
                    .iter()
                    .try_for_each(|target| self.assign(target, tree.clone(), &it.value))
            }
            Stmt::AnnAssign(it) => self.annotated(it),
            Stmt::AugAssign(it) => self.with_target(&it.target, |w| w.augmented(it)),
            Stmt::Assert(it) => self.assertion(it, at),
            other => Err(self.no_such_statement(other, at)),
        }
    }

    /// The right side of an assignment. `wp.tid()` gives as many indices as there are names.
    fn assigned_value(&mut self, targets: &[Expr], value: &Expr) -> Result<Tree> {
        let names = match targets {
            [Expr::Tuple(it)] => Some(it.elts.len()),
            [Expr::List(it)] => Some(it.elts.len()),
            _ => None,
        };
        if let (Some(n), Expr::Call(call)) = (names, value)
            && call.arguments.is_empty()
            && self.is_builtin(&call.func, "tid")
        {
            let at = self.span(value);
            self.b.span = at;
            return match builtins::tid(&mut self.b, n, at)? {
                Tree::Tuple(items) => Ok(Tree::Tuple(items)),
                one => Ok(Tree::Tuple([one].into())),
            };
        }
        let tree = self.expr(value)?;
        if let Tree::None = tree {
            let what = "this gives no value that could be assigned";
            let hint = "None is nothing that kernels keep: assign a number, and another one for what is missing";
            return Err(Error::at(Code::Type, self.span(value), what).hint(hint));
        }
        if let Tree::Type(_) = tree {
            let what = "a type is no value: it cannot be assigned in kernels";
            return Err(Error::at(Code::Type, self.span(value), what)
                .hint("give the type its name outside the kernel"));
        }
        Ok(tree)
    }

    /// `target = tree`; `value` is where the tree comes from.
    pub fn assign(&mut self, target: &Expr, tree: Tree, value: &Expr) -> Result<()> {
        let at = self.span(target);
        self.b.span = at;
        match target {
            Expr::Name(it) => match self.local(it.id.as_str()) {
                Some(slot) => {
                    self.set(slot, tree, at);
                    Ok(())
                }
                None => Err(Error::at(
                    Code::Name,
                    at,
                    format!("`{}` cannot be assigned", it.id),
                )),
            },
            Expr::Tuple(it) => self.unpack(&it.elts, &tree, value, at),
            Expr::List(it) => self.unpack(&it.elts, &tree, value, at),
            Expr::Subscript(_) | Expr::Attribute(_) => self.with_target(target, |w| {
                w.nested(at, |w| w.assign_part(target, tree, value))
            }),
            Expr::Starred(_) => Err(starred(at)),
            _ => Err(Error::at(Code::Syntax, at, "this cannot be assigned")),
        }
    }

    fn unpack(&mut self, targets: &[Expr], tree: &Tree, value: &Expr, at: Span) -> Result<()> {
        if let Some(target) = targets.iter().find(|t| t.is_starred_expr()) {
            return Err(starred(self.span(target)));
        }
        let items = items_of(tree).ok_or_else(|| {
            let what = format!(
                "{} cannot be unpacked into {}",
                tree.ty(),
                count(targets.len(), "name")
            );
            Error::at(Code::Type, self.span(value), what)
                .hint("tuples, vectors, shapes and functions with several results can")
        })?;
        if items.len() != targets.len() {
            let what = format!(
                "{} for {}",
                count(items.len(), "value"),
                count(targets.len(), "name")
            );
            return Err(Error::at(Code::Value, at, what).label(
                self.span(value),
                format!("this gives {}", count(items.len(), "value")),
            ));
        }
        for (target, item) in targets.iter().zip(items) {
            self.assign(target, item, value)?;
        }
        Ok(())
    }

    /// `a[i] = tree`, `v.x = tree`: an element of an array, or a variable with another component.
    fn assign_part(&mut self, target: &Expr, tree: Tree, value: &Expr) -> Result<()> {
        let at = self.span(target);
        match target {
            Expr::Subscript(it) => {
                let base = self.node(&it.value)?;
                if has_slice(&it.slice) {
                    return self.assign_slice(base, it, &tree, value);
                }
                let index = self.indices(&it.slice)?;
                self.b.span = at;
                match base {
                    Node::Tree(Tree::Elem(x)) => {
                        let index: Vec<Tree> = index.into_iter().map(|i| i.0).collect();
                        let x = builtins::with_component(&mut self.b, &x, &index, &tree, at)?;
                        self.assign_whole(&it.value, Tree::Elem(x), value)
                    }
                    base => {
                        let place = self.index(base, &index, at)?;
                        self.store(place, &tree, value, at)
                    }
                }
            }
            Expr::Attribute(it) if !self.is_outside(target) => {
                let base = self.node(&it.value)?;
                self.b.span = at;
                match base {
                    Node::Tree(Tree::Elem(x)) => {
                        let x = builtins::with_attribute(&x, it.attr.as_str(), &tree, at)?;
                        self.assign_whole(&it.value, Tree::Elem(x), value)
                    }
                    Node::Tree(Tree::Struct(s, trees)) => {
                        let from = self.span(value);
                        let x = self.with_field((s, &trees), it.attr.as_str(), &tree, at, from)?;
                        self.assign_whole(&it.value, x, value)
                    }
                    Node::Ref(element) if self.is_array_field(&element, it.attr.as_str()) => {
                        let from = self.span(value);
                        self.store_array_field(&element, it.attr.as_str(), &tree, at, from)
                    }
                    base => {
                        let place = self.member(base, it.attr.as_str(), at)?;
                        self.store(place, &tree, value, at)
                    }
                }
            }
            _ => {
                let what = format!(
                    "`{}` stands outside the function and cannot be changed",
                    self.text(target.range())
                );
                Err(Error::at(Code::Name, at, what).hint("write results to an array parameter"))
            }
        }
    }

    /// `v[1:3] = tree`, `a[i][1:3] = tree`.
    fn assign_slice(
        &mut self,
        base: Node,
        it: &ExprSubscript,
        tree: &Tree,
        value: &Expr,
    ) -> Result<()> {
        let (at, from) = (self.span(it), self.span(value));
        match base {
            Node::Tree(Tree::Elem(x)) => {
                let x = self.with_slice(&x, &it.slice, (tree, from), at)?;
                self.assign_whole(&it.value, Tree::Elem(x), value)
            }
            Node::Ref(element) => {
                for (part, value) in self.slice_places(&element, &it.slice, (tree, from), at)? {
                    part.store(self, 0, value);
                }
                Ok(())
            }
            Node::Tree(Tree::Array(_)) => {
                let what = "slices of arrays cannot be assigned";
                Err(Error::at(Code::Type, at, what).hint("loop over the elements"))
            }
            Node::Tree(other) => {
                let what = format!("slices of {} cannot be assigned", other.ty());
                Err(Error::at(Code::Type, at, what))
            }
        }
    }

    /// Replaces the variable, or the part of one, whose component was assigned.
    fn assign_whole(&mut self, target: &Expr, x: Tree, value: &Expr) -> Result<()> {
        if let Expr::Name(it) = target
            && self.local(it.id.as_str()).is_none()
        {
            let what = format!(
                "`{}` stands outside the function and cannot be changed",
                it.id
            );
            return Err(Error::at(Code::Name, self.span(target), what)
                .hint(format!("copy it first: `v = {}`", it.id)));
        }
        match target {
            Expr::Name(_) | Expr::Subscript(_) | Expr::Attribute(_) => {
                self.assign(target, x, value)
            }
            _ => Err(Error::at(
                Code::Syntax,
                self.span(target),
                "this is no variable: its components cannot be assigned",
            )
            .hint("give it a name first")),
        }
    }

    fn store(&mut self, place: Node, tree: &Tree, value: &Expr, at: Span) -> Result<()> {
        let place = self.element(place, at)?;
        self.fits(&place, tree, value)?;
        self.check_stored(&place, tree, at)?;
        self.b.span = at;
        self.store_tree(&place, tree);
        Ok(())
    }

    /// The element that is assigned.
    fn element(&self, place: Node, at: Span) -> Result<Ref> {
        match place {
            Node::Ref(place) => Ok(place),
            Node::Tree(Tree::Array(view)) => {
                let what = format!(
                    "this is a row of `{}`: {} more must say which element is assigned",
                    self.array_name(&view),
                    count(view.ndim as usize, "index")
                );
                Err(Error::at(Code::Type, at, what).hint("loop over the elements of the row"))
            }
            Node::Tree(other) => {
                let what = format!("parts of {} cannot be assigned", other.ty());
                Err(Error::at(Code::Type, at, what))
            }
        }
    }

    /// Refuses a value that is not what the place holds.
    fn fits(&self, place: &Ref, tree: &Tree, value: &Expr) -> Result<()> {
        match tree {
            tree if tree.ty() == Type::of(place.elem) => Ok(()),
            other => {
                let array = self.b.func().param(place.element.array());
                let (found, wanted) = (other.ty(), Type::of(place.elem));
                let is_struct = matches!(place.elem, Elem::Struct(_));
                let whole = if is_struct || array.ty.elem() == place.elem {
                    ""
                } else {
                    "a component of "
                };
                let what = match whole {
                    // A struct stands in several arrays, which are called after its fields.
                    "" if is_struct => format!("the array holds {wanted}, this is {found}"),
                    "" => format!("array `{}` holds {wanted}, this is {found}", array.name),
                    _ => format!(
                        "a component of array `{}` is {wanted}, this is {found}",
                        array.name
                    ),
                };
                Err(Error::at(Code::Type, self.span(value), what).hint(conversion(&found, &wanted)))
            }
        }
    }

    fn annotated(&mut self, it: &StmtAnnAssign) -> Result<()> {
        let text = self.text(it.annotation.range()).to_string();
        let scope = self.frame.scope.clone();
        let declared = scope.get().annotation(&text).map_err(|why| {
            let what = format!("`{text}` names no type of kernels: {why}");
            Error::at(Code::Type, self.span(&*it.annotation), what)
                .hint("for example int, float, wp.float64, wp.vec3")
        })?;
        let Some(value) = &it.value else {
            return Ok(());
        };
        let want = match declared.exact() {
            Some(Type::Elem(elem)) => Some(elem.scalar()),
            _ => None,
        };
        let tree = self.expr_as(value, want)?;
        let found = tree.ty();
        if !declared.admits(&found) {
            let what = format!("the value is {found}, declared is {declared}");
            return Err(Error::at(Code::Type, self.span(&**value), what)
                .label(
                    self.span(&*it.annotation),
                    format!("declared as {declared}"),
                )
                .hint(fitting(&found, &declared)));
        }
        self.assign(&it.target, tree, value)
    }

    /// `target op= value`. On an element of an array `+=` and `-=` are atomic.
    fn augmented(&mut self, it: &StmtAugAssign) -> Result<()> {
        let at = self.span(it);
        let target_at = self.span(&*it.target);
        if !matches!(&*it.target, Expr::Subscript(_) | Expr::Attribute(_)) {
            let old = self.expr(&it.target)?;
            let value = self.expr(&it.value)?;
            self.b.span = at;
            let new = self.operate(it.op, &old, &value, at)?;
            return self.assign(&it.target, new, &it.value);
        }
        if let Expr::Subscript(target) = &*it.target
            && has_slice(&target.slice)
            && matches!(it.op, Operator::Add | Operator::Sub)
            && let Node::Ref(element) = self.node(&target.value)?
        {
            let value = self.expr(&it.value)?;
            let from = self.span(&*it.value);
            for (part, value) in self.slice_places(&element, &target.slice, (&value, from), at)? {
                let value = match it.op {
                    Operator::Sub => self.b.op(Op::Neg, &[value]),
                    _ => value,
                };
                part.accumulate(self, 0, value);
            }
            return Ok(());
        }
        let node = self.node(&it.target)?;
        let Node::Ref(place) = node else {
            if let Node::Tree(Tree::Array(_)) = node {
                return self.element(node, target_at).map(|_| ());
            }
            let old = self.load(node, &it.target)?;
            let value = self.expr(&it.value)?;
            self.b.span = at;
            let new = self.operate(it.op, &old, &value, at)?;
            return self.nested(target_at, |w| w.assign_part(&it.target, new, &it.value));
        };
        if let Elem::Struct(_) = place.elem {
            let old = self.load(Node::Ref(place), &it.target)?;
            let value = self.expr(&it.value)?;
            self.b.span = at;
            let new = self.operate(it.op, &old, &value, at)?;
            return self.nested(target_at, |w| w.assign_part(&it.target, new, &it.value));
        }
        if matches!(it.op, Operator::Add | Operator::Sub) && place.elem.scalar() != Scalar::Bool {
            let value = self.expr(&it.value)?;
            self.fits(&place, &value, &it.value)?;
            let Tree::Elem(x) = value else { return Ok(()) };
            self.b.span = at;
            for (n, part) in x.parts.into_iter().enumerate() {
                let part = match it.op {
                    Operator::Sub => self.b.op(Op::Neg, &[part]),
                    _ => part,
                };
                place.accumulate(self, n as u32, part);
            }
            return Ok(());
        }
        self.b.span = target_at;
        let old = Tree::Elem(self.load_ref(&place));
        let value = self.expr(&it.value)?;
        self.b.span = at;
        let new = self.operate(it.op, &old, &value, at)?;
        self.store(Node::Ref(place), &new, &it.value, at)
    }

    /// `assert cond, text`: in debug mode the kernel ends where the condition does not hold. Otherwise the condition is
    /// looked at and forgotten.
    fn assertion(&mut self, it: &StmtAssert, at: Span) -> Result<()> {
        if !self.reading.debug {
            let seen = self.expr_path(|w| w.condition(&it.test).map(boolean));
            return seen.map(|_| ());
        }
        let cond = self.condition(&it.test)?;
        self.b.span = at;
        let what = Requirement::Assertion;
        self.b.push(Kind::require(cond, what));
        Ok(())
    }

    fn no_such_statement(&self, stmt: &Stmt, at: Span) -> Error {
        let (what, hint) = match stmt {
            Stmt::Raise(_) | Stmt::Try(_) => {
                ("exceptions", "test with `if` and write a flag to an array")
            }
            Stmt::With(_) => ("`with`", "do it outside the kernel"),
            Stmt::FunctionDef(_) => ("functions inside", "define it outside with `@wp.func`"),
            Stmt::ClassDef(_) => ("classes inside", "define it outside the kernel"),
            Stmt::Import(_) | Stmt::ImportFrom(_) => ("`import`", "import outside the kernel"),
            Stmt::Global(_) | Stmt::Nonlocal(_) => (
                "`global` and `nonlocal`",
                "names outside can be read without it; write results to an array",
            ),
            Stmt::Delete(_) => ("`del`", "leave the variable alone"),
            Stmt::Match(_) => ("`match`", "write `if` and `elif`"),
            Stmt::TypeAlias(_) => ("type aliases", "define it outside the kernel"),
            _ => ("this statement", "see the guide for what kernels can do"),
        };
        Error::at(Code::Syntax, at, format!("kernels have no {what}")).hint(hint)
    }
}

/// The error for `*` among the targets of an assignment.
fn starred(at: Span) -> Error {
    Error::at(Code::Syntax, at, "kernels have no `*` in assignments").hint("name each value")
}
