#!/usr/bin/env bash
# Runs the tests of torch with other versions of it: `test_torch_versions.sh PYTHON WHEEL [VERSION...]`. Without versions: the
# last of each minor version from the oldest that py/pyproject.toml allows.
# Each has a virtual environment of its own under target/, of some gigabytes, which is deleted afterwards. What came of
# each version goes to docs/torch-versions.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$1 wheel=$2
shift 2
oldest=$(sed -n 's/^torch = \["torch>=\([0-9.]*\)"\]$/\1/p' py/pyproject.toml)
[ -n "$oldest" ] || { echo 'test_torch_versions: py/pyproject.toml names no oldest torch' >&2; exit 1; }
record=docs/torch-versions.md

# The last version of each minor version that is not older than the oldest.
wanted() {
    "$python" -m pip index versions torch | sed -n 's/^Available versions: //p' | tr -d ' ' | tr ',' '\n' |
        "$python" -c '
import sys
last = {}
for version in (line.strip() for line in sys.stdin):
    numbers = tuple(int(n) for n in version.split("."))
    if numbers[:2] >= tuple(int(n) for n in sys.argv[1].split(".")[:2]):
        last[numbers[:2]] = max(last.get(numbers[:2], ()), numbers)
print(*(".".join(map(str, last[minor])) for minor in sorted(last)))' "$oldest"
}

[ $# -gt 0 ] || set -- $(wanted)
failed=0
for version; do
    venv=target/torch-$version
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet "torch==$version" 'numpy>=2' pytest pytest-timeout hypothesis
    "$venv/bin/python" -m pip install --quiet --no-deps --no-index --force-reinstall "$wheel"
    "$venv/bin/python" -c "import torch; assert torch.__version__.split('+')[0] == '$version', torch.__version__"
    log=target/torch-$version.log
    if "$venv/bin/python" -m pytest -q tests/python/interop/torch 2>&1 | tee "$log"; then
        outcome=passed
    else
        outcome=failed failed=1
    fi
    way=$("$venv/bin/python" tests/python/interop/torch/torch_way.py)
    line="| $version | $outcome | $way | $(tail -n 1 "$log" | tr -d '=' | xargs) | $(date -u +%F) |"
    # The rows are the end of the file, from the oldest version to the newest.
    rows=$({ sed -n "/^| $version |/d; /^| [0-9]/p" "$record"; echo "$line"; } | sort -V)
    sed -i '/^| [0-9]/d' "$record"
    echo "$rows" >>"$record"
    rm -rf "$venv"
done
exit $failed
