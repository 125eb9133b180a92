//! Memory: when it is there, when no longer, and how much of it.
#![allow(clippy::undocumented_unsafe_blocks, clippy::macro_metavars_in_unsafe)]
mod common;
use common::*;

#[test]
fn new_memory_is_poisoned_and_addresses_are_not_used_again() {
    let _d = fresh(&[]);
    let p = alloc(4);
    assert_eq!(get(p, 0), POISON);
    ok!(cuMemFree_v2(p));
    assert_ne!(alloc(4), p);
    assert_eq!(cu!(cuMemFree_v2(p)), 1);
    assert_eq!(cu!(cuMemsetD8_v2(p, 0, 1)), 1);
}

#[test]
fn the_host_cannot_touch_device_memory() {
    let _d = fresh(&[]);
    let p = alloc(4);
    let child = unsafe { libc::fork() };
    if child == 0 {
        unsafe {
            libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            std::hint::black_box((p as *const u32).read_volatile());
            libc::_exit(0);
        }
    }
    let mut status = 0;
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGSEGV);
}

#[test]
fn a_use_before_the_allocation_is_reached_faults_and_the_error_stays() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let p = alloc_async(4, a);
    set(p, 7, b);
    assert_eq!(cu!(cuStreamSynchronize(b)), 700);
    assert!(last_fault().contains("no memory there"), "{}", last_fault());
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 4)), 700);
    assert_eq!(cu!(cuCtxSynchronize()), 700);
    let mut d = 0;
    ok!(cuCtxGetDevice(&mut d));
    ok!(cuDevicePrimaryCtxReset_v2(0));
    assert_eq!(cu!(cuCtxSynchronize()), 709, "the context is gone");
}

#[test]
fn a_free_in_one_stream_takes_memory_from_unordered_work_of_another() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let p = alloc_async(4, a);
    let e = event();
    record(e, a);
    wait(b, e);
    set(p, 7, b);
    ok!(cuMemFreeAsync(p, a));
    // Lazily, a runs first here: b's fill comes too late.
    ok!(cuStreamSynchronize(a));
    assert_eq!(cu!(cuStreamSynchronize(b)), 700);
}

#[test]
fn work_after_the_free_is_refused_whatever_the_stream() {
    let _d = fresh(&[]);
    let (a, b) = (stream(true), stream(true));
    let p = alloc_async(4, a);
    ok!(cuStreamSynchronize(a));
    ok!(cuMemFreeAsync(p, a));
    assert_eq!(cu!(cuMemsetD32Async(p, 1, 1, b)), 1);
    assert_eq!(cu!(cuMemFreeAsync(p, b)), 1);
    let (code, module) = load(PTX);
    assert_eq!(code, 0);
    assert_eq!(launch(function(module, "inc"), p, b), 0);
    assert_eq!(cu!(cuStreamSynchronize(b)), 700);
}

#[test]
fn free_waits_for_the_work() {
    let _d = fresh(&[]);
    let a = stream(true);
    let (p, q) = (alloc(4), alloc(4));
    set(p, 7, a);
    copy(q, p, a);
    ok!(cuMemFree_v2(p));
    assert_eq!(counts().pending, 0);
    assert_eq!(get(q, 0), 7);
}

#[test]
fn memory_ends_where_the_setting_says() {
    let _d = fresh(&[("MEMORY", "1048576")]);
    let (mut free, mut total) = (0, 0);
    let p = alloc(1 << 19);
    ok!(cuMemGetInfo_v2(&mut free, &mut total));
    assert_eq!((free, total), (1 << 19, 1 << 20));
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, (1 << 19) + 1)), 2);
    assert_eq!(cu!(cuMemAllocAsync(&mut 0, (1 << 19) + 1, 0)), 2);
    ok!(cuMemFree_v2(p));
    let q = alloc_async(1 << 20, 0);
    ok!(cuMemFreeAsync(q, 0));
    // Freed in stream order, not executed: the next allocation makes the driver catch up.
    alloc_async(1 << 20, 0);
    assert_eq!(counts().allocations, 1);
    assert_eq!(cu!(cuMemAlloc_v2(&mut 0, 0)), 1);
}

#[test]
fn pools_keep_what_their_threshold_says() {
    let _d = fresh(&[]);
    let attribute = |pool: usize, which: u32| {
        let mut value = 0u64;
        ok!(cuMemPoolGetAttribute(pool, which, (&raw mut value).cast()));
        value
    };
    let mut pool = 0;
    ok!(cuDeviceGetDefaultMemPool(&mut pool, 0));
    let p = alloc_async(1000, 0);
    assert_eq!((attribute(pool, 5), attribute(pool, 7)), (1000, 1000));
    ok!(cuMemFreeAsync(p, 0));
    ok!(cuStreamSynchronize(0));
    assert_eq!(
        (attribute(pool, 5), attribute(pool, 7), attribute(pool, 8)),
        (0, 0, 1000)
    );
    ok!(cuMemPoolSetAttribute(
        pool,
        4,
        (&u64::MAX as *const u64).cast()
    ));
    let p = alloc_async(1000, 0);
    ok!(cuMemFreeAsync(p, 0));
    ok!(cuStreamSynchronize(0));
    assert_eq!((attribute(pool, 5), attribute(pool, 7)), (1000, 0));
    ok!(cuMemPoolTrimTo(pool, 100));
    assert_eq!(attribute(pool, 5), 100);
    assert_eq!(cu!(cuMemPoolDestroy(pool)), 1, "the default pool stays");
}

#[test]
fn a_pool_of_ones_own() {
    let _d = fresh(&[]);
    let mut props: ptx_driver::exports::abi::MemPoolProps = unsafe { std::mem::zeroed() };
    let mut pool = 0;
    assert_eq!(cu!(cuMemPoolCreate(&mut pool, &props)), 1);
    (props.allocation, props.location.kind) = (1, 1);
    ok!(cuMemPoolCreate(&mut pool, &props));
    ok!(cuDeviceSetMemPool(0, pool));
    let p = alloc_async(64, 0);
    let mut of = 0u64;
    ok!(cuPointerGetAttribute((&raw mut of).cast(), 17, p));
    assert_eq!(of as usize, pool);
    ok!(cuMemPoolDestroy(pool));
    let mut now = 0;
    ok!(cuDeviceGetMemPool(&mut now, 0));
    assert_ne!(now, pool);
    set(p, 5, 0);
    assert_eq!(get(p, 0), 5, "memory outlives its pool");
    ok!(cuMemFreeAsync(p, 0));
    assert_eq!(cu!(cuMemAllocFromPoolAsync(&mut 0, 4, pool, 0)), 1);
}

#[test]
fn pointers_tell_what_they_are() {
    let d = fresh(&[]);
    let int = |which: u32, p: u64| {
        let mut value = 0u32;
        (
            cu!(cuPointerGetAttribute((&raw mut value).cast(), which, p)),
            value,
        )
    };
    let wide = |which: u32, p: u64| {
        let mut value = 0u64;
        ok!(cuPointerGetAttribute((&raw mut value).cast(), which, p));
        value
    };
    let p = alloc(64);
    let host = pinned(4);
    assert_eq!(int(2, p), (0, 2));
    assert_eq!(int(2, host.as_ptr() as u64), (0, 1));
    assert_eq!(
        int(2, &raw const d as u64),
        (1, 0),
        "memory that the driver does not know"
    );
    assert_eq!(
        (wide(11, p + 10), wide(12, p + 10), wide(3, p + 10)),
        (p, 64, p + 10)
    );
    assert_eq!(wide(1, p) as usize, d.context);
    assert_eq!(int(9, p), (0, 0));
    assert_eq!(int(2, p + 64).0, 1, "one past the end");
}

#[test]
fn registered_memory_is_pinned() {
    let _d = fresh(&[]);
    let a = stream(true);
    let words = vec![1u32; 1024];
    let at = words.as_ptr() as u64;
    ok!(cuMemHostRegister_v2(at, 4096, 0));
    assert_eq!(cu!(cuMemHostRegister_v2(at + 100, 4, 0)), 712);
    assert_eq!(cu!(cuMemFreeHost(at)), 1);
    set(at, 9, a);
    ok!(cuStreamSynchronize(a));
    assert_eq!(unsafe { words.as_ptr().read_volatile() }, 9);
    ok!(cuMemHostUnregister(at));
    assert_eq!(cu!(cuMemHostUnregister(at)), 713);
}

#[test]
fn a_box_is_copied_in_two_dimensions() {
    let _d = fresh(&[]);
    let (mut p, mut pitch) = (0, 0);
    ok!(cuMemAllocPitch_v2(&mut p, &mut pitch, 8, 3, 4));
    let from: Vec<u8> = (0..24).collect();
    let mut to = vec![0u8; 24];
    let mut q: ptx_driver::exports::abi::Memcpy2D = unsafe { std::mem::zeroed() };
    (q.src_type, q.src_host, q.src_pitch) = (1, from.as_ptr() as usize, 8);
    (q.dst_type, q.dst_device, q.dst_pitch) = (2, p, pitch);
    (q.width, q.height) = (8, 3);
    ok!(cuMemcpy2D_v2(&q));
    ok!(cuMemsetD2D8_v2(p + 2, pitch, 99, 2, 3));
    (q.src_type, q.src_device, q.src_pitch) = (2, p, pitch);
    (q.dst_type, q.dst_host, q.dst_pitch) = (1, to.as_mut_ptr() as usize, 8);
    ok!(cuMemcpy2D_v2(&q));
    let expected: Vec<u8> = (0..24)
        .map(|i| if matches!(i % 8, 2 | 3) { 99 } else { i })
        .collect();
    assert_eq!(to, expected);
    q.height = 4;
    assert_eq!(cu!(cuMemcpy2D_v2(&q)), 1, "one row too many");
}

#[test]
fn handles_for_other_processes() {
    let _d = fresh(&[]);
    let (p, e) = (alloc(64), event());
    let mut handle = [0u8; 64];
    ok!(cuIpcGetMemHandle(&mut handle, p));
    assert_eq!(
        cu!(cuIpcOpenMemHandle_v2(&mut 0, IpcHandleArgument(handle), 1)),
        201
    );
    let q = alloc_async(64, 0);
    assert_eq!(
        cu!(cuIpcGetMemHandle(&mut handle, q)),
        1,
        "memory of pools has none"
    );
    assert_eq!(
        cu!(cuIpcGetEventHandle(&mut handle, e)),
        1,
        "not made for it"
    );
    assert_eq!(cu!(cuMemAllocManaged(&mut 0, 4, 1)), 801);
}
