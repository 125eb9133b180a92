#!/usr/bin/env bash
# Runs the tests of jax with the oldest version that py/pyproject.toml allows: `test_jax_oldest.sh PYTHON WHEEL`.
# The virtual environment is made once, under target/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$1 wheel=$2
oldest=$(sed -n 's/^jax = \["jax>=\([0-9.]*\)"\]$/\1/p' py/pyproject.toml)
[ -n "$oldest" ] || { echo 'test_jax_oldest: py/pyproject.toml names no oldest jax' >&2; exit 1; }
[[ $oldest == *.*.* ]] || oldest=$oldest.0
# Wheels of so old a jax are for the Pythons of its time.
if ! "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 14))'; then
    echo "test_jax_oldest: jax $oldest has no wheels for $("$python" --version)"
    exit 0
fi
venv=target/jax-$oldest
if [ ! -x "$venv/bin/pytest" ]; then
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet "jax==$oldest" "jaxlib==$oldest" 'numpy>=2' absl-py flatbuffers pytest pytest-timeout hypothesis
fi
"$venv/bin/python" -m pip install --quiet --no-deps --no-index --force-reinstall "$wheel"
"$venv/bin/python" -c "import jax; assert jax.__version__ == '$oldest', jax.__version__"
exec "$venv/bin/python" -m pytest tests/python/interop/jax tests/python/faults/test_jitted.py
