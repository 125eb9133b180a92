"""Products of matrices that lie in arrays, row by row: functions of kernels that older programs call."""

from __future__ import annotations

from warp._language.decorators import func
from warp._warp import array


@func
def dense_gemm(
    m: int,
    n: int,
    p: int,
    t1: int,
    t2: int,
    A: array(dtype=float),  # type: ignore[valid-type]  # noqa: N803
    B: array(dtype=float),  # type: ignore[valid-type]  # noqa: N803
    C: array(dtype=float),  # type: ignore[valid-type]  # noqa: N803
) -> None:
    """Write the product of two matrices to a third one, all of it in the thread that calls this.

    Each matrix lies in an array of one dimension, row after row.

    Args:
        m: Rows of the product.
        n: Columns of the product.
        p: Columns of the first factor, and rows of the second.
        t1: Not 0: ``A`` holds the transpose of the first factor, ``p`` x ``m``.
        t2: Not 0: ``B`` holds the transpose of the second factor, ``n`` x ``p``.
        A: The first factor, ``m`` x ``p``.
        B: The second factor, ``p`` x ``n``.
        C: The product, ``m`` x ``n``.
    """
    for i in range(m):
        for j in range(n):
            total = float(0.0)
            for k in range(p):
                a = i * p + k
                if t1 != 0:
                    a = k * m + i
                b = k * n + j
                if t2 != 0:
                    b = j * p + k
                total += A[a] * B[b]
            C[i * n + j] = total
