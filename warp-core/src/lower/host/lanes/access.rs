//! Where the elements of a group lie, and how they are read and written.

use super::fault::Said;
use super::group::{Group, spelled};
use super::shape::Shape;
use crate::abi::fault;
use crate::dtype::Scalar;
use crate::ir::{Comp, Place, Value};
use crate::lower::body::place::TERMS;
use crate::lower::emit::text::{ins, line, memory};
use crate::lower::report::Costly;
use std::fmt::Write;

/// Where the lanes of a group access memory.
#[derive(Clone, Debug)]
pub enum Access {
    /// All at one address.
    Same(String),
    /// From this address on, so many bytes apart.
    Row(String, i64),
    /// The same, so many bytes as a number (i64) says that is known at run time.
    Strided(String, String),
    /// From this address on, each so far that a vector of numbers says.
    Offset(String, Offsets),
    /// Anywhere: a vector of addresses.
    Apart(String),
}

/// What lies between an address and those of the lanes: units (a type), and how many of them (type and vector).
pub type Offsets = (String, Scalar, String);

/// An index of a group, counted from the start.
enum Index {
    /// The same in all lanes (i64).
    Same(String),
    /// That of the first lane (i64), from which it grows.
    Row(String),
    /// A vector of int32 or int64.
    Apart(Scalar, String),
}

impl Group<'_> {
    /// Where lanes access a place. All indices are checked.
    pub(super) fn access(&mut self, place: &Place) -> Access {
        if self.shapes.is_same(place) {
            return Access::Same(self.body.address(place));
        }
        let id = place.array;
        let param = self.body.facts.func.param(id);
        let (elem, step) = (param.ty.elem(), param.step());
        let mem = memory(elem.scalar());
        let gep = self.body.pointer();
        let mut at = self.body.data(id);
        // What differs between lanes: bytes from one to the next, or vectors of offsets (type of the elements, indices).
        let mut row = 0;
        let mut apart: Vec<Offsets> = Vec::new();
        let mut strided = None;
        let last = place.index.len() - 1;
        for (dim, index) in place.index.iter().enumerate() {
            let close = dim == last && self.body.variant.is_dense();
            let i = self.index(place, dim, *index);
            let stride = match close {
                true => step.to_string(),
                false => self.body.stride(id, dim),
            };
            match i {
                Index::Same(i) if i == "0" => {}
                Index::Same(i) | Index::Row(i)
                    if close && matches!(self.shapes.of(*index), Shape::Steps(_)) =>
                {
                    at = ins!(self.body.t, "{gep} [{step} x i8], ptr {at}, i64 {i}");
                    if let Shape::Steps(k) = self.shapes.of(*index) {
                        row += k * step as i64;
                    }
                }
                Index::Same(i) | Index::Row(i) => {
                    let offset = ins!(self.body.t, "mul i64 {i}, {stride}");
                    at = ins!(self.body.t, "{gep} i8, ptr {at}, i64 {offset}");
                    let shape = self.shapes.of(*index);
                    if shape == Shape::Steps(1) && strided.is_none() {
                        strided = Some(stride);
                    } else if let Shape::Steps(k @ 1..) | Shape::Steps(k @ ..=-1) = shape {
                        let offsets = self.multiples(&stride, k);
                        apart.push(("i8".into(), Scalar::I64, offsets));
                    }
                }
                Index::Apart(ty, i) if close => {
                    apart.push(self.along(place, dim, (ty, i)));
                }
                Index::Apart(Scalar::I32, i) if self.is_near(place, dim) => {
                    apart.push((mem.into(), Scalar::I32, self.across(place, dim, &i)));
                }
                Index::Apart(ty, i) => {
                    let v = self.vector_type(Scalar::I64);
                    let wide = match ty {
                        Scalar::I64 => i,
                        _ => {
                            let narrow = self.vector_type(ty);
                            ins!(self.body.t, "sext {narrow} {i} to {v}")
                        }
                    };
                    let each = self.splat(Scalar::I64, &stride);
                    let offsets = ins!(self.body.t, "mul {v} {wide}, {each}");
                    apart.push(("i8".into(), Scalar::I64, offsets));
                }
            }
        }
        match place.comp {
            Comp::At(value) if !self.is_uniform(value) => {
                let (ty, i) = self.component(value, elem.count());
                apart.push((mem.into(), ty, i));
            }
            _ => match self.body.comp(place, elem.count()).as_str() {
                "0" => {}
                comp => at = ins!(self.body.t, "{gep} {mem}, ptr {at}, i64 {comp}"),
            },
        }
        if let Some(stride) = strided {
            // In a condition a jump costs as much as it saves.
            let alone = apart.is_empty() && row == 0 && elem.count() == 1;
            if alone && self.mask == self.row {
                return Access::Strided(at, stride);
            }
            let offsets = self.multiples(&stride, 1);
            apart.push(("i8".into(), Scalar::I64, offsets));
        }
        if apart.is_empty() {
            return Access::Row(at, row);
        }
        if row != 0 {
            apart.push(("i8".into(), Scalar::I64, self.steps(Scalar::I64, row)));
        }
        self.join_narrow(&mut apart);
        match apart.len() {
            1 => Access::Offset(at, apart.remove(0)),
            _ => Access::Apart(self.spread(&at, apart)),
        }
    }

    /// Adds up the offsets of 32 bits that count the same units.
    fn join_narrow(&mut self, all: &mut Vec<Offsets>) {
        let mut k = 1;
        while k < all.len() {
            let before = |(unit, ty, _): &Offsets| *ty == Scalar::I32 && *unit == all[k].0;
            match all[..k].iter().position(before) {
                Some(at) if all[k].1 == Scalar::I32 => {
                    let (v, more) = (self.vector_type(Scalar::I32), all.remove(k).2);
                    all[at].2 = ins!(self.body.t, "add {v} {}, {more}", all[at].2);
                }
                _ => k += 1,
            }
        }
    }

    /// Whether all offsets along an outer dimension are whole numbers and fit 32 bits, which processors multiply and gather by faster.
    fn is_near(&mut self, place: &Place, dim: usize) -> bool {
        let param = self.body.facts.func.param(place.array);
        let (size, dims) = (param.ty.elem().scalar().size(), place.index.len());
        let most = i32::MAX / dims as i32;
        self.body.variant.is_dense() && self.body.claim_span(place.array, dim, size, most)
    }

    /// Offsets along an outer dimension, in numbers.
    fn across(&mut self, place: &Place, dim: usize, index: &str) -> String {
        let size = (self.body.facts.func.param(place.array).ty.elem())
            .scalar()
            .size();
        let stride = self.body.stride(place.array, dim);
        let each = ins!(
            self.body.t,
            "lshr exact i64 {stride}, {}",
            size.trailing_zeros()
        );
        let each = ins!(self.body.t, "trunc i64 {each} to i32");
        let (v, each) = (
            self.vector_type(Scalar::I32),
            self.splat(Scalar::I32, &each),
        );
        ins!(self.body.t, "mul {v} {index}, {each}")
    }

    /// A stride times 0, `step`, 2 `step` and so on.
    fn multiples(&mut self, stride: &str, step: i64) -> String {
        let each = self.splat(Scalar::I64, stride);
        let (v, steps) = (self.vector_type(Scalar::I64), self.steps(Scalar::I64, step));
        ins!(self.body.t, "mul {v} {each}, {steps}")
    }

    /// Offsets along the last dimension, where elements are a known number of bytes apart: units and how many of them.
    fn along(&mut self, place: &Place, dim: usize, (ty, i): (Scalar, String)) -> Offsets {
        let param = self.body.facts.func.param(place.array);
        let (step, scalar) = (param.step(), param.ty.elem().scalar());
        let numbers = step / scalar.size();
        if numbers == 1 {
            if ty == Scalar::I32 && place.index.len() > 1 {
                // Those of outer dimensions are added.
                let most = i32::MAX / place.index.len() as i32;
                self.body.claim_extent(place.array, dim, most);
            }
            return (memory(scalar).into(), ty, i);
        }
        // Processors gather by 32-bit offsets, in units of a number.
        let fits = ty == Scalar::I32
            && step % scalar.size() == 0
            && self.body.claim_extent(
                place.array,
                dim,
                i32::MAX / (numbers * place.index.len()) as i32,
            );
        if !fits {
            return (format!("[{step} x i8]"), ty, i);
        }
        let (v, each) = (self.vector_type(ty), numbers);
        let i = ins!(self.body.t, "mul {v} {i}, splat (i32 {each})");
        (memory(scalar).into(), ty, i)
    }

    /// The addresses that lie at offsets from one.
    fn spread(&mut self, at: &str, offsets: Vec<Offsets>) -> String {
        let mut from = format!("ptr {at}");
        let mut name = String::new();
        for (unit, ty, offset) in offsets {
            let v = self.vector_type(ty);
            name = ins!(self.body.t, "getelementptr {unit}, {from}, {v} {offset}");
            from = format!("<{} x ptr> {name}", self.width);
        }
        name
    }

    /// An index of a dimension.
    fn index(&mut self, place: &Place, dim: usize, index: Value) -> Index {
        if self.is_uniform(index) {
            return Index::Same(self.body.index(place, dim, index));
        }
        let range = self.body.ranges.of(index);
        let checks = self.body.options.check_bounds;
        if self.has_scalar(index) {
            if (checks || range.lo < 0)
                && self.body.variant.is_dense()
                && let Some(claim) = self.body.claim(place.array, dim, index)
            {
                return Index::Row(self.body.wide_where(index, TERMS, &claim.exact));
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
        let ty = self.body.ty(index);
        if let Some(at) = self.body.ranges.position(place.array, dim, index) {
            return Index::Apart(ty, at.to_string());
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
        Index::Apart(ty, at)
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
    fn component(&mut self, value: Value, count: usize) -> (Scalar, String) {
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

    /// Reads one component for each lane.
    pub(super) fn load(&mut self, out: Value, place: &Place) {
        let ty = self.body.ty(out);
        match self.access(place) {
            Access::Same(at) => {
                self.body.names[out.0 as usize] = self.body.t.load(ty, &at, "");
            }
            access => self.read_into(out, &access),
        }
    }

    /// Reads a number for each lane.
    pub(super) fn read_into(&mut self, out: Value, access: &Access) {
        let ty = self.body.ty(out);
        let raw = self.read(ty, access);
        self.vectors[out.0 as usize] = self.wide(|g| g.body.t.unpack(ty, raw));
    }

    /// Addresses as a vector.
    pub(super) fn addresses(&mut self, ty: Scalar, access: &Access) -> String {
        match access {
            Access::Apart(all) => all.clone(),
            Access::Offset(at, by) => self.spread(at, vec![by.clone()]),
            Access::Same(at) => self.spread(
                at,
                vec![("i8".into(), Scalar::I32, "zeroinitializer".into())],
            ),
            Access::Strided(at, stride) => {
                let offsets = self.multiples(stride, 1);
                self.spread(at, vec![("i8".into(), Scalar::I64, offsets)])
            }
            Access::Row(at, bytes) => {
                let size = ty.size() as i64;
                let (unit, step) = match bytes % size {
                    0 => (memory(ty), bytes / size),
                    _ => ("i8", *bytes),
                };
                let steps = spelled(self.width, "i32", |lane| lane as i64 * step);
                self.spread(at, vec![(unit.into(), Scalar::I32, steps)])
            }
        }
    }

    /// What memory holds for each lane that runs.
    pub(super) fn read(&mut self, ty: Scalar, access: &Access) -> String {
        let Access::Strided(at, stride) = access else {
            return self.read_at(ty, access);
        };
        let mut ends = Vec::new();
        self.if_close(ty, (at, stride), |g, access| {
            let raw = g.read_at(ty, access);
            ends.push(format!("[ {raw}, %{} ]", g.body.t.label));
        });
        let v = format!("<{} x {}>", self.width, memory(ty));
        ins!(self.body.t, "phi {v} {}", ends.join(", "))
    }

    /// Writes a text twice: for elements that follow each other, and for others.
    fn if_close(
        &mut self,
        ty: Scalar,
        (at, stride): (&str, &str),
        mut each: impl FnMut(&mut Self, &Access),
    ) {
        let [close, apart, join] = ["close", "apart", "join"].map(|l| self.body.t.new_label(l));
        let size = ty.size() as i64;
        let follow = ins!(self.body.t, "icmp eq i64 {stride}, {size}");
        line!(
            self.body.t,
            "br i1 {follow}, label %{close}, label %{apart}"
        );
        self.body.t.start(&close);
        each(self, &Access::Row(at.into(), size));
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&apart);
        let all = self.addresses(ty, &Access::Strided(at.into(), stride.into()));
        each(self, &Access::Apart(all));
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
    }

    fn read_at(&mut self, ty: Scalar, access: &Access) -> String {
        let (mem, size) = (memory(ty), ty.size());
        let v = format!("<{} x {mem}>", self.width);
        let name = format!("v{}{}", self.width, suffix(ty));
        let bits = self.vector_type(Scalar::Bool);
        let mask = self.running();
        match access {
            Access::Same(_) => unreachable!("such a value is no vector"),
            Access::Row(at, bytes) if *bytes == size as i64 => match self.mask {
                None => ins!(self.body.t, "load {v}, ptr {at}, align {size}"),
                Some(_) => ins!(
                    self.body.t,
                    "call {v} @llvm.masked.load.{name}.p0(ptr {at}, i32 {size}, {bits} {mask}, {v} zeroinitializer)"
                ),
            },
            access => {
                self.note(Costly::Gather);
                let all = self.addresses(ty, access);
                let lanes = self.width;
                ins!(
                    self.body.t,
                    "call {v} @llvm.masked.gather.{name}.v{lanes}p0(<{lanes} x ptr> {all}, i32 {size}, {bits} {mask}, {v} zeroinitializer)"
                )
            }
        }
    }

    /// Writes what memory is to hold for each lane that runs. Of lanes that write to one address, the last one's stays.
    pub(super) fn write(&mut self, ty: Scalar, access: &Access, raw: &str) {
        match access {
            Access::Strided(at, stride) => {
                self.if_close(ty, (at, stride), |g, access| g.write_at(ty, access, raw));
            }
            _ => self.write_at(ty, access, raw),
        }
    }

    fn write_at(&mut self, ty: Scalar, access: &Access, raw: &str) {
        let (mem, size) = (memory(ty), ty.size());
        let v = format!("<{} x {mem}>", self.width);
        let name = format!("v{}{}", self.width, suffix(ty));
        let bits = self.vector_type(Scalar::Bool);
        let mask = self.running();
        match access {
            Access::Same(at) => {
                let lane = self.last_lane();
                let one = ins!(self.body.t, "extractelement {v} {raw}, i64 {lane}");
                line!(self.body.t, "store {mem} {one}, ptr {at}, align {size}");
            }
            Access::Row(at, bytes) if *bytes == size as i64 => {
                // Masked stores are slow on some processors, and mostly all lanes run.
                let at = at.clone();
                if self.mask.is_none() {
                    return self.write_row(ty, &at, raw);
                }
                self.if_all(
                    |g| line!(g.body.t, "store {v} {raw}, ptr {at}, align {size}"),
                    |g| g.write_row(ty, &at, raw),
                );
            }
            access => {
                self.note(Costly::Scatter);
                let all = self.addresses(ty, access);
                let lanes = self.width;
                line!(
                    self.body.t,
                    "call void @llvm.masked.scatter.{name}.v{lanes}p0({v} {raw}, <{lanes} x ptr> {all}, i32 {size}, {bits} {mask})"
                );
            }
        }
    }

    /// Writes lanes in order, those that run.
    pub(super) fn write_row(&mut self, ty: Scalar, at: &str, raw: &str) {
        let (mem, size) = (memory(ty), ty.size());
        let v = format!("<{} x {mem}>", self.width);
        let Some(mask) = &self.mask else {
            line!(self.body.t, "store {v} {raw}, ptr {at}, align {size}");
            return;
        };
        let (name, lanes) = (format!("v{}{}", self.width, suffix(ty)), self.width);
        line!(
            self.body.t,
            "call void @llvm.masked.store.{name}.p0({v} {raw}, ptr {at}, i32 {size}, <{lanes} x i1> {mask})"
        );
    }

    /// A bit for each lane as an i64.
    pub(super) fn bits_wide(&mut self, bits: &str) -> String {
        match self.width {
            64 => bits.into(),
            lanes => ins!(self.body.t, "zext i{lanes} {bits} to i64"),
        }
    }

    /// The last lane that runs.
    fn last_lane(&mut self) -> String {
        let lanes = self.width;
        let Some(mask) = self.mask.clone() else {
            return (lanes - 1).to_string();
        };
        let bits = ins!(self.body.t, "bitcast <{lanes} x i1> {mask} to i{lanes}");
        let bits = self.bits_wide(&bits);
        let zeros = ins!(self.body.t, "call i64 @llvm.ctlz.i64(i64 {bits}, i1 true)");
        ins!(self.body.t, "sub i64 63, {zeros}")
    }

    /// Writes one text for groups whose lanes all run, another one for the others.
    pub(super) fn if_all(&mut self, all: impl FnOnce(&mut Self), some: impl FnOnce(&mut Self)) {
        let mask = self.running();
        let [full, part, join] = ["full", "part", "join"].map(|l| self.body.t.new_label(l));
        let every = self.wide(|g| g.body.t.all(&mask));
        line!(self.body.t, "br i1 {every}, label %{full}, label %{part}");
        self.body.t.start(&full);
        all(self);
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&part);
        some(self);
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
    }

    /// Writes a value of each lane.
    pub(super) fn store_one(&mut self, place: &Place, value: &str) {
        let ty = self.body.facts.func.param(place.array).ty.elem().scalar();
        let access = self.access(place);
        let raw = self.wide(|g| g.body.t.pack(ty, value));
        self.write(ty, &access, &raw);
    }
}

/// How the names of intrinsics on memory of a type end.
pub(super) fn suffix(ty: Scalar) -> String {
    match ty {
        Scalar::F16 => "f16".into(),
        Scalar::F32 => "f32".into(),
        Scalar::F64 => "f64".into(),
        _ => format!("i{}", ty.bits()),
    }
}
