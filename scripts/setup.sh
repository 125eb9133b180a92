#!/usr/bin/env bash
# Installs what is missing: `setup.sh system` the Debian or Ubuntu packages, `setup.sh venv DIR` the Python ones.
# Does nothing, and asks for no rights, where everything is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

apt_install() {
    command -v apt-get >/dev/null || fail "please install: $* (this is no Debian or Ubuntu: there is no apt-get)"
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || fail "please install as root: $*"
        as_root=(sudo)
    fi
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    # A machine's package lists are often there and current: fetch them only when the install finds they are not.
    local install=("${as_root[@]}" apt-get install --yes --quiet=2 -o Dpkg::Use-Pty=0 --no-install-recommends "$@")
    "${install[@]}" </dev/null >/dev/null 2>&1 && return
    say "fetching the package lists"
    "${as_root[@]}" apt-get update --quiet=2
    "${install[@]}" </dev/null >/dev/null
}

# The archive that the compiler would link, or nothing.
archive() {
    local path
    path=$(g++ -print-file-name="$1" 2>/dev/null) && [ -f "$path" ]
}

find_python() {
    local name
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    fail "no Python 3.11 or later found${PYTHON:+ at $PYTHON}: install one, or name it with PYTHON=..."
}

system() {
    command -v cargo >/dev/null || fail "cargo not found: install Rust (the version in Cargo.toml, or later)"
    command -v gcc >/dev/null || fail "gcc not found: install it (apt-get install gcc)"
    local missing=()
    command -v g++ >/dev/null || missing+=(g++)
    # LLVM is linked statically, and its own dependencies with it. Polly's archive is named by llvm-config.
    [ -x /usr/lib/llvm-19/bin/llvm-config ] || missing+=(llvm-19-dev)
    [ -f /usr/lib/llvm-19/lib/libPolly.a ] || missing+=(libpolly-19-dev)
    archive libz.a || missing+=(zlib1g-dev)
    archive libzstd.a || missing+=(libzstd-dev)
    [ -d /usr/include/libxml2 ] || missing+=(libxml2-dev)
    # For the tests that start several processes as the documents do.
    command -v mpirun >/dev/null || missing+=(openmpi-bin)
    if [ ${#missing[@]} != 0 ]; then
        apt_install "${missing[@]}"
    fi
    local python
    python=$(find_python)
    # Debian splits venv off; without ensurepip a virtual environment has no pip.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        apt_install "$("$python" -c 'import sys; print("python{}.{}-venv".format(*sys.version_info))')"
    fi
}

venv() {
    local python
    python=$(find_python)
    if [ ! -x "$1/bin/python" ] || ! "$1/bin/python" -m pip --version >/dev/null 2>&1; then
        say "making $1 with $python"
        "$python" -m venv --clear "$1"
    fi
    say "installing the pinned Python packages (torch is large: some minutes the first time)"
    # The lock is complete, so nothing is resolved; every file is checked against its hash.
    "$1/bin/python" -m pip install --quiet --no-deps --require-hashes --requirement requirements.txt
    "$1/bin/python" -m pip check
}

case "${1:-}" in
    system) system ;;
    venv) venv "${2:?which folder?}" ;;
    *) fail "usage: setup.sh system | setup.sh venv DIR" ;;
esac
