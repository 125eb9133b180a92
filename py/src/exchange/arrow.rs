//! `__arrow_c_array__`: arrays for readers of Apache Arrow's C data interface, such as polars and pyarrow.
//!
//! A dimension beyond the first, and the components of an element, are lists of a fixed size.

use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::error;
use crate::runtime::snapshot::before_sharing;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use warp_core::array::Array as Core;
use warp_core::dtype::Scalar;
use warp_core::error::Code;
use warp_core::interop::Desc;

/// `struct ArrowSchema` of the interface.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray` of the interface.
#[repr(C)]
struct Data {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Data,
    dictionary: *mut Data,
    release: Option<unsafe extern "C" fn(*mut Data)>,
    private_data: *mut c_void,
}

const SCHEMA: &CStr = c"arrow_schema";
const DATA: &CStr = c"arrow_array";
const NULLABLE: i64 = 2;

/// What a schema points to.
struct SchemaOwned {
    format: CString,
    child: *mut Schema,
}

/// What an array points to.
struct DataOwned {
    // No bits for missing values; numbers, of the innermost array.
    buffers: [*const c_void; 2],
    child: *mut Data,
    memory: Memory,
}

/// What keeps numbers alive, if a node has any.
enum Memory {
    None,
    /// The array's own memory.
    Shared(#[expect(dead_code, reason = "it is there to be dropped")] Core),
    /// Truth values, of which Arrow has eight in a byte.
    Bits(Vec<u8>),
}

/// The capsules of a schema and of an array on the memory of an array without gaps on the CPU.
///
/// # Errors
/// Arrow has no such type, or a trace is running.
#[pyfunction]
pub fn _arrow_capsules<'py>(
    array: &Bound<'py, Array>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    const NAME: &str = "__arrow_c_array__";
    let py = array.py();
    let (core, view) = (&array.get().core, array.get().view());
    before_sharing(py, view)?;
    check_access(core, NAME)?;
    let refuse = |what: String, instead: &str| {
        let text = format!("{NAME}: Arrow has no type for elements of {what}; {instead}");
        Err(error(Code::Type, text))
    };
    if let warp_core::ty::Elem::Struct(s) = view.elem {
        return refuse(format!("{s}, a struct"), "pass its fields, as in a['x']");
    }
    let desc = Desc::of(view);
    let Some(format) = letter(desc.scalar) else {
        return refuse(desc.scalar.to_string(), "convert them, as a.astype(float)");
    };
    debug_assert!(view.is_contiguous());
    let shape = &desc.shape[..desc.ndim];
    let count = shape.iter().product::<i64>();
    let memory = match desc.scalar {
        // SAFETY: an array without gaps has so many bytes, and Python's lock keeps others from writing meanwhile.
        Scalar::Bool => Memory::Bits(bits(unsafe { bytes(desc.data, count as usize) })),
        _ => Memory::Shared(Core::clone(core)),
    };
    let numbers = match &memory {
        Memory::Bits(bits) => bits.as_ptr(),
        _ => desc.data.cast_const(),
    };
    let mut schema = schema(format.to_string(), null_mut());
    let mut data = data(count, [null(), numbers.cast()], null_mut(), memory);
    for (at, size) in shape.iter().enumerate().skip(1).rev() {
        schema = self::schema(format!("+w:{size}"), schema);
        let length = shape[..at].iter().product();
        data = self::data(length, [null(); 2], data, Memory::None);
    }
    let schema = capsule(py, schema, SCHEMA, drop_schema);
    let data = capsule(py, data, DATA, drop_data);
    Ok((schema?, data?))
}

/// Arrow's letter for a type.
fn letter(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::Bool => "b",
        Scalar::I8 => "c",
        Scalar::U8 => "C",
        Scalar::I16 => "s",
        Scalar::U16 => "S",
        Scalar::I32 => "i",
        Scalar::U32 => "I",
        Scalar::I64 => "l",
        Scalar::U64 => "L",
        Scalar::F16 => "e",
        Scalar::F32 => "f",
        Scalar::F64 => "g",
        Scalar::BF16 => return None,
    })
}

/// # Safety
/// There are so many bytes, unless `at` is null.
unsafe fn bytes<'a>(at: *mut u8, count: usize) -> &'a [u8] {
    match at.is_null() {
        true => &[],
        // SAFETY: promised by the caller.
        false => unsafe { std::slice::from_raw_parts(at, count) },
    }
}

/// Eight truth values in a byte, the first in the lowest bit.
fn bits(values: &[u8]) -> Vec<u8> {
    let byte = |eight: &[u8]| {
        let set = eight.iter().enumerate().filter(|(_, value)| **value != 0);
        set.fold(0, |byte, (i, _)| byte | 1 << i)
    };
    values.chunks(8).map(byte).collect()
}

fn schema(format: String, child: *mut Schema) -> *mut Schema {
    let format = CString::new(format).unwrap_or_default();
    let name = if child.is_null() { c"item" } else { c"" };
    let owned = Box::into_raw(Box::new(SchemaOwned { format, child }));
    // SAFETY: it was made just now, and is freed by the release alone.
    let owned = unsafe { &mut *owned };
    Box::into_raw(Box::new(Schema {
        format: owned.format.as_ptr(),
        name: name.as_ptr(),
        metadata: null(),
        flags: NULLABLE,
        n_children: i64::from(!child.is_null()),
        children: &raw mut owned.child,
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: std::ptr::from_mut(owned).cast(),
    }))
}

fn data(length: i64, buffers: [*const c_void; 2], child: *mut Data, memory: Memory) -> *mut Data {
    let owned = Box::into_raw(Box::new(DataOwned {
        buffers,
        child,
        memory,
    }));
    // SAFETY: as above.
    let owned = unsafe { &mut *owned };
    Box::into_raw(Box::new(Data {
        length,
        null_count: 0,
        offset: 0,
        n_buffers: if child.is_null() { 2 } else { 1 },
        n_children: i64::from(!child.is_null()),
        buffers: owned.buffers.as_mut_ptr(),
        children: &raw mut owned.child,
        dictionary: null_mut(),
        release: Some(release_data),
        private_data: std::ptr::from_mut(owned).cast(),
    }))
}

/// # Safety
/// The interface: a schema that [`schema`] filled in, which has not been released. Others may have moved it.
unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: promised by the caller.
    unsafe {
        let owned = Box::from_raw((*schema).private_data.cast::<SchemaOwned>());
        (*schema).release = None;
        free_schema(owned.child);
    }
}

/// # Safety
/// As [`release_schema`].
unsafe extern "C" fn release_data(data: *mut Data) {
    // SAFETY: promised by the caller.
    unsafe {
        let owned = Box::from_raw((*data).private_data.cast::<DataOwned>());
        (*data).release = None;
        free_data(owned.child);
        drop(owned.memory);
    }
}

/// # Safety
/// Null, or a schema of [`schema`] that nobody else frees.
unsafe fn free_schema(schema: *mut Schema) {
    if schema.is_null() {
        return;
    }
    // SAFETY: promised by the caller; a reader that took it over has left no release.
    unsafe {
        if let Some(release) = (*schema).release {
            release(schema);
        }
        drop(Box::from_raw(schema));
    }
}

/// # Safety
/// As [`free_schema`].
unsafe fn free_data(data: *mut Data) {
    if data.is_null() {
        return;
    }
    // SAFETY: as above.
    unsafe {
        if let Some(release) = (*data).release {
            release(data);
        }
        drop(Box::from_raw(data));
    }
}

fn capsule<'py, T>(
    py: Python<'py>,
    node: *mut T,
    name: &'static CStr,
    drop: ffi::PyCapsule_Destructor,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the name says what the capsule holds, whose destructor frees it.
    unsafe {
        let capsule = ffi::PyCapsule_New(node.cast(), name.as_ptr(), Some(drop));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// # Safety
/// Python calls it once, for a capsule of this module, with its lock held.
unsafe extern "C" fn drop_schema(capsule: *mut ffi::PyObject) {
    // SAFETY: promised by the caller.
    unsafe { free_schema(ffi::PyCapsule_GetPointer(capsule, SCHEMA.as_ptr()).cast()) }
}

/// # Safety
/// As [`drop_schema`].
unsafe extern "C" fn drop_data(capsule: *mut ffi::PyObject) {
    // SAFETY: promised by the caller.
    unsafe { free_data(ffi::PyCapsule_GetPointer(capsule, DATA.as_ptr()).cast()) }
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_arrow_capsules, m)?)
}
