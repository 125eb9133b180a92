//! Loads and stores: rows, gathers and scatters.

use super::Access;
use crate::dtype::Scalar;
use crate::ir::{Place, Value};
use crate::lower::emit::text::{ins, line, memory, memory_suffix};
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::report::Costly;
use std::fmt::Write;

impl GangBody<'_> {
    /// Reads one component for each lane.
    pub(in crate::lower::host::lanes) fn load(&mut self, out: Value, place: &Place) {
        let ty = self.body.ty(out);
        match self.access(place) {
            Access::Same(at) => {
                self.body.names[out.0 as usize] = self.body.t.load(ty, &at, "");
            }
            access => self.read_into(out, &access),
        }
    }

    /// Reads a number for each lane.
    pub(in crate::lower::host::lanes) fn read_into(&mut self, out: Value, access: &Access) {
        let ty = self.body.ty(out);
        let raw = self.read(ty, access);
        self.vectors[out.0 as usize] = self.wide(|g| g.body.t.unpack(ty, raw));
    }

    /// What memory holds for each lane that runs.
    pub(in crate::lower::host::lanes) fn read(&mut self, ty: Scalar, access: &Access) -> String {
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
        let name = format!("v{}{}", self.width, memory_suffix(ty));
        let bits = self.vector_type(Scalar::Bool);
        let mask = self.running();
        match access {
            Access::Same(_) => unreachable!("such a value is no vector"),
            Access::Local(at) => ins!(self.body.t, "load {v}, ptr {at}, align {size}"),
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
                if self.body.options.gathers || self.mask.is_none() {
                    return self.gather(ty, &all, &mask);
                }
                // One load for each lane, without jumps around them.
                let all = self.elsewhere(all, Self::nowhere);
                self.gather(ty, &all, "splat (i1 true)")
            }
        }
    }

    /// Reads at addresses, zeros for lanes that a mask leaves out.
    fn gather(&mut self, ty: Scalar, all: &str, mask: &str) -> String {
        let (lanes, size) = (self.width, ty.size());
        let v = format!("<{lanes} x {}>", memory(ty));
        let name = format!("v{lanes}{}", memory_suffix(ty));
        ins!(
            self.body.t,
            "call {v} @llvm.masked.gather.{name}.v{lanes}p0(<{lanes} x ptr> {all}, i32 {size}, <{lanes} x i1> {mask}, {v} zeroinitializer)"
        )
    }

    /// Writes what memory is to hold for each lane that runs. Of lanes that write to one address, the last one's stays.
    pub(in crate::lower::host::lanes) fn write(&mut self, ty: Scalar, access: &Access, raw: &str) {
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
        let name = format!("v{}{}", self.width, memory_suffix(ty));
        let bits = self.vector_type(Scalar::Bool);
        let mask = self.running();
        match access {
            Access::Same(at) => {
                let lane = self.last_lane();
                let one = ins!(self.body.t, "extractelement {v} {raw}, i64 {lane}");
                line!(self.body.t, "store {mem} {one}, ptr {at}, align {size}");
            }
            // No masked store, so that LLVM may keep the array in registers.
            Access::Local(at) => {
                let raw = match self.mask.clone() {
                    None => raw.to_string(),
                    Some(mask) => {
                        let old = ins!(self.body.t, "load {v}, ptr {at}, align {size}");
                        ins!(self.body.t, "select {bits} {mask}, {v} {raw}, {v} {old}")
                    }
                };
                line!(self.body.t, "store {v} {raw}, ptr {at}, align {size}");
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
                let (lanes, mut all, mut mask) = (self.width, self.addresses(ty, access), mask);
                if !self.body.options.gathers {
                    all = self.elsewhere(all, Self::spare);
                    mask = "splat (i1 true)".into();
                }
                line!(
                    self.body.t,
                    "call void @llvm.masked.scatter.{name}.v{lanes}p0({v} {raw}, <{lanes} x ptr> {all}, i32 {size}, {bits} {mask})"
                );
            }
        }
    }

    /// Writes lanes in order, those that run.
    pub(in crate::lower::host::lanes) fn write_row(&mut self, ty: Scalar, at: &str, raw: &str) {
        let (mem, size) = (memory(ty), ty.size());
        let v = format!("<{} x {mem}>", self.width);
        let Some(mask) = &self.mask else {
            line!(self.body.t, "store {v} {raw}, ptr {at}, align {size}");
            return;
        };
        let (name, lanes) = (format!("v{}{}", self.width, memory_suffix(ty)), self.width);
        line!(
            self.body.t,
            "call void @llvm.masked.store.{name}.p0({v} {raw}, ptr {at}, i32 {size}, <{lanes} x i1> {mask})"
        );
    }

    /// A bit for each lane as an i64.
    pub(in crate::lower::host::lanes) fn bits_wide(&mut self, bits: &str) -> String {
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

    /// Writes one text for gangs whose lanes all run, another one for the others.
    pub(in crate::lower::host::lanes) fn if_all(
        &mut self,
        all: impl FnOnce(&mut Self),
        some: impl FnOnce(&mut Self),
    ) {
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
    pub(in crate::lower::host::lanes) fn store_one(&mut self, place: &Place, value: &str) {
        let ty = self.body.facts.func.param(place.array).ty.elem().scalar();
        let access = self.access(place);
        let raw = self.wide(|g| g.body.t.pack(ty, value));
        self.write(ty, &access, &raw);
    }
}
