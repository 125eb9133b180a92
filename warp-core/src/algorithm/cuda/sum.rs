//! Sums: tiles of rows become one row each, again and again, until few are left.

use super::element::{Source, store};
use super::kernel::Kernel;
use super::run::Run;
use super::text::{Text, ptx};
use crate::algorithm::Sum;
use crate::dtype::Scalar;
use crate::error::Result;

/// Rows that one thread sums for each result, and those where there are enough results to keep a GPU busy.
const FEW: usize = 8;
const SOME: usize = 64;
const BUSY: usize = 1 << 12;
/// Columns of a block; narrower rows lie side by side.
const WIDE: usize = 256;
/// Rows that one thread of a block sums.
const TALL: usize = 16;
/// Loads in flight at a time.
const AHEAD: usize = 4;

/// As [`crate::algorithm::sum`], on a GPU.
///
/// # Safety
/// As there, but what is read and written must stay until the stream is done, and be memory of the GPU.
///
/// # Errors
/// What the driver says.
pub unsafe fn sum(
    run: &Run,
    of: &Sum,
    a: *const u8,
    b: Option<*const u8>,
    out: *mut u8,
) -> Result<()> {
    let _timed = run.queue.watch("sum");
    let source = match b {
        None => Source::Elements(of.scalar),
        Some(_) => Source::Products(of.scalar),
    };
    let b = b.unwrap_or(std::ptr::null());
    let mut rows = Rows {
        source,
        to: of.scalar,
        a: a as u64,
        b: b as u64,
        out: out as u64,
        outer: of.outer,
        pitch: of.pitch * of.inner,
        rows: of.rows,
        columns: of.inner,
    };
    if of.outer * of.inner == 0 {
        return Ok(());
    }
    if of.fold == of.inner {
        rows.rows *= of.fold;
        rows.columns = 1;
    }
    let fold = of.fold * rows.columns / of.inner;
    if fold <= 1 {
        // SAFETY: promised by the caller.
        return unsafe { sum_rows(run, rows) };
    }
    // Neighbours are summed at last.
    let partial = rows.source.wide().scalar();
    let scratch = run.queue.scratch(of.outer * of.inner * partial.size())?;
    let folded = Rows {
        source: Source::Elements(partial),
        a: scratch.address(),
        b: 0,
        outer: of.outer * of.inner / fold,
        pitch: fold,
        rows: fold,
        columns: 1,
        ..rows
    };
    // SAFETY: promised by the caller; the scratch memory holds all sums.
    unsafe {
        sum_rows(
            run,
            Rows {
                to: partial,
                out: scratch.address(),
                ..rows
            },
        )?;
        sum_rows(run, folded)
    }
}

/// Sums over the middle one of three dimensions.
#[derive(Clone, Copy)]
struct Rows {
    source: Source,
    to: Scalar,
    a: u64,
    b: u64,
    out: u64,
    outer: usize,
    /// Terms from one of `outer` to the next.
    pitch: usize,
    rows: usize,
    columns: usize,
}

/// # Safety
/// The terms are there, and `out` has room for `outer * columns` of `to`.
unsafe fn sum_rows(run: &Run, of: Rows) -> Result<()> {
    let Rows {
        outer,
        pitch,
        rows,
        columns,
        ..
    } = of;
    if rows <= FEW || rows <= SOME && outer * columns >= BUSY {
        let results = (outer * columns) as u64;
        let params = [
            of.a,
            of.b,
            of.out,
            pitch as u64,
            rows as u64,
            columns as u64,
            results,
        ];
        // SAFETY: promised by the caller.
        return unsafe {
            run.launch(
                Kernel::SumFew(of.source, of.to),
                results.div_ceil(256),
                &params,
            )
        };
    }
    let tall = TALL * (WIDE / columns).max(1);
    let chunks = rows.div_ceil(tall);
    if chunks == 1 {
        // SAFETY: promised by the caller.
        return unsafe { sum_tiles(run, of, tall) };
    }
    let partial = of.source.wide().scalar();
    let scratch = run
        .queue
        .scratch(outer * chunks * columns * partial.size())?;
    let sums = Rows {
        source: Source::Elements(partial),
        a: scratch.address(),
        b: 0,
        pitch: chunks * columns,
        rows: chunks,
        ..of
    };
    // SAFETY: promised by the caller; the scratch memory holds a row for each tile.
    unsafe {
        sum_tiles(
            run,
            Rows {
                to: partial,
                out: scratch.address(),
                ..of
            },
            tall,
        )?;
        sum_rows(run, sums)
    }
}

/// Writes the sum of each tile of rows: `outer` times as many rows as there are tiles.
unsafe fn sum_tiles(run: &Run, of: Rows, tall: usize) -> Result<()> {
    let Rows {
        outer,
        pitch,
        rows,
        columns,
        ..
    } = of;
    let chunks = rows.div_ceil(tall);
    let across = columns.div_ceil(WIDE);
    let width = columns.min(WIDE);
    let side = WIDE / width;
    let params = [
        of.a,
        of.b,
        of.out,
        pitch as u64,
        rows as u64,
        columns as u64,
        tall as u64,
        chunks as u64,
    ];
    let params: Vec<u64> = params
        .into_iter()
        .chain([across as u64, width as u64, side as u64])
        .collect();
    let blocks = (outer * chunks * across) as u64;
    // SAFETY: promised by the callers.
    unsafe { run.launch(Kernel::SumTiles(of.source, of.to), blocks, &params) }
}

/// The sum of each tile of `tall` rows, of terms at `%a`.
///
/// # Safety
/// The terms are there, and `out` has room for a row of `wide` sums for each tile.
pub unsafe fn totals(
    run: &Run,
    source: Source,
    a: u64,
    out: u64,
    rows: usize,
    columns: usize,
    tall: usize,
) -> Result<()> {
    let to = source.wide().scalar();
    let of = Rows {
        source,
        to,
        a,
        b: 0,
        out,
        outer: 1,
        pitch: 0,
        rows,
        columns,
    };
    // SAFETY: promised by the caller.
    unsafe { sum_tiles(run, of, tall) }
}

/// Adds `AHEAD` terms from `%d0` on, the rows `%d1` and so on, as far as rows are before `%d2`. Rows are `%d3` apart, terms `%d4`.
fn add_rows(text: &mut Text, from: Source) {
    for k in 0..AHEAD {
        ptx!(text, "setp.lt.u64 %p{k}, %d1, %d2;");
        from.load(text, &format!("%w{}", k + 1), "%d0", &format!("%p{k}"));
        ptx!(text, "add.u64 %d1, %d1, %d3; add.u64 %d0, %d0, %d4;");
    }
    for k in 1..=AHEAD {
        from.wide().add(text, "", "%w0", "%w0", &format!("%w{k}"));
    }
}

/// Text: a thread for each result.
pub fn few(name: &str, from: Source, to: Scalar) -> String {
    let mut text = Text::new(name, 7);
    let text = &mut text;
    from.registers(text, AHEAD + 1);
    text.registers("pred", "p", 8);
    text.registers("b64", "d", 16);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.pointer("%c", 2);
    text.wide("%d5", 3);
    text.wide("%d2", 4);
    text.wide("%d4", 5);
    text.wide("%d6", 6);
    text.thread("%d7");
    ptx!(text, "setp.lt.u64 %p5, %d7, %d6; @!%p5 bra END;");
    ptx!(
        text,
        "div.u64 %d8, %d7, %d4; rem.u64 %d0, %d7, %d4; mad.lo.u64 %d0, %d8, %d5, %d0;"
    );
    ptx!(text, "mov.u64 %d1, 0; mov.u64 %d3, 1;");
    from.wide().clear(text, "%w0");
    ptx!(text, "ROWS: setp.ge.u64 %p7, %d1, %d2; @%p7 bra SUMMED;");
    add_rows(text, from);
    ptx!(text, "bra ROWS;\nSUMMED:");
    ptx!(text, "mad.lo.u64 %d7, %d7, {}, %c;", to.size());
    store(text, to, "%d7", "%w0", "%p5");
    ptx!(text, "END: ret;");
    text.finish()
}

/// Text: a block for each tile. Threads beside each other take columns, those of one column rows of their own; these sums are added
/// by halves.
pub fn tiles(name: &str, from: Source, to: Scalar) -> String {
    let wide = from.wide();
    let bits = 8 * wide.size();
    let mut text = Text::new(name, 11);
    let text = &mut text;
    from.registers(text, AHEAD + 1);
    text.registers("pred", "p", 8);
    text.registers("b32", "r", 20);
    text.registers("b64", "d", 16);
    ptx!(text, ".shared .align 8 .b8 sums[{}];", 256 * wide.size());
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.pointer("%c", 2);
    text.wide("%d5", 3); // pitch
    text.wide("%d6", 4); // rows
    text.wide("%d7", 5); // columns
    text.wide("%d8", 6); // rows of a tile
    text.word("%r7", 7); // tiles of one of `outer`
    text.word("%r8", 8); // blocks beside each other
    text.word("%r9", 9); // columns of a block
    text.word("%r10", 10); // rows side by side
    ptx!(text, "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;");
    ptx!(
        text,
        "rem.u32 %r2, %r1, %r8; div.u32 %r1, %r1, %r8; rem.u32 %r3, %r1, %r7; div.u32 %r4, %r1, %r7;"
    );
    ptx!(
        text,
        "div.u32 %r5, %r0, %r9; rem.u32 %r6, %r0, %r9; shl.b32 %r2, %r2, 8; add.u32 %r6, %r6, %r2;"
    );
    // The column, and whether this thread has one.
    ptx!(
        text,
        "cvt.u64.u32 %d9, %r6; mul.lo.u32 %r11, %r10, %r9; setp.lt.u32 %p4, %r0, %r11;"
    );
    ptx!(text, "setp.lt.u64 %p5, %d9, %d7; and.pred %p4, %p4, %p5;");
    // The tile's rows: the first that is this thread's, and the end.
    ptx!(
        text,
        "cvt.u64.u32 %d10, %r3; mul.lo.u64 %d11, %d10, %d8; add.u64 %d2, %d11, %d8; min.u64 %d2, %d2, %d6;"
    );
    ptx!(text, "@!%p4 mov.u64 %d2, 0;");
    ptx!(
        text,
        "cvt.u64.u32 %d1, %r5; add.u64 %d1, %d1, %d11; cvt.u64.u32 %d12, %r4; mul.lo.u64 %d0, %d12, %d5;"
    );
    ptx!(
        text,
        "mad.lo.u64 %d0, %d1, %d7, %d0; add.u64 %d0, %d0, %d9;"
    );
    ptx!(text, "cvt.u64.u32 %d3, %r10; mul.lo.u64 %d4, %d3, %d7;");
    wide.clear(text, "%w0");
    ptx!(text, "ROWS: setp.ge.u64 %p6, %d1, %d2; @%p6 bra SUMMED;");
    add_rows(text, from);
    ptx!(
        text,
        "bra ROWS;\nSUMMED: bar.warp.sync -1; mov.u32 %r12, sums; mad.lo.u32 %r13, %r0, {}, %r12;",
        wide.size()
    );
    ptx!(text, "st.shared.b{bits} [%r13], %w0; mov.u32 %r14, %r10;");
    ptx!(
        text,
        "HALVES: setp.le.u32 %p6, %r14, 1; @%p6 bra.uni STORE;"
    );
    ptx!(
        text,
        "add.u32 %r15, %r14, 1; shr.u32 %r15, %r15, 1; sub.u32 %r16, %r14, %r15; mul.lo.u32 %r16, %r16, %r9;"
    );
    ptx!(
        text,
        "bar.sync 0; setp.lt.u32 %p6, %r0, %r16; mul.lo.u32 %r17, %r15, %r9;"
    );
    ptx!(
        text,
        "mad.lo.u32 %r17, %r17, {}, %r13; @%p6 ld.shared.b{bits} %w1, [%r17];",
        wide.size()
    );
    wide.add(text, "@%p6 ", "%w0", "%w0", "%w1");
    ptx!(
        text,
        "@%p6 st.shared.b{bits} [%r13], %w0; mov.u32 %r14, %r15; bra.uni HALVES;"
    );
    ptx!(
        text,
        "STORE: setp.lt.u32 %p6, %r0, %r9; and.pred %p6, %p6, %p5; cvt.u64.u32 %d13, %r7;"
    );
    ptx!(
        text,
        "mad.lo.u64 %d13, %d12, %d13, %d10; mad.lo.u64 %d13, %d13, %d7, %d9; mad.lo.u64 %d13, %d13, {}, %c;",
        to.size()
    );
    store(text, to, "%d13", "%w0", "%p6");
    ptx!(text, "ret;");
    text.finish()
}
