//! Packing: arguments as a kernel reads them, in an argument block.

use super::convert::{Wanted, launch_arg_into};
use crate::dtype;
use crate::kernel::{Kernel, KernelParam, Ready};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyFloat;
use smallvec::SmallVec;
use warp_core::array::Owner;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::launch::{Block, Dims};
use warp_core::ty::Elem;

/// Arguments as they are packed, with what keeps them alive for the launch.
#[derive(Default)]
pub struct Packed {
    /// The argument block.
    pub block: Block,
    /// Few arguments own anything: a `Vec` that stays empty is cheap to move.
    keep: Vec<Owner>,
}

/// Packs all arguments into a new block.
///
/// # Errors
/// An argument does not fit; the error names it.
pub fn pack(
    kernel: &Kernel,
    ready: &Ready,
    device: Device,
    dims: Dims,
    args: &[Bound<'_, PyAny>],
) -> PyResult<Packed> {
    let mut packed = Packed::default();
    packed.fill(kernel, ready, device, dims, args)?;
    Ok(packed)
}

impl Packed {
    /// Packs all arguments; nothing has been written when one does not fit. In place, because moving a block
    /// costs as much as filling it.
    ///
    /// # Errors
    /// An argument does not fit; the error names it.
    pub fn fill(
        &mut self,
        kernel: &Kernel,
        ready: &Ready,
        device: Device,
        dims: Dims,
        args: &[Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let layout = &ready.compiled.program.layout;
        self.block.begin(layout.size, dims.shape);
        for (i, param) in kernel.params.iter().enumerate() {
            let (value, offset) = (&args[i], layout.offsets[i]);
            if param.ndim == 0 {
                pack_value(kernel, param, value, &mut self.block, offset)?;
                continue;
            }
            let place = self.block.array_at(offset);
            let want = Wanted::of(param, ready.writes[i], device);
            match launch_arg_into(value, &want, place) {
                Ok(None) => {}
                Ok(Some(owner)) => self.keep.push(owner),
                Err(e) => return Err(e.at(kernel.title(), &param.name)),
            }
        }
        Ok(())
    }
}

/// Packs a value that is not an array.
///
/// # Errors
/// The value does not fit the parameter.
pub fn pack_value(
    kernel: &Kernel,
    param: &KernelParam,
    value: &Bound<'_, PyAny>,
    block: &mut Block,
    offset: usize,
) -> PyResult<()> {
    // The usual case without a detour.
    if param.elem == Elem::Scalar(Scalar::F32) && value.is_exact_instance_of::<PyFloat>() {
        // SAFETY: it is a float, as just seen.
        let number = unsafe { ffi::PyFloat_AsDouble(value.as_ptr()) };
        block.write(offset, &(number as f32).to_ne_bytes());
        return Ok(());
    }
    let mut bytes: SmallVec<[u8; 64]> = SmallVec::new();
    dtype::value_bytes(value, param.elem, &mut bytes)
        .map_err(|e| e.at(kernel.title(), &param.name))?;
    block.write(offset, &bytes);
    Ok(())
}
