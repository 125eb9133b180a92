//! Arrays that a launch may store descriptors of. Which of them it stored is read from memory afterwards: on the CPU when
//! the launch has run, on a GPU when somebody asks, since that has to wait for the GPU.

use super::Array;
use super::held::{Holding, element_addresses};
use super::owner::Owner;
use super::view::View;
use crate::backend;
use crate::device::Device;
use crate::error::Result;
use crate::ty::{DESCRIPTION, word};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

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

    /// The owner of an address: of the array that begins there, or else of one that has it.
    pub(super) fn owner_of(&self, address: usize) -> Option<Holding> {
        let found = match self.0.get_key_value(&address) {
            Some(found) => Some(found),
            None => self.0.iter().find(|(_, of)| of.bytes.contains(&address)),
        };
        found.map(|(start, of)| Holding {
            owner: of.owner.clone(),
            offset: address.wrapping_sub(*start),
        })
    }
}

/// Where a launch stores descriptors, and of which arrays.
#[derive(Clone)]
pub struct Lending {
    /// Fields that are arrays, of arrays of structs; each holds [`DESCRIPTION`]s.
    pub to: Vec<Array>,
    /// What the descriptors may be of.
    pub arrays: Arc<Lent>,
}

impl Lending {
    /// Lets the memory hold what the descriptors in it name. Called when the launch has run, or was given to a GPU, and while
    /// the arrays are alive. `again`: a graph may do the launch again without this being called.
    pub fn apply(&self, again: bool) {
        for to in &self.to {
            to.owner.lend(&to.view, &self.arrays, again);
        }
    }
}

/// The addresses of descriptors, and of the arrays that they name; waits for a GPU.
///
/// # Safety
/// The memory is alive.
///
/// # Errors
/// What the device says.
pub(super) unsafe fn named(view: &View) -> Result<Vec<(usize, usize)>> {
    debug_assert_eq!(view.elem, DESCRIPTION);
    let addresses = element_addresses(view).into_iter();
    let copy;
    let descriptors = match view.device {
        Device::Cpu => element_addresses(view),
        device => {
            backend::of(device)?.synchronize_device(device, &|| false)?;
            // SAFETY: promised by the caller; nothing that was given to the GPU writes it any more.
            copy = unsafe { Array::copy_of(view, Device::Cpu) }?;
            element_addresses(&copy.view)
        }
    };
    let data = descriptors.into_iter().map(|at| {
        // SAFETY: a descriptor lies there.
        unsafe { ((at as *const u64).add(word::DATA)).read_unaligned() as usize }
    });
    Ok(addresses.zip(data).collect())
}
