//! XLA's C interface, as far as a handler without state needs it: what `xla/ffi/api/c_api.h` declares, API 0.1.
//!
//! Later versions only add fields at the end, so that what is here stays where it is.
//!
//! It is written by hand, since a handler without state needs little of it.

use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;

/// An error that XLA made.
pub enum Error {}
/// What XLA knows about the execution.
pub enum Context {}

/// The start of an extension of a struct.
#[repr(C)]
pub struct Extension {
    pub struct_size: usize,
    pub kind: c_int,
    pub next: *mut Extension,
}

/// [`Extension::kind`]: XLA asks for the handler's [`Metadata`], and for nothing else.
pub const METADATA: c_int = 1;

#[repr(C)]
pub struct ApiVersion {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub major: c_int,
    pub minor: c_int,
}

/// What a handler says about itself. XLA's has a field more since API 0.2, for handlers with state.
#[repr(C)]
pub struct Metadata {
    pub struct_size: usize,
    pub api_version: ApiVersion,
    pub traits: u32,
}

#[repr(C)]
pub struct MetadataExtension {
    pub base: Extension,
    pub metadata: *mut Metadata,
}

/// An array in row-major order.
#[repr(C)]
pub struct Buffer {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub dtype: c_int,
    pub data: *mut c_void,
    pub rank: i64,
    pub dims: *const i64,
}

#[repr(C)]
pub struct ByteSpan {
    pub data: *const c_char,
    pub len: usize,
}

/// An attribute that is an array.
#[repr(C)]
pub struct Array {
    pub dtype: c_int,
    pub size: usize,
    pub data: *const c_void,
}

/// An attribute that is a number.
#[repr(C)]
pub struct ScalarValue {
    pub dtype: c_int,
    pub value: *const c_void,
}

/// Arguments or results; all are buffers so far.
#[repr(C)]
pub struct Buffers {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub size: i64,
    pub kinds: *const c_int,
    pub buffers: *const *const Buffer,
}

/// [`Buffers::kinds`]: a [`Buffer`].
pub const BUFFER: c_int = 1;

#[repr(C)]
pub struct Attrs {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub size: i64,
    pub kinds: *const c_int,
    pub names: *const *const ByteSpan,
    pub values: *const *const c_void,
}

/// [`Attrs::kinds`]: an [`Array`].
pub const ARRAY: c_int = 1;
/// [`Attrs::kinds`]: [`Attrs`].
pub const DICTIONARY: c_int = 2;
/// [`Attrs::kinds`]: a [`ScalarValue`].
pub const SCALAR: c_int = 3;
/// [`Attrs::kinds`]: a [`ByteSpan`].
pub const STRING: c_int = 4;

/// One call.
#[repr(C)]
pub struct Frame {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub api: *const Api,
    pub context: *mut Context,
    pub stage: c_int,
    pub args: Buffers,
    pub rets: Buffers,
    pub attrs: Attrs,
}

/// [`Frame::stage`]: before an execution, when it is known on which device that will be. No buffer may be read or written.
pub const INITIALIZE: c_int = 2;
/// [`Frame::stage`]: the call itself.
pub const EXECUTE: c_int = 3;

/// [`Metadata::traits`]: the calls can be captured, and replayed with what they were given.
pub const COMMAND_BUFFER_COMPATIBLE: u32 = 1;

#[repr(C)]
pub struct ErrorCreate {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub message: *const c_char,
    pub code: c_int,
}

#[repr(C)]
pub struct ErrorMessage {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub error: *mut Error,
    pub message: *const c_char,
}

#[repr(C)]
pub struct ErrorDestroy {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub error: *mut Error,
}

/// Asks for the stream of a call.
#[repr(C)]
pub struct StreamGet {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub context: *mut Context,
    pub stream: *mut c_void,
}

/// Asks for the number of the device of a call.
#[repr(C)]
pub struct OrdinalGet {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub context: *mut Context,
    pub ordinal: i32,
}

/// A function of XLA's that handlers of kernels do not call.
type Unused = *const c_void;

/// XLA's functions.
#[repr(C)]
pub struct Api {
    pub struct_size: usize,
    pub extensions: *mut Extension,
    pub version: ApiVersion,
    pub internal: *const c_void,
    pub error_create: unsafe extern "C" fn(*mut ErrorCreate) -> *mut Error,
    pub error_message: unsafe extern "C" fn(*mut ErrorMessage),
    pub error_destroy: unsafe extern "C" fn(*mut ErrorDestroy),
    pub handler_register: Unused,
    pub stream_get: unsafe extern "C" fn(*mut StreamGet) -> *mut Error,
    pub type_register: Unused,
    pub context_get: Unused,
    pub state: [Unused; 2],
    pub device_memory: [Unused; 2],
    pub thread_pool: [Unused; 2],
    pub future: [Unused; 3],
    pub run_id: Unused,
    /// Newer than the others: [`Api::struct_size`] says whether it is there.
    pub ordinal_get: unsafe extern "C" fn(*mut OrdinalGet) -> *mut Error,
}

/// Codes of errors.
pub mod code {
    use std::ffi::c_int;

    pub const INVALID_ARGUMENT: c_int = 3;
    pub const NOT_FOUND: c_int = 5;
    pub const FAILED_PRECONDITION: c_int = 9;
    pub const INTERNAL: c_int = 13;
}

impl Buffer {
    /// Elements per dimension.
    ///
    /// # Safety
    /// The buffer is one of XLA's.
    #[inline]
    pub unsafe fn dims<'a>(&self) -> &'a [i64] {
        // SAFETY: there are `rank` dimensions.
        unsafe { slice(self.dims, self.rank.max(0) as usize) }
    }
}

impl ByteSpan {
    /// The bytes.
    ///
    /// # Safety
    /// The span is one of XLA's.
    #[inline]
    pub unsafe fn bytes<'a>(&self) -> &'a [u8] {
        // SAFETY: promised by the caller.
        unsafe { slice(self.data.cast(), self.len) }
    }
}

/// Values that XLA points to: none where it points nowhere.
///
/// # Safety
/// `data` is null or points to `len` values.
#[inline]
pub unsafe fn slice<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(data, len) }
}

// Facts about the header; where it ever differs, the build stops here.
const _: () = {
    assert!(size_of::<Extension>() == 24);
    assert!(size_of::<ApiVersion>() == 24);
    assert!(offset_of!(Metadata, traits) == 32);
    assert!(offset_of!(MetadataExtension, metadata) == 24);
    assert!(size_of::<Buffer>() == 48 && offset_of!(Buffer, dims) == 40);
    assert!(size_of::<ByteSpan>() == 16);
    assert!(size_of::<Array>() == 24);
    assert!(size_of::<ScalarValue>() == 16);
    assert!(size_of::<Buffers>() == 40);
    assert!(size_of::<Attrs>() == 48);
    assert!(size_of::<Frame>() == 168 && offset_of!(Frame, args) == 40);
    assert!(size_of::<ErrorCreate>() == 32);
    assert!(size_of::<ErrorMessage>() == 32 && size_of::<ErrorDestroy>() == 24);
    assert!(size_of::<StreamGet>() == 32);
    assert!(offset_of!(OrdinalGet, ordinal) == 24);
    assert!(offset_of!(Api, error_create) == 48 && offset_of!(Api, stream_get) == 80);
    assert!(offset_of!(Api, ordinal_get) == 184);
};
