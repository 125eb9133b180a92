//! Sums: tiles of rows become one row each, again and again, until few are left.

use super::element::Source;
use super::kernel::{BLOCK, Kernel};
use super::run::Run;
use crate::algorithm::Sum;
use crate::dtype::Scalar;
use crate::error::Result;

/// Rows that one thread sums for each result, and those where there are enough results to keep a GPU busy.
const FEW: usize = 8;
const SOME: usize = 64;
const BUSY: usize = 1 << 12;
/// Columns of a block; narrower rows lie side by side.
const WIDE: usize = BLOCK;
/// Rows that one thread of a block sums.
const TALL: usize = 16;

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
    let partial = rows.source.wide();
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
        return unsafe { run.each(Kernel::SumFew(of.source, of.to), results, &params) };
    }
    let tall = TALL * (WIDE / columns).max(1);
    let chunks = rows.div_ceil(tall);
    if chunks == 1 {
        // SAFETY: promised by the caller.
        return unsafe { sum_tiles(run, of, tall) };
    }
    let partial = of.source.wide();
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
    let numbers = [pitch, rows, columns, tall, chunks, width, side];
    let args = [of.a, of.b, of.out].into_iter();
    let args: Vec<u64> = args.chain(numbers.map(|n| n as u64)).collect();
    let blocks = [outer, chunks, across].map(|n| n as u64);
    // SAFETY: promised by the callers.
    unsafe { run.launch(Kernel::SumTiles(of.source, of.to), &blocks, &args) }
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
    let to = source.wide();
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
