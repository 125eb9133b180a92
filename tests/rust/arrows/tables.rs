//! Who may import whom: the modules of `warp-core`, the folders of `py`, the crates.

use crate::rust::Crate;
use std::collections::{BTreeMap, BTreeSet};

/// A name and those it may import; what these may import, it may too. A row names only rows above it.
pub type Table = &'static [(&'static str, &'static [&'static str])];

/// The modules of `warp-core`.
pub const MODULES: Table = &[
    ("dtype", &[]),
    ("span", &[]),
    ("sync", &[]),
    ("floating_point", &[]),
    ("stack", &[]),
    ("error", &["span"]),
    ("ty", &["dtype", "error"]),
    ("ir", &["ty"]),
    ("builtins", &["ir"]),
    ("factor", &["ir"]),
    ("intrinsic", &["factor"]),
    ("verify", &["builtins", "intrinsic"]),
    ("interp", &["verify"]),
    ("pass", &["verify"]),
    ("adjoint", &["pass"]),
    // `wp.grad` is formed where it stands.
    ("front", &["builtins", "adjoint", "stack"]),
    ("abi", &["ty"]),
    ("lower", &["pass", "abi"]),
    // The ABI's version is part of a cache key.
    ("cache", &["error", "abi"]),
    ("device", &["error"]),
    // What a process did and when.
    ("timeline", &["ty", "device"]),
    // What code does is held against the interpreter, if `WARP_CHECK_CODE` says so.
    (
        "backend",
        &[
            "lower",
            "device",
            "cache",
            "sync",
            "interp",
            "floating_point",
        ],
    ),
    // They run on the CPU's threads, or as kernels of their own on a GPU.
    ("algorithm", &["backend"]),
    ("turn", &["sync"]),
    (
        "module",
        &["front", "pass", "adjoint", "backend", "turn", "timeline"],
    ),
    ("array", &["backend", "timeline"]),
    ("interop", &["array"]),
    ("launch", &["module", "array"]),
    ("tape", &["launch"]),
    ("operator", &["ty"]),
];

/// The folders of `py/src`, by level.
pub const FOLDERS: Table = &[
    ("object", &[]),
    ("runtime", &["object"]),
    ("dtype", &["object"]),
    ("kernel", &["runtime", "dtype"]),
    ("exchange", &["runtime", "dtype"]),
    ("argument", &["kernel", "exchange"]),
    ("trace", &["argument"]),
    ("operator", &["argument"]),
    ("array", &["trace", "operator"]),
    ("algorithm", &["array"]),
    ("framework", &["algorithm"]),
    ("launch", &["framework"]),
];

/// The crates, not counting what only their tests use. `tests` may use all.
pub const CRATES: Table = &[
    ("warp-core", &[]),
    ("warp-dlpack", &["warp-core"]),
    ("warp-numpy", &["warp-dlpack"]),
    ("warp-torch", &["warp-dlpack"]),
    ("warp-paddle", &["warp-dlpack"]),
    ("warp-jax", &["warp-dlpack"]),
    (
        "py",
        &["warp-numpy", "warp-torch", "warp-paddle", "warp-jax"],
    ),
];

/// Everything that each name may import, itself included.
pub fn closure(table: Table) -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, direct) in table {
        let mut all = BTreeSet::from([*name]);
        for to in *direct {
            // A row names only rows above it: that alone keeps the table free of cycles.
            let further = reach
                .get(to)
                .unwrap_or_else(|| panic!("{name} names {to}, which is no row above it"));
            all.extend(further);
        }
        assert!(reach.insert(name, all).is_none(), "two rows for {name}");
    }
    reach
}

/// What the crate imports against `table`: one line each.
pub fn violations(sources: &Crate, table: Table) -> Vec<String> {
    let reach = closure(table);
    let mut found = Vec::new();
    for (file, top, modules) in sources.imports() {
        let Some(allowed) = reach.get(top) else {
            found.push(format!(
                "{file}: module `{top}` has no row in tests/rust/arrows/tables.rs"
            ));
            continue;
        };
        for name in modules.iter().filter(|m| !allowed.contains(m.as_str())) {
            found.push(match reach.contains_key(name.as_str()) {
                true => format!("{file}: `{top}` must not import `{name}`"),
                false => format!(
                    "{file}: `{top}` imports `{name}`, which has no row in tests/rust/arrows/tables.rs"
                ),
            });
        }
    }
    found
}

/// The crates of this workspace that the `[dependencies]` of `manifest` name.
pub fn dependencies(manifest: &str) -> BTreeSet<String> {
    let ours: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    let (mut inside, mut found) = (false, BTreeSet::new());
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.starts_with("dependencies") || table.starts_with("build-dependencies");
            found.extend(
                table
                    .strip_prefix("dependencies.")
                    .map(|name| name.trim_end_matches(']').to_string()),
            );
        } else if inside {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            found.insert(name.to_string());
        }
    }
    found.retain(|name| ours.contains(&name.as_str()));
    found
}
