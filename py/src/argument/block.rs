//! The argument block of a launch: launch dimensions, then each parameter at its offset (see `warp_core::abi`).

use super::dims::Dims;
use smallvec::SmallVec;
use warp_core::abi::ArrayArg;

/// The argument block: 8-byte words, so that it is aligned for everything.
/// Four arrays and a few numbers fit without an allocation; more room would cost every launch its copying.
pub type Block = SmallVec<[u64; 36]>;

/// An argument block without arguments.
pub fn block(size: usize, dims: Dims) -> Block {
    let mut block = Block::new();
    begin(&mut block, size, dims);
    block
}

pub fn begin(block: &mut Block, size: usize, dims: Dims) {
    block.resize(size.div_ceil(8), 0);
    let pair = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
    // Four int32, as a little-endian machine lays them out.
    block[0] = pair(dims.shape[0], dims.shape[1]);
    block[1] = pair(dims.shape[2], dims.shape[3]);
}

/// Writes bytes at an offset of a block.
pub fn write(block: &mut Block, offset: usize, bytes: &[u8]) {
    // SAFETY: any bytes are valid words, and u8 has no alignment.
    let whole =
        unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr().cast::<u8>(), block.len() * 8) };
    whole[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// Writes an array argument at an offset of a block.
pub fn write_array(block: &mut Block, offset: usize, arg: &ArrayArg) {
    *array_at(block, offset) = *arg;
}

/// The array argument at an offset of a block.
pub fn array_at(block: &mut Block, offset: usize) -> &mut ArrayArg {
    assert!(offset.is_multiple_of(8) && offset + size_of::<ArrayArg>() <= block.len() * 8);
    // SAFETY: the offset is aligned and inside, as just checked, and any words are an array argument.
    unsafe { &mut *block.as_mut_ptr().cast::<u8>().add(offset).cast() }
}
