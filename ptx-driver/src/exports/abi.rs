//! The structures of the driver API, as C lays them out.
#![allow(missing_docs)]
use std::ffi::{c_char, c_void};

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memcpy2D {
    pub src_x: usize,
    pub src_y: usize,
    pub src_type: u32,
    pub src_host: usize,
    pub src_device: u64,
    pub src_array: usize,
    pub src_pitch: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_type: u32,
    pub dst_host: usize,
    pub dst_device: u64,
    pub dst_array: usize,
    pub dst_pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER` with contexts in the reserved places.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memcpy3D {
    pub src_x: usize,
    pub src_y: usize,
    pub src_z: usize,
    pub src_lod: usize,
    pub src_type: u32,
    pub src_host: usize,
    pub src_device: u64,
    pub src_array: usize,
    pub src_context: usize,
    pub src_pitch: usize,
    pub src_height: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_z: usize,
    pub dst_lod: usize,
    pub dst_type: u32,
    pub dst_host: usize,
    pub dst_device: u64,
    pub dst_array: usize,
    pub dst_context: usize,
    pub dst_pitch: usize,
    pub dst_height: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2` and `_v3`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNodeParams {
    pub function: usize,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub params: *const *const u8,
    pub extra: *const *const c_void,
    pub kernel: usize,
    pub context: usize,
}

/// `CUDA_MEMSET_NODE_PARAMS`; its second version has a context behind it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemsetNodeParams {
    pub dst: u64,
    pub pitch: usize,
    pub value: u32,
    pub element: u32,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemcpyNodeParams {
    pub flags: i32,
    pub reserved: i32,
    pub context: usize,
    pub copy: Memcpy3D,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNodeParams {
    pub function: Option<unsafe extern "C" fn(*mut c_void)>,
    pub data: usize,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemAllocNodeParams {
    pub pool: MemPoolProps,
    pub access: *const MemAccessDesc,
    pub access_count: usize,
    pub bytes: usize,
    pub address: u64,
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ConditionalNodeParams {
    pub handle: u64,
    pub kind: u32,
    pub size: u32,
    pub bodies: *mut usize,
    pub context: usize,
}

/// `CUgraphNodeParams`: a type, and 232 bytes that it explains.
#[repr(C)]
pub struct GraphNodeParams {
    pub kind: u32,
    pub reserved0: [i32; 3],
    pub params: GraphNodeUnion,
    pub reserved2: i64,
}

/// The union in `CUgraphNodeParams`.
#[repr(C)]
pub union GraphNodeUnion {
    pub reserved: [i64; 29],
    pub kernel: KernelNodeParams,
    pub memcpy: MemcpyNodeParams,
    pub memset: MemsetNodeParams,
    pub host: HostNodeParams,
    pub graph: usize,
    pub event: usize,
    pub allocate: MemAllocNodeParams,
    pub free: u64,
    pub conditional: ConditionalNodeParams,
}

/// `CUlaunchConfig`.
#[repr(C)]
pub struct LaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub stream: usize,
    pub attributes: *const LaunchAttribute,
    pub count: u32,
}

/// `CUlaunchAttribute`: its value has 64 bytes.
#[repr(C, align(8))]
pub struct LaunchAttribute {
    pub id: u32,
    pub pad: [c_char; 4],
    pub value: [u32; 16],
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemLocation {
    pub kind: u32,
    pub id: i32,
}

/// `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemPoolProps {
    pub allocation: u32,
    pub handles: u32,
    pub location: MemLocation,
    pub security: usize,
    pub reserved: [u8; 64],
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemAccessDesc {
    pub location: MemLocation,
    pub flags: u32,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
pub struct GraphInstantiateParams {
    pub flags: u64,
    pub upload_stream: usize,
    pub error_node: usize,
    pub result: u32,
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GraphExecUpdateResultInfo {
    pub result: u32,
    pub error_node: usize,
    pub error_from_node: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_headers() {
        assert_eq!(size_of::<Memcpy2D>(), 128);
        assert_eq!(size_of::<Memcpy3D>(), 200);
        assert_eq!(size_of::<KernelNodeParams>(), 72);
        assert_eq!(size_of::<GraphNodeParams>(), 256);
        assert_eq!(size_of::<MemPoolProps>(), 88);
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(size_of::<LaunchAttribute>(), 72);
        assert_eq!(size_of::<MemAllocNodeParams>(), 120);
    }
}
