//! The text that lowering gives, held in files: `BLESS=1 cargo test` writes them anew.
//!
//! A file is IR, a line of equals signs, and the LLVM text. A folder holds the texts for one kind of device.

use std::path::Path;
use warp_core::error::Bug;
use warp_core::ir::read;
use warp_core::lower::{self, Lowered, Options};
use warp_core::verify::{Verified, verify};

#[test]
fn texts_are_as_they_were() {
    held("lower", lower::host::lower);
}

#[test]
fn texts_for_gpus_are_as_they_were() {
    held("nvptx", lower::nvptx::lower);
}

fn held(folder: &str, lower: impl Fn(&Verified, &Options) -> Result<Lowered, Bug>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests");
    let dir = dir.join(folder);
    let mut seen = 0;
    for entry in std::fs::read_dir(&dir).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let whole = std::fs::read_to_string(&path).expect("a text");
        let (ir, wanted) = whole
            .split_once("\n====\n")
            .unwrap_or((whole.trim_end(), ""));
        let func = read(ir).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let func = verify(func).expect("verifies");
        let found = lower(&func, &Options::default()).expect("lowers").text;
        seen += 1;
        if found == wanted {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, format!("{ir}\n====\n{found}")).expect("written");
        } else {
            let at = found.lines().zip(wanted.lines()).position(|(a, b)| a != b);
            panic!(
                "{} differs from line {at:?} on; BLESS=1 accepts it",
                path.display()
            );
        }
    }
    assert!(seen > 0);
}
