//! Tensors that a launch writes. torch counts changes of a tensor, to know whether what it saved for a gradient is still there.

use crate::exchange::descriptor::Descriptor;
use crate::registry::for_each_framework;
use crate::runtime::snapshot::watched;
use pyo3::prelude::*;
use warp_dlpack::Adapter;

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
    if value.is_exact_instance_of::<Descriptor>() {
        return true;
    }
    for_each_framework!(F => {
        if F::counts_writes(value) {
            return true;
        }
    });
    false
}

fn count_write(value: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Ok(descriptor) = value.cast_exact::<Descriptor>() {
        return count_write(descriptor.get().tensor(value.py()));
    }
    for_each_framework!(F => {
        if F::counts_writes(value) {
            return F::count_write(value, watched());
        }
    });
    Ok(())
}
