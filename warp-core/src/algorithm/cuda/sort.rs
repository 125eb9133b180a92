//! Stable sorts of keys with values by digits of 8 bits, the lowest first: how often each digit occurs in each tile, running sums of
//! these counts, which say where the keys of each go, and then all are moved there.

use super::element::{Key, Source};
use super::kernel::{BLOCK, KEYS_EACH, Kernel};
use super::moves::{gather, iota};
use super::run::Run;
use super::scan::running;
use crate::algorithm::Pairs;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};

/// Keys of a tile.
const TILE: usize = BLOCK * KEYS_EACH;
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
                &[tiles],
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
            run.launch(Kernel::MoveByDigit(room.key, room.width), &[tiles], &moves)?;
        }
        (from, to) = (to, from);
    }
    Ok(digits % 2 == 1)
}
