//! Elements of arrays and components of elements: `a[i, j]`, `a[i][j]`, `v.x`, `m[i, j]`, `a[i].x`.
//!
//! An element stays a reference until its value is asked for, so that `a[i].x` reads one component and `a[i].x = y`
//! writes one.

mod component;
mod member;

use crate::builtins::{self, Cut, Element, Operand, Parts, Tree, View, index_value};
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Comp, Op, Value};
use crate::span::Span;
use crate::ty::Elem;
use ruff_python_ast::{Expr, ExprSubscript};
use ruff_text_size::Ranged;
use std::collections::HashMap;

/// What an expression stands for, elements of arrays not yet read.
#[derive(Clone)]
pub(in crate::front) enum Node {
    Tree(Tree),
    Ref(Ref),
}

/// Consecutive components of one element of an array.
#[derive(Clone)]
pub(in crate::front) struct Ref {
    pub element: Element,
    /// What the components form.
    pub elem: Elem,
    /// The first component: a number, and a run-time number (int32) to be added.
    first: u32,
    at: Option<Value>,
}

impl Ref {
    /// All of an element.
    pub fn whole(element: Element, elem: Elem) -> Ref {
        Ref {
            element,
            elem,
            first: 0,
            at: None,
        }
    }

    /// Which component of the element number `n` is.
    fn comp(&self, w: &mut Walk<'_>, n: u32) -> Comp {
        let fixed = self.first + n;
        match self.at {
            None => Comp::Fixed(fixed),
            Some(at) if fixed == 0 => Comp::At(at),
            Some(at) => {
                let fixed = w.b.i32(fixed as i32);
                Comp::At(w.b.op(Op::Add, &[at, fixed]))
            }
        }
    }

    /// Reads component `n`.
    fn load(&self, w: &mut Walk<'_>, n: u32) -> Value {
        let comp = self.comp(w, n);
        self.element.load(&mut w.b, comp)
    }

    /// The address of the first component.
    pub fn address(&self, w: &mut Walk<'_>) -> Value {
        let comp = self.comp(w, 0);
        self.element.address(&mut w.b, comp)
    }

    /// Writes component `n`.
    pub fn store(&self, w: &mut Walk<'_>, n: u32, value: Value) {
        let comp = self.comp(w, n);
        self.element.store(&mut w.b, comp, value);
    }

    /// Adds to component `n` atomically.
    pub fn accumulate(&self, w: &mut Walk<'_>, n: u32, value: Value) {
        let comp = self.comp(w, n);
        self.element.accumulate(&mut w.b, comp, value);
    }

    /// A run of components.
    fn part(&self, elem: Elem, first: u32, at: Option<Value>) -> Ref {
        Ref {
            elem,
            first: self.first + first,
            at,
            ..self.clone()
        }
    }
}

impl Walk<'_> {
    /// The value of a node.
    pub fn load(&mut self, node: Node, expr: &Expr) -> Result<Tree> {
        match node {
            Node::Tree(tree) => Ok(tree),
            Node::Ref(place) => {
                self.b.span = self.span(expr);
                Ok(self.load_tree(&place))
            }
        }
    }

    pub fn load_ref(&mut self, place: &Ref) -> Operand {
        let mut parts = Parts::new();
        for n in 0..place.elem.count() {
            parts.push(place.load(self, n as u32));
        }
        Operand {
            elem: place.elem,
            parts,
        }
    }

    pub fn subscript(&mut self, it: &ExprSubscript, at: Span) -> Result<Node> {
        let base = self.node(&it.value)?;
        self.subscript_of(base, it, at)
    }

    /// `base[index]` as it is written.
    pub fn subscript_of(&mut self, base: Node, it: &ExprSubscript, at: Span) -> Result<Node> {
        if has_slice(&it.slice) {
            return match base {
                Node::Tree(Tree::Array(view)) => self.slice_array(&view, &it.slice, at),
                Node::Tree(Tree::Struct(s, trees)) if s.is_indexed() => {
                    self.slice_indexed((s, &trees), &it.slice, at)
                }
                base => self.read_slice(base, &it.slice, at).map(Node::Tree),
            };
        }
        let base = match base {
            // The rows of a matrix literal and the like.
            Node::Tree(Tree::Tuple(items)) => {
                let is_shape =
                    matches!(&*it.value, Expr::Attribute(member) if &member.attr == "shape");
                let item = self.tuple_item(&items, &it.slice, is_shape, at);
                return item.map(Node::Tree);
            }
            other => other,
        };
        let index = self.indices(&it.slice)?;
        self.b.span = at;
        self.index(base, &index, at)
    }

    /// The values of the indices between brackets.
    pub fn indices(&mut self, slice: &Expr) -> Result<Vec<(Tree, Span)>> {
        let list = match slice {
            Expr::Tuple(it) => &it.elts[..],
            one => std::slice::from_ref(one),
        };
        let key = std::ptr::from_ref(slice).addr();
        if let Some(Some(known)) = self.target_indices.get(&key) {
            return Ok(known.clone());
        }
        let indices = self.index_list(list)?;
        if let Some(known) = self.target_indices.get_mut(&key) {
            *known = Some(indices.clone());
        }
        Ok(indices)
    }

    /// Walks an assignment, in which each index of the target is computed once.
    pub fn with_target<R>(&mut self, target: &Expr, f: impl FnOnce(&mut Self) -> R) -> R {
        let mut own = HashMap::new();
        let mut part = target;
        loop {
            part = match part {
                Expr::Subscript(it) => {
                    // A call has parentheses.
                    if self.text(it.slice.range()).contains('(') {
                        own.insert(std::ptr::from_ref(&*it.slice).addr(), None);
                    }
                    &*it.value
                }
                Expr::Attribute(it) => &*it.value,
                _ => break,
            };
        }
        let outer = std::mem::replace(&mut self.target_indices, own);
        let result = f(self);
        self.target_indices = outer;
        result
    }

    fn index_list(&mut self, list: &[Expr]) -> Result<Vec<(Tree, Span)>> {
        let mut out = Vec::with_capacity(list.len());
        for index in list {
            let at = self.span(index);
            if matches!(index, Expr::Slice(_)) {
                return Err(Error::at(Code::Syntax, at, "a slice cannot stand here")
                    .hint("loop over the indices, or slice the array before the launch"));
            }
            out.push((self.expr(index)?, at));
        }
        Ok(out)
    }

    /// `base[index]`.
    pub fn index(&mut self, base: Node, index: &[(Tree, Span)], at: Span) -> Result<Node> {
        match base {
            Node::Tree(Tree::Array(view)) => self.index_array(view, index, at),
            Node::Ref(place) => self.index_ref(&place, index, at).map(Node::Ref),
            Node::Tree(Tree::Struct(s, trees)) if s.is_indexed() => {
                self.index_indexed((s, &trees), index, at)
            }
            Node::Tree(Tree::Elem(x)) => {
                let trees: Vec<Tree> = index.iter().map(|i| i.0.clone()).collect();
                builtins::component(&mut self.b, &x, &trees, at).map(Node::Tree)
            }
            Node::Tree(other) => {
                let what = format!("{} cannot be indexed", other.ty());
                Err(Error::at(Code::Type, at, what)
                    .hint("arrays, vectors, matrices and tuples can"))
            }
        }
    }

    fn index_array(&mut self, view: View, index: &[(Tree, Span)], at: Span) -> Result<Node> {
        if index.len() > view.ndim as usize {
            let what = format!(
                "`{}` has {}, {} given",
                self.array_name(&view),
                count(view.ndim as usize, "dimension"),
                count(index.len(), "index"),
            );
            let error = Error::at(Code::Type, at, what);
            return Err(match view.elem {
                Elem::Struct(s) => error.hint(format!(
                    "its elements are {s}: `a[i].x` is field x of element i"
                )),
                Elem::Scalar(_) => error.hint(format!(
                    "index it with {}",
                    count(view.ndim as usize, "index")
                )),
                elem => error.hint(format!(
                    "its elements are {elem}: `a[i][k]` is component k of element i"
                )),
            });
        }
        let mut values = Vec::with_capacity(index.len());
        for (tree, at) in index {
            self.b.span = *at;
            values.push(index_value(&mut self.b, tree, *at)?);
        }
        self.b.span = at;
        if index.len() < view.ndim as usize {
            let cuts: Vec<Cut> = values.into_iter().map(Cut::At).collect();
            return Ok(Node::Tree(Tree::Array(view.cut(&mut self.b, &cuts))));
        }
        let element = view.element(&mut self.b, &values);
        Ok(Node::Ref(Ref::whole(element, view.elem)))
    }
}

/// Whether there is a slice between the brackets.
pub(in crate::front) fn has_slice(index: &Expr) -> bool {
    match index {
        Expr::Slice(_) => true,
        Expr::Tuple(it) => it.elts.iter().any(|e| matches!(e, Expr::Slice(_))),
        _ => false,
    }
}

/// `1 index`, `2 indices`.
pub(in crate::front) fn count(n: usize, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (_, "index") => format!("{n} indices"),
        _ => format!("{n} {what}s"),
    }
}
