//! What arrays of structs hold besides bytes: arrays whose array descriptors are in their memory stay alive as long as the
//! descriptor is there.
//!
//! Memory of ours remembers a nested owner by the address of each descriptor. Code that writes a descriptor says what it
//! points to ([`Owner::hold`]); a copy takes over what its source holds ([`super::Array::copy_from`]). The end of other memory is not
//! known, so it holds nothing.

use super::owner::Owner;
use super::view::View;
use crate::ty::{DESCRIPTION, Elem, Type};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// By address of the descriptor: the owner of its array.
type Held = Mutex<BTreeMap<usize, Owner>>;

impl Owner {
    /// What is held so far.
    fn map(&self) -> Option<&Held> {
        match self {
            Owner::Own(allocation) => allocation.attached().get()?.downcast_ref(),
            _ => None,
        }
    }

    /// Whether it can hold anything.
    pub const fn can_hold(&self) -> bool {
        matches!(self, Owner::Own(_))
    }

    /// The owner that is held for the descriptor at an address.
    pub fn held(&self, at: usize) -> Option<Owner> {
        let map = self.map()?;
        let map = map.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&at).cloned()
    }

    /// Holds an owner for the descriptor at an address, instead of the one before.
    pub fn hold(&self, at: usize, what: Option<Owner>) {
        let Owner::Own(allocation) = self else { return };
        if what.is_some() {
            allocation
                .attached()
                .get_or_init(|| Box::new(Held::default()));
        }
        let Some(map) = self.map() else { return };
        let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match what {
            Some(what) => map.insert(at, what),
            None => map.remove(&at),
        };
        drop(map);
        // Outside the lock: giving memory back may run anything.
        drop(before);
    }

    /// Whether it may hold something.
    pub fn holds_any(&self) -> bool {
        self.map().is_some()
    }
}

/// Bytes from the start of an element to each array descriptor in it.
pub fn descriptions(elem: Elem) -> impl Iterator<Item = usize> {
    let stored = match elem {
        Elem::Struct(s) => s.stored(),
        _ => &[],
    };
    let fields = stored
        .iter()
        .filter(|leaf| !matches!(leaf.ty, Type::Elem(_)));
    // What is such a field of all elements of an array.
    let itself = (elem == DESCRIPTION).then_some(0);
    fields.map(|leaf| leaf.offset).chain(itself)
}

/// The addresses of the elements, in row-major order.
pub fn element_addresses(view: &View) -> Vec<usize> {
    let layout = view.layout();
    let mut all = vec![view.arg.data as usize];
    for (n, stride) in layout.shape().iter().zip(layout.strides()) {
        all = (all.iter())
            .flat_map(|at| {
                (0..i64::from(*n)).map(move |i| at.wrapping_add_signed((i * stride) as isize))
            })
            .collect();
    }
    all
}

/// Lets the owner of a view whose elements were copied from another one hold what that holds. For memory without descriptors it
/// does nothing.
pub(super) fn hold_copies((to, own): (&View, &Owner), (from, theirs): (&View, &Owner)) {
    if !own.holds_any() && !theirs.holds_any() {
        return;
    }
    let elem = to.elem;
    let pairs = element_addresses(to)
        .into_iter()
        .zip(element_addresses(from));
    // First all, then all: the two may be parts of one array.
    let found: Vec<(usize, Option<Owner>)> = pairs
        .flat_map(|(to, at)| descriptions(elem).map(move |by| (to + by, at + by)))
        .map(|(to, at)| (to, theirs.held(at)))
        .collect();
    for (at, what) in found {
        own.hold(at, what);
    }
}
