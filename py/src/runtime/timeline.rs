//! What `wp.ScopedTrace` and `WARP_TRACE` ask, and conversions as events.

use pyo3::prelude::*;
use std::path::PathBuf;
use warp_core::timeline::{self, Name, Session, What};

/// A time in which events are kept, until it is written.
#[pyclass(name = "_TimelineSession", module = "warp", frozen)]
struct Kept(Session);

#[pymethods]
impl Kept {
    /// Begins to keep events.
    #[new]
    fn new() -> Kept {
        Kept(Session::begin())
    }

    /// Ends it and writes them: how many, and how many there was no room for. None: this is a child that was forked meanwhile.
    /// Must be called once.
    fn finish(&self, py: Python<'_>, path: PathBuf) -> PyResult<Option<(usize, usize)>> {
        let summary = py.detach(|| self.0.finish(&path))?;
        Ok(summary.map(|s| (s.written, s.dropped)))
    }
}

/// Runs a conversion, and records it while tracing is enabled.
#[inline(always)]
pub fn conversion<T>(name: &'static str, convert: impl FnOnce() -> T) -> T {
    let begun = timeline::begin();
    let made = convert();
    timeline::end(begun, || (Name::Fixed(name), What::Conversion));
    made
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Kept>()
}
