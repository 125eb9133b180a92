//! Packing: arguments as a kernel reads them, in an argument block.
//!
//! The block has addresses of memory that the arguments themselves keep, and code of the user's, such as an argument's
//! `__float__`, may give a tensor other memory. So values come first, and arrays that are held, whose conversion may run such
//! code, cause those that are borrowed to be checked again. From then on until the launch ends, Python's lock keeps
//! other threads out; a caller that releases it calls [`Packed::hold`] first.

use super::convert::{Wanted, check_current, copy_own, hold, launch_arg, launch_arg_into};
use super::written::{WrittenTensors, counts_changes};
use crate::dtype;
use crate::kernel::{Kernel, KernelParam, Ready};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyFloat;
use smallvec::SmallVec;
use warp_core::array::Owner;
pub use warp_core::command::Owners;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::launch::{Block, Dims};
use warp_core::objects;
use warp_core::ty::Elem;

/// Arguments as they are packed, with what keeps them alive for the launch.
#[derive(Default)]
pub struct Packed {
    /// The argument block.
    pub block: Block,
    /// Of arrays that are held. There are few: a `Vec` that stays empty is cheap to move.
    held: Owners,
    /// Of those that the kernel writes.
    pub tensors: WrittenTensors,
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
    packed.fill(kernel, ready, device, &dims, args)?;
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
        dims: &Dims,
        args: &[Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let layout = &ready.compiled.program.layout;
        self.block.begin(layout.size, &dims.shape);
        for (i, param) in kernel.params.iter().enumerate() {
            if param.ndim == 0 {
                let offset = layout.offsets[i];
                pack_value(kernel, param, &args[i], &mut self.block, offset)
                    .map_err(|e| first_wrong(kernel, ready, device, &args[..i]).unwrap_or(e))?;
            }
        }
        // Each round but the last holds one more argument.
        loop {
            let held = self.held.len();
            self.pack_arrays(kernel, ready, device, args)?;
            if self.held.len() == held {
                break;
            }
        }
        check_owners(kernel, &self.held)
    }

    /// Packs the arrays that are not held yet.
    #[inline]
    fn pack_arrays(
        &mut self,
        kernel: &Kernel,
        ready: &Ready,
        device: Device,
        args: &[Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let layout = &ready.compiled.program.layout;
        for (i, param) in kernel.params.iter().enumerate() {
            if param.ndim == 0 {
                continue;
            }
            let want = Wanted::of(param, ready.writes[i], device);
            let place = self.block.array_at(layout.offsets[i]);
            // Arrays of ours are never held.
            if copy_own(&args[i], &want, place) || self.held.iter().any(|(at, _)| *at == i) {
                continue;
            }
            match launch_arg_into(&args[i], &want, place) {
                Ok(None) => {}
                Ok(Some(owner)) => self.held.push((i, owner)),
                Err(e) => return Err(kernel.refuse(e, &param.name)),
            }
            if want.writes && counts_changes(&args[i]) {
                self.tensors.add(i);
            }
        }
        Ok(())
    }

    /// Owners of the memory of all arrays, for a launch that runs without Python's lock, or later.
    ///
    /// # Errors
    /// An argument has been given other memory since it was packed.
    #[cold]
    pub fn hold(
        &self,
        kernel: &Kernel,
        ready: &Ready,
        args: &[Bound<'_, PyAny>],
    ) -> PyResult<Owners> {
        let layout = &ready.compiled.program.layout;
        let mut owners = Owners::new();
        for (i, param) in kernel.params.iter().enumerate() {
            if param.ndim == 0 {
                owners.extend(queried(ready, param, &self.block, i).map(|owner| (i, owner)));
                continue;
            }
            let owner = match self.held.iter().find(|(at, _)| *at == i) {
                Some((_, owner)) => Ok(owner.clone()),
                None => hold(&args[i], param.elem, self.block.array(layout.offsets[i])),
            };
            owners.push((i, owner.map_err(|e| kernel.refuse(e, &param.name))?));
        }
        check_owners(kernel, &owners)?;
        Ok(owners)
    }
}

/// What is wrong with the first of some arguments that is an array and does not fit: values are packed before arrays, but
/// whoever mixed up the order reads from the left.
#[cold]
fn first_wrong(
    kernel: &Kernel,
    ready: &Ready,
    device: Device,
    args: &[Bound<'_, PyAny>],
) -> Option<PyErr> {
    let mut params = kernel.params.iter().zip(args).enumerate();
    params.find_map(|(i, (param, value))| {
        if param.ndim == 0 {
            return None;
        }
        let want = Wanted::of(param, ready.writes[i], device);
        let wrong = launch_arg(value, &want).err()?;
        Some(kernel.refuse(wrong, &param.name))
    })
}

/// What keeps objects alive whose ids a value may hold.
pub fn queried(
    ready: &Ready,
    param: &KernelParam,
    block: &Block,
    i: usize,
) -> impl Iterator<Item = Owner> + use<> {
    let program = &ready.compiled.program;
    let keepers = match program.queries {
        true => {
            let bytes = block.bytes(program.layout.offsets[i], param.elem.size());
            objects::hold_in(param.elem, bytes)
        }
        false => Default::default(),
    };
    let keepers = keepers.into_iter();
    keepers.map(|keeper| Owner::of(Box::new(keeper)))
}

/// Refuses to launch on memory that has been replaced since it was held.
///
/// # Errors
/// It has been replaced; the error names the argument.
#[inline]
pub fn check_owners(kernel: &Kernel, owners: &[(usize, Owner)]) -> PyResult<()> {
    for (i, owner) in owners {
        check_current(owner).map_err(|e| kernel.refuse(e, &kernel.params[*i].name))?;
    }
    Ok(())
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
    dtype::value_bytes(value, param.elem, &mut bytes).map_err(|e| kernel.refuse(e, &param.name))?;
    block.write(offset, &bytes);
    Ok(())
}
