//! Who may import whom: the modules of `warp-core`, the folders of `py`, the rooms of `ptx-driver`, the crates; and how many files a
//! folder may hold.

use crate::graph::Graph;
use crate::root;
use crate::rust::Crate;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::OnceLock;

/// A module and those it may import; what these may import, it may too. A row names only rows above it. A row for `a/b` is of that
/// module and of what stands in it, and the row for `a` of the rest.
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
    // Functions in the language of kernels, as text.
    ("library", &["ir"]),
    ("builtins/value", &["ir"]),
    ("builtins/formula", &["builtins/value"]),
    ("builtins/signature", &["builtins/formula"]),
    ("builtins/operation", &["builtins/signature"]),
    ("builtins/output", &["builtins/operation"]),
    ("builtins/table", &["builtins/output"]),
    ("builtins", &["builtins/table", "library"]),
    ("factor", &["ir"]),
    ("intrinsic", &["factor"]),
    ("verify", &["builtins", "intrinsic"]),
    ("interp", &["verify"]),
    ("pass", &["verify"]),
    ("adjoint", &["pass"]),
    // `wp.grad` is formed where it stands.
    ("front", &["builtins", "adjoint", "stack", "library"]),
    ("abi", &["ty"]),
    ("lower", &["pass", "abi"]),
    // The ABI's version is part of a cache key.
    ("cache", &["error", "abi"]),
    ("device", &["error"]),
    // What a process did and when.
    ("timeline", &["ty", "device"]),
    // What kernels query by id.
    ("objects", &["ir", "error", "abi", "device"]),
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
            "objects",
        ],
    ),
    ("interruptible_lock", &["sync"]),
    (
        "module",
        &[
            "front",
            "pass",
            "adjoint",
            "backend",
            "interruptible_lock",
            "timeline",
        ],
    ),
    // They run on the CPU's threads, or as kernels of their own on a GPU.
    ("algorithm", &["module"]),
    ("array", &["backend", "timeline"]),
    ("interop", &["array"]),
    // Objects that kernels query are built on the CPU's threads.
    ("geometry", &["algorithm", "objects", "array"]),
    ("launch", &["module", "array"]),
    // What is given to devices, to be done later or by whoever records it.
    ("command", &["launch", "algorithm"]),
    ("tape", &["command"]),
    ("operator", &["launch"]),
];

/// The folders of `py/src`, by level.
pub const FOLDERS: Table = &[
    ("registry", &[]),
    ("object", &["registry"]),
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
    ("geometry", &["algorithm"]),
    ("launch", &["framework"]),
];

/// The modules of `ptx-driver`, those of its driver by room.
pub const PTX_DRIVER: Table = &[
    ("ptx", &[]),
    ("machine", &["ptx"]),
    // The files beside the rooms have rows of their own; `mod.rs` names nothing.
    ("driver", &[]),
    ("driver/base", &[]),
    ("driver/state/memory", &["driver/base", "machine"]),
    // Data: what the rooms below do is no business of it.
    ("driver/state", &["driver/state/memory"]),
    ("driver/device", &["driver/state"]),
    ("driver/execute", &["driver/device"]),
    ("driver/graph", &["driver/device"]),
    ("driver/capture", &["driver/graph"]),
    ("driver/stream", &["driver/execute", "driver/capture"]),
    ("driver/memory", &["driver/stream"]),
    ("driver/context", &["driver/stream"]),
    ("driver/module", &["driver/capture"]),
    ("driver/launch", &["driver/module", "driver/stream"]),
    ("driver/call", &["driver/device"]),
    ("driver/inspect", &["driver/state"]),
    (
        "exports",
        &[
            "driver/memory",
            "driver/context",
            "driver/launch",
            "driver/call",
            "driver/inspect",
        ],
    ),
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
    ("_geometry", &["_language"]),
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
    ("geometry", &["_geometry", "_arrays", "context"]),
    ("_src", &["utils"]),
    // For mypy, which it imports instead of the package.
    ("mypy_plugin", &[]),
    // NVIDIA Warp's modules that are refused.
    ("build_experimental", &["_base"]),
    ("fem", &["_base"]),
    ("render", &["_base"]),
    ("sparse", &["_base"]),
    // What the extension uses, and what the namespace shows.
    ("_hooks", &["_autograd", "_host", "_tape"]),
    (
        "_public",
        &["_cuda", "_geometry", "_host", "_jax", "geometry", "utils"],
    ),
    ("__init__", &["_hooks", "_public"]),
    // The commands of `python -m warp`.
    ("_cli", &["__init__"]),
    ("__main__", &["_cli"]),
    (
        "examples",
        &[
            "__init__",
            "autograd",
            "geometry",
            "jax",
            "jax_experimental",
            "optim",
            "paddle",
            "torch",
        ],
    ),
];

/// The crates that are no adapters, but for `py`, which may use all of these.
const CRATES: Table = &[
    ("warp-core", &[]),
    ("warp-dlpack", &["warp-core"]),
    // A driver for tests, which stands alone.
    ("ptx-driver", &[]),
    // Outside of the workspace.
    ("fuzz", &["warp-dlpack"]),
];

/// All crates, not counting what only their tests use. `tests` may use all. A crate `warp-NAME` that has no row of its own is an
/// adapter of a framework: it may use `warp-dlpack`, and only `py` uses it.
pub fn crates() -> Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut rows = CRATES.to_vec();
        let folders = fs::read_dir(root()).expect("the workspace");
        let names = folders.map(|f| f.expect("a folder").file_name().into_string());
        let mut adapters: Vec<&str> = (names.map(|name| &*name.expect("a name").leak()))
            .filter(|name| name.starts_with("warp-") && rows.iter().all(|row| row.0 != *name))
            .collect();
        adapters.sort_unstable();
        rows.extend(adapters.iter().map(|name| (*name, &["warp-dlpack"][..])));
        rows.push(("py", adapters.leak()));
        rows.leak()
    })
}

/// How many source files a folder of a crate may hold, those of its folders not counted.
pub const MOST_FILES: usize = 20;

/// The folders that hold more, and how many: a row goes when its folder has rooms, and none comes.
pub const CROWDED: &[(&str, usize)] = &[];

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
    let rows: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    for (file, room, modules) in sources.imports(&rows) {
        let names = modules.iter().map(String::as_str);
        found.extend(names.filter_map(|name| violation(&reach, file, &room, name)));
        if !reach.contains_key(room.as_str()) {
            found.push(format!("{file}: module `{room}` {NO_ROW}"));
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
    let ours: Vec<&str> = crates().iter().map(|(name, _)| *name).collect();
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

/// What is wrong with the numbers of files in folders: one line each.
pub fn crowded(counts: &BTreeMap<String, usize>) -> Vec<String> {
    let mut found = Vec::new();
    for (folder, files) in counts {
        if *files > MOST_FILES && CROWDED.iter().all(|(name, _)| name != folder) {
            found.push(format!(
                "{folder} has {files} source files, {MOST_FILES} at most"
            ));
        }
    }
    for (folder, files) in CROWDED {
        let now = counts.get(*folder).copied().unwrap_or(0);
        if now <= MOST_FILES {
            found.push(format!(
                "{folder} has {now} source files and needs no row in CROWDED"
            ));
        } else if now != *files {
            found.push(format!(
                "{folder} has {now} source files, {files} by its row in CROWDED"
            ));
        }
    }
    found
}
