//! Ids of objects, and the table in which kernels on a GPU look them up. Those of the host ask [`super::runtime::OBJECT`].
//!
//! From the lowest bit on, an id has the number of a slot, a kind ([`crate::ir::ObjectKind`]), and how many objects have had the
//! slot, counted from 1. The table has an entry for each slot: the id of the object there, and where its memory lies.

/// Bits of an id that number the slot; there are so many objects at a time.
pub const SLOT_BITS: u32 = 20;
/// Bits of an id that number the kind, above those.
pub const KIND_BITS: u32 = 8;

/// An entry of the table of a GPU; zeros where there is no object.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridObject {
    /// The id.
    pub id: u64,
    /// Where its memory lies.
    pub address: u64,
}

/// Bytes of an entry.
pub const ENTRY_SIZE: usize = 16;
/// Offset of the address in an entry.
pub const ENTRY_ADDRESS: usize = 8;

const _: () = {
    assert!(size_of::<GridObject>() == ENTRY_SIZE);
    assert!(std::mem::offset_of!(GridObject, address) == ENTRY_ADDRESS);
};
