//! Whole elements: components of neighbouring elements are read and written as one long vector, and shuffled.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Comp, Kind, ParamId, Place, Stmt, Value};
use crate::lower::body::atomic;
use crate::lower::emit::text::{ins, memory};
use crate::lower::host::lanes::analysis::neighbours::AHEAD;
use crate::lower::host::lanes::analysis::shape::Shape;
use crate::lower::host::lanes::gang::{GangBody, Write, spelled};
use crate::lower::host::lanes::memory::access::Access;
use std::fmt::Write as _;

/// Elements with more components are accessed one by one: shuffling them takes longer.
const MOST: usize = 4;

impl<'a> GangBody<'a> {
    /// Reads components of an element that the first statement and some after it name, if they lie well. Whether it did.
    pub(in crate::lower::host::lanes) fn element(&mut self, stmts: &'a [Stmt]) -> bool {
        let Kind::Load { place, .. } = &stmts[0].kind else {
            return false;
        };
        if !self.is_dense_element(place) {
            return false;
        }
        let mut outs: Vec<(u32, Value)> = Vec::new();
        let mut read = Vec::new();
        for stmt in stmts.iter().take(AHEAD) {
            match &stmt.kind {
                Kind::Let { .. } => {}
                Kind::Load { out, place: other } => {
                    if let Comp::Fixed(comp) = other.comp
                        && self.is_same_element(place, other)
                    {
                        outs.push((comp, *out));
                        read.push(stmt.kind.key());
                    }
                }
                _ => break,
            }
        }
        if outs.len() < 2 {
            return false;
        }
        self.settle();
        let first = Place {
            comp: Comp::Fixed(0),
            ..place.clone()
        };
        let (ty, count) = self.elem(place.array);
        let Access::Row(at, bytes) = self.access(&first) else {
            return false;
        };
        if bytes != (count * ty.size()) as i64 {
            return false;
        }
        let lists: Vec<u32> = outs.iter().map(|(comp, _)| *comp).collect();
        let parts = self.read_parts(ty, count, &at, &lists);
        for ((_, out), raw) in outs.iter().zip(parts) {
            self.vectors[out.0 as usize] = self.wide(|g| g.body.t.unpack(ty, raw));
        }
        self.early.extend(read);
        true
    }

    pub(in crate::lower::host::lanes) fn is_same_element(&self, a: &Place, b: &Place) -> bool {
        let same = |(a, b): (&Value, &Value)| self.body.ranges.are_same(*a, *b);
        a.array == b.array && a.index.iter().zip(&b.index).all(same)
    }

    fn elem(&self, array: ParamId) -> (Scalar, usize) {
        let elem = self.body.facts.func.param(array).ty.elem();
        (elem.scalar(), elem.count())
    }

    /// Whether the elements of a gang follow each other, each with a few components and nothing in between.
    fn is_dense_element(&self, place: &Place) -> bool {
        let param = self.body.facts.func.param(place.array);
        let count = param.ty.elem().count();
        let func = self.body.facts.func;
        if func.is_pointer_based(place.array) || func.local(place.array).is_some() {
            return false;
        }
        let (last, outer) = place.index.split_last().expect("arrays have dimensions");
        let follows =
            self.shapes.of(*last) == Shape::Steps(1) && outer.iter().all(|v| self.is_uniform(*v));
        self.body.variant.is_dense()
            && follows
            && (2..=MOST).contains(&count)
            && param.step() == param.ty.elem().size()
            && matches!(place.comp, Comp::Fixed(_))
    }

    /// Components of the elements from `at` on, for lanes that run. Memory is read in vectors as long as a gang, which hold a
    /// component of each lane between them.
    fn read_parts(&mut self, ty: Scalar, count: usize, at: &str, comps: &[u32]) -> Vec<String> {
        let pieces: Vec<String> = (0..count)
            .map(|piece| {
                let mask = self.mask_of_piece(piece, count);
                let from = self.piece(ty, at, piece);
                self.among_lanes(mask, |g| g.read(ty, &Access::Row(from, ty.size() as i64)))
            })
            .collect();
        let lanes = self.width;
        let part = |comp: &u32| {
            let place = |lane: usize| lane * count + *comp as usize;
            self.pick(ty, &pieces, |lane| {
                (place(lane) / lanes, place(lane) % lanes)
            })
        };
        comps.iter().map(part).collect()
    }

    /// Writes all components of the elements from `at` on, for lanes that run.
    fn write_parts(&mut self, ty: Scalar, at: &str, parts: &[String]) {
        let (lanes, count) = (self.width, parts.len());
        let pieces: Vec<String> = (0..count)
            .map(|piece| {
                let place = |k: usize| piece * lanes + k;
                self.pick(ty, parts, |k| (place(k) % count, place(k) / count))
            })
            .collect();
        let write = |g: &mut Self| {
            for (piece, raw) in pieces.iter().enumerate() {
                let mask = g.mask_of_piece(piece, count);
                let to = g.piece(ty, at, piece);
                g.among_lanes(mask, |g| g.write_row(ty, &to, raw));
            }
        };
        if self.mask.is_none() {
            return write(self);
        }
        self.if_all(
            |g| {
                let mask = g.mask.take();
                write(g);
                g.mask = mask;
            },
            write,
        );
    }

    /// Where a piece of elements begins.
    fn piece(&mut self, ty: Scalar, at: &str, piece: usize) -> String {
        match piece * self.width {
            0 => at.into(),
            before => ins!(
                self.body.t,
                "getelementptr {}, ptr {at}, i64 {before}",
                memory(ty)
            ),
        }
    }

    /// What of a piece belongs to lanes that run; none where all do.
    fn mask_of_piece(&mut self, piece: usize, count: usize) -> Option<String> {
        let (mask, lanes) = (self.mask.clone()?, self.width);
        let each = spelled(lanes, "i32", |k| ((piece * lanes + k) / count) as i64);
        // As integers, since masks are slow to shuffle.
        let v = format!("<{lanes} x i32>");
        let wide = ins!(self.body.t, "sext <{lanes} x i1> {mask} to {v}");
        let wide = ins!(
            self.body.t,
            "shufflevector {v} {wide}, {v} poison, {v} {each}"
        );
        Some(ins!(self.body.t, "icmp ne {v} {wide}, zeroinitializer"))
    }

    /// Something that another choice of lanes does.
    fn among_lanes<R>(&mut self, mask: Option<String>, write: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.mask, mask);
        let done = write(self);
        self.mask = before;
        done
    }

    /// A vector of numbers from several: `from` says of which each comes, and its place there.
    fn pick(
        &mut self,
        ty: Scalar,
        parts: &[String],
        from: impl Fn(usize) -> (usize, usize),
    ) -> String {
        let (mem, lanes) = (memory(ty), self.width);
        let v = format!("<{lanes} x {mem}>");
        let mut all = parts[0].clone();
        for (k, part) in parts.iter().enumerate().skip(1) {
            let each = (0..lanes).map(|lane| match from(lane) {
                (part, place) if part == k => format!("i32 {}", lanes + place),
                (0, place) if k == 1 => format!("i32 {place}"),
                (part, _) if part < k => format!("i32 {lane}"),
                _ => "i32 poison".into(),
            });
            let each = each.collect::<Vec<_>>().join(", ");
            all = ins!(
                self.body.t,
                "shufflevector {v} {all}, {v} {part}, <{lanes} x i32> <{each}>"
            );
        }
        all
    }

    /// Writes a value, at once or with the other components of its element.
    pub(in crate::lower::host::lanes) fn store(&mut self, place: &'a Place, value: Value) {
        let value = self.vector(value);
        self.postpone(place, value, None);
    }

    /// Keeps a write back while others on further components of the same element may follow.
    pub(in crate::lower::host::lanes) fn postpone(
        &mut self,
        place: &'a Place,
        value: String,
        op: Option<AtomicOp>,
    ) {
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
    pub(in crate::lower::host::lanes) fn settle(&mut self) {
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
        let comps: Vec<u32> = (0..count as u32).collect();
        let old = all[0].op.map(|_| self.read_parts(ty, count, &at, &comps));
        let parts: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(k, w)| self.changed(ty, w, old.as_ref().map(|old| old[k].clone())))
            .collect();
        self.write_parts(ty, &at, &parts);
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
        let old = write.op.map(|_| self.read(ty, &access));
        let raw = self.changed(ty, write, old);
        self.write(ty, &access, &raw);
    }
}
