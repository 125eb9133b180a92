//! Sorts of many parts of an array: one stable sort by key, and then one by part.
//!
//! Elements are distinguished by numbers that grow with their places: those of a segment have one number in common, and each element that
//! is in none has one of its own, so that it stays where it is.

use super::element::{Source, declare};
use super::kernel::Kernel;
use super::key::Key;
use super::moves::{gather, iota};
use super::run::Run;
use super::scan::running;
use super::sort::{Room, check, radix};
use super::text::{Text, ptx};
use crate::abi::ErrorSlot;
use crate::algorithm::Pairs;
use crate::backend::cuda::own::explained;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use std::sync::OnceLock;

/// A segment that does not lie within the pairs.
const OUTSIDE: i32 = 1;
/// A pair that is in more than one segment.
const OVERLAP: i32 = 2;

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
            number,
        ];
        run.launch(
            Kernel::MarkSegments,
            (segments as u64).div_ceil(256),
            &bounds,
        )?;
        let counts = Source::Elements(Scalar::U32);
        running(run, counts, Scalar::U32, true, (n, 1), depth, depth)?;
        run.launch(
            Kernel::MarkRest,
            n64.div_ceil(256),
            &[depth, parts, n64, board, number],
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

/// Writes a note, if there is none yet: `%r0` as the code, `%r1` as the place, `%d0` and `%d1` as numbers.
fn note(text: &mut Text, code: i32, board: usize) {
    text.pointer("%c", board);
    text.word("%r4", board + 1);
    ptx!(
        text,
        "atom.global.cas.b32 %r3, [%c], 0, {code}; setp.ne.s32 %p3, %r3, 0; @%p3 bra END;"
    );
    ptx!(
        text,
        "st.global.u32 [%c+4], %r1; st.global.s64 [%c+8], %d0; st.global.s64 [%c+16], %d1; st.global.u32 [%c+24], %r4;"
    );
    ptx!(text, "END: ret;");
}

/// Text: a thread for each segment.
pub fn mark(name: &str) -> String {
    let mut text = Text::new(name, 8);
    let text = &mut text;
    registers(text);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.wide("%d2", 2);
    text.wide("%d3", 3);
    text.pointer("%d4", 4);
    text.pointer("%d5", 5);
    text.thread("%d6");
    ptx!(
        text,
        "setp.ge.u64 %p0, %d6, %d2; @%p0 bra END; cvt.u32.u64 %r1, %d6;"
    );
    ptx!(
        text,
        "mad.lo.u64 %d7, %d6, 4, %a; ld.global.s32 %d0, [%d7]; mad.lo.u64 %d7, %d6, 4, %b; ld.global.s32 %d1, [%d7];"
    );
    ptx!(
        text,
        "setp.lt.s64 %p0, %d0, 0; setp.gt.s64 %p1, %d0, %d1; setp.gt.s64 %p2, %d1, %d3;"
    );
    ptx!(
        text,
        "or.pred %p0, %p0, %p1; or.pred %p0, %p0, %p2; @%p0 bra WRONG; setp.eq.s64 %p0, %d0, %d1; @%p0 bra END;"
    );
    for (at, step) in [("%d0", 1), ("%d1", -1)] {
        ptx!(
            text,
            "mad.lo.u64 %d7, {at}, 4, %d4; red.global.add.u32 [%d7], {step};"
        );
        ptx!(
            text,
            "mad.lo.u64 %d7, {at}, 4, %d5; red.global.max.u32 [%d7], 1;"
        );
    }
    ptx!(text, "ret;\nWRONG:");
    note(text, OUTSIDE, 6);
    text.finish()
}

/// Text: a thread for each pair.
pub fn rest(name: &str) -> String {
    let mut text = Text::new(name, 5);
    let text = &mut text;
    registers(text);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.wide("%d2", 2);
    text.thread("%d0");
    ptx!(
        text,
        "setp.ge.u64 %p0, %d0, %d2; @%p0 bra END; mov.u32 %r1, 0;"
    );
    ptx!(
        text,
        "mad.lo.u64 %d7, %d0, 4, %a; ld.global.u32 %r2, [%d7]; cvt.u64.u32 %d1, %r2; setp.gt.u32 %p0, %r2, 1;"
    );
    ptx!(
        text,
        "@%p0 bra WRONG; setp.eq.u32 %p1, %r2, 0; mad.lo.u64 %d7, %d0, 4, %b; @%p1 st.global.u32 [%d7], 1; ret;\nWRONG:"
    );
    note(text, OVERLAP, 3);
    text.finish()
}

fn registers(text: &mut Text) {
    declare(text);
    text.registers("pred", "p", 4);
    text.registers("b32", "r", 8);
    text.registers("b64", "d", 8);
}
