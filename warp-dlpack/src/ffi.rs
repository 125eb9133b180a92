//! DLPack's structures: the crate `dlpark` declares them as `dlpack.h` 1.3 does, and checks their sizes and offsets. Here
//! is only what it lacks without its Python part: the names of capsules, and an exchange table that threads share.

pub use dlpark::ffi::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned,
    DLPackExchangeAPI, DLPackExchangeAPIHeader, DLPackVersion, DLTensor,
};
pub use dlpark::{DlpackFlags, Managed, ManagedTensorBase};
use std::ffi::{CStr, c_char, c_void};

/// The name of a capsule that holds a [`DLManagedTensor`].
pub const LEGACY: &CStr = c"dltensor";
/// The name of the same capsule once a consumer has taken the tensor.
pub const LEGACY_USED: &CStr = c"used_dltensor";
/// The name of a capsule that holds a [`DLManagedTensorVersioned`].
pub const VERSIONED: &CStr = c"dltensor_versioned";
/// The name of the same capsule once a consumer has taken the tensor.
pub const VERSIONED_USED: &CStr = c"used_dltensor_versioned";
/// The name of a capsule that holds a [`DLPackExchangeAPI`].
pub const EXCHANGE: &CStr = c"dlpack_exchange_api";

/// What a table's allocator calls where it fails: its context, the name of an exception, a message.
pub type SetError = Option<unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char)>;

/// A framework's exchange table. Its functions take Python's lock for granted.
#[repr(transparent)]
pub struct ExchangeTable(pub DLPackExchangeAPI);

// SAFETY: a table is constant data of the framework's that lives as long as the process.
unsafe impl Send for ExchangeTable {}
// SAFETY: as above.
unsafe impl Sync for ExchangeTable {}
