//! Whole elements: components of neighbouring elements are read and written as one long vector, and shuffled.

use super::Group;
use super::access::Access;
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Comp, Kind, ParamId, Place, Stmt, Value};
use crate::lower::atomic;
use crate::lower::text::{ins, line, memory};
use std::fmt::Write as _;

/// Elements with more components are accessed one by one: shuffling them takes longer.
const MOST: usize = 4;

/// A write of a component that waits for those of the others.
#[derive(Debug)]
pub struct Write<'a> {
    place: &'a Place,
    /// A vector.
    value: String,
    /// How it changes what is there; none replaces it.
    op: Option<AtomicOp>,
}

impl<'a> Group<'a> {
    /// Reads components of an element that loads in a row name, if they lie well; how many loads.
    pub(super) fn element(&mut self, stmts: &'a [Stmt]) -> usize {
        let Kind::Load { place, .. } = &stmts[0].kind else {
            return 0;
        };
        if !self.is_dense_element(place) {
            return 0;
        }
        let mut outs: Vec<(u32, Value)> = Vec::new();
        for stmt in stmts {
            match &stmt.kind {
                Kind::Load { out, place: other }
                    if other.array == place.array && other.index == place.index =>
                {
                    let Comp::Fixed(comp) = other.comp else { break };
                    outs.push((comp, *out));
                }
                _ => break,
            }
        }
        if outs.len() < 2 {
            return 0;
        }
        self.settle();
        let first = Place {
            comp: Comp::Fixed(0),
            ..place.clone()
        };
        let (ty, count) = self.elem(place.array);
        let Access::Row(at, bytes) = self.access(&first) else {
            return 0;
        };
        if bytes != (count * ty.size()) as i64 {
            return 0;
        }
        let lists: Vec<u32> = outs.iter().map(|(comp, _)| *comp).collect();
        let parts = self.read_parts(ty, count, &at, &lists);
        for ((_, out), raw) in outs.iter().zip(parts) {
            self.vectors[out.0 as usize] = self.wide(|g| g.body.t.unpack(ty, raw));
        }
        outs.len()
    }

    fn elem(&self, array: ParamId) -> (Scalar, usize) {
        let elem = self.body.facts.func.param(array).ty.elem();
        (elem.scalar(), elem.count())
    }

    /// Whether the elements of a group follow each other, each with a few components and nothing in between.
    fn is_dense_element(&self, place: &Place) -> bool {
        let param = self.body.facts.func.param(place.array);
        let count = param.ty.elem().count();
        let (last, outer) = place.index.split_last().expect("arrays have dimensions");
        let follows = self.shapes.of(*last) == super::shape::Shape::Steps(1)
            && outer.iter().all(|v| self.is_uniform(*v));
        self.body.variant.is_dense()
            && follows
            && (2..=MOST).contains(&count)
            && param.step() == param.ty.elem().size()
            && matches!(place.comp, Comp::Fixed(_))
    }

    /// Components of the elements from `at` on, for lanes that run.
    fn read_parts(&mut self, ty: Scalar, count: usize, at: &str, comps: &[u32]) -> Vec<String> {
        if self.mask.is_none() {
            return self.read_all(ty, count, at, comps);
        }
        let mut ends: Vec<(Vec<String>, String)> = Vec::new();
        let both = std::cell::RefCell::new(&mut ends);
        self.if_all(
            |g| {
                let parts = g.read_all(ty, count, at, comps);
                both.borrow_mut().push((parts, g.body.t.label.clone()));
            },
            |g| {
                let bytes = (count * ty.size()) as i64;
                let parts = comps.iter().map(|comp| {
                    let mem = memory(ty);
                    let at = ins!(g.body.t, "getelementptr {mem}, ptr {at}, i64 {comp}");
                    g.read(ty, &Access::Row(at, bytes))
                });
                let parts = parts.collect();
                both.borrow_mut().push((parts, g.body.t.label.clone()));
            },
        );
        let v = format!("<{} x {}>", self.width, memory(ty));
        (0..comps.len())
            .map(|k| {
                let [(a, from_a), (b, from_b)] = [&ends[0], &ends[1]];
                let (a, b) = (&a[k], &b[k]);
                ins!(self.body.t, "phi {v} [ {a}, %{from_a} ], [ {b}, %{from_b} ]")
            })
            .collect()
    }

    fn read_all(&mut self, ty: Scalar, count: usize, at: &str, comps: &[u32]) -> Vec<String> {
        let (mem, size, lanes) = (memory(ty), ty.size(), self.width);
        let all = lanes * count;
        let whole = ins!(self.body.t, "load <{all} x {mem}>, ptr {at}, align {size}");
        let part = |comp: &u32| {
            let picked = super::spelled(lanes, "i32", |lane| (lane * count) as i64 + i64::from(*comp));
            ins!(
                self.body.t,
                "shufflevector <{all} x {mem}> {whole}, <{all} x {mem}> poison, <{lanes} x i32> {picked}"
            )
        };
        comps.iter().map(part).collect()
    }

    /// Writes components of all elements from `at` on, in order.
    fn write_all(&mut self, ty: Scalar, at: &str, parts: &[String]) {
        let (mem, size, lanes, count) = (memory(ty), ty.size(), self.width, parts.len());
        let join = |g: &mut Self, a: &str, b: &str, half: usize| {
            let two = 2 * half;
            let every = super::spelled(two, "i32", |k| k as i64);
            ins!(
                g.body.t,
                "shufflevector <{half} x {mem}> {a}, <{half} x {mem}> {b}, <{two} x i32> {every}"
            )
        };
        let low = join(self, &parts[0], &parts[1], lanes);
        let (half, high) = match count {
            2 => (2 * lanes, "poison".to_string()),
            3 => (2 * lanes, join(self, &parts[2], "poison", lanes)),
            _ => (2 * lanes, join(self, &parts[2], &parts[3], lanes)),
        };
        let all = lanes * count;
        let picked = super::spelled(all, "i32", |k| (k % count * lanes + k / count) as i64);
        let whole = ins!(
            self.body.t,
            "shufflevector <{half} x {mem}> {low}, <{half} x {mem}> {high}, <{all} x i32> {picked}"
        );
        line!(self.body.t, "store <{all} x {mem}> {whole}, ptr {at}, align {size}");
    }

    /// Writes a value, at once or with the other components of its element.
    pub(super) fn store(&mut self, place: &'a Place, value: Value) {
        let value = self.vector(value);
        self.postpone(place, value, None);
    }

    /// Keeps a write back while others on further components of the same element may follow.
    pub(super) fn postpone(&mut self, place: &'a Place, value: String, op: Option<AtomicOp>) {
        let write = Write { place, value, op };
        if !self.is_dense_element(place) {
            self.settle();
            return self.write_one(&write);
        }
        let joins = |p: &Write<'_>| {
            p.place.array == place.array
                && p.place.index == place.index
                && p.place.comp != place.comp
                && p.op == op
        };
        if !self.pending.iter().all(joins) {
            self.settle();
        }
        self.pending.push(write);
    }

    /// Writes what was kept back.
    pub(super) fn settle(&mut self) {
        let mut all = std::mem::take(&mut self.pending);
        let Some(first) = all.first() else {
            return;
        };
        let (ty, count) = self.elem(first.place.array);
        if all.len() < count {
            return all.iter().for_each(|w| self.write_one(w));
        }
        all.sort_by_key(|w| match w.place.comp {
            Comp::Fixed(comp) => comp,
            Comp::At(_) => unreachable!("only known components wait"),
        });
        let Access::Row(at, bytes) = self.access(all[0].place) else {
            return all.iter().for_each(|w| self.write_one(w));
        };
        debug_assert_eq!(bytes, (count * ty.size()) as i64);
        let whole = |g: &mut Self| {
            let comps: Vec<u32> = (0..count as u32).collect();
            let old = all[0].op.map(|_| g.read_all(ty, count, &at, &comps));
            let parts: Vec<String> = all
                .iter()
                .enumerate()
                .map(|(k, w)| g.changed(ty, w, old.as_ref().map(|old| old[k].clone())))
                .collect();
            g.write_all(ty, &at, &parts);
        };
        let single = |g: &mut Self| {
            for (k, w) in all.iter().enumerate() {
                let at = ins!(g.body.t, "getelementptr {}, ptr {at}, i64 {k}", memory(ty));
                g.write_at(ty, w, &Access::Row(at, bytes));
            }
        };
        match self.mask {
            None => whole(self),
            Some(_) => self.if_all(whole, single),
        }
    }

    /// What memory is to hold after a write.
    fn changed(&mut self, ty: Scalar, write: &Write<'_>, old: Option<String>) -> String {
        let mut value = write.value.clone();
        if let (Some(op), Some(old)) = (write.op, old) {
            let old = self.wide(|g| g.body.t.unpack(ty, old));
            value = self.combine(atomic::pure(op), ty, old, value);
        }
        self.wide(|g| g.body.t.pack(ty, &value))
    }

    fn write_one(&mut self, write: &Write<'_>) {
        if write.op.is_none() {
            return self.store_one(write.place, &write.value);
        }
        let (ty, _) = self.elem(write.place.array);
        let access = self.access(write.place);
        self.write_at(ty, write, &access);
    }

    fn write_at(&mut self, ty: Scalar, write: &Write<'_>, access: &Access) {
        let old = write.op.map(|_| self.read(ty, access));
        let raw = self.changed(ty, write, old);
        self.write(ty, access, &raw);
    }
}
