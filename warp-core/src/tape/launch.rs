//! A launch on a tape: its arguments, and what its gradient needs of them.

use super::adjoint::{Aliases, Kernel};
use super::host::{Differentiable, Host};
use super::plan::Use;
use super::saved::Saved;
use crate::abi::Strided;
use crate::command::Snapshot;
use crate::device::Stream;
use crate::ir::ParamType;
use crate::launch::{Block, Dims};
use crate::pass::access::Access;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A launch with its arguments.
pub struct TapedLaunch<H: Host> {
    /// What was launched.
    pub kernel: H::Kernel,
    /// Where.
    pub stream: Stream,
    /// Over what.
    pub dims: Dims,
    /// The arguments, followed by the arrays that they lead to.
    pub args: Vec<H::Value>,
    /// As in [`crate::module::Reverse::aliases`].
    pub aliases: Aliases,
    /// What the program keeps besides.
    pub more: H::More,
    /// The arguments that are no arrays as the launch read them, one after the other: objects may change.
    values: Box<[u8]>,
    saved: Mutex<Saved<H::Value>>,
}

impl<H: Host> TapedLaunch<H> {
    /// A launch whose arguments were packed into a block.
    pub fn new(
        kernel: H::Kernel,
        (stream, dims): (Stream, Dims),
        block: &Block,
        args: Vec<H::Value>,
        (saved, aliases): (Saved<H::Value>, Aliases),
        more: H::More,
    ) -> TapedLaunch<H> {
        TapedLaunch {
            stream,
            dims,
            args,
            aliases,
            more,
            values: values(&kernel, block),
            saved: Mutex::new(saved),
            kernel,
        }
    }

    /// What the gradient needs. Nothing else is locked meanwhile, and no code of others runs.
    pub fn saved(&self) -> MutexGuard<'_, Saved<H::Value>> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless somebody else has it.
    pub fn try_saved(&self) -> Option<MutexGuard<'_, Saved<H::Value>>> {
        self.saved.try_lock().ok()
    }

    /// The snapshot of an argument, if there is one.
    pub fn snapshot(&self, at: usize) -> Option<Arc<Snapshot>> {
        self.saved().0.get(at)?.as_ref()?.snapshot.clone()
    }

    /// Whether the content is there that an argument had before the launch, of which the launch may have overwritten some;
    /// `changes`: the adjoint changes it.
    pub fn has_prior(&self, at: usize, changes: bool) -> bool {
        let saved = self.saved();
        let one = saved.0.get(at).and_then(Option::as_ref);
        one.is_some_and(|one| one.is_overwritten() || !changes || one.is_empty())
    }

    /// The kernel, for those who ask for its parameters.
    pub fn kernel(&self) -> Kernel<'_> {
        Kernel {
            title: self.kernel.title(),
            compiled: self.kernel.compiled(),
        }
    }

    /// Each argument that is no array, as the launch read it.
    pub fn values(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let mut rest = &*self.values;
        self.kernel().params().iter().map(move |param| {
            let ParamType::Elem(elem) = param.ty else {
                return None;
            };
            let (value, after) = rest.split_at(elem.size());
            rest = after;
            Some(value)
        })
    }

    /// Takes a snapshot of what arrays hold now, wherever there is none.
    ///
    /// # Errors
    /// There is no memory.
    pub fn save(&self, at: H::Context<'_>) -> Result<(), H::Error> {
        // Code of others runs: not while the needs are locked.
        let mut saved = std::mem::take(&mut *self.saved());
        let mut outcome = Ok(());
        for (one, value) in saved.0.iter_mut().zip(&self.args) {
            if let Some(one) = one
                && one.snapshot.is_none()
                && outcome.is_ok()
            {
                outcome = H::save(at, one, value);
            }
        }
        *self.saved() = saved;
        outcome
    }

    /// Looks at what the launch has left, once it has run.
    ///
    /// # Errors
    /// There is no memory.
    pub fn ran(&self) -> Result<(), H::Error> {
        let all: SmallVec<[Arc<Snapshot>; 8]> = self.saved().snapshots().cloned().collect();
        let mut all = all.iter();
        all.try_for_each(|s| s.remember()).map_err(H::error)
    }

    /// How the launch uses each array; values use nothing.
    ///
    /// # Errors
    /// An argument is no array any more.
    pub fn uses(&self, at: H::Context<'_>) -> Result<Vec<Use>, H::Error> {
        let kernel = self.kernel();
        let params = kernel.params().iter().zip(&kernel.compiled.access);
        let own = params.enumerate().map(|(parameter, (param, access))| {
            if !matches!(param.ty, ParamType::Array { .. }) {
                return Ok(Use::NOTHING);
            }
            let launch = (&self.kernel, self.stream);
            let array = H::argument(at, launch, &self.args[parameter], parameter)?;
            let strided = kernel.strided(parameter, array);
            Ok(Use::of(strided, &access_of(*access)))
        });
        let how = access_of(kernel.reach());
        let reached = self.args[kernel.params().len()..].iter().map(|value| {
            let view = H::view(at, value);
            Ok(view.map_or(Use::NOTHING, |view| Use::of(view.strided(), &how)))
        });
        own.chain(reached).collect()
    }
}

fn access_of(access: Access) -> Use {
    Use {
        reads: access.loads,
        writes: access.writes(),
        ..Use::NOTHING
    }
}

impl Use {
    /// A use of an array, as `how` says.
    pub fn of(array: Strided, how: &Use) -> Use {
        Use {
            bytes: array.bytes(),
            array: Some(array),
            ..how.clone()
        }
    }
}

/// The arguments that are no arrays, out of an argument block.
fn values(kernel: &impl Differentiable, block: &Block) -> Box<[u8]> {
    let program = &kernel.compiled().program;
    let params = (program.func.arguments().iter()).zip(&program.layout.offsets);
    let mut all: SmallVec<[u8; 64]> = SmallVec::new();
    for (param, offset) in params {
        if let ParamType::Elem(elem) = param.ty {
            all.extend_from_slice(block.bytes(*offset, elem.size()));
        }
    }
    all.as_slice().into()
}
