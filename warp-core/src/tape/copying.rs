//! A copy on a tape is the launch of a kernel that copies, whose derivative is that of the copy.

use crate::array::View;
use crate::cache::Cache;
use crate::error::{Code, Error, Result};
use crate::front::{External, SourceText, StaticScope};
use crate::launch::Dims;
use crate::lower::Lanes;
use crate::module::{Compiled, Options, compile};
use crate::ty::{Elem, Type};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Kernels by type and number of dimensions.
type Known = HashMap<(Elem, u8), Arc<Compiled>>;

/// The kernel that copies arrays of a type, and the dimensions of a launch for this one.
///
/// # Errors
/// The elements are structs, or a bug.
pub fn kernel(to: &View) -> Result<(Arc<Compiled>, Dims)> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let layout = to.layout();
    let mut dims = Dims::default();
    let shape = layout.shape();
    dims.ndim = shape.len();
    dims.shape[..shape.len()].copy_from_slice(shape);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(kernel) = known.get(&(to.elem, to.ndim)) {
        return Ok((kernel.clone(), dims));
    }
    let kernel = Arc::new(made(to.elem, to.ndim)?);
    known.insert((to.elem, to.ndim), kernel.clone());
    Ok((kernel, dims))
}

fn made(elem: Elem, ndim: u8) -> Result<Compiled> {
    if let Elem::Struct(s) = elem {
        let text = format!(
            "a tape cannot record a copy of structs ({s}), whose fields have gradients; launch a kernel that copies the fields"
        );
        return Err(Error::new(Code::Type, text));
    }
    let index = ["i", "j", "k", "l"][..usize::from(ndim)].join(", ");
    let array = format!("wp.array(dtype=T, ndim={ndim})");
    let text = format!(
        "def copy(to: {array}, source: {array}):\n    {index} = wp.tid()\n    to[{index}] = source[{index}]\n"
    );
    let source = SourceText {
        name: "copy".into(),
        file: "copy".into(),
        first_line: 1,
        text,
    };
    let scope = StaticScope::new().with("T", External::Type(Type::Elem(elem)));
    let options = Options {
        cache: Cache::none(),
        check_bounds: false,
        debug: false,
        max_unroll: 16,
        fast_compile: false,
        tiered: false,
        fuse_fp: false,
        fast_math: false,
        lanes: Lanes::Auto,
        deterministic: false,
        block_dim: 256,
        line_info: false,
    };
    compile(source, &scope, &options).map_err(|e| Error::new(Code::Bug, e.render()))
}
