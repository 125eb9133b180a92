//! The DLPack 1.3 ABI, written down from `dlpack.h`.
#![allow(missing_docs, reason = "the header documents the fields")]

use std::ffi::{CStr, c_char, c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    pub kind: i32,
    pub id: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// Strides are in elements; null strides mean row-major without gaps.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

impl DLTensor {
    /// No tensor, to be filled in by somebody else.
    pub const EMPTY: DLTensor = DLTensor {
        data: std::ptr::null_mut(),
        device: DLDevice { kind: 0, id: 0 },
        ndim: 0,
        dtype: DLDataType {
            code: 0,
            bits: 0,
            lanes: 0,
        },
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}

/// What we speak.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 3 };

#[repr(C)]
pub struct DLManagedTensorVersioned {
    pub version: DLPackVersion,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub tensor: DLTensor,
}

#[repr(C)]
pub struct DLManagedTensor {
    pub tensor: DLTensor,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

pub const FLAG_READ_ONLY: u64 = 1;
pub const FLAG_IS_COPIED: u64 = 2;

pub type SetError = Option<unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char)>;

/// `__dlpack_c_exchange_api__`: a table of functions on a framework's type. All take Python's lock for granted.
#[repr(C)]
pub struct DLPackExchangeAPI {
    pub version: DLPackVersion,
    pub previous: *mut DLPackExchangeAPI,
    pub allocate: Option<
        unsafe extern "C" fn(
            *mut DLTensor,
            *mut *mut DLManagedTensorVersioned,
            *mut c_void,
            SetError,
        ) -> c_int,
    >,
    pub managed_from_object:
        Option<unsafe extern "C" fn(*mut c_void, *mut *mut DLManagedTensorVersioned) -> c_int>,
    pub object_from_managed:
        Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned, *mut *mut c_void) -> c_int>,
    pub view_from_object: Option<unsafe extern "C" fn(*mut c_void, *mut DLTensor) -> c_int>,
    pub current_stream: Option<unsafe extern "C" fn(i32, i32, *mut *mut c_void) -> c_int>,
}

// SAFETY: a table is constant data of the framework's that lives as long as the process.
unsafe impl Send for DLPackExchangeAPI {}
// SAFETY: as above.
unsafe impl Sync for DLPackExchangeAPI {}

pub const CPU: i32 = 1;
pub const CUDA: i32 = 2;
/// Host memory that a GPU can reach.
pub const CUDA_HOST: i32 = 3;

pub const LEGACY: &CStr = c"dltensor";
pub const LEGACY_USED: &CStr = c"used_dltensor";
pub const VERSIONED: &CStr = c"dltensor_versioned";
pub const VERSIONED_USED: &CStr = c"used_dltensor_versioned";
pub const EXCHANGE: &CStr = c"dlpack_exchange_api";

const _: () = {
    assert!(size_of::<DLTensor>() == 48);
    assert!(size_of::<DLManagedTensorVersioned>() == 80);
    assert!(size_of::<DLManagedTensor>() == 64);
    assert!(size_of::<DLPackExchangeAPI>() == 56);
};
