//! Link options of the extension module: nothing of what is linked statically (LLVM, libstdc++,
//! zlib, zstd) may be seen by, or be replaced by, other libraries of the process.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for option in [
        "--exclude-libs,ALL",
        "-Bsymbolic",
        "--gc-sections",
        // LLVM repeats itself: 6 MB of equal functions and relocations.
        "--icf=all",
        "-z,pack-relative-relocs",
    ] {
        println!("cargo:rustc-cdylib-link-arg=-Wl,{option}");
    }
}
