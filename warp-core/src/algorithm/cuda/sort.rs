//! Stable sorts of keys with values by digits of 8 bits, the lowest first: how often each digit occurs in each tile, running sums of
//! these counts, which say where the keys of each go, and then all are moved there.

use super::element::Source;
use super::kernel::Kernel;
use super::key::Key;
use super::moves::{gather, iota};
use super::run::Run;
use super::scan::running;
use super::text::{Text, ptx};
use crate::algorithm::Pairs;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};

/// Keys of a tile that one thread has.
const EACH: usize = 16;
/// Values in flight at a time.
const AHEAD: usize = 4;
/// Keys of a warp, which follow each other.
const WARP: usize = 32 * EACH;
/// Keys of a tile.
const TILE: usize = 256 * EACH;
/// Values of a digit.
const DIGITS: usize = 256;

/// Pairs in memory of a GPU, followed by scratch space of the same size.
#[derive(Clone, Copy)]
pub struct Room {
    pub key: Key,
    pub keys: u64,
    pub values: u64,
    /// Bytes of a value: 4 or 8.
    pub width: usize,
    pub count: usize,
}

/// As [`crate::algorithm::sort_pairs`], on a GPU.
///
/// # Safety
/// As there, but the memory must stay until the stream is done, and be the GPU's.
///
/// # Errors
/// There are more pairs than 32 bits count; what the driver says.
pub unsafe fn sort_pairs(run: &Run, pairs: &Pairs, begin: u32, end: u32) -> Result<()> {
    let _timed = run.queue.watch("radix sort");
    let Pairs {
        scalar,
        width,
        count,
        ..
    } = *pairs;
    check(count)?;
    let (keys, values) = (pairs.keys as u64, pairs.values as u64);
    let key = Key::of(scalar);
    let second = values + (count * width) as u64;
    // SAFETY: promised by the caller.
    unsafe {
        if matches!(width, 4 | 8) && (values | second).is_multiple_of(width as u64) {
            let room = Room {
                key,
                keys,
                values,
                width,
                count,
            };
            return if radix(run, room, begin, end)? {
                room.bring_back(run)
            } else {
                Ok(())
            };
        }
        // Other values stay where they are until their order is known.
        let numbers = run.queue.scratch(8 * count)?;
        iota(run, numbers.address(), count)?;
        let room = Room {
            key,
            keys,
            values: numbers.address(),
            width: 4,
            count,
        };
        let mut order = room.values;
        if radix(run, room, begin, end)? {
            run.queue
                .copy(keys, room.other().keys, count * key.size())?;
            order = room.other().values;
        }
        gather(run, second, values, order, count, width)?;
        run.queue.copy(values, second, count * width)
    }
}

/// Refuses more elements than there are numbers of 32 bits.
///
/// # Errors
/// There are more.
pub fn check(count: usize) -> Result<()> {
    match u32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::new(
            Code::ArrayValue,
            format!(
                "there are {count} elements; on a GPU there may be {} at most",
                u32::MAX
            ),
        )),
    }
}

impl Room {
    /// The scratch space after the pairs.
    pub fn other(self) -> Room {
        Room {
            keys: self.keys + (self.count * self.key.size()) as u64,
            values: self.values + (self.count * self.width) as u64,
            ..self
        }
    }

    /// Copies pairs from the second half to the first.
    unsafe fn bring_back(self, run: &Run) -> Result<()> {
        let from = self.other();
        // SAFETY: the halves do not overlap.
        unsafe {
            run.queue
                .copy(self.keys, from.keys, self.count * self.key.size())?;
            run.queue
                .copy(self.values, from.values, self.count * self.width)
        }
    }
}

/// Sorts pairs by the bits of their keys from `begin` up to `end`; whether they are in the second half then.
///
/// # Safety
/// The room is memory of the GPU that nothing else uses.
pub unsafe fn radix(run: &Run, room: Room, begin: u32, end: u32) -> Result<bool> {
    let count = room.count;
    let tiles = count.div_ceil(TILE);
    let table = run.queue.scratch(DIGITS * tiles * 4)?;
    let counts = table.address();
    let (mut from, mut to) = (room, room.other());
    let digits = (end - begin).div_ceil(8);
    for shift in (0..digits).map(|digit| begin + 8 * digit) {
        let mask = (1u64 << (end - shift).min(8)) - 1;
        let (n, tiles, shift) = (count as u64, tiles as u64, u64::from(shift));
        // SAFETY: promised by the caller; the table has a count for each digit and tile.
        unsafe {
            run.launch(
                Kernel::CountDigits(room.key),
                tiles,
                &[from.keys, counts, n, tiles, shift, mask],
            )?;
            let source = Source::Elements(Scalar::U32);
            running(
                run,
                source,
                Scalar::U32,
                false,
                (DIGITS * tiles as usize, 1),
                counts,
                counts,
            )?;
            let moves = [
                from.keys,
                from.values,
                to.keys,
                to.values,
                counts,
                n,
                tiles,
                shift,
                mask,
            ];
            run.launch(Kernel::MoveByDigit(room.key, room.width), tiles, &moves)?;
        }
        (from, to) = (to, from);
    }
    Ok(digits % 2 == 1)
}

/// Text: a block for each tile. Counts lie by digit, and by tile for each digit.
pub fn count(name: &str, key: Key) -> String {
    let bits = 8 * key.size();
    let mut text = Text::new(name, 6);
    let text = &mut text;
    registers(text);
    ptx!(text, ".shared .align 4 .b8 counts[{}];", 4 * DIGITS);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.wide("%d0", 2);
    text.wide("%d1", 3);
    text.word("%r8", 4);
    text.word("%r9", 5);
    ptx!(
        text,
        "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, counts; mad.lo.u32 %r3, %r0, 4, %r2;"
    );
    ptx!(
        text,
        "st.shared.u32 [%r3], 0; cvt.u64.u32 %d2, %r1; cvt.u64.u32 %d3, %r0; mad.lo.u64 %d4, %d2, {TILE}, %d3;"
    );
    ptx!(text, "mad.lo.u64 %d5, %d4, {}, %a; bar.sync 0;", key.size());
    for k in 0..EACH {
        ptx!(
            text,
            "add.u64 %d6, %d4, {}; setp.lt.u64 %p0, %d6, %d0;",
            256 * k
        );
        ptx!(
            text,
            "mov.u64 %d7, 0; @%p0 ld.global.u{bits} %d7, [%d5+{}];",
            256 * k * key.size()
        );
        key.digit(text, "%r4", "%d7");
        ptx!(
            text,
            "mad.lo.u32 %r4, %r4, 4, %r2; @%p0 red.shared.add.u32 [%r4], 1;"
        );
    }
    ptx!(
        text,
        "bar.sync 0; ld.shared.u32 %r5, [%r3]; mad.lo.u64 %d8, %d3, %d1, %d2; mad.lo.u64 %d8, %d8, 4, %b;"
    );
    ptx!(text, "st.global.u32 [%d8], %r5; ret;");
    text.finish()
}

/// Text: a block for each tile. A warp takes keys that follow each other, 32 at a time. The lanes that have a digit in common find each
/// other by votes, so that each knows how many of the warp's came before; counts of the digits, by warp, are in shared memory.
pub fn place(name: &str, key: Key, width: usize) -> String {
    let bits = 8 * key.size();
    let mut text = Text::new(name, 9);
    let text = &mut text;
    registers(text);
    text.registers("b64", "k", EACH);
    text.registers("b32", "n", EACH);
    text.registers(&format!("b{}", 8 * width), "v", AHEAD);
    ptx!(text, ".shared .align 4 .b8 counts[{}];", 4 * 8 * DIGITS);
    text.pointer("%a", 0);
    text.pointer("%b", 1);
    text.pointer("%c", 2);
    text.pointer("%d9", 3);
    text.pointer("%d10", 4);
    text.wide("%d0", 5);
    text.wide("%d1", 6);
    text.word("%r8", 7);
    text.word("%r9", 8);
    ptx!(
        text,
        "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, counts; mad.lo.u32 %r3, %r0, 4, %r2;"
    );
    for warp in 0..8 {
        ptx!(text, "st.shared.u32 [%r3+{}], 0;", 4 * DIGITS * warp);
    }
    // This warp's counts, its first key, and this lane's.
    ptx!(
        text,
        "shr.u32 %r4, %r0, 5; and.b32 %r5, %r0, 31; mad.lo.u32 %r6, %r4, {}, %r2;",
        4 * DIGITS
    );
    ptx!(
        text,
        "cvt.u64.u32 %d2, %r1; cvt.u64.u32 %d3, %r4; mul.lo.u64 %d4, %d2, {TILE}; mad.lo.u64 %d4, %d3, {WARP}, %d4;"
    );
    ptx!(
        text,
        "cvt.u64.u32 %d5, %r5; add.u64 %d5, %d5, %d4; mad.lo.u64 %d6, %d5, {}, %a; mov.u32 %r7, %lanemask_lt;",
        key.size()
    );
    // All keys are under way before the first is looked at.
    for k in 0..EACH {
        ptx!(
            text,
            "add.u64 %d7, %d5, {}; setp.lt.u64 %p0, %d7, %d0; mov.u32 %n{k}, 0;",
            32 * k
        );
        ptx!(
            text,
            "mov.u64 %k{k}, 0; @%p0 ld.global.u{bits} %k{k}, [%d6+{}];",
            32 * k * key.size()
        );
    }
    ptx!(text, "bar.sync 0;");
    for k in 0..EACH {
        rank(text, key, k);
    }
    ptx!(text, "COUNTED: bar.sync 0;");
    first_places(text);
    ptx!(text, "bar.sync 0; mad.lo.u64 %d8, %d5, {width}, %b;");
    for k in (0..EACH).step_by(AHEAD) {
        put(text, key, width, k);
    }
    ptx!(text, "DONE: ret;");
    text.finish()
}

/// Key `k` of each lane: how many of the warp's with its digit come before, as `%n`.
fn rank(text: &mut Text, key: Key, k: usize) {
    // Without keys for this warp there is nothing more to do for it.
    ptx!(
        text,
        "add.u64 %d7, %d4, {}; setp.ge.u64 %p1, %d7, %d0; @%p1 bra.uni COUNTED;",
        32 * k
    );
    ptx!(
        text,
        "add.u64 %d7, %d5, {}; setp.lt.u64 %p0, %d7, %d0;",
        32 * k
    );
    key.digit(text, "%r10", &format!("%k{k}"));
    ptx!(text, "vote.sync.ballot.b32 %r11, %p0, -1;");
    for bit in 0..8 {
        ptx!(
            text,
            "and.b32 %r12, %r10, {}; setp.ne.u32 %p2, %r12, 0;",
            1 << bit
        );
        ptx!(
            text,
            "vote.sync.ballot.b32 %r12, %p2, -1; @!%p2 not.b32 %r12, %r12; and.b32 %r11, %r11, %r12;"
        );
    }
    // Those before this lane; the first of them counts for all, once all have read.
    ptx!(
        text,
        "and.b32 %r12, %r11, %r7; popc.b32 %r12, %r12; setp.eq.u32 %p3, %r12, 0; and.pred %p3, %p3, %p0;"
    );
    ptx!(
        text,
        "mad.lo.u32 %r13, %r10, 4, %r6; ld.shared.u32 %r14, [%r13]; add.u32 %n{k}, %r14, %r12;"
    );
    ptx!(
        text,
        "popc.b32 %r15, %r11; add.u32 %r14, %r14, %r15; bar.warp.sync -1; @%p3 st.shared.u32 [%r13], %r14;"
    );
    ptx!(text, "bar.warp.sync -1;");
}

/// Thread `d` makes the counts of digit `d` the places of the first one of each warp.
fn first_places(text: &mut Text) {
    ptx!(
        text,
        "cvt.u64.u32 %d7, %r0; mad.lo.u64 %d7, %d7, %d1, %d2; mad.lo.u64 %d7, %d7, 4, %d10; ld.global.u32 %r14, [%d7];"
    );
    for warp in 0..8 {
        let at = 4 * DIGITS * warp;
        ptx!(
            text,
            "ld.shared.u32 %r15, [%r3+{at}]; st.shared.u32 [%r3+{at}], %r14; add.u32 %r14, %r14, %r15;"
        );
    }
}

/// Writes keys from `k` on with their values, which are in flight before the first is written.
fn put(text: &mut Text, key: Key, width: usize, k: usize) {
    ptx!(
        text,
        "add.u64 %d7, %d5, {}; setp.ge.u64 %p1, %d7, %d0; @%p1 bra DONE;",
        32 * k
    );
    for i in 0..AHEAD {
        ptx!(
            text,
            "add.u64 %d7, %d5, {}; setp.lt.u64 %p{}, %d7, %d0;",
            32 * (k + i),
            4 + i
        );
        ptx!(
            text,
            "@%p{} ld.global.b{} %v{i}, [%d8+{}];",
            4 + i,
            8 * width,
            32 * (k + i) * width
        );
    }
    for i in 0..AHEAD {
        let (from, holds) = (k + i, 4 + i);
        key.digit(text, "%r10", &format!("%k{from}"));
        ptx!(
            text,
            "mad.lo.u32 %r13, %r10, 4, %r6; ld.shared.u32 %r14, [%r13]; add.u32 %r14, %r14, %n{from}; cvt.u64.u32 %d7, %r14;"
        );
        ptx!(
            text,
            "mad.lo.u64 %d11, %d7, {}, %c; @%p{holds} st.global.u{} [%d11], %k{from};",
            key.size(),
            8 * key.size()
        );
        ptx!(
            text,
            "mad.lo.u64 %d11, %d7, {width}, %d9; @%p{holds} st.global.b{} [%d11], %v{i};",
            8 * width
        );
    }
}

fn registers(text: &mut Text) {
    super::element::declare(text);
    text.registers("pred", "p", 16);
    text.registers("b32", "r", 16);
    text.registers("b64", "d", 16);
}
