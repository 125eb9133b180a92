//! Golden files: a kernel, a line of dashes, its adjoint and report. `BLESS=1` writes what is found.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use warp_core::adjoint::{Options, reverse};
use warp_core::ir::read;

const RULE: &str = "----\n";

#[test]
fn golden_adjoints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/adjoint");
    let bless = std::env::var_os("BLESS").is_some();
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        let text = fs::read_to_string(&path).expect("readable");
        let (source, golden) = text.split_once(RULE).unwrap_or((&text, ""));
        let func = read(source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        warp_core::verify::check(&func).expect("a valid kernel");
        let adjoint = reverse(&func, &Options::default()).expect("has a gradient");
        let mut found = adjoint.func.to_string();
        for array in &adjoint.report.arrays {
            writeln!(found, "# {}: {array:?}", func.param(array.param).name).expect("a String");
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
