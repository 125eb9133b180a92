//! What all tests of the driver need. Tests of one file share the process, and so the driver: one runs at a time.
#![allow(
    dead_code,
    unused_imports,
    clippy::undocumented_unsafe_blocks,
    clippy::macro_metavars_in_unsafe
)]
pub use ptx_driver::exports::{
    capture::*, context::*, copy::*, device::*, event::*, extra::*, graph::*, graph_node::*,
    kernel::*, memory::*, module::*, pool::*, stream::*, symbol::*,
};
use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Calls a function of the driver and gives its code. The pointers are those of locals of the test.
#[macro_export]
macro_rules! cu {
    ($call:expr) => {
        unsafe { $call }
    };
}

/// Calls a function of the driver that has to succeed.
#[macro_export]
macro_rules! ok {
    ($call:expr) => {
        assert_eq!(
            unsafe { $call },
            0,
            "{}: {}",
            stringify!($call),
            $crate::common::last_fault()
        )
    };
}

static ONE: Mutex<()> = Mutex::new(());

/// The driver as in a new process, with settings and the primary context of device 0. Others wait until this is dropped.
pub struct Fresh {
    pub context: usize,
    _one: MutexGuard<'static, ()>,
}

pub fn configure(name: &str, value: &str) -> u32 {
    let (name, value) = (CString::new(name).unwrap(), CString::new(value).unwrap());
    cu!(ptx_driver_configure(name.as_ptr(), value.as_ptr()))
}

pub fn fresh(settings: &[(&str, &str)]) -> Fresh {
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    ptx_driver_reset();
    cu!(cuThreadExchangeStreamCaptureMode(&mut 0));
    for (name, value) in settings {
        assert_eq!(configure(name, value), 0);
    }
    let mut context = 0;
    ok!(cuInit(0));
    ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
    ok!(cuCtxSetCurrent(context));
    Fresh { context, _one: one }
}

pub fn last_fault() -> String {
    let mut text = vec![0u8; 1000];
    cu!(ptx_driver_last_fault(text.as_mut_ptr().cast(), text.len()));
    let end = text.iter().position(|b| *b == 0).unwrap_or(0);
    String::from_utf8_lossy(&text[..end]).into()
}

pub fn counts() -> ptx_driver::Counts {
    let mut counts = Default::default();
    ok!(ptx_driver_counts(&mut counts));
    counts
}

pub fn alloc(bytes: usize) -> u64 {
    let mut p = 0;
    ok!(cuMemAlloc_v2(&mut p, bytes));
    p
}

pub fn alloc_async(bytes: usize, stream: usize) -> u64 {
    let mut p = 0;
    ok!(cuMemAllocAsync(&mut p, bytes, stream));
    p
}

pub fn pinned(words: usize) -> &'static mut [u32] {
    let mut p = 0u64;
    ok!(cuMemAllocHost_v2(&mut p, words * 4));
    unsafe { std::slice::from_raw_parts_mut(p as *mut u32, words) }
}

/// A stream; with `true` one that does not wait for the legacy default stream.
pub fn stream(non_blocking: bool) -> usize {
    let mut s = 0;
    ok!(cuStreamCreate(&mut s, non_blocking.into()));
    s
}

pub fn event() -> usize {
    let mut e = 0;
    ok!(cuEventCreate(&mut e, 0));
    e
}

pub fn record(event: usize, stream: usize) {
    ok!(cuEventRecord(event, stream));
}

pub fn wait(stream: usize, event: usize) {
    ok!(cuStreamWaitEvent(stream, event, 0));
}

/// Fills a word, in a stream.
pub fn set(p: u64, value: u32, stream: usize) {
    ok!(cuMemsetD32Async(p, value, 1, stream));
}

pub fn copy(to: u64, from: u64, stream: usize) {
    ok!(cuMemcpyDtoDAsync_v2(to, from, 4, stream));
}

/// Reads a word in a stream, and waits for that.
pub fn get(p: u64, stream: usize) -> u32 {
    let mut word = 0u32;
    ok!(cuMemcpyDtoHAsync_v2(&raw mut word as u64, p, 4, stream));
    ok!(cuStreamSynchronize(stream));
    word
}

/// What new memory holds.
pub const POISON: u32 = 0xCDCD_CDCD;

pub fn begin(stream: usize) {
    ok!(cuStreamBeginCapture_v2(stream, 0));
}

/// Ends a capture: the code, and the graph.
pub fn end(stream: usize) -> (u32, usize) {
    let mut graph = 0;
    (cu!(cuStreamEndCapture(stream, &mut graph)), graph)
}

pub fn instantiate(graph: usize) -> usize {
    let mut exec = 0;
    ok!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    exec
}

pub fn load(text: &str) -> (u32, usize) {
    let text = CString::new(text).unwrap();
    let mut module = 0;
    (cu!(cuModuleLoadData(&mut module, text.as_ptr())), module)
}

pub fn function(module: usize, name: &str) -> usize {
    let name = CString::new(name).unwrap();
    let mut f = 0;
    ok!(cuModuleGetFunction(&mut f, module, name.as_ptr()));
    f
}

/// Launches one block with one thread and one argument of eight bytes.
pub fn launch(f: usize, argument: u64, stream: usize) -> u32 {
    let params = [(&raw const argument).cast::<u8>()];
    cu!(cuLaunchKernel(
        f,
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        stream,
        params.as_ptr(),
        std::ptr::null()
    ))
}

/// Kernels over the address of a word: `inc` adds one, `trap` ends with an error.
pub const PTX: &str = "
.version 6.3
.target sm_75
.address_size 64
.visible .entry inc(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    add.s32 %r2, %r1, 1;
    st.global.u32 [%rd2], %r2;
    ret;
}
.visible .entry stop(.param .u64 p)
{
    trap;
    ret;
}
";
