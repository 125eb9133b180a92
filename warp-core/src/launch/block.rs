//! Argument blocks.

use crate::abi::ArrayArg;
use crate::ty::MAX_NDIM;
use smallvec::SmallVec;

/// An argument block: 8-byte words, so that it is aligned for everything.
/// Four arrays and a few numbers fit without an allocation; more room would cost every launch its copying.
#[derive(Clone, Debug, Default)]
pub struct Block(SmallVec<[u64; 36]>);

impl Block {
    /// A block of `size` bytes without arguments.
    pub fn new(size: usize, dims: [i32; MAX_NDIM]) -> Block {
        let mut block = Block::default();
        block.begin(size, &dims);
        block
    }

    /// Makes room for `size` bytes and writes the launch dimensions. In place, because moving a block costs as much as
    /// filling it.
    #[inline(always)]
    pub fn begin(&mut self, size: usize, dims: &[i32; MAX_NDIM]) {
        self.0.resize(size.div_ceil(8), 0);
        let pair = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
        // Four int32, as a little-endian machine lays them out.
        self.0[0] = pair(dims[0], dims[1]);
        self.0[1] = pair(dims[2], dims[3]);
    }

    /// Writes bytes at an offset.
    #[inline]
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        let words = &mut self.0;
        // SAFETY: any bytes are valid words, and u8 has no alignment.
        let whole = unsafe {
            std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), words.len() * 8)
        };
        whole[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// The bytes at an offset, as they were packed.
    #[inline]
    pub fn bytes(&self, offset: usize, len: usize) -> &[u8] {
        // SAFETY: words are bytes too, which have no alignment.
        let whole =
            unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast::<u8>(), self.0.len() * 8) };
        &whole[offset..offset + len]
    }

    /// Writes an array argument at an offset.
    #[inline]
    pub fn write_array(&mut self, offset: usize, arg: &ArrayArg) {
        *self.array_at(offset) = *arg;
    }

    /// The array argument at an offset, to be written.
    #[inline]
    pub fn array_at(&mut self, offset: usize) -> &mut ArrayArg {
        assert!(offset.is_multiple_of(8) && offset + size_of::<ArrayArg>() <= self.0.len() * 8);
        // SAFETY: the offset is aligned and inside, as just checked, and any words are an array argument.
        unsafe { &mut *self.0.as_mut_ptr().cast::<u8>().add(offset).cast() }
    }

    /// The array argument at an offset, as it was packed.
    #[inline]
    pub fn array(&self, offset: usize) -> &ArrayArg {
        assert!(offset.is_multiple_of(8) && offset + size_of::<ArrayArg>() <= self.0.len() * 8);
        // SAFETY: as in `array_at`.
        unsafe { &*self.0.as_ptr().cast::<u8>().add(offset).cast() }
    }

    /// Where the block begins.
    #[inline]
    pub fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }
}
