#!/bin/sh
# Fetches NVIDIA's assemblers, for tests only, from PyPI into target/cuda: 12.9, which knows all devices there are, and 11.8, the
# oldest whose drivers are to take our PTX. Nothing of theirs is shipped. Without a network it says so and is content.
#
#   scripts/fetch_ptxas.sh PYTHON
set -u
python=${1:-python3}
dir=$(dirname "$0")/../target/cuda
mkdir -p "$dir"

fetch() { # folder, package
    test -x "$dir/$1/nvidia/cuda_nvcc/bin/ptxas" && return 0
    # Both unpack to the same path, so each has a folder to itself.
    rm -rf "$dir/$1.part" && mkdir -p "$dir/$1.part"
    if "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$dir/$1.part" "$2" &&
        "$python" -m zipfile -e "$dir/$1.part"/*.whl "$dir/$1.part"; then
        rm -f "$dir/$1.part"/*.whl
        chmod +x "$dir/$1.part/nvidia/cuda_nvcc/bin/ptxas"
        rm -rf "${dir:?}/$1" && mv "$dir/$1.part" "$dir/$1"
    else
        rm -rf "$dir/$1.part"
        echo "$2 could not be fetched: PTX is not assembled by the tests" >&2
    fi
}

fetch 12 nvidia-cuda-nvcc-cu12==12.9.86
fetch 11 nvidia-cuda-nvcc-cu11==11.8.89
exit 0
