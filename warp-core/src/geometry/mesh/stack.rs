//! The stack of a search: nodes and blocks that are still to be visited, and how good they can be.

use super::layout::WIDE;
use std::mem::MaybeUninit;

/// Places: those of a tree that is as deep as `tree::build` makes them, 8 at each level.
const PLACES: usize = 8 * 80;

/// The stack, the next place last.
pub struct Stack {
    places: [MaybeUninit<(f32, u32)>; PLACES],
    count: usize,
}

impl Stack {
    /// An empty stack. In place: a stack is large, and nothing in it has to be written.
    #[inline(always)]
    pub fn begin(place: &mut MaybeUninit<Stack>) -> &mut Stack {
        let stack = place.as_mut_ptr();
        // SAFETY: the count is the only part that has to be initialised.
        unsafe {
            (&raw mut (*stack).count).write(0);
            place.assume_init_mut()
        }
    }

    /// The next place.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(f32, u32)> {
        self.count = self.count.checked_sub(1)?;
        // SAFETY: places below the count have been written.
        Some(unsafe { self.places[self.count].assume_init() })
    }

    /// The next place whose bound is within a limit; those before it are dropped.
    #[inline(always)]
    pub fn pop_within(&mut self, limit: f32) -> Option<u32> {
        loop {
            match self.pop() {
                None => return None,
                Some((bound, at)) if bound <= limit => return Some(at),
                Some(_) => {}
            }
        }
    }

    /// Adds those children of a node that `lanes` says but the nearest, sorted. Which that is; the next place if there are none.
    #[inline(always)]
    pub fn descend(
        &mut self,
        mut lanes: u32,
        bounds: [f32; WIDE],
        children: &[u32; WIDE],
        limit: f32,
    ) -> Option<u32> {
        if lanes == 0 {
            return self.pop_within(limit);
        }
        let (first, k) = (self.count, lanes.trailing_zeros() as usize);
        lanes &= lanes - 1;
        let mut nearest = (bounds[k], children[k]);
        while lanes != 0 {
            let k = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let mut other = (bounds[k], children[k]);
            if other.0 < nearest.0 {
                std::mem::swap(&mut nearest, &mut other);
            }
            self.push(first, other.0, other.1);
        }
        Some(nearest.1)
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
