//! Objects that kernels query by id: which there are, and where their memory lies.
//!
//! An id ([`crate::abi::object`]) has the number of a slot, a kind and a generation, so that one that was never given, or whose object
//! is gone, leads nowhere. Compiled code of the host asks [`address`] for the address of a block; that takes no lock. A block that was
//! replaced, or whose object is gone, is kept until no launch runs that may still read it ([`Reading`]).
//!
//! Invariant: the table changes before a block is retired, and a launch counts as reading before it looks at the table; both
//! are sequentially consistent. So a launch that got an address counts when that block is retired.

mod block;
mod gpus;

pub use block::Block;
pub use gpus::{Gpus, drop_later, serve_gpus};

use crate::abi::object::{KIND_BITS, SLOT_BITS};
use crate::device::Device;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::ObjectKind;
use crate::ty::{Elem, Type};
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// What compiled code reads of a slot.
struct Entry {
    /// The id; 0 where there is no object.
    id: AtomicU64,
    /// Where its memory lies on the host; 0 if it does not.
    address: AtomicU64,
    /// Where the order of its items lies, and how many there are; 0 for none.
    order: AtomicU64,
    items: AtomicU64,
}

impl Entry {
    /// Says what is known of a block.
    fn say(&self, block: &dyn Block) {
        let order = block.order();
        // Nobody takes the number of items of one block for that of another one.
        self.items.store(0, SeqCst);
        self.order.store(order.as_ptr() as u64, SeqCst);
        let on_host = block.bytes().is_some();
        let address = if on_host { block.address() } else { 0 };
        self.address.store(address, SeqCst);
        self.items.store(order.len() as u64, SeqCst);
    }
}

/// By slot. Pages that nobody has touched take no memory.
fn table() -> &'static [Entry] {
    static TABLE: OnceLock<&'static [Entry]> = OnceLock::new();
    TABLE.get_or_init(|| {
        let bytes = std::alloc::Layout::array::<Entry>(1 << SLOT_BITS);
        let layout = bytes.unwrap_or_else(|_| std::alloc::Layout::new::<Entry>());
        // SAFETY: the layout is not empty; zeros are entries; the memory is never freed.
        unsafe {
            let at = std::alloc::alloc_zeroed(layout).cast::<Entry>();
            if at.is_null() {
                std::alloc::handle_alloc_error(layout);
            }
            std::slice::from_raw_parts(at, layout.size() / size_of::<Entry>())
        }
    })
}

/// What the host knows of a slot.
#[derive(Default)]
struct Slot {
    /// How many objects have had it.
    count: u64,
    /// The memory of the present one.
    block: Option<Box<dyn Block>>,
    /// What keeps it alive.
    keeper: Option<Weak<Keeper>>,
}

/// What keeps an object alive: a value that has its [`Registered`].
pub type Keeper = dyn Any + Send + Sync;

/// What the host knows of slots.
struct Slots {
    /// By number.
    all: Vec<Slot>,
    /// Those without an object, the next one last.
    free: Vec<usize>,
    /// Blocks that a launch may still read.
    retired: Vec<Box<dyn Block>>,
}

impl Slots {
    /// A slot for an object, and how many have had it by then.
    fn take(&mut self) -> Result<(usize, u64)> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if self.all.len() < 1 << SLOT_BITS => {
                self.all.push(Slot::default());
                self.all.len() - 1
            }
            None => {
                let what = format!("there are {} objects that kernels query", 1 << SLOT_BITS);
                return Err(Error::new(Code::Memory, what).hint("delete those that are not needed"));
            }
        };
        self.all[slot].count += 1;
        Ok((slot, self.all[slot].count))
    }
}

fn slots() -> MutexGuard<'static, Slots> {
    static SLOTS: Mutex<Slots> = Mutex::new(Slots {
        all: Vec::new(),
        free: Vec::new(),
        retired: Vec::new(),
    });
    // Nothing under the lock panics half way.
    SLOTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets another object have a slot.
fn free(slot: usize) {
    slots().free.push(slot);
}

/// How many launches may be reading.
static READERS: AtomicUsize = AtomicUsize::new(0);

/// Says that a launch may read objects, for as long as it lives.
#[derive(Debug)]
pub struct Reading(());

impl Reading {
    /// Before a launch.
    pub fn begin() -> Reading {
        READERS.fetch_add(1, SeqCst);
        Reading(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if READERS.fetch_sub(1, SeqCst) == 1 {
            sweep();
        }
    }
}

/// Frees blocks that no launch reads any more.
#[cold]
fn sweep() {
    let mut slots = slots();
    // Launches that began since cannot have found these.
    if !slots.retired.is_empty() && READERS.load(SeqCst) == 0 {
        let retired = std::mem::take(&mut slots.retired);
        drop(slots);
        drop(retired);
    }
}

/// An object that kernels may query, for as long as this lives.
pub struct Registered {
    id: u64,
    kind: ObjectKind,
}

impl Registered {
    /// Makes a block an object.
    ///
    /// # Errors
    /// There are too many, or what the device says.
    pub fn new(kind: ObjectKind, block: Box<dyn Block>) -> Result<Registered> {
        let (slot, count) = slots().take()?;
        let id =
            (count << (SLOT_BITS + KIND_BITS)) | (u64::from(kind as u8) << SLOT_BITS) | slot as u64;
        if block.device() != Device::Cpu
            && let Err(why) = gpus::tell(block.device(), slot, id, block.address())
        {
            slots().free.push(slot);
            return Err(why);
        }
        let mut slots = slots();
        let entry = &table()[slot];
        entry.say(&*block);
        entry.id.store(id, SeqCst);
        slots.all[slot].block = Some(block);
        Ok(Registered { id, kind })
    }

    /// The number that kernels know it by; never 0.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What it is.
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// Gives it other memory on the host, and gives back what it had unless a launch may still read that. The id stays.
    pub fn replace(&self, block: Box<dyn Block>) -> Option<Box<dyn Block>> {
        let mut slots = slots();
        let entry = &table()[slot_of(self.id)];
        entry.say(&*block);
        let old = slots.all[slot_of(self.id)].block.replace(block)?;
        retire(slots, old)
    }

    /// Gives it other memory on its GPU. The id stays.
    ///
    /// # Errors
    /// What the device says.
    pub fn replace_on_gpu(&self, block: Box<dyn Block>) -> Result<()> {
        gpus::tell(block.device(), slot_of(self.id), self.id, block.address())?;
        let old = slots().all[slot_of(self.id)].block.replace(block);
        if let Some(old) = old {
            drop_later(Box::new(old));
        }
        Ok(())
    }

    /// Says what keeps it alive, for [`hold`].
    pub fn is_kept_by(&self, keeper: &Arc<Keeper>) {
        slots().all[slot_of(self.id)].keeper = Some(Arc::downgrade(keeper));
    }

    /// Looks at its memory.
    pub fn with<T>(&self, look: impl FnOnce(&dyn Block) -> T) -> Option<T> {
        let slots = slots();
        slots.all[slot_of(self.id)].block.as_deref().map(look)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut slots = slots();
        let slot = slot_of(self.id);
        table()[slot].id.store(0, SeqCst);
        slots.all[slot].keeper = None;
        match slots.all[slot].block.take() {
            Some(block) if block.device() != Device::Cpu => {
                drop(slots);
                gpus::end_later(slot, block, free);
            }
            block => {
                slots.free.push(slot);
                // Freed here, unless it is kept.
                drop(block.and_then(|block| retire(slots, block)));
            }
        }
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registered({:#x}, {})", self.id, self.kind.title())
    }
}

/// Gives back a block that the table no longer names, or keeps it until no launch reads.
fn retire(mut slots: MutexGuard<'_, Slots>, block: Box<dyn Block>) -> Option<Box<dyn Block>> {
    if READERS.load(SeqCst) > 0 {
        slots.retired.push(block);
        return None;
    }
    Some(block)
}

const fn slot_of(id: u64) -> usize {
    (id & ((1 << SLOT_BITS) - 1)) as usize
}

const fn kind_of(id: u64) -> u8 {
    ((id >> SLOT_BITS) & ((1 << KIND_BITS) - 1)) as u8
}

/// The address of the object of an id, if there is one of this kind on the host; else 0. See [`crate::abi::runtime::OBJECT`].
pub extern "C" fn address(id: u64, kind: u32) -> u64 {
    let asked = u8::try_from(kind).ok().and_then(ObjectKind::from_number);
    if !asked.is_some_and(|asked| asked.admits(kind_of(id))) {
        return 0;
    }
    let entry = &table()[slot_of(id)];
    let (before, address) = (entry.id.load(SeqCst), entry.address.load(SeqCst));
    // The slot may have been given to another object in between.
    let same = before == id && entry.id.load(SeqCst) == id;
    if same { address } else { 0 }
}

/// What carries out searches: the number of a search, the addresses of objects, the lanes, how many there could be, and the numbers.
pub type Search = unsafe extern "C" fn(u32, *const u64, u64, usize, *mut u32);

static SEARCH: OnceLock<Search> = OnceLock::new();

/// Says what carries out searches, before there is an object that has any.
pub fn search_by(search: Search) {
    SEARCH.get_or_init(|| search);
}

/// A search by compiled code. See [`crate::abi::runtime::SEARCH`].
///
/// # Safety
/// At the addresses lies the memory of objects that have this search, which nothing changes meanwhile; these and the numbers are those of
/// the search for `width` lanes, and `lanes` are some of these.
pub unsafe extern "C" fn search(
    number: u32,
    addresses: *const u64,
    lanes: u64,
    width: usize,
    numbers: *mut u32,
) {
    let search = SEARCH
        .get()
        .expect("an object that has searches says what carries them out");
    // SAFETY: the caller's promise.
    unsafe { search(number, addresses, lanes, width, numbers) }
}

/// The order of the items of an object, if there are so many; else null. For a launch that is [`Reading`].
pub fn order(id: u64, items: usize) -> *const u32 {
    let entry = &table()[slot_of(id)];
    let (before, count) = (entry.id.load(SeqCst), entry.items.load(SeqCst));
    let order = entry.order.load(SeqCst);
    let same = before == id && entry.items.load(SeqCst) == count && entry.id.load(SeqCst) == id;
    match same && count == items as u64 && count > 0 {
        true => order as *const u32,
        false => std::ptr::null(),
    }
}

/// Keeps the object of an id alive, if there is one.
pub fn hold(id: u64) -> Option<Arc<Keeper>> {
    let slots = slots();
    if table()[slot_of(id)].id.load(SeqCst) != id {
        return None;
    }
    slots.all.get(slot_of(id))?.keeper.as_ref()?.upgrade()
}

/// Keeps the objects alive whose ids a value may hold: a uint64, or such fields of a struct.
pub fn hold_in(elem: Elem, bytes: &[u8]) -> SmallVec<[Arc<Keeper>; 1]> {
    let id_at = |at: usize| {
        let id = bytes.get(at..at + 8)?;
        hold(u64::from_ne_bytes(id.try_into().ok()?))
    };
    let id = Type::Elem(Elem::Scalar(Scalar::U64));
    match elem {
        Elem::Scalar(Scalar::U64) => id_at(0).into_iter().collect(),
        Elem::Struct(s) => {
            let ids = s.stored().iter().filter(|leaf| leaf.ty == id);
            ids.filter_map(|leaf| id_at(leaf.offset)).collect()
        }
        _ => SmallVec::new(),
    }
}

/// Copies of all objects that lie on the host: kind, id and memory.
pub fn copies() -> Vec<(ObjectKind, u64, Vec<u8>)> {
    let slots = slots();
    let each = slots.all.iter().enumerate().filter_map(|(slot, known)| {
        let id = table()[slot].id.load(SeqCst);
        let kind = ObjectKind::from_number(kind_of(id))?;
        Some((kind, id, known.block.as_ref()?.bytes()?.to_vec()))
    });
    each.collect()
}

/// Why an id is not one of a kind, for messages.
pub fn why_not(id: u64, kind: u8) -> String {
    let wanted = ObjectKind::from_number(kind).map_or("object", ObjectKind::title);
    let slots = slots();
    let found = ObjectKind::from_number(kind_of(id));
    let given = slots.all.get(slot_of(id)).map_or(0, |slot| slot.count);
    let generation = id >> (SLOT_BITS + KIND_BITS);
    let said = match found {
        _ if id == 0 => "0 is no id of an object".to_string(),
        Some(found) if (1..=given).contains(&generation) => {
            let is_there = table()
                .get(slot_of(id))
                .is_some_and(|e| e.id.load(SeqCst) == id);
            match is_there {
                false => format!("the {} with the id {id} has been deleted", found.title()),
                true if ObjectKind::from_number(kind).is_some_and(|k| k.admits(found as u8)) => {
                    format!("the {} lies on another device", found.title())
                }
                true => format!("{id} is the id of a {}", found.title()),
            }
        }
        _ => format!("{id} is no id of an object"),
    };
    format!("{said}; the query needs a {wanted}")
}

#[cfg(test)]
mod tests;
