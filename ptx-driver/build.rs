//! Gives the library the name under which a program asks for the CUDA driver.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Whoever loaded this file by path is found by a later dlopen("libcuda.so.1").
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
}
