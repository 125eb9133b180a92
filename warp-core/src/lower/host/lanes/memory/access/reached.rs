//! Elements of arrays that addresses lead to.

use super::{Access, Offsets};
use crate::abi::fault;
use crate::dtype::Scalar;
use crate::ir::{Comp, Const, Described, Op, ParamType, Place, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::body::Target;
use crate::lower::body::place::TERMS;
use crate::lower::emit::text::{ins, memory};
use crate::lower::host::lanes::fault::Said;
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::host::target::Host;
use std::fmt::Write;

impl GangBody<'_> {
    /// Where lanes access a place that is described by values. Nothing is known of it, so that every access is checked.
    pub(super) fn reached(&mut self, place: &Place, of: Described<'_>, index: &[Value]) -> Access {
        let ParamType::PointerBased { elem, offset, .. } =
            self.body.facts.func.param(place.array).ty
        else {
            unreachable!("the place is pointer-based");
        };
        let lanes = self.width;
        let mut from = if self.is_uniform(of.data) {
            let data = self.body.name(of.data);
            format!("ptr {}", Host::reach(&mut self.body.t, &data))
        } else {
            let (data, v) = (self.vector(of.data), self.vector_type(Scalar::U64));
            let starts = ins!(self.body.t, "inttoptr {v} {data} to <{lanes} x ptr>");
            format!("<{lanes} x ptr> {starts}")
        };
        let mut apart: Vec<Offsets> = Vec::new();
        let mem = memory(elem.scalar());
        if offset > 0 {
            from = self.moved(&from, "i8", &offset.to_string());
        }
        for (dim, index) in index.iter().enumerate() {
            let (ty, at) = self.checked(of, dim, *index);
            let stride = of.strides[dim];
            match self.body.facts.defs[stride.0 as usize] {
                Def::Let(Op::Const(Const::Int(bytes)), _) if bytes >= 0 => {
                    let unit = match bytes == elem.scalar().size() as i64 {
                        true => mem.to_string(),
                        false => format!("[{bytes} x i8]"),
                    };
                    apart.push((unit, ty, at));
                }
                _ => {
                    let v = self.vector_type(Scalar::I64);
                    let (at, each) = (self.widened(ty, at), self.vector(stride));
                    let bytes = ins!(self.body.t, "mul {v} {at}, {each}");
                    apart.push(("i8".into(), Scalar::I64, bytes));
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
                comp => from = self.moved(&from, mem, comp),
            },
        }
        match (from.strip_prefix("ptr "), apart.len()) {
            (Some(at), 1) => Access::Offset(at.into(), apart.remove(0)),
            _ => Access::Apart(self.spread_from(from, apart)),
        }
    }

    /// An address, or a vector of them, so many units further on.
    fn moved(&mut self, from: &str, unit: &str, by: &str) -> String {
        let ty = from.rsplit_once(' ').map_or("ptr", |(ty, _)| ty);
        let at = ins!(self.body.t, "getelementptr {unit}, {from}, i64 {by}");
        format!("{ty} {at}")
    }

    /// An index as a vector, counted from the start, and checked.
    fn checked(&mut self, of: Described<'_>, dim: usize, index: Value) -> (Scalar, String) {
        let ty = self.body.ty(index);
        let (given, v) = (self.vector(index), self.vector_type(ty));
        let n = self.extent(of, dim, ty);
        let at = if self.body.ranges.of(index).lo >= 0 {
            given.clone()
        } else {
            let negative = ins!(self.body.t, "icmp slt {v} {given}, zeroinitializer");
            let from_end = ins!(self.body.t, "add {v} {given}, {n}");
            self.choose(ty, &negative, &from_end, &given)
        };
        if self.body.options.check_bounds {
            let bad = ins!(self.body.t, "icmp uge {v} {at}, {n}");
            // Where there is no array, its extents are zero, and the message says so.
            let (data, u) = (self.vector(of.data), self.vector_type(Scalar::U64));
            let none = ins!(self.body.t, "icmp eq {u} {data}, zeroinitializer");
            let minus = self.splat(ty, "-1");
            let said = self.choose(ty, &none, &minus, &n);
            self.fail_lanes(
                &bad,
                fault::INDEX,
                &Said::Each(ty, &given),
                &Said::Each(ty, &said),
            );
        }
        (ty, at)
    }

    /// The extent of a dimension as a vector of a type.
    fn extent(&mut self, of: Described<'_>, dim: usize, ty: Scalar) -> String {
        let n = of.extents[dim];
        if self.is_uniform(n) {
            let n = match ty {
                Scalar::I64 => self.body.wide(n, TERMS),
                _ => self.body.name(n),
            };
            return self.splat(ty, &n);
        }
        let n = self.vector(n);
        match ty {
            Scalar::I64 => self.widened(Scalar::I32, n),
            _ => n,
        }
    }

    /// Integers in 64 bits.
    fn widened(&mut self, ty: Scalar, vector: String) -> String {
        if ty == Scalar::I64 {
            return vector;
        }
        let (from, to) = (self.vector_type(ty), self.vector_type(Scalar::I64));
        ins!(self.body.t, "sext {from} {vector} to {to}")
    }
}
