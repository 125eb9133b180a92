#!/bin/sh
# In a bundle (scripts/gpu_bundle.sh): installs what is beside it, without a network, and runs the short run.
#
#   ./run.sh [--out FOLDER] [--budget SECONDS] ...
#
# PYTHON names an interpreter, 3.11 or 3.12; others take the NumPy that they have. Its packages stay visible, so that torch
# and jax are tested where they are. Nothing outside of this folder is written, but for --out. ENVIRONMENT=folder installs no
# virtual environment, which is what happens where there is no ensurepip; ENVIRONMENT=unzip does without pip, too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for name in ${PYTHON:-python3.12 python3.11 python3}; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$name && break; fi
done
if test -z "${python:-}"; then
    echo "run.sh: there is no Python 3.11 or later; PYTHON names one" >&2
    exit 2
fi

wheels=$here/wheels installed=$here/installed
test -d "$wheels" || "$python" "$here/scripts/gpu/pack.py" --unpack "$here/wheels.tar.xz" "$wheels"
pip="-m pip install --quiet --disable-pip-version-check --no-index --find-links $wheels"
packages="warp-rs pytest pytest-timeout hypothesis mpmath ml_dtypes"
run=$python
if test "${ENVIRONMENT:-venv}" = venv && rm -rf "$installed" &&
    "$python" -m venv --system-site-packages "$installed" >/dev/null 2>&1 &&
    "$installed/bin/python" $pip $packages; then
    run=$installed/bin/python
elif rm -rf "$installed" && test "${ENVIRONMENT:-venv}" != unzip && "$python" $pip --target "$installed" $packages; then
    export PYTHONPATH="$installed${PYTHONPATH:+:$PYTHONPATH}"
else
    "$python" "$here/scripts/gpu/install.py" "$wheels" "$installed"
    export PYTHONPATH="$installed${PYTHONPATH:+:$PYTHONPATH}"
fi
"$run" -c 'import numpy, pytest, warp; print(f"run.sh: warp {warp.__version__} of {warp.__file__}, NumPy {numpy.__version__}")'

if test -z "${WARP_LIBDEVICE:-}" && test -f "$here/libdevice.10.bc"; then export WARP_LIBDEVICE="$here/libdevice.10.bc"; fi
case " $* " in *" --out "*) ;; *) set -- --out "$here/out" "$@" ;; esac
exec "$run" "$here/scripts/test_gpu.py" --short "$@"
