//! Running an algorithm: at once and without Python's lock, or as a command that a capture takes.

use crate::object::error::{Code, error};
use pyo3::prelude::*;
use warp_core::array::Array as Core;
use warp_core::command::{Algorithm, Command, capture, offer};
use warp_core::device::{Stream, Streams};
use warp_core::error::{Error, Result as Outcome};
use warp_dlpack::raise;

pub use warp_core::command::Views;

/// Carries out an algorithm of the host on arrays: those that it reads, then those that it writes.
///
/// # Errors
/// What the algorithm says, or a capture.
pub fn perform(
    py: Python<'_>,
    place: &'static str,
    reads: &[&Core],
    writes: &[&Core],
    act: impl Fn(&Views) -> Outcome<()> + Send + Sync + 'static,
) -> PyResult<()> {
    perform_on(py, place, reads, writes, move |views, _| act(views))
}

/// [`perform`] on whatever device the arrays are: the algorithm is told the stream.
///
/// # Errors
/// As [`perform`].
pub fn perform_on(
    py: Python<'_>,
    place: &'static str,
    reads: &[&Core],
    writes: &[&Core],
    act: impl Fn(&Views, Stream) -> Outcome<()> + Send + Sync + 'static,
) -> PyResult<()> {
    offered(py, place, Algorithm::new(place, reads, writes, act))
}

/// [`perform_on`] of what the host does, whatever device the arrays are on: in graphs, between what a GPU does.
///
/// # Errors
/// As [`perform`].
pub fn perform_by_host(
    py: Python<'_>,
    place: &'static str,
    reads: &[&Core],
    writes: &[&Core],
    act: impl Fn(&Views, Stream) -> Outcome<()> + Send + Sync + 'static,
) -> PyResult<()> {
    offered(
        py,
        place,
        Algorithm::new(place, reads, writes, act).by_host(),
    )
}

fn offered(py: Python<'_>, place: &'static str, algorithm: Algorithm) -> PyResult<()> {
    let refused = |e: Error| raise(py, e.within(place).of_array());
    if capture::capturing() {
        py.detach(|| algorithm.load()).map_err(refused)?;
    }
    match offer(Command::Algorithm(algorithm)).map_err(refused)? {
        Some(command) => py.detach(|| command.run(Streams::CURRENT, &|| false)),
        None => Ok(()),
    }
    .map_err(|e| raise(py, e))
}

/// Refuses to give a result to Python in a capture.
///
/// # Errors
/// This thread captures.
pub fn check_result(place: &str, argument: &str) -> PyResult<()> {
    if !capture::capturing() {
        return Ok(());
    }
    let text = format!(
        "{place}: within a capture there is no result yet; give {argument}, an array that each run of the graph writes"
    );
    Err(error(Code::Runtime, text))
}
