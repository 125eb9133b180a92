//! The entry point: it finds out which threads are this thread's, and takes the body that fits the arguments.

use super::target::Grid;
use crate::abi::{self, BlockLayout, grid};
use crate::dtype::Scalar;
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
    mut claims: Conditions,
) -> Conditions {
    checks::<Grid>(&mut claims, facts, &[], &layout.offsets);
    for d in facts.dims..MAX_NDIM {
        let n = claims.argument(Scalar::I32, abi::DIMS_OFFSET + 4 * d);
        let once = claims.of(How::Equal, n, Term::Known(1));
        claims.require(once);
    }
    claims
}

/// Writes the function that the driver launches.
pub fn entry(symbol: &str, layout: &BlockLayout) -> String {
    let mut t = Text::new("t");
    let launch = |t: &mut Text, ty: &str, offset: usize| {
        let at = ins!(t, "getelementptr inbounds i8, ptr %launch, i64 {offset}");
        ins!(t, "load {ty}, ptr {at}, align 8")
    };
    let ctx = launch(&mut t, "ptr", grid::ERROR);
    let total = launch(&mut t, "i64", grid::TOTAL);
    let [tid, block, width, blocks] = ["tid", "ctaid", "ntid", "nctaid"].map(|what| {
        let narrow = ins!(t, "call i32 @llvm.nvvm.read.ptx.sreg.{what}.x()");
        ins!(t, "zext nneg i32 {narrow} to i64")
    });
    let before = ins!(t, "mul nuw nsw i64 {block}, {width}");
    let first = ins!(t, "add nuw nsw i64 {before}, {tid}");
    let step = ins!(t, "mul nuw nsw i64 {blocks}, {width}");
    let call = |t: &mut Text, variant: Variant| {
        let which = variant.suffix();
        line!(
            t,
            "call void @{symbol}.{which}(ptr {ctx}, ptr %launch, ptr %args, i64 {first}, i64 {total}, i64 {step})"
        );
        line!(t, "ret void");
    };
    let flags = launch(&mut t, "i32", grid::FLAGS);
    let bit = ins!(t, "and i32 {flags}, {}", abi::flag::DENSE);
    let dense = ins!(t, "icmp ne i32 {bit}, 0");
    line!(t, "br i1 {dense}, label %dense, label %any");
    t.start("dense");
    call(&mut t, Variant::Inner);
    t.start("any");
    call(&mut t, Variant::Any);
    format!(
        "define void @{symbol}(ptr byval([{} x i8]) align 8 %args, ptr byval([{} x i8]) align 8 %launch) nounwind {{\n{}}}\n",
        layout.size,
        grid::SIZE,
        t.code
    )
}

/// What tells LLVM that the entry point is a kernel.
pub fn annotations(symbol: &str) -> String {
    format!(
        "\
!nvvm.annotations = !{{!7}}
!7 = !{{ptr @{symbol}, !\"kernel\", i32 1}}
!llvm.module.flags = !{{!8}}
!8 = !{{i32 4, !\"nvvm-reflect-ftz\", i32 0}}
"
    )
}
