//! The stack of a search: nodes and blocks that are still to be visited, and how good they can be.

use std::mem::MaybeUninit;

/// Places: those of a tree that is as deep as `tree::build` makes them, 8 at each level.
const PLACES: usize = 8 * 80;

/// The stack, the next place last.
pub struct Stack {
    places: [MaybeUninit<(f32, u32)>; PLACES],
    count: usize,
}

impl Stack {
    /// With the root, if there is one.
    #[inline(always)]
    pub fn new(root: bool) -> Stack {
        let mut places = [MaybeUninit::uninit(); PLACES];
        places[0] = MaybeUninit::new((0.0, 0));
        let count = usize::from(root);
        Stack { places, count }
    }

    /// The next place.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(f32, u32)> {
        self.count = self.count.checked_sub(1)?;
        // SAFETY: places below the count have been written.
        Some(unsafe { self.places[self.count].assume_init() })
    }

    /// How many there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Adds a place, so that those from `first` on stay sorted, the least last.
    #[inline(always)]
    pub fn push(&mut self, first: usize, bound: f32, child: u32) {
        let mut at = self.count;
        while at > first {
            // SAFETY: as above.
            let before = unsafe { self.places[at - 1].assume_init() };
            if before.0 >= bound {
                break;
            }
            self.places[at] = MaybeUninit::new(before);
            at -= 1;
        }
        self.places[at] = MaybeUninit::new((bound, child));
        self.count += 1;
    }
}
