//! libdevice: NVIDIA's mathematics as LLVM bitcode, which toolkits and packages of theirs bring.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file's name; it has had this one since CUDA 9.
const FILE: &str = "libdevice.10.bc";

/// No libdevice is larger.
const MOST: u64 = 16 << 20;

/// How bitcode begins.
const MAGIC: &[u8] = b"BC\xc0\xde";

/// The library in memory.
#[derive(Clone, Debug)]
pub struct Libdevice {
    /// Where it was found.
    pub path: PathBuf,
    /// Releases differ: this tells them apart in cache keys.
    pub digest: String,
    pub(in crate::backend::cuda) bitcode: Arc<[u8]>,
}

/// Where to look for it.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Files, or folders that have it, or that have it where toolkits do. The first that is there is taken.
    pub paths: Vec<PathBuf>,
}

impl Search {
    /// What the environment names: `WARP_LIBDEVICE`, toolkits, and folders where toolkits are installed.
    pub fn of_environment() -> Search {
        Search::of(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn of(variable: impl Fn(&str) -> Option<OsString>) -> Search {
        let named = ["WARP_LIBDEVICE", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"];
        let named = named.iter().filter_map(|name| variable(name));
        let mut paths: Vec<PathBuf> = named.map(PathBuf::from).collect();
        paths.push("/usr/local/cuda".into());
        // Of several versions side by side the latest.
        let entries = std::fs::read_dir("/usr/local").into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.path());
        let mut versions: Vec<PathBuf> = names
            .filter(|p| p.to_string_lossy().contains("/cuda-"))
            .collect();
        versions.sort_by_key(|p| std::cmp::Reverse(version(p)));
        paths.extend(versions);
        paths.extend(
            ["/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"].map(PathBuf::from),
        );
        Search { paths }
    }

    /// The first library that there is. What cannot be read, or is no bitcode, is passed over.
    pub fn find(&self) -> Option<Libdevice> {
        let places = [
            "",
            FILE,
            "nvvm/libdevice",
            "libdevice",
            "lib",
            "cuda_nvcc/nvvm/libdevice",
        ];
        let all = self.paths.iter().flat_map(|path| {
            places.iter().flat_map(move |place| {
                let at = match place.is_empty() {
                    true => path.clone(),
                    false => path.join(place),
                };
                [at.join(FILE), at]
            })
        });
        all.into_iter().find_map(|path| Libdevice::read(&path))
    }
}

/// The numbers of a folder's name.
fn version(path: &Path) -> Vec<u32> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers = name.split(|c: char| !c.is_ascii_digit());
    numbers.filter_map(|n| n.parse().ok()).collect()
}

impl Libdevice {
    /// A library that is in memory.
    ///
    /// None if it is no bitcode.
    pub fn new(path: PathBuf, bitcode: Vec<u8>) -> Option<Libdevice> {
        bitcode.starts_with(MAGIC).then(|| Libdevice {
            path,
            digest: blake3::hash(&bitcode).to_hex().to_string(),
            bitcode: bitcode.into(),
        })
    }

    fn read(path: &Path) -> Option<Libdevice> {
        let meta = std::fs::metadata(path).ok()?;
        if !meta.is_file() || meta.len() > MOST {
            return None;
        }
        Libdevice::new(path.into(), std::fs::read(path).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_library_that_is_one_is_taken() {
        let folder = std::env::temp_dir().join(format!("warp-libdevice-{}", std::process::id()));
        let toolkit = folder.join("toolkit/nvvm/libdevice");
        std::fs::create_dir_all(&toolkit).expect("a folder of ours");
        std::fs::create_dir_all(folder.join("other")).expect("a folder of ours");
        std::fs::write(folder.join("other").join(FILE), b"a text").expect("written");
        std::fs::write(toolkit.join(FILE), b"BC\xc0\xdeanything").expect("written");
        let search = Search {
            paths: ["absent", "other", "toolkit"]
                .map(|p| folder.join(p))
                .to_vec(),
        };
        let found = search.find().expect("there is one");
        assert_eq!(found.path, toolkit.join(FILE));
        let exact = Search {
            paths: vec![toolkit.join(FILE)],
        };
        assert_eq!(exact.find().expect("there is one").digest, found.digest);
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn what_the_user_names_comes_first() {
        let search = Search::of(|name| (name == "WARP_LIBDEVICE").then(|| "/x/y.bc".into()));
        assert_eq!(search.paths[0], Path::new("/x/y.bc"));
        assert!(
            version(Path::new("/usr/local/cuda-12.10"))
                > version(Path::new("/usr/local/cuda-12.9"))
        );
    }
}
