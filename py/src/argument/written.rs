//! Tensors that a launch writes. torch counts changes of a tensor, to know whether what it saved for a gradient is still there.

#[cfg(any(feature = "torch", feature = "paddle"))]
use crate::exchange::descriptor::Descriptor;
use crate::runtime::snapshot::watched;
use pyo3::prelude::*;

/// Which arguments are tensors that a launch writes and whose framework counts that.
#[derive(Clone, Copy, Default)]
pub struct WrittenTensors(u64);

impl WrittenTensors {
    /// The last bit is for all further arguments.
    const LAST: usize = 63;

    /// Adds an argument, by the number of its parameter.
    pub fn add(&mut self, at: usize) {
        self.0 |= 1 << at.min(Self::LAST);
    }

    /// Whether there is one.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Tells their framework that they are about to be written. `args` are the arguments, structs as their leaves.
    ///
    /// # Errors
    /// What came meanwhile and must pass: a signal.
    pub fn count(self, args: &[Bound<'_, PyAny>]) -> PyResult<()> {
        let is_written = |at: usize| self.0 >> at.min(Self::LAST) & 1 != 0;
        let written = args.iter().enumerate().filter(|(at, _)| is_written(*at));
        written.map(|(_, value)| value).try_for_each(count_write)
    }
}

/// Whether this is a tensor whose framework counts how often it was changed.
#[inline]
pub fn counts_changes(value: &Bound<'_, PyAny>) -> bool {
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if value.is_exact_instance_of::<Descriptor>() {
        return true;
    }
    #[cfg(feature = "torch")]
    return warp_torch::is_known(value);
    #[cfg(not(feature = "torch"))]
    {
        let _ = value;
        false
    }
}

fn count_write(value: &Bound<'_, PyAny>) -> PyResult<()> {
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if let Ok(descriptor) = value.cast_exact::<Descriptor>() {
        return count_write(descriptor.get().tensor(value.py()));
    }
    #[cfg(feature = "torch")]
    if warp_torch::is_known(value) {
        return warp_torch::count_write(value, watched());
    }
    let _ = (value, watched);
    Ok(())
}
