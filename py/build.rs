//! Link options of the extension module: nothing of what is linked statically (LLVM, libstdc++,
//! zlib, zstd) may be seen by, or be replaced by, other libraries of the process, and nothing newer than glibc 2.28 is needed.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for option in [
        "--exclude-libs,ALL",
        "-Bsymbolic",
        "--gc-sections",
        // LLVM repeats itself: 6 MB of equal functions and relocations.
        "--icf=all",
    ] {
        link_arg(&format!("-Wl,{option}"));
    }
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("ENV") == "gnu" {
        link_for_old_glibc();
    }
}

/// Links `glibc.c`, and the libraries in which older versions of glibc keep what it names. Newer ones have them, empty.
fn link_for_old_glibc() {
    println!("cargo:rerun-if-changed=glibc.c");
    let mut build = cc::Build::new();
    // What is said to rustc is not said to C.
    build.inherit_rustflags(false);
    // Its declarations are those that the linker sees, not those of C's headers.
    build.file("glibc.c").flag("-fno-builtin").opt_level(2);
    for object in build.compile_intermediates() {
        link_arg(&object.display().to_string());
    }
    link_arg("-Wl,--push-state,--no-as-needed,-l:libpthread.so.0,-l:libdl.so.2,--pop-state");
}

fn link_arg(arg: &str) {
    println!("cargo:rustc-cdylib-link-arg={arg}");
}
