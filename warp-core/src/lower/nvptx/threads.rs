//! The loop of one thread of the grid over the launch's threads that it takes.

use super::target::Grid;
use crate::abi::grid;
use crate::lower::body::Body;
use crate::lower::emit::text::{Text, ins, line};
use crate::ty::MAX_NDIM;
use std::fmt::Write;

impl<'a> Body<'a, Grid> {
    /// Writes the body: a function `(ctx, launch, args, first, total, step)` that runs the threads `first`, `first + step`, and so
    /// on before `total`.
    pub(super) fn function(mut self, name: &str) -> Text {
        self.open_slots();
        self.open_stacks();
        self.open_overlap();
        self.t.start("start");
        let any = ins!(self.t, "icmp slt i64 %first, %total");
        line!(self.t, "br i1 {any}, label %thread, label %done");
        self.t.start("thread");
        line!(
            self.t,
            "%at = phi i64 [ %first, %start ], [ %at.next, %latch ]"
        );
        self.thread_index();
        self.start_slots();
        let func = self.facts.func;
        self.stmts(&func.body.stmts);
        self.settle(None);
        self.end_slots();
        line!(self.t, "br label %latch");
        self.t.start("latch");
        line!(self.t, "%at.next = add nsw i64 %at, %step");
        let more = ins!(self.t, "icmp slt i64 %at.next, %total");
        line!(self.t, "br i1 {more}, label %thread, label %done");
        self.t.start("done");
        self.flush_slots();
        line!(self.t, "ret void");
        self.close_faults();
        if self.bails {
            self.t.start("bail");
            line!(self.t, "ret void");
        }
        self.assemble(name)
    }

    /// The thread's indices, from its linear index: the last dimension runs fastest. Where arrays are dense, the host
    /// has seen that the kernel tells all threads apart and that their number fits 31 bits.
    fn thread_index(&mut self) {
        let (dims, narrow) = (self.facts.dims, self.variant.is_dense());
        let ty = if narrow { "i32" } else { "i64" };
        let sizes = if narrow { dims } else { MAX_NDIM };
        let mut rest = match narrow {
            true => ins!(self.t, "trunc nuw nsw i64 %at to i32"),
            false => "%at".to_string(),
        };
        for d in (0..sizes).rev() {
            let index = if d == 0 {
                rest.clone()
            } else {
                let wide = self.dim(d);
                let size = match narrow {
                    true => format!("{wide}.narrow"),
                    false => wide,
                };
                let quotient = match narrow {
                    true => self.quotient(&rest, d),
                    false => ins!(self.t, "udiv {ty} {rest}, {size}"),
                };
                let whole = ins!(self.t, "mul nuw {ty} {quotient}, {size}");
                let index = ins!(self.t, "sub nuw {ty} {rest}, {whole}");
                rest = quotient;
                index
            };
            if d >= dims {
                continue;
            }
            match narrow {
                true => {
                    line!(self.t, "%tid{d} = add nuw nsw i32 {index}, 0");
                    line!(self.t, "%tid{d}.wide = zext nneg i32 {index} to i64");
                }
                false => {
                    line!(self.t, "%tid{d}.wide = add nuw nsw i64 {index}, 0");
                    line!(self.t, "%tid{d} = trunc nuw nsw i64 {index} to i32");
                }
            }
        }
    }

    /// A number of 31 bits divided by a launch dimension, as [`grid::Quotient`] says.
    pub(super) fn quotient(&mut self, number: &str, dim: usize) -> String {
        let at = grid::QUOTIENTS + (dim - 1) * grid::QUOTIENT_SIZE;
        let parts = [("factor", at), ("shift", at + grid::QUOTIENT_SHIFT)];
        let [factor, shift] = parts.map(|(what, at)| {
            self.once(format!("%dim{dim}.{what}"), |b, name| {
                line!(
                    b.head,
                    "{name}.at = getelementptr inbounds i8, ptr %launch, i64 {at}"
                );
                line!(
                    b.head,
                    "{name}.narrow = load i32, ptr {name}.at, align 4, !invariant.load !5"
                );
                line!(b.head, "{name} = zext i32 {name}.narrow to i64");
            })
        });
        let wide = ins!(self.t, "zext nneg i32 {number} to i64");
        let product = ins!(self.t, "mul nuw i64 {wide}, {factor}");
        let quotient = ins!(self.t, "lshr i64 {product}, {shift}");
        ins!(self.t, "trunc nuw nsw i64 {quotient} to i32")
    }

    /// Puts head and body together.
    pub(super) fn assemble(self, name: &str) -> Text {
        let mut whole = self.t;
        let code = std::mem::take(&mut whole.code);
        let _ = writeln!(
            whole.code,
            "define internal void @{name}(ptr noalias %ctx, ptr noalias readonly %launch, ptr noalias readonly %args, \
             i64 %first, i64 %total, i64 %step) nounwind alwaysinline {{\nentry:"
        );
        whole.code += &self.head.code;
        line!(whole, "br label %start");
        whole.code += &code;
        whole.code += "}\n";
        whole
    }
}
