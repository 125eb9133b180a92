//! Before a launch: tapes keep what it is about to overwrite.

use crate::kernel::{Kernel, Ready};
use crate::runtime::snapshot::{keep_overwritten, watched};
use pyo3::prelude::*;
use warp_core::abi::Strided;
use warp_core::launch::Block;

/// Keeps what a launch is about to overwrite, where a tape needs it.
///
/// # Errors
/// There is no memory; the launch must not run then.
#[inline(always)]
pub fn before_launch(kernel: &Kernel, ready: &Ready, block: &Block) -> PyResult<()> {
    if watched() {
        keep_written(kernel, ready, block)
    } else {
        Ok(())
    }
}

#[cold]
fn keep_written(kernel: &Kernel, ready: &Ready, block: &Block) -> PyResult<()> {
    let offsets = &ready.compiled.program.layout.offsets;
    let params = kernel.params.iter().zip(&ready.writes).zip(offsets);
    // In a fast call PyO3 does not know that the lock is held.
    Python::attach(|py| {
        for ((param, writes), offset) in params {
            if *writes && param.ndim > 0 {
                let written = Strided {
                    array: *block.array(*offset),
                    ndim: param.ndim.into(),
                    size: param.elem.size(),
                };
                keep_overwritten(py, &written)?;
            }
        }
        Ok(())
    })
}
