//! The class `wp.array`: memory, what keeps it alive, and a gradient. Its methods stand in `array/`.

use super::error::{Code, error};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use std::cell::UnsafeCell;
use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use warp_core::array::{Array as Core, Layout, Owner, View};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ty::{Elem, Pattern};
use warp_dlpack::ffi::DLTensor;
use warp_dlpack::{ShapeStrides, referent};

/// An array in 1 to 4 dimensions of scalars, vectors, matrices or quaternions.
///
/// `wp.array(data, dtype=...)` makes one from a list, a NumPy array, a tensor or another array;
/// `wp.array(dtype=..., ndim=...)` and `wp.array[...]` without data annotate kernel parameters.
///
/// Args:
///     data: Nested lists, a range, a NumPy array, a Warp array, a PyTorch tensor, or any object with
///         `__dlpack__`, `__array_interface__`, `__array__` or the buffer protocol.
///     dtype: What each element is. Defaults to that of `data`.
///     shape: Dimensions; `data` is reshaped to it.
///     strides: Bytes per dimension, for `ptr`.
///     ptr: Address of memory that the caller keeps alive; needs `dtype` and `shape`.
///     capacity: Bytes at `ptr`, checked against the span of the array.
///     device: Where the array is. Defaults to the current device.
///     pinned: Whether memory of the host is pinned, so that GPUs copy from and to it while the program goes on.
///     copy: Whether to copy `data`. With False the array shares its memory where that is possible: not that of lists, nor
///         where `dtype` asks for other numbers.
///     deleter: Called with `(ptr, capacity)` once nothing uses the memory at `ptr` any more. One that leads back to the
///         array is called with the finalizers of all objects in that cycle, in any order, when Python collects it.
///     ndim: Number of dimensions, for annotations or to check `data`.
///     grad: The array that holds the gradient.
///     requires_grad: Whether the array has a gradient.
///     retain_grad: Accepted for compatibility, where there is a gradient: gradients of outputs can always be read after
///         a backward pass.
///
/// Raises:
///     TypeError, ValueError: The arguments do not describe an array; the message says which and why.
#[pyclass(
    frozen,
    module = "warp",
    name = "array",
    weakref,
    dict,
    subclass,
    freelist = 64
)]
pub struct Array {
    /// The memory and what keeps it alive.
    pub core: CoreCell,
    /// What most arrays do not have; made when it is first needed.
    extra: OnceLock<Box<Extra>>,
}

/// Where an array's memory is. It stays, but for the shape and the strides that a program assigns, and for objects of derived
/// classes, which are filled once.
#[repr(transparent)]
pub struct CoreCell(UnsafeCell<Core>);

// SAFETY: it is written with Python's lock held, and read with it or by who makes the array.
unsafe impl Sync for CoreCell {}

impl Deref for CoreCell {
    type Target = Core;
    #[inline(always)]
    fn deref(&self) -> &Core {
        // SAFETY: only `relayout` and `fill_from` write it, which are called for an assignment or by a derived class's
        // `__init__`, and by nobody who looks at it.
        unsafe { &*self.0.get() }
    }
}

#[derive(Default)]
struct Extra {
    gradient: Mutex<Gradient>,
    /// What was lent; one for each shape that was assigned.
    #[expect(clippy::vec_box, reason = "they stay where they are")]
    numbers: Mutex<Vec<Box<ShapeStrides>>>,
    /// The bytes that the array has had from the beginning, once its shape or its strides were assigned.
    span: OnceLock<Range<i64>>,
    /// Strides that wait for a shape.
    strides: Mutex<Option<Box<[i64]>>>,
    /// Whether the user asked for `retain_grad`.
    retains: AtomicBool,
    /// Whether the array holds comparisons.
    truths: AtomicBool,
    /// What the user calls the shape of an annotation.
    named_shape: Mutex<Option<Py<PyTuple>>>,
}

/// An array's gradient, and the tensors of other frameworks that share it.
#[derive(Default)]
pub struct Gradient {
    /// The gradient; there is one exactly if the array requires it.
    pub array: Option<Slope>,
    /// Tensors whose own gradient is this one: objects or weak references.
    pub tensors: SmallVec<[Tensor; 1]>,
}

/// A gradient: an object after the first request for it.
pub enum Slope {
    /// Its memory.
    Core(Core),
    /// The array.
    Array(Py<Array>),
}

/// A tensor that shares an array's memory and gradient.
pub struct Tensor {
    /// The tensor, or a weak reference to it.
    pub object: Py<PyAny>,
    /// Whether `object` is a weak reference.
    pub weak: bool,
}

impl Tensor {
    /// The tensor, unless it has gone.
    pub fn alive<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let object = self.object.bind(py);
        if !self.weak {
            return Some(object.clone());
        }
        let target = object.call0().ok()?;
        (!target.is_none()).then_some(target)
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // The memory is used again for another array, and then seen by the collector before that is written; see `visit`.
        let ndim = &raw mut self.core.0.get_mut().view.ndim;
        // SAFETY: a field of this value.
        unsafe { ndim.write_volatile(0) }
    }
}

fn lock(gradient: &Mutex<Gradient>) -> MutexGuard<'_, Gradient> {
    gradient.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Array {
    /// An array without gradient.
    #[inline(always)]
    pub fn new(core: Core) -> Array {
        Array {
            core: CoreCell(UnsafeCell::new(core)),
            extra: OnceLock::new(),
        }
    }
    /// An array of no elements and no memory.
    pub fn empty() -> Array {
        let mut empty = Core::EMPTY;
        empty.view.elem = Elem::Scalar(Scalar::F32);
        Array::new(empty)
    }
    /// An array without memory and elements.
    ///
    /// # Errors
    /// There are too many dimensions.
    pub fn blank(elem: Elem, ndim: usize) -> warp_core::error::Result<Array> {
        let layout = Layout::contiguous(&vec![0; ndim], elem.size())?;
        let view = View::new(std::ptr::null_mut(), layout, elem, Device::Cpu, false);
        Ok(Array::new(Core {
            view,
            owner: Owner::Nobody,
        }))
    }
    /// An array without memory that stands for a type.
    ///
    /// # Errors
    /// There are too many dimensions.
    pub fn annotation(elem: Elem, ndim: usize) -> warp_core::error::Result<Array> {
        let mut array = Array::blank(elem, ndim)?;
        array.core.0.get_mut().owner = Owner::Annotation(None);
        Ok(array)
    }
    /// An array without memory that stands for types.
    ///
    /// # Errors
    /// There are too many dimensions.
    pub fn pattern(pattern: Pattern, ndim: usize) -> warp_core::error::Result<Array> {
        let mut array = Array::blank(Elem::Scalar(Scalar::F32), ndim)?;
        array.core.0.get_mut().owner = Owner::Annotation(Some(Arc::new(pattern)));
        Ok(array)
    }
    /// The types that it stands for, if these are several.
    pub fn admits(&self) -> Option<&Pattern> {
        match &self.core.owner {
            Owner::Annotation(pattern) => pattern.as_deref(),
            _ => None,
        }
    }
    /// Another object for the same array and the same gradient.
    pub fn alias(&self, py: Python<'_>) -> Array {
        let gradient = self.gradient(py).map(Bound::unbind);
        Array::with_gradient(self.core.clone(), gradient)
    }
    /// Whether it stands for a type.
    pub fn is_annotation(&self) -> bool {
        matches!(self.core.owner, Owner::Annotation(_))
    }
    /// Gives an array that is new the gradient that `fill` writes, and the tensors that share it; `fill` returns whether
    /// there is one. The gradient is written where it stays.
    ///
    /// # Errors
    /// Those of `fill`.
    #[inline]
    pub fn link<E>(
        &self,
        fill: impl FnOnce(&mut Core, &mut SmallVec<[Tensor; 1]>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut extra = Box::new(Extra {
            gradient: Mutex::new(Gradient {
                array: Some(Slope::Core(Core::EMPTY)),
                tensors: SmallVec::new(),
            }),
            ..Extra::default()
        });
        let gradient = extra.gradient.get_mut();
        let gradient = gradient.unwrap_or_else(PoisonError::into_inner);
        let Some(Slope::Core(core)) = &mut gradient.array else {
            unreachable!("written above");
        };
        if fill(core, &mut gradient.tensors)? {
            let _ = self.extra.set(extra);
        }
        Ok(())
    }
    /// An array with this gradient.
    #[inline(always)]
    pub fn with_gradient(core: Core, gradient: Option<Py<Array>>) -> Array {
        let array = Array::new(core);
        if gradient.is_some() {
            array.state().array = gradient.map(Slope::Array);
        }
        array
    }
    /// What a launch reads.
    #[inline]
    pub fn view(&self) -> &View {
        &self.core.view
    }
    /// The gradient and the tensors that share it.
    pub fn state(&self) -> MutexGuard<'_, Gradient> {
        lock(&self.extra.get_or_init(Box::default).gradient)
    }
    /// Whether the array has a gradient.
    pub fn has_gradient(&self) -> bool {
        let extra = self.extra.get();
        extra.is_some_and(|e| lock(&e.gradient).array.is_some())
    }
    /// What the user said of `retain_grad`.
    pub fn retains(&self) -> bool {
        let extra = self.extra.get();
        extra.is_some_and(|e| e.retains.load(Ordering::Relaxed))
    }
    /// Notes what the user says of `retain_grad`.
    pub fn set_retains(&self, retains: bool) {
        if retains || self.extra.get().is_some() {
            let extra = self.extra.get_or_init(Box::default);
            extra.retains.store(retains, Ordering::Relaxed);
        }
    }
    /// Whether the array holds comparisons of elements, of which `if` takes one only.
    pub fn is_truths(&self) -> bool {
        let extra = self.extra.get();
        extra.is_some_and(|e| e.truths.load(Ordering::Relaxed))
    }
    /// Notes that it does.
    pub fn set_truths(&self) {
        let extra = self.extra.get_or_init(Box::default);
        extra.truths.store(true, Ordering::Relaxed);
    }
    /// What the user calls the shape of this annotation.
    pub fn named_shape<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyTuple>> {
        let named = &self.extra.get()?.named_shape;
        let named = named.lock().unwrap_or_else(PoisonError::into_inner);
        named.as_ref().map(|shape| shape.bind(py).clone())
    }
    /// Notes what the user calls the shape of this annotation.
    pub fn set_named_shape(&self, shape: Py<PyTuple>) {
        let named = &self.extra.get_or_init(Box::default).named_shape;
        let old = named
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .replace(shape);
        // Outside the lock: its items may run code.
        drop(old);
    }
    /// Whether other frameworks' tensors share the gradient.
    #[inline]
    pub fn is_linked(&self) -> bool {
        let extra = self.extra.get();
        extra.is_some_and(|e| !lock(&e.gradient).tensors.is_empty())
    }
    /// A DLPack tensor on the array's memory, and its shape and strides, which live with the array.
    ///
    /// # Errors
    /// DLPack cannot describe the array.
    pub fn lent(&self) -> warp_core::error::Result<(DLTensor, &ShapeStrides)> {
        let mut numbers = ShapeStrides::default();
        let tensor = warp_dlpack::lend(self.view(), &mut numbers)?;
        let extra = self.extra.get_or_init(Box::default);
        let mut all = extra.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if all.last().is_none_or(|last| **last != numbers) {
            all.push(Box::new(numbers));
        }
        let last = &raw const **all.last().expect("pushed above");
        // SAFETY: a box that stays where it is, and is not written, as long as the array.
        Ok((tensor, unsafe { &*last }))
    }
    /// The bytes, relative to the first element, that the array has had from the beginning.
    pub fn span(&self) -> Range<i64> {
        let whole = || self.view().layout().byte_range(self.view().elem.size());
        self.extra
            .get_or_init(Box::default)
            .span
            .get_or_init(whole)
            .clone()
    }
    /// Gives an object of a derived class, which holds nothing yet, the memory and the gradient of an array.
    ///
    /// # Errors
    /// It holds memory already.
    pub fn fill_from(&self, made: &Array) -> PyResult<()> {
        let fresh = matches!(self.core.owner, Owner::Nobody) && self.extra.get().is_none();
        if !fresh || self.view().arg.data != Core::EMPTY.view.arg.data {
            let text = "array.__init__: the array has its memory already; an array is filled once";
            return Err(error(Code::Type, text));
        }
        let gradient = std::mem::take(&mut made.state().array);
        let retains = made.retains();
        // SAFETY: nobody uses memory of an array that has none; Python's lock is held.
        unsafe { *self.core.0.get() = made.core.clone() }
        if gradient.is_some() {
            self.state().array = gradient;
        }
        self.set_retains(retains);
        Ok(())
    }
    /// Gives the same memory another shape and other strides, within [`Array::span`]. Python's lock is held, and nothing reads the
    /// view meanwhile.
    pub fn relayout(&self, view: View) {
        self.span();
        // SAFETY: as the caller promises, nobody has a reference to it.
        unsafe { (&raw mut (*self.core.0.get()).view).write(view) }
    }
    /// Strides of another number of dimensions, whose shape was not assigned yet.
    pub fn waiting_strides(&self) -> Option<Box<[i64]>> {
        let strides = &self.extra.get()?.strides;
        strides
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
    /// Notes such strides.
    pub fn set_waiting_strides(&self, strides: Option<Box<[i64]>>) {
        if strides.is_some() || self.extra.get().is_some() {
            let place = &self.extra.get_or_init(Box::default).strides;
            *place.lock().unwrap_or_else(PoisonError::into_inner) = strides;
        }
    }
    /// The gradient, if the array has one.
    #[inline]
    pub fn gradient<'py>(&self, py: Python<'py>) -> Option<Bound<'py, Array>> {
        let gradient = &self.extra.get()?.gradient;
        let core = match lock(gradient).array.as_ref()? {
            Slope::Array(array) => return Some(array.bind(py).clone()),
            Slope::Core(core) => core.clone(),
        };
        // Outside the lock: making an object may run Python's collector, and with it anything.
        let made = Array::new(core).object(py).expect("memory for an object");
        match lock(gradient).array.as_mut()? {
            // Another thread was first.
            Slope::Array(array) => Some(array.bind(py).clone()),
            slope => {
                *slope = Slope::Array(made.clone().unbind());
                Some(made)
            }
        }
    }
    /// Replaces the gradient.
    pub fn set_gradient(&self, gradient: Option<Py<Array>>) {
        if gradient.is_none() && self.extra.get().is_none() {
            return;
        }
        if gradient.is_none() {
            self.set_retains(false);
        }
        let old = std::mem::replace(&mut self.state().array, gradient.map(Slope::Array));
        // Outside the lock: the old one may run deleters.
        drop(old);
    }
    /// Shows Python's collector every object that the array holds. The lock is not waited for: its holder is reachable.
    ///
    /// # Errors
    /// The collector ends its walk.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // SAFETY: memory of an object that PyO3 makes, which is not written yet. Fresh memory is zero, and what is used again
        // was marked when its array went; no array has no dimensions.
        if unsafe { (&raw const (*self.core.0.get()).view.ndim).read_volatile() } == 0 {
            return Ok(());
        }
        visit.call(referent(&self.core.owner))?;
        let Some(Ok(gradient)) = self.extra.get().map(|e| e.gradient.try_lock()) else {
            return Ok(());
        };
        match &gradient.array {
            Some(Slope::Array(array)) => visit.call(array)?,
            Some(Slope::Core(core)) => visit.call(referent(&core.owner))?,
            None => {}
        }
        (gradient.tensors.iter()).try_for_each(|tensor| visit.call(&tensor.object))?;
        match self.extra.get().map(|e| e.named_shape.try_lock()) {
            Some(Ok(named)) => named.iter().try_for_each(|shape| visit.call(shape)),
            _ => Ok(()),
        }
    }
    /// Drops the gradient and the tensors that share it: the array is part of a cycle that nothing uses any more.
    pub fn let_go(&self) {
        if let Some(extra) = self.extra.get() {
            let named = extra.named_shape.try_lock().ok();
            let named = named.and_then(|mut named| named.take());
            let old = std::mem::take(&mut *self.state());
            drop((old, named));
        }
    }
    /// Refuses to write to what must not be written.
    ///
    /// # Errors
    /// The array is read-only.
    pub fn check_writable(&self, what: &str) -> PyResult<()> {
        if self.view().read_only {
            return Err(error(
                Code::Value,
                format!(
                    "{what}: the array is read-only, as the memory that it shares; write to a.clone()"
                ),
            ));
        }
        Ok(())
    }
    /// Writes everything but the view of a new array without gradient where it will stay, and returns the place of the
    /// view, which holds [`View::EMPTY`].
    ///
    /// # Safety
    /// `at` may be written as an `Array` and holds none yet.
    #[inline(always)]
    pub unsafe fn write_at<'a>(at: *mut Array, owner: Owner) -> &'a mut View {
        // SAFETY: promised by the caller; all fields are written, one by one.
        unsafe {
            let core = (&raw mut (*at).core).cast::<Core>();
            (&raw mut (*core).owner).write(owner);
            (&raw mut (*at).extra).write(OnceLock::new());
            (&raw mut (*core).view).write(View::EMPTY);
            &mut (*core).view
        }
    }
}
