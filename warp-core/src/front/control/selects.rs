//! Whether a loop's variable selects components of vectors and matrices: `v[k]`, `m[k, j]`, `x[i][k]`.
//!
//! With the number of the iteration known, such a component is a value; otherwise it is chosen among all of them.

use crate::builtins::Tree;
use crate::front::walk::{VariableState, Walk};
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprSubscript, Stmt};

impl Walk<'_> {
    /// Whether an index of a component in these statements depends on the variable and on nothing that is not known when
    /// compiling, as far as the text and the variables so far tell.
    pub fn selects_components(&self, variable: &str, body: &[Stmt]) -> bool {
        let mut selects = Selects {
            walk: self,
            names: vec![variable],
            found: false,
        };
        selects.visit_body(body);
        selects.found
    }

    /// How many dimensions an array has; None for what is none, or what nobody knows yet.
    fn dimensions(&self, expr: &Expr) -> Option<usize> {
        match expr {
            Expr::Subscript(it) => {
                let left = self.dimensions(&it.value)?.checked_sub(indices(it))?;
                (left > 0).then_some(left)
            }
            _ => match self.known_tree(expr)? {
                Tree::Array(view) => Some(view.ndim.into()),
                // An indexed array is a struct.
                Tree::Struct(..) => Some(crate::ty::MAX_NDIM),
                _ => None,
            },
        }
    }

    /// What a variable or a field of one holds by now.
    fn known_tree(&self, expr: &Expr) -> Option<&Tree> {
        match expr {
            Expr::Name(name) => match &self.frame.env[self.local(name.id.as_str())?] {
                VariableState::Bound(tree, _) => Some(tree),
                _ => None,
            },
            Expr::Attribute(it) => match self.known_tree(&it.value)? {
                Tree::Struct(of, trees) => {
                    let (at, _) = of.field(&it.attr)?;
                    trees.get(at)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether these indices go past the dimensions of an array.
    fn is_component(&self, it: &ExprSubscript) -> bool {
        self.dimensions(&it.value)
            .is_none_or(|dimensions| indices(it) > dimensions)
    }
}

fn indices(it: &ExprSubscript) -> usize {
    match &*it.slice {
        Expr::Tuple(items) => items.elts.len(),
        _ => 1,
    }
}

/// Looks for components that the variable selects.
struct Selects<'a, 's> {
    walk: &'a Walk<'s>,
    /// The variable, and what is computed from it.
    names: Vec<&'a str>,
    found: bool,
}

impl<'a> Visitor<'a> for Selects<'a, '_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        walk_stmt(self, stmt);
        if let Stmt::Assign(it) = stmt
            && let [Expr::Name(target)] = &it.targets[..]
            && self.is_computed(&it.value)
        {
            self.names.push(target.id.as_str());
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Subscript(it) = expr
            && self.walk.is_component(it)
            && self.is_computed(&it.slice)
        {
            self.found = true;
        }
        if !self.found {
            walk_expr(self, expr);
        }
    }
}

impl<'a> Selects<'a, '_> {
    fn is_computed(&self, expr: &'a Expr) -> bool {
        let mut mentions = Mentions {
            selects: self,
            found: false,
        };
        mentions.visit_expr(expr);
        mentions.found
    }
}

/// Looks for the variable in what is known when compiling: what is loaded is not.
struct Mentions<'m, 'a, 's> {
    selects: &'m Selects<'a, 's>,
    found: bool,
}

impl<'a> Visitor<'a> for Mentions<'_, 'a, '_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                self.found |= self.selects.names.contains(&name.id.as_str());
            }
            Expr::Subscript(it) if !self.selects.walk.is_component(it) => {}
            _ => walk_expr(self, expr),
        }
    }
}
