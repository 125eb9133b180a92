//! An array as a launch reads it: everything but the owner of the memory.

use super::layout::Layout;
use crate::abi::{ArrayArg, Strided};
use crate::backend::Located;
use crate::device::Device;
use crate::dtype::Scalar;
use crate::pass::regions::Region;
use crate::ty::{Elem, MAX_NDIM};

/// Elements in memory. Copying a view copies no elements. It does not keep the memory alive: an [`super::Owner`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// What a compiled kernel is given, as it stands.
    pub arg: ArrayArg,
    /// What each element is.
    pub elem: Elem,
    /// Number of dimensions.
    pub ndim: u8,
    /// Nothing may write through this view.
    pub read_only: bool,
    /// Where the memory is.
    pub device: Device,
}

// SAFETY: a view is an address and a description; whoever reads or writes through it answers for
// the memory, as with every array that several libraries and threads share.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    /// No elements.
    pub const EMPTY: View = View {
        arg: ArrayArg {
            shape: [0; MAX_NDIM],
            ..ArrayArg::MISSING
        },
        elem: Elem::Scalar(Scalar::U8),
        ndim: 1,
        read_only: true,
        device: Device::Cpu,
    };
    /// Puts the parts together.
    #[inline]
    pub fn new(data: *mut u8, layout: Layout, elem: Elem, device: Device, read_only: bool) -> View {
        View {
            arg: ArrayArg {
                data,
                shape: layout.shape,
                strides: layout.strides,
            },
            elem,
            ndim: layout.ndim,
            read_only,
            device,
        }
    }
    /// Shape and strides.
    #[inline]
    pub fn layout(&self) -> Layout {
        Layout {
            ndim: self.ndim,
            shape: self.arg.shape,
            strides: self.arg.strides,
        }
    }
    /// The elements as a launch and a backend see them.
    #[inline]
    pub fn strided(&self) -> Strided {
        Strided {
            array: self.arg,
            ndim: self.ndim.into(),
            size: self.elem.size(),
        }
    }
    /// The elements and where they are.
    pub fn located(&self) -> Located {
        Located {
            device: self.device,
            elements: self.strided(),
        }
    }
    /// The same memory from `offset` bytes on, in another layout.
    #[inline]
    pub fn at(&self, offset: i64, layout: Layout) -> View {
        let data = self.arg.data.wrapping_offset(offset as isize);
        View::new(data, layout, self.elem, self.device, self.read_only)
    }
    /// Some of the elements.
    pub fn part(&self, region: &Region) -> View {
        View {
            arg: part_of(&self.arg, region),
            ..*self
        }
    }
    /// Row-major without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.layout().is_contiguous(self.elem.size())
    }
    /// Whether the bytes of the two may overlap. Never says no wrongly.
    pub fn overlaps(&self, other: &View) -> bool {
        let (a, b) = (self.addresses(), other.addresses());
        a.start < b.end && b.start < a.end
    }
    /// The addresses from the first byte of any element to the last of any.
    pub fn addresses(&self) -> std::ops::Range<usize> {
        let r = self.layout().byte_range(self.elem.size());
        let base = self.arg.data as usize;
        base.wrapping_add_signed(r.start as isize)..base.wrapping_add_signed(r.end as isize)
    }
}

/// Some of the elements of an array.
pub fn part_of(array: &ArrayArg, region: &Region) -> ArrayArg {
    let mut part = ArrayArg {
        shape: region.shape,
        ..*array
    };
    for dim in 0..MAX_NDIM {
        let offset = i64::from(region.start[dim]) * array.strides[dim];
        part.data = part.data.wrapping_offset(offset as isize);
        part.strides[dim] *= i64::from(region.step[dim]);
    }
    part
}
