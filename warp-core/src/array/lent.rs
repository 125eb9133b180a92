//! Arrays that a launch may store descriptors of. Which of them it stored is read from memory afterwards: on the CPU when
//! the launch has run, on a GPU when somebody asks, since that has to wait for the GPU.

use super::owner::Owner;
use super::view::View;
use std::collections::BTreeMap;
use std::ops::Range;

/// Arrays, by the address of their first element.
#[derive(Clone, Default)]
pub struct Lent(BTreeMap<usize, Of>);

#[derive(Clone)]
struct Of {
    bytes: Range<usize>,
    owner: Owner,
}

impl Lent {
    /// Adds an array.
    pub fn add(&mut self, view: &View, owner: Owner) {
        let of = Of {
            bytes: view.addresses(),
            owner,
        };
        self.0.insert(view.arg.data as usize, of);
    }

    /// Adds all of others.
    pub fn add_all(&mut self, others: &Lent) {
        self.0
            .extend(others.0.iter().map(|(at, of)| (*at, of.clone())));
    }

    /// The owners.
    pub fn owners(&self) -> impl Iterator<Item = &Owner> {
        self.0.values().map(|of| &of.owner)
    }

    /// The owner of an address, and how far behind the beginning of its array that is: of the array that begins there, or else of
    /// one that has it.
    pub(super) fn owner_of(&self, address: usize) -> Option<(Owner, usize)> {
        let found = match self.0.get_key_value(&address) {
            Some(found) => Some(found),
            None => self.0.iter().find(|(_, of)| of.bytes.contains(&address)),
        };
        found.map(|(start, of)| (of.owner.clone(), address.wrapping_sub(*start)))
    }
}
