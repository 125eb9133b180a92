//! Before a launch: tapes keep what it is about to overwrite.

use crate::kernel::{Kernel, Ready};
use crate::runtime::snapshot::{keep_overwritten, watched};
use pyo3::prelude::*;
use warp_core::abi::Strided;
use warp_core::launch::{Block, Touched};

/// Saves what a launch is about to overwrite, if a tape needs it. Returns whether a tape does: only then may code of
/// the user's have run, and a caller that has borrowed memory must check it again.
///
/// # Errors
/// There is no memory; the launch must not run then.
#[inline(always)]
pub fn before_launch(ready: &Ready, block: &Block) -> PyResult<bool> {
    if watched() {
        keep_written(ready, block)
    } else {
        Ok(false)
    }
}

/// The arrays that a launch writes.
pub fn written<'a>(
    kernel: &'a Kernel,
    ready: &'a Ready,
    block: &'a Block,
) -> impl Iterator<Item = Strided> + 'a {
    let offsets = &ready.compiled.program.layout.offsets;
    let params = kernel.params.iter().zip(&ready.writes).zip(offsets);
    params
        .filter(|((param, writes), _)| **writes && param.ndim > 0)
        .map(|((param, _), offset)| Strided {
            array: *block.array(*offset),
            ndim: param.ndim.into(),
            size: param.elem.size(),
        })
}

#[cold]
fn keep_written(ready: &Ready, block: &Block) -> PyResult<bool> {
    // In a fast call PyO3 does not know that the lock is held.
    Python::attach(|py| {
        let touched = Touched::of(&ready.compiled, block);
        let params = ready.writes.iter().enumerate();
        let mut written = params.filter(|(_, writes)| **writes);
        written.try_fold(false, |kept, (at, _)| match touched.written(at) {
            Some(part) => Ok(keep_overwritten(py, &part)? || kept),
            None => Ok(kept),
        })
    })
}
