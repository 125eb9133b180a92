//! Tables from handles to what they name.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A `CUstream`, `CUevent` and the like, as an integer.
pub type Handle = usize;

/// What a handle names. It is part of the handle: a stream passed as an event is not found.
#[derive(Clone, Copy)]
pub enum Kind {
    Context = 1,
    Stream,
    Event,
    Module,
    Function,
    Graph,
    Node,
    Exec,
    Pool,
    Capture,
}

/// No handle is used twice, also not after `ptx_driver_reset`.
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// Handles are distinct numbers: one multiplication spreads them.
#[derive(Default)]
pub struct HandleHasher(u64);

impl Hasher for HandleHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(26);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

/// Objects of one kind by handle.
pub struct Table<T> {
    kind: Kind,
    map: HashMap<Handle, T, BuildHasherDefault<HandleHasher>>,
}

impl<T> Table<T> {
    pub fn new(kind: Kind) -> Self {
        Table {
            kind,
            map: HashMap::default(),
        }
    }

    /// Takes an object in. The handle is no address: a program that dereferences it ends.
    pub fn insert(&mut self, value: T) -> Handle {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let handle = (0xC0 + self.kind as usize) << 48 | number << 4;
        self.map.insert(handle, value);
        handle
    }

    pub fn get(&self, handle: Handle) -> Option<&T> {
        self.map.get(&handle)
    }

    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.map.get_mut(&handle)
    }

    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        self.map.remove(&handle)
    }

    pub fn len(&self) -> usize {
        self.map.len()
    }

    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.map.values()
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.map.values_mut()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.map.iter().map(|(handle, value)| (*handle, value))
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.map.retain(|_, value| keep(value));
    }

    /// The handles in the order in which they were made, so that runs repeat.
    pub fn handles(&self) -> Vec<Handle> {
        let mut all: Vec<Handle> = self.map.keys().copied().collect();
        all.sort_unstable();
        all
    }
}
