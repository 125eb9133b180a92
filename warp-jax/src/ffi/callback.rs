//! Handlers that pass a call on to the callback that was registered for them, with everything that XLA says about it.
//!
//! XLA gives a handler no data of its own, so each registration takes a function of its own: there are [`SLOTS`] of them.

use super::boundary::{self, Role};
use super::dtype::{COMPLEX, scalar_of};
use super::execution;
use super::failure::{HandlerFailure, Outcome, invalid};
use super::float_environment::DefaultFloatEnvironment;
use super::sys::{self, Frame, code};
use std::ffi::{c_int, c_void};
use std::sync::{Arc, PoisonError, RwLock};
use warp_core::device::{Device, Stream};
use warp_core::dtype::Scalar;

/// How many callbacks there can be at a time.
pub const SLOTS: usize = 64;

/// An array of a call, in row-major order; valid during the call.
#[derive(Clone, Debug)]
pub struct ArrayBuffer {
    /// Where it starts.
    pub data: usize,
    /// What it holds.
    pub scalar: Scalar,
    /// Elements per dimension.
    pub shape: Vec<i64>,
}

/// An attribute of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// A number: its type by XLA's number, and its bytes.
    Scalar(c_int, [u8; 16]),
    /// Numbers: their type by XLA's number, how many, and their bytes.
    Array(c_int, usize, Vec<u8>),
    /// Text.
    Text(String),
    /// Attributes by name.
    Dict(Vec<(String, AttributeValue)>),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Where the arrays are, and in which order they are used.
    pub stream: Stream,
    /// What is read.
    pub inputs: Vec<ArrayBuffer>,
    /// What is written.
    pub outputs: Vec<ArrayBuffer>,
    /// By name.
    pub attrs: Vec<(String, AttributeValue)>,
}

/// What is called; an error becomes one of XLA's with this text.
pub type Callback = dyn Fn(Invocation) -> Result<(), String> + Send + Sync;

static CALLBACKS: [RwLock<Option<Arc<Callback>>>; SLOTS] = [const { RwLock::new(None) }; SLOTS];

/// Where a callback is registered: one of the functions that XLA can call.
#[derive(Clone, Copy, Debug)]
pub struct CallbackSlot(usize);

impl CallbackSlot {
    /// The slot of this number; None from [`SLOTS`] on.
    pub fn new(number: usize) -> Option<CallbackSlot> {
        (number < SLOTS).then_some(CallbackSlot(number))
    }

    /// Registers a callback here, in place of the one that was there.
    pub fn set(self, callback: Arc<Callback>) {
        let mut content = CALLBACKS[self.0]
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *content = Some(callback);
    }

    /// The address of the slot's handler for the CPU, for a capsule.
    pub fn address(self) -> *mut c_void {
        HANDLERS[self.0] as *mut c_void
    }

    /// The address of the slot's handler for GPUs, for a capsule.
    pub fn address_on_gpu(self) -> *mut c_void {
        GPU_HANDLERS[self.0] as *mut c_void
    }
}

type Handler = unsafe extern "C" fn(*mut Frame) -> *mut sys::Error;

macro_rules! handlers {
    ($($slot:literal)*) => {
        static HANDLERS: [Handler; SLOTS] = [$(handler::<$slot, false>),*];
        static GPU_HANDLERS: [Handler; SLOTS] = [$(handler::<$slot, true>),*];
    };
}

handlers!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

/// # Safety
/// `frame` is a call frame of XLA's.
unsafe extern "C" fn handler<const SLOT: usize, const GPU: bool>(
    frame: *mut Frame,
) -> *mut sys::Error {
    // SAFETY: promised by the caller.
    unsafe {
        boundary::enter(frame, Role::PLAIN, |frame| {
            let stream = match GPU {
                true => execution::stream_of(frame)?,
                false => Stream::default_of(Device::Cpu),
            };
            call(frame, SLOT, stream)
        })
    }
}

/// # Safety
/// The frame is one of XLA's.
unsafe fn call(frame: &Frame, slot: usize, stream: Stream) -> Outcome<()> {
    // SAFETY: promised by the caller.
    let invocation = unsafe {
        Invocation {
            stream,
            inputs: buffers(&frame.args)?,
            outputs: buffers(&frame.rets)?,
            attrs: attributes(&frame.attrs)?,
        }
    };
    let callback = CALLBACKS[slot]
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let callback = callback.ok_or_else(|| invalid("warp: no callback is registered".into()))?;
    // What it launches runs on our pool, too.
    let _environment = DefaultFloatEnvironment::enter();
    callback(invocation).map_err(|text| HandlerFailure(code::INTERNAL, text))
}

/// # Safety
/// The buffers are XLA's.
unsafe fn buffers(of: &sys::Buffers) -> Outcome<Vec<ArrayBuffer>> {
    let one = |i: usize| {
        // SAFETY: there are `size` of them, each with `rank` dimensions.
        unsafe {
            if *of.kinds.add(i) != sys::BUFFER {
                return Err(invalid(format!("warp: buffer {i} is none")));
            }
            let buffer = &**of.buffers.add(i);
            let scalar = scalar_of(buffer.dtype).ok_or_else(|| {
                invalid(format!(
                    "warp: buffer {i} holds XLA's type {}, which has no counterpart",
                    buffer.dtype
                ))
            })?;
            Ok(ArrayBuffer {
                data: buffer.data as usize,
                scalar,
                shape: buffer.dims().to_vec(),
            })
        }
    };
    (0..of.size.max(0) as usize).map(one).collect()
}

/// # Safety
/// The attributes are XLA's.
unsafe fn attributes(attrs: &sys::Attrs) -> Outcome<Vec<(String, AttributeValue)>> {
    let one = |i: usize| {
        // SAFETY: there are `size` of each, and the kind says what an attribute is.
        unsafe {
            let name = &**attrs.names.add(i);
            let name = String::from_utf8_lossy(name.bytes()).into_owned();
            let value = *attrs.values.add(i);
            let attr = match *attrs.kinds.add(i) {
                sys::ARRAY => {
                    let array = &*value.cast::<sys::Array>();
                    let size = size_of_type(array.dtype, &name)?;
                    let content = sys::slice(array.data.cast::<u8>(), array.size * size);
                    AttributeValue::Array(array.dtype, array.size, content.to_vec())
                }
                sys::DICTIONARY => AttributeValue::Dict(attributes(&*value.cast::<sys::Attrs>())?),
                sys::SCALAR => {
                    let scalar = &*value.cast::<sys::ScalarValue>();
                    let size = size_of_type(scalar.dtype, &name)?;
                    let mut content = [0; 16];
                    content[..size].copy_from_slice(sys::slice(scalar.value.cast::<u8>(), size));
                    AttributeValue::Scalar(scalar.dtype, content)
                }
                _ => {
                    let text = (*value.cast::<sys::ByteSpan>()).bytes();
                    AttributeValue::Text(String::from_utf8_lossy(text).into_owned())
                }
            };
            Ok((name, attr))
        }
    };
    (0..attrs.size.max(0) as usize).map(one).collect()
}

fn size_of_type(dtype: c_int, name: &str) -> Outcome<usize> {
    let complex = COMPLEX.iter().find(|c| c.0 == dtype).map(|c| c.1);
    let size = complex.or_else(|| scalar_of(dtype).map(Scalar::size));
    size.ok_or_else(|| invalid(format!("warp: attribute '{name}' is of XLA's type {dtype}")))
}
