#!/usr/bin/env bash
# A wheel for aarch64, cross-built on Debian 12 for x86-64: `aarch64.sh wheel PYTHON` builds and checks it, `aarch64.sh test PYTHON PARTS` runs
# tests of it (`core`: the unit tests of what is for one architecture alone; `crate`: kernels, builtins and lowering, which compiles much in the
# emulator; `python`: launches, tapes and lanes), and `aarch64.sh pytest PYTHON FILES` other ones. PYTHON is that of the machine, with maturin.
#
# Nothing is installed: Debian's packages are fetched by apt-get and unpacked below target/aarch64, the compiler takes that folder for the
# root of its files, and qemu-user runs programs for aarch64. `rustup target add aarch64-unknown-linux-gnu` is done once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$PWD/target/aarch64
root=$folder/root tools=$folder/tools bin=$folder/bin
triple=aarch64-unknown-linux-gnu
# What runs here, as Debian names it; the C library is that of the root, not of the cross compiler's packages.
HERE=(binutils-aarch64-linux-gnu cpp-12-aarch64-linux-gnu gcc-12-aarch64-linux-gnu g++-12-aarch64-linux-gnu libgcc-12-dev-arm64-cross
    libstdc++-12-dev-arm64-cross qemu-user-static)
# What the wheel is linked with, and the Python that tests it.
THERE=(llvm-19-dev libpolly-19-dev zlib1g-dev libzstd-dev libxml2-dev libstdc++-12-dev python3.11)

fail() { printf 'aarch64: %s\n' "$*" >&2; exit 1; }

# apt-get as on a machine for aarch64 on which nothing is installed, with the package sources of this one.
apt_there() {
    mkdir -p "$folder"/apt/{state,lists/partial,archives/partial}
    : >"$folder/apt/status"
    apt-get --quiet=2 --yes -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Install-Recommends=false \
        -o APT::Sandbox::User="$(id -un)" -o Dir::State="$folder/apt/state" -o Dir::State::lists="$folder/apt/lists" \
        -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" -o Dir::Cache::archives="$folder/apt/archives" \
        -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::sourcelist="$1" "${@:2}" >/dev/null
}

unpack() {
    local package
    mkdir -p "$2"
    for package in "$1"/*.deb; do
        dpkg-deb -x "$package" "$2"
    done
}

packages() {
    local list="${HERE[*]} ${THERE[*]}"
    [ "$(cat "$folder/unpacked" 2>/dev/null)" = "$list" ] && return
    local sources=/etc/apt/sources.list.d/debian.sources
    [ -f $sources ] || sources=/etc/apt/sources.list
    grep -qs bookworm $sources || fail "$sources is not that of Debian 12, whose packages are needed"
    rm -rf "$root" "$tools"
    mkdir -p "$folder/here"
    (cd "$folder/here" && apt-get --quiet=2 download "${HERE[@]}") || fail 'the packages of the compiler were not found; apt-get update?'
    apt_there $sources update
    apt_there $sources install --download-only "${THERE[@]}"
    unpack "$folder/here" "$tools"
    unpack "$folder/apt/archives" "$root"
    echo "$list" >"$folder/unpacked"
}

# Absolute links become relative ones, within the root: where one leads to the machine's /lib, the linker finds no libm.so, and takes libm.a.
# At each start, so that a root which was unpacked by an older script is mended, too.
links() {
    local link target
    find "$root" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
        ln -sfnr "$root${target#"$root"}" "$link"
    done
}

# A program of that name, which does `$2`.
program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# rustc brings lld, whose options `py/build.rs` has.
programs() {
    mkdir -p "$bin"
    local lld libraries name
    lld=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/gcc-ld
    [ -d "$(rustc --print sysroot)/lib/rustlib/$triple" ] || fail "rustup target add $triple"
    libraries="LD_LIBRARY_PATH='$tools/usr/lib/x86_64-linux-gnu' exec '$tools/usr/bin/aarch64-linux-gnu-"
    for name in gcc g++; do
        program $name "${libraries}$name-12' --sysroot='$root' -B '$lld' -fuse-ld=lld \"\$@\""
    done
    program ar "${libraries}ar' \"\$@\""
    program run "exec '$tools/usr/bin/qemu-aarch64-static' -L '$root' \"\$@\""
    # Tests that start Python start this program, since the kernel need not know qemu (`binfmt_misc`).
    program python "exec '$bin/run' '$root/usr/bin/python3.11' \"\$@\""
    program llvm-config "exec '$bin/run' '$root/usr/lib/llvm-19/bin/llvm-config' \"\$@\""
    export CC_aarch64_unknown_linux_gnu=$bin/gcc CXX_aarch64_unknown_linux_gnu=$bin/g++ AR_aarch64_unknown_linux_gnu=$bin/ar
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$bin/g++ CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=$bin/run
    export LLVM_CONFIG=$bin/llvm-config CARGO_TARGET_DIR=$folder/build
}

wheel() {
    rm -rf "$folder/wheels"
    "$1" -m maturin build --release --locked --target $triple --compatibility manylinux_2_28 --manifest-path py/Cargo.toml \
        --out "$folder/wheels"
    "$1" scripts/check_wheel.py "$folder"/wheels/*.whl
}

# The wheel, unpacked, with what tests import, for Python 3.11 on aarch64.
packages_of_python() {
    rm -rf "$folder/python/warp"
    if [ ! -d "$folder/python/numpy" ]; then
        mapfile -t names < <(sed -nE 's/^((numpy|pytest|pytest-timeout|hypothesis|mpmath|ml_dtypes)==[^;]*).*/\1/p' requirements.in)
        "$1" -m pip install --quiet --target "$folder/python" --python-version 3.11 --only-binary=:all: \
            --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 "${names[@]}"
    fi
    "$1" -m zipfile -e "$folder"/wheels/*.whl "$folder/python"
}

python_tests() {
    [ -d "$folder/wheels" ] || fail 'no wheel: aarch64.sh wheel PYTHON'
    packages_of_python "$1"
    local program="import sys; sys.executable = '$bin/python'; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    # An instruction takes 10 to 50 times as long: fewer random programs.
    WARP_RANDOM_LANES=${WARP_RANDOM_LANES:-40} PYTHONPATH=$folder/python WARP_CACHE_PATH=$folder/cache "$bin/python" -c "$program" -q -p no:cacheprovider -o timeout=3600 "${@:2}"
}

tests_of() {
    case $1 in
        core) cargo test --locked --target $triple -p warp-core --lib -- floating_point backend:: geometry:: lower:: ;;
        crate) cargo test --locked --target $triple -p tests --test native --test builtins --test lower ;;
        python)
            python_tests "$2" tests/python/launch/test_launch.py tests/python/gradients/test_tape.py \
                tests/python/compiled/lanes/test_lanes.py
            ;;
        *) fail "there is no part $1: core, crate, python" ;;
    esac
}

case "${1:-}" in
    wheel | pytest) [ $# -gt 1 ] || fail "usage: aarch64.sh $1 PYTHON" ;;
    test) [ $# -gt 2 ] || fail 'usage: aarch64.sh test PYTHON PARTS, of core, crate, python' ;;
    *) fail 'usage: aarch64.sh wheel PYTHON | aarch64.sh test PYTHON PARTS | aarch64.sh pytest PYTHON [FILES]' ;;
esac
python=$(realpath -s "$2")
packages
links
programs
case $1 in
    wheel) wheel "$python" ;;
    pytest) python_tests "$python" "${@:3}" ;;
    test)
        for part in "${@:3}"; do
            tests_of "$part" "$python"
        done
        ;;
esac
