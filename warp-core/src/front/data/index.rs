//! Elements of arrays and components of elements: `a[i, j]`, `a[i][j]`, `v.x`, `m[i, j]`, `a[i].x`.
//!
//! An element stays a reference until its value is asked for, so that `a[i].x` reads one component and `a[i].x = y`
//! writes one.

use crate::builtins::{self, Cut, Element, Operand, Parts, Tree, View, index_value};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Comp, Const, Op, Value};
use crate::span::Span;
use crate::ty::{Elem, MAX_NDIM, Type};
use ruff_python_ast::{Expr, ExprAttribute, ExprSubscript};
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

/// An index of a component.
enum Step {
    Fixed(u32),
    At(Value),
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

    pub fn index_ref(&mut self, place: &Ref, index: &[(Tree, Span)], at: Span) -> Result<Ref> {
        let scalar = place.elem.scalar();
        match (place.elem, index) {
            (Elem::Struct(s), _) => {
                let what = format!("an element of this array is {s}, which takes no index");
                Err(Error::at(Code::Type, at, what).hint("its fields have names: `a[i].x`"))
            }
            (Elem::Mat { rows, cols, .. }, [row, rest @ ..]) if rest.len() <= 1 => {
                let row = self.step(row, rows, place.elem)?;
                let row = self.run(place, Elem::Vec { len: cols, scalar }, row, cols);
                if rest.is_empty() {
                    Ok(row)
                } else {
                    self.index_ref(&row, rest, at)
                }
            }
            (Elem::Scalar(_) | Elem::Mat { .. }, _) => {
                let what = format!(
                    "an element of this array is {}: it does not take {}",
                    place.elem,
                    count(index.len(), "index")
                );
                Err(Error::at(Code::Type, at, what))
            }
            (elem, [one]) => {
                let step = self.step(one, elem.count() as u32, elem)?;
                Ok(self.run(place, Elem::Scalar(scalar), step, 1))
            }
            (elem, _) => {
                let what = format!("{elem} takes 1 index, {} given", index.len());
                Err(Error::at(Code::Type, at, what))
            }
        }
    }

    fn run(&mut self, place: &Ref, elem: Elem, step: Step, stride: u32) -> Ref {
        match step {
            Step::Fixed(n) => place.part(elem, n * stride, place.at),
            Step::At(mut value) => {
                if stride > 1 {
                    let stride = self.b.i32(stride as i32);
                    value = self.b.op(Op::Mul, &[value, stride]);
                }
                let at = match place.at {
                    None => value,
                    Some(at) => self.b.op(Op::Add, &[at, value]),
                };
                place.part(elem, 0, Some(at))
            }
        }
    }

    fn step(&mut self, (tree, at): &(Tree, Span), size: u32, elem: Elem) -> Result<Step> {
        let value = match tree {
            Tree::Elem(x) if x.as_scalar().is_some() && x.elem.scalar().is_int() => x.parts[0],
            other => {
                let what = format!("an index is an integer, not {}", other.ty());
                return Err(Error::at(Code::Type, *at, what).hint("convert with `int(...)`"));
            }
        };
        if let Some(Const::Int(n)) = self.b.as_const(value) {
            let from_start = if n < 0 { n + i64::from(size) } else { n };
            return match u32::try_from(from_start) {
                Ok(from_start) if from_start < size => Ok(Step::Fixed(from_start)),
                _ => {
                    let what =
                        format!("index {n} is out of range for {elem}, which has {size} along it");
                    let hint = format!("indices go from -{size} to {}", i64::from(size) - 1);
                    Err(Error::at(Code::Value, *at, what).hint(hint))
                }
            };
        }
        let value = self.b.cast(value, Scalar::I32);
        let (zero, n) = (self.b.i32(0), self.b.i32(size as i32));
        let negative = self.b.op(Op::Lt, &[value, zero]);
        let wrapped = self.b.op(Op::Add, &[value, n]);
        let index = self.b.select(negative, wrapped, value);
        Ok(Step::At(builtins::checked(&mut self.b, index, value, size)))
    }

    /// An item of a tuple. Arrays have no elements along the dimensions that they lack: `a.shape[3]` is 0.
    fn tuple_item(
        &mut self,
        items: &[Tree],
        slice: &Expr,
        is_shape: bool,
        at: Span,
    ) -> Result<Tree> {
        let index = self.indices(slice)?;
        let [(Tree::Elem(x), index_at)] = &index[..] else {
            let what = "a tuple is indexed by one integer";
            return Err(Error::at(Code::Type, at, what));
        };
        let known = x.as_scalar().and_then(|v| self.b.as_const(v));
        if let Some(Const::Int(n)) = known {
            let n = if n < 0 { n + items.len() as i64 } else { n };
            if let Some(item) = usize::try_from(n).ok().and_then(|n| items.get(n)) {
                return Ok(item.clone());
            }
            if is_shape && (0..MAX_NDIM as i64).contains(&n) {
                let none = self.b.i32(0);
                return Ok(Tree::Elem(Operand::scalar(Scalar::I32, none)));
            }
            let what = format!(
                "index {n} is out of range: there are {}",
                count(items.len(), "value")
            );
            return Err(Error::at(Code::Value, *index_at, what));
        }
        // `a.shape[d]` with a run-time dimension: as a vector.
        let scalars: Option<Parts> = items
            .iter()
            .map(|t| match t {
                Tree::Elem(x) if x.elem == Elem::Scalar(Scalar::I32) => x.as_scalar(),
                _ => None,
            })
            .collect();
        match scalars {
            Some(parts) if !parts.is_empty() => {
                let elem = Elem::Vec {
                    len: parts.len() as u32,
                    scalar: Scalar::I32,
                };
                builtins::component(
                    &mut self.b,
                    &Operand { elem, parts },
                    &[index[0].0.clone()],
                    at,
                )
            }
            _ => Err(Error::at(
                Code::Type,
                *index_at,
                "the index of a tuple must be known when compiling",
            )
            .hint("use a literal, or keep the values in a vector")),
        }
    }

    /// `value.name` where `value` is no module.
    pub fn attribute(
        &mut self,
        whole: &Expr,
        it: &ExprAttribute,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Node> {
        if self.is_outside(&it.value) {
            return self.name_or_path(whole, want, at);
        }
        let base = self.node(&it.value)?;
        self.b.span = at;
        self.member(base, it.attr.as_str(), at)
    }

    /// `base.name`.
    pub fn member(&mut self, base: Node, name: &str, at: Span) -> Result<Node> {
        if name == "dtype"
            && let Some(scalar) = components(&base)
        {
            return Ok(Node::Tree(Tree::Type(Type::scalar(scalar))));
        }
        match base {
            Node::Tree(Tree::Array(view)) => self.array_member(&view, name, at).map(Node::Tree),
            Node::Ref(place) => {
                if let Elem::Struct(s) = place.elem {
                    return match self.of_class(s, name) {
                        Some(found) => self.constant(found, name, None, at).map(Node::Tree),
                        None => self.element_field(&place, s, name, at),
                    };
                }
                let scalar = place.elem.scalar();
                let letter = ["x", "y", "z", "w"].iter().position(|l| *l == name);
                let part = match (place.elem, letter, name) {
                    (Elem::Vec { len, .. }, Some(n), _) if n < len as usize && len <= 4 => {
                        Some((Elem::Scalar(scalar), n as u32))
                    }
                    (Elem::Quat(_), Some(n), _) => Some((Elem::Scalar(scalar), n as u32)),
                    (Elem::Transform(_), _, "p") => Some((Elem::Vec { len: 3, scalar }, 0)),
                    (Elem::Transform(_), _, "q") => Some((Elem::Quat(scalar), 3)),
                    _ => None,
                };
                match part {
                    Some((elem, first)) => Ok(Node::Ref(place.part(elem, first, place.at))),
                    None => {
                        let x = self.load_ref(&place);
                        builtins::attribute(&x, name, at).map(|x| Node::Tree(Tree::Elem(x)))
                    }
                }
            }
            Node::Tree(Tree::Elem(x)) => {
                builtins::attribute(&x, name, at).map(|x| Node::Tree(Tree::Elem(x)))
            }
            Node::Tree(Tree::Struct(s, trees)) if s.is_indexed() => {
                self.indexed_member((s, &trees), name, at).map(Node::Tree)
            }
            Node::Tree(Tree::Struct(s, trees)) => match self.of_class(s, name) {
                Some(found) => self.constant(found, name, None, at).map(Node::Tree),
                None => self.get_field(s, &trees, name, at).map(Node::Tree),
            },
            Node::Tree(other) => {
                if let Tree::Type(Type::Struct(s)) = other
                    && let Some(found) = self.of_class(s, name)
                {
                    return self.constant(found, name, None, at).map(Node::Tree);
                }
                if let Tree::Type(Type::Elem(elem)) = other
                    && let Some(found) = self.of_type(elem, name)
                {
                    return Ok(Node::Tree(found));
                }
                let what = match &other {
                    Tree::Type(ty) => format!("the type {ty} has no attribute `{name}` in kernels"),
                    _ => format!("{} has no attribute `{name}`", other.ty()),
                };
                Err(Error::at(Code::Attribute, at, what))
            }
        }
    }

    /// What a type of vectors or matrices says of itself: `type(v).length`.
    fn of_type(&mut self, elem: Elem, name: &str) -> Option<Tree> {
        let shape = elem.inner_shape();
        if shape.is_empty() {
            return None;
        }
        let mut number = |n: usize| {
            let value = self.b.i32(n as i32);
            Tree::Elem(Operand::scalar(Scalar::I32, value))
        };
        match name {
            "length" | "_length_" => Some(number(elem.count())),
            "shape" | "_shape_" => Some(Tree::Tuple(shape.iter().map(|n| number(*n)).collect())),
            _ => None,
        }
    }

    fn array_member(&mut self, view: &View, name: &str, at: Span) -> Result<Tree> {
        let mut shape = (0..view.ndim as usize).map(|d| {
            let value = view.extent(&mut self.b, d);
            Tree::Elem(Operand::scalar(Scalar::I32, value))
        });
        match name {
            "shape" => Ok(Tree::Tuple(shape.collect())),
            "size" => {
                let Some(Tree::Elem(first)) = shape.next() else {
                    return Ok(Tree::None);
                };
                let rest: Vec<Tree> = shape.collect();
                let mut size = first.parts[0];
                for extent in rest {
                    if let Tree::Elem(extent) = extent {
                        size = self.b.op(Op::Mul, &[size, extent.parts[0]]);
                    }
                }
                Ok(Tree::Elem(Operand::scalar(Scalar::I32, size)))
            }
            "ndim" => {
                let value = self.b.i32(i32::from(view.ndim));
                Ok(Tree::Elem(Operand::scalar(Scalar::I32, value)))
            }
            "dtype" => Ok(Tree::Type(Type::of(view.elem))),
            _ => {
                if name == "ptr" {
                    return self.address_of_array(view, at);
                }
                let what = format!("an array has no attribute `{name}` in kernels");
                let hint = match view.elem {
                    Elem::Struct(s) if s.field(name).is_some() => {
                        format!("its elements have: `a[i].{name}`")
                    }
                    _ => "it has shape, size, ndim, dtype and ptr".to_string(),
                };
                Err(Error::at(Code::Attribute, at, what).hint(hint))
            }
        }
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

/// The type of the components of a value, of an element of an array or of a type.
fn components(node: &Node) -> Option<Scalar> {
    let elem = match node {
        Node::Tree(Tree::Elem(x)) => x.elem,
        Node::Tree(Tree::Type(Type::Elem(elem))) => *elem,
        Node::Ref(place) => place.elem,
        Node::Tree(_) => return None,
    };
    match elem {
        Elem::Struct(_) => None,
        elem => Some(elem.scalar()),
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
