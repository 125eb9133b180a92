//! Modules, kernels, devices, contexts.
#![allow(clippy::undocumented_unsafe_blocks, clippy::macro_metavars_in_unsafe)]
mod common;
use common::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null;

#[test]
fn images_that_are_too_new_or_broken_are_refused() {
    let _d = fresh(&[("PTX", "63"), ("SM", "75")]);
    assert_eq!(load(PTX).0, 0);
    assert_eq!(load(&PTX.replace("6.3", "7.0")).0, 222);
    assert_eq!(load(&PTX.replace("sm_75", "sm_80")).0, 209);
    assert_eq!(load(&PTX.replace("ret;", "garbage")).0, 218);
    assert_eq!(load("\x7fELF").0, 200);
}

#[test]
fn the_error_log_names_the_line() {
    let _d = fresh(&[]);
    let text = CString::new(PTX.replace("    ret;", "garbage;")).unwrap();
    let mut log = vec![1 as c_char; 200];
    let names = [5u32, 6, 7];
    let mut values = [log.as_mut_ptr() as usize, log.len(), 4];
    let code = cu!(cuModuleLoadDataEx(
        &mut 0,
        text.as_ptr(),
        3,
        names.as_ptr(),
        values.as_mut_ptr()
    ));
    assert_eq!(code, 218);
    let log = unsafe { CStr::from_ptr(log.as_ptr()) }.to_str().unwrap();
    assert!(log.contains("line ") && log.contains("garbage"), "{log}");
    assert_eq!(values[1], log.len());
}

/// Launches one thread.
fn launch_one(f: usize, stream: usize, each: *const *const u8, extra: *const *const c_void) -> u32 {
    cu!(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, each, extra))
}

#[test]
fn launches_are_checked() {
    let d = fresh(&[]);
    let f = function(load(PTX).1, "inc");
    let p = alloc(4);
    let params = [(&raw const p).cast::<u8>()];
    let launch = |grid: [u32; 3], block: [u32; 3], shared: u32| {
        cu!(cuLaunchKernel(
            f,
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            shared,
            0,
            params.as_ptr(),
            null()
        ))
    };
    let one = [1; 3];
    assert_eq!(launch(one, one, 0), 0);
    for (grid, block, shared) in [
        ([0, 1, 1], one, 0),
        (one, [1025, 1, 1], 0),
        (one, [1024, 2, 1], 0),
        (one, [1, 1, 65], 0),
        ([1, 65536, 1], one, 0),
        ([1 << 31, 1, 1], one, 0),
        (one, one, (48 << 10) + 1),
    ] {
        assert_eq!(
            launch(grid, block, shared),
            1,
            "{grid:?} {block:?} {shared}"
        );
    }
    ok!(cuFuncSetAttribute(f, 8, 100 << 10));
    assert_eq!(launch(one, one, 100 << 10), 0);
    assert_eq!(cu!(cuFuncSetAttribute(f, 8, 1 << 20)), 1);
    assert_eq!(launch_one(f, 0, null(), null()), 1);
    let size = 8usize;
    let extra: [*const c_void; 5] = [
        1 as _,
        (&raw const p).cast(),
        2 as _,
        (&raw const size).cast(),
        null(),
    ];
    assert_eq!(launch_one(f, 0, null(), extra.as_ptr()), 0);
    // Another context's stream.
    let mut other = 0;
    ok!(cuCtxCreate_v2(&mut other, 0, 0));
    let foreign = stream(true);
    ok!(cuCtxPopCurrent_v2(std::ptr::null_mut()));
    let mut current = 0;
    ok!(cuCtxGetCurrent(&mut current));
    assert_eq!(current, d.context);
    assert_eq!(launch_one(f, foreign, params.as_ptr(), null()), 400);
    ok!(cuCtxDestroy_v2(other));
}

#[test]
fn a_kernel_runs_when_its_stream_is_waited_for() {
    let _d = fresh(&[]);
    let (a, f, p) = (stream(true), function(load(PTX).1, "inc"), alloc(4));
    set(p, 0, a);
    for _ in 0..3 {
        assert_eq!(launch(f, p, a), 0);
    }
    assert_eq!(counts().kernels, 0);
    assert_eq!(get(p, a), 3);
    assert_eq!(counts().kernels, 3);
}

#[test]
fn a_trap_breaks_the_context_for_good() {
    let _d = fresh(&[]);
    let (a, f) = (stream(true), function(load(PTX).1, "stop"));
    assert_eq!(launch(f, 0, a), 0);
    assert_eq!(cu!(cuStreamSynchronize(a)), 719);
    assert_eq!(cu!(cuStreamSynchronize(a)), 719);
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 4)), 719);
    assert!(
        last_fault().contains("kernel stop, block (0, 0, 0), thread (0, 0, 0), line"),
        "{}",
        last_fault()
    );
}

#[test]
fn a_module_unloaded_too_early_is_noticed() {
    let _d = fresh(&[]);
    let (a, (_, module), p) = (stream(true), load(PTX), alloc(4));
    let f = function(module, "inc");
    assert_eq!(launch(f, p, a), 0);
    ok!(cuModuleUnload(module));
    assert_eq!(launch(f, p, a), 400);
    assert_eq!(cu!(cuStreamSynchronize(a)), 719);
    assert!(last_fault().contains("unloaded"));
}

#[test]
fn names_that_are_not_there() {
    let _d = fresh(&[]);
    let module = load(PTX).1;
    assert_eq!(
        cu!(cuModuleGetFunction(&mut 0, module, c"none".as_ptr())),
        500
    );
    assert_eq!(
        cu!(cuModuleGetGlobal_v2(
            &mut 0,
            &mut 0,
            module,
            c"none".as_ptr()
        )),
        500
    );
    assert_eq!(cu!(cuModuleGetFunction(&mut 0, 77, c"inc".as_ptr())), 400);
    let (mut value, f) = (0, function(module, "inc"));
    ok!(cuFuncGetAttribute(&mut value, 5, f));
    assert_eq!(value, 63);
    ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &mut value, f, 256, 0
    ));
    assert!(value > 0);
}

#[test]
fn nothing_works_before_its_time() {
    let d = fresh(&[("DEVICES", "2")]);
    let mut n = 0;
    ok!(cuDeviceGetCount(&mut n));
    assert_eq!(n, 2);
    assert_eq!(cu!(cuDeviceGet(&mut n, 2)), 101);
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    assert_eq!(cu!(cuCtxSetCurrent(d.context)), 201);
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 4)), 709);
    ptx_driver_reset();
    assert_eq!(cu!(cuDeviceGetCount(&mut n)), 3);
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 4)), 3);
    assert_eq!(configure("DEVICES", "0"), 0);
    assert_eq!(cu!(cuInit(0)), 100);
    assert_eq!(configure("DEVCES", "1"), 1);
}

#[test]
fn devices_reach_each_other_when_they_are_told_to() {
    let d = fresh(&[("DEVICES", "2")]);
    let mut other = 0;
    ok!(cuDevicePrimaryCtxRetain(&mut other, 1));
    let f = function(load(PTX).1, "inc");
    ok!(cuCtxSetCurrent(other));
    let p = alloc(4);
    ok!(cuCtxSetCurrent(d.context));
    assert_eq!(cu!(cuCtxDisablePeerAccess(other)), 705);
    ok!(cuCtxEnablePeerAccess(other, 0));
    assert_eq!(cu!(cuCtxEnablePeerAccess(other, 0)), 704);
    assert_eq!(launch(f, p, 0), 0);
    ok!(cuCtxSynchronize());
    // Copies need no access.
    let q = alloc(4);
    ok!(cuMemcpyPeer(q, d.context, p, other, 4));
    ok!(cuCtxSynchronize());
    ok!(cuCtxDisablePeerAccess(other));
    assert_eq!(launch(f, p, 0), 0);
    assert_eq!(cu!(cuCtxSynchronize()), 700);
    ok!(cuCtxSetCurrent(other));
    ok!(cuCtxSynchronize());
}

#[test]
fn functions_are_found_by_version() {
    let _d = fresh(&[]);
    let find = |name: &CStr, version: i32| {
        let (mut address, mut status) = (std::ptr::null_mut(), 9);
        ok!(cuGetProcAddress_v2(
            name.as_ptr(),
            &mut address,
            version,
            0,
            &mut status
        ));
        (address as usize, status)
    };
    assert_eq!(
        find(c"cuMemAlloc", 12000),
        (cuMemAlloc_v2 as *const () as usize, 0)
    );
    assert_eq!(
        find(c"cuStreamGetCaptureInfo", 12000).0,
        cuStreamGetCaptureInfo_v2 as *const () as usize
    );
    assert_eq!(find(c"cuGraphAddNode", 12000), (0, 2));
    assert_eq!(find(c"cuNothing", 12000), (0, 1));
    assert_eq!(find(c"cuGetErrorName", 12000).1, 0);
}

#[test]
fn errors_have_names() {
    let mut text = null();
    ok!(cuGetErrorName(700, &mut text));
    assert_eq!(
        unsafe { CStr::from_ptr(text) },
        c"CUDA_ERROR_ILLEGAL_ADDRESS"
    );
    assert_eq!(cu!(cuGetErrorString(12345, &mut text)), 1);
}

#[test]
fn in_a_forked_child_nothing_works() {
    let _d = fresh(&[]);
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut n = 0;
        let codes = [
            cu!(cuInit(0)),
            cu!(cuDeviceGetCount(&mut n)),
            cu!(cuCtxSynchronize()),
        ];
        unsafe { libc::_exit(if codes == [3; 3] { 0 } else { 1 }) };
    }
    let mut status = 0;
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0);
}

#[test]
fn an_enqueued_launch_costs_little() {
    let _d = fresh(&[]);
    let (a, f, p) = (stream(true), function(load(PTX).1, "inc"), alloc(4));
    // Enqueued in rounds, as a program does that looks at its results now and then. The fastest round counts: others share the machine.
    let round = || {
        let start = std::time::Instant::now();
        for _ in 0..1000 {
            assert_eq!(launch(f, p, a), 0);
        }
        let each = start.elapsed().as_nanos() / 1000;
        ok!(cuStreamSynchronize(a));
        each
    };
    let best = (0..50).map(|_| round()).min().unwrap();
    println!("{best} ns");
    assert!(best < 2000, "{best} ns");
}
