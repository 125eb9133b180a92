//! Kernels and arrays of float32, for tests of commands and tapes.

use std::sync::Arc;
use warp_core::array::{Array, copy};
use warp_core::cache::Cache;
use warp_core::command::{Argument, Command, Launch};
use warp_core::device::{Device, Stream};
use warp_core::dtype::Scalar;
use warp_core::front::{SourceText, StaticScope};
use warp_core::launch::Dims;
use warp_core::lower::Lanes;
use warp_core::module::{Compiled, Options, compile};
use warp_core::ty::Elem;

/// Compiles a kernel of a name and a text.
pub fn kernel((name, text): (&str, &str)) -> Arc<Compiled> {
    let text = SourceText {
        name: name.into(),
        file: format!("{name}.py"),
        first_line: 1,
        text: text.trim_start().into(),
    };
    let options = Options {
        cache: Cache::none(),
        check_bounds: true,
        debug: true,
        fast_compile: false,
        tiered: false,
        fuse_fp: false,
        lanes: Lanes::Auto,
        fast_math: false,
        deterministic: false,
        max_unroll: 16,
        block_dim: 256,
        line_info: false,
    };
    let made = compile(text, &StaticScope::new(), &options);
    Arc::new(made.expect("it compiles"))
}

/// An array of float32.
pub fn array(numbers: &[f32]) -> Array {
    let elem = Elem::Scalar(Scalar::F32);
    let made = Array::empty(elem, &[numbers.len() as i64], Device::Cpu).expect("there is memory");
    let (from, to) = (numbers.as_ptr(), made.view.arg.data.cast());
    // SAFETY: new memory of as many numbers.
    unsafe { std::ptr::copy_nonoverlapping(from, to, numbers.len()) };
    made
}

/// What it holds.
pub fn numbers(array: &Array) -> Vec<f32> {
    // SAFETY: the owner keeps the memory, which nobody writes.
    let bytes = unsafe { copy::read(&array.view) }.expect("it is the host's");
    let words = bytes.as_chunks::<4>().0.iter();
    words.map(|b| f32::from_ne_bytes(*b)).collect()
}

/// A launch over the first array, whose second argument is a value if there is one.
pub fn launched(kernel: &Arc<Compiled>, arrays: &[&Array], value: Option<f32>) -> Command {
    let mut dims = Dims::default();
    (dims.shape[0], dims.ndim) = (arrays[0].view.arg.shape[0], 1);
    let bytes = value.unwrap_or_default().to_ne_bytes();
    let mut args: Vec<Argument<'_>> = arrays.iter().map(|a| Argument::Array(a)).collect();
    if value.is_some() {
        args.insert(1, Argument::Value(&bytes));
    }
    let extent = (Stream::default_of(Device::Cpu), dims);
    Command::Launch(Launch::of(kernel, extent, &args).expect("the arguments fit"))
}
