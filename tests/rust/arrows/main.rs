//! The direction of imports. Between modules and between crates tables say who may import whom; between the files of a
//! crate, and of the Python package, arrows may form no circle. And how full folders and how long files and functions may be.

mod graph;
mod planted;
mod python;
mod rust;
mod sizes;
mod tables;

use graph::Graph;
use rust::Crate;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tables::{
    FOLDERS, MODULES, PTX_DRIVER, ROOMS, closure, crates, crowded, dependencies, room, violations,
    violations_of_rooms,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace is above")
        .to_path_buf()
}

/// The files under `folder` that end in `.extension`: their places under `base`, and their texts.
fn files(folder: &Path, base: &Path, extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            found.extend(files(&path, base, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            let place = path.strip_prefix(base).expect("inside the base");
            let text = fs::read_to_string(&path).expect("UTF-8 source");
            found.push((place.to_str().expect("UTF-8 name").to_string(), text));
        }
    }
    found.sort();
    found
}

fn crate_named(name: &str) -> Crate {
    let folders = ["src", "fuzz_targets"].map(|folder| root().join(name).join(folder));
    let src = folders.iter().find(|f| f.exists()).expect("sources");
    let files = files(src, src, "rs");
    assert!(files.len() > 1, "the walk found only {files:?}");
    Crate::new(&files)
}

/// The files of the Python package: their places and texts, and the stub that shows its public names.
fn python_files() -> Vec<(String, String)> {
    let base = root().join("py/python");
    let mut found = files(&base.join("warp"), &base, "py");
    assert!(found.len() > 5, "the walk found only {found:?}");
    let stubs = files(&base.join("warp"), &base, "pyi");
    found.extend(stubs.into_iter().filter(|(file, _)| file == STUB));
    found
}

const STUB: &str = "warp/__init__.pyi";

#[test]
fn files_form_no_circle() {
    let crates = crates()
        .iter()
        .map(|(name, _)| (*name, crate_named(name).graph()));
    let mut graphs: Vec<(&str, Graph)> = crates.collect();
    graphs.push(("package warp", python::graph(&python_files())));
    let (mut counts, mut listed) = (String::new(), String::new());
    for (name, graph) in &graphs {
        let circles = graph.circles();
        let files: usize = circles.iter().map(|circle| circle.files().len()).sum();
        counts += &format!("{name}: {} circles, {files} files in them\n", circles.len());
        if !circles.is_empty() {
            listed += &format!("{name}:\n");
        }
        for circle in &circles {
            listed += &circle.to_string();
        }
    }
    print!("{counts}");
    assert!(listed.is_empty(), "circles of files:\n{counts}{listed}");
}

#[test]
fn modules_of_the_core_import_in_one_direction() {
    let found = violations(&crate_named("warp-core"), MODULES);
    assert!(
        found.is_empty(),
        "arrows that run back:\n{}",
        found.join("\n")
    );
}

#[test]
fn folders_of_the_extension_import_in_one_direction() {
    let src = root().join("py/src");
    let found = violations(&crate_named("py"), FOLDERS);
    // Only what stands in folders has levels: not yet the files beside them.
    let is_folder = |name: &str| src.join(name).join("mod.rs").exists();
    let found: Vec<String> = found
        .into_iter()
        .filter(|line| line.split('`').skip(1).step_by(2).all(is_folder))
        .collect();
    assert!(
        found.is_empty(),
        "arrows that run back:\n{}",
        found.join("\n")
    );
}

#[test]
fn rooms_of_the_package_import_in_one_direction() {
    let files = python_files();
    let rooms: BTreeSet<&str> = files.iter().map(|(file, _)| room(file)).collect();
    let rows: BTreeSet<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        rooms, rows,
        "rooms, and rows of tests/rust/arrows/tables.rs"
    );
    let found = violations_of_rooms(&python::graph(&files), ROOMS);
    assert!(
        found.is_empty(),
        "arrows that run back:\n{}",
        found.join("\n")
    );
}

#[test]
fn folders_of_the_package_hold_20_files_at_most() {
    let files = python_files();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, _) in &files {
        let (folder, _) = file.rsplit_once('/').expect("inside the package");
        *counts.entry(folder).or_default() += 1;
    }
    // Benchmarks lie together.
    counts.remove("warp/examples/benchmarks");
    counts.retain(|_, count| *count > 20);
    assert!(counts.is_empty(), "more than 20 files: {counts:?}");
}

/// Whether a Rust source imports the Python package, or a module of it, by name.
fn imports_the_package(text: &str) -> bool {
    text.match_indices("import(").any(|(at, call)| {
        let Some((before, literal)) = text[at + call.len()..].split_once('"') else {
            return false;
        };
        // The text is an argument of this call, and not of a later one.
        let mut depth = 0;
        let is_argument = before.chars().all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0
        });
        is_argument && (literal.starts_with("warp\"") || literal.starts_with("warp."))
    })
}

#[test]
fn rust_uses_the_package_through_hooks() {
    for planted in [
        "py.import(\"warp\")",
        "py\n    .import(\"warp.types\")",
        "CELL.import(x.py(), \"warp._arrays.map\", \"map\")",
    ] {
        assert!(imports_the_package(planted), "{planted}");
    }
    for fine in [
        "py.import(\"numpy\")",
        "py.import(module)?.getattr(\"warp\")",
    ] {
        assert!(!imports_the_package(fine), "{fine}");
    }
    for (name, _) in crates() {
        // What fuzzes has no such folder, and no Python.
        let src = root().join(name).join("src");
        if !src.exists() {
            continue;
        }
        for (file, text) in files(&src, &root(), "rs") {
            assert!(
                !imports_the_package(&text),
                "{file} imports the Python package by name; make it a hook (py/src/object/package.rs)"
            );
        }
    }
}

#[test]
fn rooms_of_the_ptx_driver_import_in_one_direction() {
    let found = violations(&crate_named("ptx-driver"), PTX_DRIVER);
    assert!(
        found.is_empty(),
        "arrows that run back:\n{}",
        found.join("\n")
    );
}

#[test]
fn no_folder_of_a_crate_is_crowded() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in crates().iter().map(|row| row.0).chain(["tests"]) {
        for (file, _) in files(&root().join(name), &root(), "rs") {
            let (folder, _) = file.rsplit_once('/').expect("a file in a folder");
            *counts.entry(folder.to_string()).or_default() += 1;
        }
    }
    assert!(
        counts.len() > 50,
        "the walk found only {} folders",
        counts.len()
    );
    let found = crowded(&counts);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_or_function_is_long() {
    let mut lengths: BTreeMap<String, usize> = BTreeMap::new();
    for name in crates().iter().map(|row| row.0).chain(["tests"]) {
        for (file, text) in files(&root().join(name), &root(), "rs") {
            for (function, lines) in sizes::functions(&text) {
                let longest = lengths.entry(format!("{file} {function}")).or_default();
                *longest = lines.max(*longest);
            }
            lengths.insert(file, text.lines().count());
        }
    }
    assert!(
        lengths.len() > 5000,
        "the walk found only {}",
        lengths.len()
    );
    let found = sizes::long(&lengths);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn crates_depend_in_one_direction() {
    for (name, allowed) in closure(crates()) {
        let manifest =
            fs::read_to_string(root().join(name).join("Cargo.toml")).expect("a manifest");
        for to in dependencies(&manifest) {
            assert!(
                allowed.contains(to.as_str()),
                "crate {name} must not depend on {to}"
            );
        }
    }
}

#[test]
fn the_table_keeps_apart_what_never_meets() {
    let reach = closure(MODULES);
    for (from, to) in [
        ("front", "lower"),
        ("lower", "front"),
        ("adjoint", "front"),
        ("interp", "lower"),
    ] {
        assert!(!reach[from].contains(to), "{from} reaches {to}");
    }
    // Nothing up to `lower` knows devices or arrays.
    for (name, reached) in &reach {
        if reach["lower"].contains(name) || ["front", "interp", "adjoint", "pass"].contains(name) {
            assert!(
                !reached.contains("device") && !reached.contains("array"),
                "{name} reaches arrays"
            );
        }
    }
}
