//! The entry point: it finds out which threads are this thread's, and takes the body that fits the arguments.

use super::target::Grid;
use crate::abi::{self, BlockLayout, grid};
use crate::dtype::Scalar;
use crate::ir::thread_block::ThreadBlock;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::variant::Variant;
use crate::lower::emit::text::{Text, ins, line};
use crate::lower::guards::checks::checks;
use crate::lower::guards::conditions::{Conditions, How, Term};
use crate::ty::MAX_NDIM;
use std::fmt::Write;

/// What must hold for the body for dense arrays: the host asks before it launches, and says so by a flag.
pub fn conditions(
    facts: &KernelFacts<'_>,
    layout: &BlockLayout,
    mut guards: Conditions,
) -> Conditions {
    checks::<Grid>(&mut guards, facts, &[], &layout.offsets);
    for d in facts.dims..MAX_NDIM {
        let n = guards.argument(Scalar::I32, abi::DIMS_OFFSET + 4 * d);
        let once = guards.of(How::Equal, n, Term::Known(1));
        guards.require(once);
    }
    guards
}

/// Writes the function that the driver launches, for kernels with these bodies, whose threads may form blocks.
pub fn entry(symbol: &str, layout: &BlockLayout, variants: &[Variant], blocks: bool) -> String {
    let mut t = Text::new("t");
    let launch = |t: &mut Text, ty: &str, offset: usize| {
        let at = ins!(t, "getelementptr inbounds i8, ptr %launch, i64 {offset}");
        ins!(t, "load {ty}, ptr {at}, align 8")
    };
    let ctx = launch(&mut t, "ptr", grid::ERROR);
    let total = launch(&mut t, "i64", grid::TOTAL);
    let [tid, block, width, count] = ["tid", "ctaid", "ntid", "nctaid"].map(|what| {
        let narrow = ins!(t, "call i32 @llvm.nvvm.read.ptx.sreg.{what}.x()");
        ins!(t, "zext nneg i32 {narrow} to i64")
    });
    let (first, step) = match blocks {
        true => (block, tid),
        false => {
            let before = ins!(t, "mul nuw nsw i64 {block}, {width}");
            let first = ins!(t, "add nuw nsw i64 {before}, {tid}");
            (first, ins!(t, "mul nuw nsw i64 {count}, {width}"))
        }
    };
    let call = |t: &mut Text, variant: Variant| {
        let which = variant.suffix();
        line!(
            t,
            "call void @{symbol}.{which}(ptr {ctx}, ptr %launch, ptr %args, i64 {first}, i64 {total}, i64 {step})"
        );
        line!(t, "ret void");
    };
    if let [only] = variants {
        call(&mut t, *only);
        return finish(symbol, layout, &t);
    }
    let flags = launch(&mut t, "i32", grid::FLAGS);
    let bit = ins!(t, "and i32 {flags}, {}", abi::flag::DENSE);
    let dense = ins!(t, "icmp ne i32 {bit}, 0");
    line!(t, "br i1 {dense}, label %dense, label %any");
    t.start("dense");
    call(&mut t, Variant::Inner);
    t.start("any");
    call(&mut t, Variant::Any);
    finish(symbol, layout, &t)
}

fn finish(symbol: &str, layout: &BlockLayout, t: &Text) -> String {
    format!(
        "define void @{symbol}(ptr byval([{} x i8]) align 8 %args, ptr byval([{} x i8]) align 8 %launch) nounwind {{\n{}}}\n",
        layout.size,
        grid::SIZE,
        t.code
    )
}

/// What tells LLVM that the entry point is a kernel.
pub fn annotations(symbol: &str, threads: Option<ThreadBlock>) -> String {
    let exact = threads.map_or_else(String::new, |of| {
        format!(", !\"reqntidx\", i32 {}", of.threads)
    });
    format!(
        "\
!nvvm.annotations = !{{!7}}
!7 = !{{ptr @{symbol}, !\"kernel\", i32 1{exact}}}
!llvm.module.flags = !{{!8}}
!8 = !{{i32 4, !\"nvvm-reflect-ftz\", i32 0}}
"
    )
}
