//! Kernels whose threads form blocks: a block of the kernel is one of the grid, and each thread of the grid is one thread of the launch.
//! A thread that ends with a fault is no longer waited for.

use super::target::Grid;
use crate::ir::thread_block::ThreadBlock;
use crate::ir::{Exchange, Intrinsic, ParamId, ThreadScope, Value};
use crate::lower::body::Body;
use crate::lower::emit::text::{Text, ins, line};
use std::fmt::Write;

impl Body<'_, Grid> {
    /// Writes the body: a function like that of other kernels, of which `%first` is the number of the block and `%step` that of
    /// the thread in it.
    pub(super) fn block_function(mut self, name: &str, threads: ThreadBlock) -> Text {
        self.t.start("start");
        let last = threads.dim;
        line!(self.t, "%tid{last} = trunc nuw nsw i64 %step to i32");
        line!(self.t, "%tid{last}.wide = add nuw nsw i64 %step, 0");
        // There are fewer than 2^31 blocks.
        let mut rest = ins!(self.t, "trunc nuw nsw i64 %first to i32");
        for d in (0..last).rev() {
            let index = match d {
                0 => rest.clone(),
                d => {
                    let size = format!("{}.narrow", self.dim(d.into()));
                    let quotient = self.quotient(&rest, d.into());
                    let whole = ins!(self.t, "mul nuw i32 {quotient}, {size}");
                    let index = ins!(self.t, "sub nuw i32 {rest}, {whole}");
                    rest = quotient;
                    index
                }
            };
            line!(self.t, "%tid{d} = add nuw nsw i32 {index}, 0");
            line!(self.t, "%tid{d}.wide = zext nneg i32 {index} to i64");
        }
        let func = self.facts.func;
        self.stmts(&func.body.stmts);
        self.settle(None);
        line!(self.t, "ret void");
        self.close_faults();
        if self.bails {
            self.t.start("bail");
            line!(self.t, "ret void");
        }
        self.assemble(name)
    }

    /// An array that a block shares.
    pub(super) fn shared(&mut self, id: ParamId, ty: &str) -> String {
        let at = format!("@{}.shared{}", self.symbol, id.0);
        self.once(format!("%a{}.shared", id.0), |b, name| {
            b.tail.globals.push(format!(
                "{at} = internal addrspace(3) global {ty} undef, align 16\n"
            ));
            line!(
                b.head,
                "{name} = addrspacecast ptr addrspace(3) {at} to ptr"
            );
        })
    }

    /// What threads do together.
    pub(super) fn together(&mut self, op: &Intrinsic, args: &[Value], outs: &[Value]) {
        match op {
            Intrinsic::Barrier(ThreadScope::Block) => {
                line!(self.t, "call void @llvm.nvvm.barrier0()");
            }
            Intrinsic::Barrier(ThreadScope::Warp) => {
                line!(self.t, "call void @llvm.nvvm.bar.warp.sync(i32 -1)");
            }
            Intrinsic::Exchange(exchange) => {
                let (gives, function, takes) = nvvm(*exchange);
                let given = args.iter().map(|arg| self.name(*arg));
                let given: String = takes
                    .iter()
                    .zip(given)
                    .map(|(ty, name)| format!(", {ty} {name}"))
                    .collect();
                self.names[outs[0].0 as usize] =
                    ins!(self.t, "call {gives} @llvm.nvvm.{function}(i32 -1{given})");
            }
            other => unreachable!("threads do not come together in `{}`", other.name()),
        }
    }
}

/// What an exchange among all threads of a warp is in LLVM, which takes the threads first: the type of what each gets, the function,
/// the types of what each gives.
const fn nvvm(exchange: Exchange) -> (&'static str, &'static str, &'static [&'static str]) {
    match exchange {
        Exchange::Ballot => ("i32", "vote.ballot.sync", &["i1"]),
    }
}

/// What [`Body::together`] calls.
pub fn declarations() -> String {
    let mut text = "\
declare void @llvm.nvvm.barrier0() convergent
declare void @llvm.nvvm.bar.warp.sync(i32) convergent
"
    .to_owned();
    for (gives, function, takes) in Exchange::ALL.map(nvvm) {
        let takes = takes.join(", ");
        let _ = writeln!(
            text,
            "declare {gives} @llvm.nvvm.{function}(i32, {takes}) convergent"
        );
    }
    text
}
