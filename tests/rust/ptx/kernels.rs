//! The kernels of the golden files, forward and back.

use tests::files::{self, Test};
use warp_core::adjoint::{Options, reverse};
use warp_core::verify::Verified;

/// A kernel and what to call it in messages.
pub struct Named {
    pub name: String,
    pub func: Verified,
}

/// Every kernel that stands as IR in a golden file, with its adjoint where it has one.
pub fn all() -> Vec<Named> {
    let mut found = Vec::new();
    for file in files::all() {
        if matches!(file.test, Test::Error | Test::Verify) {
            continue;
        }
        let text = format!("{}{}", file.source, file.golden);
        for (k, func) in files::kernels(&text).into_iter().enumerate() {
            add(format!("{} {k}", file.name), func, &mut found);
        }
    }
    found
}

fn add(name: String, func: Verified, found: &mut Vec<Named>) {
    if let Ok(adjoint) = reverse(&func, &Options::default()) {
        found.push(Named {
            name: format!("{name}, adjoint"),
            func: adjoint.func,
        });
    }
    found.push(Named { name, func });
}
