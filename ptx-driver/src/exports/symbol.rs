//! `cuGetProcAddress`: functions by name and by the version of CUDA that the caller was built for.
use super::argument::{out, set_optional, string};
use super::table;
use crate::driver::base::Error;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

/// Since which version a name means a later variant, and since when functions exist; the others are older than any caller.
const SINCE: &[(&str, u32)] = &[
    ("cuMemAllocAsync", 11020),
    ("cuMemAllocFromPoolAsync", 11020),
    ("cuMemFreeAsync", 11020),
    ("cuMemPoolCreate", 11020),
    ("cuDeviceGetMemPool", 11020),
    ("cuStreamBeginCapture_v2", 10010),
    ("cuStreamGetCaptureInfo_v2", 11030),
    ("cuStreamGetCaptureInfo_v3", 12030),
    ("cuStreamUpdateCaptureDependencies", 11030),
    ("cuGraphInstantiateWithFlags", 11040),
    ("cuGraphInstantiateWithParams", 12000),
    ("cuGraphExecUpdate_v2", 12000),
    ("cuGraphAddKernelNode_v2", 12000),
    ("cuGraphExecKernelNodeSetParams_v2", 12000),
    ("cuGraphAddMemAllocNode", 11040),
    ("cuGraphAddMemFreeNode", 11040),
    ("cuGraphAddNode", 12020),
    ("cuGraphAddNode_v2", 12030),
    ("cuStreamBeginCaptureToGraph", 12030),
    ("cuGraphConditionalHandleCreate", 12030),
    ("cuGetProcAddress_v2", 12000),
    ("cuGetProcAddress", 11030),
    ("cuStreamGetId", 12000),
    ("cuCtxGetId", 12000),
    ("cuModuleGetLoadingMode", 11070),
    ("cuLaunchKernelEx", 11060),
    ("cuFuncGetModule", 11000),
    ("cuFuncGetName", 12030),
    ("cuFuncGetParamInfo", 12040),
    ("cuFuncIsLoaded", 12040),
    ("cuFuncLoad", 12040),
    ("cuModuleGetFunctionCount", 12040),
    ("cuDeviceGetUuid_v2", 11040),
    ("cuDevicePrimaryCtxReset_v2", 11000),
    ("cuDevicePrimaryCtxRelease_v2", 11000),
    ("cuDevicePrimaryCtxSetFlags_v2", 11000),
    ("cuIpcOpenMemHandle_v2", 11000),
];

fn table() -> &'static HashMap<&'static str, usize> {
    static TABLE: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let all = table::symbols().into_iter().chain(symbols());
        let mut table: HashMap<&'static str, usize> = all.collect();
        table.insert(
            "cuGetErrorName",
            super::device::cuGetErrorName as *const () as usize,
        );
        table.insert(
            "cuGetErrorString",
            super::device::cuGetErrorString as *const () as usize,
        );
        table
    })
}

/// The newest variant of a name that a caller of this version knows; an error says whether a newer one exists.
fn find(name: &str, version: u32) -> Result<usize, bool> {
    // From 12.0 on, the plain name means the function with flags.
    let renamed = if name == "cuGraphInstantiate" && version >= 12000 {
        "cuGraphInstantiateWithFlags"
    } else {
        name
    };
    let mut exists = false;
    for suffix in ["_v3", "_v2", ""] {
        let full = format!("{renamed}{suffix}");
        let Some(address) = table().get(full.as_str()) else {
            continue;
        };
        exists = true;
        let since = SINCE
            .iter()
            .find(|(name, _)| *name == full)
            .map_or(0, |(_, since)| *since);
        if since <= version {
            return Ok(*address);
        }
    }
    Err(exists)
}

functions! {
    free cuGetProcAddress(name: *const c_char, address: *mut *mut c_void, version: i32, flags: u64) |g| {
        let place = out(address)?;
        if flags > 2 || version < 0 { return Err(Error::INVALID_VALUE); }
        let version = (version as u32).min(if g.initialized { g.settings.version } else { u32::MAX });
        let found = find(string(name)?, version);
        place.set(found.unwrap_or(0) as *mut c_void)?;
        found.map(drop).map_err(|_| Error::NOT_FOUND)
    };
    free cuGetProcAddress_v2(
        name: *const c_char,
        address: *mut *mut c_void,
        version: i32,
        flags: u64,
        status: *mut u32,
    ) |g| {
        let place = out(address)?;
        if flags > 2 || version < 0 { return Err(Error::INVALID_VALUE); }
        let version = (version as u32).min(if g.initialized { g.settings.version } else { u32::MAX });
        let found = find(string(name)?, version);
        place.set(found.unwrap_or(0) as *mut c_void)?;
        set_optional(status, match found {
            Ok(_) => 0,
            Err(false) => 1,
            Err(true) => 2,
        });
        // With a place for the status, a missing name is no error.
        if status.is_null() { found.map(drop).map_err(|_| Error::NOT_FOUND) } else { Ok(()) }
    };
}
