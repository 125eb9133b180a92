//! Mathematics for generated code.
//!
//! Lowering calls `@wm.<function>.<f32|f64>` and declares nothing. [`attach`] adds declarations for
//! what a text calls; [`symbols`] says where the linker finds it.

mod scalar;

pub use scalar::symbols;

/// What there is, with the number of arguments.
pub const FUNCTIONS: &[(&str, usize)] = &[
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("atan2", 2),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("exp", 1),
    ("exp2", 1),
    ("log", 1),
    ("log2", 1),
    ("log10", 1),
    ("pow", 2),
    ("cbrt", 1),
    ("erf", 1),
    ("erfc", 1),
    ("erfinv", 1),
    ("erfcinv", 1),
];

/// Adds declarations of the mathematics that `text` calls.
pub fn attach(text: &str) -> String {
    let mut out = text.to_string();
    for (name, arity) in FUNCTIONS {
        for (suffix, ty) in [("f32", "float"), ("f64", "double")] {
            let symbol = format!("@wm.{name}.{suffix}");
            if text.contains(&format!("{symbol}(")) {
                let args = vec![ty; *arity].join(", ");
                out +=
                    &format!("\ndeclare {ty} {symbol}({args}) nounwind willreturn memory(none)\n");
            }
        }
    }
    out
}
