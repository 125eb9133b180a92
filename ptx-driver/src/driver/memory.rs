//! Allocations: where they lie, whose they are, and since when they are freed.
use super::arena::{Arena, Backing};
use super::error::{Error, Result};
use super::handle::Handle;
use super::view::{Range, View};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who may touch an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// Pinned memory: every device.
    Host { registered: bool, flags: u32 },
    /// Memory of a context, and of those that enabled access to it.
    Context(Handle),
    /// Memory of a pool: the devices that it admits, as bits.
    Pool {
        pool: Handle,
        device: u32,
        admitted: u64,
    },
}

pub struct Allocation {
    pub base: u64,
    pub bytes: u64,
    pub home: Home,
    /// The context that was current, for `CU_POINTER_ATTRIBUTE_CONTEXT`.
    pub context: Handle,
    pub device: u32,
    /// Bytes are there once the stream has reached the allocation, until it reaches the free.
    pub backing: Option<Arc<Backing>>,
    /// The ticket of the call that freed it: no work enqueued later may touch it, whatever the order of execution.
    pub freed: Option<u64>,
    /// Number for `CU_POINTER_ATTRIBUTE_BUFFER_ID`.
    pub id: u64,
    /// Made by a node of a graph: it comes back with each launch.
    pub graph: bool,
    /// Part of a module, or a value of a conditional node: `cuMemFree` refuses it.
    pub internal: bool,
}

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

    /// Reserves an address. Its bytes come with `revive`.
    pub fn add(&mut self, bytes: u64, home: Home, context: Handle, device: u32) -> Result<u64> {
        if bytes == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let base = match home {
            Home::Host { .. } => self.pinned.reserve(bytes, true)?,
            Home::Context(_) | Home::Pool { .. } => self.arena.reserve(bytes, false)?,
        };
        self.ids += 1;
        let (id, backing, freed) = (self.ids, None, None);
        let (graph, internal) = (false, false);
        self.table.insert(
            base,
            Allocation {
                base,
                bytes,
                home,
                context,
                device,
                backing,
                freed,
                id,
                graph,
                internal,
            },
        );
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
        self.ids += 1;
        let home = Home::Host {
            registered: true,
            flags,
        };
        let backing = Some(Arc::new(Backing::borrowed(base, bytes)?));
        let (id, freed, graph, internal) = (self.ids, None, false, false);
        let allocation = Allocation {
            base,
            bytes,
            home,
            context,
            device,
            backing,
            freed,
            id,
            graph,
            internal,
        };
        self.table.insert(base, allocation);
        self.snapshot = None;
        Ok(())
    }

    /// Gives an allocation its bytes, poisoned.
    pub fn revive(&mut self, base: u64) -> Result {
        let a = self.table.get_mut(&base).ok_or(Error::INVALID_VALUE)?;
        a.backing = Some(Arc::new(match a.home {
            Home::Host { .. } => Backing::pages(a.base, a.bytes)?,
            Home::Context(_) | Home::Pool { .. } => Backing::device(a.bytes)?,
        }));
        self.snapshot = None;
        Ok(())
    }

    /// Takes the bytes away. The address stays known if the allocation belongs to a graph.
    pub fn bury(&mut self, base: u64) -> Option<Allocation> {
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

    pub fn change(&mut self, mut f: impl FnMut(&mut Allocation)) {
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
                Some(Range::new(a.base, a.bytes, a.home, a.freed, backing))
            });
            Arc::new(live.collect())
        });
        View::new(ranges.clone(), ticket, device, contexts)
    }
}
