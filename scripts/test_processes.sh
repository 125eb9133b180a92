#!/usr/bin/env bash
# Runs the programs of docs/processes.md in two processes each: `test_processes.sh PYTHON`.
# What they need besides is installed once, under target/; `mpirun` is that of the machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$1 packages=$PWD/target/processes
if [ ! -d "$packages/ray" ]; then
    "$python" -m pip install --quiet --target "$packages" mpi4py 'dask[distributed]' ray
fi
WARP_PROCESSES=$packages exec "$python" -m pytest -m soak tests/python/interop/test_several_processes.py
