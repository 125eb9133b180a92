//! Mathematics for generated code.
//!
//! Lowering calls `@wm.<function>.<f32|f64>` and declares nothing. Compiling goes in two steps:
//! [`attach`] adds declarations, which tell the loop vectoriser that vector versions exist; after
//! the vectoriser has chosen, [`define`] gives the bodies of those in use, to be linked and inlined.
//! So versions that are not used cost nothing, and scalar and vector code give equal bits: both
//! come from one body. What has no body of ours is the function that the primitive's row names (see [`symbols`]).

mod scalar;

pub use scalar::symbols;

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::abi::runtime::KEEPING;
use crate::backend::math::{Emit, Function, PURE, Ty, Val, called};

/// Lanes of the vector versions.
const WIDTHS: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// Lanes of those that LLVM's vectoriser is offered: it takes no more.
const OFFERED: usize = 32;

fn offered() -> impl Iterator<Item = usize> {
    WIDTHS.into_iter().filter(|w| *w <= OFFERED)
}

/// Adds declarations of the mathematics that `text` calls, with their vector versions.
pub fn attach(text: &str) -> String {
    let mut out = text.to_string();
    let mut kept = Vec::new();
    let called = called(text);
    // Writing to a String cannot fail.
    for f in Function::all() {
        let calls = |w: usize| called.contains(&*f.symbol(w));
        if calls(1) {
            let _ = write!(out, "\ndeclare {} {PURE}", f.signature(1));
        }
        // What LLVM's vectoriser may choose instead of the scalar version.
        let offers = calls(1) && f.has_body();
        if offers {
            let lanes = "v".repeat(f.arity);
            let variant = |w| format!("_ZGV_LLVM_N{w}{lanes}_{}({})", f.symbol(1), f.symbol(w));
            let variants: Vec<String> = offered().map(variant).collect();
            let _ = write!(
                out,
                " \"vector-function-abi-variant\"=\"{}\"",
                variants.join(",")
            );
        }
        for w in WIDTHS {
            if !(calls(w) || offers && w <= OFFERED) {
                continue;
            }
            let _ = write!(out, "\ndeclare {} {PURE}", f.signature(w));
            kept.push(format!("ptr @{}", f.symbol(w)));
        }
    }
    if !kept.is_empty() {
        // Nothing calls what is only offered yet; this keeps it until the vectoriser has run.
        let _ = write!(
            out,
            "\n@llvm.compiler.used = appending global [{} x ptr] [{}], section \"llvm.metadata\"",
            kept.len(),
            kept.join(", ")
        );
    }
    out.push('\n');
    out
}

/// Vector versions stay calls in a kernel where they would be more operations than this, fifty sines of single precision. Written
/// out, each is twenty to two hundred, and LLVM takes longer than linear in what a function holds; what a call costs is a
/// tenth of what it computes.
const MANY_OPERATIONS: usize = 1650;

/// Definitions, in LLVM text, of the functions with a body of ours that are called; `calls` says how often. The empty
/// text if there is none.
pub fn define(mut calls: impl FnMut(&str) -> usize) -> String {
    let mut out = String::new();
    let mut called = Vec::new();
    let mut declared = BTreeSet::new();
    let mut operations = 0;
    for f in Function::all() {
        let plain = vec![f.ty.name(); f.arity].join(", ");
        let library = format!("declare {} @wl.{}({plain}) {PURE}", f.ty.name(), f.stem());
        for w in [1].into_iter().chain(WIDTHS) {
            let n = calls(&f.symbol(w));
            if n == 0 {
                continue;
            }
            let mut e = Emit::new(w);
            let Some((result, special)) = f.body(&mut e) else {
                // A single one is the library's.
                if w > 1 {
                    write_lanes(&mut out, f, w);
                    declared.insert(library.clone());
                }
                continue;
            };
            if special.is_some() {
                declared.insert(library.clone());
            }
            let (code, needs) = e.finish();
            declared.extend(needs);
            if w > 1 {
                operations += n * code.lines().count();
            }
            called.push((f, w, code, result, special));
        }
    }
    for (f, w, code, result, special) in called {
        // Vector versions vanish into their loops; a scalar one is called, as the C library's would be.
        let inline = w > 1 && operations <= MANY_OPERATIONS;
        write_function(&mut out, f, w, inline, &code, &result, special.as_ref());
    }
    for line in declared {
        out += &line;
        out.push('\n');
    }
    if !out.is_empty() {
        out += "!0 = !{!\"branch_weights\", i32 1, i32 1000000}\n";
    }
    out
}

/// A function of `code`; lanes in `special` go to the C library in a cold block.
fn write_function(
    out: &mut String,
    f: Function,
    width: usize,
    inline: bool,
    code: &str,
    result: &Val,
    special: Option<&Val>,
) {
    let ty = f.ty.at(width);
    let mask = Ty::Mask.at(width);
    let names: Vec<String> = (0..f.arity).map(|i| format!("{ty} %x{i}")).collect();
    let names = names.join(", ");
    let inline = if inline { "alwaysinline" } else { "noinline" };
    let symbol = f.symbol(width);
    let r = &result.text;
    let (stem, lane) = (f.stem(), f.ty.name());
    let _ = write!(
        out,
        "define hidden {ty} @{symbol}({names}) {PURE} {inline} {{\n{code}"
    );
    let Some(special) = special else {
        let _ = writeln!(out, "  ret {ty} {r}\n}}");
        return;
    };
    let m = &special.text;
    let rare = if width == 1 {
        let _ = writeln!(out, "  br i1 {m}, label %rare, label %done, !prof !0");
        format!("call {lane} @wl.{stem}({names})")
    } else {
        let _ = writeln!(out, "  %m = bitcast {mask} {m} to i{width}");
        let _ = writeln!(out, "  %any = icmp ne i{width} %m, 0");
        let _ = writeln!(out, "  br i1 %any, label %rare, label %done, !prof !0");
        format!("call coldcc {ty} @{symbol}.rare({names}, {ty} {r}, {mask} {m}) {KEEPING}")
    };
    let _ = writeln!(
        out,
        "rare:\n  %s = {rare}\n  br label %done\ndone:\n  %r = phi {ty} [ {r}, %0 ], [ %s, %rare \
         ]\n  ret {ty} %r\n}}"
    );
    if width > 1 {
        write_rare(out, f, width, &names);
    }
}

/// A vector version of what has no body of ours: a loop over lanes that calls the C library.
fn write_lanes(out: &mut String, f: Function, width: usize) {
    let (ty, mask) = (f.ty.at(width), Ty::Mask.at(width));
    let names: Vec<String> = (0..f.arity).map(|i| format!("{ty} %x{i}")).collect();
    let (names, symbol) = (names.join(", "), f.symbol(width));
    let _ = write!(
        out,
        "define hidden {ty} @{symbol}({names}) {PURE} noinline {{
  %y = call coldcc {ty} @{symbol}.rare({names}, {ty} zeroinitializer, {mask} splat (i1 true)) {KEEPING}
  ret {ty} %y
}}
"
    );
    write_rare(out, f, width, &names);
}

/// The cold half of a vector version: a loop over lanes. It keeps the registers of who calls it, so that only rare calls pay for them.
fn write_rare(out: &mut String, f: Function, width: usize, names: &str) {
    let (ty, mask, lane) = (f.ty.at(width), Ty::Mask.at(width), f.ty.name());
    let mut reads = String::new();
    let mut args = Vec::new();
    for i in 0..f.arity {
        let _ = writeln!(reads, "  %a{i} = extractelement {ty} %x{i}, i32 %i");
        args.push(format!("{lane} %a{i}"));
    }
    let _ = write!(
        out,
        "define hidden coldcc {ty} @{symbol}.rare({names}, {ty} %r, {mask} %m) {PURE} noinline cold {KEEPING} \"stackrealign\" {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %next ]
  %old = phi {ty} [ %r, %entry ], [ %new, %next ]
  %b = extractelement {mask} %m, i32 %i
  br i1 %b, label %call, label %next
call:
{reads}  %v = call {lane} @wl.{stem}({args})
  %set = insertelement {ty} %old, {lane} %v, i32 %i
  br label %next
next:
  %new = phi {ty} [ %old, %loop ], [ %set, %call ]
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, {width}
  br i1 %c, label %loop, label %exit
exit:
  ret {ty} %new
}}
",
        symbol = f.symbol(width),
        stem = f.stem(),
        args = args.join(", "),
    );
}

#[cfg(all(test, feature = "llvm"))]
mod tests;
