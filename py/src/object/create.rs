//! Python objects for arrays.
//!
//! PyO3 makes an object with Python's `object.__new__`, which in Python 3.11 and 3.12 gives each one a dictionary for attributes
//! of the program's own, whether it needs one or not. Here the class's own function makes an object, which has none until a
//! program sets such an attribute. Where a class keeps the value is looked up in an ordinary object, once; where the class looks
//! otherwise than expected, PyO3 makes the objects.

use super::array::Array;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::OnceLock;

/// How objects of the class are laid out.
pub struct Frame {
    class: *mut ffi::PyTypeObject,
    alloc: ffi::allocfunc,
    /// Bytes before the value; the dictionary and the list of weak references follow it.
    value: usize,
}

// SAFETY: the class lives as long as the process, and everything is constant.
unsafe impl Send for Frame {}
// SAFETY: as above.
unsafe impl Sync for Frame {}

static FRAME: OnceLock<Option<Frame>> = OnceLock::new();

/// Looks up how the class is laid out. Before that, and where it is unfamiliar, objects are made by PyO3.
///
/// # Errors
/// What Python raises.
pub fn probe(py: Python<'_>) -> PyResult<()> {
    let sample = Bound::new(py, Array::empty())?;
    let class = py.get_type::<Array>();
    let value = std::ptr::from_ref(sample.get()) as usize - sample.as_ptr() as usize;
    let number = |name: &str| class.getattr(name)?.extract::<usize>();
    let (size, weak, dictionary) = (
        number("__basicsize__")?,
        number("__weakrefoffset__")?,
        number("__dictoffset__")?,
    );
    let end = value + size_of::<Array>();
    let expected = (dictionary, weak, size) == (end, end + 8, end + 16);
    let frame = allocates(&class).filter(|_| expected).map(|alloc| Frame {
        class: class.into_ptr().cast(),
        alloc,
        value,
    });
    // A module that is initialised twice keeps what it has found.
    let _ = FRAME.set(frame);
    Ok(())
}

/// The function by which a class makes objects.
fn allocates(class: &Bound<'_, PyType>) -> Option<ffi::allocfunc> {
    // SAFETY: any class may be asked for its slot; the slot's function has that signature.
    unsafe {
        let slot = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_alloc);
        std::mem::transmute::<*mut c_void, Option<ffi::allocfunc>>(slot)
    }
}

impl Frame {
    /// The frame of `wp.array`, if the class is familiar.
    #[inline(always)]
    pub fn get() -> Option<&'static Frame> {
        FRAME.get()?.as_ref()
    }

    /// An object whose value `write` writes; None without memory, with Python's exception set. Python's collector need not know
    /// it.
    ///
    /// # Safety
    /// `write` writes a value, and neither it nor anything before that runs Python's collector.
    #[inline(always)]
    pub unsafe fn object<'py, T>(
        &self,
        py: Python<'py>,
        write: impl FnOnce(*mut Array) -> T,
    ) -> Option<(Bound<'py, Array>, T)> {
        // SAFETY: the class is that of the frame.
        unsafe { self.of(py, self.class, self.alloc, write) }
    }

    /// [`Frame::object`] of this class or one derived from it.
    ///
    /// # Safety
    /// As there; `alloc` makes objects of `class`.
    #[inline(always)]
    unsafe fn of<'py, T>(
        &self,
        py: Python<'py>,
        class: *mut ffi::PyTypeObject,
        alloc: ffi::allocfunc,
        write: impl FnOnce(*mut Array) -> T,
    ) -> Option<(Bound<'py, Array>, T)> {
        // SAFETY: the class's own function makes an object of the class, whose parts lie as the frame says; all of
        // them are written before anything else sees it.
        unsafe {
            let object = Bound::from_owned_ptr_or_opt(py, alloc(class, 0))?;
            let value = object.as_ptr().cast::<u8>().add(self.value).cast::<Array>();
            let behind = value.add(1).cast::<[*mut ffi::PyObject; 2]>();
            behind.write([null_mut(); 2]);
            let written = write(value);
            Some((object.cast_into_unchecked(), written))
        }
    }
}

impl Array {
    /// The array as an object of Python's.
    ///
    /// # Errors
    /// There is no memory for it.
    #[inline]
    pub fn object(self, py: Python<'_>) -> PyResult<Bound<'_, Array>> {
        let Some(frame) = Frame::get() else {
            return Bound::new(py, self);
        };
        let value = ManuallyDrop::new(self);
        // SAFETY: the value is there already, and is the object's from then on.
        let made =
            unsafe { frame.object(py, |at| at.copy_from_nonoverlapping(&raw const *value, 1)) };
        if made.is_none() {
            drop(ManuallyDrop::into_inner(value));
        }
        tracked(py, made)
    }

    /// [`Array::object`] of a class that is derived from `wp.array`.
    ///
    /// # Errors
    /// There is no memory for it, or the class is unfamiliar.
    pub fn object_of<'py>(self, class: &Bound<'py, PyType>) -> PyResult<Bound<'py, Array>> {
        let py = class.py();
        let (Some(frame), Some(alloc)) = (Frame::get(), allocates(class)) else {
            return self.object(py);
        };
        // SAFETY: the value is there already, and a derived class's objects begin as those of the class.
        let made = unsafe { frame.of(py, class.as_type_ptr(), alloc, |at| at.write(self)) };
        tracked(py, made)
    }
}

/// A new object, which Python's collector then knows: of what is left of another array it does not by itself.
#[inline]
fn tracked<'py>(
    py: Python<'py>,
    made: Option<(Bound<'py, Array>, ())>,
) -> PyResult<Bound<'py, Array>> {
    let (object, ()) = made.ok_or_else(|| PyErr::fetch(py))?;
    // SAFETY: the object is alive and filled in, and its class is known to the collector.
    unsafe {
        if ffi::PyObject_GC_IsTracked(object.as_ptr()) == 0 {
            ffi::PyObject_GC_Track(object.as_ptr().cast());
        }
    }
    Ok(object)
}
