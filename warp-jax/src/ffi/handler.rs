//! The one function that XLA calls.
//!
//! It runs on threads of XLA's, several at a time, and knows nothing of Python. Whatever goes wrong becomes an error
//! of XLA's, a panic too: none may cross into XLA.

use super::environment::Usual;
use super::plan::{Dim, Fill, Plan};
use super::registry::{self, Key, Param, Program};
use super::sys::{self, Buffer, Frame, code};
use std::ffi::{CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use warp_core::abi::ArrayArg;
use warp_core::dtype::Scalar;
use warp_core::launch;
use warp_core::ty::MAX_NDIM;

/// The version of the interface that this speaks: the first one, which every jax accepts that has the interface.
const VERSION: (c_int, c_int) = (0, 1);

/// What went wrong: one of XLA's codes, and a message.
pub(super) struct Failure(pub c_int, pub String);

pub(super) type Outcome<T> = Result<T, Failure>;

/// The error of a call that cannot be.
#[cold]
pub(super) fn bad(message: String) -> Failure {
    Failure(code::INVALID_ARGUMENT, message)
}

/// The address of the handler, for a capsule.
pub fn address() -> *mut c_void {
    launch as *mut c_void
}

/// Launches a kernel: what XLA calls.
///
/// # Safety
/// `frame` is a call frame of XLA's.
pub unsafe extern "C" fn launch(frame: *mut Frame) -> *mut sys::Error {
    // SAFETY: promised by the caller.
    let frame = unsafe { &*frame };
    // SAFETY: extensions of a frame are a list that ends in null.
    if unsafe { answered(frame.extensions) } {
        return null_mut();
    }
    // SAFETY: promised by the caller.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { run(frame) }));
    let Failure(code, message) = match outcome {
        Ok(Ok(())) => return null_mut(),
        Ok(Err(failure)) => failure,
        Err(panic) => Failure(code::INTERNAL, text_of(&*panic)),
    };
    // SAFETY: the interface belongs to the frame.
    unsafe { fail(frame, code, &message) }
}

/// Answers the question what this handler is, if it was asked.
///
/// # Safety
/// The extension is null or one of XLA's.
pub(super) unsafe fn answered(extension: *mut sys::Extension) -> bool {
    // SAFETY: promised by the caller.
    let Some(base) = (unsafe { extension.as_ref() }) else {
        return false;
    };
    if base.kind != sys::METADATA {
        return false;
    }
    // SAFETY: that kind of extension has metadata to fill in.
    unsafe {
        let metadata = &mut *(*extension.cast::<sys::MetadataExtension>()).metadata;
        (metadata.api_version.major, metadata.api_version.minor) = VERSION;
        metadata.traits = 0;
    }
    true
}

#[cold]
pub(super) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "warp: compiler bug, please report: panic: {}",
        text.unwrap_or("?")
    )
}

/// # Safety
/// The frame is one of XLA's.
#[cold]
pub(super) unsafe fn fail(frame: &Frame, code: c_int, message: &str) -> *mut sys::Error {
    let text = CString::new(message.replace('\0', " ")).expect("no zeros are left");
    let mut request = sys::ErrorCreate {
        struct_size: size_of::<sys::ErrorCreate>() - size_of::<c_int>(),
        extensions: null_mut(),
        message: text.as_ptr(),
        code,
    };
    // SAFETY: XLA copies the message.
    unsafe { ((*frame.api).error_create)(&raw mut request) }
}

/// The attributes of a call.
struct Attributes<'a> {
    key: &'a [u8],
    kernel: &'a [u8],
    plan: &'a [i32],
    values: &'a [u8],
}

impl<'a> Attributes<'a> {
    /// # Safety
    /// The attributes are XLA's, and outlive `'a`.
    unsafe fn of(attrs: &'a sys::Attrs) -> Outcome<Attributes<'a>> {
        let mut found = Attributes {
            key: &[],
            kernel: &[],
            plan: &[],
            values: &[],
        };
        for i in 0..attrs.size.max(0) as usize {
            // SAFETY: there are `size` of each, and the kind says what an attribute is.
            unsafe {
                let (name, kind) = (&**attrs.names.add(i), *attrs.kinds.add(i));
                let value = *attrs.values.add(i);
                match (bytes(name.data.cast(), name.len), kind) {
                    (b"key", sys::STRING) => found.key = string(value),
                    (b"kernel", sys::STRING) => found.kernel = string(value),
                    (b"plan", sys::ARRAY) => found.plan = array(value, Scalar::I32)?,
                    (b"values", sys::ARRAY) => found.values = array(value, Scalar::U8)?,
                    (name, _) => return Err(unknown(name)),
                }
            }
        }
        Ok(found)
    }
}

#[cold]
fn unknown(name: &[u8]) -> Failure {
    let name = String::from_utf8_lossy(name);
    bad(format!(
        "warp: attribute '{name}' has no meaning here; was this program made by another version of warp?"
    ))
}

/// # Safety
/// `data` is null or points to `len` values.
pub(super) unsafe fn bytes<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(data, len) }
}

/// # Safety
/// The attribute is a string.
unsafe fn string<'a>(value: *const c_void) -> &'a [u8] {
    // SAFETY: promised by the caller.
    unsafe {
        let span = &*value.cast::<sys::ByteSpan>();
        bytes(span.data.cast(), span.len)
    }
}

/// # Safety
/// The attribute is an array; `T` is what `scalar` stands for.
unsafe fn array<'a, T>(value: *const c_void, scalar: Scalar) -> Outcome<&'a [T]> {
    // SAFETY: promised by the caller.
    unsafe {
        let array = &*value.cast::<sys::Array>();
        if scalar_of(array.dtype) != Some(scalar) {
            return Err(bad(format!("warp: an attribute is no array of {scalar}")));
        }
        Ok(bytes(array.data.cast(), array.size))
    }
}

/// XLA's numbers of types; `Scalar`s in the order of the one table.
const TYPES: [(c_int, Scalar); 13] = [
    (1, Scalar::Bool),
    (2, Scalar::I8),
    (3, Scalar::I16),
    (4, Scalar::I32),
    (5, Scalar::I64),
    (6, Scalar::U8),
    (7, Scalar::U16),
    (8, Scalar::U32),
    (9, Scalar::U64),
    (10, Scalar::F16),
    (16, Scalar::BF16),
    (11, Scalar::F32),
    (12, Scalar::F64),
];

/// The type that one of XLA's numbers stands for.
pub(super) fn scalar_of(dtype: c_int) -> Option<Scalar> {
    TYPES.iter().find(|t| t.0 == dtype).map(|t| t.1)
}

/// XLA's number for a type.
#[inline]
const fn number_of(scalar: Scalar) -> c_int {
    TYPES[scalar as usize].0
}

/// # Safety
/// The frame is one of XLA's.
unsafe fn run(frame: &Frame) -> Outcome<()> {
    if frame.stage != sys::EXECUTE {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let attributes = unsafe { Attributes::of(&frame.attrs) }?;
    let program = <&Key>::try_from(attributes.key)
        .ok()
        .and_then(registry::find)
        .ok_or_else(|| missing(&attributes))?;
    let call = Call {
        program,
        plan: Plan::read(attributes.plan)
            .filter(|plan| plan.params() == program.params.len())
            .ok_or_else(|| misfit(program))?,
        values: attributes.values,
        args: &frame.args,
        rets: &frame.rets,
    };
    // SAFETY: promised by the caller.
    unsafe { call.run() }
}

#[cold]
fn missing(attributes: &Attributes<'_>) -> Failure {
    let [kernel, key] = [attributes.kernel, attributes.key].map(String::from_utf8_lossy);
    Failure(
        code::NOT_FOUND,
        format!(
            "warp: kernel '{kernel}' with key {key} is not known to this process; a program that calls it needs \
             jax_kernel to have been called for the very same kernel here"
        ),
    )
}

#[cold]
fn misfit(program: &Program) -> Failure {
    bad(format!(
        "warp: kernel '{}': the call does not fit it; was this program made by another version of warp?",
        program.title
    ))
}

/// One call of a known kernel.
struct Call<'a> {
    program: &'static Program,
    plan: Plan<'a>,
    values: &'a [u8],
    args: &'a sys::Buffers,
    rets: &'a sys::Buffers,
}

impl<'a> Call<'a> {
    /// # Safety
    /// The buffers are XLA's.
    unsafe fn run(&self) -> Outcome<()> {
        let program = self.program;
        let words = program.layout.size.div_ceil(8);
        let (mut few, mut many) = ([0u64; 40], Vec::new());
        let block = if words <= few.len() {
            &mut few[..]
        } else {
            many.resize(words, 0);
            &mut many[..]
        };
        let base = block.as_mut_ptr().cast::<u8>();
        let at = |i: usize| base.wrapping_add(program.layout.offsets[i]);
        let mut later = false;
        for (i, param) in program.params.iter().enumerate() {
            let fill = self.plan.fill(i).ok_or_else(|| misfit(program))?;
            let is_value = matches!(fill, Fill::Value(_) | Fill::Given(_));
            if is_value != (param.ndim == 0) {
                return Err(misfit(program));
            }
            let view = at(i).cast::<ArrayArg>();
            // SAFETY: the buffers are XLA's; the block has room for each parameter at its offset.
            unsafe {
                match fill {
                    Fill::Value(from) => self.value(param, from, at(i))?,
                    Fill::Given(arg) => self.given(param, arg, at(i))?,
                    Fill::Read(arg) => self.view(param, self.buffer(self.args, arg)?, view)?,
                    Fill::Out(ret) => self.cleared(param, ret, view)?,
                    Fill::Copy { arg, ret } => self.copied(param, arg, ret, view)?,
                    Fill::Stand(_) | Fill::Absent(_) => {
                        view.write(ArrayArg::MISSING);
                        later = true;
                    }
                }
            }
        }
        let views = |i: usize| {
            let is_array = program.params.get(i).is_some_and(|p| p.ndim != 0);
            // SAFETY: the loop above has written an array there.
            is_array.then(|| unsafe { at(i).cast::<ArrayArg>().read() })
        };
        if later {
            for i in 0..program.params.len() {
                let (like, data) = match self.plan.fill(i) {
                    Some(Fill::Stand(like)) => (like, true),
                    Some(Fill::Absent(like)) => (like, false),
                    _ => continue,
                };
                let mut view = views(like).ok_or_else(|| misfit(program))?;
                if !data {
                    let shape = view.shape;
                    view = ArrayArg {
                        shape,
                        ..ArrayArg::MISSING
                    };
                }
                // SAFETY: as above.
                unsafe { at(i).cast::<ArrayArg>().write(view) };
            }
        }
        let dims = self.dims(views)?;
        // SAFETY: the block begins with the launch dimensions.
        unsafe { base.cast::<[i32; MAX_NDIM]>().write(dims) };
        let job = program.code.job(base, dims);
        let _usual = Usual::set();
        // SAFETY: the block was filled for this kernel; XLA keeps its arrays until this returns.
        unsafe { launch::run(&job, None) }
            .map_err(|fault| Failure(code::FAILED_PRECONDITION, program.code.explain(&fault)))
    }

    /// # Safety
    /// The buffers are XLA's.
    unsafe fn buffer(&self, of: &'a sys::Buffers, i: usize) -> Outcome<&'a Buffer> {
        // SAFETY: there are `size` of them.
        unsafe {
            if i >= of.size.max(0) as usize || *of.kinds.add(i) != sys::BUFFER {
                return Err(misfit(self.program));
            }
            Ok(&**of.buffers.add(i))
        }
    }

    /// A value from the attributes.
    ///
    /// # Safety
    /// `to` has room for the parameter.
    unsafe fn value(&self, param: &Param, from: usize, to: *mut u8) -> Outcome<()> {
        let size = param.size;
        let bytes = self.values.get(from..).and_then(|rest| rest.get(..size));
        let bytes = bytes.ok_or_else(|| misfit(self.program))?;
        // SAFETY: promised by the caller.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), size) };
        Ok(())
    }

    /// A value from an argument.
    ///
    /// # Safety
    /// The buffers are XLA's; `to` has room for the parameter.
    unsafe fn given(&self, param: &Param, arg: usize, to: *mut u8) -> Outcome<()> {
        // SAFETY: promised by the caller; the view is one of as many components as the parameter has.
        unsafe {
            let buffer = self.buffer(self.args, arg)?;
            let mut checked = ArrayArg::MISSING;
            self.view(param, buffer, &raw mut checked)?;
            to.copy_from_nonoverlapping(buffer.data.cast(), param.size);
        }
        Ok(())
    }

    /// # Safety
    /// The buffers are XLA's; `to` can be written.
    unsafe fn cleared(&self, param: &Param, ret: usize, to: *mut ArrayArg) -> Outcome<()> {
        // SAFETY: promised by the caller; the view says how large the result is.
        unsafe {
            self.view(param, self.buffer(self.rets, ret)?, to)?;
            (*to).data.write_bytes(0, bytes_of(param, &*to));
        }
        Ok(())
    }

    /// # Safety
    /// The buffers are XLA's; `to` can be written.
    unsafe fn copied(
        &self,
        param: &Param,
        arg: usize,
        ret: usize,
        to: *mut ArrayArg,
    ) -> Outcome<()> {
        let mut from = ArrayArg::MISSING;
        // SAFETY: promised by the caller; both views say how large they are.
        unsafe {
            self.view(param, self.buffer(self.args, arg)?, &raw mut from)?;
            self.view(param, self.buffer(self.rets, ret)?, to)?;
            if from.shape != (*to).shape {
                return Err(misfit(self.program));
            }
            // XLA gives one memory for both where it can.
            if from.data != (*to).data {
                (*to).data.copy_from(from.data, bytes_of(param, &from));
            }
        }
        Ok(())
    }

    /// The buffer as an array of the parameter's elements, whose components are its last dimensions.
    ///
    /// # Safety
    /// The buffer is one of XLA's; `to` can be written.
    #[inline]
    unsafe fn view(&self, param: &Param, buffer: &Buffer, to: *mut ArrayArg) -> Outcome<()> {
        if buffer.dtype != number_of(param.elem.scalar()) {
            return Err(self.refuse(param, buffer));
        }
        // SAFETY: there are `rank` dimensions.
        let dims = unsafe { bytes(buffer.dims, buffer.rank.max(0) as usize) };
        let ndim = usize::from(param.ndim);
        if !fits(param, dims) {
            return Err(self.refuse(param, buffer));
        }
        // SAFETY: promised by the caller.
        let view = unsafe {
            to.write(ArrayArg::MISSING);
            &mut *to
        };
        view.data = buffer.data.cast();
        let mut stride = param.size as i64;
        for d in (0..ndim).rev() {
            let Ok(extent) = i32::try_from(dims[d]) else {
                return Err(self.refuse(param, buffer));
            };
            view.shape[d] = extent;
            view.strides[d] = stride;
            stride *= dims[d].max(1);
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self, param: &Param, buffer: &Buffer) -> Failure {
        // SAFETY: there are `rank` dimensions.
        let dims = unsafe { bytes(buffer.dims, buffer.rank.max(0) as usize) };
        let dtype = match scalar_of(buffer.dtype) {
            Some(scalar) => scalar.name().into(),
            None => format!("XLA's type {}", buffer.dtype),
        };
        bad(format!(
            "warp: kernel '{}': '{}' is an array of {} in {} dimensions, found one of {dtype} with shape {dims:?}",
            self.program.title, param.name, param.elem, param.ndim
        ))
    }

    /// The launch dimensions, unused ones 1.
    #[inline]
    fn dims(&self, views: impl Fn(usize) -> Option<ArrayArg>) -> Outcome<[i32; MAX_NDIM]> {
        let dims = self.plan.dims();
        if dims.len() > MAX_NDIM {
            return Err(misfit(self.program));
        }
        let mut out = [1; MAX_NDIM];
        for (to, dim) in out.iter_mut().zip(dims) {
            let extent = match dim {
                Some(Dim::Fixed(extent)) => Some(extent),
                Some(Dim::Of { param, dim }) => {
                    views(param).and_then(|view| view.shape.get(dim).copied())
                }
                None => None,
            };
            *to = extent
                .filter(|extent| *extent >= 0)
                .ok_or_else(|| misfit(self.program))?;
        }
        let total = out.iter().try_fold(1i64, |n, d| n.checked_mul((*d).into()));
        total.map(|_| out).ok_or_else(|| misfit(self.program))
    }
}

/// Whether an array of these dimensions is one of the parameter's.
#[inline]
fn fits(param: &Param, dims: &[i64]) -> bool {
    let ndim = usize::from(param.ndim);
    if param.inner.is_empty() {
        return dims.len() == ndim;
    }
    let last = dims.get(ndim..).unwrap_or(&[]).iter().copied();
    dims.len() >= ndim && last.eq(param.inner.iter().map(|n| *n as i64))
}

/// Bytes of an array without gaps.
fn bytes_of(param: &Param, view: &ArrayArg) -> usize {
    view.shape.iter().fold(param.size, |n, d| n * *d as usize)
}

#[cfg(test)]
mod tests;
