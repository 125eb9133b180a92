//! The handler as XLA calls it, with frames made by hand: what XLA itself never sends, and kernels that misbehave.

use super::super::attribute::KINDS;
use super::super::registry::{self, KernelCode, Program, ProgramKey, ProgramParam};
use super::super::sys::{self, Buffer, Frame, code};
use super::launch;
use std::cell::RefCell;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::{null, null_mut};
use warp_core::abi::{ArrayArg, BlockLayout, BlockParam, ChangedArrays, Ctx, ErrorSlot};
use warp_core::backend::cpu::executable::Executable as CpuExecutable;
use warp_core::backend::{self, Executable};
use warp_core::cache::Source;
use warp_core::device::{Device, Stream};
use warp_core::dtype::Scalar;
use warp_core::launch::Job;
use warp_core::ty::{Elem, MAX_NDIM};

thread_local! {
    static ERROR: RefCell<Option<(c_int, String)>> = const { RefCell::new(None) };
}

unsafe extern "C" fn error_create(request: *mut sys::ErrorCreate) -> *mut sys::Error {
    // SAFETY: the handler filled the request in.
    let (code, text) = unsafe { ((*request).code, CStr::from_ptr((*request).message)) };
    ERROR.set(Some((code, text.to_str().expect("UTF-8").into())));
    std::ptr::dangling_mut()
}

unsafe extern "C" fn error_message(request: *mut sys::ErrorMessage) {
    // SAFETY: the handler filled the request in.
    unsafe { (*request).message = c"a stream that is none".as_ptr() };
}

unsafe extern "C" fn error_destroy(_: *mut sys::ErrorDestroy) {}

/// There is no stream, as on the CPU.
unsafe extern "C" fn stream_get(_: *mut sys::StreamGet) -> *mut sys::Error {
    std::ptr::dangling_mut()
}

unsafe extern "C" fn ordinal_get(_: *mut sys::OrdinalGet) -> *mut sys::Error {
    std::ptr::dangling_mut()
}

/// Fills the launch range of an array of int32 with its indices.
unsafe extern "C" fn count(_: *mut Ctx, args: *const u8, begin: i64, end: i64) {
    // SAFETY: the block holds the launch dimensions and one array of as many elements.
    unsafe {
        let out = (*args.add(16).cast::<ArrayArg>()).data.cast::<i32>();
        (begin..end).for_each(|i| *out.add(i as usize) = i as i32);
    }
}

struct Counts {
    code: backend::Code,
    panics: bool,
}

impl KernelCode for Counts {
    fn load(&self, _: Device) -> Result<(), String> {
        Ok(())
    }
    fn job(&self, block: *const u8, dims: [i32; MAX_NDIM], stream: Stream) -> Job<'_> {
        assert!(!self.panics, "a \0 planted panic");
        Job {
            code: &self.code,
            stream,
            block,
            dims,
            in_order: false,
            overlap: false,
            queries: false,
            ordered_by: None,
            grid: Default::default(),
        }
    }
    fn explain(&self, _: &ErrorSlot, _: Device) -> String {
        String::new()
    }
}

fn register(key: &ProgramKey, panics: bool) {
    let outcome = registry::register(key, || {
        let elem = Elem::Scalar(Scalar::I32);
        let name = "out".into();
        Ok::<_, ()>(Program {
            title: "count".into(),
            params: vec![ProgramParam::new(name, elem, 1)],
            layout: BlockLayout::of([BlockParam::Array]),
            code: Box::new(Counts {
                code: backend::Code {
                    name: "k".into(),
                    device: Device::Cpu,
                    spans: Vec::new(),
                    in_order: false,
                    origin: Source::Made,
                    // SAFETY: `count` is a function of this file that does what the launch ABI says.
                    executable: Executable::Cpu(unsafe {
                        CpuExecutable::new(count, None, ChangedArrays::default())
                    }),
                },
                panics,
            }),
        })
    });
    outcome.expect("cannot fail");
}

/// The functions that XLA offers, as far as the handler calls them.
fn api() -> sys::Api {
    sys::Api {
        struct_size: size_of::<sys::Api>(),
        extensions: null_mut(),
        version: sys::ApiVersion {
            struct_size: size_of::<sys::ApiVersion>(),
            extensions: null_mut(),
            major: 0,
            minor: 1,
        },
        internal: null(),
        error_create,
        error_message,
        error_destroy,
        handler_register: null(),
        stream_get,
        type_register: null(),
        context_get: null(),
        state: [null(); 2],
        device_memory: [null(); 2],
        thread_pool: [null(); 2],
        future: [null(); 3],
        run_id: null(),
        ordinal_get,
    }
}

/// Calls the handler for one result of `dims`; what it wrote, or XLA's error.
fn called(
    key: &ProgramKey,
    plan: &[i32],
    dims: &[i64],
    dtype: c_int,
) -> Result<Vec<i32>, (c_int, String)> {
    let mut memory = vec![-1i32; 64];
    let buffer = Buffer {
        struct_size: size_of::<Buffer>(),
        extensions: null_mut(),
        dtype,
        data: memory.as_mut_ptr().cast(),
        rank: dims.len() as i64,
        dims: dims.as_ptr(),
    };
    let span = |text: &[u8]| sys::ByteSpan {
        data: text.as_ptr().cast(),
        len: text.len(),
    };
    let names = [
        span(b"call"),
        span(b"kernel"),
        span(b"key"),
        span(b"plan"),
        span(b"values"),
    ];
    // A digest of key and plan; here the key and a number tell all calls apart.
    let mut digest = *key;
    digest[..4].copy_from_slice(&(plan.len() as u32).to_ne_bytes());
    let (call, title, digits) = (span(&digest), span(b"count"), span(key));
    let array = |dtype, size, data| sys::Array { dtype, size, data };
    let numbers = array(4, plan.len(), plan.as_ptr().cast());
    let values = array(6, 0, null());
    let names = names.each_ref().map(|n| n as *const sys::ByteSpan);
    let attrs: [*const c_void; 5] = [
        (&raw const call).cast(),
        (&raw const title).cast(),
        (&raw const digits).cast(),
        (&raw const numbers).cast(),
        (&raw const values).cast(),
    ];
    let kinds = KINDS;
    let (kind, buffers) = ([sys::BUFFER], [&raw const buffer]);
    let list = |size, buffers| sys::Buffers {
        struct_size: size_of::<sys::Buffers>(),
        extensions: null_mut(),
        size,
        kinds: kind.as_ptr(),
        buffers,
    };
    let api = api();
    let mut frame = Frame {
        struct_size: size_of::<Frame>(),
        extensions: null_mut(),
        api: &raw const api,
        context: null_mut(),
        stage: sys::EXECUTE,
        args: list(0, null()),
        rets: list(1, buffers.as_ptr()),
        attrs: sys::Attrs {
            struct_size: size_of::<sys::Attrs>(),
            extensions: null_mut(),
            size: 5,
            kinds: kinds.as_ptr(),
            names: names.as_ptr(),
            values: attrs.as_ptr(),
        },
    };
    ERROR.set(None);
    // SAFETY: a frame as XLA makes it.
    let failed = unsafe { !launch(&raw mut frame).is_null() };
    let error = ERROR.take();
    assert_eq!(failed, error.is_some());
    match error {
        Some(error) => Err(error),
        None => Ok(memory),
    }
}

/// One launch dimension, that of the first result.
const PLAN: [i32; 6] = [1, 1, 0, 3, 0, 0];

#[test]
fn a_registered_kernel_runs() {
    let key = [b'a'; 32];
    register(&key, false);
    let memory = called(&key, &PLAN, &[5], 4).expect("runs");
    assert_eq!(memory[..7], [0, 1, 2, 3, 4, -1, -1]);
    let none = called(&key, &PLAN, &[0], 4).expect("an empty array is one");
    assert!(none.iter().all(|n| *n == -1));
}

#[test]
fn a_panic_is_an_error() {
    let key = [b'b'; 32];
    register(&key, true);
    let (code, text) = called(&key, &PLAN, &[5], 4).expect_err("panics");
    assert_eq!(code, code::INTERNAL);
    assert!(text.contains("a   planted panic"), "{text}");
}

#[test]
fn what_is_not_registered_or_does_not_fit_is_an_error() {
    let key = [b'c'; 32];
    let (code, text) = called(&key, &PLAN, &[5], 4).expect_err("not registered");
    assert_eq!(code, code::NOT_FOUND);
    assert!(text.contains("kernel 'count' with key cccc"), "{text}");
    register(&key, false);
    for (dims, dtype) in [(&[5, 1][..], 4), (&[5], 11), (&[5], 99), (&[1 << 31], 4)] {
        let (code, text) = called(&key, &PLAN, dims, dtype).expect_err("does not fit");
        assert_eq!(code, code::INVALID_ARGUMENT);
        assert!(text.contains("'out' is an array of int32"), "{text}");
    }
    let (_, text) = called(&key, &PLAN[..4], &[5], 4).expect_err("no plan");
    assert!(text.contains("does not fit"), "{text}");
}
