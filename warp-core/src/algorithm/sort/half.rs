//! Keys and their values in one half of the room.

use crate::algorithm::place::Place;

/// Keys and their values.
pub(in crate::algorithm) struct Half<K, V> {
    pub keys: Place<K>,
    pub values: Place<V>,
}

impl<K, V> Clone for Half<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Half<K, V> {}

impl<K: Copy, V: Copy> Half<K, V> {
    pub fn from(self, i: usize) -> Self {
        Half {
            keys: self.keys.from(i),
            values: self.values.from(i),
        }
    }

    /// # Safety
    /// Pair `i` is there.
    #[inline(always)]
    pub unsafe fn get(self, i: usize) -> (K, V) {
        // SAFETY: promised by the caller.
        unsafe { (self.keys.get(i), self.values.get(i)) }
    }

    /// # Safety
    /// Pair `i` is there, and nothing else uses it.
    #[inline(always)]
    pub unsafe fn put(self, i: usize, (key, value): (K, V)) {
        // SAFETY: promised by the caller.
        unsafe {
            self.keys.put(i, key);
            self.values.put(i, value);
        }
    }
}
