//! What this library keeps on each GPU.

use crate::backend::cuda::code::loaded::Loaded;
use crate::backend::cuda::graph::conditions;
use crate::backend::cuda::launch::fault::Board;
use crate::backend::cuda::launch::objects::Objects;
use crate::backend::cuda::memory::strided::Copier;
use crate::device::cuda::{Gpu, gpus};
use crate::error::{Bug, Error, Result};
use std::sync::OnceLock;

/// What this library keeps on a GPU, until the process ends.
#[derive(Debug)]
pub struct State {
    /// Where kernels note faults.
    pub board: Board,
    copier: OnceLock<Result<Copier>>,
    conditions: OnceLock<Result<Loaded>>,
    objects: OnceLock<Result<Objects>>,
}

impl State {
    /// The state of a GPU, made when it is first needed.
    ///
    /// # Errors
    /// What the driver says.
    #[inline]
    pub fn of(gpu: &Gpu) -> Result<&'static State> {
        static STATES: OnceLock<Vec<OnceLock<Result<State>>>> = OnceLock::new();
        let all = STATES.get_or_init(|| gpus().iter().map(|_| OnceLock::new()).collect());
        let Some(one) = all.get(usize::from(gpu.ordinal.get())) else {
            return Err(Bug(format!("{} is not a device of this machine", gpu.device())).into());
        };
        let state = one.get_or_init(|| {
            Ok(State {
                board: Board::new(gpu)?,
                copier: OnceLock::new(),
                conditions: OnceLock::new(),
                objects: OnceLock::new(),
            })
        });
        state.as_ref().map_err(Error::clone)
    }

    /// What copies between layouts.
    ///
    /// # Errors
    /// What the driver says.
    pub fn copier(&self, gpu: &'static Gpu) -> Result<&Copier> {
        let copier = self.copier.get_or_init(|| Copier::new(gpu));
        copier.as_ref().map_err(Error::clone)
    }

    /// The table of objects.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn objects(&self, gpu: &Gpu) -> Result<&Objects> {
        let objects = self.objects.get_or_init(|| Objects::new(gpu));
        objects.as_ref().map_err(Error::clone)
    }

    /// The kernel that sets conditions of graph nodes.
    ///
    /// # Errors
    /// The driver is older than such nodes.
    pub fn conditions(&self, gpu: &'static Gpu) -> Result<&Loaded> {
        let conditions = self.conditions.get_or_init(|| conditions::load(gpu));
        conditions.as_ref().map_err(Error::clone)
    }
}
