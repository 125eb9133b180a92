//! The adjoints of a kernel, each made when it is first asked for, and what their gradients need.

use super::program::Program;
use crate::adjoint::{Adjoint, Data, Report};
use crate::interruptible_lock::InterruptibleLock;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Which adjoint of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reverse {
    /// Parameters that were given the same array as another one: entry `i` is the parameter that stands
    /// for `i`. Empty: each for itself.
    pub aliases: Vec<u32>,
    /// Parameters whose gradient is set to zero after it is read; see [`crate::adjoint::Options`].
    pub consume: Vec<u32>,
}

/// One of a kernel's adjoints.
#[derive(Debug)]
pub struct CachedAdjoint {
    pub(super) reverse: Reverse,
    /// As IR, with the report.
    pub reversed: Adjoint,
    pub(super) program: OnceLock<Program>,
}

impl CachedAdjoint {
    /// The adjoint to be run, once it has been made.
    pub fn program(&self) -> Option<&Program> {
        self.program.get()
    }
}

/// Which content of arrays the gradient of a launch may need, whatever a tape does with the launch: what the adjoints may read,
/// for arguments of which some are the same array.
#[derive(Debug)]
pub struct Needed {
    /// As in [`Reverse::aliases`].
    pub(super) aliases: Vec<u32>,
    /// The parameters whose content is read, and which content.
    pub arrays: Vec<(usize, Data)>,
    /// As in [`Report::reaches`].
    pub reaches: bool,
}

impl Needed {
    /// As in [`Reverse::aliases`].
    pub fn aliases(&self) -> &[u32] {
        &self.aliases
    }

    pub(super) fn of(aliases: &[u32], report: &Report) -> Needed {
        let kept = |data: Data| !matches!(data, Data::None | Data::Live);
        let read = report.arrays.iter().filter(|a| kept(a.data));
        Needed {
            aliases: aliases.to_vec(),
            arrays: read.map(|a| (a.param.0 as usize, a.data)).collect(),
            reaches: report.reaches,
        }
    }
}

/// The adjoints that a kernel has by now.
#[derive(Debug, Default)]
pub(super) struct Adjoints {
    made: Mutex<Vec<Arc<CachedAdjoint>>>,
    needed: Mutex<Vec<Arc<Needed>>>,
    /// Held by who makes one.
    pub(super) making: InterruptibleLock,
}

impl Adjoints {
    pub(super) fn made(&self) -> MutexGuard<'_, Vec<Arc<CachedAdjoint>>> {
        lock(&self.made)
    }

    pub(super) fn needed(&self) -> MutexGuard<'_, Vec<Arc<Needed>>> {
        lock(&self.needed)
    }
}

fn lock<T>(all: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under the lock panics half way.
    all.lock().unwrap_or_else(PoisonError::into_inner)
}
