//! The argument block: where the launch dimensions and the parameters lie.

use super::array;

/// One parameter as the argument block sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockParam {
    /// An [`super::ArrayArg`].
    Array,
    /// `count` scalars of `size` bytes each (1, 2, 4 or 8), packed.
    Value {
        /// Bytes of one component.
        size: usize,
        /// How many components there are.
        count: usize,
    },
}

impl BlockParam {
    /// Bytes this parameter takes, without padding.
    pub const fn size(self) -> usize {
        match self {
            BlockParam::Array => array::SIZE,
            BlockParam::Value { size, count } => size * count,
        }
    }
}

/// Where the parameters lie in the argument block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// Offset of each parameter.
    pub offsets: Vec<usize>,
    /// Bytes of the whole block, a multiple of 8.
    pub size: usize,
}

/// Offset of the launch dimensions in the argument block.
pub const DIMS_OFFSET: usize = 0;
/// Offset of the first parameter.
pub const FIRST_PARAM: usize = 16;

impl BlockLayout {
    /// Places `params` in order.
    pub fn of(params: impl IntoIterator<Item = BlockParam>) -> BlockLayout {
        let mut at = FIRST_PARAM;
        let mut offsets = Vec::new();
        for p in params {
            offsets.push(at);
            at = (at + p.size()).next_multiple_of(8);
        }
        BlockLayout { offsets, size: at }
    }
}

/// Places scalars of the given sizes one after the other, each at its natural alignment, and
/// returns their offsets and the bytes used: how the components of a struct are packed.
pub fn pack(sizes: impl IntoIterator<Item = usize>) -> (Vec<usize>, usize) {
    let mut at: usize = 0;
    let mut offsets = Vec::new();
    for size in sizes {
        at = at.next_multiple_of(size);
        offsets.push(at);
        at += size;
    }
    (offsets, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_start_at_multiples_of_eight() {
        let l = BlockLayout::of([
            BlockParam::Value { size: 4, count: 1 },
            BlockParam::Array,
            BlockParam::Value { size: 1, count: 3 },
            BlockParam::Value { size: 8, count: 9 },
        ]);
        assert_eq!(l.offsets, [16, 24, 80, 88]);
        assert_eq!(l.size, 160);
    }

    #[test]
    fn components_keep_their_alignment() {
        assert_eq!(pack([1, 4, 2, 8]), (vec![0, 4, 8, 16], 24));
        assert_eq!(pack([2, 2, 2]), (vec![0, 2, 4], 6));
    }
}
