from collections.abc import Iterator
from typing import Any

class HashGridQuery:
    """A query of a hash grid in a kernel: a loop over it gives the numbers of points."""

    def __iter__(self) -> Iterator[int]: ...
    def __class_getitem__(cls, dtype: Any) -> type[HashGridQuery]: ...
