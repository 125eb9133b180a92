//! The reference of the table, in Markdown.

use crate::builtins::constants::CONSTANTS;
use crate::builtins::derivative::derivative;
use crate::builtins::examples::example;
use crate::builtins::rows;
use crate::library;
use std::fmt::Write;

/// The reference of all builtins, in Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Builtins\n\n\
         <!-- Made from the table in warp-core/src/builtins; `BLESS=1 cargo test -p tests --test builtins` writes it anew. -->\n\n\
         What kernel code can call. In signatures `F` stands for any float type, `I` for any integer type, `S` \
         for any number type, `A` for any scalar type, `M`, `N`, `K` for sizes, and `E` for a scalar, vector or \
         matrix (`E(F)`: of floats). One letter means one type throughout a signature: nothing is converted silently. \
         `ref(T)` is a variable of type T, to which the call gives another value.\n\n\
         Examples are lines of kernels, with their results behind them: the value of an expression, or names and \
         their values after the line. What the first lines say as comments was made before the launch. Most of these \
         functions can be called outside of kernels, too, with numbers, vectors and matrices. A derivative is that \
         of the result, where floats are given; where none is stated, there is none.\n",
    );
    out.push_str("\n## Constants\n\n");
    let names = CONSTANTS.iter().map(|(name, _)| format!("`wp.{name}`"));
    let names: Vec<String> = names.collect();
    writeln!(
        out,
        "{}, each in lower case too: Python floats. In kernels they are float32, or what stands around them \
         asks for, as in `wp.float64(wp.PI)`.",
        names.join(", ")
    )
    .expect("writing to a String");
    let mut group = "";
    for row in rows() {
        if row.group != group {
            group = row.group;
            write!(out, "\n## {group}\n").expect("writing to a String");
        }
        write!(out, "\n### {}\n\n", row.name).expect("writing to a String");
        for overload in row.overloads {
            writeln!(out, "- `{}{}`", row.name, overload.sig).expect("writing to a String");
        }
        writeln!(out, "\n{}", row.doc).expect("writing to a String");
        if let Some(derivative) = derivative(row) {
            writeln!(out, "\n{derivative}").expect("writing to a String");
        }
        show_example(&mut out, row.name);
    }
    out.push_str("\n## Queries of objects\n");
    for name in library::functions() {
        write!(out, "\n### {name}\n\n").expect("writing to a String");
        for signature in library::signatures(name) {
            let signature = signature.replace("wp.", "");
            writeln!(out, "- `{signature}`").expect("writing to a String");
        }
        writeln!(out, "\n{}", library::doc(name)).expect("writing to a String");
        show_example(&mut out, name);
    }
    out
}

fn show_example(out: &mut String, name: &str) {
    if let Some(example) = example(name) {
        write!(out, "\n```python kernel\n{example}\n```\n").expect("writing to a String");
    }
}
