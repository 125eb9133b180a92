"""Says how storages of the installed torch are held: see docs/torch-versions.md."""

import torch
import warp as wp


def is_direct() -> bool:
    """Whether an array holds the storage by its count alone: done where the probe has succeeded."""
    t = torch.zeros(3)
    storage = t.untyped_storage()._cdata
    before = torch._C._storage_Use_Count(storage)
    array = wp.from_torch(t)
    held = torch._C._storage_Use_Count(storage) - before
    del array
    return held == 1


if __name__ == "__main__":
    print("by its count" if is_direct() else "through its object")
