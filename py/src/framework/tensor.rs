//! Tensors of frameworks that differentiate, as arrays and back: the one path, whichever framework it is.
//!
//! An array made from a tensor, or a tensor made from an array, remembers the other side. Before each backward pass
//! `rebind_gradient` makes their gradients one again. An adapter states facts about gradients ([`Autograd`]); this file
//! turns them into conversions, fast calls included.

use crate::array::{checked_gradient, set_retain, shared_as};
use crate::dtype;
use crate::exchange::descriptor::{Descriptor, Vtable};
use crate::object::access::check_access;
use crate::object::error::{Code, error, within};
use crate::object::message::describe;
use crate::object::{Array, Tensor};
use crate::runtime::collector;
use crate::runtime::device::{self, Device};
use crate::runtime::fastcall::{self, FastCall};
use crate::runtime::snapshot::before_sharing;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use warp_core::array::{Array as Core, View};
use warp_core::interop::{Desc, Want, export, import, import_gradient, import_gradient_into};
use warp_core::timeline;
use warp_core::ty::Elem;
use warp_dlpack::{Lenient, TensorAdapter};

/// The fast calls of a framework's two conversions.
pub struct FastCalls {
    /// `wp.from_NAME`.
    pub from: FastCall<5>,
    /// `wp.to_NAME`.
    pub to: FastCall<2>,
}

impl FastCalls {
    /// Fast calls without ordinary functions yet.
    pub const fn new() -> FastCalls {
        FastCalls {
            from: FastCall::new(["t", "dtype", "requires_grad", "grad", "return_ctype"]),
            to: FastCall::new(["a", "requires_grad"]),
        }
    }
}

/// What the registry makes for a framework whose tensors have gradients.
pub trait Tensors: TensorAdapter {
    /// `from_NAME`.
    const FROM: &'static str;
    /// `to_NAME`.
    const TO: &'static str;
    /// The fast calls of its conversions.
    fn fast_calls() -> &'static FastCalls;
    /// What its descriptors ask it for.
    fn descriptors() -> &'static Vtable;
    /// Adds its functions to the module.
    ///
    /// # Errors
    /// What Python raises while the module is made.
    fn add(m: &Bound<'_, PyModule>) -> PyResult<()>;
}

/// `wp.from_NAME` with all its parameters.
///
/// # Errors
/// `t` is no tensor, or its memory or gradient cannot be shared.
pub fn from<'py, F: Tensors>(
    t: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'py, PyAny>>,
    (return_ctype, retain_grad): (bool, bool),
) -> PyResult<Bound<'py, PyAny>> {
    if !F::is_tensor(t) {
        return Err(error(
            Code::Type,
            format!(
                "{}: t is {}, expected a {}",
                F::FROM,
                describe(t),
                F::TENSOR
            ),
        ));
    }
    let made = converted::<F>(t, dtype, requires_grad, grad, return_ctype)?;
    // A descriptor is for launches, which keep gradients in any case.
    if retain_grad && let Ok(array) = made.cast::<Array>() {
        set_retain(array.get(), true, F::FROM)?;
    }
    Ok(made)
}

/// Never inlined: the fast call's commonest case shall not pay for the room that this needs.
#[inline(never)]
fn converted<'py, F: Tensors>(
    t: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'py, PyAny>>,
    return_ctype: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = t.py();
    let elem = dtype.map(dtype::require_elem).transpose()?;
    if return_ctype {
        let descriptor = descriptor::<F>(t, elem, requires_grad, grad)?;
        return Ok(Bound::new(py, descriptor)?.into_any());
    }
    let array = array::<F>(t, elem, requires_grad, grad)?;
    Ok(array.object(py)?.into_any())
}

/// The fast call of `wp.from_NAME`.
///
/// # Safety
/// Python calls it as the method it was registered as.
pub unsafe extern "C" fn raw_from<F: Tensors>(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        F::fast_calls()
            .from
            .call(args, count, keywords, |py, slots| {
                let [Some(t), d, requires_grad, grad, return_ctype] = *slots else {
                    return Ok(None);
                };
                if timeline::is_on() {
                    return Ok(None);
                }
                let requires_grad = match fastcall::given(requires_grad) {
                    None => None,
                    some => match fastcall::flag(some, false) {
                        None => return Ok(None),
                        flag => flag,
                    },
                };
                let Some(return_ctype) = fastcall::flag(return_ctype, false) else {
                    return Ok(None);
                };
                if !F::is_exact(t) {
                    return Ok(None);
                }
                let dtype = fastcall::given(d);
                let grad = fastcall::given(grad);
                if !return_ctype && grad.is_none() && requires_grad != Some(true) {
                    // The commonest goes straight into the object: each function that an array passes through copies it.
                    // What does not fit may be read as another type, or is refused in more words, by the ordinary function.
                    let Some(made) = shared_as::<F>(py, t, dtype).lenient()? else {
                        return Ok(None);
                    };
                    let array = made.get();
                    // Paddle's tensors of integers may say that they want a gradient, too.
                    if requires_grad.is_none()
                        && F::requires_grad(t)?
                        && array.view().elem.scalar().is_float()
                    {
                        link::<F>(t, array)?;
                        // The array holds the tensor, which may hold the array.
                        collector::track(&made);
                    }
                    return Ok(Some(made.into_any()));
                }
                if return_ctype && dtype.is_none() && grad.is_none() && requires_grad.is_none() {
                    return plain_descriptor::<F>(t).map(Some);
                }
                converted::<F>(t, dtype, requires_grad, grad, return_ctype).map(Some)
            })
    }
}

#[cold]
fn named(e: PyErr, place: &str, t: &Bound<'_, PyAny>) -> PyErr {
    let py = t.py();
    within(py, &format!("{place}: {}", describe(t)), &e)
}

#[inline(always)]
fn core<F: Tensors>(t: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    import::<F>(t.py(), t, elem).map_err(|e| named(e, F::FROM, t))
}

/// Gives a new array the gradient of its tensor, which is made if it is missing.
#[inline]
fn link<F: Tensors>(t: &Bound<'_, PyAny>, array: &Array) -> PyResult<()> {
    let made = array.link(|core, tensors| {
        let attached = import_gradient_into::<F>(t.py(), t, array.view(), Want::Made, core)?;
        if attached == Some(true) {
            tensors.push(Tensor {
                object: t.clone().unbind(),
                weak: false,
            });
        }
        Ok(attached.is_some())
    });
    made.map_err(|e| {
        let place = format!("{}: the tensor's gradient", F::FROM);
        named(e, &place, t)
    })
}

/// A tensor as an array.
///
/// # Errors
/// The tensor's memory or its gradient cannot be shared.
#[inline]
pub fn array<F: Tensors>(
    t: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'_, PyAny>>,
) -> PyResult<Array> {
    let core = core::<F>(t, elem)?;
    if let Some(grad) = grad {
        let place = format!("{}: grad", F::FROM);
        let grad = checked_gradient(t.py(), &core, grad, &place)?;
        let array = Array::new(core);
        array.link(|core, _| {
            *core = grad.get().core.clone();
            PyResult::Ok(true)
        })?;
        return Ok(array);
    }
    let is_float = core.view.elem.scalar().is_float();
    let wants = match requires_grad {
        Some(wants) => wants,
        None => is_float && F::requires_grad(t)?,
    };
    if wants && !is_float {
        return Err(error(
            Code::Type,
            format!(
                "{}: requires_grad=True, but a tensor of {} has no gradient",
                F::FROM,
                core.view.elem.scalar()
            ),
        ));
    }
    let array = Array::new(core);
    if wants {
        link::<F>(t, &array)?;
    }
    Ok(array)
}

/// A tensor's memory as it is now.
///
/// # Errors
/// The tensor's memory cannot be looked at, or is none of `elem`.
#[inline]
pub fn view<F: Tensors>(t: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<View> {
    let mut desc = Desc::EMPTY;
    F::describe(t, &mut desc).map_err(|e| named(e, F::FROM, t))?;
    desc.read_as(elem);
    let view = desc.view(elem);
    view.map_err(|e| named(F::raise(t.py(), e), F::FROM, t))
}

/// A descriptor of a tensor as it is. Apart from [`descriptor`] and never inlined: copying an element or a view that was just
/// written in parts makes the processor wait.
#[inline(never)]
fn plain_descriptor<'py, F: Tensors>(t: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = t.py();
    let mut desc = Desc::EMPTY;
    F::describe(t, &mut desc).map_err(|e| named(e, F::FROM, t))?;
    let elem = Elem::Scalar(desc.scalar);
    let mut view = View::EMPTY;
    let fits = desc.arg_into(elem, &mut view.arg);
    fits.map_err(|e| named(F::raise(py, e), F::FROM, t))?;
    let descriptor = Descriptor::new(F::descriptors(), t, elem, None, None);
    Ok(Bound::new(py, descriptor)?.into_any())
}

#[inline]
fn descriptor<F: Tensors>(
    t: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    requires_grad: Option<bool>,
    grad: Option<&Bound<'_, PyAny>>,
) -> PyResult<Descriptor> {
    let elem = view::<F>(t, elem)?.elem;
    let descriptor = Descriptor::new(F::descriptors(), t, elem, requires_grad, grad);
    if grad.is_some() || requires_grad == Some(true) {
        // What is wrong with a gradient is said now.
        descriptor.array(t.py())?;
    }
    Ok(descriptor)
}

/// `wp.to_NAME`.
///
/// # Errors
/// `a` is no array, or cannot be shared.
pub fn to<'py, F: Tensors>(
    a: &Bound<'py, PyAny>,
    requires_grad: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let Ok(array) = a.cast::<Array>() else {
        return Err(error(
            Code::Type,
            format!("{}: a is {}, expected a wp.array", F::TO, describe(a)),
        ));
    };
    let this = array.get();
    before_sharing(py, this.view())?;
    check_access(&this.core, F::TO)?;
    let tensor = export::<F>(py, &this.core)?;
    let gradient = this.gradient(py);
    if !requires_grad.unwrap_or(gradient.is_some()) {
        return Ok(tensor);
    }
    if !this.view().elem.scalar().is_float() {
        return Err(error(
            Code::Type,
            format!(
                "{}: requires_grad=True, but an array of {} has no gradient",
                F::TO,
                this.view().elem
            ),
        ));
    }
    // In a fast call PyO3 does not know that the lock is held: it would put off dropping what is let go here.
    Python::attach(|_| {
        F::set_requires_grad(&tensor)?;
        let Some(own) = gradient else {
            return Ok(tensor);
        };
        give::<F>(this, &own, &tensor)?;
        let weak = PyWeakrefReference::new(&tensor)?.into_any().unbind();
        let mut state = this.state();
        state.tensors.retain(|t| t.alive(py).is_some());
        state.tensors.push(Tensor {
            object: weak,
            weak: true,
        });
        drop(state);
        Ok(tensor)
    })
}

/// The fast call of `wp.to_NAME`.
///
/// # Safety
/// Python calls it as the method it was registered as.
pub unsafe extern "C" fn raw_to<F: Tensors>(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        F::fast_calls().to.call(args, count, keywords, |_, slots| {
            let [Some(a), requires_grad] = *slots else {
                return Ok(None);
            };
            if timeline::is_on() {
                return Ok(None);
            }
            match fastcall::given(requires_grad) {
                None => to::<F>(a, None).map(Some),
                some => match fastcall::flag(some, false) {
                    None => Ok(None),
                    flag => to::<F>(a, flag).map(Some),
                },
            }
        })
    }
}

/// Makes an array's gradient that of a tensor which has none. Where the tensor's cannot use
/// the array's memory, the array takes the tensor's, with the same values.
fn give<F: Tensors>(
    this: &Array,
    own: &Bound<'_, Array>,
    tensor: &Bound<'_, PyAny>,
) -> PyResult<()> {
    if F::set_gradient(own.py(), tensor, &own.get().core)? {
        return Ok(());
    }
    follow::<F>(this, own, tensor).map(drop)
}

/// Makes the array's gradient the tensor's; `false` where the tensor has none.
fn follow<F: Tensors>(
    this: &Array,
    own: &Bound<'_, Array>,
    tensor: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let (py, view) = (own.py(), own.get().view());
    let found = import_gradient::<F>(py, tensor, view, Want::Present);
    let Some(found) = found.map_err(|e| named(e, "the tensor's gradient", tensor))? else {
        return Ok(false);
    };
    if !is_same(&found.array.view, view) {
        this.set_gradient(Some(Array::new(found.array).object(py).map(Bound::unbind)?));
    }
    Ok(true)
}

/// Whether arrays of one form lie in the same place. Along a dimension of one element strides mean nothing.
fn is_same(a: &View, b: &View) -> bool {
    let (x, y) = (&a.arg, &b.arg);
    let same = |d: usize| x.strides[d] == y.strides[d] || x.shape[d] <= 1;
    x.data == y.data && (0..a.ndim as usize).all(same)
}

/// See `launch::gradient::rebind_gradient`.
///
/// # Errors
/// A gradient cannot be shared any more.
pub fn rebind<F: Tensors>(array: &Bound<'_, Array>, attach: bool) -> PyResult<()> {
    let (py, this) = (array.py(), array.get());
    let tensors: Vec<Bound<'_, PyAny>> = {
        let state = this.state();
        let alive = state.tensors.iter().filter_map(|t| t.alive(py));
        // Other frameworks see to their own.
        alive.filter(F::is_tensor).collect()
    };
    let mut zeroed = false;
    for t in tensors {
        let Some(own) = this.gradient(py) else { break };
        if follow::<F>(this, &own, &t)? || !attach || !F::may_have_gradient(&t)? {
            continue;
        }
        if !std::mem::replace(&mut zeroed, true) {
            own.call_method0(pyo3::intern!(py, "zero_"))?;
        }
        give::<F>(this, &own, &t)?;
    }
    Ok(())
}

/// `wp.device_from_NAME`, which `place` names.
///
/// # Errors
/// The object is no device of the framework, or one that is not here.
pub fn device_from<'py, F: Tensors>(
    object: &Bound<'py, PyAny>,
    place: &str,
) -> PyResult<Bound<'py, Device>> {
    match F::device_from(object)? {
        Some(name) => device::by_name(object.py(), &name, place),
        None => Err(error(
            Code::Runtime,
            format!(
                "{place}: expected {}, found {}",
                F::DEVICE,
                describe(object)
            ),
        )),
    }
}

/// `wp.device_to_NAME`, which `place` names.
///
/// # Errors
/// There is no such device.
pub fn device_to<F: Tensors>(device: Option<&Bound<'_, PyAny>>, place: &str) -> PyResult<String> {
    device::resolve(device)
        .map(F::device_to)
        .map_err(|e| Python::attach(|py| error(Code::Runtime, format!("{place}: {}", e.value(py)))))
}

/// Adds the two conversions to the module, with their fast calls.
///
/// # Errors
/// What Python raises while the module is made.
pub fn add_fast<F: Tensors>(
    m: &Bound<'_, PyModule>,
    from: &Bound<'_, PyAny>,
    to: &Bound<'_, PyAny>,
) -> PyResult<()> {
    fastcall::add(m, &F::fast_calls().from, from, raw_from::<F>)?;
    fastcall::add(m, &F::fast_calls().to, to, raw_to::<F>)
}
