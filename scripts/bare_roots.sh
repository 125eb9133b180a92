#!/usr/bin/env bash
# The wheel on systems that have nothing but Python: `bare_roots.sh PYTHON WHEEL [SUITE ...]`, as root. In a root file system of each suite, which
# mmdebstrap makes below target/bare, a virtual environment gets the wheel, NumPy and torch; `python -m warp doctor` and the page
# docs/first-hour.md then run there. Suites are bookworm and trixie (Debian 12 and 13), jammy and noble (Ubuntu 22.04 and 24.04).
# Python's packages are fetched on this side, by the versions of requirements.txt: the roots have no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() { printf 'bare_roots: %s\n' "$*" >&2; exit 1; }

[ $# -ge 2 ] || fail 'usage: bare_roots.sh PYTHON WHEEL [SUITE ...]'
[ "$(id -u)" = 0 ] || fail 'chroot and mounts need root'
command -v mmdebstrap >/dev/null || fail 'mmdebstrap is not there: apt-get install mmdebstrap'
here=$1 wheel=$2
shift 2
[ $# -gt 0 ] || set -- bookworm trixie
folder=$PWD/target/bare

# Python's version in a suite: its own, or the first one that is new enough.
version_in() {
    case $1 in
        bookworm | jammy) echo 3.11 ;;
        noble) echo 3.12 ;;
        trixie) echo 3.13 ;;
        *) fail "$1 is not one of bookworm, trixie, jammy and noble" ;;
    esac
}

# The wheels of what the page needs, for that Python; those of torch are some gigabytes.
fetch() {
    local minor platforms=(--platform manylinux2014_x86_64)
    for minor in {36..5}; do
        platforms+=(--platform "manylinux_2_${minor}_x86_64")
    done
    "$here" -m pip download --quiet --no-deps --only-binary=:all: --python-version "$1" --dest "$folder/wheels" "${platforms[@]}" \
        --requirement "$folder/pinned.txt"
    touch "$folder/fetched-$1"
}

mkdir -p "$folder"
names='cuda-[a-z]+|filelock|fsspec|jinja2|markupsafe|mpmath|networkx|numpy|nvidia-[a-z0-9-]+|setuptools|sympy|torch|triton|typing-extensions'
sed -nE "s/^(($names)==[^ ;]+).*/\1/p" requirements.txt >"$folder/pinned.txt"
for suite in "$@"; do
    version=$(version_in "$suite")
    root=$folder/$suite
    if [ ! -f "$root/made" ]; then
        rm -rf "$root"
        mmdebstrap --variant=minbase --components=main,universe --include="python$version,python$version-venv" "$suite" "$root" \
            >"$folder/$suite.log" 2>&1 || fail "mmdebstrap did not make $suite: $folder/$suite.log says why"
        touch "$root/made"
    fi
    [ -f "$folder/fetched-$version" ] || fetch "$version"
    rm -rf "$root/trial"
    mkdir "$root/trial"
    cp "$wheel" docs/first-hour.md scripts/run_page.py "$folder/pinned.txt" "$root/trial"
    # A mount of its own, which goes with the processes.
    unshare --mount bash -euc '
        root=$1 version=$2 wheels=$3 wheel=$4
        mount -t proc proc "$root/proc"
        mkdir -p "$root/wheels"
        mount --bind "$wheels" "$root/wheels"
        run() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$root" "$@"; }
        run "python$version" -m venv --clear /trial/venv
        run /trial/venv/bin/pip install --quiet --no-index --no-deps --find-links /wheels --requirement /trial/pinned.txt "/trial/$wheel"
        run /trial/venv/bin/python -m warp doctor
        run /trial/venv/bin/python /trial/run_page.py /trial/first-hour.md
    ' bare "$root" "$version" "$folder/wheels" "$(basename "$wheel")" || fail "$suite: the commands above failed"
    printf 'bare_roots: %s (%s, Python %s): all ran\n' "$suite" \
        "$(. "$root/etc/os-release" && echo "$PRETTY_NAME")" "$(chroot "$root" "python$version" -c 'import platform; print(platform.python_version())')"
done
