"""Sorting, searching, graphs and strings of numbers."""

import numpy as np
from program import program

INFINITE = 1 << 20


def odd_even_transposition(wp):
    @wp.kernel
    def step(a: wp.array(dtype=float), first: int):
        i = 2 * wp.tid() + first
        if i + 1 < a.shape[0] and a[i] > a[i + 1]:
            t = float(a[i])
            a[i] = a[i + 1]
            a[i + 1] = t

    a = wp.array(np.random.default_rng(0).normal(size=15), dtype=float)
    for n in range(16):
        wp.launch(step, dim=8, inputs=[a, n % 2])
    return a


@program(exact=True)
def bitonic_sort(wp):
    @wp.kernel
    def step(a: wp.array(dtype=wp.uint32), k: int, j: int):
        i = wp.tid()
        p = i ^ j
        if p > i:
            up = (i & k) == 0
            x, y = wp.uint32(a[i]), wp.uint32(a[p])
            if (x > y) == up:
                a[i] = y
                a[p] = x

    a = wp.array(np.random.default_rng(1).integers(0, 2**32, 32, dtype=np.uint32), dtype=wp.uint32)
    k = 2
    while k <= 32:
        j = k // 2
        while j > 0:
            wp.launch(step, dim=32, inputs=[a, k, j])
            j //= 2
        k *= 2
    return a


@program(exact=True)
def counting_sort(wp):
    @wp.kernel
    def count(x: wp.array(dtype=wp.uint8), n: wp.array(dtype=int)):
        i = wp.tid()
        wp.atomic_add(n, int(x[i]) + 1, 1)

    @wp.kernel
    def spread(n: wp.array(dtype=int), y: wp.array(dtype=wp.uint8)):
        v = wp.tid()
        for i in range(n[v], n[v + 1]):
            y[i] = wp.uint8(v)

    x = wp.array(np.random.default_rng(2).integers(0, 8, 40), dtype=wp.uint8)
    n, total, y = wp.zeros(9, dtype=int), wp.zeros(9, dtype=int), wp.zeros(40, dtype=wp.uint8)
    wp.launch(count, dim=40, inputs=[x, n])
    wp.utils.array_scan(n, total, inclusive=True)
    wp.launch(spread, dim=8, inputs=[total, y])
    return n, total, y


@program(exact=True)
def ranks_by_comparison(wp):
    @wp.kernel
    def rank(x: wp.array(dtype=float), r: wp.array(dtype=int)):
        i = wp.tid()
        n = int(0)
        for j in range(x.shape[0]):
            if x[j] < x[i] or (x[j] == x[i] and j < i):
                n += 1
        r[i] = n

    x = wp.array(np.round(np.random.default_rng(3).normal(size=25), 1), dtype=float)
    r = wp.zeros(25, dtype=int)
    wp.launch(rank, dim=25, inputs=[x, r])
    return r


@program(exact=True)
def breadth_first_levels(wp):
    @wp.kernel
    def expand(
        start: wp.array(dtype=int),
        to: wp.array(dtype=int),
        level: wp.array(dtype=int),
        now: int,
        n: wp.array(dtype=int),
    ):
        i = wp.tid()
        if level[i] == now:
            for e in range(start[i], start[i + 1]):
                j = to[e]
                if wp.atomic_cas(level, j, -1, now + 1) == -1:
                    wp.atomic_add(n, 0, 1)

    rng = np.random.default_rng(4)
    edges = np.unique(rng.integers(0, 20, (40, 2)), axis=0)
    start = np.searchsorted(edges[:, 0], np.arange(21)).astype(np.int32)
    to = wp.array(edges[:, 1], dtype=int)
    first = np.full(20, -1, np.int32)
    first[edges[0, 0]] = 0
    level = wp.array(first)
    for now in range(20):
        n = wp.zeros(1, dtype=int)
        wp.launch(expand, dim=20, inputs=[wp.array(start), to, level, now, n])
        if n.numpy()[0] == 0:
            break
    return level, now


@program(exact=True)
def shortest_paths_of_all_pairs(wp):
    @wp.kernel
    def relax(d: wp.array2d(dtype=int), k: int):
        i, j = wp.tid()
        through = d[i, k] + d[k, j]
        if through < d[i, j]:
            d[i, j] = through

    rng = np.random.default_rng(5)
    start = np.where(rng.random((9, 9)) < 0.35, rng.integers(1, 20, (9, 9)), INFINITE)
    np.fill_diagonal(start, 0)
    d = wp.array(start, dtype=int)
    for k in range(9):
        wp.launch(relax, dim=(9, 9), inputs=[d, k])
    return d


@program(exact=True)
def connected_components(wp):
    @wp.kernel
    def hook(a: wp.array(dtype=wp.vec2i), label: wp.array(dtype=int), changed: wp.array(dtype=int)):
        e = wp.tid()
        u, v = label[a[e][0]], label[a[e][1]]
        lo = wp.min(u, v)
        if u != v:
            wp.atomic_min(label, a[e][0], lo)
            wp.atomic_min(label, a[e][1], lo)
            changed[0] = 1

    edges = wp.array(np.random.default_rng(6).integers(0, 30, (18, 2)), dtype=wp.vec2i)
    label = wp.array(np.arange(30), dtype=int)
    while True:
        changed = wp.zeros(1, dtype=int)
        wp.launch(hook, dim=18, inputs=[edges, label, changed])
        if changed.numpy()[0] == 0:
            return label


def ranking_of_pages(wp):
    @wp.kernel
    def push(start: wp.array(dtype=int), to: wp.array(dtype=int), r: wp.array(dtype=float), s: wp.array(dtype=float)):
        i = wp.tid()
        n = start[i + 1] - start[i]
        for e in range(start[i], start[i + 1]):
            wp.atomic_add(s, to[e], 0.85 * r[i] / float(n))

    start = wp.array([0, 2, 3, 6, 7], dtype=int)
    to = wp.array([1, 2, 3, 0, 1, 3, 2], dtype=int)
    r = wp.full(4, 0.25, dtype=float)
    for _ in range(12):
        s = wp.full(4, 0.0375, dtype=float)
        wp.launch(push, dim=4, inputs=[start, to, r, s])
        r = s
    return r


@program(exact=True)
def edit_distances(wp):
    @wp.kernel
    def distance(a: wp.array2d(dtype=wp.uint8), b: wp.array(dtype=wp.uint8), d: wp.array3d(dtype=int)):
        t = wp.tid()
        n, m = a.shape[1], b.shape[0]
        for i in range(n + 1):
            d[t, i, 0] = i
        for j in range(m + 1):
            d[t, 0, j] = j
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                cost = 1
                if a[t, i - 1] == b[j - 1]:
                    cost = 0
                d[t, i, j] = wp.min(wp.min(d[t, i - 1, j] + 1, d[t, i, j - 1] + 1), d[t, i - 1, j - 1] + cost)

    words = np.frombuffer(b"kittensittinsattenmitten", np.uint8).reshape(4, 6)
    a, b = wp.array(words), wp.array(np.frombuffer(b"sitting", np.uint8).copy())
    d = wp.zeros((4, 7, 8), dtype=int)
    wp.launch(distance, dim=4, inputs=[a, b, d])
    return d.numpy()[:, -1, -1]


@program(exact=True)
def subsequences_by_dynamic_programming(wp):
    @wp.kernel
    def longest(x: wp.array2d(dtype=int), best: wp.array2d(dtype=int), y: wp.array(dtype=int)):
        t = wp.tid()
        top = int(0)
        for i in range(x.shape[1]):
            b = int(1)
            for j in range(i):
                if x[t, j] < x[t, i]:
                    b = wp.max(b, best[t, j] + 1)
            best[t, i] = b
            top = wp.max(top, b)
        y[t] = top

    x = wp.array(np.random.default_rng(7).integers(0, 50, (5, 14)), dtype=int)
    best, y = wp.zeros((5, 14), dtype=int), wp.zeros(5, dtype=int)
    wp.launch(longest, dim=5, inputs=[x, best, y])
    return y


@program(exact=True)
def heap_in_a_local_array(wp):
    @wp.kernel
    def smallest(x: wp.array2d(dtype=int), y: wp.array2d(dtype=int)):
        t = wp.tid()
        h = wp.zeros(shape=4, dtype=int)
        for k in range(4):
            h[k] = 1000
        for i in range(x.shape[1]):
            v = x[t, i]
            if v < h[0]:
                h[0] = v
                at = int(0)
                while 2 * at + 1 < 4:
                    c = 2 * at + 1
                    if c + 1 < 4 and h[c + 1] > h[c]:
                        c = c + 1
                    if h[c] <= h[at]:
                        break
                    tmp = int(h[c])
                    h[c] = h[at]
                    h[at] = tmp
                    at = c
        for k in range(4):
            y[t, k] = h[k]

    x = wp.array(np.random.default_rng(8).integers(0, 500, (3, 20)), dtype=int)
    y = wp.zeros((3, 4), dtype=int)
    wp.launch(smallest, dim=3, inputs=[x, y])
    return np.sort(y.numpy(), axis=1)


@program(exact=True)
def hash_table_with_probing(wp):
    @wp.kernel
    def insert(keys: wp.array(dtype=int), table: wp.array(dtype=int), n: wp.array(dtype=int)):
        i = wp.tid()
        k = keys[i]
        at = (k * 7 + 3) % table.shape[0]
        for _ in range(table.shape[0]):
            old = wp.atomic_cas(table, at, -1, k)
            if old == -1:
                wp.atomic_add(n, 0, 1)
                break
            if old == k:
                break
            at = (at + 1) % table.shape[0]

    keys = wp.array(np.random.default_rng(9).integers(0, 40, 60), dtype=int)
    table, n = wp.full(64, -1, dtype=int), wp.zeros(1, dtype=int)
    wp.launch(insert, dim=60, inputs=[keys, table, n])
    return n, np.sort(table.numpy())


@program(exact=True)
def morton_codes(wp):
    @wp.func
    def spread(v: wp.uint32):
        x = v & wp.uint32(0x3FF)
        x = (x | (x << wp.uint32(16))) & wp.uint32(0x30000FF)
        x = (x | (x << wp.uint32(8))) & wp.uint32(0x300F00F)
        x = (x | (x << wp.uint32(4))) & wp.uint32(0x30C30C3)
        return (x | (x << wp.uint32(2))) & wp.uint32(0x9249249)

    @wp.kernel
    def k(p: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.uint32)):
        i = wp.tid()
        q = p[i] * 1023.0
        a, b, c = spread(wp.uint32(q[0])), spread(wp.uint32(q[1])), spread(wp.uint32(q[2]))
        y[i] = a | (b << wp.uint32(1)) | (c << wp.uint32(2))

    p = wp.array(np.random.default_rng(10).random((20, 3)), dtype=wp.vec3)
    y = wp.zeros(20, dtype=wp.uint32)
    wp.launch(k, dim=20, inputs=[p, y])
    return y


@program(exact=True)
def checksums_of_bytes(wp):
    @wp.kernel
    def crc(data: wp.array2d(dtype=wp.uint8), y: wp.array(dtype=wp.uint32)):
        t = wp.tid()
        c = wp.uint32(0xFFFFFFFF)
        for i in range(data.shape[1]):
            c = c ^ wp.uint32(data[t, i])
            for _ in range(8):
                if c & wp.uint32(1) == wp.uint32(1):
                    c = (c >> wp.uint32(1)) ^ wp.uint32(0xEDB88320)
                else:
                    c = c >> wp.uint32(1)
        y[t] = ~c

    data = wp.array(np.random.default_rng(11).integers(0, 256, (4, 9)), dtype=wp.uint8)
    y = wp.zeros(4, dtype=wp.uint32)
    wp.launch(crc, dim=4, inputs=[data, y])
    return y


@program(exact=True)
def permutations_by_factorial_digits(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=int)):
        t = wp.tid()
        used = int(0)
        f = int(6)
        rest = t
        for i in range(4):
            d = rest // f
            rest = rest % f
            if i < 3:
                f = f // (3 - i)
            v = int(-1)
            while d >= 0:
                v += 1
                if (used >> v) & 1 == 0:
                    d -= 1
            used = used | (1 << v)
            y[t, i] = v

    y = wp.zeros((24, 4), dtype=int)
    wp.launch(k, dim=24, inputs=[y])
    return y


@program(exact=True)
def queens_by_backtracking(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        first = wp.tid()
        row = wp.zeros(shape=6, dtype=int)
        row[0] = first
        n = int(0)
        d = int(1)
        row[1] = -1
        while d > 0:
            row[d] = row[d] + 1
            if row[d] == 6:
                d -= 1
            else:
                ok = bool(True)
                for j in range(6):
                    if j < d and (row[j] == row[d] or wp.abs(row[j] - row[d]) == d - j):
                        ok = False
                if ok:
                    if d == 5:
                        n += 1
                    else:
                        d += 1
                        row[d] = -1
        y[first] = n

    y = wp.zeros(6, dtype=int)
    wp.launch(k, dim=6, inputs=[y])
    return y
