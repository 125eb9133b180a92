//! Running an algorithm: at once and without Python's lock, or as a step of this thread's capture.

use crate::object::access::check_current;
use crate::object::capture_state::{self, Place, Step, add, is_short, on, shown};
use crate::object::error::{Code, error, refuse};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::abi::Strided;
use warp_core::algorithm::cuda::load;
use warp_core::array::{Array as Core, View};
use warp_core::device::Device;
use warp_core::error::Result as Outcome;
use warp_dlpack::referent;

/// What an algorithm reads, then what it writes.
pub type Views = SmallVec<[View; 4]>;

/// Carries out an algorithm on arrays: those that it reads, then those that it writes.
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
    let views: Views = reads.iter().chain(writes).map(|core| core.view).collect();
    if capture_state::capturing() {
        if views.iter().any(|view| view.device != Device::Cpu) {
            let act = &act;
            let views = views.clone();
            let loaded = py.detach(move || load(|| act(&views)));
            loaded.map_err(refuse(py, place))?;
        }
        let cores = reads.iter().chain(writes).map(|core| (*core).clone());
        return add(Box::new(Algorithm {
            place,
            cores: cores.collect(),
            reads: reads.len(),
            act: Box::new(act),
        }));
    }
    py.detach(move || act(&views)).map_err(refuse(py, place))
}

/// Refuses to give a result to Python in a capture.
///
/// # Errors
/// This thread captures.
pub fn check_result(place: &str, argument: &str) -> PyResult<()> {
    if !capture_state::capturing() {
        return Ok(());
    }
    let text = format!(
        "{place}: within a capture there is no result yet; give {argument}, an array that each run of the graph writes"
    );
    Err(error(Code::Runtime, text))
}

/// What does it.
type Act = Box<dyn Fn(&Views) -> Outcome<()> + Send + Sync>;

/// An algorithm as a step.
struct Algorithm {
    place: &'static str,
    cores: SmallVec<[Core; 4]>,
    /// How many of them are only read.
    reads: usize,
    act: Act,
}

impl Step for Algorithm {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        (self.cores.iter()).try_for_each(|core| visit.call(referent(&core.owner)))
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        for core in &self.cores[self.reads..] {
            each(&core.view.strided());
        }
    }
    fn check(&self) -> PyResult<()> {
        (self.cores.iter()).try_for_each(|core| check_current(core, "a graph"))
    }
    fn is_short(&self) -> bool {
        self.cores.iter().all(|core| is_short(&core.view))
    }
    fn run(&self, _: &dyn Fn() -> bool) -> PyResult<()> {
        let views = self.cores.iter().map(|core| core.view).collect();
        (self.act)(&views).map_err(|e| Python::attach(|py| refuse(py, self.place)(e)))
    }
    fn name(&self) -> String {
        let cores = self.cores.iter().map(|core| shown(&core.view));
        format!("{} {}", self.place, cores.collect::<Vec<_>>().join(", "))
    }
    fn place(&self) -> Place {
        // All are on one device.
        self.cores
            .first()
            .map_or(Place::Host, |core| on(&core.view))
    }
}
