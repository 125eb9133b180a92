//! Arrays that the host reads and writes while it builds objects, wherever they lie.

use super::memory::Memory;
use crate::array::copy::copy_on;
use crate::array::{Layout, View};
use crate::device::{Device, Stream, cuda};
use crate::error::{Code, Error, Result};
use smallvec::SmallVec;

/// Arrays as the host reads them: themselves, or copies of what a GPU has.
#[derive(Debug)]
pub struct Inputs {
    /// They, in order; copies are contiguous.
    pub views: SmallVec<[View; 4]>,
    /// What copies lie in.
    _memory: Vec<Memory>,
}

impl Inputs {
    /// Of arrays that are alive; those of a GPU as they are when a stream has done what it was given.
    ///
    /// # Safety
    /// The arrays are alive, and nothing writes them meanwhile but what the stream was given.
    ///
    /// # Errors
    /// [`Code::Runtime`] if another library captures the stream; what the device says.
    pub unsafe fn of(views: &[View], stream: Stream) -> Result<Inputs> {
        if stream.device != Device::Cpu && cuda::capture_of(stream)?.is_some() {
            let what = "the host builds this from the content of arrays, and another library captures the stream";
            let hint = "build before that capture, or capture by wp.ScopedCapture, whose graphs return to the host";
            return Err(Error::new(Code::Runtime, what).hint(hint));
        }
        let mut memory = Vec::new();
        let mut on_host = SmallVec::new();
        for view in views {
            if view.device == Device::Cpu {
                on_host.push(*view);
                continue;
            }
            let (copy, to) = twin(view)?;
            // SAFETY: the caller's promise; memory of the host that is not pinned is waited for.
            unsafe { copy_on(&to, view, stream.into()) }?;
            on_host.push(to);
            memory.push(copy);
        }
        let views = on_host;
        Ok(Inputs {
            views,
            _memory: memory,
        })
    }
}

/// The bytes of an array that the host writes: its own, or memory that a GPU then copies.
#[derive(Debug)]
pub struct Output {
    view: View,
    copy: Option<(Memory, View)>,
}

impl Output {
    /// Of a contiguous array.
    ///
    /// # Errors
    /// It is too large.
    pub fn of(view: &View) -> Result<Output> {
        let copy = match view.device {
            Device::Cpu => None,
            Device::Cuda(_) => Some(twin(view)?),
        };
        Ok(Output { view: *view, copy })
    }

    /// The bytes; zeros where a GPU copies them.
    ///
    /// # Safety
    /// The array is contiguous and alive, and nobody else uses it meanwhile.
    pub unsafe fn bytes(&mut self) -> &mut [u8] {
        let view = self.copy.as_ref().map_or(&self.view, |(_, view)| view);
        let size = view.layout().len() * view.elem.size();
        // SAFETY: the caller's promise; memory of ours is as large.
        unsafe { std::slice::from_raw_parts_mut(view.arg.data, size) }
    }

    /// Gives a GPU what was written, in the order of a stream.
    ///
    /// # Safety
    /// The array is alive, and nothing else uses it until the stream is done.
    ///
    /// # Errors
    /// What the device says.
    pub unsafe fn finish(self, stream: Stream) -> Result<()> {
        match &self.copy {
            None => Ok(()),
            // SAFETY: the caller's promise; memory of the host that is not pinned has been read when this returns.
            Some((_, from)) => unsafe { copy_on(&self.view, from, stream.into()) },
        }
    }
}

/// Memory of the host for a contiguous copy of an array, and that copy.
fn twin(view: &View) -> Result<(Memory, View)> {
    let (shape, size) = (view.layout(), view.elem.size());
    let mut memory = Memory::zeros((shape.len() * size).div_ceil(4));
    let shape: Vec<i64> = shape.shape().iter().map(|n| i64::from(*n)).collect();
    let (data, layout) = (
        memory.words().as_mut_ptr(),
        Layout::contiguous(&shape, size)?,
    );
    let twin = View::new(data.cast(), layout, view.elem, Device::Cpu, false);
    Ok((memory, twin))
}
