//! All allocations, by address.
use super::allocation::{Allocation, Origin};
use super::arena::Arena;
use super::backing::Backing;
use super::view::{Range, View};
use crate::driver::base::{Error, Handle, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All allocations, and the addresses for more.
#[derive(Default)]
pub struct Allocations {
    arena: Arena,
    pinned: Arena,
    table: BTreeMap<u64, Allocation>,
    snapshot: Option<Arc<Vec<Range>>>,
    ids: u64,
}

impl Allocations {
    /// Empty, but with no address of the former in use again.
    pub fn renewed(former: Allocations) -> Allocations {
        let Allocations {
            arena, pinned, ids, ..
        } = former;
        Allocations {
            arena,
            pinned,
            ids,
            ..Allocations::default()
        }
    }

    /// Reserves an address. Its bytes come with `map`.
    pub fn reserve(
        &mut self,
        bytes: u64,
        origin: Origin,
        context: Handle,
        device: u32,
    ) -> Result<u64> {
        if bytes == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let base = match origin {
            Origin::Host { .. } => self.pinned.reserve(bytes, true)?,
            Origin::Context(_) | Origin::Pool { .. } => self.arena.reserve(bytes, false)?,
        };
        self.insert(base, bytes, origin, (context, device), None);
        Ok(base)
    }

    /// Takes in memory of the caller.
    pub fn register(
        &mut self,
        base: u64,
        bytes: u64,
        flags: u32,
        context: Handle,
        device: u32,
    ) -> Result {
        let before = self.table.range(..base + bytes).next_back();
        if before.is_some_and(|(_, a)| a.base + a.bytes > base) {
            return Err(Error::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let origin = Origin::Host {
            registered: true,
            flags,
        };
        let backing = Arc::new(Backing::borrowed(base, bytes)?);
        self.insert(base, bytes, origin, (context, device), Some(backing));
        self.snapshot = None;
        Ok(())
    }

    fn insert(
        &mut self,
        base: u64,
        bytes: u64,
        origin: Origin,
        (context, device): (Handle, u32),
        backing: Option<Arc<Backing>>,
    ) {
        self.ids += 1;
        let allocation = Allocation {
            base,
            bytes,
            origin,
            context,
            device,
            backing,
            freed: None,
            id: self.ids,
            graph: false,
            internal: false,
        };
        self.table.insert(base, allocation);
    }

    /// Gives an allocation its bytes, poisoned.
    pub fn map(&mut self, base: u64) -> Result {
        let a = self.table.get_mut(&base).ok_or(Error::INVALID_VALUE)?;
        a.backing = Some(Arc::new(match a.origin {
            Origin::Host { .. } => Backing::pages(a.base, a.bytes)?,
            Origin::Context(_) | Origin::Pool { .. } => Backing::device(a.bytes)?,
        }));
        self.snapshot = None;
        Ok(())
    }

    /// Takes the bytes away. The address stays known if the allocation belongs to a graph.
    pub fn unmap(&mut self, base: u64) -> Option<Allocation> {
        self.snapshot = None;
        let a = self.table.get_mut(&base)?;
        a.backing = None;
        if a.graph {
            None
        } else {
            self.table.remove(&base)
        }
    }

    pub fn remove(&mut self, base: u64) -> Option<Allocation> {
        self.snapshot = None;
        self.table.remove(&base)
    }

    /// The allocation that starts here.
    pub fn at(&self, base: u64) -> Option<&Allocation> {
        self.table.get(&base)
    }

    pub fn at_mut(&mut self, base: u64) -> Option<&mut Allocation> {
        self.snapshot = None;
        self.table.get_mut(&base)
    }

    /// The allocation that holds this address and was not freed.
    pub fn find(&self, address: u64) -> Option<&Allocation> {
        let (_, a) = self.table.range(..=address).next_back()?;
        (address - a.base < a.bytes && a.freed.is_none()).then_some(a)
    }

    /// Whether all bytes lie in one allocation that was not freed.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        self.find(address)
            .is_some_and(|a| bytes <= a.bytes - (address - a.base))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Allocation> {
        self.table.values()
    }

    /// Changes every allocation.
    pub fn update_all(&mut self, mut f: impl FnMut(&mut Allocation)) {
        self.snapshot = None;
        self.table.values_mut().for_each(&mut f);
    }

    /// Forgets what `keep` refuses.
    pub fn retain(&mut self, mut keep: impl FnMut(&Allocation) -> bool) {
        self.snapshot = None;
        self.table.retain(|_, a| keep(a));
    }

    /// What work sees that was enqueued with this ticket. `contexts` are those whose memory it may touch; none means all.
    pub fn view(&mut self, ticket: u64, device: u32, contexts: Vec<Handle>) -> View {
        let ranges = self.snapshot.get_or_insert_with(|| {
            let live = self.table.values().filter_map(|a| {
                let backing = a.backing.clone()?;
                Some(Range::new(a.base, a.bytes, a.origin, a.freed, backing))
            });
            Arc::new(live.collect())
        });
        View::new(ranges.clone(), ticket, device, contexts)
    }
}
