//! What the driver says of a kernel in the memory of a GPU: what a thread takes, and which blocks fill the GPU.

use crate::backend::cuda::code::loaded::Loaded;
use crate::device::cuda::Attribute;
use crate::error::Result;
use cudarc::driver::sys::*;
use std::ffi::{c_int, c_uint};

/// What a thread of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadCost {
    /// Registers.
    pub registers: u32,
    /// Bytes of local memory: what fits no register, and the stack.
    pub local_bytes: u32,
}

/// The largest cluster that any GPU has.
const LARGEST: u32 = 16;

impl Loaded {
    /// What a thread takes.
    ///
    /// # Errors
    /// What the driver says.
    pub fn cost(&self) -> Result<ThreadCost> {
        Ok(ThreadCost {
            registers: self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: self
                .attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        })
    }

    fn attribute(&self, attribute: CUfunction_attribute) -> Result<u32> {
        let current = self.gpu().enter()?;
        let mut value = 0;
        // SAFETY: writes an integer.
        unsafe {
            current
                .driver()
                .function_get_attribute(&raw mut value, attribute, self.function())
        }?;
        Ok(value.max(0) as u32)
    }

    /// The threads of a block with which the most threads run at a time, and how many such blocks fill the GPU.
    ///
    /// # Errors
    /// What the driver says.
    pub fn suggested_block(&self) -> Result<(u32, u32)> {
        let current = self.gpu().enter()?;
        let (mut blocks, mut threads): (c_int, c_int) = (0, 0);
        // SAFETY: writes two integers; kernels have no shared memory that grows with the block.
        unsafe {
            current.driver().occupancy_block_size(
                &raw mut blocks,
                &raw mut threads,
                self.function(),
                None,
                0,
                0,
            )
        }?;
        Ok((threads.max(1) as u32, blocks.max(1) as u32))
    }

    /// How many blocks of so many threads a cluster can have; 1 where the GPU or the driver has no clusters.
    pub fn largest_cluster(&self, threads: u32, shared: u32) -> u32 {
        let major = self.gpu().attribute(Attribute::COMPUTE_CAPABILITY_MAJOR);
        if major.is_ok_and(|major| major < 9) {
            return 1;
        }
        let threads = threads.clamp(1, self.most_threads());
        let sizes = std::iter::successors(Some(LARGEST), |size| Some(size / 2));
        let fits = |size: &u32| self.fits(*size, threads, shared).unwrap_or(false);
        sizes.take_while(|size| *size > 1).find(fits).unwrap_or(1)
    }

    /// Whether the GPU can run a cluster of so many blocks.
    fn fits(&self, size: u32, threads: c_uint, shared: c_uint) -> Result<bool> {
        let current = self.gpu().enter()?;
        let beyond = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        // SAFETY: allows more to launches that ask for clusters, of which there are none.
        let _ = unsafe {
            current
                .driver()
                .function_set_attribute(self.function(), beyond, 1)
        };
        let mut value = CUlaunchAttributeValue { pad: [0; 64] };
        value.clusterDim = CUlaunchAttributeValue_union__bindgen_ty_1 {
            x: size,
            y: 1,
            z: 1,
        };
        let mut attribute = CUlaunchAttribute {
            id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            pad: [0; 4],
            value,
        };
        let config = CUlaunchConfig {
            gridDimX: size,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: shared,
            hStream: std::ptr::null_mut(),
            attrs: &raw mut attribute,
            numAttrs: 1,
        };
        let mut clusters = 0;
        // SAFETY: writes an integer; the attribute outlives the call.
        unsafe {
            current.driver().occupancy_clusters(
                &raw mut clusters,
                self.function(),
                &raw const config,
            )
        }?;
        Ok(clusters > 0)
    }
}
