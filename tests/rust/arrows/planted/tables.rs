//! Arrows against the tables.

use crate::python;
use crate::rust::Crate;
use crate::tables::{
    CROWDED, FOLDERS, MODULES, MOST_FILES, PTX_DRIVER, ROOMS, crowded, dependencies, violations,
    violations_of_rooms,
};
use std::collections::BTreeMap;

fn in_core(file: &str, text: &str) -> Vec<String> {
    violations(&Crate::new(&[(file, text)]), MODULES)
}

#[test]
fn a_planted_arrow_is_found_in_every_spelling() {
    for planted in [
        "use crate::front::Scope;",
        "use crate::front::*;",
        "use crate::{ir::Func, front::{self, Scope}};",
        "use super::super::front;",
        "pub(crate) fn f() -> crate::front::Scope { panic!() }",
        "macro_rules! m { () => { $crate::front::walk() } }",
        "macro_rules! m { () => { use $crate::{ir::Func, front::{self, Scope}}; } }",
        "macro_rules! m { ($x:ident) => { super::super::front::$x() } }",
        "fn f() { assert!(crate::front::walk()) }",
        "#[derive(Debug)] struct S(#[with(crate::front::walk)] u8);",
        "// a quote: '\nuse crate::front::Scope;",
        "const Q: char = '\"'; use crate::front::Scope; const R: char = '\"';",
        "const S: &str = r#\"a \" b\"#; use crate::front::Scope;",
        "#[cfg(test)] mod tests { fn f() {} } use crate::front::Scope;",
    ] {
        assert_eq!(
            in_core("lower/vector.rs", planted),
            ["lower/vector.rs: `lower` must not import `front`"],
            "{planted}"
        );
    }
    let found = in_core("ty.rs", "use super::ir::Func;");
    assert_eq!(found, ["ty.rs: `ty` must not import `ir`"]);
    assert_eq!(
        in_core("shortcut.rs", "").len(),
        1,
        "a module without a row is found"
    );
    assert_eq!(in_core("ir/mod.rs", "use crate::shortcut;").len(), 1);
}

#[test]
fn what_is_no_import_is_left_alone() {
    for fine in [
        "//! See [`crate::front`].",
        "/* use crate::front; /* nested */ use crate::front; */",
        "const S: &str = \"use crate::front;\";",
        "const S: &str = r#\"use crate::front; \"quoted\" \"#;",
        "#[cfg(test)]\nmod tests { use crate::front::Scope; mod deeper { use crate::front; } }",
        "#[cfg(test)]\nmod tests;",
        "#[cfg(all(test, unix))]\nuse crate::front;",
        "#[test]\nfn f() { crate::front::walk() }",
        "use super::front; // a child of `lower` that happens to share the name",
        "use other_crate::front;",
        "fn f<'a>(x: &'a str) -> &'a str { x } use crate::verify::Verified;",
    ] {
        assert_eq!(in_core("lower/vector.rs", fine), [""; 0], "{fine}");
    }
    assert_eq!(in_core("lower/tests.rs", "use crate::front;"), [""; 0]);
}

#[test]
fn levels_of_the_extension_are_kept() {
    let up = [("object/message.rs", "use crate::launch::run;")];
    assert_eq!(
        violations(&Crate::new(&up), FOLDERS),
        ["object/message.rs: `object` must not import `launch`"]
    );
    let down = [("launch/mod.rs", "use crate::object::message;")];
    assert_eq!(violations(&Crate::new(&down), FOLDERS), [""; 0]);
}

#[test]
fn levels_of_rooms_are_kept() {
    let state = ("driver/state/stream.rs", "pub struct Stream;");
    let memory = ("driver/state/memory/view.rs", "pub struct View;");
    let face = ("driver/state/mod.rs", "pub mod memory; pub mod stream;");
    let found = |file, text| {
        let files = [state, memory, face, (file, text)];
        violations(&Crate::new(&files), PTX_DRIVER)
    };
    for (file, text, line) in [
        (
            "driver/state/lock.rs",
            "use crate::driver::stream::enqueue;",
            "`driver/state` must not import `driver/stream`",
        ),
        (
            "driver/state/memory/memcpy.rs",
            "use super::super::stream::Stream;",
            "`driver/state/memory` must not import `driver/state`",
        ),
        (
            "driver/mod.rs",
            "mod state; fn f(_: state::stream::Stream) {}",
            "`driver` must not import `driver/state`",
        ),
        (
            "driver/fresh.rs",
            "use crate::driver::state::stream::Stream;",
            "`driver` must not import `driver/state`",
        ),
        (
            "machine/step.rs",
            "use crate::driver::base::Error;",
            "`machine` must not import `driver/base`",
        ),
    ] {
        assert_eq!(found(file, text), [format!("{file}: {line}")], "{text}");
    }
    for (file, text) in [
        ("driver/state/lock.rs", "use super::memory::view::View;"),
        (
            "driver/stream/queue.rs",
            "use crate::driver::{capture, execute};",
        ),
        ("exports/stream.rs", "use crate::driver::stream;"),
        ("driver/mod.rs", "pub mod state; pub mod stream;"),
    ] {
        assert_eq!(found(file, text), [""; 0], "{text}");
    }
}

#[test]
fn a_crowded_folder_is_found() {
    let rows = CROWDED
        .iter()
        .map(|(name, files)| (name.to_string(), *files));
    let today: BTreeMap<String, usize> = rows.collect();
    assert_eq!(crowded(&today), [""; 0]);
    let with = |folder: &str, files: usize| {
        let mut counts = today.clone();
        counts.insert(folder.to_string(), files);
        crowded(&counts)
    };
    assert_eq!(with("py/src/launch", MOST_FILES), [""; 0]);
    assert_eq!(with("py/src/launch", MOST_FILES + 1).len(), 1);
    // A row is of today: it may neither hide more files nor outlive its reason.
    for (folder, files) in CROWDED {
        assert_eq!(with(folder, files + 1).len(), 1);
        assert_eq!(with(folder, MOST_FILES).len(), 1);
    }
}

#[test]
fn levels_of_the_package_are_kept() {
    let rooms = |code: &str| {
        let files = [
            ("warp/_base/lazy.py", code),
            ("warp/_arrays/__init__.py", ""),
            ("warp/_arrays/map.py", "from warp._base import lazy"),
        ];
        violations_of_rooms(&python::graph(&files), ROOMS)
    };
    for up in [
        "from warp._arrays.map import map",
        "def f():\n    from warp._arrays import map",
        "MAP = 'warp._arrays.map:map'",
    ] {
        let found = ["warp/_base/lazy.py: `_base` must not import `_arrays` (map)"];
        assert_eq!(rooms(up), found, "{up}");
    }
    assert_eq!(rooms("import ast"), [""; 0]);
}

#[test]
fn dependencies_are_read_from_every_spelling() {
    let manifest = "[package]\nname = \"warp-dlpack\"\n[dependencies]\nwarp-core.workspace = true\n\
                    warp-numpy = { path = \"x\" }\nlibc = \"1\"\n[dependencies.warp-torch]\nversion = \"1\"\n\
                    [dev-dependencies]\npy = \"1\"\n";
    let found: Vec<String> = dependencies(manifest).into_iter().collect();
    assert_eq!(found, ["warp-core", "warp-numpy", "warp-torch"]);
}
