//! Mathematics for kernels on GPUs.
//!
//! Lowering calls `@wm.NAME.f32` and `.f64`. With libdevice each is the function of that name there, which takes all arguments
//! and is as accurate as CUDA's documentation says: 2 ulp or better for most, 4 for `powf` and `tanf`. Square roots and
//! quotients are never libdevice's: LLVM has them correctly rounded.
//!
//! With the option `fast_math` functions of float32 are approximate instructions instead (`fast`).
//!
//! Without libdevice, functions with a body of ours (`backend::math`, 2 ulp) have that one, as on the CPU, and what it does not
//! cover and all others come from `library.ll`.

mod fast;
mod library;

use crate::backend::math::{Emit, Function, PURE, Ty, called};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lowered text with all that it calls.
pub struct Attached {
    /// The text.
    pub text: String,
    /// The functions of libdevice that it calls.
    pub needs: Vec<String>,
}

/// A function that is called more often than this in one kernel is not written out in each place: with libdevice, which is
/// always inlined, each is a hundred operations.
const MANY_CALLS: usize = 24;

/// Adds the mathematics that a text calls. `approximate`: functions of float32 may be what the GPU has instructions for.
pub fn attach(text: &str, libdevice: bool, approximate: bool) -> Attached {
    let mut attached = Attached {
        text: text.to_string(),
        needs: Vec::new(),
    };
    let called = called(text);
    if called.is_empty() {
        return attached;
    }
    let mut own = Own::default();
    for f in Function::all().filter(|f| called.contains(&*f.symbol(1))) {
        let inline = match text.matches(&format!("@{}(", f.symbol(1))).count() {
            n if n > MANY_CALLS => "noinline",
            _ => "alwaysinline",
        };
        if let Some(body) = fast::body(f).filter(|_| approximate) {
            attached.text += &body;
            continue;
        }
        match libdevice {
            true => of_libdevice(f, inline, &mut attached),
            false => own.define(f, inline, &mut attached.text),
        }
    }
    own.finish(&mut attached.text);
    attached
}

/// The function of libdevice.
fn of_libdevice(f: Function, inline: &str, attached: &mut Attached) {
    let suffix = if f.ty == Ty::F32 { "f" } else { "" };
    let name = format!("__nv_{}{suffix}", f.name);
    let ty = f.ty.name();
    let args: Vec<String> = (0..f.arity).map(|k| format!("{ty} %x{k}")).collect();
    let args = args.join(", ");
    let types = vec![ty; f.arity].join(", ");
    // Writing to a String cannot fail.
    let _ = writeln!(
        attached.text,
        "declare {ty} @{name}({types})\n\
         define internal {ty} @{}({args}) {PURE} {inline} {{\n  %r = call {ty} @{name}({args})\n  ret {ty} %r\n}}",
        f.symbol(1)
    );
    attached.needs.push(name);
}

/// What functions of ours need.
#[derive(Default)]
struct Own {
    /// What `library.ll` has to give.
    asked: BTreeSet<String>,
}

impl Own {
    /// A function with a body of ours, or the library's.
    fn define(&mut self, f: Function, inline: &str, out: &mut String) {
        let (ty, stem) = (f.ty.name(), f.stem());
        let args: Vec<String> = (0..f.arity).map(|k| format!("{ty} %x{k}")).collect();
        let args = args.join(", ");
        let whole = format!("call {ty} @wl.{stem}({args})");
        let head = format!("define internal {ty} @{}({args}) {PURE}", f.symbol(1));
        let mut e = Emit::new(1);
        let made = f.body(&mut e);
        // LLVM's parser declares intrinsics by itself.
        let (code, _) = e.finish();
        let rest = match made {
            Some((result, None)) => format!("{code}  ret {ty} {}", result.text),
            Some((result, Some(special))) => {
                self.asked.insert(format!("wl.{stem}"));
                format!(
                    "{code}  br i1 {}, label %rare, label %done, !prof !6\n\
                     rare:\n  %s = {whole}\n  br label %done\n\
                     done:\n  %r = phi {ty} [ {}, %0 ], [ %s, %rare ]\n  ret {ty} %r",
                    special.text, result.text
                )
            }
            None => {
                self.asked.insert(format!("wl.{stem}"));
                format!("  %r = {whole}\n  ret {ty} %r")
            }
        };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{head} {inline} {{\n{rest}\n}}");
    }

    /// Writes what the functions need.
    fn finish(self, out: &mut String) {
        library::add(&self.asked, out);
    }
}
