//! What the gradient of a launch needs of arrays: the content that they had then.

use crate::adjoint::Data;
use crate::array::Array;
use crate::command::Snapshot;
use crate::error::Error;
use crate::launch::Touched;
use crate::module::Needed;
use crate::pass::regions::{Region, Which};
use std::sync::Arc;

/// The content of an array that a gradient needs.
pub struct SavedArray<V> {
    /// What the array held when the launch was recorded; without it, what it holds when the gradient is taken.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The elements of which that is the content; None for all.
    pub region: Option<Region>,
    /// What tells whether others have changed it: a framework's tensor that the launch was given.
    pub counted: Option<V>,
}

impl<V> SavedArray<V> {
    /// The elements that are needed, of an array.
    pub fn part(&self, array: &Array) -> Array {
        match &self.region {
            Some(region) => array.with_view(array.view.part(region)),
            None => array.clone(),
        }
    }

    /// Whether something has overwritten what is needed.
    pub fn is_overwritten(&self) -> bool {
        let snapshot = self.snapshot.as_ref();
        snapshot.is_some_and(|s| s.overwritten().is_some())
    }

    /// Whether no element is needed.
    pub fn is_empty(&self) -> bool {
        self.region.is_some_and(|region| region.is_empty())
    }
}

/// What the gradient of a launch needs of its arguments, and then of the arrays that these lead to; empty if no gradient is wanted.
pub struct Saved<V>(pub Vec<Option<SavedArray<V>>>);

impl<V> Default for Saved<V> {
    fn default() -> Saved<V> {
        Saved(Vec::new())
    }
}

/// Takes a snapshot of an argument, or of an array behind those: of the elements that are needed.
pub type Take<'a, V, E> = &'a dyn Fn(usize, Option<Region>) -> Result<SavedArray<V>, E>;

impl<V> Saved<V> {
    /// What is needed of what arrays hold before the launch; `reached`: so many arrays are behind the arguments.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn before<E>(
        touched: &Touched<'_>,
        needed: &Needed,
        (params, reached): (usize, usize),
        take: Take<'_, V, E>,
    ) -> Result<Saved<V>, E> {
        let mut arrays = Vec::with_capacity(params);
        arrays.resize_with(params, || None);
        if needed.reaches {
            let each = (params..params + reached).map(|at| take(at, None).map(Some));
            arrays.extend(each.collect::<Result<Vec<_>, E>>()?);
        }
        for (at, data) in needed.arrays.iter().filter(|(_, d)| *d != Data::After) {
            arrays[*at] = Some(take(*at, needed.region(touched, *at, *data))?);
        }
        Ok(Saved(arrays))
    }

    /// Takes snapshots of what the launch leaves: once everything that it overwrites is kept. `verify`: unannounced changes of the
    /// others are to be found out.
    ///
    /// # Errors
    /// Those of `take`, or there is no memory.
    pub fn after<E>(
        &mut self,
        touched: &Touched<'_>,
        needed: &Needed,
        verify: bool,
        take: Take<'_, V, E>,
        error: fn(Error) -> E,
    ) -> Result<(), E> {
        for (at, _) in needed.arrays.iter().filter(|_| verify) {
            let array = self.0[*at].as_ref();
            if let Some(snapshot) = array.and_then(|array| array.snapshot.as_ref()) {
                snapshot.remember().map_err(error)?;
            }
        }
        // Nobody has overwritten yet what the launch leaves.
        for (at, data) in needed.arrays.iter().filter(|(_, d)| *d == Data::After) {
            self.0[*at] = Some(take(*at, needed.region(touched, *at, *data))?);
        }
        Ok(())
    }

    /// The snapshots.
    pub fn snapshots(&self) -> impl Iterator<Item = &Arc<Snapshot>> {
        let arrays = self.0.iter().flatten();
        arrays.filter_map(|array| array.snapshot.as_ref())
    }

    /// Drops the snapshots that do not stay. Returns what is to be dropped without locks.
    pub fn release(&mut self, stays: impl Fn(u64) -> bool) -> Vec<Arc<Snapshot>> {
        let mut dropped = Vec::new();
        for array in self.0.iter_mut().flatten() {
            let overwritten = array.snapshot.as_ref().and_then(|s| s.overwritten());
            if !overwritten.is_some_and(&stays) {
                dropped.extend(array.snapshot.take());
            }
        }
        dropped
    }
}

impl Needed {
    /// The elements of an array that the gradient of a launch reads, or changes and restores; None for all.
    fn region(&self, touched: &Touched<'_>, at: usize, data: Data) -> Option<Region> {
        let which = Which {
            loads: true,
            stores: matches!(data, Data::Scratch | Data::After),
        };
        touched.region(at, self.aliases(), which)
    }
}
