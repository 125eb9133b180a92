//! The constructor, properties and methods of `wp.array`.

use super::make::{self, Object};
use super::{
    assign, attribute, call, gradient, index, item, operators, pickle, reinterpret, relayout, text,
};
use crate::exchange::{dlpack_out, interface, numpy_out, structure};
use crate::object::Array;
use crate::object::error::of_array;
use crate::object::package::PACKAGE;
use crate::object::shape::shape as read_shape;
use crate::runtime::snapshot::before_write;
use crate::runtime::{collector, cuda_memory, device};
use pyo3::basic::CompareOp;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyDict, PyTuple, PyType};

/// The array that a method is called on.
type This<'a, 'py> = &'a Bound<'py, Array>;
/// An argument.
type Value<'a, 'py> = &'a Bound<'py, PyAny>;
/// What a method gives.
type Answer<'py> = PyResult<Bound<'py, PyAny>>;
/// An array that a method gives.
type Made<'py> = PyResult<Bound<'py, Array>>;

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
    ) -> Made<'py> {
        call::new(class, args, kwargs)
    }

    /// Fills an object of a derived class.
    #[pyo3(signature = (*args, **kwargs))]
    fn __init__(
        slf: This<'_, '_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        call::init(slf, args, kwargs)
    }

    /// An attribute of the program's own may lead back to the array, which Python's collector then has to know.
    fn __setattr__(slf: This<'_, '_>, name: Value<'_, '_>, value: Value<'_, '_>) -> PyResult<()> {
        collector::track(slf);
        attribute::set(slf, name, Some(value))
    }
    fn __delattr__(slf: This<'_, '_>, name: Value<'_, '_>) -> PyResult<()> {
        attribute::set(slf, name, None)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.visit(&visit)
    }
    fn __clear__(&self) {
        self.let_go();
    }

    /// The annotation of an array parameter: `wp.array[float]` of one dimension, `wp.array[float, Literal[2]]` of two.
    #[classmethod]
    fn __class_getitem__(class: &Bound<'_, PyType>, dtype: Value<'_, '_>) -> PyResult<Array> {
        let (dtype, ndim) = make::subscript(dtype)?;
        make::annotation(class.py(), Some(&dtype), ndim)
    }

    /// What each element is.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Answer<'py> {
        attribute::dtype(py, self)
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
        attribute::shape(py, self)
    }
    #[setter]
    fn set_shape(slf: This<'_, '_>, shape: Bound<'_, PyAny>) -> PyResult<()> {
        attribute::set_shape(slf, shape)
    }
    /// Bytes per dimension. Strides of another number of dimensions may be assigned before their shape is.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        attribute::strides(py, self)
    }
    #[setter]
    fn set_strides(slf: This<'_, '_>, strides: Bound<'_, PyAny>) -> PyResult<()> {
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
        attribute::address(self)
    }
    /// An array without elements has no memory, which programs make sure of.
    #[setter(ptr)]
    fn set_ptr(&self, ptr: Option<usize>) -> PyResult<()> {
        attribute::set_address(self, ptr)
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
    fn memory_kind<'py>(&self, py: Python<'py>) -> Answer<'py> {
        attribute::memory_kind(py, self)
    }
    /// What was given as `deleter`, or None.
    #[getter]
    fn deleter<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        make::deleter_of(py, &self.core.owner)
    }
    /// The array as a C structure: address, gradient's address, shape, strides in bytes, number of dimensions.
    #[getter]
    fn ctype<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        PACKAGE.array_structure.call(slf.py(), (slf,))
    }
    /// The dtype's name. `reprlib`, and with it pytest, asks what is called an array for it, before Python 3.12.
    #[getter]
    fn typecode<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        slf.getattr("dtype")?.getattr("__name__")
    }
    /// As `ctype`.
    fn __ctype__<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        Self::ctype(slf)
    }
    /// A pointer of `ctypes` to the first number, which keeps the array alive.
    fn cptr<'py>(slf: This<'_, 'py>) -> Answer<'py> {
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
        gradient::require(py, self, value)
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
    fn set_grad(slf: This<'_, '_>, value: Object<'_, '_>) -> PyResult<()> {
        gradient::replace(slf, value)
    }

    /// Sets every element to `value`: a number for every component, or one element.
    fn fill_(slf: This<'_, '_>, value: Value<'_, '_>) -> PyResult<()> {
        assign::fill_all(slf, value)
    }
    /// Sets every element to zero.
    fn zero_(slf: This<'_, '_>) -> PyResult<()> {
        assign::zero_all(slf)
    }
    /// Copies the elements of another array, NumPy array, tensor or list of the same shape.
    fn assign(slf: This<'_, '_>, src: Value<'_, '_>) -> PyResult<()> {
        assign::assign_method(slf, src).map_err(of_array)
    }

    /// The elements as a NumPy array that shares this memory; components become dimensions.
    fn numpy<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        numpy_out::numpy(slf)
    }
    /// The elements in row-major order as a flat list of numbers or vectors.
    fn list<'py>(slf: This<'_, 'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        index::list(slf)
    }
    /// One element as a Python number or a value of `dtype`: the only one, the one at a position in row-major order
    /// (`a.item(i)`), or the one at an index (`a.item(i, j)`).
    #[pyo3(signature = (*args))]
    fn item<'py>(slf: This<'_, 'py>, args: &Bound<'py, PyTuple>) -> Answer<'py> {
        item::item(slf, args)
    }
    /// The same memory as elements of another type: of the same size; scalars of the last dimensions as vectors or
    /// matrices, `(n, 2)` floats as `n` `vec2`; or these as scalars. The gradient of the same numbers is seen likewise.
    #[pyo3(name = "view")]
    fn reinterpret<'py>(slf: This<'_, 'py>, dtype: Value<'_, 'py>) -> Made<'py> {
        reinterpret::reinterpret(slf, dtype)
            .map_err(of_array)?
            .object(slf.py())
    }
    /// The same memory in another shape; one dimension may be -1.
    #[pyo3(signature = (*extents, shape=None))]
    fn reshape<'py>(
        slf: This<'_, 'py>,
        extents: &Bound<'_, PyTuple>,
        shape: Object<'_, '_>,
    ) -> Made<'py> {
        index::reshape_as(slf, extents, shape).map_err(of_array)
    }
    /// The same memory in one dimension.
    fn flatten<'py>(slf: This<'_, 'py>) -> Made<'py> {
        index::flatten(slf).map_err(of_array)
    }
    /// The same memory with its dimensions in another order, reversed by default.
    #[pyo3(signature = (axes=None))]
    fn transpose<'py>(slf: This<'_, 'py>, axes: Option<Vec<isize>>) -> Made<'py> {
        index::transpose(slf, axes).map_err(of_array)
    }
    /// This array if it is contiguous, else a contiguous copy.
    fn contiguous<'py>(slf: This<'_, 'py>) -> Made<'py> {
        assign::contiguous(slf)
    }
    /// A copy with memory of its own; a gradient starts at zero.
    #[pyo3(signature = (device=None, requires_grad=None))]
    fn clone<'py>(
        slf: This<'_, 'py>,
        device: Object<'_, '_>,
        requires_grad: Option<bool>,
    ) -> Made<'py> {
        assign::clone(slf, assign::copy_goes(slf.get(), device)?, requires_grad)
    }
    /// This array if it is on `device` already, else a copy there.
    #[pyo3(signature = (device, requires_grad=None))]
    fn to<'py>(
        slf: This<'_, 'py>,
        device: Object<'_, 'py>,
        requires_grad: Option<bool>,
    ) -> Made<'py> {
        assign::to(slf, device, requires_grad)
    }

    /// The content in row-major order.
    fn __bytes__<'py>(slf: This<'_, 'py>) -> PyResult<Bound<'py, PyBytes>> {
        pickle::bytes(slf)
    }
    fn __len__(&self) -> usize {
        self.view().arg.shape[0] as usize
    }
    fn __getitem__<'py>(slf: This<'_, 'py>, key: Value<'_, 'py>) -> Answer<'py> {
        index::get(slf, key)
    }
    fn __setitem__(slf: This<'_, '_>, key: Value<'_, '_>, value: Value<'_, '_>) -> PyResult<()> {
        index::set(slf, key, value)
    }
    fn __iter__<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        index::iter(slf)
    }
    fn __bool__(slf: This<'_, '_>) -> PyResult<bool> {
        operators::truth(slf)
    }
    fn __richcmp__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>, op: CompareOp) -> Answer<'py> {
        operators::compare(slf, other, op)
    }
    fn __hash__(slf: This<'_, '_>) -> isize {
        attribute::hash(slf)
    }
    fn __float__(&self) -> PyResult<f64> {
        item::float(self, "float")
    }
    fn __int__<'py>(&self, py: Python<'py>) -> Answer<'py> {
        item::int(py, self)
    }
    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyComplex>> {
        let real = item::float(self, "complex")?;
        Ok(PyComplex::from_doubles(py, real, 0.0))
    }
    fn __index__(&self) -> PyResult<i64> {
        Err(item::no_index())
    }

    // Operators work element by element: `operators` says with what.
    fn __add__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("+", slf, other, false)
    }
    fn __radd__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("+", slf, other, true)
    }
    fn __sub__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("-", slf, other, false)
    }
    fn __rsub__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("-", slf, other, true)
    }
    fn __mul__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("*", slf, other, false)
    }
    fn __rmul__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("*", slf, other, true)
    }
    fn __truediv__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("/", slf, other, false)
    }
    fn __rtruediv__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("/", slf, other, true)
    }
    fn __floordiv__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("//", slf, other, false)
    }
    fn __rfloordiv__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("//", slf, other, true)
    }
    fn __mod__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("%", slf, other, false)
    }
    fn __rmod__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("%", slf, other, true)
    }
    fn __pow__<'py>(
        slf: This<'_, 'py>,
        other: Value<'_, 'py>,
        modulo: Object<'_, 'py>,
    ) -> Answer<'py> {
        operators::power(slf, other, modulo, false)
    }
    fn __rpow__<'py>(
        slf: This<'_, 'py>,
        other: Value<'_, 'py>,
        modulo: Object<'_, 'py>,
    ) -> Answer<'py> {
        operators::power(slf, other, modulo, true)
    }
    /// `wp.array[float] | None` annotates a parameter that may be left out, as every array may.
    fn __or__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::or(slf, other, false)
    }
    fn __ror__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::or(slf, other, true)
    }
    fn __matmul__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("@", slf, other, false)
    }
    fn __rmatmul__<'py>(slf: This<'_, 'py>, other: Value<'_, 'py>) -> Answer<'py> {
        operators::binary("@", slf, other, true)
    }
    fn __iadd__(slf: This<'_, '_>, other: Value<'_, '_>) -> PyResult<()> {
        operators::in_place("+", slf, other)
    }
    fn __isub__(slf: This<'_, '_>, other: Value<'_, '_>) -> PyResult<()> {
        operators::in_place("-", slf, other)
    }
    fn __imul__(slf: This<'_, '_>, other: Value<'_, '_>) -> PyResult<()> {
        operators::in_place("*", slf, other)
    }
    fn __itruediv__(slf: This<'_, '_>, other: Value<'_, '_>) -> PyResult<()> {
        operators::in_place("/", slf, other)
    }
    fn __ifloordiv__(slf: This<'_, '_>, other: Value<'_, '_>) -> PyResult<()> {
        operators::in_place("//", slf, other)
    }
    fn __imod__(slf: This<'_, '_>, other: Value<'_, '_>) -> PyResult<()> {
        operators::in_place("%", slf, other)
    }
    fn __ipow__(slf: This<'_, '_>, other: Value<'_, '_>, _modulo: Object<'_, '_>) -> PyResult<()> {
        operators::in_place("**", slf, other)
    }
    fn __imatmul__(slf: This<'_, '_>, other: Value<'_, '_>) -> PyResult<()> {
        operators::in_place("@", slf, other)
    }
    fn __neg__<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        operators::unary("-1", slf)
    }
    fn __pos__<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        operators::unary("+1", slf)
    }

    fn __repr__(slf: This<'_, '_>) -> PyResult<String> {
        text::repr(slf)
    }
    fn __str__(slf: This<'_, '_>) -> PyResult<String> {
        text::text(slf)
    }

    fn __reduce_ex__<'py>(slf: This<'_, 'py>, protocol: i32) -> PyResult<Bound<'py, PyTuple>> {
        pickle::reduce(slf, protocol)
    }
    fn __copy__<'py>(&self, py: Python<'py>) -> Made<'py> {
        self.alias(py).object(py)
    }
    fn __deepcopy__<'py>(slf: This<'_, 'py>, memo: Value<'_, 'py>) -> Made<'py> {
        pickle::deep_copy(slf, memo)
    }

    #[getter]
    fn __array_interface__<'py>(slf: This<'_, 'py>) -> PyResult<Bound<'py, PyDict>> {
        interface::export(slf)
    }
    /// The memory as a C structure in a capsule, which keeps the array alive.
    #[getter]
    fn __array_struct__<'py>(slf: This<'_, 'py>) -> Answer<'py> {
        structure::export(slf)
    }
    /// NumPy's own: beside an array of NumPy's, NumPy computes.
    #[classattr]
    fn __array_priority__() -> f64 {
        0.0
    }
    #[getter]
    fn __cuda_array_interface__<'py>(slf: This<'_, 'py>) -> PyResult<Bound<'py, PyDict>> {
        interface::export_cuda(slf)
    }
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: This<'_, 'py>,
        dtype: Object<'_, 'py>,
        copy: Option<bool>,
    ) -> Answer<'py> {
        numpy_out::array(slf, dtype, copy)
    }
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: This<'_, 'py>,
        stream: Object<'_, 'py>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> Answer<'py> {
        dlpack_out::dlpack(slf, stream, max_version, dl_device, copy)
    }
    fn __dlpack_device__(&self) -> (u32, i32) {
        warp_dlpack::device(self.view().device).into()
    }
}
