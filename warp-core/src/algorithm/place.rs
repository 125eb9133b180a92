//! An address that several threads use.

/// The first of some elements, aligned or not. Threads write different ones.
pub struct Place<T>(*mut T);

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<T> {}

// SAFETY: an address; whoever reads or writes through it answers for that.
unsafe impl<T> Send for Place<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Place<T> {}

impl<T: Copy> Place<T> {
    /// The elements at an address.
    pub fn new(at: *mut u8) -> Place<T> {
        Place(at.cast())
    }

    /// The elements from the `i`-th on.
    pub fn from(self, i: usize) -> Place<T> {
        Place(self.0.wrapping_add(i))
    }

    /// The address.
    pub fn address(self) -> *mut T {
        self.0
    }

    /// Reads an element.
    ///
    /// # Safety
    /// It is there, and nothing writes it meanwhile.
    #[inline(always)]
    pub unsafe fn get(self, i: usize) -> T {
        // SAFETY: promised by the caller.
        unsafe { self.0.add(i).read_unaligned() }
    }

    /// Writes an element.
    ///
    /// # Safety
    /// It is there, and nothing else uses it meanwhile.
    #[inline(always)]
    pub unsafe fn put(self, i: usize, value: T) {
        // SAFETY: promised by the caller.
        unsafe { self.0.add(i).write_unaligned(value) }
    }
}
