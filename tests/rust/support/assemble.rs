//! PTX through NVIDIA's assembler, and libdevice: both where `scripts/fetch_ptxas.sh` puts them, or where the environment says.

use std::path::{Path, PathBuf};
use std::process::Command;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use warp_core::backend::cuda::{Libdevice, Search};

/// What is fetched for a major version of CUDA.
fn fetched(major: u32) -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = folders.find(|folder| folder.join("target/cuda").is_dir());
    let root = root.unwrap_or(Path::new("/"));
    root.join(format!("target/cuda/{major}/nvidia/cuda_nvcc"))
}

/// The assembler of a major version of CUDA.
pub fn ptxas(major: u32) -> Option<PathBuf> {
    let variable = match major {
        12 => "WARP_PTXAS",
        _ => "WARP_PTXAS_11",
    };
    let named = std::env::var_os(variable).filter(|value| !value.is_empty());
    let path = named.map_or_else(|| fetched(major).join("bin/ptxas"), PathBuf::from);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("SKIPPED: {variable} names no ptxas, and scripts/fetch_ptxas.sh has fetched none");
    None
}

/// NVIDIA's mathematics.
pub fn libdevice() -> Option<Libdevice> {
    let mut search = Search::of_environment();
    search.paths.push(fetched(12));
    let found = search.find();
    if found.is_none() {
        eprintln!("SKIPPED: there is no libdevice");
    }
    found
}

/// Whether the assembler takes a text for an architecture.
///
/// # Errors
/// What it says if not.
pub fn assemble(ptxas: &Path, text: &[u8], sm: u32) -> Result<(), String> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Relaxed);
    let name = format!("warp-ptx-{}-{number}.ptx", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).expect("a file of ours");
    let out = Command::new(ptxas)
        .args([&format!("--gpu-name=sm_{sm}"), "--output-file=/dev/null"])
        .arg(&path)
        .output()
        .expect("ptxas runs");
    let _ = std::fs::remove_file(&path);
    match out.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

/// Does something with each item, on two threads.
pub fn on_two_threads<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Relaxed)) {
                    work(item);
                }
            });
        }
    });
}
