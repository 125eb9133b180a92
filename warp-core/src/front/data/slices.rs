//! Slices of vectors, matrices and quaternions: `v[1:3]`, `m[:, 1]`, `m[0:2, 1:3]`. Their bounds are known when compiling,
//! so that a slice is a list of components; an index beside them may be one of run time. A slice of an array is a view, and
//! its bounds are any integers.

use crate::builtins::{self, Cut, Operand, Parts, Tree, View};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::data::index::{Node, Ref, count};
use crate::front::walk::Walk;
use crate::ir::{Const, Value};
use crate::span::Span;
use crate::ty::{Elem, Type};
use ruff_python_ast::{Expr, ExprSlice};

/// The components that a slice picks.
pub(in crate::front) struct Slice {
    /// What they form.
    elem: Elem,
    /// The indices of each.
    places: Vec<Vec<(Tree, Span)>>,
}

/// The indices along one axis.
struct Axis {
    indices: Vec<Tree>,
    span: Span,
    /// Whether the axis stays one of the result.
    kept: bool,
}

impl Walk<'_> {
    /// `base[index]` with a slice among the indices.
    pub fn read_slice(&mut self, base: Node, index: &Expr, at: Span) -> Result<Tree> {
        let x = match base {
            Node::Tree(Tree::Tuple(items)) => return self.slice_tuple(&items, index, at),
            Node::Tree(Tree::Elem(x)) => x,
            Node::Ref(place) if !matches!(place.elem, Elem::Struct(_)) => self.load_ref(&place),
            other => return Err(self.no_slice(&other, at)),
        };
        let slice = self.slice(x.elem, index, at)?;
        self.b.span = at;
        let mut parts = Parts::new();
        for place in &slice.places {
            let place: Vec<Tree> = place.iter().map(|i| i.0.clone()).collect();
            if let Tree::Elem(part) = builtins::component(&mut self.b, &x, &place, at)? {
                parts.push(part.parts[0]);
            }
        }
        let elem = slice.elem;
        Ok(Tree::Elem(Operand { elem, parts }))
    }

    /// `array[index]` with a slice among the indices: the part of the array.
    pub fn slice_array(&mut self, view: &View, index: &Expr, at: Span) -> Result<Node> {
        let cuts = self.cuts(view, index, at)?;
        let cuts: Vec<Cut> = cuts.into_iter().map(|(cut, _)| cut).collect();
        self.b.span = at;
        Ok(Node::Tree(Tree::Array(view.cut(&mut self.b, &cuts))))
    }

    /// What stands between the brackets behind an array, and where.
    pub fn cuts(&mut self, view: &View, index: &Expr, at: Span) -> Result<Vec<(Cut, Span)>> {
        let list = match index {
            Expr::Tuple(it) => &it.elts[..],
            one => std::slice::from_ref(one),
        };
        if list.len() > view.ndim as usize {
            let what = format!(
                "`{}` has {}, {} given",
                self.array_name(view),
                count(view.ndim as usize, "dimension"),
                count(list.len(), "index"),
            );
            return Err(Error::at(Code::Type, at, what));
        }
        let mut cuts = Vec::with_capacity(list.len());
        for index in list {
            let place = self.span(index);
            let cut = match index {
                Expr::Slice(it) => {
                    let bounds = [&it.lower, &it.upper, &it.step];
                    let mut values = [None; 3];
                    for (value, bound) in values.iter_mut().zip(bounds) {
                        *value = self.array_bound(bound.as_deref())?;
                    }
                    let [lower, upper, step] = values;
                    if let Some(Const::Int(0)) = step.and_then(|v| self.b.as_const(v)) {
                        let what = "the step of a slice is 0";
                        return Err(Error::at(Code::Value, place, what));
                    }
                    Cut::Slice { lower, upper, step }
                }
                index => {
                    let tree = self.expr(index)?;
                    Cut::At(builtins::index_value(&mut self.b, &tree, place)?)
                }
            };
            cuts.push((cut, place));
        }
        Ok(cuts)
    }

    /// A bound of a slice of an array.
    fn array_bound(&mut self, bound: Option<&Expr>) -> Result<Option<Value>> {
        let Some(expr) = bound.filter(|e| !matches!(e, Expr::NoneLiteral(_))) else {
            return Ok(None);
        };
        let (tree, at) = (self.expr(expr)?, self.span(expr));
        self.b.span = at;
        builtins::index_value(&mut self.b, &tree, at).map(Some)
    }

    /// The vector, matrix or quaternion `x` after `x[index] = value`.
    pub fn with_slice(
        &mut self,
        x: &Operand,
        index: &Expr,
        (value, from): (&Tree, Span),
        at: Span,
    ) -> Result<Operand> {
        let slice = self.slice(x.elem, index, at)?;
        let parts = slice.parts_of(value, from)?;
        self.b.span = at;
        let mut x = x.clone();
        let scalar = x.elem.scalar();
        for (place, part) in slice.places.into_iter().zip(parts) {
            let place: Vec<Tree> = place.into_iter().map(|i| i.0).collect();
            let part = Tree::Elem(Operand::scalar(scalar, part));
            x = builtins::with_component(&mut self.b, &x, &place, &part, at)?;
        }
        Ok(x)
    }

    /// The components of an element of an array that `element[index] = value` writes, with what each gets.
    pub fn slice_places(
        &mut self,
        element: &Ref,
        index: &Expr,
        (value, from): (&Tree, Span),
        at: Span,
    ) -> Result<Vec<(Ref, Value)>> {
        let slice = self.slice(element.elem, index, at)?;
        let parts = slice.parts_of(value, from)?;
        self.b.span = at;
        let pairs = slice.places.iter().zip(parts);
        pairs
            .map(|(place, part)| Ok((self.index_ref(element, place, at)?, part)))
            .collect()
    }

    /// What a slice of a value of this type picks.
    fn slice(&mut self, elem: Elem, index: &Expr, at: Span) -> Result<Slice> {
        let list = match index {
            Expr::Tuple(it) => &it.elts[..],
            one => std::slice::from_ref(one),
        };
        let sizes: &[u32] = match elem {
            Elem::Mat { rows, cols, .. } => &[rows, cols],
            Elem::Scalar(_) | Elem::Struct(_) => &[],
            one => &[one.count() as u32],
        };
        if list.len() > sizes.len() {
            let takes = count(sizes.len(), "index");
            let what = format!("{elem} takes {takes}, {} given", list.len());
            return Err(Error::at(Code::Type, at, what));
        }
        let mut axes = Vec::with_capacity(sizes.len());
        for (n, size) in sizes.iter().enumerate() {
            axes.push(self.axis(list.get(n), *size, at)?);
        }
        let scalar = elem.scalar();
        let kept: Vec<u32> = axes.iter().filter(|a| a.kept).map(Axis::len).collect();
        let elem = match kept[..] {
            [rows, cols] => Elem::Mat { rows, cols, scalar },
            [len] => Elem::Vec { len, scalar },
            _ => Elem::Scalar(scalar),
        };
        let mut places: Vec<Vec<(Tree, Span)>> = vec![Vec::new()];
        for axis in &axes {
            let longer = places.iter().flat_map(|place| {
                axis.indices.iter().map(|index| {
                    let mut place = place.clone();
                    place.push((index.clone(), axis.span));
                    place
                })
            });
            places = longer.collect();
        }
        Ok(Slice { elem, places })
    }

    fn axis(&mut self, index: Option<&Expr>, size: u32, at: Span) -> Result<Axis> {
        let span = index.map_or(at, |index| self.span(index));
        let numbers = match index {
            None => (0..i64::from(size)).collect(),
            Some(Expr::Slice(it)) => self.slice_numbers(it, size, span)?,
            Some(index) => {
                let indices = vec![self.expr(index)?];
                return Ok(Axis {
                    indices,
                    span,
                    kept: false,
                });
            }
        };
        self.b.span = span;
        let indices = numbers.into_iter().map(|n| {
            let n = self.b.i32(n as i32);
            Tree::Elem(Operand::scalar(Scalar::I32, n))
        });
        Ok(Axis {
            indices: indices.collect(),
            span,
            kept: true,
        })
    }

    /// The indices that a slice of `size` values picks, by Python's rules.
    fn slice_numbers(&mut self, it: &ExprSlice, size: u32, at: Span) -> Result<Vec<i64>> {
        let size = i64::from(size);
        let step = self.bound(it.step.as_deref())?.unwrap_or(1);
        if step == 0 {
            return Err(Error::at(Code::Value, at, "the step of a slice is 0"));
        }
        let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
        let clip = |bound: i64| {
            let from_start = if bound < 0 {
                bound.saturating_add(size)
            } else {
                bound
            };
            from_start.clamp(low, high)
        };
        let (first, end) = if step > 0 { (low, high) } else { (high, low) };
        let mut n = self.bound(it.lower.as_deref())?.map_or(first, clip);
        let stop = self.bound(it.upper.as_deref())?.map_or(end, clip);
        let mut numbers = Vec::new();
        while (step > 0 && n < stop) || (step < 0 && n > stop) {
            numbers.push(n);
            n = n.saturating_add(step);
        }
        if numbers.is_empty() {
            let what = format!("this slice of {size} values is empty");
            return Err(Error::at(Code::Value, at, what));
        }
        Ok(numbers)
    }

    /// A bound of a slice that is known when compiling.
    pub fn bound(&mut self, bound: Option<&Expr>) -> Result<Option<i64>> {
        let Some(expr) = bound.filter(|e| !matches!(e, Expr::NoneLiteral(_))) else {
            return Ok(None);
        };
        let tree = self.expr(expr)?;
        if let Tree::Elem(x) = &tree
            && let Some(value) = x.as_scalar()
            && let Some(Const::Int(n)) = self.b.as_const(value)
        {
            return Ok(Some(n));
        }
        let what = "the bounds of a slice are integers that are known when compiling";
        Err(Error::at(Code::Type, self.span(expr), what)
            .hint("use literals or constants, or loop over the components"))
    }

    fn slice_tuple(&mut self, items: &[Tree], index: &Expr, at: Span) -> Result<Tree> {
        let Expr::Slice(it) = index else {
            return Err(Error::at(
                Code::Type,
                at,
                "a tuple takes one index or slice",
            ));
        };
        let numbers = self.slice_numbers(it, items.len() as u32, at)?;
        let items = numbers.into_iter().map(|n| items[n as usize].clone());
        Ok(Tree::Tuple(items.collect()))
    }

    fn no_slice(&self, base: &Node, at: Span) -> Error {
        match base {
            Node::Tree(other) => {
                let what = format!("{} cannot be sliced", other.ty());
                Error::at(Code::Type, at, what)
                    .hint("vectors, matrices, quaternions and tuples can")
            }
            Node::Ref(place) => {
                let what = format!("{} cannot be sliced", Type::of(place.elem));
                Error::at(Code::Type, at, what)
            }
        }
    }
}

impl Axis {
    fn len(&self) -> u32 {
        self.indices.len() as u32
    }
}

impl Slice {
    /// The components of a value that is assigned to the slice.
    fn parts_of(&self, value: &Tree, from: Span) -> Result<Parts> {
        match value {
            Tree::Elem(x) if x.elem == self.elem => Ok(x.parts.clone()),
            other => {
                let what = format!("this slice is {}, the value is {}", self.elem, other.ty());
                Err(Error::at(Code::Type, from, what)
                    .hint("a slice takes a value of exactly its type and size"))
            }
        }
    }
}
