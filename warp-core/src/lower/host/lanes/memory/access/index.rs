//! Indices of a gang, counted from the start of a dimension and checked.

use crate::abi::fault;
use crate::dtype::Scalar;
use crate::ir::{Place, Value};
use crate::lower::body::place::TERMS;
use crate::lower::emit::text::{ins, line};
use crate::lower::host::lanes::fault::Said;
use crate::lower::host::lanes::gang::GangBody;
use std::fmt::Write;

/// An index of a gang, counted from the start.
pub(super) enum Index {
    /// The same in all lanes (i64).
    Same(String),
    /// That of the first lane (i64), from which it grows.
    Row(String),
    /// A vector of int32 or int64.
    Apart(Scalar, String),
}

impl GangBody<'_> {
    /// An index of a dimension.
    pub(super) fn index(&mut self, place: &Place, dim: usize, index: Value) -> Index {
        if self.is_uniform(index) {
            return Index::Same(self.body.index(place, dim, index));
        }
        let range = self.body.ranges.of(index);
        let checks = self.body.options.check_bounds;
        if self.has_scalar(index) {
            if (checks || range.lo < 0) && self.body.variant.is_dense() {
                if let Some(at) = self.body.subrange_index(place.array, dim, index) {
                    return Index::Row(at);
                }
                if let Some(guard) = self.body.guard(place.array, dim, index) {
                    return Index::Row(self.body.wide_where(index, TERMS, &guard.exact));
                }
            }
            let exact = self.body.is_exact(index);
            if exact && range.lo >= 0 {
                let known = self.body.ranges.position(place.array, dim, index);
                if checks && known.is_none() {
                    let narrow = self.vector(index);
                    self.check_index(place, dim, index, &narrow, &narrow);
                    (self.body.ranges).note_position(place.array, dim, index, narrow);
                }
                return Index::Row(self.body.wide(index, TERMS));
            }
        }
        let (ty, at) = self.positions(place, dim, index);
        Index::Apart(ty, at)
    }

    /// The positions of an index that differs between lanes, as a vector of int32 or int64.
    pub(super) fn positions(
        &mut self,
        place: &Place,
        dim: usize,
        index: Value,
    ) -> (Scalar, String) {
        let (ty, range) = (self.body.ty(index), self.body.ranges.of(index));
        if let Some(at) = self.body.ranges.position(place.array, dim, index) {
            return (ty, at.to_string());
        }
        let given = self.vector(index);
        let at = if range.lo < 0 && range.hi >= 0 {
            self.positions_of_either(place, dim, index, &given)
        } else {
            let at = match range.lo {
                0.. => given.clone(),
                _ => {
                    let (v, n) = (self.vector_type(ty), self.extent_of(place, dim, ty));
                    ins!(self.body.t, "add {v} {given}, {n}")
                }
            };
            self.check_index(place, dim, index, &at, &given);
            at
        };
        (self.body.ranges).note_position(place.array, dim, index, at.clone());
        (ty, at)
    }

    /// The positions of indices that may count from the end. Where none does, one comparison is all that they cost.
    fn positions_of_either(
        &mut self,
        place: &Place,
        dim: usize,
        index: Value,
        given: &str,
    ) -> String {
        let ty = self.body.ty(index);
        let (v, n) = (self.vector_type(ty), self.extent_of(place, dim, ty));
        let (end, go) = (self.body.t.new_label("end"), self.body.t.new_label("at"));
        let start = self.body.t.label.clone();
        let beyond = ins!(self.body.t, "icmp uge {v} {given}, {n}");
        let some = self.any(&beyond);
        line!(
            self.body.t,
            "br i1 {some}, label %{end}, label %{go}, !prof !6"
        );
        self.body.t.start(&end);
        // What is beyond the end stays there, or wraps to what is more than any extent.
        let wrapped = ins!(self.body.t, "add {v} {given}, {n}");
        let at = self.choose(ty, &beyond, &wrapped, given);
        self.check_index(place, dim, index, &at, given);
        let checked = self.body.t.label.clone();
        line!(self.body.t, "br label %{go}");
        self.body.t.start(&go);
        ins!(
            self.body.t,
            "phi {v} [ {given}, %{start} ], [ {at}, %{checked} ]"
        )
    }

    /// The extent of a dimension as a vector of a type.
    fn extent_of(&mut self, place: &Place, dim: usize, ty: Scalar) -> String {
        let n = match ty {
            Scalar::I64 => self.body.extent_wide(place.array, dim),
            _ => self.body.extent(place.array, dim),
        };
        self.splat(ty, &n)
    }

    /// Ends the kernel unless positions are less than an extent, where indices are checked.
    fn check_index(
        &mut self,
        place: &Place,
        dim: usize,
        index: Value,
        from_start: &str,
        given: &str,
    ) {
        if !self.body.options.check_bounds {
            return;
        }
        let ty = self.body.ty(index);
        let v = self.vector_type(ty);
        let n = self.extent_of(place, dim, ty);
        let bad = ins!(self.body.t, "icmp uge {v} {from_start}, {n}");
        let most = self.body.extent_wide(place.array, dim);
        self.fail_lanes(
            &bad,
            fault::INDEX,
            &Said::Each(ty, given),
            &Said::Same(&most),
        );
    }

    /// A component that differs between lanes.
    pub(super) fn component(&mut self, value: Value, count: usize) -> (Scalar, String) {
        let (ty, i) = (self.body.ty(value), self.vector(value));
        let known = self.body.ranges.of(value);
        if self.body.options.check_bounds && !(known.lo >= 0 && known.hi < count as i128) {
            let v = self.vector_type(ty);
            let n = self.splat(ty, &count.to_string());
            let bad = ins!(self.body.t, "icmp uge {v} {i}, {n}");
            let most = count.to_string();
            self.fail_lanes(&bad, fault::INDEX, &Said::Each(ty, &i), &Said::Same(&most));
        }
        (ty, i)
    }
}
