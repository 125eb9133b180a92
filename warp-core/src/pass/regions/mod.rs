//! Which elements of each array a launch reads and writes: a box, computed of its arguments before it runs.
//!
//! An index is mostly a sum of products of thread indices, parameters, extents and constants. [`Regions::of`] finds such indices and
//! makes an expression of each; [`Regions::evaluate`] computes its values in a launch as a [`Span`], which is an interval with a
//! stride (strided intervals: Reps and Balakrishnan, 2008). The spans of all accesses to an array give a [`Region`] of it. An index
//! that is no such expression, or that may be out of range or negative, may be any along its dimension.
//!
//! A region holds every element that is accessed, and may hold others.

mod find;
mod region;
mod span;

pub use region::Region;
pub use span::Span;

use crate::dtype::Scalar;
use crate::ir::ParamId;
use crate::ty::MAX_NDIM;
use smallvec::SmallVec;

/// An expression, by its number.
type Node = u16;

/// How an index is computed, of expressions with lesser numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum How {
    Known(i64),
    /// A thread index.
    Thread(u8),
    /// A component of a parameter.
    Value(ParamId, u32),
    /// An extent of an array.
    Extent(ParamId, u8),
    Add(Node, Node),
    Subtract(Node, Node),
    Multiply(Node, Node),
    Negate(Node),
    Divide(Node, Node),
    Rest(Node, Node),
    Least(Node, Node),
    Greatest(Node, Node),
    /// One of two.
    Either(Node, Node),
    /// The variable of a loop: start, stop, step.
    Loop(Node, Node, Node),
    /// The same in another type.
    Cast(Node),
}

/// What an access is to: one index per dimension; None for any.
type Place = [Option<Node>; MAX_NDIM];

/// The accesses to an array.
#[derive(Clone, Default, Debug)]
struct Accesses {
    loads: Vec<Place>,
    stores: Vec<Place>,
    /// There are accesses that are not listed.
    any: bool,
}

/// The indices of all accesses of a kernel.
#[derive(Debug)]
pub struct Regions {
    /// Each with the type that its result has to fit.
    nodes: Vec<(How, Scalar)>,
    /// By parameter.
    accesses: Vec<Accesses>,
    /// Whether no array has an index that is known.
    unknown: bool,
}

/// The arguments of a launch.
pub trait Arguments {
    /// A launch dimension.
    fn threads(&self, dim: u8) -> i32;
    /// An extent of an array.
    fn extent(&self, array: ParamId, dim: u8) -> i32;
    /// A component of a parameter, an integer; None if it does not fit.
    fn value(&self, param: ParamId, component: u32, ty: Scalar) -> Option<i64>;
}

/// The values of a kernel's indices in a launch.
pub struct Evaluated<'a> {
    regions: &'a Regions,
    spans: SmallVec<[Option<Span>; 24]>,
}

/// Which accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Which {
    /// Elements that are read.
    pub loads: bool,
    /// Elements that are written.
    pub stores: bool,
}

impl Regions {
    /// Computes the indices of a launch; None where nothing is known of any.
    pub fn evaluate(&self, arguments: &impl Arguments) -> Option<Evaluated<'_>> {
        if self.unknown {
            return None;
        }
        let mut spans: SmallVec<[Option<Span>; 24]> = SmallVec::new();
        for (how, ty) in &self.nodes {
            let found = span(*how, *ty, &spans, arguments);
            spans.push(found.and_then(|found| found.within(*ty)));
        }
        Some(Evaluated {
            regions: self,
            spans,
        })
    }
}

/// What an expression may be.
fn span(how: How, ty: Scalar, known: &[Option<Span>], arguments: &impl Arguments) -> Option<Span> {
    let of = |node: Node| known[usize::from(node)];
    match how {
        How::Known(n) => Some(Span::point(n)),
        How::Thread(dim) => Some(Span::up_to(0, i64::from(arguments.threads(dim)) - 1, 1)),
        How::Value(param, component) => arguments.value(param, component, ty).map(Span::point),
        How::Extent(array, dim) => Some(Span::point(arguments.extent(array, dim).into())),
        How::Add(a, b) => of(a)?.plus(of(b)?),
        How::Subtract(a, b) => of(a)?.plus(of(b)?.negated()?),
        How::Multiply(a, b) => of(a)?.multiplied(of(b)?),
        How::Negate(a) => of(a)?.negated(),
        How::Divide(a, b) => of(a)?.divided(of(b)?),
        How::Rest(a, b) => of(a)?.rest(of(b)?),
        How::Least(a, b) => of(a)?.extreme(of(b)?, true),
        How::Greatest(a, b) => of(a)?.extreme(of(b)?, false),
        How::Either(a, b) => of(a)?.join(of(b)?),
        How::Loop(start, stop, step) => iterations(of(start)?, of(stop)?, of(step)?),
        How::Cast(a) => of(a),
    }
}

/// What the variable of a loop may be.
fn iterations(start: Span, stop: Span, step: Span) -> Option<Span> {
    if start.is_empty() || stop.is_empty() || step.is_empty() {
        return Some(Span::EMPTY);
    }
    let stride = step.lo.checked_abs()?;
    if step.step != 0 || stride == 0 {
        return None;
    }
    if start.step != 0 {
        // Loops of different threads start at different integers.
        return Some(match step.lo > 0 {
            true => Span::up_to(start.lo, stop.hi.checked_sub(1)?, 1),
            false => Span::up_to(stop.lo.checked_add(1)?, start.hi, 1),
        });
    }
    if step.lo > 0 {
        return Some(Span::up_to(start.lo, stop.hi.checked_sub(1)?, stride));
    }
    let up = Span::up_to(
        start.lo.checked_neg()?,
        stop.lo.checked_add(1)?.checked_neg()?,
        stride,
    );
    up.negated()
}

impl Evaluated<'_> {
    /// The elements of an array of this shape that are accessed, which is given for these parameters; None for all, as far as is
    /// known.
    pub fn region(
        &self,
        arrays: impl Iterator<Item = ParamId>,
        shape: &[i32],
        which: Which,
    ) -> Option<Region> {
        let mut spans = [Span::EMPTY; MAX_NDIM];
        for array in arrays {
            let Some(accesses) = self.regions.accesses.get(array.0 as usize) else {
                continue;
            };
            if accesses.any {
                return None;
            }
            let loads = accesses.loads.iter().filter(|_| which.loads);
            let stores = accesses.stores.iter().filter(|_| which.stores);
            for place in loads.chain(stores) {
                let here = self.indices(place, shape);
                if here[..shape.len()].iter().any(|span| span.is_empty()) {
                    continue;
                }
                for (all, here) in spans.iter_mut().zip(here).take(shape.len()) {
                    *all = all.join(here)?;
                }
            }
        }
        let region = Region::of(&spans[..shape.len()]);
        (!region.is_whole(shape)).then_some(region)
    }

    /// The indices of an access to an array of this shape.
    fn indices(&self, place: &Place, shape: &[i32]) -> [Span; MAX_NDIM] {
        let mut all = [Span::EMPTY; MAX_NDIM];
        for (dim, extent) in shape.iter().enumerate() {
            let last = i64::from(*extent) - 1;
            let index = place[dim].and_then(|node| self.spans[usize::from(node)]);
            all[dim] = match index {
                // What is out of range is a fault, or counts from the end.
                Some(span) if span.is_empty() || (span.lo >= 0 && span.hi <= last) => span,
                _ => Span::up_to(0, last, 1),
            };
        }
        all
    }
}

#[cfg(test)]
mod tests;
