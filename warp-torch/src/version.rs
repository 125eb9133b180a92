//! How often a tensor was changed in place. torch counts that, to know whether what it saved for a gradient is still there;
//! a launch that writes a tensor counts too.
//!
//! A tape watches a tensor's memory by its version ([`changes`]) and is told of such launches otherwise; it must not take them for
//! changes by others: those that happen meanwhile are not counted there.

use crate::direct;
use crate::tensor::is_known;
use pyo3::intern;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use warp_dlpack::Lenient;

/// How often launches have changed watched tensors, by the address of their version.
static LAUNCHES: Mutex<Option<HashMap<usize, u64>>> = Mutex::new(None);

fn launches() -> MutexGuard<'static, Option<HashMap<usize, u64>>> {
    LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells torch that a tensor is about to be written; `watched`: versions are watched. What has no version, such as a
/// tensor of torch's inference mode, stays as it is.
///
/// # Errors
/// Code of the user's that must not be held up: a signal.
pub fn count_write(tensor: &Bound<'_, PyAny>, watched: bool) -> PyResult<()> {
    if let Some(version) = version(tensor) {
        version.fetch_add(1, Ordering::Relaxed);
        if watched {
            let mut launches = launches();
            let known = launches.get_or_insert_default();
            *known.entry(address_of(version)).or_default() += 1;
        } else if let Ok(mut launches) = LAUNCHES.try_lock() {
            // Nobody has looked at a version who will look again.
            launches.take();
        }
        return Ok(());
    }
    // Whoever watches could not tell this from a change by others.
    if watched {
        return Ok(());
    }
    let py = tensor.py();
    let graph = py.import("torch.autograd.graph");
    let count = graph.and_then(|m| m.getattr("increment_version"));
    count.and_then(|count| count.call1((tensor,))).lenient()?;
    Ok(())
}

/// How often a tensor was changed by others than launches; None where torch does not count.
pub fn changes(tensor: &Bound<'_, PyAny>) -> Option<u64> {
    let py = tensor.py();
    let number: u64 = tensor
        .getattr(intern!(py, "_version"))
        .or_note()?
        .extract()
        .ok()?;
    let own = launches()
        .as_ref()
        .and_then(|known| known.get(&address_of(version(tensor)?)).copied());
    Some(number.wrapping_sub(own.unwrap_or(0)))
}

/// Where torch counts the changes of a tensor or of a subclass, if it is plain.
fn version<'a>(tensor: &'a Bound<'_, PyAny>) -> Option<&'a AtomicU32> {
    is_known(tensor).then(|| direct::version(tensor)).flatten()
}

fn address_of(version: &AtomicU32) -> usize {
    std::ptr::from_ref(version) as usize
}
