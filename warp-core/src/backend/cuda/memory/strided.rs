//! Copies between any layouts on a GPU, by a kernel of ours in PTX.

use crate::abi::Strided;
use crate::backend::cuda::code::loaded::Loaded;
use crate::device::Stream;
use crate::device::cuda::Gpu;
use crate::error::{Bug, Result};
use crate::ty::MAX_NDIM;
use cudarc::driver::sys::CUstream;
use std::ffi::CString;

/// The kernel's text for a unit of so many bytes.
const TEXT: &str = include_str!("copy.ptx");
/// What a unit may be, in bytes.
const UNITS: [usize; 4] = [1, 2, 4, 8];
/// Threads of a block.
const BLOCK: u32 = 256;

/// What the kernel is given.
#[repr(C)]
struct Arguments {
    to: u64,
    from: u64,
    count: u64,
    shape: [u32; MAX_NDIM],
    to_strides: [i64; MAX_NDIM],
    from_strides: [i64; MAX_NDIM],
    units: u64,
}

/// The kernels of a GPU.
#[derive(Debug)]
pub struct Copier {
    kernels: Vec<Loaded>,
}

impl Copier {
    /// Loads them.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(gpu: &'static Gpu) -> Result<Copier> {
        let kernels = UNITS.iter().map(|unit| {
            let body = TEXT
                .replace("WIDTH", &(8 * unit).to_string())
                .replace("UNIT", &unit.to_string());
            let text = format!(".version 6.3\n.target sm_50\n.address_size 64\n{body}");
            let text = CString::new(text).map_err(|e| Bug(e.to_string()))?;
            Loaded::new(gpu, &text, &format!("copy_{unit}"))
        });
        Ok(Copier {
            kernels: kernels.collect::<Result<_>>()?,
        })
    }

    /// Copies elements in index order of the shape; a stride of 0 repeats one.
    ///
    /// # Safety
    /// Both are memory that the GPU reaches, of one shape and element size, alive until the stream is done, and do not overlap;
    /// nothing else uses `to` or writes `from` meanwhile.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn copy(&self, to: &Strided, from: &Strided, stream: Stream) -> Result<()> {
        let count = to.len() as u64;
        if count == 0 || to.size == 0 {
            return Ok(());
        }
        let right = |strided: &Strided| {
            let (mut shape, mut strides) = ([1; MAX_NDIM], [0; MAX_NDIM]);
            let first = MAX_NDIM - strided.ndim;
            for d in 0..strided.ndim {
                shape[first + d] = strided.array.shape[d] as u32;
                strides[first + d] = strided.array.strides[d];
            }
            (shape, strides)
        };
        let (shape, to_strides) = right(to);
        let (_, from_strides) = right(from);
        // The largest unit at which everything starts.
        let starts = [to.array.data as u64, from.array.data as u64, to.size as u64];
        let steps = to_strides
            .iter()
            .chain(&from_strides)
            .map(|s| s.unsigned_abs());
        let all = starts
            .into_iter()
            .chain(steps)
            .fold(0, |all, one| all | one);
        let which = (all.trailing_zeros() as usize).min(UNITS.len() - 1);
        let arguments = Arguments {
            to: starts[0],
            from: starts[1],
            count,
            shape,
            to_strides,
            from_strides,
            units: (to.size / UNITS[which]) as u64,
        };
        let blocks = count.div_ceil(BLOCK.into()).min(1 << 16) as u32;
        let mut params = [(&raw const arguments).cast_mut().cast()];
        // SAFETY: promised by the caller; the kernel takes this one block.
        unsafe { self.kernels[which].launch(blocks, BLOCK, stream.handle as CUstream, &mut params) }
    }
}

const _: () = assert!(size_of::<Arguments>() == 112);
