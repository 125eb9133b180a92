#!/bin/sh
# Makes a folder to carry to a machine with a GPU and without a network: our wheel, NumPy, pytest and what it needs, the tests,
# libdevice, and run.sh, which installs all that there and runs the short run (scripts/gpu/short.py).
#
#   scripts/gpu_bundle.sh PYTHON WHEEL FOLDER
#
# PYTHON has pip and a network. The folder is replaced; it stays below 60 MB: wheels are packed together, since NumPy's for two
# versions of Python have much in common. WARP_LIBDEVICE names libdevice.10.bc; without it the one that scripts/fetch_ptxas.sh fetched
# is taken, and without that none: the package has functions of its own.
set -eu
python=$1 wheel=$2 out=$3
root=$(cd "$(dirname "$0")/.." && pwd)
part=$out.part
rm -rf "$part" && mkdir -p "$part/wheels" "$part/ptx-driver/tests" "$part/scripts"

# The versions that are tested with: requirements.in has them.
pinned() {
    sed -n "s/^\($1==[^; ]*\).*/\1/p" "$root/requirements.in"
}
for version in 3.11 3.12; do
    "$python" -m pip download --quiet --disable-pip-version-check --only-binary=:all: --dest "$part/wheels" \
        --python-version "$version" --implementation cp --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 \
        --platform manylinux2014_x86_64 "$(pinned numpy)" "$(pinned pytest)" "$(pinned pytest-timeout)" "$(pinned hypothesis)" \
        "$(pinned mpmath)" "$(pinned ml_dtypes)"
done
cp "$wheel" "$part/wheels"

cp -r "$root/tests/python" "$part/python" && mkdir "$part/tests" && mv "$part/python" "$part/tests/python"
if test -d "$root/tests/goldens"; then cp -r "$root/tests/goldens" "$part/tests/goldens"; fi
cp -r "$root/scripts/gpu" "$root/scripts/test_gpu.py" "$part/scripts"
cp "$root/ptx-driver/tests/forms.txt" "$part/ptx-driver/tests"
cp "$root/pytest.ini" "$root/scripts/gpu/run.sh" "$part"
find "$part" -name __pycache__ -type d -prune -exec rm -rf {} +
libdevice=${WARP_LIBDEVICE:-$root/target/cuda/12/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc}
if test -f "$libdevice"; then
    cp "$libdevice" "$part/libdevice.10.bc"
else
    echo "gpu_bundle: there is no $libdevice, so that the bundle is without libdevice" >&2
fi

"$python" "$root/scripts/gpu/pack.py" "$part/wheels" "$part/wheels.tar.xz"
rm -rf "$part/wheels"
chmod +x "$part/run.sh"
size=$(du -sk --apparent-size "$part" | cut -f1)
if test "$size" -ge 60000; then
    echo "gpu_bundle: $size KB are too much: it has to stay below 60 MB" >&2
    exit 1
fi
rm -rf "$out" && mv "$part" "$out"
echo "gpu_bundle: $out, $size KB; there: ./run.sh [--budget SECONDS]"
