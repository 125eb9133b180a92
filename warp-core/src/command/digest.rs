//! Digests of arrays: whether anybody has changed one.

use crate::array::Array;
use crate::device::Device;
use crate::error::Result;

/// A digest of memory that is current. One word that changes changes it for certain.
pub(super) fn digest_of(memory: &Array) -> Result<u64> {
    let whole = &on_host(memory)?;
    let size = whole.view.layout().len() * whole.view.elem.size();
    if size == 0 {
        return Ok(0);
    }
    // SAFETY: contiguous memory has so many bytes, which its owner keeps; the caller keeps others from writing meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts(whole.view.arg.data, size) };
    let mix = |sum: u64, word: u64| {
        (sum ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    // Lanes that do not wait for each other: as fast as memory.
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut lanes = [1u64, 2, 3, 4];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, u64::from_ne_bytes(*word));
        }
    }
    let rest = rest.iter().map(|byte| u64::from(*byte));
    Ok(lanes.into_iter().chain(rest).fold(0, mix))
}

/// The same elements in memory of the host, without gaps.
fn on_host(memory: &Array) -> Result<Array> {
    if memory.view.device == Device::Cpu && memory.view.is_contiguous() {
        return Ok(memory.clone());
    }
    // SAFETY: the owner keeps the memory, and the caller keeps others from writing meanwhile.
    let copy = unsafe { memory.copy_to(Device::Cpu) };
    copy.map_err(|e| e.within("a copy to the host").of_array())
}
