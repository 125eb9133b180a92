//! One call of a known kernel: its arguments from XLA's buffers, and the launch.

use super::call_site::{CallSite, LaunchDim, Step, alike, misfit};
use super::dtype::scalar_of;
use super::failure::{HandlerFailure, Outcome, invalid};
use super::launch_plan::BufferBinding;
use super::place::Place;
use super::registry::ProgramParam;
use super::sys::{self, Buffer};
use std::mem::MaybeUninit;
use warp_core::abi::{ArrayArg, Strided};
use warp_core::operator::needs_clearing;
use warp_core::ty::MAX_NDIM;

/// Words of an argument block that need no memory of their own.
const FEW: usize = 48;

/// One call.
pub(super) struct Call<'a, P> {
    /// Where the buffers are and the kernel runs.
    pub place: P,
    /// What is called, and how.
    pub site: &'static CallSite,
    /// Values that are the same at each call.
    pub values: &'a [u8],
    /// What is read.
    pub args: &'a sys::Buffers,
    /// What is written.
    pub rets: &'a sys::Buffers,
}

impl<'a, P: Place> Call<'a, P> {
    /// Fills an argument block from the buffers and launches the kernel.
    ///
    /// # Errors
    /// A buffer or an attribute does not fit the kernel, or the kernel ended with a fault. On a GPU: the driver refuses.
    ///
    /// # Safety
    /// The buffers are XLA's.
    #[inline]
    pub unsafe fn run(&self) -> Outcome<()> {
        let words = self.site.program.layout.size.div_ceil(8);
        if words <= FEW {
            let mut block = [MaybeUninit::<u64>::uninit(); FEW];
            // SAFETY: promised by the caller; there is room for the block.
            unsafe { self.run_in(block.as_mut_ptr().cast()) }
        } else {
            let mut block = vec![0u64; words];
            // SAFETY: as above.
            unsafe { self.run_in(block.as_mut_ptr().cast()) }
        }
    }

    /// # Safety
    /// The buffers are XLA's; at `base` there is room for the argument block.
    #[inline]
    unsafe fn run_in(&self, base: *mut u8) -> Outcome<()> {
        let site = self.site;
        let array = |at: usize| base.wrapping_add(at).cast::<ArrayArg>();
        for step in &site.steps {
            let to = array(step.at);
            // SAFETY: the buffers are XLA's; the block has room for each parameter at its offset.
            unsafe {
                match step.binding {
                    BufferBinding::Value(from) => self.value(step, from, to.cast())?,
                    BufferBinding::Given(arg) => self.given(step, arg, to.cast())?,
                    BufferBinding::Read(arg) => {
                        self.view(step, self.buffer(self.args, arg)?, to)?;
                    }
                    BufferBinding::Out(ret) => {
                        self.view(step, self.buffer(self.rets, ret)?, to)?;
                    }
                    BufferBinding::Copy { arg, ret } => self.copied(step, arg, ret, to)?,
                    BufferBinding::Stand(_) | BufferBinding::Absent(_) => {
                        return Err(misfit(site.program));
                    }
                }
            }
        }
        for alias in &site.aliases {
            // SAFETY: the other one is an array that the loop above has written.
            unsafe {
                let mut view = array(alias.of).read();
                if !alias.data {
                    let shape = view.shape;
                    view = ArrayArg {
                        shape,
                        ..ArrayArg::MISSING
                    };
                }
                array(alias.at).write(view);
            }
        }
        // SAFETY: every array of the block is filled in.
        let dims = unsafe { self.dims(base) }?;
        // SAFETY: the block begins with the launch dimensions.
        unsafe { base.cast::<[i32; MAX_NDIM]>().write(dims) };
        for result in &site.cleared {
            // SAFETY: an array of the block, in XLA's memory, of as many bytes.
            unsafe {
                let view = &*array(result.at);
                if needs_clearing(result.covered, &view.shape[..result.ndim], &dims) {
                    self.place.clear(view, result)?;
                }
            }
        }
        // SAFETY: the block was filled for this kernel; XLA keeps its arrays until the launch is done.
        unsafe { self.place.launch(site, base, dims) }
    }

    /// # Safety
    /// The buffers are XLA's.
    #[inline]
    unsafe fn buffer(&self, of: &'a sys::Buffers, i: usize) -> Outcome<&'a Buffer> {
        // SAFETY: there are `size` of them.
        unsafe {
            if i >= of.size.max(0) as usize || *of.kinds.add(i) != sys::BUFFER {
                return Err(misfit(self.site.program));
            }
            Ok(&**of.buffers.add(i))
        }
    }

    /// A value from the attributes.
    ///
    /// # Safety
    /// `to` has room for the parameter.
    #[inline]
    unsafe fn value(&self, step: &Step, from: usize, to: *mut u8) -> Outcome<()> {
        let bytes = self.values.get(from..);
        let bytes = bytes.and_then(|rest| rest.get(..step.size));
        let bytes = bytes.ok_or_else(|| misfit(self.site.program))?;
        // SAFETY: promised by the caller.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), step.size) };
        Ok(())
    }

    /// A value from an argument.
    ///
    /// # Safety
    /// The buffers are XLA's; `to` has room for the parameter.
    unsafe fn given(&self, step: &Step, arg: usize, to: *mut u8) -> Outcome<()> {
        if !P::READS_VALUES {
            return Err(misfit(self.site.program));
        }
        // SAFETY: promised by the caller; the view is one of as many components as the parameter has.
        unsafe {
            let buffer = self.buffer(self.args, arg)?;
            let mut checked = ArrayArg::MISSING;
            self.view(step, buffer, &raw mut checked)?;
            to.copy_from_nonoverlapping(buffer.data.cast(), step.size);
        }
        Ok(())
    }

    /// # Safety
    /// The buffers are XLA's; `to` can be written.
    unsafe fn copied(&self, step: &Step, arg: usize, ret: usize, to: *mut ArrayArg) -> Outcome<()> {
        let mut from = ArrayArg::MISSING;
        // SAFETY: promised by the caller; both views say how large they are.
        unsafe {
            self.view(step, self.buffer(self.args, arg)?, &raw mut from)?;
            self.view(step, self.buffer(self.rets, ret)?, to)?;
            if from.shape != (*to).shape {
                return Err(misfit(self.site.program));
            }
            // XLA gives one memory for both where it can.
            if from.data != (*to).data {
                let strided = |array| Strided {
                    array,
                    ndim: step.ndim,
                    size: step.size,
                };
                self.place.copy(&strided(*to), &strided(from))?;
            }
        }
        Ok(())
    }

    /// The buffer as an array of the parameter's elements, whose components are its last dimensions.
    ///
    /// # Safety
    /// The buffer is one of XLA's; `to` can be written.
    #[inline]
    unsafe fn view(&self, step: &Step, buffer: &Buffer, to: *mut ArrayArg) -> Outcome<()> {
        // SAFETY: the buffer is one of XLA's.
        let dims = unsafe { buffer.dims() };
        let fits = buffer.dtype == step.dtype
            && dims.len() == step.rank
            && alike(&dims[step.ndim..], &step.inner);
        if !fits {
            return Err(self.refuse(step, buffer));
        }
        // Written field by field in place. A copy of an array that was built elsewhere would be read in larger pieces than
        // it was written in, which stalls the processor.
        // SAFETY: promised by the caller.
        let view = unsafe {
            to.write(ArrayArg::MISSING);
            &mut *to
        };
        view.data = buffer.data.cast();
        let mut stride = step.size as i64;
        for d in (0..step.ndim).rev() {
            let Ok(extent) = i32::try_from(dims[d]) else {
                return Err(self.refuse(step, buffer));
            };
            view.shape[d] = extent;
            view.strides[d] = stride;
            stride *= dims[d].max(1);
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self, step: &Step, buffer: &Buffer) -> HandlerFailure {
        // SAFETY: the buffer is one of XLA's.
        let dims = unsafe { buffer.dims() };
        let dtype = match scalar_of(buffer.dtype) {
            Some(scalar) => scalar.name().into(),
            None => format!("XLA's type {}", buffer.dtype),
        };
        let program = self.site.program;
        let param: &ProgramParam = &program.params[step.param];
        invalid(format!(
            "warp: kernel '{}': '{}' is an array of {} in {} dimensions, found one of {dtype} with shape {dims:?}",
            program.title, param.name, param.elem, param.ndim
        ))
    }

    /// The launch dimensions, unused ones 1.
    ///
    /// # Safety
    /// The arrays of the block at `base` are filled in.
    #[inline]
    unsafe fn dims(&self, base: *const u8) -> Outcome<[i32; MAX_NDIM]> {
        // Read one by one: reading as a whole what was written in pieces stalls the processor.
        let extent = |d: usize| match self.site.dims[d] {
            LaunchDim::Fixed(extent) => extent,
            // SAFETY: promised by the caller; this is an extent of one of them.
            LaunchDim::At(at) => unsafe { base.add(at).cast::<i32>().read() },
        };
        const { assert!(MAX_NDIM == 4) };
        let out = [extent(0), extent(1), extent(2), extent(3)];
        let total = out.iter().try_fold(1i64, |n, d| n.checked_mul((*d).into()));
        total.map(|_| out).ok_or_else(|| misfit(self.site.program))
    }
}
