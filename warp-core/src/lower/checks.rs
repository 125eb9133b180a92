//! What the entry point asks about the arguments of a call before it takes a body for dense arrays.

use super::alignment::alignment;
use super::body::Target;
use super::facts::KernelFacts;
use super::text::{Text, ins, read};
use super::variant::Variant;
use crate::abi;
use crate::ir::{ParamId, ParamType};
use std::fmt::Write;

/// What must hold for the body with plain layouts.
///
/// `crossings`: arrays that must not overlap.
pub fn checks<T: Target>(
    t: &mut Text,
    facts: &KernelFacts<'_>,
    crossings: &[(ParamId, ParamId)],
    offsets: &[usize],
) -> Vec<String> {
    let mut all = Vec::new();
    let extent = Variant::Inner.extent();
    for d in 0..facts.dims {
        let n = read(t, "i32", abi::DIMS_OFFSET + 4 * d, 4);
        all.push(ins!(t, "icmp ule i32 {n}, {extent}"));
    }
    for id in facts.array_params() {
        let ParamType::Array { ndim, .. } = facts.func.param(id).ty else {
            continue;
        };
        let at = offsets[id.0 as usize];
        if facts.shapes.contains(&id) {
            for d in 0..ndim as usize {
                let n = read(t, "i32", at + abi::array::SHAPE + 4 * d, 4);
                all.push(ins!(t, "icmp ule i32 {n}, {extent}"));
            }
        }
        if facts.accesses.contains_key(&id) {
            let last = at + abi::array::STRIDES + 8 * (ndim as usize - 1);
            let stride = read(t, "i64", last, 8);
            let close = ins!(t, "icmp eq i64 {stride}, {}", facts.func.param(id).step());
            let data = read(t, "ptr", at + abi::array::DATA, 8);
            // An array that is missing is not accessed, whatever its strides.
            let missing = ins!(t, "icmp eq ptr {data}, null");
            all.push(ins!(t, "or i1 {close}, {missing}"));
        }
        if let Some(wide) = alignment(facts, id).filter(|_| T::WIDE) {
            let mut bits = read(t, "i64", at + abi::array::DATA, 8);
            for d in 0..ndim as usize - 1 {
                let stride = read(t, "i64", at + abi::array::STRIDES + 8 * d, 8);
                bits = ins!(t, "or i64 {bits}, {stride}");
            }
            let rest = ins!(t, "and i64 {bits}, {}", wide - 1);
            all.push(ins!(t, "icmp eq i64 {rest}, 0"));
        }
    }
    if !facts.plain.is_empty() {
        let flags = T::flags(t);
        let bit = ins!(t, "and i32 {flags}, {}", abi::flag::OVERLAP);
        all.push(ins!(t, "icmp eq i32 {bit}, 0"));
    }
    apart(t, facts, crossings, offsets, &mut all);
    all
}

/// That no array whose elements belong to one thread each overlaps itself or another array, and no two that cross. Fields of
/// one array of structs count as one array, once they are where fields are expected.
fn apart(
    t: &mut Text,
    facts: &KernelFacts<'_>,
    crossings: &[(ParamId, ParamId)],
    offsets: &[usize],
    all: &mut Vec<String>,
) {
    if facts.owned.is_empty() && crossings.is_empty() {
        return;
    }
    let group = |id: ParamId| facts.func.param(id).part.map(|part| part.group);
    let owned = |id: ParamId| match group(id) {
        None => facts.owned.contains(&id),
        own => facts.owned.iter().any(|other| group(*other) == own),
    };
    let mut spans: Vec<(ParamId, String, String)> = Vec::new();
    for id in facts.accesses.keys().copied() {
        let param = facts.func.param(id);
        let ParamType::Array { ndim, .. } = param.ty else {
            continue;
        };
        let at = offsets[id.0 as usize];
        let data = read(t, "i64", at + abi::array::DATA, 8);
        let start = match param.part {
            Some(part) => ins!(t, "sub i64 {data}, {}", part.offset),
            None => data.clone(),
        };
        let known = spans
            .iter()
            .find(|span| param.part.is_some() && group(span.0) == group(id));
        if let Some((other, theirs, _)) = known {
            let fits = siblings(t, offsets, ndim, (id, &start), (*other, theirs));
            // A field that is missing is not accessed.
            let missing = ins!(t, "icmp eq i64 {data}, 0");
            all.push(ins!(t, "or i1 {fits}, {missing}"));
            continue;
        }
        // Bytes from the first element to the end of the last, for strides that do not fall.
        let mut reach = param.step().to_string();
        for d in (0..ndim as usize).rev() {
            let n = read(t, "i32", at + abi::array::SHAPE + 4 * d, 4);
            let n = ins!(t, "zext i32 {n} to i64");
            let stride = read(t, "i64", at + abi::array::STRIDES + 8 * d, 8);
            let least = if owned(id) { reach.as_str() } else { "0" };
            all.push(ins!(t, "icmp sge i64 {stride}, {least}"));
            let steps = ins!(t, "sub i64 {n}, 1");
            let bytes = ins!(t, "mul i64 {steps}, {stride}");
            reach = ins!(t, "add i64 {reach}, {bytes}");
        }
        let end = ins!(t, "add i64 {start}, {reach}");
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
                let before = ins!(t, "icmp ule i64 {end_a}, {start_b}");
                let behind = ins!(t, "icmp ule i64 {end_b}, {start_a}");
                all.push(ins!(t, "or i1 {before}, {behind}"));
            }
        }
    }
}

/// Whether two arrays are fields of the same structs, which begin at these addresses if they are.
fn siblings(
    t: &mut Text,
    offsets: &[usize],
    ndim: u8,
    (a, start_a): (ParamId, &str),
    (b, start_b): (ParamId, &str),
) -> String {
    let mut same = ins!(t, "icmp eq i64 {start_a}, {start_b}");
    for d in 0..ndim as usize {
        for (ty, at, size) in [
            ("i32", abi::array::SHAPE + 4 * d, 4),
            ("i64", abi::array::STRIDES + 8 * d, 8),
        ] {
            let [x, y] = [a, b].map(|id| read(t, ty, offsets[id.0 as usize] + at, size));
            let equal = ins!(t, "icmp eq {ty} {x}, {y}");
            same = ins!(t, "and i1 {same}, {equal}");
        }
    }
    same
}
