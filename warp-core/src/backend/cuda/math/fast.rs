//! Functions of float32 by the approximations that GPUs have instructions for, as CUDA's fast mathematics computes them (CUDA C++
//! Programming Guide, "Intrinsic Functions": `__sinf` and the like, with the errors that it lists).

use crate::backend::math::{Function, PURE, Ty};
use std::f32::consts::{LN_2, LOG2_E, LOG10_2};

/// The definition of a function; None if it has no approximation.
pub fn body(f: Function) -> Option<String> {
    if f.ty != Ty::F32 {
        return None;
    }
    let one = |name: &str, x: &str| format!("call float @llvm.nvvm.{name}.approx.ftz.f(float {x})");
    // LLVM writes a float by the bits of the double that equals it.
    let number = |x: f32| format!("0x{:016X}", f64::from(x).to_bits());
    let code = match f.name {
        "sin" => format!("  %r = {}\n", one("sin", "%x0")),
        "cos" => format!("  %r = {}\n", one("cos", "%x0")),
        "tan" => format!(
            "  %s = {}\n  %c = {}\n  %r = call float @llvm.nvvm.div.approx.ftz.f(float %s, float %c)\n",
            one("sin", "%x0"),
            one("cos", "%x0")
        ),
        "exp2" => format!("  %r = {}\n", one("ex2", "%x0")),
        "log2" => format!("  %r = {}\n", one("lg2", "%x0")),
        "exp" => format!(
            "  %p = fmul float %x0, {}\n  %r = {}\n",
            number(LOG2_E),
            one("ex2", "%p")
        ),
        "log" | "log10" => format!(
            "  %l = {}\n  %r = fmul float %l, {}\n",
            one("lg2", "%x0"),
            number(if f.name == "log" { LN_2 } else { LOG10_2 })
        ),
        "pow" => format!(
            "  %l = {}\n  %p = fmul float %x1, %l\n  %r = {}\n",
            one("lg2", "%x0"),
            one("ex2", "%p")
        ),
        _ => return None,
    };
    let args: Vec<String> = (0..f.arity).map(|k| format!("float %x{k}")).collect();
    Some(format!(
        "define internal float @{}({}) {PURE} alwaysinline {{\n{code}  ret float %r\n}}\n",
        f.symbol(1),
        args.join(", ")
    ))
}
