//! Addresses of array elements.

use crate::abi::fault;
use crate::dtype::Scalar;
use crate::ir::{Comp, Described, ParamType, Place, Value};
use crate::lower::analysis::range::Range;
use crate::lower::body::{Body, Target};
use crate::lower::emit::text::{ins, line, memory};
use std::fmt::Write;

/// How deep indices are looked into for sums and products.
pub(in crate::lower) const TERMS: u32 = 4;

impl<T: Target> Body<'_, T> {
    /// The address of a component of an element.
    pub(in crate::lower) fn address(&mut self, place: &Place) -> String {
        let id = place.array;
        let param = self.facts.func.param(id);
        if let Some((of, index)) = self.facts.func.pointer_based(place) {
            return self.reached(place, of, index);
        }
        let (elem, step) = (param.ty.elem(), param.step());
        let (mem, count) = (memory(elem.scalar()), elem.count());
        let mut at = self.data(id);
        let gep = self.pointer();
        let last = place.index.len() - 1;
        for (dim, index) in place.index.iter().enumerate() {
            let i = self.index(place, dim, *index);
            if dim == last && self.variant.is_dense() {
                let comp = self.comp(place, count);
                if step != elem.size() {
                    let at = ins!(self.t, "{gep} [{step} x i8], ptr {at}, i64 {i}");
                    return match comp.as_str() {
                        "0" => at,
                        comp => ins!(self.t, "{gep} {mem}, ptr {at}, i64 {comp}"),
                    };
                }
                return match count {
                    1 => ins!(self.t, "{gep} {mem}, ptr {at}, i64 {i}"),
                    _ => ins!(
                        self.t,
                        "{gep} [{count} x {mem}], ptr {at}, i64 {i}, i64 {comp}"
                    ),
                };
            }
            if i == "0" {
                continue;
            }
            let stride = self.stride(id, dim);
            let flag = if self.partial { "" } else { "nsw " };
            let offset = ins!(self.t, "mul {flag}i64 {i}, {stride}");
            at = ins!(self.t, "{gep} i8, ptr {at}, i64 {offset}");
        }
        match self.comp(place, count).as_str() {
            "0" => at,
            comp => ins!(self.t, "{gep} {mem}, ptr {at}, i64 {comp}"),
        }
    }

    /// The instruction that computes an address of an array's memory.
    pub(in crate::lower) fn pointer(&self) -> &'static str {
        match self.partial {
            true => "getelementptr",
            false => "getelementptr inbounds",
        }
    }

    /// The address of a component of an element that another address leads to. Nothing is known of it when compiling, nor
    /// by the entry point, so that every access is checked.
    fn reached(&mut self, place: &Place, of: Described<'_>, index: &[Value]) -> String {
        let ParamType::PointerBased { elem, offset, .. } = self.facts.func.param(place.array).ty
        else {
            unreachable!("the place is pointer-based");
        };
        let data = self.name(of.data);
        let mut bytes = offset.to_string();
        for (dim, index) in index.iter().enumerate() {
            let i = self.wide(*index, TERMS);
            let n = self.wide(of.extents[dim], TERMS);
            let from_start = if self.ranges.of(*index).lo >= 0 {
                i.clone()
            } else {
                let negative = ins!(self.t, "icmp slt i64 {i}, 0");
                let from_end = ins!(self.t, "add i64 {i}, {n}");
                self.t.select(&negative, "i64", &from_end, &i)
            };
            if self.options.check_bounds {
                let bad = ins!(self.t, "icmp uge i64 {from_start}, {n}");
                // Where there is no array, its extents are zero, and the message says so.
                let none = ins!(self.t, "icmp eq i64 {data}, 0");
                let said = self.t.select(&none, "i64", "-1", &n);
                self.fail_if(&bad, fault::INDEX, &i, &said);
            }
            let stride = self.wide(of.strides[dim], TERMS);
            let along = ins!(self.t, "mul i64 {from_start}, {stride}");
            bytes = ins!(self.t, "add i64 {bytes}, {along}");
        }
        let start = T::reach(&mut self.t, &data);
        let at = ins!(self.t, "getelementptr i8, ptr {start}, i64 {bytes}");
        match self.comp(place, elem.count()).as_str() {
            "0" => at,
            comp => {
                let mem = memory(elem.scalar());
                ins!(self.t, "getelementptr {mem}, ptr {at}, i64 {comp}")
            }
        }
    }

    /// An index as a 64-bit position from the start.
    pub(in crate::lower) fn index(&mut self, place: &Place, dim: usize, index: Value) -> String {
        let range = self.ranges.of(index);
        if self.options.own || !self.options.check_bounds && range.lo >= 0 {
            return self.wide(index, TERMS);
        }
        if self.variant.is_dense() && self.facts.func.fixed_shape(place.array).is_none() {
            if let Some(at) = self.subrange_index(place.array, dim, index) {
                return at;
            }
            if let Some(guard) = self.guard(place.array, dim, index) {
                return self.wide_where(index, TERMS, &guard.exact);
            }
        }
        if let Some(at) = self.ranges.position(place.array, dim, index) {
            return at.to_string();
        }
        let i = self.wide(index, TERMS);
        let n = self.extent_wide(place.array, dim);
        let at = match range {
            Range { lo: 0.., .. } => self.in_range(i.clone(), &i, &n),
            Range { hi: ..0, .. } => self.position_from_end(&i, &n),
            _ if !self.options.check_bounds || self.facts.is_crowded() => {
                let from_end = ins!(self.t, "add nsw i64 {i}, {n}");
                let negative = ins!(self.t, "icmp slt i64 {i}, 0");
                let at = self.t.select(&negative, "i64", &from_end, &i);
                self.in_range(at, &i, &n)
            }
            // Machines widen without the sign for nothing.
            _ if self.ty(index) == Scalar::I32 && !self.is_exact(index) => {
                let narrow = self.name(index);
                let near = ins!(self.t, "zext i32 {narrow} to i64");
                self.position_of_either(&near, &i, &n)
            }
            _ => self.position_of_either(&i, &i, &n),
        };
        self.ranges
            .note_position(place.array, dim, index, at.clone());
        at
    }

    /// A position that ends the kernel unless it is less than `n`, where indices are checked; `i` is the index that led to it.
    fn in_range(&mut self, at: String, i: &str, n: &str) -> String {
        if self.options.check_bounds {
            let bad = ins!(self.t, "icmp uge i64 {at}, {n}");
            self.fail_if(&bad, fault::INDEX, i, n);
        }
        at
    }

    /// The position of an index that counts from the end.
    fn position_from_end(&mut self, i: &str, n: &str) -> String {
        let at = ins!(self.t, "add i64 {i}, {n}");
        self.in_range(at, i, n)
    }

    /// The position of an index that may count from the end, and is `near` if it does not. As most do not, one comparison is
    /// all that they cost.
    fn position_of_either(&mut self, near: &str, i: &str, n: &str) -> String {
        let (end, go) = (self.t.new_label("end"), self.t.new_label("at"));
        let start = self.t.label.clone();
        let beyond = ins!(self.t, "icmp uge i64 {near}, {n}");
        line!(
            self.t,
            "br i1 {beyond}, label %{end}, label %{go}, !prof !6"
        );
        self.t.start(&end);
        // What is beyond the end stays there, or wraps to what is more than any extent.
        let from_end = self.position_from_end(i, n);
        let checked = self.t.label.clone();
        line!(self.t, "br label %{go}");
        self.t.start(&go);
        ins!(
            self.t,
            "phi i64 [ {near}, %{start} ], [ {from_end}, %{checked} ]"
        )
    }

    pub(in crate::lower) fn comp(&mut self, place: &Place, count: usize) -> String {
        match place.comp {
            Comp::Fixed(n) => n.to_string(),
            Comp::At(value) => {
                let i = self.wide(value, TERMS);
                let known = self.ranges.of(value);
                let fine = known.lo >= 0 && known.hi < count as i128;
                if self.options.check_bounds && !fine {
                    let bad = ins!(self.t, "icmp uge i64 {i}, {count}");
                    self.fail_if(&bad, fault::INDEX, &i, &count.to_string());
                }
                i
            }
        }
    }
}
