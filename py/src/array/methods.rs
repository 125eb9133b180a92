//! The constructor, properties and methods of `wp.array`.

use super::{
    assign, call, gradient, index, item, make, operators, pickle, reinterpret, relayout, text,
};
use crate::dtype;
use crate::exchange::{dlpack_out, interface, numpy_out, structure};
use crate::object::Array;
use crate::object::access::check_address;
use crate::object::error::{Code, error, of_array, unfit};
use crate::object::held;
use crate::object::package::PACKAGE;
use crate::object::shape::shape as read_shape;
use crate::runtime::snapshot::before_write;
use crate::runtime::{collector, cuda_memory, device};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyDict, PyTuple, PyType};
use smallvec::SmallVec;
use warp_core::ty::Pattern;

#[pymethods]
impl Array {
    // What a derived class's `__init__` is passed goes through here as well: only `wp.array` itself looks at it.
    #[new]
    #[classmethod]
    #[pyo3(signature = (*args, **kwargs), text_signature = "(data=None, dtype=None, shape=None, strides=None, ptr=None, \
        capacity=None, device=None, pinned=False, copy=True, deleter=None, ndim=None, grad=None, requires_grad=False, \
        retain_grad=False)")]
    fn py_new<'py>(
        class: &Bound<'py, PyType>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Array>> {
        let py = class.py();
        if class.is(py.get_type::<Array>()) {
            return call::plain(py, args, kwargs);
        }
        Array::empty().object_of(class)
    }

    /// Fills an object of a derived class.
    #[pyo3(signature = (*args, **kwargs))]
    fn __init__(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        if slf.is_exact_instance_of::<Array>() {
            return Ok(());
        }
        let made = call::plain(slf.py(), args, kwargs)?;
        slf.get().fill_from(made.get())
    }

    /// An attribute of the program's own may lead back to the array, which Python's collector then has to know.
    fn __setattr__(
        slf: &Bound<'_, Self>,
        name: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        collector::track(slf);
        // SAFETY: all three are alive, and the lock is held.
        match unsafe { ffi::PyObject_GenericSetAttr(slf.as_ptr(), name.as_ptr(), value.as_ptr()) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
    fn __delattr__(slf: &Bound<'_, Self>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: both are alive, and the lock is held.
        let done = unsafe {
            ffi::PyObject_GenericSetAttr(slf.as_ptr(), name.as_ptr(), std::ptr::null_mut())
        };
        match done {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.visit(&visit)
    }
    fn __clear__(&self) {
        self.let_go();
    }

    /// The annotation of an array parameter: `wp.array[float]` of one dimension, `wp.array[float, Literal[2]]` of two.
    #[classmethod]
    fn __class_getitem__(class: &Bound<'_, PyType>, dtype: &Bound<'_, PyAny>) -> PyResult<Array> {
        let (dtype, ndim) = make::subscript(dtype)?;
        make::annotation(class.py(), Some(&dtype), ndim)
    }

    /// What each element is.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.admits() {
            Some(Pattern::Array { of, .. }) => dtype::object_of(py, of),
            _ => dtype::class_of(py, self.view().elem),
        }
    }
    /// Number of dimensions; the components of an element are none.
    #[getter]
    fn ndim(&self) -> u8 {
        self.view().ndim
    }
    /// Elements per dimension. An annotation keeps a shape that is assigned to it, for those who read annotations: sizes, or
    /// names of them.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if self.is_annotation()
            && let Some(named) = self.named_shape(py)
        {
            return Ok(named);
        }
        PyTuple::new(py, self.view().layout().shape())
    }
    #[setter]
    fn set_shape(slf: &Bound<'_, Self>, shape: Bound<'_, PyAny>) -> PyResult<()> {
        let this = slf.get();
        if !this.is_annotation() {
            return relayout::set_shape(slf, &read_shape(&shape)?);
        }
        let shape = shape.cast_into::<PyTuple>()?;
        if shape.len() != usize::from(this.ndim()) {
            return Err(error(
                Code::Value,
                format!(
                    "shape: {} entries for an annotation of {} dimensions",
                    shape.len(),
                    this.ndim()
                ),
            ));
        }
        this.set_named_shape(shape.unbind());
        Ok(())
    }
    /// Bytes per dimension. Strides of another number of dimensions may be assigned before their shape is.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self.waiting_strides() {
            Some(strides) => PyTuple::new(py, strides),
            None => PyTuple::new(py, self.view().layout().strides()),
        }
    }
    #[setter]
    fn set_strides(slf: &Bound<'_, Self>, strides: Bound<'_, PyAny>) -> PyResult<()> {
        relayout::set_strides(slf, &read_shape(&strides)?)
    }
    #[setter]
    fn set_ndim(&self, ndim: usize) -> PyResult<()> {
        relayout::set_ndim(self, ndim)
    }
    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.view().layout().len()
    }
    /// Address of the first element; None if there is no memory, or no element.
    #[getter]
    fn ptr(&self) -> PyResult<Option<usize>> {
        check_address(&self.core, "ptr")?;
        let at = self.view().arg.data as usize;
        Ok((at != 0 && self.size() != 0).then_some(at))
    }
    /// An array without elements has no memory, which programs make sure of.
    #[setter(ptr)]
    fn set_ptr(&self, ptr: Option<usize>) -> PyResult<()> {
        match ptr {
            None if self.size() == 0 => Ok(()),
            _ => Err(error(
                Code::Value,
                "ptr: the memory of an array with elements stays what it is; wp.array(ptr=..., shape=..., dtype=...) makes an \
                 array of other memory",
            )),
        }
    }
    /// Bytes of all elements.
    #[getter]
    fn capacity(&self) -> usize {
        self.size() * self.view().elem.size()
    }
    /// Where the array is.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, device::Device>> {
        device::object(py, self.view().device)
    }
    /// Whether the elements lie in row-major order without gaps.
    #[getter]
    fn is_contiguous(&self) -> bool {
        self.view().is_contiguous()
    }
    /// Whether the elements lie without gaps once the dimensions are put in another order, as after `transpose()`.
    #[getter]
    fn is_transposed(&self) -> bool {
        self.view().layout().is_transposed(self.view().elem.size())
    }
    /// Where the memory lies: a `wp.MemoryKind`.
    #[getter]
    fn memory_kind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kinds = PACKAGE.memory_kind.get(py)?;
        kinds.getattr(device::memory_kind(self.view().device))
    }
    /// What was given as `deleter`, or None.
    #[getter]
    fn deleter<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        make::deleter_of(py, &self.core.owner)
    }
    /// The array as a C structure: address, gradient's address, shape, strides in bytes, number of dimensions.
    #[getter]
    fn ctype<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        PACKAGE.array_structure.call(slf.py(), (slf,))
    }
    /// The dtype's name. `reprlib`, and with it pytest, asks what is called an array for it, before Python 3.12.
    #[getter]
    fn typecode<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.getattr("dtype")?.getattr("__name__")
    }
    /// As `ctype`.
    fn __ctype__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::ctype(slf)
    }
    /// A pointer of `ctypes` to the first number, which keeps the array alive.
    fn cptr<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        PACKAGE.array_pointer.call(slf.py(), (slf,))
    }
    /// A handle of the memory for other processes, which `wp.from_ipc_handle` opens: only memory of GPUs has one, and only where
    /// it came from no pool.
    ///
    /// Raises:
    ///     RuntimeError: The memory has none.
    fn ipc_handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        cuda_memory::ipc_handle(py, self)
    }
    /// Accepted for compatibility: says that the content is new.
    fn mark_init(&self) {}
    /// Accepted for compatibility: says that the content was read. Tapes know what they need.
    fn mark_read(&self) {}
    /// Says that code which tapes do not know of is about to write to the array: what a gradient needs of it is kept.
    fn mark_write(&self, py: Python<'_>) -> PyResult<()> {
        before_write(py, self.view())
    }
    /// Whether the memory must not be written.
    #[getter]
    fn read_only(&self) -> bool {
        self.view().read_only
    }
    /// Whether it is memory of the host that is pinned: GPUs copy from and to it while the program goes on.
    #[getter]
    fn pinned(&self) -> bool {
        make::view_is_pinned(self.view())
    }

    /// Whether the array has a gradient. Setting it makes one full of zeros, or drops it.
    #[getter]
    fn requires_grad(&self) -> bool {
        self.has_gradient()
    }
    #[setter]
    fn set_requires_grad(&self, py: Python<'_>, value: bool) -> PyResult<()> {
        match (value, self.requires_grad()) {
            (true, false) => {
                let grad = gradient::zero_gradient(py, &self.core, "requires_grad")?;
                self.set_gradient(Some(grad));
            }
            (false, true) => self.set_gradient(None),
            _ => {}
        }
        Ok(())
    }
    /// Accepted for compatibility: gradients of outputs can always be read after a backward pass. Needs `requires_grad`.
    #[getter]
    fn retain_grad(&self) -> bool {
        self.retains()
    }
    #[setter]
    fn set_retain_grad(&self, value: bool) -> PyResult<()> {
        gradient::set_retain(self, value, "retain_grad")
    }
    /// The gradient: an array of the same dtype and shape, or None.
    #[getter]
    fn grad<'py>(&self, py: Python<'py>) -> Option<Bound<'py, Array>> {
        self.gradient(py)
    }
    #[setter]
    fn set_grad(slf: &Bound<'_, Self>, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.get());
        let grad = value
            .map(|v| gradient::checked_gradient(py, &this.core, v, "grad"))
            .transpose()?;
        this.set_gradient(grad);
        collector::track(slf);
        Ok(())
    }

    /// Sets every element to `value`: a number for every component, or one element.
    fn fill_(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let this = slf.get();
        this.check_writable("fill_")?;
        let mut bytes = SmallVec::new();
        dtype::element_bytes(value, this.view().elem, true, &mut bytes).map_err(unfit)?;
        let held = dtype::held_by(value, this.view().elem);
        assign::fill(slf, this.view(), (&bytes, &held), "fill_", || {
            Ok(slf.clone())
        })
    }
    /// Sets every element to zero.
    fn zero_(slf: &Bound<'_, Self>) -> PyResult<()> {
        let this = slf.get();
        this.check_writable("zero_")?;
        let zeros: SmallVec<[u8; 64]> = SmallVec::from_elem(0, this.view().elem.size());
        assign::fill(slf, this.view(), (&zeros, &[]), "zero_", || Ok(slf.clone()))
    }
    /// Copies the elements of another array, NumPy array, tensor or list of the same shape.
    fn assign(slf: &Bound<'_, Self>, src: &Bound<'_, PyAny>) -> PyResult<()> {
        assign::assign_method(slf, src).map_err(of_array)
    }

    /// The elements as a NumPy array that shares this memory; components become dimensions.
    fn numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        numpy_out::numpy(slf)
    }
    /// The elements in row-major order as a flat list of numbers or vectors.
    fn list<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        index::list(slf)
    }
    /// One element as a Python number or a value of `dtype`: the only one, the one at a position in row-major order
    /// (`a.item(i)`), or the one at an index (`a.item(i, j)`).
    #[pyo3(signature = (*args))]
    fn item<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        item::item(slf, args)
    }
    /// The same memory as elements of another type: of the same size; scalars of the last dimensions as vectors or
    /// matrices, `(n, 2)` floats as `n` `vec2`; or these as scalars. The gradient of the same numbers is seen likewise.
    #[pyo3(name = "view")]
    fn reinterpret<'py>(
        slf: &Bound<'py, Self>,
        dtype: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Array>> {
        reinterpret::reinterpret(slf, dtype)
            .map_err(of_array)?
            .object(slf.py())
    }
    /// The same memory in another shape; one dimension may be -1.
    #[pyo3(signature = (*extents, shape=None))]
    fn reshape<'py>(
        slf: &Bound<'py, Self>,
        extents: &Bound<'_, PyTuple>,
        shape: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, Array>> {
        let shape = match (shape, extents.len()) {
            (Some(shape), 0) => read_shape(shape)?,
            (Some(_), _) => return Err(error(Code::Type, "reshape: the shape is given twice")),
            (None, 1) => read_shape(&extents.get_item(0)?)?,
            (None, _) => read_shape(extents.as_any())?,
        };
        index::reshape(slf, &shape).map_err(of_array)
    }
    /// The same memory in one dimension.
    fn flatten<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Array>> {
        if slf.get().view().ndim == 1 {
            return Ok(slf.clone());
        }
        index::reshape(slf, &[-1]).map_err(of_array)
    }
    /// The same memory with its dimensions in another order, reversed by default.
    #[pyo3(signature = (axes=None))]
    fn transpose<'py>(
        slf: &Bound<'py, Self>,
        axes: Option<Vec<isize>>,
    ) -> PyResult<Bound<'py, Array>> {
        index::transpose(slf, axes).map_err(of_array)
    }
    /// This array if it is contiguous, else a contiguous copy.
    fn contiguous<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Array>> {
        if slf.get().view().is_contiguous() {
            return Ok(slf.clone());
        }
        assign::clone(slf, None, None)
    }
    /// A copy with memory of its own; a gradient starts at zero.
    #[pyo3(signature = (device=None, requires_grad=None))]
    fn clone<'py>(
        slf: &Bound<'py, Self>,
        device: Option<&Bound<'_, PyAny>>,
        requires_grad: Option<bool>,
    ) -> PyResult<Bound<'py, Array>> {
        assign::clone(slf, device, requires_grad)
    }
    /// This array if it is on `device` already, else a copy there.
    #[pyo3(signature = (device, requires_grad=None))]
    fn to<'py>(
        slf: &Bound<'py, Self>,
        device: Option<&Bound<'py, PyAny>>,
        requires_grad: Option<bool>,
    ) -> PyResult<Bound<'py, Array>> {
        match device::resolve(device)? == slf.get().view().device {
            true => Ok(slf.clone()),
            false => assign::clone(slf, device, requires_grad),
        }
    }

    /// The content in row-major order.
    fn __bytes__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        pickle::bytes(slf)
    }
    fn __len__(&self) -> usize {
        self.view().arg.shape[0] as usize
    }
    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        index::get(slf, key)
    }
    fn __setitem__(
        slf: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        index::set(slf, key, value)
    }
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let items: PyResult<Vec<_>> = (0..slf.get().__len__())
            .map(|i| index::get(slf, i.into_pyobject(py)?.as_any()))
            .collect();
        Ok(pyo3::types::PyList::new(py, items?)?.try_iter()?.into_any())
    }
    fn __bool__(&self) -> bool {
        self.__len__() > 0
    }
    fn __float__(&self) -> PyResult<f64> {
        item::float(self, "float")
    }
    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        item::int(py, self)
    }
    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyComplex>> {
        Ok(PyComplex::from_doubles(
            py,
            item::float(self, "complex")?,
            0.0,
        ))
    }
    fn __index__(&self) -> PyResult<i64> {
        Err(item::no_index())
    }

    // Operators work element by element: `operators` says with what.
    fn __add__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("+", slf, other, false)
    }
    fn __radd__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("+", slf, other, true)
    }
    fn __sub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("-", slf, other, false)
    }
    fn __rsub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("-", slf, other, true)
    }
    fn __mul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("*", slf, other, false)
    }
    fn __rmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("*", slf, other, true)
    }
    fn __truediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("/", slf, other, false)
    }
    fn __rtruediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("/", slf, other, true)
    }
    fn __floordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("//", slf, other, false)
    }
    fn __rfloordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("//", slf, other, true)
    }
    fn __mod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("%", slf, other, false)
    }
    fn __rmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("%", slf, other, true)
    }
    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if modulo.is_some() {
            return Ok(slf.py().NotImplemented().into_bound(slf.py()));
        }
        operators::binary("**", slf, other, false)
    }
    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if modulo.is_some() {
            return Ok(slf.py().NotImplemented().into_bound(slf.py()));
        }
        operators::binary("**", slf, other, true)
    }
    /// `wp.array[float] | None` annotates a parameter that may be left out, as every array may.
    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
        match slf.get().is_annotation() && other.is_none() {
            true => slf.clone().into_any(),
            false => slf.py().NotImplemented().into_bound(slf.py()),
        }
    }
    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
        Array::__or__(slf, other)
    }
    fn __matmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("@", slf, other, false)
    }
    fn __rmatmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary("@", slf, other, true)
    }
    fn __iadd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::in_place("+", slf, other)
    }
    fn __isub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::in_place("-", slf, other)
    }
    fn __imul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::in_place("*", slf, other)
    }
    fn __itruediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::in_place("/", slf, other)
    }
    fn __ifloordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::in_place("//", slf, other)
    }
    fn __imod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::in_place("%", slf, other)
    }
    fn __ipow__(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        _modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        operators::in_place("**", slf, other)
    }
    fn __imatmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::in_place("@", slf, other)
    }
    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::unary("-1", slf)
    }
    fn __pos__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::unary("+1", slf)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (py, this) = (slf.py(), slf.get());
        let dtype = this.dtype(py)?;
        let name: String = dtype.getattr("__name__")?.extract()?;
        if this.is_annotation() {
            // As a program writes it.
            let ours = PACKAGE.namespace.get(py)?.getattr_opt(name.as_str())?;
            let place = if ours.is_some_and(|ours| ours.is(&dtype)) {
                "wp."
            } else {
                ""
            };
            return Ok(match this.view().ndim {
                1 => format!("wp.array[{place}{name}]"),
                ndim => format!("wp.array{ndim}d[{place}{name}]"),
            });
        }
        let shape = this.shape(py)?;
        Ok(format!("array(shape={shape}, dtype={name})"))
    }
    fn __str__(slf: &Bound<'_, Self>) -> PyResult<String> {
        if slf.get().is_annotation() {
            return Array::__repr__(slf);
        }
        text::text(slf)
    }

    fn __reduce_ex__<'py>(slf: &Bound<'py, Self>, protocol: i32) -> PyResult<Bound<'py, PyTuple>> {
        pickle::reduce(slf, protocol)
    }
    fn __copy__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Array>> {
        self.alias(py).object(py)
    }
    fn __deepcopy__<'py>(
        slf: &Bound<'py, Self>,
        memo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Array>> {
        let (py, this) = (slf.py(), slf.get());
        if this.is_annotation() {
            return this.alias(py).object(py);
        }
        if held::may_hold(this.view().elem) && this.core.owner.holds_any() {
            let copy = PACKAGE.copy_elements.call(py, (slf, memo))?;
            return Ok(copy.cast_into()?);
        }
        let gradient = match this.gradient(py) {
            Some(g) => Some(assign::clone(&g, None, Some(false))?.unbind()),
            None => None,
        };
        let copy = assign::clone(slf, None, Some(false))?;
        copy.get().set_gradient(gradient);
        Ok(copy)
    }

    #[getter]
    fn __array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        interface::export(slf)
    }
    /// The memory as a C structure in a capsule, which keeps the array alive.
    #[getter]
    fn __array_struct__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        structure::export(slf)
    }
    /// NumPy's own: beside an array of NumPy's, NumPy computes.
    #[classattr]
    fn __array_priority__() -> f64 {
        0.0
    }
    #[getter]
    fn __cuda_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        interface::export_cuda(slf)
    }
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy_out::array(slf, dtype, copy)
    }
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        dlpack_out::dlpack(slf, stream, max_version, dl_device, copy)
    }
    fn __dlpack_device__(&self) -> (u32, i32) {
        warp_dlpack::device(self.view().device).into()
    }
}
