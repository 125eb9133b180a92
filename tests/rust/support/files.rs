//! The golden files in `tests/filetests`: what each is for, what it is run on, and what came out.
//!
//! The first line of a file says what is run, as in `# test front`. It is a comment of the text below, so that lines
//! that a result names are those of the file. Then comes a line of dashes, and what was found when somebody last looked
//! at it. Folders are subjects, for readers alone.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use warp_core::ir::read;
use warp_core::verify::{Verified, verify};

/// The line between a text and what is found.
const RULE: &str = "----\n";
const HEAD: &str = "# test ";

/// What is run on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Kernels as source text: their IR.
    Front,
    /// Source text whose last kernel is refused: in which words.
    Error,
    /// IR: what a pass makes of it.
    Pass(&'static str),
    /// IR: its adjoint, with the report.
    Adjoint,
    /// IR: an adjoint that can be differentiated again, and the adjoint of that.
    AdjointTwice,
    /// IR that is refused: in which words.
    Verify,
    /// IR: what it leaves in its arrays, see `run.rs`.
    Run,
    /// IR: the LLVM text for the CPU.
    LowerHost,
    /// IR: the LLVM text for GPUs.
    LowerNvptx,
}

/// What stands behind `# test ` for each.
pub const TESTS: &[(&str, Test)] = &[
    ("front", Test::Front),
    ("error", Test::Error),
    ("pass dce", Test::Pass("dce")),
    ("pass expand", Test::Pass("expand")),
    ("pass fuse", Test::Pass("fuse")),
    ("pass hoist", Test::Pass("hoist")),
    ("pass inline", Test::Pass("inline")),
    ("pass splice", Test::Pass("splice")),
    ("pass fold_zero_sums", Test::Pass("fold_zero_sums")),
    ("adjoint", Test::Adjoint),
    ("adjoint twice", Test::AdjointTwice),
    ("verify", Test::Verify),
    ("run", Test::Run),
    ("lower host", Test::LowerHost),
    ("lower nvptx", Test::LowerNvptx),
];

/// A golden file.
pub struct File {
    path: PathBuf,
    /// Its place in `tests/filetests`, without the extension.
    pub name: String,
    /// What is run on it.
    pub test: Test,
    /// What it is run on, the first line included.
    pub source: String,
    /// What came out.
    pub golden: String,
}

impl File {
    /// The last part of its name.
    pub fn stem(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    fn open(path: PathBuf) -> Result<File, String> {
        let place = path.strip_prefix(folder()).expect("inside the folder");
        let name = place.with_extension("").display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
        let (test, source, golden) = parts(&text).map_err(|what| format!("{name}: {what}"))?;
        Ok(File {
            test,
            source: source.into(),
            golden: golden.into(),
            path,
            name,
        })
    }
}

/// What is run on a text, the text, and what came out.
///
/// # Errors
/// What the first line says instead.
pub fn parts(text: &str) -> Result<(Test, &str, &str), String> {
    let first = text.lines().next().unwrap_or_default();
    let said = first.strip_prefix(HEAD);
    let test = TESTS.iter().find(|(name, _)| Some(*name) == said);
    let (_, test) = test.ok_or_else(|| {
        let names: Vec<&str> = TESTS.iter().map(|(name, _)| *name).collect();
        format!(
            "the first line is `{first}`, expected `{HEAD}` and one of: {}",
            names.join(", ")
        )
    })?;
    let (source, golden) = text.split_once(RULE).unwrap_or((text, ""));
    Ok((*test, source, golden))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests")
}

fn paths(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => paths(&path, into),
            false => into.push(path),
        }
    }
}

/// Read once: while one test writes what it found, others go on with what was there.
static FILES: LazyLock<Result<Vec<File>, String>> = LazyLock::new(|| {
    let mut places = Vec::new();
    paths(&folder(), &mut places);
    places.sort();
    let (mut found, mut wrong) = (Vec::new(), String::new());
    for path in places {
        match File::open(path) {
            Ok(file) => found.push(file),
            Err(what) => writeln!(wrong, "{what}").expect("a String"),
        }
    }
    if wrong.is_empty() {
        Ok(found)
    } else {
        Err(wrong)
    }
});

/// All of them, in the order of their names.
///
/// # Panics
/// Where files do not say what they are for: the message names all of these.
pub fn all() -> &'static [File] {
    FILES.as_ref().unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Those for one test.
pub fn of(test: Test) -> impl Iterator<Item = &'static File> {
    all().iter().filter(move |file| file.test == test)
}

/// The one of this name, such as `front/jumps`.
///
/// # Panics
/// Where there is none.
pub fn named(name: &str) -> &'static File {
    let found = all().iter().find(|file| file.name == name);
    found.unwrap_or_else(|| panic!("there is no golden file {name}"))
}

/// Holds what is found for each file of a test against what the file says; `BLESS=1` writes it there instead.
///
/// # Panics
/// Where they differ, or where there is no such file.
pub fn hold(test: Test, find: impl Fn(&File) -> String) {
    let bless = std::env::var_os("BLESS").is_some();
    let (mut seen, mut wrong) = (0, String::new());
    for file in of(test) {
        seen += 1;
        let found = find(file);
        if found == file.golden {
            continue;
        }
        if bless {
            let text = format!("{}{RULE}{found}", file.source);
            std::fs::write(&file.path, text).expect("written");
            continue;
        }
        // Texts of lowering are long.
        let lines: Vec<(&str, &str)> = file.golden.lines().zip(found.lines()).collect();
        let same = lines.iter().take_while(|(kept, found)| kept == found);
        let at = same.count();
        let shown = |text: &str| {
            let lines: Vec<&str> = text.lines().skip(at).take(30).collect();
            lines.join("\n")
        };
        let (kept, new) = (shown(&file.golden), shown(&found));
        let name = &file.name;
        let at = at + 1;
        writeln!(
            wrong,
            "== {name}, line {at} of what comes out\n-- expected\n{kept}\n-- found\n{new}"
        )
        .expect("a String");
    }
    assert!(seen > 0, "no file is for {test:?}");
    assert!(wrong.is_empty(), "{wrong}BLESS=1 writes what is found");
}

/// The kernels that a text holds as IR, those that verify: from `kernel` to the next brace at the start of a line.
pub fn kernels(text: &str) -> Vec<Verified> {
    let starts = text.match_indices("kernel ").filter_map(|(at, _)| {
        let ir = &text[at..];
        ir.find("\n}").map(|end| &ir[..end + 2])
    });
    let read = starts.filter_map(|ir| read(ir).ok());
    read.filter_map(|func| verify(func).ok()).collect()
}
