"""Packs wheels into one archive, smaller than they are together, and unpacks it.

    python pack.py FOLDER ARCHIVE.tar.xz
    python pack.py --unpack ARCHIVE.tar.xz FOLDER

Each wheel becomes one without compression, which any installer takes; then xz compresses all of them together and finds
what they have in common. Needs Python's own library alone.
"""

from __future__ import annotations

import lzma
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

# As far back as xz looks for what it has seen: to the other version's NumPy.
WINDOW = 1 << 27


def stored(wheel: Path, target: Path) -> None:
    """The same wheel, without compression."""
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as sink:
        for entry in source.infolist():
            data = source.read(entry)
            entry.compress_type = zipfile.ZIP_STORED
            sink.writestr(entry, data)


def pack(folder: Path, archive: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": WINDOW}]
    with (
        tempfile.TemporaryDirectory() as temporary,
        lzma.open(archive, "wb", filters=filters) as sink,
        tarfile.open(fileobj=sink, mode="w") as tar,
    ):
        # In the order of names, in which NumPy's stand side by side.
        for wheel in sorted(folder.glob("*.whl")):
            plain = Path(temporary, wheel.name)
            stored(wheel, plain)
            tar.add(plain, wheel.name)
            plain.unlink()


def unpack(archive: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "r:xz") as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
        else:
            tar.extractall(folder)  # Python 3.11.3 or older


def main() -> int:
    if sys.argv[1] == "--unpack":
        unpack(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        pack(Path(sys.argv[1]), Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
