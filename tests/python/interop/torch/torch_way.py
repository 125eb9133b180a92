"""Says how storages of the installed torch are held: see docs/torch-versions.md."""

import sys

import torch
import warp as wp


def is_direct() -> bool:
    """Whether an array holds the storage by its count alone: done where the probe has succeeded."""
    t = torch.zeros(3)
    storage = t.untyped_storage()

    def users() -> tuple[int, int]:
        return torch._C._storage_Use_Count(storage._cdata), sys.getrefcount(storage)

    counted, referred = users()
    array = wp.from_torch(t)
    after = users()
    del array
    return after == (counted + 1, referred)


if __name__ == "__main__":
    print("by its count" if is_direct() else "through its object")
