#!/usr/bin/env bash
# Runs Rust tests under a sanitizer of LLVM's: `sanitize.sh address|thread [cargo test's arguments]`. The standard library comes
# built and is not instrumented. Each sanitizer builds in a folder of its own, target/asan or target/tsan.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo=${CARGO:-cargo}
kind=$1
shift
"$cargo" +nightly --version >/dev/null 2>&1 || { echo "sanitize: no nightly compiler: rustup toolchain install nightly" >&2; exit 1; }

flags="-Zsanitizer=$kind"
case $kind in
address)
    folder=target/asan
    # Pools, types and LLVM's globals live as long as the process.
    export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1
    ;;
thread)
    folder=target/tsan
    # All crates agree on the instrumentation but the standard library.
    flags+=" -Cunsafe-allow-abi-mismatch=sanitizer"
    export TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.supp second_deadlock_stack=1 die_after_fork=0"
    ;;
*)
    echo "sanitize: address or thread, not $kind" >&2
    exit 1
    ;;
esac
RUSTFLAGS=$flags exec "$cargo" +nightly test --locked --target x86_64-unknown-linux-gnu --target-dir "$folder" "$@"
