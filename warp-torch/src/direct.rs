//! A tensor's fields, read where torch's C++ class keeps them.
//!
//! Asking torch costs 60 to 90 ns a question; a C++ extension reads the same fields in a few. This does what such an
//! extension's inlined accessors do. Since the fields' places belong to the torch that is installed, nothing is believed
//! before samples have shown it: tensors of every kind are made once, and what is read of them is held against what torch
//! says (`probe.rs`). Where one differs, every conversion asks torch (`tensor.rs`).
//!
//! Only plain tensors are read: the class of the C++ object, its dispatch keys, its device and its storage must be those of
//! a plain dense CPU tensor. Conjugates, negated views, wrappers of function transforms, sparse, quantised, meta and
//! copy-on-write tensors differ in one of these, and are torch's to explain.
//!
//! An array that is made from a tensor holds the tensor's storage, not the tensor: `t.data = ...` gives the tensor object,
//! and a DLPack tensor made of it, other memory. The storage is held by its count only in versions whose rules for counting
//! are known (`probe.rs`), else through its Python object.
//!
//! Torch may also give the storage itself other memory, and frees the old: `t.resize_`, `t.share_memory_`, `out=t`. No
//! count prevents that, so that the owner watches the storage's address and size ([`Owner::watched`]).

use pyo3::prelude::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use warp_core::array::Owner;
use warp_core::array::owner::{Counts, Places};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::interop::Desc;

/// Places in the C++ tensor, in words. From `NDIM` on they are further by `FieldLayout::shift`.
pub(crate) mod tensor {
    pub const CLASS: usize = 0;
    pub const STORAGE: usize = 2;
    /// Null for a tensor that never had to do with gradients.
    pub const AUTOGRAD: usize = 3;
    /// Symbolic sizes, names and other rarities.
    pub const EXTRA: usize = 4;
    /// The object that counts changes in place; null for a tensor of inference mode.
    pub const VERSION: usize = 5;
    pub const NDIM: usize = 7;
    pub const SIZES: usize = 8;
    pub const STRIDES: usize = 13;
    pub const OFFSET: usize = 18;
    /// dtype in 16 bits, device in 24.
    pub const KIND: usize = 20;
    pub const KEYS: usize = 21;
    /// Sizes and strides of more dimensions lie elsewhere.
    pub const MAX_NDIM: usize = 5;
}

/// Torch is asked about tensors with an extent, a stride or an offset of this many elements or more.
const SMALL: u64 = 1 << 28;

/// Places in the C++ storage, in words.
pub(crate) mod storage {
    pub const CLASS: usize = 0;
    /// Strong count in 32 bits, weak count in 31, and whether a Python object exists.
    pub const COUNT: usize = 1;
    pub const DATA: usize = 2;
    /// In bytes.
    pub const SIZE: usize = 6;
    pub const FLAGS: usize = 7;
    /// Copy on write and other reasons to ask before touching the data.
    pub const GUARDED: u64 = 0xff << 24;
}

/// Where the torch of this process keeps a tensor's fields, and what stands in those of a plain one.
pub(crate) struct FieldLayout {
    /// Words of a Python tensor before its C++ object's address.
    pub object: usize,
    /// Words that this torch has more before a C++ tensor's sizes: up to 2.9 one.
    pub shift: usize,
    pub tensor_class: u64,
    pub storage_class: u64,
    /// Dispatch keys of a plain tensor, and of one made in inference mode.
    pub keys: [u64; 2],
    pub device: u64,
    pub scalars: [Option<Scalar>; 64],
    /// Where the autograd record keeps the gradient's C++ object, in words.
    pub grad: usize,
    /// What stands for no tensor.
    pub undefined: u64,
    /// Whether a storage can be held by its count.
    pub counts: bool,
    /// Where the object that counts changes has the number (32 bits), in words.
    pub version: Option<usize>,
}

/// Where a storage says which memory it has.
pub(crate) const PLACES: Places = Places {
    data: storage::DATA,
    size: storage::SIZE,
};

/// What to say of an array whose storage has other memory.
pub(crate) const MOVED: &str = "the torch tensor whose memory this is has been given other memory, or has another size \
     (by resize_, share_memory_, out=, or by sending it to another process)";

/// How torch counts the users of a storage.
static COUNTS: Counts = Counts {
    retain,
    release,
    places: PLACES,
    moved: MOVED,
};

static LAYOUT: AtomicPtr<FieldLayout> = AtomicPtr::new(std::ptr::null_mut());

/// Whether tensors are read directly in this process.
pub(crate) fn is_enabled() -> bool {
    !LAYOUT.load(Ordering::Relaxed).is_null()
}

/// From now on plain tensors are read directly, as `layout` says.
pub(crate) fn enable(layout: Box<FieldLayout>) {
    LAYOUT.store(Box::into_raw(layout), Ordering::Release);
}

/// A plain tensor's C++ object.
#[derive(Clone, Copy)]
pub(crate) struct PlainTensor<'l> {
    words: *const u64,
    layout: &'l FieldLayout,
}

/// The C++ object of a `Tensor` or a subclass, if it is plain.
#[inline(always)]
pub(crate) fn plain(object: &Bound<'_, PyAny>) -> Option<PlainTensor<'static>> {
    // SAFETY: a layout is published once, complete, and never freed.
    let layout = unsafe { LAYOUT.load(Ordering::Acquire).as_ref() }?;
    // SAFETY: the object is a tensor, which holds its C++ object for as long as it lives; Python's lock keeps both.
    unsafe {
        let words = *object.as_ptr().cast::<*const u64>().add(layout.object);
        PlainTensor { words, layout }.checked()
    }
}

/// The number of changes in place of a `Tensor` or of a subclass, if it is plain and has one. As alive as the tensor.
#[inline]
pub(crate) fn version<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a AtomicU32> {
    let tensor = plain(object)?;
    let at = tensor.layout.version?;
    // SAFETY: the tensor holds the object, in which samples have shown the number.
    unsafe { version_at(tensor.words, at).as_ref() }
}

/// Where a C++ tensor's number of changes stands; null where it has none.
///
/// # Safety
/// `words` is a C++ tensor that is alive.
pub(crate) unsafe fn version_at(words: *const u64, at: usize) -> *const AtomicU32 {
    // SAFETY: promised by the caller; the place is inside a C++ tensor.
    let object = unsafe { *words.add(tensor::VERSION) } as *const u64;
    match object.is_null() {
        true => std::ptr::null(),
        false => object.wrapping_add(at).cast(),
    }
}

impl<'l> PlainTensor<'l> {
    /// A C++ tensor, if it is plain.
    ///
    /// # Safety
    /// `words` is null or a C++ tensor that is alive.
    pub(crate) unsafe fn of(words: *const u64, layout: &'l FieldLayout) -> Option<PlainTensor<'l>> {
        // SAFETY: promised by the caller.
        unsafe { PlainTensor { words, layout }.checked() }
    }

    /// # Safety
    /// `self.words` is null or a C++ tensor that is alive.
    #[inline(always)]
    unsafe fn checked(self) -> Option<PlainTensor<'l>> {
        if self.words.is_null() {
            return None;
        }
        let l = self.layout;
        let keys = self.shifted(tensor::KEYS);
        let plain = self.word(tensor::CLASS) == l.tensor_class
            && (keys == l.keys[0] || keys == l.keys[1])
            && self.word(tensor::EXTRA) == 0
            && self.shifted(tensor::KIND) >> 16 & 0xff_ffff == l.device
            && self.word(tensor::STORAGE) != 0;
        plain.then_some(self)
    }

    #[inline(always)]
    fn word(self, at: usize) -> u64 {
        // SAFETY: all places are inside a C++ tensor, as the samples have shown.
        unsafe { *self.words.add(at) }
    }

    #[inline(always)]
    fn shifted(self, at: usize) -> u64 {
        self.word(self.layout.shift + at)
    }

    #[inline(always)]
    fn storage(self) -> *const AtomicU64 {
        self.word(tensor::STORAGE) as *const AtomicU64
    }

    /// The storage's address and size.
    #[inline(always)]
    pub(crate) fn storage_bytes(self) -> (u64, u64) {
        // SAFETY: a plain tensor's storage lives as long as the tensor.
        let at = |i| unsafe { (*self.storage().add(i)).load(Ordering::Relaxed) };
        (at(storage::DATA), at(storage::SIZE))
    }

    /// What the memory is; `false` where torch must be asked, and where the storage does not hold all elements.
    #[inline(always)]
    pub(crate) fn describe(self, out: &mut Desc) -> bool {
        let ndim = self.shifted(tensor::NDIM) as usize;
        let kind = self.shifted(tensor::KIND) as usize & 0xffff;
        let Some(Some(scalar)) = self.layout.scalars.get(kind) else {
            return false;
        };
        // SAFETY: a plain tensor's storage lives as long as the tensor.
        let (class, flags) = unsafe {
            let at = |i| (*self.storage().add(i)).load(Ordering::Relaxed);
            (at(storage::CLASS), at(storage::FLAGS))
        };
        let (data, size_of_storage) = self.storage_bytes();
        let usual = ndim <= tensor::MAX_NDIM
            && class == self.layout.storage_class
            && flags & storage::GUARDED == 0
            && data != 0;
        if !usual {
            return false;
        }
        let size = scalar.size() as i64;
        let offset = self.shifted(tensor::OFFSET);
        // Where the last element ends, in elements.
        let mut end = offset as i64 + 1;
        // The bits of all numbers: no sum of products overflows where they are small.
        let mut bits = offset;
        out.scalar = *scalar;
        out.device = Device::Cpu;
        out.read_only = false;
        out.ndim = ndim;
        for d in 0..ndim {
            let n = self.shifted(tensor::SIZES + d);
            let stride = self.shifted(tensor::STRIDES + d);
            bits |= n | stride;
            let (n, stride) = (n as i64, stride as i64);
            end = end.wrapping_add((n - 1).wrapping_mul(stride));
            (out.shape[d], out.strides[d]) = (n, stride.wrapping_mul(size));
        }
        // A storage may have been made smaller than its tensors; torch looks at each use. What is empty may end anywhere.
        if bits >= SMALL || end * size > size_of_storage as i64 {
            return false;
        }
        out.data = (data as *mut u8).wrapping_add(offset as usize * size as usize);
        true
    }

    /// Keeps the storage alive; `None` where its count may not be touched.
    #[inline(always)]
    pub(crate) fn hold(self) -> Option<Owner> {
        if !self.layout.counts {
            return None;
        }
        let storage = self.storage();
        let handle = storage.cast_mut().cast::<c_void>();
        // SAFETY: the tensor holds a count, so the storage is alive; the count taken here is given back once. The places
        // are those of a storage.
        unsafe {
            retain(handle);
            Some(Owner::watched(handle, &COUNTS, storage))
        }
    }

    /// Whether the tensor certainly has neither a gradient nor a wish for one.
    #[inline(always)]
    pub(crate) fn without_autograd(self) -> bool {
        self.word(tensor::AUTOGRAD) == 0
    }

    /// The gradient's C++ object, if it has one and that is plain.
    #[inline(always)]
    pub(crate) fn grad(self) -> Option<PlainTensor<'l>> {
        let record = self.word(tensor::AUTOGRAD) as *const u64;
        if record.is_null() {
            return None;
        }
        // SAFETY: the autograd record has that place, as the samples have shown; what is there is a tensor.
        unsafe {
            let words = *record.add(self.layout.grad) as *const u64;
            if words as u64 == self.layout.undefined {
                return None;
            }
            PlainTensor { words, ..self }.checked()
        }
    }
}

/// From where on the places of a storage are counted, `address` being that of its C++ object; `None` where storages lie
/// otherwise than expected.
///
/// # Safety
/// `address` is a C++ storage that is alive.
pub(crate) unsafe fn words_of_storage(address: usize) -> Option<*const AtomicU64> {
    // SAFETY: a layout is published once, complete, and never freed.
    let layout = unsafe { LAYOUT.load(Ordering::Acquire).as_ref() }?;
    let words = address as *const AtomicU64;
    // SAFETY: promised by the caller; a storage begins with its class.
    let class = unsafe { (*words.add(storage::CLASS)).load(Ordering::Relaxed) };
    (class == layout.storage_class).then_some(words)
}

/// # Safety
/// `storage` is a C++ storage whose count is held.
pub(crate) unsafe fn retain(storage: *mut c_void) {
    // SAFETY: promised by the caller. Torch must be told when the count goes from one to two while the storage has a
    // Python object. It does not here: the object counts as one, and somebody holds another.
    unsafe {
        let count = &*storage.cast::<AtomicU64>().add(storage::COUNT);
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// # Safety
/// As `Owner::counted` demands; the gate lets this run only with Python's lock held.
pub(crate) unsafe fn release(storage: *mut c_void) {
    // SAFETY: the count that is given up here still holds the storage.
    let count = unsafe { &*storage.cast::<AtomicU64>().add(storage::COUNT) };
    let mut now = count.load(Ordering::Relaxed);
    loop {
        let (holders, has_object) = (now as u32, now >> 63 != 0);
        // The last count frees, and the last but one lets the Python object go: torch's own business.
        if holders < 2 || (holders == 2 && has_object) {
            Python::attach(|py| release_last(py, storage, count));
            return;
        }
        match count.compare_exchange_weak(now, now - 1, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => now = other,
        }
    }
}

/// Gives a count up through a Python storage object, which does the rest as it goes.
#[cold]
fn release_last(py: Python<'_>, storage: *mut c_void, count: &AtomicU64) {
    match storage_object(py, storage) {
        Ok(object) => {
            let left = count.fetch_sub(1, Ordering::AcqRel) - 1;
            if left as u32 == 1 && left >> 63 != 0 {
                // C++ holders keep the Python object alive; the object is the only holder now.
                // SAFETY: that is the reference which they held together.
                unsafe { pyo3::ffi::Py_DECREF(object.as_ptr()) };
            }
        }
        // Memory for a small object is wanting: a leak is the least harm.
        Err(e) => e.write_unraisable(py, None),
    }
}

/// The Python object of a storage.
fn storage_object(py: Python<'_>, storage: *mut c_void) -> PyResult<Bound<'_, PyAny>> {
    let class = py.import("torch")?.getattr("UntypedStorage")?;
    class.call_method1("_new_with_weak_ptr", (storage as usize,))
}
