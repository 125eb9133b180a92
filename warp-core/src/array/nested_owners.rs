//! What arrays of structs hold besides bytes: arrays whose array descriptors are in their memory stay alive as long as the
//! descriptor is there.
//!
//! Memory of ours remembers a nested owner by the address of each descriptor. Code that writes a descriptor says what it
//! points to ([`Owner::hold`]); a launch that stores some says of which arrays they may be ([`super::lent`]); a copy takes over what its
//! source holds ([`super::Array::copy_from`]). The end of other memory is not known, so it holds nothing.

use super::allocation::Allocation;
use super::copy::copy;
use super::layout::Layout;
use super::lent::Lent;
use super::owner::Owner;
use super::view::View;
use crate::backend::{self, Content};
use crate::device::Device;
use crate::error::Result;
use crate::ty::{ARRAY_DESCRIPTOR, Elem, Type, word};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// After so many launches on a GPU it is waited for, to see what they stored.
const MANY: usize = 16;

/// What memory holds.
#[derive(Default)]
struct NestedOwners {
    /// By address of the descriptor. Owners are cloned without the lock: some ask for Python's.
    owners: BTreeMap<usize, Arc<Holding>>,
    /// What launches on a GPU may have stored since.
    lent: Vec<Lease>,
}

/// The owner of an array that a descriptor names.
#[derive(Clone)]
pub struct Holding {
    /// The owner.
    pub owner: Owner,
    /// How many bytes behind the first element of the owner's array the descriptor's begins; 0 but for parts that a kernel
    /// stored.
    pub offset: usize,
}

/// Descriptors that a launch on a GPU may have stored.
#[derive(Clone)]
struct Lease {
    view: View,
    arrays: Arc<Lent>,
    /// A graph may store them again.
    again: bool,
}

impl Owner {
    /// What is held so far.
    fn held_here(&self) -> Option<MutexGuard<'_, NestedOwners>> {
        let Owner::Own(allocation) = self else {
            return None;
        };
        let held: &Mutex<NestedOwners> = allocation.attached().get()?.downcast_ref()?;
        Some(held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn held_or_new(&self) -> Option<MutexGuard<'_, NestedOwners>> {
        let Owner::Own(allocation) = self else {
            return None;
        };
        allocation
            .attached()
            .get_or_init(|| Box::new(Mutex::<NestedOwners>::default()));
        self.held_here()
    }

    /// Whether it can hold anything.
    pub const fn can_hold(&self) -> bool {
        matches!(self, Owner::Own(_))
    }

    /// The device of memory of ours.
    pub fn device(&self) -> Option<Device> {
        match self {
            Owner::Own(allocation) => Some(allocation.stream().device),
            _ => None,
        }
    }

    /// The owner that is held for the descriptor at an address.
    pub fn held(&self, at: usize) -> Option<Holding> {
        self.settle();
        let found = self.held_here()?.owners.get(&at).cloned();
        found.map(|holding| (*holding).clone())
    }

    /// Holds an owner for the descriptor at an address, instead of the one before.
    pub fn hold(&self, at: usize, what: Option<Owner>) {
        if what.is_none() && !self.holds_any() {
            return;
        }
        self.settle();
        let what = what.map(|owner| Holding { owner, offset: 0 });
        self.replace(vec![(at, what)]);
    }

    /// Whether it may hold something.
    pub fn holds_any(&self) -> bool {
        self.held_here().is_some()
    }

    /// Adds all that is held, or may be, to what a launch may store.
    pub fn lend_held(&self, each: &mut dyn FnMut(&Owner), lent: &mut Lent) {
        let Some(held) = self.held_here() else { return };
        let owners: Vec<Arc<Holding>> = held.owners.values().cloned().collect();
        let leases = held.lent.clone();
        drop(held);
        owners.iter().for_each(|holding| each(&holding.owner));
        for lease in leases {
            lent.add_all(&lease.arrays);
        }
    }

    /// Takes over what a launch stored: see [`Lending::apply`].
    pub(super) fn lend(&self, view: &View, arrays: &Arc<Lent>, again: bool) {
        let lease = Lease {
            view: *view,
            arrays: arrays.clone(),
            again,
        };
        if view.device == Device::Cpu {
            self.held_or_new();
            // SAFETY: this keeps the memory alive.
            if let Ok(stored) = unsafe { lease.stored() } {
                self.replace(stored);
                return;
            }
            // What cannot be read may name any of them: all stay alive.
        }
        let Some(mut held) = self.held_or_new() else {
            return;
        };
        let is_known = |known: &Lease| Arc::ptr_eq(&known.arrays, arrays) && known.view == *view;
        if !held.lent.iter().any(is_known) {
            held.lent.push(lease);
        }
        let many = held.lent.iter().filter(|lease| !lease.again).count() > MANY;
        drop(held);
        if many {
            self.settle();
        }
    }

    /// Finds out what launches on a GPU have stored. Where the GPU cannot be waited for, as in a capture, all that they may
    /// have stored stays alive.
    fn settle(&self) {
        let Some(held) = self.held_here() else { return };
        let leases = held.lent.clone();
        drop(held);
        for lease in leases {
            // SAFETY: this keeps the memory alive.
            let Ok(stored) = (unsafe { lease.stored() }) else {
                return;
            };
            self.replace(stored);
            if let Some(mut held) = self.held_here().filter(|_| !lease.again) {
                let same = |known: &Lease| Arc::ptr_eq(&known.arrays, &lease.arrays);
                let gone: Vec<Lease> = held.lent.extract_if(.., |known| same(known)).collect();
                drop(held);
                // Outside the lock: giving memory back may run anything.
                drop(gone);
            }
        }
    }

    /// Holds owners for the descriptors at addresses, instead of those before.
    fn replace(&self, all: Vec<(usize, Option<Holding>)>) {
        let Some(mut held) = self.held_or_new() else {
            return;
        };
        let before: Vec<Option<Arc<Holding>>> = all
            .into_iter()
            .map(|(at, what)| match what {
                Some(what) => held.owners.insert(at, Arc::new(what)),
                None => held.owners.remove(&at),
            })
            .collect();
        drop(held);
        // Outside the lock: giving memory back may run anything.
        drop(before);
    }
}

impl Lease {
    /// The addresses of descriptors that the launch may have stored, with their owners. What names none of the arrays was
    /// there before.
    ///
    /// # Safety
    /// The memory is alive.
    unsafe fn stored(&self) -> Result<Vec<(usize, Option<Holding>)>> {
        // SAFETY: promised by the caller.
        let named = unsafe { named(&self.view) }?;
        let stored = named.into_iter().filter_map(|(at, data)| match data {
            0 => Some((at, None)),
            data => {
                let (owner, offset) = self.arrays.owner_of(data)?;
                Some((at, Some(Holding { owner, offset })))
            }
        });
        Ok(stored.collect())
    }
}

/// Where a launch stores descriptors, and of which arrays.
#[derive(Clone)]
pub struct Lending {
    /// Fields that are arrays, of arrays of structs: [`ARRAY_DESCRIPTOR`]s, and the owners of their memory.
    pub to: Vec<(View, Owner)>,
    /// What the descriptors may be of.
    pub arrays: Arc<Lent>,
}

impl Lending {
    /// Lets the memory hold what the descriptors in it name. Called when the launch has run, or was given to a GPU, and while
    /// the arrays are alive. `again`: a graph may do the launch again without this being called.
    pub fn apply(&self, again: bool) {
        for (view, owner) in &self.to {
            owner.lend(view, &self.arrays, again);
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
unsafe fn named(view: &View) -> Result<Vec<(usize, usize)>> {
    let addresses = element_addresses(view);
    let copied;
    let descriptors = match view.device {
        Device::Cpu => addresses.clone(),
        device => {
            backend::of(device)?.synchronize_device(device, &|| false)?;
            let size = ARRAY_DESCRIPTOR.size();
            copied = Allocation::new(addresses.len() * size, Content::Any, Device::Cpu)?;
            let shape: Vec<i64> = (view.layout().shape().iter())
                .map(|n| i64::from(*n))
                .collect();
            let layout = Layout::contiguous(&shape, size)?;
            let to = View::new(copied.data(), layout, ARRAY_DESCRIPTOR, Device::Cpu, false);
            // SAFETY: promised by the caller; nothing that was given to the GPU writes it any more.
            unsafe { copy(&to, view) }?;
            element_addresses(&to)
        }
    };
    let data = descriptors.into_iter().map(|at| {
        // SAFETY: a descriptor lies there.
        unsafe { ((at as *const u64).add(word::DATA)).read_unaligned() as usize }
    });
    Ok(addresses.into_iter().zip(data).collect())
}

/// Bytes from the start of an element to each array descriptor in it.
pub fn array_descriptors(elem: Elem) -> impl Iterator<Item = usize> {
    let stored = match elem {
        Elem::Struct(s) => s.stored(),
        _ => &[],
    };
    let fields = stored
        .iter()
        .filter(|leaf| !matches!(leaf.ty, Type::Elem(_)));
    // What is such a field of all elements of an array.
    let itself = (elem == ARRAY_DESCRIPTOR).then_some(0);
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
    let found: Vec<(usize, Option<Holding>)> = pairs
        .flat_map(|(to, at)| array_descriptors(elem).map(move |by| (to + by, at + by)))
        .map(|(to, at)| (to, theirs.held(at)))
        .collect();
    own.settle();
    own.replace(found);
}
