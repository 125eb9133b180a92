//! The entry point: it chooses the body that fits the arguments.

use super::plan::{Plan, WHOLE};
use super::target::Host;
use super::vector::VectorFacts;
use crate::abi;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::variant::Variant;
use crate::lower::body::Target;
use crate::lower::emit::text::{Text, ins, line, read};
use crate::lower::guards::checks::checks;
use crate::lower::guards::conditions::Conditions;
use crate::ty::MAX_NDIM;
use std::fmt::Write;

/// Writes the function that the launcher calls, which chooses the body, and behind it the one that runs each thread
/// as often as launch dimensions say which the kernel does not tell apart.
///
/// Both run once for thousands of threads, so LLVM does not optimise them: that took a third of the time to compile a
/// short kernel. The first one therefore keeps nothing across calls.
///
/// `beside`: this is the interior of a kernel, and what its bodies do not run, shorter rows among it, is left to the entry point of
/// that.
pub fn entry(
    facts: &KernelFacts<'_>,
    vector: &VectorFacts,
    plan: &Plan,
    symbol: &str,
    offsets: &[usize],
    mut guards: Conditions,
    beside: Option<usize>,
) -> String {
    let mut t = Text::new("t");
    let last = plan.last();
    let ones: Vec<String> = (facts.dims..MAX_NDIM)
        .map(|d| {
            let n = read(&mut t, "i32", abi::DIMS_OFFSET + 4 * d, 4);
            ins!(t, "icmp eq i32 {n}, 1")
        })
        .collect();
    let once = all_of(&mut t, &ones);
    line!(t, "br i1 {once}, label %choose, label %repeat");

    t.start("choose");
    let chooser = Chooser {
        facts,
        plan,
        symbol,
    };
    if let (Some(shortest), 2..) = (beside, facts.dims) {
        let n = read(&mut t, "i32", abi::DIMS_OFFSET + 4 * (facts.dims - 1), 4);
        let long = ins!(t, "icmp sge i32 {n}, {shortest}");
        line!(t, "br i1 {long}, label %long, label %any");
        t.start("long");
    }
    let is_beside = beside.is_some();
    if (is_beside || last == Variant::Any) && (plan.has(Variant::Full) || plan.has(Variant::Inner))
    {
        checks::<Host<'_>>(&mut guards, facts, &vector.crossings, offsets);
        let required = guards.write(&mut t, Host::flags);
        let dense = all_of(&mut t, &required);
        line!(t, "br i1 {dense}, label %dense, label %any");
        t.start("dense");
        if plan.has(Variant::Full) {
            let mut present = Vec::new();
            for id in &facts.asked {
                let data = read(&mut t, "ptr", offsets[id.0 as usize] + abi::array::DATA, 8);
                present.push(ins!(t, "icmp ne ptr {data}, null"));
            }
            let full = all_of(&mut t, &present);
            line!(t, "br i1 {full}, label %full, label %inner");
            t.start("full");
            chooser.run(&mut t, Variant::Full, Some("inner"));
            t.start("inner");
        }
        chooser.run(&mut t, Variant::Inner, Some("any"));
        t.start("any");
        match is_beside {
            true => call(&mut t, symbol, WHOLE),
            false => chooser.run(&mut t, Variant::Any, None),
        }
    } else {
        chooser.run(&mut t, last, None);
    }
    t.start("repeat");
    let (which, more) = match is_beside {
        true => (WHOLE, String::new()),
        false => {
            let body = plan.symbol_of_last(symbol);
            ("repeat", repeat(facts.dims, symbol, &body))
        }
    };
    call(&mut t, symbol, which);
    format!(
        "define void @{symbol}{PARAMETERS} nounwind noinline optnone {{\n{}}}\n{more}",
        t.code
    )
}

/// Ends the entry point with a body.
fn call(t: &mut Text, symbol: &str, which: &str) {
    line!(
        t,
        "tail call void @{symbol}.{which}(ptr %ctx, ptr %args, i64 %begin, i64 %end)"
    );
    line!(t, "ret void");
}

/// Chooses between the bodies of one kind.
struct Chooser<'a> {
    facts: &'a KernelFacts<'a>,
    plan: &'a Plan,
    symbol: &'a str,
}

impl Chooser<'_> {
    /// Ends with the body that runs gangs, if there is one and rows are long enough for it, with the scalar one, or in
    /// the block `otherwise` if there is neither.
    fn run(&self, t: &mut Text, variant: Variant, otherwise: Option<&str>) {
        let suffix = variant.suffix();
        if self.plan.scalars.is_empty() {
            call(t, self.symbol, &format!("{suffix}.lanes"));
        } else if self.plan.gangs == Some(variant) {
            let last = self.facts.dims - 1;
            let n = read(t, "i32", abi::DIMS_OFFSET + 4 * last, 4);
            let mut long = ins!(t, "icmp sge i32 {n}, {}", self.plan.least);
            if self.plan.unordered {
                let flags = ins!(
                    t,
                    "getelementptr inbounds i8, ptr %ctx, i64 {}",
                    abi::ctx::FLAGS
                );
                let flags = ins!(t, "load i32, ptr {flags}, align 4");
                let bit = ins!(t, "and i32 {flags}, {}", abi::flag::IN_ORDER);
                let free = ins!(t, "icmp eq i32 {bit}, 0");
                long = ins!(t, "and i1 {long}, {free}");
            }
            let scalar = self.plan.scalars.contains(&variant);
            let one = match otherwise {
                Some(label) if !scalar => label.to_string(),
                _ => format!("{suffix}.one"),
            };
            line!(t, "br i1 {long}, label %{suffix}.gangs, label %{one}");
            t.start(&format!("{suffix}.gangs"));
            call(t, self.symbol, &format!("{suffix}.lanes"));
            if scalar || otherwise.is_none() {
                t.start(&one);
                call(t, self.symbol, suffix);
            }
        } else if self.plan.scalars.contains(&variant) {
            call(t, self.symbol, suffix);
        } else if let Some(label) = otherwise {
            line!(t, "br label %{label}");
        }
    }
}

const PARAMETERS: &str = "(ptr %ctx, ptr %args, i64 %begin, i64 %end)";

/// The function that runs a body once for each thread and each index of the dimensions that the kernel does not know.
fn repeat(dims: usize, symbol: &str, body: &str) -> String {
    let mut t = Text::new("t");
    let mut repeats = String::new();
    for d in dims..MAX_NDIM {
        let n = read(&mut t, "i32", abi::DIMS_OFFSET + 4 * d, 4);
        let n = ins!(t, "zext i32 {n} to i64");
        repeats = match repeats.as_str() {
            "" => n,
            known => ins!(t, "mul i64 {known}, {n}"),
        };
    }
    if repeats.is_empty() {
        repeats.push('1');
    }
    let some = ins!(t, "icmp slt i64 %begin, %end");
    line!(t, "br i1 {some}, label %each, label %done");
    t.start("each");
    line!(t, "%i = phi i64 [ %begin, %entry ], [ %next, %each ]");
    line!(t, "%one = udiv i64 %i, {repeats}");
    line!(t, "%behind = add i64 %one, 1");
    line!(
        t,
        "call void @{body}(ptr %ctx, ptr %args, i64 %one, i64 %behind)"
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
        "define internal void @{symbol}.repeat{PARAMETERS} nounwind noinline optnone {{\nentry:\n{}}}\n",
        t.code
    )
}

/// Whether all hold.
fn all_of(t: &mut Text, checks: &[String]) -> String {
    let mut all = checks.iter();
    let first = all.next().cloned().unwrap_or_else(|| "true".into());
    all.fold(first, |all, check| ins!(t, "and i1 {all}, {check}"))
}
