//! IR to LLVM IR text. Needs no LLVM: what comes out is a string.
//!
//! The entry point is `void @SYMBOL(ptr ctx, ptr args, i64 begin, i64 end)`, see [`crate::abi`]. Behind it
//! stand two bodies: one for arrays whose elements follow each other along the last dimension,
//! whose loop over threads LLVM may vectorise, and one for any strides.
//!
//! What must hold: the text means what [`crate::interp`] says, bit for bit where no transcendental
//! function is involved. No instruction has undefined behaviour for any input of a kernel, except
//! access out of range without [`Options::check_bounds`].
//!
//! Mathematics is called as `@wm.NAME.f32` or `.f64`; the target declares and supplies those.

mod arith;
mod atomic;
mod body;
mod cast;
mod entry;
mod place;
mod plan;
mod range;
mod record;
mod region;
mod text;

use crate::abi;
use crate::ir::{Func, ParamType};
use crate::span::Span;
use body::{Body, Layout};
use plan::Plan;
use std::collections::BTreeMap;

/// How to lower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Name of the entry point: letters, digits and underscores.
    pub name: String,
    /// By parameter: whether each element of this array is touched by one thread only, so that atomic
    /// operations on it may be plain ones unless the launch sets [`abi::flag::OVERLAP`]. A parameter
    /// beyond the end is none.
    pub plain: Vec<bool>,
    /// Checks indices and integer divisors when running.
    pub check_bounds: bool,
    /// Allows products and sums to be fused.
    pub contract: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: "kernel".into(),
            plain: Vec::new(),
            check_bounds: false,
            contract: false,
        }
    }
}

/// A lowered kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Lowered {
    /// The LLVM text.
    pub text: String,
    /// Places in the user's text that run-time errors name by index.
    pub spans: Vec<Span>,
    /// Whether threads are to run in index order: what they print is then in order too.
    pub in_order: bool,
}

/// Where each parameter of a kernel lies in the args block.
pub fn layout(func: &Func) -> abi::Layout {
    abi::Layout::of(func.params.iter().map(|p| match p.ty {
        ParamType::Array { .. } => abi::Param::Array,
        ParamType::Elem(elem) => abi::Param::Value {
            size: elem.scalar().size(),
            count: elem.count(),
        },
    }))
}

/// Lowers a verified kernel for the CPU.
pub fn cpu(func: &Func, options: &Options) -> Lowered {
    let plan = Plan::new(func, options);
    let symbol = options.name.as_str();
    let offsets = layout(func).offsets;
    let mut spans = Vec::new();
    let mut globals = Vec::new();
    let mut helpers = BTreeMap::new();
    let mut text = entry::entry(&plan, symbol, options, &offsets);
    for layout in plan.layouts() {
        let mut body = Body::new(&plan, options, layout, &offsets, &mut spans, &mut globals);
        let grouped = match layout {
            Layout::Full | Layout::Inner => plan.parallel && !plan.scattered,
            Layout::Any => plan.parallel && plan.heavy,
        };
        if grouped {
            body.group = GROUP;
        }
        let done = body.function(&format!("{symbol}.{}", layout.suffix()));
        text += &done.code;
        helpers.extend(done.helpers);
    }
    for helper in helpers.values() {
        text += helper;
    }
    text += &globals.concat();
    text += abi::runtime::DECLARATIONS;
    text += &metadata(&plan);
    Lowered {
        text,
        spans,
        in_order: plan.prints,
    }
}

/// What marks an access as free of dependences between iterations of the launch loop.
const GROUP: &str = ", !llvm.access.group !0";

/// The notes that both bodies refer to: !0 the access group, !1, !3 and !8 the launch loops, !4 the range of
/// extents, !5 for what never changes, !6 for what hardly ever happens.
fn metadata(plan: &Plan) -> String {
    let mut inner = String::from("!1, !2");
    if plan.scattered {
        inner += ", !7";
    }
    let any = if plan.heavy { "!3, !2" } else { "!3, !7" };
    format!(
        "\
!0 = distinct !{{}}
!1 = distinct !{{{inner}}}
!2 = !{{!\"llvm.loop.parallel_accesses\", !0}}
!3 = distinct !{{{any}}}
!4 = !{{i32 0, i32 -2147483648}}
!5 = !{{}}
!6 = !{{!\"branch_weights\", i32 1, i32 1048576}}
!7 = !{{!\"llvm.loop.vectorize.enable\", i1 false}}
!8 = distinct !{{!8, !7}}
"
    )
}
