//! Runs the instructions on memory.

use super::access::{Found, NearMemory, Use, extended, read, write};
use super::fault::{Attempt, Cause, FaultKind, cause};
use super::race::{Actor, Races};
use super::tlb::Tlb;
use crate::ptx::Space;
use crate::ptx::code::{Access, Function, Inst, Op, Slot};

/// The registers of a frame.
pub(super) struct Registers<'a>(&'a mut [u64]);

impl<'a> Registers<'a> {
    /// The registers of a function's frame, from its first one on.
    pub fn new(all: &'a mut [u64], function: &Function) -> Registers<'a> {
        assert!(all.len() >= function.slots as usize);
        Registers(all)
    }

    #[inline(always)]
    pub fn get(&self, slot: Slot) -> u64 {
        debug_assert!((slot as usize) < self.0.len());
        // SAFETY: every slot of an instruction was given out by its function, whose count of slots is the frame's length.
        unsafe { *self.0.get_unchecked(slot as usize) }
    }
    #[inline(always)]
    pub fn set(&mut self, slot: Slot, value: u64) {
        debug_assert!((slot as usize) < self.0.len());
        // SAFETY: as above.
        unsafe { *self.0.get_unchecked_mut(slot as usize) = value }
    }
}

/// What a thread does with memory.
struct Request<'a> {
    inst: &'a Inst,
    access: Access,
    /// Of all elements.
    bytes: u64,
    how: Use,
    line: u32,
}

/// All memory that a thread sees.
pub(super) struct ThreadMemory<'a, 'l> {
    pub near: NearMemory<'a>,
    pub tlb: &'a mut Tlb<'l>,
    pub races: Option<&'a mut Races>,
    pub block: u64,
    pub thread: u32,
}

impl ThreadMemory<'_, '_> {
    /// Runs an instruction on memory. Answers whether others see that memory.
    #[inline(always)]
    pub fn execute(
        &mut self,
        function: &Function,
        inst: &Inst,
        line: u32,
        r: &mut Registers,
    ) -> Attempt<bool> {
        let single = |access: Access, how| Request {
            inst,
            access,
            bytes: access.bytes.into(),
            how,
            line,
        };
        let shares = |found: &Found| matches!(found.space, Space::Global | Space::Shared);
        match inst.op {
            Op::Load(access) => {
                let found = self.find(&single(access, Use::Read), r)?;
                // SAFETY: so many bytes were found.
                let value = unsafe { read(found.host, access.bytes) };
                let value = if access.signed {
                    extended(value, access.bytes)
                } else {
                    value
                };
                r.set(inst.d, value);
                Ok(shares(&found))
            }
            Op::Store(access) => {
                let found = self.find(&single(access, Use::Write), r)?;
                // SAFETY: so many bytes were found, and they may be written.
                unsafe { write(found.host, access.bytes, r.get(inst.b)) };
                Ok(shares(&found))
            }
            Op::LoadVector(number) | Op::StoreVector(number) => {
                let vector = &function.vectors[number as usize];
                let access = vector.access;
                let loads = matches!(inst.op, Op::LoadVector(_));
                let mut request = single(access, if loads { Use::Read } else { Use::Write });
                request.bytes *= vector.elements.len() as u64;
                let found = self.find(&request, r)?;
                for (number, slot) in vector.elements.iter().enumerate() {
                    // SAFETY: bytes of all elements were found.
                    unsafe {
                        let host = found.host.add(number * usize::from(access.bytes));
                        if loads {
                            let value = read(host, access.bytes);
                            let signed = access.signed;
                            r.set(
                                *slot,
                                if signed {
                                    extended(value, access.bytes)
                                } else {
                                    value
                                },
                            );
                        } else {
                            write(host, access.bytes, r.get(*slot));
                        }
                    }
                }
                Ok(shares(&found))
            }
            Op::Atomic(number) => {
                let atomic = &function.atomics[number as usize];
                if let Some(races) = self.races.as_mut().filter(|_| atomic.fences) {
                    races.fence(self.block);
                }
                let bytes = atomic.access.bytes;
                let found = self.find(&single(atomic.access, Use::Atomic), r)?;
                let new = match found.space {
                    Space::Global => atomic.new_in_global,
                    _ => atomic.new,
                };
                // SAFETY: so many bytes were found, and they may be written.
                unsafe {
                    let old = read(found.host, bytes);
                    write(found.host, bytes, new(old, r.get(inst.b), r.get(inst.c)));
                    r.set(inst.d, old);
                }
                Ok(shares(&found))
            }
            _ => Ok(false),
        }
    }

    #[inline(always)]
    fn find(&mut self, request: &Request, r: &Registers) -> Attempt<Found> {
        let base = r.get(request.inst.a);
        let address = base.wrapping_add_signed(i64::from(request.inst.e as i32));
        let (space, bytes, how) = (request.access.space, request.bytes, request.how);
        let found = match self.near.find(self.tlb, space, address, bytes, how) {
            Ok(found) => found,
            Err(kind) => return Err(not_found(kind, request, address)),
        };
        if self.races.is_some() {
            self.race(request, &found)?;
        }
        Ok(found)
    }

    #[cold]
    fn race(&mut self, request: &Request, found: &Found) -> Attempt<()> {
        let Some(races) = &mut self.races else {
            return Ok(());
        };
        if !matches!(found.space, Space::Global | Space::Shared) {
            return Ok(());
        }
        let actor = Actor {
            block: self.block,
            thread: self.thread,
            line: request.line,
            how: request.how,
            strong: request.access.strong,
        };
        let Some(other) = races.touch(&actor, found.space, found.at, request.bytes) else {
            return Ok(());
        };
        let did = |writes: bool| if writes { "wrote" } else { "read" };
        let what = format!(
            "race: thread {} of block {} {} address {:#x} of {} memory ({} bytes), which thread {} of block {} {} at PTX line {}, \
             and nothing orders the two",
            self.thread,
            self.block,
            did(request.how != Use::Read),
            other.address,
            name(found.space),
            request.bytes,
            other.thread,
            other.block,
            did(other.writes),
            other.line,
        );
        Err(cause(FaultKind::Race, what))
    }
}

fn name(space: Space) -> &'static str {
    match space {
        Space::Generic => "generic",
        Space::Global => "global",
        Space::Const => "constant",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Param => "parameter",
    }
}

#[cold]
fn not_found(kind: FaultKind, request: &Request, address: u64) -> Box<Cause> {
    let (bytes, space) = (request.bytes, name(request.access.space));
    let access = match request.how {
        Use::Read => "read",
        Use::Write => "write",
        Use::Atomic => "atomic",
    };
    let what = match kind {
        FaultKind::Misaligned => "which is no multiple of its size",
        _ => "where nothing is for it",
    };
    cause(
        kind,
        format!("{access} of {bytes} bytes of {space} memory at {address:#x}, {what}"),
    )
}
