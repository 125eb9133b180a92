//! Links LLVM 19 statically, with everything it needs except libc and libm.
//!
//! `llvm-sys` can link LLVM itself, but leaves libstdc++, zlib and zstd dynamic, which a wheel must
//! not. So we ask `llvm-config` for the archives of the components in use and name them here.
//! `-bundle` keeps 100 MB of archives out of our rlib: they are read when the final link runs.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::{Command, exit};

const COMPONENTS: &[&str] = &[
    "core",
    "orcjit",
    "jitlink",
    "passes",
    "irreader",
    "bitreader",
    "bitwriter",
    "linker",
    "nvptx",
];
const PACKAGES: &str = "llvm-19-dev libpolly-19-dev zlib1g-dev libzstd-dev libxml2-dev g++";

fn main() {
    println!("cargo:rustc-env=WARP_CORE_SOURCES={:016x}", sources());
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    println!("cargo:rerun-if-env-changed=CXX");
    if env::var_os("CARGO_FEATURE_LLVM").is_none() {
        return;
    }
    let config = find_llvm_config();
    let libdir = ask(&config, &["--libdir"]);
    println!("cargo:rustc-link-search=native={libdir}");
    let target = |what: &str| env::var(what).unwrap_or_default();
    let mut query = vec!["--link-static", "--libnames"];
    query.extend(COMPONENTS);
    query.push(match target("CARGO_CFG_TARGET_ARCH").as_str() {
        "x86_64" => "x86",
        "aarch64" => "aarch64",
        other => fail(&format!("kernels are not compiled for {other}")),
    });
    for name in ask(&config, &query).split_whitespace() {
        if !Path::new(&libdir).join(name).exists() {
            fail(&format!(
                "{config} names {name}, but {libdir} does not hold it"
            ));
        }
        link_static(name);
    }
    let for_target = format!("CXX_{}", target("TARGET").replace('-', "_"));
    println!("cargo:rerun-if-env-changed={for_target}");
    let cxx = env::var(for_target).or_else(|_| env::var("CXX"));
    let cxx = cxx.unwrap_or_else(|_| "g++".into());
    for name in ["libstdc++.a", "libz.a", "libzstd.a"] {
        // The compiler answers with the bare name when it does not find the file.
        let path = ask(&cxx, &[&format!("-print-file-name={name}")]);
        match Path::new(&path)
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
        {
            Some(dir) => println!("cargo:rustc-link-search=native={}", dir.display()),
            None => fail(&format!("{cxx} does not find {name}")),
        }
        link_static(name);
    }
    println!("cargo:rustc-link-lib=dylib=m");
}

/// A number for the sources of this crate: code that another build of it left in the cache is not ours.
fn sources() -> u64 {
    let mut digest = DefaultHasher::new();
    for name in ["build.rs", "Cargo.toml", "src"] {
        println!("cargo:rerun-if-changed={name}");
        add(Path::new(name), &mut digest);
    }
    digest.finish()
}

fn add(path: &Path, digest: &mut DefaultHasher) {
    if !path.is_dir() {
        let text = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, text).hash(digest);
        return;
    }
    let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().for_each(|path| add(path, digest));
}

fn link_static(file: &str) {
    let name = file.trim_start_matches("lib").trim_end_matches(".a");
    println!("cargo:rustc-link-lib=static:-bundle={name}");
}

/// The first `llvm-config` that answers with version 19.
fn find_llvm_config() -> String {
    if let Ok(named) = env::var("LLVM_CONFIG") {
        let version = ask(&named, &["--version"]);
        if !version.starts_with("19.") {
            fail(&format!("LLVM_CONFIG={named} is LLVM {version}, not 19"));
        }
        return named;
    }
    for candidate in [
        "llvm-config-19",
        "/usr/lib/llvm-19/bin/llvm-config",
        "llvm-config",
    ] {
        let found = Command::new(candidate).arg("--version").output();
        if found.is_ok_and(|o| o.status.success() && o.stdout.starts_with(b"19.")) {
            return candidate.into();
        }
    }
    fail("no llvm-config of LLVM 19 was found");
}

fn ask(program: &str, args: &[&str]) -> String {
    match Command::new(program).args(args).output() {
        Ok(o) if o.status.success() => String::from_utf8_lossy(&o.stdout).trim().to_string(),
        Ok(o) => fail(&format!(
            "{program} {}: {}",
            args.join(" "),
            String::from_utf8_lossy(&o.stderr).trim()
        )),
        Err(e) => fail(&format!("{program} does not run: {e}")),
    }
}

fn fail(why: &str) -> ! {
    eprintln!(
        "\nwarp-core needs the static libraries of LLVM 19: {why}.\n\
         On Debian 12+ or Ubuntu 24.04+:\n\n    \
         apt-get install --no-install-recommends {PACKAGES}\n\n\
         For an LLVM elsewhere set LLVM_CONFIG to its llvm-config. Without native code:\n\
         cargo build -p warp-core --no-default-features\n"
    );
    exit(1)
}
