#!/usr/bin/env bash
# Runs under Miri the unit tests that need no C code: arrays, their owners and views, interop, and DLPack without Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo=${CARGO:-cargo}
missing() {
    echo "miri: $1 is missing: rustup toolchain install nightly --component $2" >&2
    exit 1
}
"$cargo" +nightly --version >/dev/null 2>&1 || missing 'a nightly compiler' 'miri,rust-src'
"$cargo" +nightly miri --version >/dev/null 2>&1 || missing Miri miri
[ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] || missing "the standard library's source" rust-src

# The tests look at the environment and the clock; few cases, since Miri is some hundred times slower.
export MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=20
"$cargo" +nightly miri test --locked -p warp-core --lib --no-default-features --target-dir target/miri -- array:: interop:: tape::
# Fifty thousand cases would take days.
"$cargo" +nightly miri test --locked -p warp-dlpack --lib --test dlpack --target-dir target/miri -- --skip fifty_thousand
# These count what is deleted, and leave on purpose what a process that ends may not delete.
MIRIFLAGS="$MIRIFLAGS -Zmiri-ignore-leaks" \
    "$cargo" +nightly miri test --locked -p warp-dlpack --test deleters --target-dir target/miri
