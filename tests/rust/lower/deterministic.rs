//! One kernel has one text: the text is the key of the cache, so it must not depend on the process that writes it.
//!
//! The test starts its own executable several times. Each process lowers every kernel that the tests hold, forward
//! and backward, and prints a digest per text. Maps without an order differ between processes, so a text that depends on one differs too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use warp_core::adjoint;
use warp_core::cache::Key;
use warp_core::lower::{self, Options};
use warp_core::verify::Verified;

/// Set in the processes that only print.
const PRINTS: &str = "WARP_TEST_PRINTS_DIGESTS";
/// What a line with a digest starts with: the test harness prints lines of its own.
const MARK: &str = "digest: ";

#[test]
fn every_process_writes_the_same_texts() {
    if std::env::var_os(PRINTS).is_some() {
        for func in kernels() {
            print_digests(&func);
        }
        return;
    }
    let first = digests_of_a_process();
    assert!(first.len() > 200, "only {} texts", first.len());
    for _ in 1..4 {
        let again = digests_of_a_process();
        assert_eq!(again.len(), first.len());
        for (a, b) in first.iter().zip(&again) {
            assert_eq!(a, b, "two processes lower one kernel to two texts");
        }
    }
}

fn digests_of_a_process() -> Vec<String> {
    let exe = std::env::current_exe().expect("the path of this test");
    let name = "deterministic::every_process_writes_the_same_texts";
    let output = Command::new(exe)
        .args(["--exact", name, "--nocapture"])
        .env(PRINTS, "1")
        .output()
        .expect("the test runs once more");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines()
        .filter_map(|line| line.split_once(MARK))
        .map(|(_, digest)| digest.to_string())
        .collect()
}

fn print_digests(func: &Verified) {
    let name = &func.name;
    print_digest(name, func);
    for again in [false, true] {
        let options = adjoint::Options {
            again,
            ..adjoint::Options::default()
        };
        // Kernels without a gradient are refused by name.
        if let Ok(reversed) = adjoint::reverse(func, &options) {
            print_digest(&format!("adjoint of {name}"), &reversed.func);
        }
    }
}

fn print_digest(name: &str, func: &Verified) {
    for (plain, check_bounds) in [(false, false), (false, true), (true, false)] {
        let options = Options {
            non_atomic: vec![plain; func.params.len()],
            check_bounds,
            ..Options::default()
        };
        // The CPU runs no blocks.
        let lowered = match func.threads {
            None => lower::host::lower(func, &options),
            Some(_) => lower::nvptx::lower(func, &options),
        };
        let digest = Key::of(&[lowered.expect("lowers").text.as_bytes()]).hex();
        println!("{MARK}{name} {plain} {check_bounds} {digest}");
    }
}

/// Every kernel that stands as text in the golden files or in the sources of tests.
fn kernels() -> Vec<Verified> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["filetests", "rust"] {
        files_in(&here.join(folder), &mut files);
    }
    files.sort();
    let texts = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    texts
        .flat_map(|text| tests::files::kernels(&text))
        .collect()
}

fn files_in(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_in(&path, into);
        } else {
            into.push(path);
        }
    }
}
