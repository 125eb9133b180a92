//! Running sums: the totals of tiles, their running sums, and from these the tiles' own. Tiles are of as many rows for each column.

use super::element::{Source, Wide, store};
use super::kernel::Kernel;
use super::run::Run;
use super::sum::totals;
use super::text::{Text, ptx};
use crate::dtype::Scalar;
use crate::error::Result;

/// Rows of a tile that follow each other and are one thread's.
const EACH: usize = 8;
/// Rows of a tile.
const TILE: usize = 256 * EACH;

/// As [`crate::algorithm::scan`], on a GPU.
///
/// # Safety
/// As there, but what is read and written must stay until the stream is done, and be memory of the GPU.
///
/// # Errors
/// What the driver says.
pub unsafe fn scan(
    run: &Run,
    scalar: Scalar,
    n: usize,
    inner: usize,
    from: *const u8,
    to: *mut u8,
    inclusive: bool,
) -> Result<()> {
    let _timed = run.queue.watch("scan");
    let source = Source::Elements(scalar);
    // SAFETY: promised by the caller.
    unsafe {
        running(
            run,
            source,
            scalar,
            inclusive,
            (n, inner),
            from as u64,
            to as u64,
        )
    }
}

/// The running sums of `n` rows of `inner` terms, at `to`, which may be where the terms are.
///
/// # Safety
/// The terms are there, and `to` has room for as many scalars of its type.
pub unsafe fn running(
    run: &Run,
    source: Source,
    scalar: Scalar,
    inclusive: bool,
    (n, inner): (usize, usize),
    from: u64,
    to: u64,
) -> Result<()> {
    if n * inner == 0 {
        return Ok(());
    }
    let kernel = Kernel::Scan(source, scalar, inclusive);
    let tiles = n.div_ceil(TILE);
    let blocks = (tiles * inner) as u64;
    let (rows, columns) = (n as u64, inner as u64);
    if tiles == 1 {
        // SAFETY: promised by the caller.
        return unsafe { run.launch(kernel, blocks, &[from, to, 0, rows, columns]) };
    }
    let partial = source.wide().scalar();
    let scratch = run.queue.scratch(tiles * inner * partial.size())?;
    let before = scratch.address();
    // SAFETY: promised by the caller; the scratch memory has a row for each tile.
    unsafe {
        totals(run, source, from, before, n, inner, TILE)?;
        running(
            run,
            Source::Elements(partial),
            partial,
            false,
            (tiles, inner),
            before,
            before,
        )?;
        run.launch(kernel, blocks, &[from, to, before, rows, columns])
    }
}

/// Text: a block for each tile and column. Terms are read side by side into shared memory, where each thread takes those that follow
/// each other; a word is left free after those of each thread, so that threads use different banks.
pub fn text(name: &str, from: Source, to: Scalar, inclusive: bool) -> String {
    let wide = from.wide();
    let size = wide.size();
    let mut text = Text::new(name, 5);
    let text = &mut text;
    from.registers(text, EACH + 3);
    text.registers("pred", "p", 4);
    text.registers("b32", "r", 16);
    text.registers("b64", "d", 16);
    ptx!(text, ".shared .align 8 .b8 terms[{}];", (TILE + 256) * size);
    ptx!(text, ".shared .align 8 .b8 sums[{}];", 2 * 256 * size);
    text.pointer("%a", 0);
    text.pointer("%c", 1);
    text.pointer("%b", 2);
    text.wide("%d0", 3); // rows
    text.wide("%d1", 4); // columns
    ptx!(
        text,
        "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; cvt.u32.u64 %r2, %d1;"
    );
    ptx!(
        text,
        "rem.u32 %r3, %r1, %r2; div.u32 %r4, %r1, %r2; cvt.u64.u32 %d2, %r3; cvt.u64.u32 %d3, %r4;"
    );
    ptx!(
        text,
        "mul.lo.u64 %d4, %d3, {TILE}; cvt.u64.u32 %d5, %r0; add.u64 %d4, %d4, %d5;"
    );
    ptx!(
        text,
        "mov.u32 %r5, terms; mov.u32 %r6, sums; mad.lo.u32 %r7, %r0, {size}, %r6;"
    );
    read_terms(text, from);
    let totals = add_totals(text, wide);
    add_before(text, wide, totals, inclusive);
    write_sums(text, wide, to);
    ptx!(text, "ret;");
    text.finish()
}

/// Places between rows of one thread in shared memory, a word left free after those of each thread.
const APART: usize = 256 + 256 / EACH;

/// Reads the terms of a tile into shared memory, from where each thread takes its own.
fn read_terms(text: &mut Text, from: Source) {
    let wide = from.wide();
    let (size, bits) = (wide.size(), 8 * wide.size());
    // Row `%d4`, term `%d6`, and its place: thread `i` reads rows `i`, `i + 256` and so on.
    ptx!(
        text,
        "mov.u64 %d7, %d4; mul.lo.u64 %d8, %d1, 256; mad.lo.u64 %d6, %d4, %d1, %d2; mov.u64 %d9, %d6;"
    );
    ptx!(
        text,
        "shr.u32 %r8, %r0, 3; add.u32 %r8, %r8, %r0; mad.lo.u32 %r8, %r8, {size}, %r5;"
    );
    for k in 0..EACH {
        ptx!(text, "setp.lt.u64 %p0, %d7, %d0;");
        from.load(text, "%w0", "%d9", "%p0");
        ptx!(
            text,
            "st.shared.b{bits} [%r8+{}], %w0; add.u64 %d7, %d7, 256; add.u64 %d9, %d9, %d8;",
            k * APART * size
        );
    }
    ptx!(
        text,
        "bar.sync 0; mul.lo.u32 %r9, %r0, {}; add.u32 %r9, %r9, %r5;",
        (EACH + 1) * size
    );
}

/// Adds up the terms of each thread, and the totals of threads up to each one; where in `sums` these are then.
fn add_totals(text: &mut Text, wide: Wide) -> usize {
    let (size, bits) = (wide.size(), 8 * wide.size());
    wide.clear(text, "%w8");
    for k in 0..EACH {
        ptx!(text, "ld.shared.b{bits} %w{k}, [%r9+{}];", k * size);
        wide.add(text, "", "%w8", "%w8", &format!("%w{k}"));
    }
    // Running sums of the threads' totals, from one half of the room to the other.
    ptx!(text, "st.shared.b{bits} [%r7], %w8; bar.sync 0;");
    let mut room = [0, 256 * size];
    for distance in (0..8).map(|k| 1usize << k) {
        let [now, next] = room;
        let before = now as i64 - (distance * size) as i64;
        ptx!(
            text,
            "setp.ge.u32 %p1, %r0, {distance}; @%p1 ld.shared.b{bits} %w9, [%r7+{before}];"
        );
        wide.add(text, "@%p1 ", "%w8", "%w9", "%w8");
        ptx!(text, "st.shared.b{bits} [%r7+{next}], %w8; bar.sync 0;");
        room.swap(0, 1);
    }
    room[0]
}

/// Running sums of each thread's terms, from what is before the thread and before the tile.
fn add_before(text: &mut Text, wide: Wide, totals: usize, inclusive: bool) {
    let (size, bits) = (wide.size(), 8 * wide.size());
    // What is before this thread, with what is before the tile.
    wide.clear(text, "%w8");
    wide.clear(text, "%w9");
    ptx!(
        text,
        "setp.ne.u32 %p1, %r0, 0; @%p1 ld.shared.b{bits} %w8, [%r7+{}];",
        totals as i64 - size as i64
    );
    ptx!(
        text,
        "ld.param.u64 %d10, [p2]; setp.ne.u64 %p2, %d10, 0; mad.lo.u64 %d11, %d3, %d1, %d2;"
    );
    ptx!(
        text,
        "mad.lo.u64 %d11, %d11, {size}, %b; @%p2 ld.global.b{bits} %w9, [%d11];"
    );
    wide.add(text, "", "%w8", "%w9", "%w8");
    for k in 0..EACH {
        let at = k * size;
        if !inclusive {
            ptx!(text, "st.shared.b{bits} [%r9+{at}], %w8;");
        }
        wide.add(text, "", "%w8", "%w8", &format!("%w{k}"));
        if inclusive {
            ptx!(text, "st.shared.b{bits} [%r9+{at}], %w8;");
        }
    }
}

/// Writes the running sums of a tile, those that have a row.
fn write_sums(text: &mut Text, wide: Wide, to: Scalar) {
    let (size, bits) = (wide.size(), 8 * wide.size());
    ptx!(
        text,
        "bar.sync 0; mul.lo.u64 %d8, %d8, {0}; mad.lo.u64 %d6, %d6, {0}, %c;",
        to.size()
    );
    for k in 0..EACH {
        ptx!(
            text,
            "setp.lt.u64 %p0, %d4, %d0; ld.shared.b{bits} %w0, [%r8+{}];",
            k * APART * size
        );
        store(text, to, "%d6", "%w0", "%p0");
        ptx!(text, "add.u64 %d4, %d4, 256; add.u64 %d6, %d6, %d8;");
    }
}
