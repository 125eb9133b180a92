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

use crate::abi::runtime::{PRESERVING, RARE, RARE_OF_TWO};
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
                    declared.extend([library.clone(), declaration(f)]);
                }
                continue;
            };
            if special.is_some() {
                declared.insert(library.clone());
                if w > 1 {
                    declared.insert(declaration(f));
                }
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
        out += "declare void @llvm.lifetime.start.p0(i64, ptr nocapture)\ndeclare void @llvm.lifetime.end.p0(i64, ptr nocapture)\n";
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
    let names = parameters(f, width);
    let inline = if inline { "alwaysinline" } else { "noinline" };
    let symbol = f.symbol(width);
    let r = &result.text;
    let (stem, lane) = (f.stem(), f.ty.name());
    let _ = writeln!(
        out,
        "define hidden {ty} @{symbol}({names}) {PURE} {inline} {{"
    );
    let numbers = Numbers::new(f, width);
    let rare = special.map(|special| match width {
        1 => {
            let call = format!("  %s = call {lane} @wl.{stem}({names})\n");
            (format!("br i1 {}", special.text), call)
        }
        _ => {
            let _ = writeln!(out, "  {}", numbers.room());
            let any = format!(
                "%m = bitcast {mask} {} to i{width}\n  %any = icmp ne i{width} %m, 0\n  br i1 %any",
                special.text
            );
            let lanes = match width {
                64 => String::from("  %lanes = add i64 %m, 0\n"),
                _ => format!("  %lanes = zext i{width} %m to i64\n"),
            };
            (any, lanes + &numbers.call(r, "%lanes"))
        }
    });
    *out += code;
    let _ = match rare {
        None => writeln!(out, "  ret {ty} {r}\n}}"),
        Some((branch, call)) => writeln!(
            out,
            "  {branch}, label %rare, label %done, !prof !0
rare:
{call}  br label %done
done:
  %r = phi {ty} [ {r}, %0 ], [ %s, %rare ]
  ret {ty} %r
}}"
        ),
    };
}

/// A vector version of what has no body of ours: it calls the C library for each lane.
fn write_lanes(out: &mut String, f: Function, width: usize) {
    let (ty, names, symbol) = (f.ty.at(width), parameters(f, width), f.symbol(width));
    let numbers = Numbers::new(f, width);
    let all = u64::MAX >> (64 - width);
    let _ = write!(
        out,
        "define hidden {ty} @{symbol}({names}) {PURE} noinline {{\n  {}\n{}  ret {ty} %s\n}}\n",
        numbers.room(),
        numbers.call("zeroinitializer", &all.to_string()),
    );
}

/// The parameters of a function in LLVM text: `type %x0, …`.
fn parameters(f: Function, width: usize) -> String {
    let ty = f.ty.at(width);
    let names: Vec<String> = (0..f.arity).map(|i| format!("{ty} %x{i}")).collect();
    names.join(", ")
}

/// What calls a function for lanes that its body does not cover.
fn rare(f: Function) -> &'static str {
    let of = if f.arity == 1 { RARE } else { RARE_OF_TWO };
    of[usize::from(f.ty == Ty::F64)]
}

fn declaration(f: Function) -> String {
    format!(
        "declare void @{}(ptr nocapture, i64, i64, ptr) nounwind willreturn cold memory(argmem: readwrite)",
        rare(f)
    )
}

/// The numbers that such a call reads and writes, in memory of the function's own: no register has to hold the result of a call.
struct Numbers {
    f: Function,
    width: usize,
    /// Bytes of the numbers of all lanes.
    row: usize,
}

impl Numbers {
    fn new(f: Function, width: usize) -> Numbers {
        let size = if f.ty == Ty::F64 { 8 } else { 4 };
        Numbers {
            f,
            width,
            row: width * size,
        }
    }

    fn bytes(&self) -> usize {
        self.row * (self.f.arity + 1)
    }

    fn align(&self) -> usize {
        self.row.min(64)
    }

    /// In the function's first block: the memory.
    fn room(&self) -> String {
        let (bytes, align) = (self.bytes(), self.align());
        format!("%numbers = alloca [{bytes} x i8], align {align}")
    }

    /// The result `%s`: that of the C library in `lanes`, `result` in others. Memory of several functions is the same once it is
    /// known when each is done with it.
    fn call(&self, result: &str, lanes: &str) -> String {
        let (bytes, align, ty) = (self.bytes(), self.align(), self.f.ty.at(self.width));
        let mut t = format!("  call void @llvm.lifetime.start.p0(i64 {bytes}, ptr %numbers)\n");
        let arguments = (0..self.f.arity).map(|i| format!("%x{i}"));
        for (i, value) in arguments.chain([result.to_string()]).enumerate() {
            let _ = write!(
                t,
                "  %at{i} = getelementptr inbounds i8, ptr %numbers, i64 {}
  store {ty} {value}, ptr %at{i}, align {align}
",
                i * self.row
            );
        }
        let _ = write!(
            t,
            "  call void @{rare}(ptr %numbers, i64 {lanes}, i64 {width}, ptr @wl.{stem}) {PRESERVING}
  %s = load {ty}, ptr %at{last}, align {align}
  call void @llvm.lifetime.end.p0(i64 {bytes}, ptr %numbers)
",
            rare = rare(self.f),
            width = self.width,
            stem = self.f.stem(),
            last = self.f.arity,
        );
        t
    }
}

#[cfg(all(test, feature = "llvm"))]
mod tests;
