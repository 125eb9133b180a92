//! Functions whose derivative or replay their author wrote (`@wp.func_grad`, `@wp.func_replay`): a call of one is a statement of its
//! own, with the function, the replay and the derivative walked as blocks of it.
//!
//! In a derivative `wp.adjoint[x]` is a variable: zeros at first, of the type of the parameter `x`, and what it holds at last is
//! added to the adjoint of the argument. Of an array it is the array's gradient.

use crate::builtins::{Arg, Operand, Tree, View};
use crate::error::{Code, Error, Result};
use crate::front::call::inline::Called;
use crate::front::control::loops::scalars;
use crate::front::data::index::count;
use crate::front::source::scope::{External, FuncRef, Scope};
use crate::front::walk::names::ADJOINT;
use crate::front::walk::{Routine, VariableState, Walk};
use crate::ir::{Block, Kind, Rules, Value};
use crate::span::Span;
use crate::ty::{Elem, Type};
use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::transformer::{Transformer, walk_expr};
use ruff_python_ast::{Expr, ExprAttribute, ExprContext, ExprName};
use std::cell::RefCell;
use std::rc::Rc;

/// The variable that `wp.adjoint[name]` is.
fn variable(name: &str) -> String {
    format!("wp.adjoint[{name}]")
}

/// The arguments of a call as one of its blocks gets them.
#[derive(Default)]
struct Given {
    trees: Vec<Tree>,
    /// The block's parameters.
    params: Vec<Value>,
    /// What they stand for.
    ins: Vec<Value>,
}

impl Walk<'_> {
    /// Calls a function that is not overloaded, or one of the overloads.
    pub fn call_one(&mut self, func: &FuncRef, args: &[Arg<'_>], at: Span) -> Result<Called> {
        let ruled = func.gradient.is_some() && !self.plain || func.replay.is_some();
        if !ruled || self.differentiated.contains(&func.id) {
            return self.inline(func, args, at);
        }
        let (names, bound) = self.within(func, at, |w| w.bound_to(func, args, at))?;

        // Gradients of gradients are nobody's parameters: such a call, in a derivative, is one like others.
        if bound.iter().any(|tree| self.has_gradient(tree)) {
            return self.inline(func, args, at);
        }
        let given = self.given(&bound);
        let ins = given.ins;
        let arg = |(name, tree)| Arg {
            name: Some(name),
            tree,
            span: at,
        };
        let args: Vec<Arg<'_>> = names
            .iter()
            .map(String::as_str)
            .zip(given.trees)
            .map(arg)
            .collect();
        // What the derivative replaces is differentiated by nobody.
        let outer = self.plain;
        self.plain |= func.gradient.is_some();
        self.b.open(given.params);
        let result = self.inline(func, &args, at)?.result;
        self.plain = outer;
        let mut results = Vec::new();
        if !is_plain(&result) || !scalars(&result, &mut results) {
            let what = format!(
                "function `{}` with a derivative or replay of its own gives {}",
                func.source.name,
                result.ty()
            );
            return Err(Error::at(Code::Type, at, what)
                .hint("it can give numbers, vectors, matrices, and structs and tuples of them"));
        }
        let body = self.b.close(results);

        let mut rules = Rules::default();
        self.differentiated.push(func.id);
        let outer = std::mem::replace(&mut self.plain, true);
        if let Some(replay) = &func.replay {
            rules.replay = Some(self.replay(func, replay, &bound, &result, at)?);
        }
        self.plain = outer;
        if let Some(gradient) = &func.gradient
            && !self.plain
        {
            rules.reverse = Some(self.derivative(func, gradient, &bound, &result, at)?);
        }
        self.differentiated.pop();

        self.b.span = at;
        let outs = self.b.fresh_like(&body.results);
        self.b.push(Kind::Custom {
            ins,
            body,
            rules: Box::new(rules),
            outs: outs.clone(),
        });
        Ok(Called {
            result: with_scalars(&result, &mut outs.into_iter()),
            updates: Vec::new(),
        })
    }

    /// Whether a value holds the gradient of an array.
    fn has_gradient(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Array(view) => {
                let mut ways = view.ways.iter();
                ways.any(|way| self.b.func().gradient_of(way.array).is_some())
            }
            Tree::Tuple(items) | Tree::Struct(_, items) => {
                items.iter().any(|item| self.has_gradient(item))
            }
            _ => false,
        }
    }

    /// The names of the parameters of the function whose frame is in force, and their values.
    fn bound_to(
        &mut self,
        func: &FuncRef,
        args: &[Arg<'_>],
        at: Span,
    ) -> Result<(Vec<String>, Vec<Tree>)> {
        self.bind_args(func, args, at)?;
        if let Some((_, place)) = self.frame.refs.first() {
            let what = format!(
                "function `{}` with a derivative or replay of its own writes one of its arguments",
                func.source.name
            );
            return Err(Error::at(Code::Type, *place, what)
                .hint("return the value, or write it to an array"));
        }
        let routine = Rc::clone(&self.frame.routine);
        let params = routine.def.parameters.iter_non_variadic_params();
        let each = params.map(|param| {
            let name = param.parameter.name.as_str();
            let tree = match self.local(name).map(|slot| &self.frame.env[slot]) {
                Some(VariableState::Bound(tree, _)) => tree.clone(),
                _ => Tree::None,
            };
            (name.to_string(), tree)
        });
        Ok(each.unzip())
    }

    /// Arguments with values of their own in place of their floats. Constants stay what they are.
    fn given(&mut self, bound: &[Tree]) -> Given {
        let mut given = Given::default();
        let trees = bound.iter().map(|tree| self.stand_in(tree, &mut given));
        given.trees = trees.collect();
        given
    }

    fn stand_in(&mut self, tree: &Tree, given: &mut Given) -> Tree {
        match tree {
            Tree::Elem(x) if x.elem.scalar().is_float() => {
                let parts = x.parts.iter().map(|part| {
                    if self.b.as_const(*part).is_some() {
                        return *part;
                    }
                    let param = self.b.fresh(self.b.ty(*part));
                    given.params.push(param);
                    given.ins.push(*part);
                    param
                });
                Tree::Elem(Operand {
                    elem: x.elem,
                    parts: parts.collect(),
                })
            }
            Tree::Tuple(items) => {
                Tree::Tuple(items.iter().map(|t| self.stand_in(t, given)).collect())
            }
            Tree::Struct(s, fields) => {
                let fields = fields.iter().map(|t| self.stand_in(t, given));
                Tree::Struct(*s, fields.collect())
            }
            other => other.clone(),
        }
    }

    fn replay(
        &mut self,
        func: &FuncRef,
        replay: &FuncRef,
        bound: &[Tree],
        like: &Tree,
        at: Span,
    ) -> Result<Block> {
        let given = self.given(bound);
        self.b.open(given.params);
        let args = positional(given.trees, at);
        let result = self.inline(replay, &args, at)?.result;
        if result.ty() != like.ty() {
            let what = format!(
                "`{}`, the replay of `{}`, gives {}, the function gives {}",
                replay.source.name,
                func.source.name,
                result.ty(),
                like.ty()
            );
            return Err(Error::at(Code::Type, at, what)
                .hint("a replay gives what the function gave, for example from an array"));
        }
        let mut results = Vec::new();
        scalars(&result, &mut results);
        Ok(self.b.close(results))
    }

    fn derivative(
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
                let mut ways = view.ways.iter();
                ways.any(|way| self.b.func().is_addressed(way.array))
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
                for way in &mut view.ways {
                    way.array = self.b.gradients(way.array, leaves);
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
    fn parts(&mut self, bound: &Tree, adjoint: Option<&Tree>, parts: &mut Vec<Value>) {
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

    /// The syntax of a derivative, in which `wp.adjoint[x]` of the first `count` parameters is a name.
    fn gradient_routine(&mut self, func: &FuncRef, count: usize, at: Span) -> Result<Rc<Routine>> {
        if let Some(known) = self.routines.get(&func.id) {
            return Ok(Rc::clone(known));
        }
        let (mut def, number) = self.parsed(func, at)?;
        let params = def.parameters.iter_non_variadic_params().take(count);
        let rewrite = Rewrite {
            scope: &*func.scope,
            params: params.map(|p| p.parameter.name.to_string()).collect(),
            found: RefCell::default(),
        };
        for stmt in &mut def.body {
            rewrite.visit_stmt(stmt);
        }
        let found = rewrite.found.into_inner();
        let routine = Rc::new(Routine::new(def, number, &found));
        self.routines.insert(func.id, Rc::clone(&routine));
        Ok(routine)
    }
}

/// Makes names of `wp.adjoint[x]`.
struct Rewrite<'a> {
    scope: &'a dyn Scope,
    params: Vec<String>,
    found: RefCell<Vec<String>>,
}

impl Rewrite<'_> {
    fn is_adjoint(&self, expr: &Expr) -> bool {
        let mut path = Vec::new();
        let mut at = expr;
        while let Expr::Attribute(it) = at {
            path.push(it.attr.as_str());
            at = &it.value;
        }
        let Expr::Name(first) = at else { return false };
        path.push(first.id.as_str());
        path.reverse();
        // Other names are not asked for here.
        path.last() == Some(&ADJOINT)
            && matches!(self.scope.resolve(&path), Some(External::Builtin(name)) if name == ADJOINT)
    }
}

impl Transformer for Rewrite<'_> {
    fn visit_expr(&self, expr: &mut Expr) {
        if let Expr::Subscript(it) = &*expr
            && let Some(param) = root(&it.slice)
            && self.params.iter().any(|p| p == param)
            && self.is_adjoint(&it.value)
        {
            let name = variable(param);
            let variable = Expr::Name(ExprName {
                node_index: it.node_index.clone(),
                range: it.range,
                id: Name::new(&name),
                ctx: it.ctx,
            });
            *expr = of_variable(&it.slice, variable, it.ctx);
            self.found.borrow_mut().push(name);
            return;
        }
        walk_expr(self, expr);
    }
}

/// The name at the beginning of `x` and `x.field.field`.
fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(member) => root(&member.value),
        _ => None,
    }
}

/// `x.field.field` with a variable in the place of `x`.
fn of_variable(expr: &Expr, variable: Expr, ctx: ExprContext) -> Expr {
    match expr {
        Expr::Attribute(member) => {
            let value = of_variable(&member.value, variable, ExprContext::Load);
            Expr::Attribute(ExprAttribute {
                value: Box::new(value),
                ctx,
                ..member.clone()
            })
        }
        _ => match variable {
            Expr::Name(name) => Expr::Name(ExprName { ctx, ..name }),
            other => other,
        },
    }
}

fn positional<'a>(trees: Vec<Tree>, span: Span) -> Vec<Arg<'a>> {
    let arg = |tree| Arg {
        name: None,
        tree,
        span,
    };
    trees.into_iter().map(arg).collect()
}

fn has_floats(view: &View) -> bool {
    match view.elem {
        Elem::Struct(s) => s.leaves().iter().any(|leaf| match leaf.ty {
            Type::Elem(elem) | Type::Array { elem, .. } => elem.scalar().is_float(),
            _ => false,
        }),
        elem => elem.scalar().is_float(),
    }
}

/// Whether a result is made of values alone.
fn is_plain(tree: &Tree) -> bool {
    match tree {
        Tree::Elem(_) | Tree::None => true,
        Tree::Tuple(items) | Tree::Struct(_, items) => items.iter().all(is_plain),
        _ => false,
    }
}

/// A result with other scalars.
fn with_scalars(tree: &Tree, scalars: &mut impl Iterator<Item = Value>) -> Tree {
    match tree {
        Tree::Elem(x) => Tree::Elem(Operand {
            elem: x.elem,
            parts: scalars.by_ref().take(x.parts.len()).collect(),
        }),
        Tree::Tuple(items) => Tree::Tuple(items.iter().map(|t| with_scalars(t, scalars)).collect()),
        Tree::Struct(s, fields) => Tree::Struct(
            *s,
            fields.iter().map(|t| with_scalars(t, scalars)).collect(),
        ),
        other => other.clone(),
    }
}
