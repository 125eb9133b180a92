//! A tensor's fields, read where paddle's C++ classes keep them, as a C++ extension's inlined accessors would.
//!
//! Paddle's exchange table takes 150 ns for a tensor that is kept and must be asked first whether it may be asked at all.
//! Nothing is believed before samples have shown that the fields of the installed paddle lie as expected (`probe.rs`); what is
//! not a plain dense tensor in host memory is paddle's to explain (`tensor.rs`).

use pyo3::prelude::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use warp_core::array::Owner;
use warp_core::array::owner::Counts;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::interop::Desc;

/// Words of a Python tensor before its C++ object's address.
pub(crate) const IMPL: usize = 2;

/// Places in the C++ tensor, in words.
pub(crate) mod tensor {
    pub const CLASS: usize = 0;
    pub const SHAPE: usize = 3;
    pub const NDIM: usize = 12;
    /// dtype in the lower half, layout in the upper.
    pub const KIND: usize = 13;
    /// Bytes from the start of the memory.
    pub const OFFSET: usize = 17;
    pub const STRIDES: usize = 18;
    /// How many strides there are, in the lower half.
    pub const STRIDE_COUNT: usize = 27;
    /// The memory and its count, as `std::shared_ptr` has them.
    pub const MEMORY: usize = 28;
    pub const COUNT: usize = 29;
}

/// Places in what owns memory, in words.
pub(crate) mod memory {
    pub const DATA: usize = 1;
    /// In bytes.
    pub const SIZE: usize = 2;
    /// Where it is, in the lowest 16 bits.
    pub const PLACE: usize = 5;
}

/// What stands in the fields of a plain tensor of the paddle of this process.
pub(crate) struct FieldLayout {
    pub class: u64,
    /// The usual layout of a tensor, in its place.
    pub layout: u64,
    pub place: u64,
    pub scalars: [Option<Scalar>; 32],
}

static LAYOUT: AtomicPtr<FieldLayout> = AtomicPtr::new(std::ptr::null_mut());

/// Whether tensors are read directly in this process.
pub(crate) fn is_enabled() -> bool {
    !LAYOUT.load(Ordering::Relaxed).is_null()
}

/// From now on plain tensors are read directly, as `layout` says.
pub(crate) fn enable(layout: Box<FieldLayout>) {
    LAYOUT.store(Box::into_raw(layout), Ordering::Release);
}

/// Describes a tensor that is exactly paddle's own class, if it is plain; gives its memory's count then.
#[inline(always)]
pub(crate) fn describe(object: &Bound<'_, PyAny>, out: &mut Desc) -> Option<Count> {
    // SAFETY: a layout is published once, complete, and never freed.
    let layout = unsafe { LAYOUT.load(Ordering::Acquire).as_ref() }?;
    // SAFETY: the object is a tensor, which holds its C++ object for as long as it lives; Python's lock keeps both.
    unsafe {
        let words = *object.as_ptr().cast::<*const u64>().add(IMPL);
        read(words, layout, out)
    }
}

/// # Safety
/// `words` is null or a C++ tensor that is alive.
#[inline(always)]
pub(crate) unsafe fn read(words: *const u64, l: &FieldLayout, out: &mut Desc) -> Option<Count> {
    if words.is_null() {
        return None;
    }
    // SAFETY: the class says that this is a dense tensor; all places are inside one, as the samples have shown.
    let word = |at: usize| unsafe { *words.add(at) };
    if word(tensor::CLASS) != l.class {
        return None;
    }
    let (kind, memory) = (word(tensor::KIND), word(tensor::MEMORY) as *const u64);
    let scalar = (*l.scalars.get(kind as u32 as usize)?)?;
    let ndim = word(tensor::NDIM) as u32 as usize;
    let strides = word(tensor::STRIDE_COUNT) as u32 as usize;
    if kind >> 32 != l.layout || memory.is_null() || ndim > out.shape.len() || strides != ndim {
        return None;
    }
    // SAFETY: a tensor's memory lives as long as the tensor.
    let (data, place) = unsafe { (*memory.add(memory::DATA), *memory.add(memory::PLACE)) };
    if data == 0 || place & 0xffff != l.place {
        return None;
    }
    let size = scalar.size() as i64;
    out.scalar = scalar;
    out.device = Device::Cpu;
    out.read_only = false;
    out.ndim = ndim;
    // A tensor may be given a shape that its memory is too small for; paddle looks at each use.
    let mut end = (word(tensor::OFFSET) as i64).saturating_add(size);
    for d in 0..ndim {
        let (n, stride) = (
            word(tensor::SHAPE + d) as i64,
            word(tensor::STRIDES + d) as i64,
        );
        if n <= 0 || stride < 0 {
            return None;
        }
        let stride = stride.saturating_mul(size);
        end = end.saturating_add((n - 1).saturating_mul(stride));
        (out.shape[d], out.strides[d]) = (n, stride);
    }
    // SAFETY: as above.
    if end < size || end as u64 > unsafe { *memory.add(memory::SIZE) } {
        return None;
    }
    out.data = (data as *mut u8).wrapping_add(word(tensor::OFFSET) as usize);
    let count = word(tensor::COUNT) as *mut c_void;
    (!count.is_null()).then_some(Count(count))
}

/// The count of a `std::shared_ptr`, which lies where libstdc++ has had it since its first.
#[derive(Clone, Copy)]
pub(crate) struct Count(*mut c_void);

/// Paddle gives a tensor other memory by giving it another owner: what is held here stays what it is.
static COUNTS: Counts = Counts::of_fixed(retain, release);

/// Bytes before the number of holders, and of those who only watch (who all together count as one while there are holders).
const HOLDERS: usize = 8;
const WATCHERS: usize = 12;

impl Count {
    /// Keeps the memory alive.
    #[inline(always)]
    pub(crate) fn hold(self) -> Owner {
        // SAFETY: the tensor holds the memory, so the count is alive; what is taken here is given back once.
        unsafe {
            retain(self.0);
            Owner::counted(self.0, &COUNTS)
        }
    }

    /// How many hold the memory.
    pub(crate) fn holders(self) -> i32 {
        // SAFETY: whoever has a `Count` has it from a tensor that is alive.
        unsafe { number(self.0, HOLDERS).load(Ordering::Relaxed) }
    }
}

/// # Safety
/// `count` is a count that is alive.
unsafe fn number<'a>(count: *mut c_void, at: usize) -> &'a AtomicI32 {
    // SAFETY: promised by the caller.
    unsafe { &*count.cast::<u8>().add(at).cast() }
}

/// # Safety
/// The count is held.
unsafe fn retain(count: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe { number(count, HOLDERS).fetch_add(1, Ordering::Relaxed) };
}

/// What `std::shared_ptr` does as it goes.
///
/// # Safety
/// As `Owner::counted` demands.
unsafe fn release(count: *mut c_void) {
    type Virtual = unsafe extern "C" fn(*mut c_void);
    // SAFETY: the hold that is given up here keeps the count until the end; the class's third function frees what is
    // counted, its fourth the count.
    unsafe {
        let function = |at: usize| *(*count.cast::<*const Virtual>()).add(at);
        if number(count, HOLDERS).fetch_sub(1, Ordering::AcqRel) == 1 {
            function(2)(count);
            if number(count, WATCHERS).fetch_sub(1, Ordering::AcqRel) == 1 {
                function(3)(count);
            }
        }
    }
}
