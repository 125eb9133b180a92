//! How long files and functions are: by lines, as rustfmt lays them out.

use std::collections::BTreeMap;

/// How many lines a source file may have.
pub const MOST_OF_A_FILE: usize = 499;

/// How many lines a function may have, from its name to its end.
pub const MOST_OF_A_FUNCTION: usize = 100;

/// Rows of files that are longer, and of functions, as `file name`: how many lines they may have instead. A row goes when it is not
/// needed any more, and none comes.
pub const LONG: &[(&str, usize)] = &[];

/// The functions of a source text, and how many lines each has. A function ends at the first brace that stands as far to the right
/// as it begins.
pub fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = declared(line) else {
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let ends = |line: &&str| {
            let (space, rest) = line.split_at(line.len().min(indent));
            let here = space.trim().is_empty();
            here && (rest == "}" || rest.starts_with(')') && rest.ends_with(';'))
        };
        let length = match line.ends_with(['}', ';']) {
            true => 1,
            false => lines[at..].iter().take_while(|line| !ends(line)).count() + 1,
        };
        found.push((name, length));
    }
    found
}

/// The function that a line begins.
fn declared(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(public) = rest.strip_prefix("pub") {
        let within = public.strip_prefix('(').and_then(|p| p.split_once(')'));
        rest = within.map_or(public, |(_, rest)| rest).trim_start();
    }
    for qualifier in ["const ", "async ", "unsafe ", "extern "] {
        rest = rest.strip_prefix(qualifier).unwrap_or(rest);
    }
    if let Some(abi) = rest.strip_prefix('"') {
        rest = abi.split_once("\" ")?.1;
    }
    rest.strip_prefix("fn ")?.split(['(', '<']).next()
}

/// What is too long, by the lines of files and functions: one line each.
pub fn long(lengths: &BTreeMap<String, usize>) -> Vec<String> {
    let mut found = Vec::new();
    let most = |name: &str| match name.contains(' ') {
        true => MOST_OF_A_FUNCTION,
        false => MOST_OF_A_FILE,
    };
    let row = |name: &str| LONG.iter().find(|(row, _)| *row == name);
    for (name, lines) in lengths {
        let allowed = row(name).map_or(most(name), |(_, lines)| *lines);
        if *lines > allowed {
            found.push(format!("{name} has {lines} lines, {allowed} at most"));
        }
    }
    for (name, _) in LONG {
        let now = lengths.get(*name).copied().unwrap_or(0);
        if now <= most(name) {
            found.push(format!("{name} has {now} lines and needs no row in LONG"));
        }
    }
    found
}
