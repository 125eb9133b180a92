//! Handlers that hand a call on to whatever was registered for them, with everything that XLA says about it.
//!
//! XLA gives a handler no data of its own, so that each registration needs a function of its own: there are
//! [`SLOTS`] of them.

use super::environment::Usual;
use super::handler::{Failure, Outcome, answered, bad, bytes, fail, scalar_of, text_of};
use super::sys::{self, Frame, code};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::{Arc, PoisonError, RwLock};
use warp_core::dtype::Scalar;

/// How many callbacks there can be at a time.
pub const SLOTS: usize = 64;

/// An array of a call, in row-major order; valid during the call.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Where it starts.
    pub data: usize,
    /// What it holds.
    pub scalar: Scalar,
    /// Elements per dimension.
    pub shape: Vec<i64>,
}

/// An attribute of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    /// A number: its type by XLA's number, and its bytes.
    Scalar(c_int, [u8; 16]),
    /// Numbers: their type by XLA's number, how many, and their bytes.
    Array(c_int, usize, Vec<u8>),
    /// Text.
    Text(String),
    /// Attributes by name.
    Dict(Vec<(String, Attr)>),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What is read.
    pub inputs: Vec<Buffer>,
    /// What is written.
    pub outputs: Vec<Buffer>,
    /// By name.
    pub attrs: Vec<(String, Attr)>,
}

/// What is called; an error becomes one of XLA's with this text.
pub type Callback = dyn Fn(Invocation) -> Result<(), String> + Send + Sync;

static CALLBACKS: [RwLock<Option<Arc<Callback>>>; SLOTS] = [const { RwLock::new(None) }; SLOTS];

/// Puts a callback in a slot, in place of the one that was there.
pub fn set(slot: usize, callback: Arc<Callback>) {
    let mut there = CALLBACKS[slot]
        .write()
        .unwrap_or_else(PoisonError::into_inner);
    *there = Some(callback);
}

/// The address of a slot's handler, for a capsule.
pub fn address(slot: usize) -> *mut c_void {
    HANDLERS[slot] as *mut c_void
}

type Handler = unsafe extern "C" fn(*mut Frame) -> *mut sys::Error;

macro_rules! handlers {
    ($($slot:literal)*) => { [$(handler::<$slot>),*] };
}

static HANDLERS: [Handler; SLOTS] = handlers!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

/// # Safety
/// `frame` is a call frame of XLA's.
unsafe extern "C" fn handler<const SLOT: usize>(frame: *mut Frame) -> *mut sys::Error {
    // SAFETY: promised by the caller.
    let frame = unsafe { &*frame };
    // SAFETY: extensions of a frame are a list that ends in null.
    if unsafe { answered(frame.extensions) } {
        return null_mut();
    }
    // SAFETY: promised by the caller.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { call(frame, SLOT) }));
    let Failure(code, message) = match outcome {
        Ok(Ok(())) => return null_mut(),
        Ok(Err(failure)) => failure,
        Err(panic) => Failure(code::INTERNAL, text_of(&*panic)),
    };
    // SAFETY: the interface belongs to the frame.
    unsafe { fail(frame, code, &message) }
}

/// # Safety
/// The frame is one of XLA's.
unsafe fn call(frame: &Frame, slot: usize) -> Outcome<()> {
    if frame.stage != sys::EXECUTE {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let invocation = unsafe {
        Invocation {
            inputs: buffers(&frame.args)?,
            outputs: buffers(&frame.rets)?,
            attrs: attributes(&frame.attrs)?,
        }
    };
    let callback = CALLBACKS[slot]
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let callback = callback.ok_or_else(|| bad("warp: no callback is registered".into()))?;
    // What it launches runs on our pool, too.
    let _usual = Usual::set();
    callback(invocation).map_err(|text| Failure(code::INTERNAL, text))
}

/// # Safety
/// The buffers are XLA's.
unsafe fn buffers(of: &sys::Buffers) -> Outcome<Vec<Buffer>> {
    let one = |i: usize| {
        // SAFETY: there are `size` of them, each with `rank` dimensions.
        unsafe {
            if *of.kinds.add(i) != sys::BUFFER {
                return Err(bad(format!("warp: buffer {i} is none")));
            }
            let buffer = &**of.buffers.add(i);
            let scalar = scalar_of(buffer.dtype).ok_or_else(|| {
                bad(format!(
                    "warp: buffer {i} holds XLA's type {}, which has no counterpart",
                    buffer.dtype
                ))
            })?;
            Ok(Buffer {
                data: buffer.data as usize,
                scalar,
                shape: bytes(buffer.dims, buffer.rank.max(0) as usize).to_vec(),
            })
        }
    };
    (0..of.size.max(0) as usize).map(one).collect()
}

/// # Safety
/// The attributes are XLA's.
unsafe fn attributes(attrs: &sys::Attrs) -> Outcome<Vec<(String, Attr)>> {
    let one = |i: usize| {
        // SAFETY: there are `size` of each, and the kind says what an attribute is.
        unsafe {
            let name = &**attrs.names.add(i);
            let name = String::from_utf8_lossy(bytes(name.data.cast(), name.len)).into_owned();
            let value = *attrs.values.add(i);
            let attr = match *attrs.kinds.add(i) {
                sys::ARRAY => {
                    let array = &*value.cast::<sys::Array>();
                    let size = size_of_type(array.dtype, &name)?;
                    let content = bytes(array.data.cast::<u8>(), array.size * size);
                    Attr::Array(array.dtype, array.size, content.to_vec())
                }
                sys::DICTIONARY => Attr::Dict(attributes(&*value.cast::<sys::Attrs>())?),
                sys::SCALAR => {
                    let scalar = &*value.cast::<sys::ScalarValue>();
                    let size = size_of_type(scalar.dtype, &name)?;
                    let mut content = [0; 16];
                    content[..size].copy_from_slice(bytes(scalar.value.cast::<u8>(), size));
                    Attr::Scalar(scalar.dtype, content)
                }
                _ => {
                    let text = &*value.cast::<sys::ByteSpan>();
                    let text = bytes(text.data.cast(), text.len);
                    Attr::Text(String::from_utf8_lossy(text).into_owned())
                }
            };
            Ok((name, attr))
        }
    };
    (0..attrs.size.max(0) as usize).map(one).collect()
}

/// XLA's numbers of the two complex types.
pub const COMPLEX: [(c_int, usize); 2] = [(15, 8), (18, 16)];

fn size_of_type(dtype: c_int, name: &str) -> Outcome<usize> {
    let complex = COMPLEX.iter().find(|c| c.0 == dtype).map(|c| c.1);
    let size = complex.or_else(|| scalar_of(dtype).map(Scalar::size));
    size.ok_or_else(|| bad(format!("warp: attribute '{name}' is of XLA's type {dtype}")))
}

/// The type that one of XLA's numbers stands for.
pub fn scalar(dtype: c_int) -> Option<Scalar> {
    scalar_of(dtype)
}
