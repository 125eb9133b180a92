//! Running sums: the totals of tiles, their running sums, and from these the tiles' own. Tiles are of as many rows for each column.

use super::element::Source;
use super::kernel::{BLOCK, Kernel, ROWS_EACH};
use super::run::Run;
use super::sum::totals;
use crate::dtype::Scalar;
use crate::error::Result;

/// Rows of a tile.
const TILE: usize = BLOCK * ROWS_EACH;

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
    let blocks = [tiles as u64, inner as u64];
    let (rows, columns) = (n as u64, inner as u64);
    if tiles == 1 {
        // SAFETY: promised by the caller.
        return unsafe { run.launch(kernel, &blocks, &[from, to, 0, rows, columns]) };
    }
    let partial = source.wide();
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
        run.launch(kernel, &blocks, &[from, to, before, rows, columns])
    }
}
