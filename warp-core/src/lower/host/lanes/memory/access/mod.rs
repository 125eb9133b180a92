//! Where the elements of a gang lie, and how they are read and written.

mod index;
mod local;
mod reached;
mod transfer;

use crate::dtype::Scalar;
use crate::ir::{Comp, Place};
use crate::lower::emit::text::{ins, memory};
use crate::lower::host::lanes::analysis::shape::Shape;
use crate::lower::host::lanes::gang::{GangBody, spelled};
use index::Index;
use std::fmt::Write;

/// Where the lanes of a gang access memory.
#[derive(Clone, Debug)]
pub enum Access {
    /// All at one address.
    Same(String),
    /// Side by side from this address on, in memory of the gang alone: what lanes have there that do not run may be read and
    /// written back.
    Local(String),
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

impl GangBody<'_> {
    /// Where lanes access a place. All indices are checked.
    pub(in crate::lower::host::lanes) fn access(&mut self, place: &Place) -> Access {
        if self.shapes.is_same(place) {
            return Access::Same(self.body.address(place));
        }
        if let Some((of, index)) = self.body.facts.func.pointer_based(place) {
            return self.reached(place, of, index);
        }
        if let Some(shape) = self.body.facts.func.local(place.array) {
            return self.local(place, shape);
        }
        let id = place.array;
        let param = self.body.facts.func.param(id);
        let (elem, step) = (param.ty.elem(), param.step());
        let (mem, gep) = (memory(elem.scalar()), self.body.pointer());
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
        self.body.variant.is_dense() && self.body.guard_span(place.array, dim, size, most)
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
                self.body.guard_extent(place.array, dim, most);
            }
            return (memory(scalar).into(), ty, i);
        }
        // Processors gather by 32-bit offsets, in units of a number.
        let fits = ty == Scalar::I32
            && step % scalar.size() == 0
            && self.body.guard_extent(
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
        self.spread_from(format!("ptr {at}"), offsets)
    }

    /// The same from an address, or a vector of them, with its type.
    fn spread_from(&mut self, mut from: String, offsets: Vec<Offsets>) -> String {
        let mut name = String::new();
        for (unit, ty, offset) in offsets {
            let v = self.vector_type(ty);
            name = ins!(self.body.t, "getelementptr {unit}, {from}, {v} {offset}");
            from = format!("<{} x ptr> {name}", self.width);
        }
        name
    }

    /// Addresses as a vector.
    pub(in crate::lower::host::lanes) fn addresses(
        &mut self,
        ty: Scalar,
        access: &Access,
    ) -> String {
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
            Access::Local(at) => {
                let steps = self.steps(Scalar::I32, 1);
                self.spread(at, vec![(memory(ty).into(), Scalar::I32, steps)])
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
}
