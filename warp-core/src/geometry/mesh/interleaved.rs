//! Interleaved searches. A search waits for memory at each node and block; so several go on side by side, each asks for what it reads
//! next, and another one goes on meanwhile (Kocberber, Falsafi, Grot, "Asynchronous memory access chaining", 2015).

use super::layout::Mesh;
use super::simd::Lanes;
use super::stack::Stack;
use std::mem::MaybeUninit;

/// Searches that go on side by side.
const SEARCHES: usize = 8;

/// A search that can be interrupted.
pub trait Search {
    /// Visits a node or block. Which one is to be visited next; none when the search has ended.
    fn step<L: Lanes>(&mut self, mesh: &Mesh<'_>, stack: &mut Stack, at: u32) -> Option<u32>;
}

/// Carries out one search, from the root on.
#[inline(always)]
pub fn alone<L: Lanes, T: Search>(mesh: &Mesh<'_>, mut search: T) -> T {
    let mut place = MaybeUninit::uninit();
    let (stack, mut next) = (Stack::begin(&mut place), Some(0));
    while let Some(at) = next {
        next = search.step::<L>(mesh, stack, at);
    }
    search
}

/// One of the searches that go on.
struct Begun<T> {
    lane: usize,
    search: T,
    next: u32,
}

/// Carries out a search for each bit that is set. `begin` makes it, or says what is found without one; `end` is told what was found.
#[inline(always)]
pub fn all<L: Lanes, T: Search>(
    mesh: &Mesh<'_>,
    mut bits: u64,
    begin: impl Fn(usize) -> Result<T, i32>,
    found: impl Fn(&T) -> i32,
    mut end: impl FnMut(usize, i32),
) {
    let mut places = [const { MaybeUninit::uninit() }; SEARCHES];
    let mut stacks = places.each_mut().map(Stack::begin);
    let mut all: [Option<Begun<T>>; SEARCHES] = [const { None }; SEARCHES];
    let mut open = 0;
    while open > 0 || bits != 0 {
        for (begun, stack) in all.iter_mut().zip(&mut stacks) {
            let Some(Begun { lane, search, next }) = begun else {
                while begun.is_none() && bits != 0 {
                    let lane = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    match begin(lane) {
                        Err(found) => end(lane, found),
                        Ok(search) => {
                            let next = 0;
                            *begun = Some(Begun { lane, search, next });
                            open += 1;
                        }
                    }
                }
                continue;
            };
            match search.step::<L>(mesh, stack, *next) {
                Some(at) => {
                    *next = at;
                    mesh.fetch(at);
                }
                None => {
                    end(*lane, found(search));
                    *begun = None;
                    open -= 1;
                }
            }
        }
    }
}
