//! Golden files: a kernel, a line of dashes, its adjoint and report. In the folder `second` the adjoint is one that can
//! be differentiated again, and its own adjoint and report follow. `BLESS=1` writes what is found.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use warp_core::adjoint::{Adjoint, Options, reverse};
use warp_core::ir::{Func, read};

const RULE: &str = "----\n";

#[test]
fn golden_adjoints() {
    each("adjoint", |func| {
        text(
            func,
            &reverse(func, &Options::default()).expect("has a gradient"),
        )
    });
}

#[test]
fn golden_adjoints_of_adjoints() {
    each("second", |func| {
        let options = Options {
            again: true,
            ..Options::default()
        };
        let once = reverse(func, &options).expect("has a gradient");
        let twice = reverse(&once.func, &Options::default()).expect("has a gradient again");
        text(func, &once) + RULE + &text(&once.func, &twice)
    });
}

fn text(func: &Func, adjoint: &Adjoint) -> String {
    let mut found = adjoint.func.to_string();
    for array in &adjoint.report.arrays {
        writeln!(found, "# {}: {array:?}", func.param(array.param).name).expect("a String");
    }
    found
}

fn each(folder: &str, found: impl Fn(&Func) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("filetests")
        .join(folder);
    let bless = std::env::var_os("BLESS").is_some();
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        let text = fs::read_to_string(&path).expect("readable");
        let (source, golden) = text.split_once(RULE).unwrap_or((&text, ""));
        let func = read(source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        warp_core::verify::check(&func).expect("a valid kernel");
        let found = found(&func);
        for part in found.split(RULE) {
            let again = read(part).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            warp_core::verify::check(&again).expect("what is printed reads back");
        }
        if bless {
            fs::write(&path, format!("{source}{RULE}{found}")).expect("writable");
        } else {
            assert_eq!(found, golden, "{} (BLESS=1 updates it)", path.display());
        }
        count += 1;
    }
    assert!(count > 0);
}
