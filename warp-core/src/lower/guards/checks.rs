//! What is asked about the arguments of a launch before it takes a body for dense arrays.

use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{ParamId, ParamType};
use crate::lower::analysis::alignment::alignment;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::variant::Variant;
use crate::lower::body::Target;
use crate::lower::guards::conditions::{Conditions, How, Term};

/// Requires what must hold for the body with plain layouts.
///
/// `crossings`: arrays that must not overlap.
pub fn checks<T: Target>(
    c: &mut Conditions,
    facts: &KernelFacts<'_>,
    crossings: &[(ParamId, ParamId)],
    offsets: &[usize],
) {
    let extent = Term::Known(Variant::Inner.extent());
    for d in 0..facts.dims {
        let n = c.argument(Scalar::I32, abi::DIMS_OFFSET + 4 * d);
        let fits = c.of(How::AtMostUnsigned, n, extent);
        c.require(fits);
    }
    for id in facts.array_params() {
        let ParamType::Array { ndim, .. } = facts.func.param(id).ty else {
            continue;
        };
        let at = offsets[id.0 as usize];
        if facts.shapes.contains(&id) {
            for d in 0..ndim as usize {
                let n = c.argument(Scalar::I32, at + abi::array::SHAPE + 4 * d);
                let fits = c.of(How::AtMostUnsigned, n, extent);
                c.require(fits);
            }
        }
        if facts.accesses.contains_key(&id) {
            let stride = stride(c, at, ndim as usize - 1);
            let step = facts.func.param(id).step() as i64;
            let close = c.of(How::Equal, stride, Term::Known(step));
            // An array that is missing is not accessed, whatever its strides.
            let missing = missing(c, at);
            let close = c.of(How::Either, close, missing);
            c.require(close);
        }
        if let Some(wide) = alignment(facts, id).filter(|_| T::WIDE) {
            let mut bits = c.argument(Scalar::U64, at + abi::array::DATA);
            for d in 0..ndim as usize - 1 {
                let stride = stride(c, at, d);
                bits = c.of(How::Or, bits, stride);
            }
            let rest = c.of(How::And, bits, Term::Known(wide as i64 - 1));
            let aligned = c.of(How::Equal, rest, Term::Known(0));
            c.require(aligned);
        }
    }
    if !facts.non_atomic.is_empty() {
        let flags = c.flags();
        let bit = c.of(How::And, flags, Term::Known(abi::flag::OVERLAP.into()));
        let apart = c.of(How::Equal, bit, Term::Known(0));
        c.require(apart);
    }
    apart(c, facts, crossings, offsets);
}

fn stride(c: &mut Conditions, at: usize, dim: usize) -> Term {
    c.argument(Scalar::I64, at + abi::array::STRIDES + 8 * dim)
}

fn missing(c: &mut Conditions, at: usize) -> Term {
    let data = c.argument(Scalar::U64, at + abi::array::DATA);
    c.of(How::Equal, data, Term::Known(0))
}

/// That no array whose elements belong to one thread each overlaps itself or another array, and no two that cross. Fields of
/// one array of structs count as one array, once they are where fields are expected.
fn apart(
    c: &mut Conditions,
    facts: &KernelFacts<'_>,
    crossings: &[(ParamId, ParamId)],
    offsets: &[usize],
) {
    if facts.owned.is_empty() && crossings.is_empty() {
        return;
    }
    let group = |id: ParamId| facts.func.param(id).part.map(|part| part.group);
    let owned = |id: ParamId| match group(id) {
        None => facts.owned.contains(&id),
        own => facts.owned.iter().any(|other| group(*other) == own),
    };
    let mut spans: Vec<(ParamId, Term, Term)> = Vec::new();
    for id in facts.accesses.keys().copied() {
        let param = facts.func.param(id);
        let ParamType::Array { ndim, .. } = param.ty else {
            continue;
        };
        let at = offsets[id.0 as usize];
        let data = c.argument(Scalar::U64, at + abi::array::DATA);
        let start = match param.part {
            Some(part) => c.of(How::Sub, data, Term::Known(part.offset.into())),
            None => data,
        };
        let known = spans
            .iter()
            .find(|span| param.part.is_some() && group(span.0) == group(id));
        if let Some((other, theirs, _)) = known {
            siblings(c, offsets, ndim, (id, start), (*other, *theirs));
            continue;
        }
        // Bytes from the first element to the end of the last, for strides that do not fall.
        let mut reach = Term::Known(param.step() as i64);
        for d in (0..ndim as usize).rev() {
            let n = c.argument(Scalar::U32, at + abi::array::SHAPE + 4 * d);
            let stride = stride(c, at, d);
            let least = if owned(id) { reach } else { Term::Known(0) };
            let rises = c.of(How::AtMost, least, stride);
            c.require(rises);
            let steps = c.of(How::Sub, n, Term::Known(1));
            let bytes = c.of(How::Mul, steps, stride);
            reach = c.of(How::Add, reach, bytes);
        }
        let end = c.of(How::Add, start, reach);
        spans.push((id, start, end));
    }
    for (i, (a, start_a, end_a)) in spans.iter().enumerate() {
        for (b, start_b, end_b) in &spans[i + 1..] {
            let crosses = |(x, y): &(ParamId, ParamId)| {
                let same = |id: ParamId, one: ParamId| {
                    id == one || (group(id).is_some() && group(id) == group(one))
                };
                (same(*a, *x) && same(*b, *y)) || (same(*a, *y) && same(*b, *x))
            };
            if owned(*a) || owned(*b) || crossings.iter().any(crosses) {
                let before = c.of(How::AtMostUnsigned, *end_a, *start_b);
                let behind = c.of(How::AtMostUnsigned, *end_b, *start_a);
                let apart = c.of(How::Either, before, behind);
                c.require(apart);
            }
        }
    }
}

/// That two arrays are fields of the same structs, which begin at these addresses if they are. A field that is missing is not
/// accessed.
fn siblings(
    c: &mut Conditions,
    offsets: &[usize],
    ndim: u8,
    (a, start_a): (ParamId, Term),
    (b, start_b): (ParamId, Term),
) {
    let mut same = vec![c.of(How::Equal, start_a, start_b)];
    for d in 0..ndim as usize {
        for (ty, at) in [
            (Scalar::I32, abi::array::SHAPE + 4 * d),
            (Scalar::I64, abi::array::STRIDES + 8 * d),
        ] {
            let [x, y] = [a, b].map(|id| c.argument(ty, offsets[id.0 as usize] + at));
            same.push(c.of(How::Equal, x, y));
        }
    }
    let missing = missing(c, offsets[a.0 as usize]);
    for one in same {
        let fits = c.of(How::Either, one, missing);
        c.require(fits);
    }
}
