//! Algorithms on whole arrays.

use super::place::Place;
use super::transfer::is_short;
use crate::algorithm::cuda::load;
use crate::array::{Array, View};
use crate::device::{Device, Stream, Streams};
use crate::error::Result;
use crate::timeline::{self, Name, What};
use smallvec::SmallVec;

/// What an algorithm reads, then what it writes.
pub type Views = SmallVec<[View; 4]>;

/// What does it.
type Act = Box<dyn Fn(&Views, Stream) -> Result<()> + Send + Sync>;

/// An algorithm on arrays of one device.
pub struct Algorithm {
    /// What it is called.
    pub name: &'static str,
    pub(super) arrays: SmallVec<[Array; 4]>,
    /// How many of them are only read.
    pub(super) reads: usize,
    /// The host does it, wherever the arrays are.
    by_host: bool,
    act: Act,
}

impl Algorithm {
    /// An algorithm on arrays: those that it reads, then those that it writes.
    pub fn new(
        name: &'static str,
        reads: &[&Array],
        writes: &[&Array],
        act: impl Fn(&Views, Stream) -> Result<()> + Send + Sync + 'static,
    ) -> Algorithm {
        let arrays = reads.iter().chain(writes).map(|array| (*array).clone());
        Algorithm {
            name,
            arrays: arrays.collect(),
            reads: reads.len(),
            by_host: false,
            act: Box::new(act),
        }
    }

    /// The same, if the host does it, wherever the arrays are.
    #[must_use]
    pub fn by_host(self) -> Algorithm {
        Algorithm {
            by_host: true,
            ..self
        }
    }

    /// The arrays that it writes.
    pub fn written(&self) -> &[Array] {
        &self.arrays[self.reads..]
    }

    /// The device of the arrays.
    pub fn device(&self) -> Device {
        let first = self.arrays.first();
        first.map_or(Device::Cpu, |array| array.view.device)
    }

    /// Does it.
    ///
    /// # Errors
    /// What the algorithm or the device says.
    pub fn run(&self, streams: Streams) -> Result<()> {
        let begun = timeline::begin();
        let outcome = self.act(streams);
        timeline::end(begun, || {
            let device = self.device();
            (Name::Fixed(self.name), What::Algorithm { device })
        });
        outcome
    }

    /// Loads what it needs on a GPU, and does nothing else, so that a graph that is recorded later finds that.
    ///
    /// # Errors
    /// What the driver says.
    pub fn load(&self) -> Result<()> {
        match self.place() {
            Place::Host => Ok(()),
            _ => load(|| self.act(Streams::CURRENT)),
        }
    }

    fn act(&self, streams: Streams) -> Result<()> {
        let views = self.arrays.iter().map(|array| array.view).collect();
        (self.act)(&views, streams.of(self.device())?)
    }

    pub(super) fn is_short(&self) -> bool {
        self.arrays.iter().all(|array| is_short(&array.view))
    }

    pub(super) fn place(&self) -> Place {
        let first = self.arrays.first().filter(|_| !self.by_host);
        first.map_or(Place::Host, |array| Place::of(&array.view))
    }
}
