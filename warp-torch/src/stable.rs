//! torch's stable C functions, found in the libtorch that this process has loaded: nothing is linked, and no C++
//! compiler is needed. They exist from torch 2.10 on; where one is missing, [`stable`] is None.
//!
//! Torch passes no context to a function, so each registered operator takes one of 1024 functions.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use warp_core::dtype::TABLE;
use warp_core::error::Error;

/// A `at::Tensor*`.
pub(crate) type TensorHandle = *mut c_void;
type Status = i32;
/// What torch calls for an operator: arguments in, results out, each in 8 bytes.
pub(crate) type BoxedKernel = unsafe extern "C-unwind" fn(*mut u64, u64, u64);
type Throw = unsafe extern "C-unwind" fn(*const c_char);

/// The version of torch whose conventions are followed here: 2.15, in the highest two bytes.
const BUILD: u64 = 2 << 56 | 15 << 48;

#[allow(clippy::type_complexity, reason = "torch's signatures")]
pub(crate) struct Stable {
    delete_tensor: unsafe extern "C" fn(TensorHandle) -> Status,
    is_defined: unsafe extern "C" fn(TensorHandle, *mut bool) -> Status,
    data: unsafe extern "C" fn(TensorHandle, *mut *mut c_void) -> Status,
    dim: unsafe extern "C" fn(TensorHandle, *mut i64) -> Status,
    sizes: unsafe extern "C" fn(TensorHandle, *mut *mut i64) -> Status,
    strides: unsafe extern "C" fn(TensorHandle, *mut *mut i64) -> Status,
    storage_size: unsafe extern "C" fn(TensorHandle, *mut i64) -> Status,
    storage_offset: unsafe extern "C" fn(TensorHandle, *mut i64) -> Status,
    dtype: unsafe extern "C" fn(TensorHandle, *mut i32) -> Status,
    device_type: unsafe extern "C" fn(TensorHandle, *mut i32) -> Status,
    layout: unsafe extern "C" fn(TensorHandle, *mut i32) -> Status,
    empty_strided: unsafe extern "C" fn(
        i64,
        *const i64,
        *const i64,
        i32,
        i32,
        i32,
        *mut TensorHandle,
    ) -> Status,
    copy: unsafe extern "C" fn(TensorHandle, TensorHandle, i32) -> Status,
    list_size: unsafe extern "C" fn(TensorHandle, *mut usize) -> Status,
    list_item: unsafe extern "C" fn(TensorHandle, usize, *mut u64) -> Status,
    delete_list: unsafe extern "C" fn(TensorHandle) -> Status,
    delete_value: unsafe extern "C" fn(*mut u64) -> Status,
    init_impl: unsafe extern "C" fn(
        *const c_char,
        *const c_char,
        *const c_char,
        u32,
        *mut TensorHandle,
    ) -> Status,
    library_impl: unsafe extern "C" fn(TensorHandle, *const c_char, BoxedKernel, u64) -> Status,
    what: unsafe extern "C" fn() -> *const c_char,
    throw_runtime: Throw,
    throw_out_of_range: Throw,
    /// Codes of the element types, in the order of the scalar table.
    pub(crate) types: Vec<i32>,
    cpu: i32,
}

static STABLE: OnceLock<Option<Stable>> = OnceLock::new();

/// The functions, once [`load`] has found them.
pub(crate) fn stable() -> Option<&'static Stable> {
    STABLE.get()?.as_ref()
}

/// Looks for the functions in `libtorch_cpu.so` at `path`, which must be loaded already. False if torch is too old.
pub fn load(path: &str) -> bool {
    STABLE.get_or_init(|| find(path)).is_some()
}

fn find(path: &str) -> Option<Stable> {
    let path = CString::new(path).ok()?;
    // SAFETY: asks for a library that is loaded already; its handle is kept for good.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return None;
    }
    let get = |name: &CStr| -> Option<*mut c_void> {
        // SAFETY: a library and a name.
        let at = unsafe { libc::dlsym(library, name.as_ptr()) };
        (!at.is_null()).then_some(at)
    };
    macro_rules! symbol {
        ($name:literal) => {{
            let at = get($name)?;
            // SAFETY: torch declares the function with the type of the field, in its stable headers; the C++
            // library declares `std::__throw_runtime_error(const char*)` and its like.
            #[allow(clippy::missing_transmute_annotations, reason = "the field says it")]
            unsafe {
                std::mem::transmute(at)
            }
        }};
    }
    let code = |name: String| -> Option<i32> {
        let at = get(&CString::new(name).ok()?)?;
        // SAFETY: `int32_t aoti_torch_...()` in torch's stable headers.
        Some(unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> i32>(at)() })
    };
    let types = TABLE.iter();
    Some(Stable {
        delete_tensor: symbol!(c"aoti_torch_delete_tensor_object"),
        is_defined: symbol!(c"aoti_torch_is_defined"),
        data: symbol!(c"aoti_torch_get_data_ptr"),
        dim: symbol!(c"aoti_torch_get_dim"),
        sizes: symbol!(c"aoti_torch_get_sizes"),
        strides: symbol!(c"aoti_torch_get_strides"),
        storage_size: symbol!(c"aoti_torch_get_storage_size"),
        storage_offset: symbol!(c"aoti_torch_get_storage_offset"),
        dtype: symbol!(c"aoti_torch_get_dtype"),
        device_type: symbol!(c"aoti_torch_get_device_type"),
        layout: symbol!(c"aoti_torch_get_layout"),
        empty_strided: symbol!(c"aoti_torch_empty_strided"),
        copy: symbol!(c"aoti_torch_copy_"),
        list_size: symbol!(c"torch_list_size"),
        list_item: symbol!(c"torch_list_get_item"),
        delete_list: symbol!(c"torch_delete_list"),
        delete_value: symbol!(c"torch_delete_stable_ivalue"),
        init_impl: symbol!(c"aoti_torch_library_init_impl"),
        library_impl: symbol!(c"torch_library_impl"),
        what: symbol!(c"torch_exception_get_what_without_backtrace"),
        throw_runtime: symbol!(c"_ZSt21__throw_runtime_errorPKc"),
        throw_out_of_range: symbol!(c"_ZSt20__throw_out_of_rangePKc"),
        types: types
            .map(|t| code(format!("aoti_torch_dtype_{}", t.name)))
            .collect::<Option<_>>()?,
        cpu: code("aoti_torch_device_type_cpu".into())?,
    })
}

/// What went wrong. It goes to Python as a RuntimeError, the exception of torch's own operators, or as an IndexError.
#[derive(Debug)]
pub(crate) struct OperatorFailure {
    text: String,
    out_of_range: bool,
}

impl OperatorFailure {
    /// A failure that is no matter of indices.
    pub(crate) fn new(text: impl Into<String>) -> OperatorFailure {
        OperatorFailure {
            text: text.into(),
            out_of_range: false,
        }
    }
    /// An index that an array does not have.
    pub(crate) fn out_of_range(text: String) -> OperatorFailure {
        OperatorFailure {
            text,
            out_of_range: true,
        }
    }
    /// What happened, in words.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

impl From<Error> for OperatorFailure {
    fn from(error: Error) -> OperatorFailure {
        OperatorFailure::new(error.to_string())
    }
}

impl Stable {
    /// Turns a status into a failure that says what torch says.
    fn check(&self, status: Status) -> Result<(), OperatorFailure> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the text of this thread's last exception, valid until the next one.
        let text = unsafe { CStr::from_ptr((self.what)()) };
        Err(OperatorFailure::new(text.to_string_lossy().into_owned()))
    }

    /// Registers the CPU implementation of an operator that has been defined already.
    ///
    /// # Errors
    /// What torch says.
    pub(crate) fn implement(
        &self,
        namespace: &str,
        name: &str,
        run: BoxedKernel,
    ) -> Result<(), OperatorFailure> {
        let text = |s: &str| CString::new(s).map_err(|e| OperatorFailure::new(e.to_string()));
        let (namespace, name) = (text(namespace)?, text(name)?);
        let mut library = null_mut();
        // SAFETY: texts that end in 0; torch copies them. The library is never deleted, so the registration stays.
        unsafe {
            let file = c"warp-torch".as_ptr();
            self.check((self.init_impl)(
                namespace.as_ptr(),
                c"CPU".as_ptr(),
                file,
                0,
                &raw mut library,
            ))?;
            self.check((self.library_impl)(library, name.as_ptr(), run, BUILD))
        }
    }

    /// Throws a C++ exception through the caller.
    ///
    /// # Safety
    /// No Rust frame with something to drop lies between here and torch.
    pub(crate) unsafe fn throw(&self, failure: OperatorFailure) -> ! {
        thread_local! {
            static TEXT: RefCell<Option<CString>> = const { RefCell::new(None) };
        }
        let text = CString::new(failure.text.replace('\0', " ")).unwrap_or_default();
        // The exception copies the text; it is kept until this thread's next one.
        let at = text.as_ptr();
        TEXT.with(|cell| *cell.borrow_mut() = Some(text));
        // SAFETY: a text that ends in 0.
        unsafe {
            if failure.out_of_range {
                (self.throw_out_of_range)(at);
            } else {
                (self.throw_runtime)(at);
            }
        }
        std::process::abort()
    }

    /// A list's items.
    ///
    /// # Errors
    /// What torch says.
    pub(crate) fn list(&self, list: u64) -> Result<Vec<u64>, OperatorFailure> {
        let list = list as TensorHandle;
        let mut size = 0;
        // SAFETY: torch passes a list, which is ours to delete.
        unsafe {
            let mut items = Vec::new();
            let mut outcome = self.check((self.list_size)(list, &raw mut size));
            for at in 0..size {
                let mut item = 0;
                if outcome.is_ok() {
                    outcome = self.check((self.list_item)(list, at, &raw mut item));
                }
                items.push(item);
            }
            (self.delete_list)(list);
            outcome.map(|()| items)
        }
    }

    /// The value of an optional argument.
    pub(crate) fn optional(&self, value: u64) -> Option<u64> {
        let at = value as *mut u64;
        if at.is_null() {
            return None;
        }
        // SAFETY: torch passes null or a value of its own on the heap, which is ours to delete.
        unsafe {
            let inner = *at;
            (self.delete_value)(at);
            Some(inner)
        }
    }
}

/// A tensor that this holds a reference to.
#[derive(Debug)]
pub(crate) struct Tensor(TensorHandle);

impl Drop for Tensor {
    fn drop(&mut self) {
        if let Some(stable) = stable()
            && !self.0.is_null()
        {
            // SAFETY: the reference is ours.
            unsafe { (stable.delete_tensor)(self.0) };
        }
    }
}

/// What a tensor says about itself.
pub(crate) struct TensorFacts<'a> {
    pub(crate) data: *mut u8,
    pub(crate) shape: &'a [i64],
    /// In elements.
    pub(crate) strides: &'a [i64],
    pub(crate) dtype: i32,
}

impl Tensor {
    /// # Safety
    /// `value` is a tensor that torch passed, with its reference.
    pub(crate) unsafe fn take(value: u64) -> Tensor {
        Tensor(value as TensorHandle)
    }

    /// Gives the reference away.
    pub(crate) fn give(self) -> u64 {
        let handle = self.0;
        std::mem::forget(self);
        handle as u64
    }

    /// A dense tensor on the CPU, of undefined content.
    ///
    /// # Errors
    /// What torch says, of memory that is wanting for example.
    pub(crate) fn empty(
        stable: &Stable,
        shape: &[i64],
        dtype: i32,
    ) -> Result<Tensor, OperatorFailure> {
        let mut strides: smallvec::SmallVec<[i64; 6]> = smallvec::smallvec![1; shape.len()];
        for d in (1..shape.len()).rev() {
            strides[d - 1] = strides[d] * shape[d].max(1);
        }
        let mut handle = null_mut();
        // SAFETY: both lists have as many entries as there are dimensions.
        stable.check(unsafe {
            (stable.empty_strided)(
                shape.len() as i64,
                shape.as_ptr(),
                strides.as_ptr(),
                dtype,
                stable.cpu,
                0,
                &raw mut handle,
            )
        })?;
        Ok(Tensor(handle))
    }

    /// A dense copy.
    ///
    /// # Errors
    /// As for [`Tensor::empty`].
    pub(crate) fn copied(
        &self,
        stable: &Stable,
        facts: &TensorFacts<'_>,
    ) -> Result<Tensor, OperatorFailure> {
        let copy = Tensor::empty(stable, facts.shape, facts.dtype)?;
        // SAFETY: two tensors of one shape.
        stable.check(unsafe { (stable.copy)(copy.0, self.0, 0) })?;
        Ok(copy)
    }

    /// The facts, unless this is no plain tensor in the CPU's memory.
    ///
    /// # Errors
    /// The tensor is None, not on the CPU or not dense.
    pub(crate) fn facts(&self, stable: &Stable) -> Result<TensorFacts<'_>, OperatorFailure> {
        let (mut defined, mut device, mut layout) = (false, -1, -1);
        let (mut data, mut dim, mut dtype) = (null_mut(), 0, -1);
        let (mut sizes, mut strides) = (null_mut(), null_mut());
        // SAFETY: a tensor, and places for what it says.
        unsafe {
            if self.0.is_null() {
                return Err(OperatorFailure::new("is None"));
            }
            stable.check((stable.is_defined)(self.0, &raw mut defined))?;
            if !defined {
                return Err(OperatorFailure::new("is None"));
            }
            stable.check((stable.device_type)(self.0, &raw mut device))?;
            stable.check((stable.layout)(self.0, &raw mut layout))?;
            if device != stable.cpu || layout != 0 {
                return Err(OperatorFailure::new("is no dense tensor on the CPU"));
            }
            stable.check((stable.dim)(self.0, &raw mut dim))?;
            stable.check((stable.sizes)(self.0, &raw mut sizes))?;
            stable.check((stable.strides)(self.0, &raw mut strides))?;
            stable.check((stable.dtype)(self.0, &raw mut dtype))?;
            stable.check((stable.data)(self.0, &raw mut data))?;
            let list = |at: *mut i64| {
                if dim == 0 {
                    &[]
                } else {
                    std::slice::from_raw_parts(at, dim as usize)
                }
            };
            Ok(TensorFacts {
                data: data.cast(),
                shape: list(sizes),
                strides: list(strides),
                dtype,
            })
        }
    }

    /// Refuses a tensor whose storage does not hold all its elements, of `size` bytes: a storage can be made smaller than its
    /// tensors.
    ///
    /// # Errors
    /// It does not.
    pub(crate) fn check_storage(
        &self,
        stable: &Stable,
        facts: &TensorFacts<'_>,
        size: usize,
    ) -> Result<(), OperatorFailure> {
        let (mut bytes, mut offset) = (0, 0);
        // SAFETY: a tensor, and places for what it says.
        unsafe {
            stable.check((stable.storage_size)(self.0, &raw mut bytes))?;
            stable.check((stable.storage_offset)(self.0, &raw mut offset))?;
        }
        let mut last = i128::from(offset);
        for (n, stride) in facts.shape.iter().zip(facts.strides) {
            if *n == 0 {
                return Ok(());
            }
            last += i128::from(n - 1) * i128::from(*stride);
        }
        let end = (last + 1) * size as i128;
        if end <= i128::from(bytes) {
            return Ok(());
        }
        Err(OperatorFailure::new(format!(
            "ends at byte {end} of a storage that has {bytes} bytes: the storage was made smaller than the tensor"
        )))
    }
}
