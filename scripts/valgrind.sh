#!/usr/bin/env bash
# Runs Python tests under valgrind's memcheck: `valgrind.sh PYTHON [pytest's arguments]`; without arguments, those of NumPy's
# arrays. The extension is a development build, so that its frames have names; it lies under
# target/. Fails where memory that is not ours is touched with the extension on the stack.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$1
shift
[ $# -gt 0 ] || set -- tests/python/interop/conversions/test_numpy.py
command -v valgrind >/dev/null || { echo 'valgrind: it is missing: apt-get install valgrind' >&2; exit 1; }

package=target/valgrind
if [ -z "${WARP_BUILT:-}" ]; then
    PYO3_PYTHON=$(realpath -s "$python") "${CARGO:-cargo}" build --locked -p py
    WARP_BUILT=${CARGO_TARGET_DIR:-target}/debug/lib_warp.so
fi
mkdir -p "$package"
cp -r py/python/warp "$package"
cp "$WARP_BUILT" "$package/warp/_warp.abi3.so"

# Python's own allocator hides from memcheck what is freed. What touches the wrong memory ends in this log.
log=target/valgrind/log
status=0
PYTHONMALLOC=malloc PYTHONPATH=$package valgrind --log-file="$log" --num-callers=40 --undef-value-errors=no \
    "$python" -m pytest -q -p no:cacheprovider -o timeout=0 "$@" || status=$?
if awk -v RS='==[0-9]+== \n' '/Invalid (read|write|free)|Mismatched free|Source and destination overlap/ && /_warp|warp_/ { print; found = 1 } END { exit !found }' "$log"; then
    echo "valgrind: the above, of $log" >&2
    exit 1
fi
exit $status
