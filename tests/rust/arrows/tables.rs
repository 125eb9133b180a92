//! Who may import whom: the modules of `warp-core`, the folders of `py`, the crates.

use crate::graph::Graph;
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
    ("verify", &["builtins"]),
    ("interp", &["verify", "factor"]),
    ("pass", &["verify"]),
    ("adjoint", &["pass", "factor"]),
    // `wp.grad` is formed where it stands.
    ("front", &["builtins", "adjoint", "stack"]),
    ("abi", &["ty"]),
    ("lower", &["pass", "abi", "factor"]),
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

/// The rooms of the package `warp`: its folders, and the modules beside them.
pub const ROOMS: Table = &[
    ("_base", &[]),
    ("config", &["_base"]),
    ("_values", &["config"]),
    ("types", &["_values"]),
    ("_devices", &["types"]),
    ("context", &["_devices"]),
    ("_cuda", &["_devices"]),
    ("_host", &["types"]),
    // Modules of kernels are compiled for devices.
    ("_language", &["_devices"]),
    ("_arrays", &["_language"]),
    ("_tape", &["_arrays"]),
    ("_autograd", &["_arrays"]),
    ("_operator", &["_base"]),
    ("_torch", &["_operator", "config"]),
    ("_paddle", &["_operator"]),
    ("_jax", &["_operator", "_language", "context"]),
    ("dlpack", &["_base"]),
    ("torch", &["_torch", "_devices"]),
    ("paddle", &["_paddle", "_devices"]),
    ("jax", &["_jax"]),
    ("jax_experimental", &["_jax"]),
    ("utils", &["_arrays", "_cuda", "context"]),
    ("autograd", &["_autograd"]),
    ("optim", &["_arrays", "context"]),
    ("_src", &["utils"]),
    // NVIDIA Warp's modules that are refused.
    ("build_experimental", &["_base"]),
    ("fem", &["_base"]),
    ("geometry", &["_base"]),
    ("render", &["_base"]),
    ("sparse", &["_base"]),
    // What the extension uses, and what the namespace shows.
    ("_hooks", &["_autograd", "_host", "_tape"]),
    ("_public", &["_cuda", "_host", "_jax", "utils"]),
    ("__init__", &["_hooks", "_public"]),
    (
        "examples",
        &[
            "__init__",
            "autograd",
            "jax",
            "jax_experimental",
            "optim",
            "paddle",
            "torch",
        ],
    ),
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
        let names = modules.iter().map(String::as_str);
        found.extend(names.filter_map(|name| violation(&reach, file, top, name)));
        if !reach.contains_key(top) {
            found.push(format!("{file}: module `{top}` {NO_ROW}"));
        }
    }
    found
}

/// What the package imports against `table`: one line for each arrow between files.
pub fn violations_of_rooms(package: &Graph, table: Table) -> Vec<String> {
    let reach = closure(table);
    let arrows = package.arrows();
    let found = arrows.filter_map(|(from, to, names)| {
        let line = violation(&reach, from, room(from), room(to))?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Some(format!("{line} ({})", names.join(", ")))
    });
    found.collect()
}

const NO_ROW: &str = "has no row in tests/rust/arrows/tables.rs";

/// That a file of `top` must not import `name`, if so. Nothing where `top` has no row.
fn violation(
    reach: &BTreeMap<&str, BTreeSet<&str>>,
    file: &str,
    top: &str,
    name: &str,
) -> Option<String> {
    if reach.get(top)?.contains(name) {
        return None;
    }
    Some(match reach.contains_key(name) {
        true => format!("{file}: `{top}` must not import `{name}`"),
        false => format!("{file}: `{top}` imports `{name}`, which {NO_ROW}"),
    })
}

/// The room of a file of the package: `_jax` of `warp/_jax/trace.py`, `types` of `warp/types.py`.
pub fn room(file: &str) -> &str {
    let inside = file.split_once('/').map_or(file, |(_, inside)| inside);
    let (room, _) = inside.split_once(['/', '.']).unwrap_or((inside, ""));
    room
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
