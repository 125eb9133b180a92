//! Before a launch: tapes keep what it is about to overwrite.

use crate::kernel::{Kernel, Ready};
use crate::runtime::snapshot::{keep_overwritten, watched};
use pyo3::prelude::*;
use warp_core::abi::Strided;
use warp_core::launch::Block;

/// Keeps what a launch is about to overwrite, where a tape needs it. Returns whether a tape does: only then may code of
/// the user's have run, and whoever has borrowed memory must look at it again.
///
/// # Errors
/// There is no memory; the launch must not run then.
#[inline(always)]
pub fn before_launch(kernel: &Kernel, ready: &Ready, block: &Block) -> PyResult<bool> {
    if watched() {
        keep_written(kernel, ready, block)
    } else {
        Ok(false)
    }
}

#[cold]
fn keep_written(kernel: &Kernel, ready: &Ready, block: &Block) -> PyResult<bool> {
    let offsets = &ready.compiled.program.layout.offsets;
    let params = kernel.params.iter().zip(&ready.writes).zip(offsets);
    // In a fast call PyO3 does not know that the lock is held.
    Python::attach(|py| {
        let mut kept = false;
        for ((param, writes), offset) in params {
            if *writes && param.ndim > 0 {
                let written = Strided {
                    array: *block.array(*offset),
                    ndim: param.ndim.into(),
                    size: param.elem.size(),
                };
                kept |= keep_overwritten(py, &written)?;
            }
        }
        Ok(kept)
    })
}
