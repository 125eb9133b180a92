#!/usr/bin/env bash
# Runs the tests of arrays with the oldest NumPy that py/pyproject.toml allows: `test_numpy_oldest.sh PYTHON WHEEL`.
# The virtual environment is made once, under target/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$1 wheel=$2
oldest=$(sed -n 's/^numpy = \["numpy>=\([0-9.]*\)"\]$/\1/p' py/pyproject.toml)
[ -n "$oldest" ] || { echo 'test_numpy_oldest: py/pyproject.toml names no oldest NumPy' >&2; exit 1; }
# Wheels of so old a NumPy are for the Pythons of its time.
if ! "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 13))'; then
    echo "test_numpy_oldest: NumPy $oldest has no wheels for $("$python" --version)"
    exit 0
fi
venv=target/numpy-$oldest
if [ ! -x "$venv/bin/pytest" ]; then
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet "numpy==$oldest.*" pytest pytest-timeout hypothesis
fi
"$venv/bin/python" -m pip install --quiet --no-deps --no-index --force-reinstall "$wheel"
conversions=tests/python/interop/conversions
exec "$venv/bin/python" -m pytest tests/python/arrays "$conversions"/test_{numpy,numpy_types,records}.py
