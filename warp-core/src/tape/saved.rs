//! What the gradient of a launch needs of arrays: the content that they had then.

use super::adjoint::Kernel;
use crate::adjoint::Data;
use crate::command::Snapshot;
use crate::command::snapshot::Kept;
use crate::module::Needed;
use std::sync::Arc;

/// The content of an array that a gradient needs.
pub struct Need<V> {
    /// What the array held when the launch was recorded; without it, what it holds when the gradient is taken.
    pub snapshot: Option<Arc<Snapshot>>,
    /// What tells whether others have changed it: a framework's tensor that the launch was given.
    pub counted: Option<V>,
}

impl<V> Need<V> {
    /// The copy, if the array was overwritten.
    pub fn kept(&self) -> Option<&Kept> {
        self.snapshot.as_ref()?.kept()
    }
}

/// What the gradient of a launch needs of its arguments, and then of the arrays that these lead to; empty if no gradient is wanted.
pub struct Saved<V>(pub Vec<Option<Need<V>>>);

impl<V> Default for Saved<V> {
    fn default() -> Saved<V> {
        Saved(Vec::new())
    }
}

impl<V> Saved<V> {
    /// What is needed of what arrays hold before the launch; `take` takes a snapshot of an argument, or of one of the `reached` arrays
    /// behind those.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn before<E>(
        kernel: Kernel<'_>,
        needed: &Needed,
        reached: usize,
        take: &dyn Fn(usize) -> Result<Need<V>, E>,
    ) -> Result<Saved<V>, E> {
        let count = kernel.params().len();
        let mut needs = Vec::new();
        needs.resize_with(count, || None);
        if needed.reaches {
            let each = (count..count + reached).map(|at| take(at).map(Some));
            needs.extend(each.collect::<Result<Vec<_>, E>>()?);
        }
        for (at, _) in needed.arrays.iter().filter(|(_, d)| *d != Data::After) {
            needs[*at] = Some(take(*at)?);
        }
        Ok(Saved(needs))
    }

    /// Copies what the launch is about to lose, and takes snapshots of what it leaves: once everything else that it overwrites is
    /// kept. `verify`: unannounced changes of the others are to be found out.
    ///
    /// # Errors
    /// Those of `take`, or there is no memory.
    pub fn after<E>(
        &mut self,
        needed: &Needed,
        verify: bool,
        take: &dyn Fn(usize) -> Result<Need<V>, E>,
        error: fn(crate::error::Error) -> E,
    ) -> Result<(), E> {
        for (at, data) in &needed.arrays {
            if let Some(need) = &self.0[*at]
                && let Some(snapshot) = &need.snapshot
            {
                let outcome = match data {
                    Data::Before | Data::Scratch => snapshot.keep(),
                    _ if verify => snapshot.remember(),
                    _ => Ok(()),
                };
                outcome.map_err(error)?;
            }
        }
        // Nobody has overwritten yet what the launch leaves.
        for (at, _) in needed.arrays.iter().filter(|(_, d)| *d == Data::After) {
            self.0[*at] = Some(take(*at)?);
        }
        Ok(())
    }

    /// The snapshots.
    pub fn snapshots(&self) -> impl Iterator<Item = &Arc<Snapshot>> {
        let needs = self.0.iter().flatten();
        needs.filter_map(|need| need.snapshot.as_ref())
    }

    /// Drops the snapshots that do not stay. Returns what is to be dropped without locks.
    pub fn release(&mut self, stays: impl Fn(&Kept) -> bool) -> Vec<Arc<Snapshot>> {
        let mut dropped = Vec::new();
        for need in self.0.iter_mut().flatten() {
            if !need.kept().is_some_and(&stays) {
                dropped.extend(need.snapshot.take());
            }
        }
        dropped
    }
}
