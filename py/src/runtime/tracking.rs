//! What `wp.ScopedMemoryTracker` and `wp.print_memory_report` ask and say.

use super::gate;
use crate::object::package::PACKAGE;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use warp_core::array::tracking;

/// By device: its name, how often memory was made, bytes in all, bytes now, bytes at most.
type Totals = Vec<(String, u64, u64, u64, u64)>;
/// By scope: its path, the device, how often memory was made, bytes in all.
type Scopes = Vec<(String, String, u64, u64)>;
/// What there is: its number, the bytes, the device, what it is for, where it was made.
type Pieces = Vec<(u64, u64, String, String, String)>;

/// Begins to keep account of the memory of arrays, or ends it: as often as it was begun.
#[pyfunction]
fn _track(on: bool) {
    if on {
        tracking::install_place(place);
        tracking::begin();
    } else {
        tracking::end();
    }
}

/// What `wp.config.track_memory` says.
pub fn configure(on: bool) {
    static ON: AtomicBool = AtomicBool::new(false);
    if ON.swap(on, Ordering::Relaxed) != on {
        _track(on);
    }
}

/// Enters a scope of this thread, or leaves the innermost one.
#[pyfunction]
#[pyo3(signature = (name))]
fn _track_scope(name: Option<&str>) {
    match name {
        Some(name) => tracking::enter(name),
        None => tracking::leave(),
    }
}

/// Forgets what is known.
#[pyfunction]
fn _track_clear() {
    tracking::clear();
}

/// Whether account is kept.
#[pyfunction]
fn _tracking() -> bool {
    tracking::active()
}

/// What is known of the memory of arrays.
#[pyfunction]
fn _tracked() -> (Totals, Scopes, Pieces) {
    let known = tracking::known();
    let totals = known.devices.iter();
    let totals = totals.map(|(d, t)| (d.to_string(), t.count, t.bytes, t.live, t.peak));
    let scopes = known.scopes.iter();
    let scopes =
        scopes.map(|((path, d), (count, bytes))| (path.to_string(), d.to_string(), *count, *bytes));
    let mut memories: Vec<_> = known.live.into_values().collect();
    memories.sort_by_key(|memory| memory.number);
    let memories = memories.into_iter();
    let memories = memories.map(|p| (p.number, p.size, p.device.to_string(), p.what, p.place));
    (totals.collect(), scopes.collect(), memories.collect())
}

/// The line of the program's text, where this thread may ask Python.
fn place() -> Option<String> {
    if !gate::has_lock() {
        return None;
    }
    Python::attach(|py| {
        let line = PACKAGE.caller_line.call(py, ());
        // A report without a place is better than memory that cannot be had.
        line.and_then(|line| line.extract()).unwrap_or_default()
    })
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_track, m)?)?;
    m.add_function(wrap_pyfunction!(_track_scope, m)?)?;
    m.add_function(wrap_pyfunction!(_track_clear, m)?)?;
    m.add_function(wrap_pyfunction!(_tracking, m)?)?;
    m.add_function(wrap_pyfunction!(_tracked, m)?)
}
