#!/usr/bin/env bash
# Runs Python tests with the extension under AddressSanitizer: `asan_extension.sh PYTHON [pytest's arguments]`; without arguments,
# those of arrays, conversions, moved memory, cycles and launches. The extension's Rust code is instrumented; LLVM, the code of
# kernels and Python are not, but their memory comes from the same allocator. Builds in target/asan-extension.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$1
shift
cargo=${CARGO:-cargo}
"$cargo" +nightly --version >/dev/null 2>&1 || { echo 'asan_extension: no nightly compiler: rustup toolchain install nightly' >&2; exit 1; }
tests=tests/python
# Freed memory stays away for a while, so that a process grows.
[ $# -gt 0 ] || set -- "$tests"/{arrays/test_array,arrays/test_array_process,launch/test_launch,runtime/test_cycles}.py "$tests/interop/conversions" \
    "$tests"/interop/torch/test_{moved_memory,memory_that_is_gone,torch_memory}.py --deselect "$tests/arrays/test_array_process.py::test_memory_does_not_grow" \
    --deselect "$tests/interop/conversions/test_records.py::test_conversions_hold_nothing"

target=x86_64-unknown-linux-gnu
folder=target/asan-extension
PYO3_PYTHON=$(realpath -s "$python") RUSTFLAGS='-Zsanitizer=address -Zexternal-clangrt' \
    "$cargo" +nightly build --locked -p py --target $target --target-dir $folder
extension=$folder/package/warp/_warp.abi3.so
rm -rf $folder/package $folder/log.*
mkdir -p $folder/package
cp -r py/python/warp $folder/package
cp $folder/$target/debug/lib_warp.so $extension

# Python is not instrumented, so the runtime is loaded before it: gcc's, if it speaks the version that rustc's LLVM asks for.
runtime=$(gcc -print-file-name=libasan.so)
missing=$(comm -23 <(nm -D --undefined-only $extension | awk '$NF ~ /^__asan/ { print $NF }' | sort) \
    <(nm -D --defined-only "$runtime" | awk '{ print $NF }' | sort))
[ -z "$missing" ] || { echo "asan_extension: $runtime does not have what rustc's LLVM asks for:" $missing >&2; exit 1; }

# libstdc++ comes with it: the runtime looks up `__cxa_throw` at the start, before a framework loads the library. Frameworks
# free what they made by other functions, and tests ask for more memory than there is. pytest keeps what is printed, so reports
# go to files, one for each process.
options=detect_leaks=0:alloc_dealloc_mismatch=0:allocator_may_return_null=1:log_path=$PWD/$folder/log
status=0
LD_PRELOAD="$runtime $(gcc -print-file-name=libstdc++.so)" ASAN_OPTIONS=$options PYTHONMALLOC=malloc PYTHONPATH=$folder/package \
    "$python" -m pytest -q -p no:cacheprovider -p no:faulthandler -o timeout=0 "$@" || status=$?
for log in $folder/log.*; do
    if grep -qs 'ERROR: AddressSanitizer\|CHECK failed' "$log"; then
        cat "$log" >&2
        status=1
    fi
done
exit $status
