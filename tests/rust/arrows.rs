//! The direction of imports: DESIGN's arrows as a table, and a walk over the sources that fails on one that runs back.
//!
//! Inside `warp-core` every path that starts at the crate root or climbs there through `super` counts, wherever it
//! stands; `#[cfg(test)]` modules and files named `tests` are left out, since a test may well cross-check two modules that never meet.
//! Between crates the `[dependencies]` tables count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module of `warp-core` and those it may import; what these may import, it may too.
const MODULES: &[(&str, &[&str])] = &[
    ("dtype", &[]),
    ("span", &[]),
    ("error", &["span"]),
    ("ty", &["dtype", "error"]),
    ("ir", &["ty"]),
    ("builtins", &["ir"]),
    ("verify", &["builtins"]),
    ("interp", &["verify"]),
    ("front", &["builtins"]),
    ("pass", &["verify"]),
    ("adjoint", &["pass"]),
    ("abi", &["ty"]),
    ("lower", &["verify", "abi"]),
    // The ABI's version is part of a cache key.
    ("cache", &["error", "abi"]),
    ("device", &["error"]),
    ("backend", &["lower", "device", "cache"]),
    ("module", &["front", "pass", "adjoint", "backend"]),
    ("array", &["backend"]),
    ("interop", &["array"]),
    ("launch", &["module", "array"]),
    ("tape", &["launch"]),
];

/// A crate and those it may depend on, not counting tests of its own. `tests` may use all.
const CRATES: &[(&str, &[&str])] = &[
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
fn closure<'a>(table: &[(&'a str, &[&'a str])]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
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

/// `source` with comments, literals and `#[cfg(test)]` modules blanked out, so that only code is left.
fn code_only(source: &str) -> String {
    without_tests(&without_text(source))
}

fn without_text(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let starts = |at: usize, what: &str| {
        what.chars()
            .enumerate()
            .all(|(k, c)| chars.get(at + k) == Some(&c))
    };
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = if starts(at, "//") {
            chars[at..]
                .iter()
                .position(|c| *c == '\n')
                .map_or(chars.len(), |n| at + n)
        } else if starts(at, "/*") {
            block_comment_end(&chars, at)
        } else if chars[at] == '"' {
            quoted_end(&chars, at, '"')
        } else if let Some(end) = raw_string_end(&chars, at) {
            end
        } else if chars[at] == '\'' && (starts(at + 1, "\\") || chars.get(at + 2) == Some(&'\'')) {
            quoted_end(&chars, at, '\'') // a character; anything else with a quote is a lifetime
        } else {
            code.push(chars[at]);
            at += 1;
            continue;
        };
        code.push(' ');
        at = end;
    }
    code
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn quoted_end(chars: &[char], start: usize, quote: char) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

fn raw_string_end(chars: &[char], start: usize) -> Option<usize> {
    let inside_a_word =
        start > 0 && (chars[start - 1].is_alphanumeric() || chars[start - 1] == '_');
    if chars[start] != 'r' || (inside_a_word && chars[start - 1] != 'b') {
        return None;
    }
    let hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    let open = start + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |at: &usize| {
        chars[*at] == '"'
            && chars[at + 1..]
                .iter()
                .take(hashes)
                .filter(|c| **c == '#')
                .count()
                == hashes
    };
    Some(
        (open + 1..chars.len())
            .find(closes)
            .map_or(chars.len(), |at| at + 1 + hashes),
    )
}

fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        // The item ends with its braces, or with a semicolon before any.
        let item = &rest[at..];
        let end = match (item.find('{'), item.find(';')) {
            (Some(open), semicolon) if semicolon.is_none_or(|s| open < s) => {
                open + braces_end(&item[open..])
            }
            (_, Some(semicolon)) => semicolon + 1,
            _ => item.len(),
        };
        rest = &item[end..];
    }
    kept.push_str(rest);
    kept
}

/// Where the braces that `code` begins with are closed again.
fn braces_end(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The top-level modules that code in `module` (a path from the crate root) names.
fn imports(source: &str, module: &[&str]) -> BTreeSet<String> {
    let code: String = code_only(source);
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` in a macro counts as well; `my_crate::` does not.
        if !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            found.extend(first_names(&code[at + "crate::".len()..]));
        }
    }
    for (at, _) in code.match_indices("super::") {
        let before = &code[..at];
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue; // counted with the first `super` of its path
        }
        let mut rest = &code[at..];
        let mut climbed = 0;
        while let Some(further) = rest.strip_prefix("super::") {
            (rest, climbed) = (further, climbed + 1);
        }
        if climbed >= module.len() {
            found.extend(first_names(rest));
        }
    }
    found
}

/// The first segment of a path, or of each path in a braced group.
fn first_names(path: &str) -> Vec<String> {
    let path = path.trim_start();
    if !path.starts_with('{') {
        let end = path
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(path.len());
        return vec![path[..end].to_string()];
    }
    let group = &path[1..braces_end(path).saturating_sub(1).max(1)];
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[start..]);
    parts
        .iter()
        .filter(|part| !part.trim().is_empty())
        .flat_map(|part| first_names(part))
        .collect()
}

/// What `source`, the file at `file` under `src`, imports against the table: one line each.
fn violations(file: &Path, source: &str) -> Vec<String> {
    let shown = file.display();
    let stem = file.with_extension("");
    let mut module: Vec<&str> = stem.iter().filter_map(|part| part.to_str()).collect();
    if matches!(module.last(), Some(&("mod" | "lib"))) {
        module.pop();
    }
    // `#[cfg(test)] mod tests;` in a file of its own is a test like one that stands inline.
    if module.contains(&"tests") {
        return Vec::new();
    }
    // The root only declares the modules.
    let Some(top) = module.first() else {
        return Vec::new();
    };
    let reach = closure(MODULES);
    let Some(allowed) = reach.get(top) else {
        return vec![format!(
            "{shown}: module `{top}` has no row in the table of tests/rust/arrows.rs"
        )];
    };
    imports(source, &module)
        .iter()
        .filter(|name| !allowed.contains(name.as_str()))
        .map(|name| match reach.contains_key(name.as_str()) {
            true => format!("{shown}: `{top}` must not import `{name}`"),
            false => format!("{shown}: `{top}` imports `{name}`, which has no row in the table of tests/rust/arrows.rs"),
        })
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace is above")
        .to_path_buf()
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// The crates of this workspace that the `[dependencies]` of `manifest` name.
fn dependencies(manifest: &str) -> BTreeSet<String> {
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

#[test]
fn modules_of_the_core_import_in_one_direction() {
    let src = root().join("warp-core/src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(files.len() > 5, "the walk found only {files:?}");
    let mut found = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).expect("UTF-8 source");
        found.extend(violations(
            file.strip_prefix(&src).expect("inside src"),
            &source,
        ));
    }
    assert!(
        found.is_empty(),
        "arrows that run back:\n{}",
        found.join("\n")
    );
}

#[test]
fn crates_depend_in_one_direction() {
    let reach = closure(CRATES);
    for (name, allowed) in reach {
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

#[test]
fn a_planted_arrow_is_found_in_every_spelling() {
    for planted in [
        "use crate::front::Scope;",
        "use crate::{ir::Func, front::{self, Scope}};",
        "use super::super::front;",
        "pub(crate) fn f() -> crate::front::Scope { panic!() }",
        "macro_rules! m { () => { $crate::front::walk() } }",
        "// a quote: '\nuse crate::front::Scope;",
        "const Q: char = '\"'; use crate::front::Scope; const R: char = '\"';",
        "const S: &str = r#\"a \" b\"#; use crate::front::Scope;",
        "#[cfg(test)] mod tests { fn f() {} } use crate::front::Scope;",
    ] {
        let found = violations(Path::new("lower/vector.rs"), planted);
        assert_eq!(
            found,
            ["lower/vector.rs: `lower` must not import `front`"],
            "{planted}"
        );
    }
    let found = violations(Path::new("ty.rs"), "use super::ir::Func;");
    assert_eq!(found, ["ty.rs: `ty` must not import `ir`"]);
    assert_eq!(
        violations(Path::new("shortcut.rs"), "").len(),
        1,
        "a module without a row is found"
    );
    assert_eq!(
        violations(Path::new("ir/mod.rs"), "use crate::shortcut;").len(),
        1
    );
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
        "use super::front; // a child of `lower` that happens to share the name",
        "fn f<'a>(x: &'a str) -> &'a str { x } use crate::verify::Verified;",
    ] {
        assert_eq!(
            violations(Path::new("lower/vector.rs"), fine),
            [""; 0],
            "{fine}"
        );
    }
}

#[test]
fn dependencies_are_read_from_every_spelling() {
    let manifest = "[package]\nname = \"warp-dlpack\"\n[dependencies]\nwarp-core.workspace = true\n\
                    warp-numpy = { path = \"x\" }\nlibc = \"1\"\n[dependencies.warp-torch]\nversion = \"1\"\n\
                    [dev-dependencies]\npy = \"1\"\n";
    let found: Vec<String> = dependencies(manifest).into_iter().collect();
    assert_eq!(found, ["warp-core", "warp-numpy", "warp-torch"]);
}
