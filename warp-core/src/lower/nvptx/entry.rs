//! The entry point: it finds out which threads are this thread's, and chooses the body that fits the arguments.

use super::target::Grid;
use crate::abi::{self, BlockLayout, grid};
use crate::lower::checks::checks;
use crate::lower::claims::Claims;
use crate::lower::facts::KernelFacts;
use crate::lower::text::{Text, ins, line, read};
use crate::lower::variant::Variant;
use crate::ty::MAX_NDIM;
use std::fmt::Write;

/// Writes the function that the driver launches.
pub fn entry(
    facts: &KernelFacts<'_>,
    symbol: &str,
    layout: &BlockLayout,
    claims: &Claims,
) -> String {
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
    let mut conditions = checks::<Grid>(&mut t, facts, &[], &layout.offsets);
    t.code += &claims.text.code;
    conditions.extend_from_slice(&claims.conditions);
    for d in facts.dims..MAX_NDIM {
        let n = read(&mut t, "i32", abi::DIMS_OFFSET + 4 * d, 4);
        conditions.push(ins!(t, "icmp eq i32 {n}, 1"));
    }
    conditions.push(ins!(t, "icmp sle i64 {total}, {}", i32::MAX));
    let dense = conditions
        .iter()
        .skip(1)
        .fold(conditions[0].clone(), |all, one| {
            ins!(t, "and i1 {all}, {one}")
        });
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
