//! Sorts of many parts of an array: one stable sort by key, and then one by part.
//!
//! Elements are distinguished by numbers that grow with their places: those of a segment have one number in common, and each element that
//! is in none has one of its own, so that it stays where it is.

use super::element::{Key, Source};
use super::kernel::{Kernel, OUTSIDE};
use super::moves::{gather, iota};
use super::run::Run;
use super::scan::running;
use super::sort::{Room, check, radix};
use crate::abi::ErrorSlot;
use crate::algorithm::Pairs;
use crate::backend::cuda::own::explained;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use std::sync::OnceLock;

/// As [`crate::algorithm::sort_segments`], on a GPU, of segments whose bounds are arrays of int32. A segment that
/// is not within the count, and pairs in more than one segment, are reported at the next synchronisation of the device; nothing
/// beyond the pairs is accessed then.
///
/// # Safety
/// As there, but the memory must stay until the stream is done, and be the GPU's; there are `segments` starts and ends.
///
/// # Errors
/// There are more pairs than 32 bits count; what the driver says.
pub unsafe fn sort_segments(
    run: &Run,
    pairs: &Pairs,
    starts: *const u8,
    ends: *const u8,
    segments: usize,
) -> Result<()> {
    let _timed = run.queue.watch("segmented sort");
    let Pairs {
        scalar,
        width,
        count: n,
        ..
    } = *pairs;
    check(n)?;
    if n < 2 || segments == 0 {
        return Ok(());
    }
    static NUMBER: OnceLock<u32> = OnceLock::new();
    let number = u64::from(*NUMBER.get_or_init(|| explained(explain)));
    let board = run.queue.board()? as u64;
    let size = scalar.size();
    let (keys, values) = (pairs.keys as u64, pairs.values as u64);
    let (keys_behind, values_behind) = (keys + (n * size) as u64, values + (n * width) as u64);
    // How many segments each pair is in, and whether a part begins there; a place behind the pairs for ends.
    let marks = run.queue.scratch(2 * 4 * (n + 1))?;
    let (depth, parts) = (marks.address(), marks.address() + 4 * (n + 1) as u64);
    // Keys with the numbers of pairs, each twice; later parts take the place of keys.
    let wide = size.max(4);
    let copies = run.queue.scratch(2 * n * (wide + 4))?;
    let (sorted, order) = (copies.address(), copies.address() + (2 * n * wide) as u64);
    let n64 = n as u64;
    // SAFETY: promised by the caller, and the scratch memory has room for all.
    unsafe {
        run.queue.clear(depth, 2 * 4 * (n + 1))?;
        let bounds = [
            starts as u64,
            ends as u64,
            segments as u64,
            n64,
            depth,
            parts,
            board,
            board,
            number,
        ];
        run.each(Kernel::MarkSegments, segments as u64, &bounds)?;
        let counts = Source::Elements(Scalar::U32);
        running(run, counts, Scalar::U32, true, (n, 1), depth, depth)?;
        run.each(
            Kernel::MarkRest,
            n64,
            &[depth, parts, n64, board, board, number],
        )?;
        running(run, counts, Scalar::U32, true, (n, 1), parts, parts)?;
        iota(run, order, n)?;
        run.queue.copy(sorted, keys, n * size)?;
        let room = Room {
            key: Key::of(scalar),
            keys: sorted,
            values: order,
            width: 4,
            count: n,
        };
        let by_key = if radix(run, room, 0, scalar.bits())? {
            room.other().values
        } else {
            order
        };
        // From here on the order is in the first half of its room, and so are the numbers of the parts.
        if by_key != order {
            run.queue.copy(order, by_key, 4 * n)?;
        }
        gather(run, sorted, parts, order, n, 4)?;
        let room = Room {
            key: Key::of(Scalar::U32),
            keys: sorted,
            values: order,
            width: 4,
            count: n,
        };
        let bits = u32::BITS - (n as u32).leading_zeros();
        let by_part = if radix(run, room, 0, bits)? {
            room.other().values
        } else {
            order
        };
        gather(run, keys_behind, keys, by_part, n, size)?;
        gather(run, values_behind, values, by_part, n, width)?;
        run.queue.copy(keys, keys_behind, n * size)?;
        run.queue.copy(values, values_behind, n * width)
    }
}

/// What a note of these kernels says.
fn explain(slot: &ErrorSlot) -> Error {
    let text = match slot.code {
        OUTSIDE => format!(
            "segmented_sort_pairs: segment {} is [{}, {}), which is not within the pairs",
            slot.span, slot.a, slot.b
        ),
        _ => format!(
            "segmented_sort_pairs: pair {} is in {} segments; on a GPU segments must not overlap",
            slot.a, slot.b
        ),
    };
    Error::new(Code::ArrayValue, text)
}
