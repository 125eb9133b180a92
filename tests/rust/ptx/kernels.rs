//! The kernels of the file tests, forward and back.

use std::path::Path;
use warp_core::adjoint::{Options, reverse};
use warp_core::ir::{Func, read};
use warp_core::verify::{Verified, verify};

/// A kernel and what to call it in messages.
pub struct Named {
    pub name: String,
    pub func: Verified,
}

/// Every kernel of every file test, with its adjoint where it has one.
pub fn all() -> Vec<Named> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut found = Vec::new();
    for part in ["adjoint", "front", "lower", "nvptx", "second"] {
        let entries = std::fs::read_dir(folder.join(part)).expect("the folder is there");
        let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            for (k, func) in kernels(&text).into_iter().enumerate() {
                add(format!("{part}/{name} {k}"), func, &mut found);
            }
        }
    }
    found
}

/// The kernels of a text: from each line that begins with `kernel` to the brace that ends it.
fn kernels(text: &str) -> Vec<Func> {
    let starts = text.match_indices("kernel ");
    let starts = starts.filter(|(at, _)| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    let texts = starts.filter_map(|(at, _)| {
        let end = text[at..].find("\n}")? + 3;
        text.get(at..(at + end).min(text.len()))
    });
    texts.filter_map(|text| read(text).ok()).collect()
}

fn add(name: String, func: Func, found: &mut Vec<Named>) {
    if let Ok(adjoint) = reverse(&func, &Options::default()) {
        found.push(Named {
            name: format!("{name}, adjoint"),
            func: adjoint.func,
        });
    }
    let func = verify(func).expect("a valid kernel");
    found.push(Named { name, func });
}
