//! Components of an element of an array, and items of tuples, by index.

use super::{Ref, count};
use crate::builtins::{self, Operand, Parts, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::walk::Walk;
use crate::ir::{Const, Op, Value};
use crate::span::Span;
use crate::ty::{Elem, MAX_NDIM};
use ruff_python_ast::Expr;

/// An index of a component.
enum Step {
    Fixed(u32),
    At(Value),
}

impl Walk<'_> {
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
    pub(super) fn tuple_item(
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
            .hint("use a literal, keep the values in a vector, or pass them to the kernel as an array")),
        }
    }
}
