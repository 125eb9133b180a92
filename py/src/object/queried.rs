//! Objects that kernels query by id and that have arrays, such as meshes: what a tape has to know of these.

use super::array::Array;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// An object with arrays.
pub trait Queried: Send + Sync {
    /// The arrays that queries read.
    fn arrays<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, Array>>;
    /// Says again where the gradients of these lie.
    ///
    /// # Errors
    /// A gradient lies otherwise than its array.
    fn refresh(&self, py: Python<'_>) -> PyResult<()>;
}

fn all() -> MutexGuard<'static, Option<HashMap<u64, Weak<dyn Queried>>>> {
    static ALL: Mutex<Option<HashMap<u64, Weak<dyn Queried>>>> = Mutex::new(None);
    // Nothing under the lock panics half way.
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes an object known by its id.
pub fn register(id: u64, object: &Arc<dyn Queried>) {
    let mut all = all();
    let known = all.get_or_insert_default();
    known.retain(|_, object| object.strong_count() > 0);
    known.insert(id, Arc::downgrade(object));
}

/// The object that an argument is, or is the id of.
pub fn find(value: &Bound<'_, PyAny>) -> Option<Arc<dyn Queried>> {
    if value.is_instance_of::<Array>() || all().is_none() {
        return None;
    }
    let id = value.extract::<u64>().ok()?;
    all().as_ref()?.get(&id)?.upgrade()
}

/// All objects.
pub fn each() -> Vec<Arc<dyn Queried>> {
    let all = all();
    all.iter()
        .flat_map(HashMap::values)
        .filter_map(Weak::upgrade)
        .collect()
}
