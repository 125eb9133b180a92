//! The entry point: it chooses the body that fits the arguments.

use super::checks::checks;
use super::vector::VectorFacts;
use crate::abi;
use crate::lower::claims::Claims;
use crate::lower::facts::KernelFacts;
use crate::lower::text::{Text, ins, line, read};
use crate::lower::variant::Variant;
use crate::ty::MAX_NDIM;
use std::fmt::Write;

/// Writes the function that the launcher calls. It chooses the body and, where the launch has more
/// dimensions than the kernel tells apart, runs each thread as often as those say.
///
/// It runs once for thousands of threads, so LLVM does not optimise it: that took a third of the time to compile a
/// short kernel.
pub fn entry(
    facts: &KernelFacts<'_>,
    vector: &VectorFacts,
    symbol: &str,
    offsets: &[usize],
    claims: &Claims,
) -> String {
    let mut t = Text::new("t");
    let variants = vector.bodies(facts);
    let two = variants.len() > 1;
    let last = *variants.last().expect("a kernel has a body");
    line!(
        t,
        "%more.at = getelementptr inbounds i8, ptr %args, i64 {}",
        abi::DIMS_OFFSET
    );
    let mut repeats = "1".to_string();
    for d in facts.dims..MAX_NDIM {
        let n = read(&mut t, "i32", abi::DIMS_OFFSET + 4 * d, 4);
        let n = ins!(t, "zext i32 {n} to i64");
        repeats = ins!(t, "mul i64 {repeats}, {n}");
    }
    let once = ins!(t, "icmp eq i64 {repeats}, 1");
    line!(t, "br i1 {once}, label %choose, label %repeat");

    t.start("choose");
    let call = |t: &mut Text, variant: Variant| {
        let which = variant.suffix();
        line!(
            t,
            "tail call void @{symbol}.{which}(ptr %ctx, ptr %args, i64 %begin, i64 %end)"
        );
        line!(t, "ret void");
    };
    if two {
        let mut checks = checks(&mut t, facts, &vector.crossings, offsets);
        t.code += &claims.text.code;
        checks.extend_from_slice(&claims.conditions);
        let dense = all_of(&mut t, &checks);
        line!(t, "br i1 {dense}, label %dense, label %any");
        t.start("dense");
    }
    if variants.contains(&Variant::Full) {
        let mut present = Vec::new();
        for id in &facts.asked {
            let data = read(&mut t, "ptr", offsets[id.0 as usize] + abi::array::DATA, 8);
            present.push(ins!(t, "icmp ne ptr {data}, null"));
        }
        let full = all_of(&mut t, &present);
        line!(t, "br i1 {full}, label %full, label %inner");
        t.start("full");
        call(&mut t, Variant::Full);
        t.start("inner");
    }
    if two {
        call(&mut t, Variant::Inner);
        t.start("any");
    }
    call(&mut t, last);

    t.start("repeat");
    let some = ins!(t, "icmp slt i64 %begin, %end");
    line!(t, "br i1 {some}, label %each, label %done");
    t.start("each");
    line!(t, "%i = phi i64 [ %begin, %repeat ], [ %next, %each ]");
    line!(t, "%one = udiv i64 %i, {repeats}");
    line!(t, "%behind = add i64 %one, 1");
    let which = last.suffix();
    line!(
        t,
        "call void @{symbol}.{which}(ptr %ctx, ptr %args, i64 %one, i64 %behind)"
    );
    line!(
        t,
        "%code.at = getelementptr inbounds i8, ptr %ctx, i64 {}",
        abi::ctx::ERROR_CODE
    );
    line!(t, "%code = load i32, ptr %code.at, align 4");
    line!(t, "%fine = icmp eq i32 %code, 0");
    line!(t, "%next = add i64 %i, 1");
    line!(t, "%rest = icmp slt i64 %next, %end");
    line!(t, "%on = and i1 %fine, %rest");
    line!(t, "br i1 %on, label %each, label %done");
    t.start("done");
    line!(t, "ret void");
    format!(
        "define void @{symbol}(ptr %ctx, ptr %args, i64 %begin, i64 %end) nounwind noinline optnone {{\n{}}}\n",
        t.code
    )
}

fn all_of(t: &mut Text, checks: &[String]) -> String {
    let mut all = "true".to_string();
    for check in checks {
        all = ins!(t, "and i1 {all}, {check}");
    }
    all
}
