//! The driver's result codes, with the names and sentences that `cuGetErrorName` and `cuGetErrorString` give.
use std::ffi::c_char;

/// A result code other than `CUDA_SUCCESS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error(pub u32);

/// What the driver's functions return; `E` is the code.
pub type Result<T = ()> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($name:ident = $code:literal $text:literal)*) => {
        impl Error {
            // The table is complete for the functions that describe codes; not all are returned.
            $(#[allow(dead_code)] pub const $name: Error = Error($code);)*

            /// Name and sentence of a code, each with a zero at its end.
            fn texts(code: u32) -> Option<(&'static str, &'static str)> {
                match code {
                    0 => Some(("CUDA_SUCCESS\0", "no error\0")),
                    $($code => Some((concat!("CUDA_ERROR_", stringify!($name), "\0"), concat!($text, "\0"))),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    INVALID_VALUE = 1 "invalid argument"
    OUT_OF_MEMORY = 2 "out of memory"
    NOT_INITIALIZED = 3 "initialization error"
    DEINITIALIZED = 4 "driver shutting down"
    PROFILER_DISABLED = 5 "profiler disabled while using external profiling tool"
    STUB_LIBRARY = 34 "CUDA driver is a stub library"
    NO_DEVICE = 100 "no CUDA-capable device is detected"
    INVALID_DEVICE = 101 "invalid device ordinal"
    DEVICE_NOT_LICENSED = 102 "device doesn't have valid Grid license"
    INVALID_IMAGE = 200 "device kernel image is invalid"
    INVALID_CONTEXT = 201 "invalid device context"
    CONTEXT_ALREADY_CURRENT = 202 "context already current"
    MAP_FAILED = 205 "mapping of buffer object failed"
    UNMAP_FAILED = 206 "unmapping of buffer object failed"
    ALREADY_MAPPED = 208 "resource already mapped"
    NO_BINARY_FOR_GPU = 209 "no kernel image is available for execution on the device"
    NOT_MAPPED = 211 "resource not mapped"
    ECC_UNCORRECTABLE = 214 "uncorrectable ECC error encountered"
    UNSUPPORTED_LIMIT = 215 "limit is not supported on this architecture"
    CONTEXT_ALREADY_IN_USE = 216 "exclusive-thread device already in use by a different thread"
    PEER_ACCESS_UNSUPPORTED = 217 "peer access is not supported between these two devices"
    INVALID_PTX = 218 "a PTX JIT compilation failed"
    NVLINK_UNCORRECTABLE = 220 "uncorrectable NVLink error detected during the execution"
    JIT_COMPILER_NOT_FOUND = 221 "PTX JIT compiler library not found"
    UNSUPPORTED_PTX_VERSION = 222 "the provided PTX was compiled with an unsupported toolchain."
    JIT_COMPILATION_DISABLED = 223 "PTX JIT compilation was disabled"
    INVALID_SOURCE = 300 "device kernel image is invalid"
    FILE_NOT_FOUND = 301 "file not found"
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302 "shared object symbol not found"
    SHARED_OBJECT_INIT_FAILED = 303 "shared object initialization failed"
    OPERATING_SYSTEM = 304 "OS call failed or operation not supported on this OS"
    INVALID_HANDLE = 400 "invalid resource handle"
    ILLEGAL_STATE = 401 "the operation cannot be performed in the present state"
    NOT_FOUND = 500 "named symbol not found"
    NOT_READY = 600 "device not ready"
    ILLEGAL_ADDRESS = 700 "an illegal memory access was encountered"
    LAUNCH_OUT_OF_RESOURCES = 701 "too many resources requested for launch"
    LAUNCH_TIMEOUT = 702 "the launch timed out and was terminated"
    PEER_ACCESS_ALREADY_ENABLED = 704 "peer access is already enabled"
    PEER_ACCESS_NOT_ENABLED = 705 "peer access has not been enabled"
    PRIMARY_CONTEXT_ACTIVE = 708 "cannot set while device is active in this process"
    CONTEXT_IS_DESTROYED = 709 "context is destroyed"
    ASSERT = 710 "device-side assert triggered"
    TOO_MANY_PEERS = 711 "peer mapping resources exhausted"
    HOST_MEMORY_ALREADY_REGISTERED = 712 "part or all of the requested memory range is already mapped"
    HOST_MEMORY_NOT_REGISTERED = 713 "pointer does not correspond to a registered memory region"
    HARDWARE_STACK_ERROR = 714 "hardware stack error"
    ILLEGAL_INSTRUCTION = 715 "an illegal instruction was encountered"
    MISALIGNED_ADDRESS = 716 "misaligned address"
    INVALID_ADDRESS_SPACE = 717 "operation not supported on global/shared address space"
    INVALID_PC = 718 "invalid program counter"
    LAUNCH_FAILED = 719 "unspecified launch failure"
    COOPERATIVE_LAUNCH_TOO_LARGE = 720 "too many blocks in cooperative launch"
    NOT_PERMITTED = 800 "operation not permitted"
    NOT_SUPPORTED = 801 "operation not supported"
    SYSTEM_NOT_READY = 802 "system not yet initialized"
    SYSTEM_DRIVER_MISMATCH = 803 "system has unsupported display driver / cuda driver combination"
    STREAM_CAPTURE_UNSUPPORTED = 900 "operation not permitted when stream is capturing"
    STREAM_CAPTURE_INVALIDATED = 901 "operation failed due to a previous error during capture"
    STREAM_CAPTURE_MERGE = 902 "operation would result in a merge of separate capture sequences"
    STREAM_CAPTURE_UNMATCHED = 903 "capture was not ended in the same stream as it began"
    STREAM_CAPTURE_UNJOINED = 904 "capturing stream has unjoined work"
    STREAM_CAPTURE_ISOLATION = 905 "dependency created on uncaptured work in another stream"
    STREAM_CAPTURE_IMPLICIT = 906 "operation would make the legacy stream depend on a capturing blocking stream"
    CAPTURED_EVENT = 907 "operation not permitted on an event last recorded in a capturing stream"
    STREAM_CAPTURE_WRONG_THREAD = 908 "attempt to terminate a thread-local capture sequence from another thread"
    TIMEOUT = 909 "wait operation timed out"
    GRAPH_EXEC_UPDATE_FAILURE = 910 "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"
    EXTERNAL_DEVICE = 911 "operation failed on an external device"
    UNKNOWN = 999 "unknown error"
}

/// The name of a code, for `cuGetErrorName`.
pub fn name(code: u32) -> Result<*const c_char> {
    Error::texts(code)
        .map(|t| t.0.as_ptr().cast())
        .ok_or(Error::INVALID_VALUE)
}

/// The sentence of a code, for `cuGetErrorString`.
pub fn sentence(code: u32) -> Result<*const c_char> {
    Error::texts(code)
        .map(|t| t.1.as_ptr().cast())
        .ok_or(Error::INVALID_VALUE)
}
