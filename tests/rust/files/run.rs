//! Runs the IR of a file in the interpreter. Comments say with what: `# launch 2 x 32`, and for each parameter `# x: 1 2 3`, numbers or
//! an array of so many; `# x: 4 of 0` is as much as `# x: 0 0 0 0`.

use std::fmt::Write;
use warp_core::interp::{Arg, Memory, Num, run};
use warp_core::ir::{Func, ParamType};

/// What stands behind `# name` in a text.
fn said<'t>(source: &'t str, name: &str) -> &'t str {
    let begin = format!("# {name} ");
    let mut lines = source.lines().filter_map(|line| line.strip_prefix(&begin));
    lines
        .next()
        .unwrap_or_else(|| panic!("nothing is said of `{name}`"))
}

fn numbers(text: &str, float: bool) -> Vec<Num> {
    let number = |text: &str| match float {
        true => Num::Float(text.parse().expect("a number")),
        false => Num::Int(text.parse().expect("an integer")),
    };
    match text.split_once(" of ") {
        Some((count, value)) => vec![number(value); count.parse().expect("a count")],
        None => text.split_whitespace().map(number).collect(),
    }
}

/// What is in each array in the end, or the fault.
pub fn run_file(source: &str, func: &Func) -> String {
    let dims = said(source, "launch").split(" x ");
    let dims: Vec<i32> = dims.map(|n| n.parse().expect("an extent")).collect();
    let mut memory = Memory::default();
    let mut args = Vec::new();
    for param in func.arguments() {
        let given = said(source, &format!("{}:", param.name));
        let elem = param.ty.elem();
        let given = numbers(given, elem.scalar().is_float());
        args.push(match param.ty {
            ParamType::Array { .. } => memory.push(elem, &[given.len() as i32], given),
            _ => Arg::Elem(given),
        });
    }
    if let Err(fault) = run(func, &dims, &args, &mut memory) {
        return format!("{fault}\n");
    }
    let mut found = String::new();
    for (param, arg) in func.arguments().iter().zip(&args) {
        if let Arg::Array(number) = arg {
            let each = memory.buffers[*number].data.iter().map(|num| match num {
                Num::Int(n) => n.to_string(),
                Num::Float(x) => format!("{x:?}"),
            });
            let list = each.collect::<Vec<_>>().join(" ");
            writeln!(found, "{}: {list}", param.name).expect("a String");
        }
    }
    found
}
