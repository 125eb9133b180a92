//! Arrays that a launch reaches through array descriptors in the memory of others: arrays in arrays of structs, and those of
//! meshes.
//!
//! No argument names them, so what a tape has to know of arguments it asks here of those.

use crate::kernel::{Kernel, Ready};
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::{nested_arrays, queried};
use crate::runtime::snapshot::before_write;
use pyo3::prelude::*;
use warp_core::pass::access::Access;

/// The arrays that arguments lead to, each once.
pub fn arrays<'py>(args: &[Bound<'py, PyAny>]) -> Vec<Bound<'py, Array>> {
    let mut out = Vec::new();
    for arg in args {
        if let Ok(array) = arg.cast::<Array>() {
            nested_arrays::reachable(arg.py(), &array.get().core, &mut out);
        } else if let Some(object) = queried::find(arg) {
            let new = object.arrays(arg.py()).into_iter();
            out.extend(
                new.filter(|array| !out.iter().any(|known| known.is(array)))
                    .collect::<Vec<_>>(),
            );
        }
    }
    out
}

/// Keeps what a launch is about to overwrite in such arrays, where a tape needs it.
///
/// # Errors
/// There is no memory; the launch must not run then.
pub fn before_launch(kernel: &Kernel, ready: &Ready, args: &[Bound<'_, PyAny>]) -> PyResult<()> {
    if kernel.of(ready).reach().writes() {
        for array in arrays(args) {
            before_write(array.py(), array.get().view())?;
        }
    }
    Ok(())
}

/// Refuses a launch whose gradient would mix up arrays: one that is written and reached by two paths. Derivatives take
/// arrays to be distinct.
///
/// # Errors
/// There is such an array.
pub fn check_apart(kernel: &Kernel, ready: &Ready, args: &[Bound<'_, PyAny>]) -> PyResult<()> {
    let compiled = &ready.compiled;
    let access = |name: &str| -> Access {
        let all = compiled.program.func.params.iter().zip(&compiled.access);
        let mut found = all.filter(|(p, _)| p.name.trim_start_matches('*') == name);
        let passed = found.next().map(|(_, access)| *access).unwrap_or_default();
        found.next().map_or(passed, |(_, reached)| *reached)
    };
    // What each argument stands for: itself, or all that its descriptions say.
    let mut seen: Vec<(&str, bool, bool, std::ops::Range<usize>)> = Vec::new();
    for (param, arg) in kernel.params.iter().zip(args) {
        let Ok(array) = arg.cast::<Array>() else {
            continue;
        };
        let is_description = nested_arrays::may_hold(array.get().view().elem);
        let how = access(&param.name);
        let list = match is_description {
            true => arrays(std::slice::from_ref(arg)),
            false => vec![array.clone()],
        };
        for array in list {
            let bytes = array.get().view().addresses();
            if how.loads || how.writes() {
                seen.push((&param.name, is_description, how.writes(), bytes));
            }
        }
    }
    for (n, (name, reached, writes, bytes)) in seen.iter().enumerate() {
        for (other, also, also_writes, others) in &seen[..n] {
            let apart = bytes.is_empty()
                || others.is_empty()
                || bytes.end <= others.start
                || others.end <= bytes.start;
            if apart || name == other || !(*reached || *also) || !(*writes || *also_writes) {
                continue;
            }
            return Err(error(
                Code::Runtime,
                format!(
                    "gradient of kernel '{}': '{other}' and '{name}' lead to the same memory, and the kernel writes it; \
                     put separate arrays into the structs",
                    kernel.title()
                ),
            ));
        }
    }
    Ok(())
}
