# Kernels of algorithms on whole arrays on GPUs: sums, scans, sorts and runs.
#
# A block has 256 threads, whose index is the last one. Before it stand those of the block. What a kernel is for stands
# in names that it is compiled with: `Term` is what is summed, `Wide` what sums are formed in, `To` what they become,
# and `term` one of the first three functions. Tiles are as many rows as a block works on at a time. Sizes and places in
# arrays are int64.


def elements(a: wp.array(dtype=Term), b: wp.array(dtype=Term), i: wp.int64):
    return Wide(a[i])


def products(a: wp.array(dtype=Term), b: wp.array(dtype=Term), i: wp.int64):
    return Wide(a[i]) * Wide(b[i])


def begins(a: wp.array(dtype=Term), b: wp.array(dtype=Term), i: wp.int64):
    # Whether a run begins; a NaN is one by itself.
    first = True
    if i > wp.int64(0):
        first = a[i] != a[i - wp.int64(1)]
    return Wide(first)


def add_rows(
    a: wp.array(dtype=Term),
    b: wp.array(dtype=Term),
    at: wp.int64,
    skip: wp.int64,
    row: int,
    step: int,
    end: int,
):
    # The sum of the rows `row`, `row + step` and so on before `end`, which is small. The first term is at `at`, the
    # others `skip` apart; AHEAD of them are under way at a time.
    total = Wide(0)
    near = end - (AHEAD - 1) * step
    while row < near:
        t0 = term(a, b, at)
        t1 = term(a, b, at + skip)
        if AHEAD == 4:
            t2 = term(a, b, at + wp.int64(2) * skip)
            t3 = term(a, b, at + wp.int64(3) * skip)
            total = total + t0 + t1 + t2 + t3
        else:
            total = total + t0 + t1
        row += AHEAD * step
        at += wp.int64(AHEAD) * skip
    while row < end:
        total += term(a, b, at)
        row += step
        at += skip
    return total


def sum_few(
    a: wp.array(dtype=Term),
    b: wp.array(dtype=Term),
    out: wp.array(dtype=To),
    pitch: wp.int64,
    rows: int,
    columns: wp.int64,
    results: wp.int64,
):
    # A thread for each result.
    block, thread = wp.tid()
    result = wp.int64(block) * wp.int64(256) + wp.int64(thread)
    if result < results:
        outer = wp.int64(wp.uint64(result) // wp.max(wp.uint64(columns), wp.uint64(1)))
        at = outer * pitch + (result - outer * columns)
        out[result] = To(add_rows(a, b, at, columns, 0, 1, rows))


def sum_tiles(
    a: wp.array(dtype=Term),
    b: wp.array(dtype=Term),
    out: wp.array(dtype=To),
    pitch: wp.int64,
    rows: wp.int64,
    columns: wp.int64,
    tall: int,
    chunks: wp.int64,
    width: wp.uint32,
    side: wp.uint32,
):
    # A block for each tile, of `tall` rows. Threads beside each other take columns, `width` of them; `side` rows lie
    # side by side. What the threads of one column have is added by halves.
    outer, chunk, across, thread = wp.tid()
    sums = wp.shared(256, Wide)
    number = wp.uint32(thread)
    row = number // wp.max(width, wp.uint32(1))
    column = wp.int64(across) * wp.int64(256) + wp.int64(number - row * width)
    total = Wide(0)
    if row < side and column < columns:
        first = wp.int64(chunk) * wp.int64(tall)
        height = int(wp.min(wp.int64(tall), rows - first))
        at = wp.int64(outer) * pitch + (first + wp.int64(row)) * columns + column
        total = add_rows(a, b, at, wp.int64(side) * columns, int(row), int(side), height)
    sums[thread] = total
    left = side
    while left > wp.uint32(1):
        half = (left + wp.uint32(1)) >> wp.uint32(1)
        wp.barrier()
        if number < (left - half) * width:
            total += sums[thread + int(half * width)]
            sums[thread] = total
        left = half
    if number < width and column < columns:
        out[(wp.int64(outer) * chunks + wp.int64(chunk)) * columns + column] = To(total)


def scan_tiles(
    a: wp.array(dtype=Term),
    out: wp.array(dtype=To),
    before: wp.array(dtype=Wide),
    rows: wp.int64,
    columns: wp.int64,
):
    # A block for each tile and column; `before` has what is before each tile, if there are several. Rows are read side
    # by side into shared memory, where each thread takes EACH that follow each other; a place is left free after these,
    # so that threads use different banks.
    tile, column, thread = wp.tid()
    terms = wp.shared(wp.static(256 * (EACH + 1)), Wide)
    sums = wp.shared(512, Wide)
    first = wp.int64(tile) * wp.int64(256 * EACH)
    at = (first + wp.int64(thread)) * columns + wp.int64(column)
    skip = columns * wp.int64(256)
    left = wp.int32(wp.min(rows - first, wp.int64(256 * EACH)))
    place = thread + (thread >> 3)
    from_ = at
    if left == 256 * EACH:
        for k in range(EACH):
            terms[place + k * (256 + 32)] = term(a, a, from_)
            from_ += skip
    else:
        for k in range(EACH):
            value = Wide(0)
            if thread + 256 * k < left:
                value = term(a, a, from_)
            terms[place + k * (256 + 32)] = value
            from_ += skip
    wp.barrier()
    # The thread's own sum, and the running sums of these, from one half of the room to the other.
    mine = thread * (EACH + 1)
    own = Several()
    total = Wide(0)
    for k in range(EACH):
        own[k] = terms[mine + k]
        total += own[k]
    sums[thread] = total
    wp.barrier()
    for level in range(8):
        now = 256 * (level % 2)
        if thread >= (1 << level):
            total = sums[now + thread - (1 << level)] + total
        sums[256 - now + thread] = total
        wp.barrier()
    total = Wide(0)
    if thread > 0:
        total = sums[thread - 1]
    carried = Wide(0)
    if before:
        carried = before[wp.int64(tile) * columns + wp.int64(column)]
    total = carried + total
    for k in range(EACH):
        if INCLUSIVE:
            total += own[k]
            terms[mine + k] = total
        else:
            terms[mine + k] = total
            total += own[k]
    wp.barrier()
    if left == 256 * EACH:
        for k in range(EACH):
            out[at] = To(terms[place + k * (256 + 32)])
            at += skip
    else:
        for k in range(EACH):
            if thread + 256 * k < left:
                out[at] = To(terms[place + k * (256 + 32)])
            at += skip


def digit(key: Bits, shift: Bits, mask: wp.uint32):
    # Some bits of a key, as the order of numbers is that of bits: of signed integers the first bit is turned over, of
    # negative floats all.
    by = shift & LAST_BIT
    bits = wp.uint32(key >> by) & mask
    first = wp.uint32(FIRST >> by) & mask
    if ORDER == 1:
        bits = bits ^ first
    if ORDER == 2:
        bits = bits ^ wp.where((key & FIRST) != Bits(0), mask, first)
    return bits


def count_digits(
    keys: wp.array(dtype=Key),
    counts: wp.array(dtype=wp.uint32),
    n: wp.int64,
    tiles: wp.int64,
    shift: Bits,
    mask: wp.uint32,
):
    # A block for each tile. Counts lie by digit, and by tile for each digit.
    tile, thread = wp.tid()
    table = wp.shared(256, wp.uint32)
    table[thread] = wp.uint32(0)
    wp.barrier()
    first = wp.int64(tile) * wp.int64(256 * EACH)
    left = wp.int32(wp.min(n - first, wp.int64(256 * EACH)))
    at = first + wp.int64(thread)
    if left == 256 * EACH:
        for k in range(EACH):
            key = Bits(keys[at + wp.int64(256 * wp.static(k))])
            wp.atomic_add(table, wp.int32(digit(key, shift, mask)), wp.uint32(1))
    else:
        for k in range(EACH):
            if thread + 256 * wp.static(k) < left:
                key = Bits(keys[at + wp.int64(256 * k)])
                wp.atomic_add(table, wp.int32(digit(key, shift, mask)), wp.uint32(1))
    wp.barrier()
    counts[wp.int64(thread) * tiles + wp.int64(tile)] = table[thread]


def move_by_digit(
    keys: wp.array(dtype=Key),
    values: wp.array(dtype=Value),
    to_keys: wp.array(dtype=Key),
    to_values: wp.array(dtype=Value),
    places: wp.array(dtype=wp.uint32),
    n: wp.int64,
    tiles: wp.int64,
    shift: Bits,
    mask: wp.uint32,
):
    # A block for each tile. A warp takes keys that follow each other, 32 at a time. The lanes that have a digit in
    # common find each other by votes, so that each knows how many of the warp's came before; counts of the digits, by
    # warp, are in shared memory.
    tile, thread = wp.tid()
    table = wp.shared(2048, wp.uint32)
    for warp in range(8):
        table[thread + 256 * warp] = wp.uint32(0)
    own = (thread >> 5) * 256
    lane = thread & 31
    below = (wp.uint32(1) << wp.uint32(lane)) - wp.uint32(1)
    first = wp.int64(tile) * wp.int64(256 * EACH) + wp.int64(thread >> 5) * wp.int64(32 * EACH)
    # Keys of the warp, and of them those from this lane's first one on.
    left = wp.int32(wp.min(n - first, wp.int64(32 * EACH)))
    mine = left - lane
    at = first + wp.int64(lane)
    some = Keys()
    # All keys are under way before the first is looked at.
    for k in range(EACH):
        if 32 * wp.static(k) < mine:
            some[k] = Bits(keys[at + wp.int64(32 * k)])
    wp.barrier()
    # Of each key the place of its digit in the table, in the lower 11 bits, and how many of the warp's with that digit
    # come before it.
    ranks = Ranks()
    for group in range(wp.static(EACH // 4)):
        if 128 * wp.static(group) < left:
            for k in range(4):
                there = 32 * wp.static(4 * group + k) < mine
                number = digit(some[wp.static(4 * group + k)], shift, mask)
                peers = wp.ballot(there)
                for bit in range(8):
                    lacks = (number & wp.uint32(1 << wp.static(bit))) == wp.uint32(0)
                    # All ones if this lane has the bit.
                    turn = wp.uint32(wp.int32(number << wp.uint32(wp.static(31 - bit))) >> 31)
                    peers = peers & (wp.ballot(lacks) ^ turn)
                before = wp.uint32(wp.bit_count(peers & below))
                entry = own + wp.int32(number)
                count = table[entry]
                ranks[wp.static(4 * group + k)] = ((count + before) << wp.uint32(11)) | wp.uint32(entry)
                # The first of them counts for all, once all have read.
                wp.warp_barrier()
                if there and before == wp.uint32(0):
                    table[entry] = count + wp.uint32(wp.bit_count(peers))
                wp.warp_barrier()
    wp.barrier()
    # Thread `d` makes the counts of digit `d` the places of the first one of each warp.
    place = places[wp.int64(thread) * tiles + wp.int64(tile)]
    for warp in range(8):
        count = table[thread + 256 * warp]
        table[thread + 256 * warp] = place
        place += count
    wp.barrier()
    for group in range(wp.static(EACH // 4)):
        moved = Values()
        for k in range(4):
            if 128 * wp.static(group) + 32 * wp.static(k) < mine:
                moved[k] = values[at + wp.int64(128 * group + 32 * k)]
        for k in range(4):
            if 128 * wp.static(group) + 32 * wp.static(k) < mine:
                rank = ranks[wp.static(4 * group + k)]
                to = wp.int64(table[wp.int32(rank & wp.uint32(2047))] + (rank >> wp.uint32(11)))
                to_keys[to] = Key(some[wp.static(4 * group + k)])
                to_values[to] = moved[k]


def iota(out: wp.array(dtype=wp.uint32), n: wp.int64):
    block, thread = wp.tid()
    i = wp.int64(block) * wp.int64(256) + wp.int64(thread)
    if i < n:
        out[i] = wp.uint32(i)


def gather(
    values: wp.array(dtype=Unit),
    order: wp.array(dtype=wp.uint32),
    out: wp.array(dtype=Unit),
    n: wp.int64,
    units: wp.int64,
):
    # A thread for each element, of so many units.
    block, thread = wp.tid()
    i = wp.int64(block) * wp.int64(256) + wp.int64(thread)
    if i < n:
        start = wp.int64(order[i]) * units
        for k in range(units):
            out[i * units + k] = values[start + k]


def note(
    fault: wp.array(dtype=int),
    numbers: wp.array(dtype=wp.int64),
    kernel: int,
    code: int,
    place: int,
    a: wp.int64,
    b: wp.int64,
):
    # Notes a fault, if there is none yet. `fault` and `numbers` are one memory.
    if wp.atomic_cas(fault, 0, 0, code) == 0:
        fault[1] = place
        numbers[1] = a
        numbers[2] = b
        fault[6] = kernel


def mark_segments(
    starts: wp.array(dtype=int),
    ends: wp.array(dtype=int),
    segments: wp.int64,
    n: wp.int64,
    depth: wp.array(dtype=wp.uint32),
    parts: wp.array(dtype=wp.uint32),
    fault: wp.array(dtype=int),
    numbers: wp.array(dtype=wp.int64),
    kernel: int,
):
    # A thread for each segment.
    block, thread = wp.tid()
    i = wp.int64(block) * wp.int64(256) + wp.int64(thread)
    if i < segments:
        start = wp.int64(starts[i])
        end = wp.int64(ends[i])
        if start < wp.int64(0) or start > end or end > n:
            note(fault, numbers, kernel, OUTSIDE, int(i), start, end)
        elif start < end:
            wp.atomic_add(depth, start, wp.uint32(1))
            wp.atomic_max(parts, start, wp.uint32(1))
            wp.atomic_sub(depth, end, wp.uint32(1))
            wp.atomic_max(parts, end, wp.uint32(1))


def mark_rest(
    depth: wp.array(dtype=wp.uint32),
    parts: wp.array(dtype=wp.uint32),
    n: wp.int64,
    fault: wp.array(dtype=int),
    numbers: wp.array(dtype=wp.int64),
    kernel: int,
):
    # A thread for each pair: one in no segment is a part of its own.
    block, thread = wp.tid()
    i = wp.int64(block) * wp.int64(256) + wp.int64(thread)
    if i < n:
        around = depth[i]
        if around > wp.uint32(1):
            note(fault, numbers, kernel, OVERLAP, 0, i, wp.int64(around))
        elif around == wp.uint32(0):
            parts[i] = wp.uint32(1)


def run_starts(
    values: wp.array(dtype=Unit),
    begun: wp.array(dtype=wp.uint32),
    run_values: wp.array(dtype=Unit),
    starts: wp.array(dtype=wp.uint32),
    count: wp.array(dtype=wp.uint32),
    n: wp.int64,
):
    # A thread for each element. The first of a run writes what it is and where; the last element, how many runs there
    # are.
    block, thread = wp.tid()
    i = wp.int64(block) * wp.int64(256) + wp.int64(thread)
    if i < n:
        now = begun[i]
        before = wp.uint32(0)
        if i > wp.int64(0):
            before = begun[i - wp.int64(1)]
        if now != before:
            starts[wp.int64(before)] = wp.uint32(i)
            run_values[wp.int64(before)] = values[i]
        if i + wp.int64(1) == n:
            starts[wp.int64(now)] = wp.uint32(n)
            count[0] = now


def run_lengths(
    starts: wp.array(dtype=wp.uint32),
    count: wp.array(dtype=wp.uint32),
    lengths: wp.array(dtype=wp.uint32),
    n: wp.int64,
):
    # A thread for each run that there may be.
    block, thread = wp.tid()
    i = wp.int64(block) * wp.int64(256) + wp.int64(thread)
    if i < wp.min(wp.int64(count[0]), n):
        lengths[i] = starts[i + wp.int64(1)] - starts[i]
