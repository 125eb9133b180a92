#!/usr/bin/env bash
# Runs the targets of fuzz/ one after the other: `fuzz.sh [SECONDS [TARGET...]]`; each for 300 seconds unless told otherwise.
# Seeds are the golden files. What a target has found out stays in fuzz/corpus, an input that fails in fuzz/artifacts: give it a
# regression test in a unit test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo=${CARGO:-cargo}
seconds=${1:-300}
shift || true
[ $# -gt 0 ] || set -- front ir_read dlpack

"$cargo" +nightly --version >/dev/null 2>&1 || { echo 'fuzz: no nightly compiler: rustup toolchain install nightly' >&2; exit 1; }
"$cargo" fuzz --version >/dev/null 2>&1 || { echo 'fuzz: cargo-fuzz is missing: cargo install cargo-fuzz' >&2; exit 1; }

# The golden files whose first line says one of some tests: the part before the line of dashes.
seed() {
    local target=$1 file place
    shift
    mkdir -p "fuzz/corpus/$target"
    for file in $(grep -rlE "^# test ($(IFS='|' && echo "$*"))$" tests/filetests); do
        place=${file#tests/filetests/}
        sed '/^----$/,$d' "$file" >"fuzz/corpus/$target/seed-${place//\//-}"
    done
}

# The IR that the golden files of the front hold, a file for each kernel.
seed_kernels() {
    local file
    for file in $(grep -rlx '# test front' tests/filetests); do
        sed '1,/^----$/d' "$file" | awk -v to="fuzz/corpus/ir_read/seed-$(basename "$file" .txt)" \
            '/^kernel /{ n++ } n { print > (to "-" n ".txt") }'
    done
}

seed front front error
seed ir_read 'lower host' adjoint 'adjoint twice'
seed_kernels
mkdir -p fuzz/corpus/dlpack

for target; do
    options=(-timeout=20 -rss_limit_mb=4096 "-max_total_time=$seconds")
    [ "$target" = dlpack ] || options+=(-only_ascii=0 -max_len=4096 "-dict=fuzz/$target.dict")
    # Leaks are those of Python's library and of types that live as long as the process.
    ASAN_OPTIONS=detect_leaks=0 "$cargo" +nightly fuzz run --target-dir target/fuzz "$target" -- "${options[@]}"
done
