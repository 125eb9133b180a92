//! The memory of an object that the host builds: it lies on the host, or a copy of it on a GPU.
//!
//! Builds on the host give an object other memory, so that launches that run meanwhile see it as it was. On a GPU the copy is
//! overwritten, in the order of a stream, as arrays are; it is replaced where it is too small.

use super::memory::Memory;
use crate::array::copy::copy_on;
use crate::array::{Array, Layout, View};
use crate::device::{Device, Stream, Streams, current_stream};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::ir::ObjectKind;
use crate::objects::{self, Block, Keeper, Registered};
use crate::ty::Elem;
use std::any::Any;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What copies consist of: 16 bytes.
const UNIT: Elem = Elem::Vec {
    len: 4,
    scalar: Scalar::F32,
};

/// The memory of an object.
#[derive(Debug)]
pub struct Storage {
    object: Registered,
    device: Device,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Memory that the next build may use.
    spare: Option<Memory>,
    /// What a GPU has a copy of, and the copy.
    built: Option<(Memory, Array)>,
}

/// The copy on a GPU.
struct OnGpu(Array);

impl Block for OnGpu {
    fn address(&self) -> u64 {
        self.0.view.arg.data as u64
    }
    fn device(&self) -> Device {
        self.0.view.device
    }
    fn bytes(&self) -> Option<&[u8]> {
        None
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl Storage {
    /// An object with this memory, on a device.
    ///
    /// # Errors
    /// [`Code::Memory`](crate::error::Code::Memory) if there are too many objects; what the device says.
    pub fn new(kind: ObjectKind, memory: Memory, device: Device) -> Result<Storage> {
        let mut state = State::default();
        let object = match device {
            Device::Cpu => Registered::new(kind, Box::new(memory))?,
            Device::Cuda(_) => {
                crate::backend::cuda::serve_objects();
                let stream = current_stream(device)?;
                let copy = uploaded(&memory, None, stream)?;
                let object = Registered::new(kind, Box::new(OnGpu(copy.clone())))?;
                state.built = Some((memory, copy));
                object
            }
        };
        Ok(Storage {
            object,
            device,
            state: Mutex::new(state),
        })
    }

    /// The number that kernels know it by.
    pub fn id(&self) -> u64 {
        self.object.id()
    }

    /// What it is.
    pub fn kind(&self) -> ObjectKind {
        self.object.kind()
    }

    /// Where it lies.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Where its memory begins, in that of its device.
    pub fn address(&self) -> u64 {
        self.object.with(Block::address).unwrap_or(0)
    }

    /// Says what keeps it alive.
    pub fn is_kept_by(&self, keeper: &Arc<Keeper>) {
        self.object.is_kept_by(keeper);
    }

    /// Looks at its memory on the host.
    pub fn with<T>(&self, look: impl FnOnce(&Memory) -> T) -> Option<T> {
        match self.device {
            Device::Cpu => {
                let look = |block: &dyn Block| block.as_any().downcast_ref::<Memory>().map(look);
                self.object.with(look).flatten()
            }
            Device::Cuda(_) => self.state().built.as_ref().map(|(memory, _)| look(memory)),
        }
    }

    /// Memory that nobody needs, to build in.
    pub fn spare(&self) -> Memory {
        self.state().spare.take().unwrap_or_default()
    }

    /// Keeps memory for the next build.
    pub fn keep(&self, memory: Memory) {
        self.state().spare = Some(memory);
    }

    /// Memory that a fit may write, of the same plan as the object has: a spare one, or a copy.
    pub fn for_fit(&self) -> Memory {
        let spare = self.spare();
        let copy = |old: &Memory| (!spare.fits(old)).then(|| old.copied());
        self.with(copy).flatten().unwrap_or(spare)
    }

    /// Gives it other memory. A GPU has it in the order of a stream.
    ///
    /// # Errors
    /// What the device says.
    pub fn replace(&self, memory: Memory, stream: Stream) -> Result<()> {
        if self.device == Device::Cpu {
            let old = self.object.replace(Box::new(memory));
            if let Some(old) = old.and_then(|old| old.into_any().downcast::<Memory>().ok()) {
                self.spared(*old, drop);
            }
            return Ok(());
        }
        let mut state = self.state();
        let before = state.built.as_ref().map(|(_, copy)| copy.clone());
        let copy = uploaded(&memory, before.as_ref(), stream)?;
        let moved = before.is_none_or(|before| before.view.arg.data != copy.view.arg.data);
        let old = state.built.replace((memory, copy.clone()));
        drop(state);
        if let Some((old, _)) = old {
            // Kernels that were launched may still read what it has addresses of.
            self.spared(old, objects::drop_later);
        }
        match moved {
            true => self.object.replace_on_gpu(Box::new(OnGpu(copy))),
            false => Ok(()),
        }
    }

    /// Changes a word of 64 bits; kernels that run meanwhile read the one or the other.
    ///
    /// # Errors
    /// What the device says.
    pub fn set_word(&self, n: usize, word: u64) -> Result<()> {
        let put = |memory: &Memory| {
            memory
                .word(n)
                .is_some_and(|at| at.swap(word, Relaxed) != word)
        };
        let differs = self.with(put).unwrap_or(false);
        let copy = self.state().built.as_ref().map(|(_, copy)| copy.clone());
        let Some(copy) = copy.filter(|_| differs) else {
            return Ok(());
        };
        let layout = Layout::contiguous(&[1], 8)?;
        let of = |data, device| View::new(data, layout, Elem::Scalar(Scalar::U64), device, false);
        let mut word = word;
        let to = of(copy.view.arg.data.wrapping_add(8 * n), self.device);
        let from = of((&raw mut word).cast(), Device::Cpu);
        // SAFETY: a word within the copy, and one of ours, which has been read when this returns.
        unsafe { copy_on(&to, &from, Streams::CURRENT) }
    }

    /// Keeps old memory for the next build, and lets go of what it has addresses of.
    fn spared(&self, mut old: Memory, let_go: impl FnOnce(Box<dyn Any + Send>)) {
        if let Some(keeps) = old.keeps.take() {
            let_go(keeps);
        }
        self.keep(old);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock panics half way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory as a GPU has it: in the place of a copy if that is large enough, else in new memory.
fn uploaded(memory: &Memory, before: Option<&Array>, stream: Stream) -> Result<Array> {
    let units = memory.bytes().map_or(0, <[u8]>::len).div_ceil(UNIT.size());
    let copy = match before.filter(|copy| copy.view.layout().len() >= units) {
        Some(copy) => copy.clone(),
        // Some more, for those that grow now and then.
        None => {
            let room = units + before.map_or(0, |_| units / 4);
            Array::empty(UNIT, &[room.max(1) as i64], stream)?
        }
    };
    // Memory has whole lines of 64 bytes.
    let layout = Layout::contiguous(&[units as i64], UNIT.size())?;
    let of = |data, device| View::new(data, layout, UNIT, device, false);
    let from = of(memory.address() as *mut u8, Device::Cpu);
    let to = of(copy.view.arg.data, stream.device);
    // SAFETY: there is so much memory; that of the host is not pinned, so that the copy has read it.
    unsafe { copy_on(&to, &from, stream.into()) }?;
    Ok(copy)
}
