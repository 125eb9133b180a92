//! Facts that the driver knows of a device.

use cudarc::driver::sys::*;

/// A fact that the driver knows of a device.
#[derive(Clone, Copy, Debug)]
pub struct Attribute(pub(super) CUdevice_attribute);

macro_rules! attributes {
    ($($name:ident = $theirs:ident: $doc:literal,)*) => {
        impl Attribute {
            $(#[doc = $doc] pub const $name: Attribute = Attribute(CUdevice_attribute::$theirs);)*
        }
    };
}

attributes! {
    COMPUTE_CAPABILITY_MAJOR = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: "9 of the compute capability 9.0.",
    COMPUTE_CAPABILITY_MINOR = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: "0 of the compute capability 9.0.",
    MEMORY_POOLS_SUPPORTED = CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: "Whether memory can be allocated in stream order.",
    MULTIPROCESSOR_COUNT = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: "How many multiprocessors there are.",
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        "Bytes of shared memory that a block can ask for.",
    UNIFIED_ADDRESSING = CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: "Whether host and device share one range of addresses.",
}
