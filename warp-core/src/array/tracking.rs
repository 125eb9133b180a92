//! Tracking of our memory: how much was allocated, where, in which scope, and how much of it is left.
//!
//! While tracking is disabled, an allocation costs one more load, and a release a test.

use crate::device::Device;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many trackers are enabled.
static USERS: AtomicUsize = AtomicUsize::new(0);

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Says where the program is, such as a line of its text.
static PLACE: OnceLock<fn() -> Option<String>> = OnceLock::new();

thread_local! {
    /// The paths of the scopes that this thread is in, the innermost last.
    static SCOPES: RefCell<Vec<Arc<str>>> = const { RefCell::new(Vec::new()) };
}

/// What is known of memory.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// By device.
    pub devices: BTreeMap<Device, Total>,
    /// Count and bytes of what was made, by path of scopes and device.
    pub scopes: BTreeMap<(Arc<str>, Device), (u64, u64)>,
    /// What has not been given back, by address.
    pub live: HashMap<usize, LiveMemory>,
    /// How many there were.
    made: u64,
}

/// The memory of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How often memory was made.
    pub count: u64,
    /// How many bytes that were.
    pub bytes: u64,
    /// How many bytes there are.
    pub live: u64,
    /// How many bytes there were at most.
    pub peak: u64,
}

/// Memory that was made and not given back.
#[derive(Clone, Debug)]
pub struct LiveMemory {
    /// Its number in the order of making.
    pub number: u64,
    /// How many bytes it has.
    pub size: u64,
    /// Where it is.
    pub device: Device,
    /// What it is for.
    pub what: String,
    /// The place of the allocation; empty if unknown.
    pub place: String,
}

/// Whether tracking is enabled.
#[inline(always)]
pub fn active() -> bool {
    USERS.load(Ordering::Relaxed) != 0
}

/// Begins to keep account.
pub fn begin() {
    USERS.fetch_add(1, Ordering::Relaxed);
}

/// Takes one [`begin`] back. What is known stays, and is told of what is given back.
pub fn end() {
    USERS.fetch_sub(1, Ordering::Relaxed);
}

/// Installs the function that says where the program is. The first one stays.
pub fn install_place(place: fn() -> Option<String>) {
    let _ = PLACE.set(place);
}

/// What is made on this thread from now on belongs to a scope within that which it is in, until [`leave`].
pub fn enter(name: &str) {
    SCOPES.with_borrow_mut(|scopes| {
        let path = match scopes.last() {
            Some(outer) => format!("{outer}/{name}").into(),
            None => name.into(),
        };
        scopes.push(path);
    });
}

/// Leaves the innermost scope of this thread.
pub fn leave() {
    SCOPES.with_borrow_mut(|scopes| scopes.pop());
}

/// What is known.
pub fn known() -> Known {
    lock().clone().unwrap_or_default()
}

/// Forgets all.
pub fn clear() {
    *lock() = None;
}

fn lock() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes memory down that has been made.
#[cold]
pub fn made(address: usize, size: usize, device: Device) {
    // Without the lock: who says may run code that makes arrays.
    let place = PLACE.get().and_then(|place| place()).unwrap_or_default();
    let scope = SCOPES.with_borrow(|scopes| scopes.last().cloned());
    let size = size as u64;
    let mut known = lock();
    let known = known.get_or_insert_with(Known::default);
    known.made += 1;
    let total = known.devices.entry(device).or_default();
    total.count += 1;
    total.bytes += size;
    total.live += size;
    total.peak = total.peak.max(total.live);
    if let Some(scope) = scope {
        let (count, bytes) = known.scopes.entry((scope, device)).or_default();
        *count += 1;
        *bytes += size;
    }
    let memory = LiveMemory {
        number: known.made,
        size,
        device,
        what: String::new(),
        place,
    };
    known.live.insert(address, memory);
}

/// Says what memory is for.
#[cold]
pub fn describe(address: usize, what: String) {
    if let Some(memory) = (lock().as_mut()).and_then(|known| known.live.get_mut(&address)) {
        memory.what = what;
    }
}

/// Takes down that memory is given back.
#[cold]
pub fn gone(address: usize) {
    let mut known = lock();
    let Some(known) = known.as_mut() else { return };
    if let Some(memory) = known.live.remove(&address)
        && let Some(total) = known.devices.get_mut(&memory.device)
    {
        total.live = total.live.saturating_sub(memory.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;
    use crate::dtype::Scalar;
    use crate::ty::Elem;

    /// One test, because what is known is one for all threads.
    #[test]
    fn memory_is_known_by_device_and_scope() {
        let make = |n| Array::zeros(Elem::Scalar(Scalar::F32), &[n], Device::Cpu).unwrap();
        let before = make(7);
        let at = |array: &Array| array.view.arg.data as usize;
        assert!(!known().live.contains_key(&at(&before)));
        begin();
        enter("outer");
        let kept = make(1000);
        enter("inner");
        let gone = make(500);
        leave();
        leave();
        let address = at(&gone);
        assert_eq!(known().live[&address].size, 2000);
        assert_eq!(known().live[&address].what, "array(float32, 500)");
        drop(gone);
        end();
        drop(before);
        let now = known();
        assert!(!now.live.contains_key(&address));
        assert!(now.live.contains_key(&at(&kept)));
        let of = |path: &str| now.scopes[&(Arc::from(path), Device::Cpu)];
        assert_eq!((of("outer"), of("outer/inner")), ((1, 4000), (1, 2000)));
        let total = now.devices[&Device::Cpu];
        assert!(total.peak >= 6000 && total.live >= 4000 && total.count >= 2);
        clear();
        // What is not known any more may be given back.
        let address = at(&kept);
        drop(kept);
        assert!(!known().live.contains_key(&address));
    }
}
