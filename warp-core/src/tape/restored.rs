//! What arrays held when a launch was recorded, put together for its adjoint.
//!
//! Where all of an array was copied, that copy is given to the adjoint. Of a part, or of a part and what followed
//! ([`Snapshot::restore`]), an array of the same shape is made in which the part is right; the rest of it is not read. On the CPU the
//! adjoints of a pass share such an array, since each has ended before the next begins.

use super::saved::SavedArray;
use crate::array::{Array, View};
use crate::command::{Command, Copy, Snapshot, capture, perform};
use crate::device::{Device, Stream};
use crate::error::Result;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// The arrays that a pass has made.
#[derive(Default)]
pub struct Restored(RefCell<HashMap<(usize, bool), Shared>>);

/// An array that adjoints share.
struct Shared {
    of: View,
    array: Array,
    /// The snapshot whose content all of it is.
    holds: Option<Arc<Snapshot>>,
}

impl Restored {
    /// What an array held; None for what it holds now.
    ///
    /// # Errors
    /// There is no memory.
    pub fn content<V>(
        &self,
        saved: &SavedArray<V>,
        array: &View,
        on: Stream,
    ) -> Result<Option<Array>> {
        let Some(snapshot) = &saved.snapshot else {
            return Ok(None);
        };
        if !saved.is_overwritten() {
            return Ok(None);
        }
        match snapshot.kept() {
            Some(copy) if saved.region.is_none() => return Ok(Some(copy.clone())),
            _ => {}
        }
        if array.device != Device::Cpu || capture::capturing() {
            return alone(saved, snapshot, array, on).map(Some);
        }
        let mut all = self.0.borrow_mut();
        let key = (array.arg.data as usize, saved.region.is_some());
        let known = all.get(&key).filter(|shared| shared.of == *array);
        let mut shared = match known {
            Some(_) => all.remove(&key).expect("it was found"),
            None => Shared {
                of: *array,
                array: empty(array, on)?,
                holds: None,
            },
        };
        if !shared
            .holds
            .as_ref()
            .is_some_and(|held| Arc::ptr_eq(held, snapshot))
        {
            let to = saved.part(&shared.array);
            snapshot.restore(&to, shared.holds.as_ref(), on.into())?;
        }
        shared.holds = saved.region.is_none().then(|| snapshot.clone());
        let found = shared.array.clone();
        all.insert(key, shared);
        Ok(Some(found))
    }
}

/// What an array held, in memory that no other adjoint uses: on a device it may run at any time.
fn alone<V>(
    saved: &SavedArray<V>,
    snapshot: &Arc<Snapshot>,
    array: &View,
    on: Stream,
) -> Result<Array> {
    let all = empty(array, on)?;
    let to = saved.part(&all);
    match snapshot.kept() {
        Some(copy) if capture::capturing() => {
            let (from, name) = (copy.clone(), "copy");
            perform(Command::Copy(Copy { to, from, name }))?;
        }
        _ => snapshot.restore(&to, None, on.into())?,
    }
    Ok(all)
}

/// An array of the same shape.
fn empty(array: &View, on: Stream) -> Result<Array> {
    let layout = array.layout();
    let shape: SmallVec<[i64; 4]> = layout.shape().iter().map(|n| i64::from(*n)).collect();
    let made = Array::empty(array.elem, &shape, on);
    made.map_err(|e| e.within("what a tape keeps").of_array())
}
