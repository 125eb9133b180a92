//! A thread: frames, registers, local memory.

use crate::ptx::code::{Fill, Function, Slot, Special};
use crate::ptx::types::{LOCAL_BYTES, LOCAL_WINDOW, WINDOW};

/// Registers that no instruction has written.
const UNWRITTEN: u64 = 0xdead_beef_dead_beef;
/// Local and shared memory that no instruction has written.
pub(super) const UNWRITTEN_BYTE: u8 = 0xa5;
/// How long chains of calls may be.
pub(super) const DEPTH: usize = 4096;

const _: () = assert!(LOCAL_BYTES <= WINDOW && LOCAL_WINDOW >= WINDOW);

/// Multiprocessors that the device claims to have.
pub(super) const MULTIPROCESSORS: u64 = 4;

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum State {
    #[default]
    Ready,
    /// A barrier of the block, by its number.
    Barrier(u32),
    /// Other lanes.
    Warp,
    Done,
}

/// A function that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub function: usize,
    pub pc: usize,
    /// Its first register.
    pub base: usize,
    /// Its first byte of local memory.
    pub local: usize,
    /// The call that began it, in its caller's list.
    pub call: u32,
}

/// A thread.
#[derive(Default)]
pub(super) struct Thread {
    pub registers: Vec<u64>,
    pub local: Vec<u8>,
    pub frames: Vec<Frame>,
    /// Number in its block.
    pub index: u32,
    pub state: State,
}

impl Thread {
    pub fn lane(&self) -> u32 {
        self.index % 32
    }

    /// Function and instruction that it is at.
    pub fn at(&self) -> (usize, usize) {
        self.frames.last().map_or((0, 0), |f| (f.function, f.pc))
    }

    /// A register of the current frame.
    pub fn get(&self, slot: Slot) -> u64 {
        self.frames
            .last()
            .map_or(0, |f| self.registers[f.base + slot as usize])
    }

    pub fn set(&mut self, slot: Slot, value: u64) {
        if let Some(frame) = self.frames.last() {
            self.registers[frame.base + slot as usize] = value;
        }
    }

    /// Goes on behind the instruction that it waited at.
    pub fn release(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc += 1;
        }
        self.state = State::Ready;
    }
}

/// What a function's frames begin with.
pub(super) struct Template {
    pub registers: Vec<u64>,
    /// Slots that hold addresses in the frame's local memory.
    pub local: Vec<(Slot, u64)>,
    pub special: Vec<(Slot, Special)>,
}

impl Template {
    pub fn new(function: &Function, globals: &[u64], shared: &[Option<u64>]) -> Template {
        let mut template = Template {
            registers: vec![UNWRITTEN; function.slots as usize],
            local: Vec::new(),
            special: Vec::new(),
        };
        for (slot, fill) in &function.fills {
            let value = match *fill {
                Fill::Constant(value) => value,
                Fill::Carry => 0,
                Fill::Global(number, by) => globals[number as usize].wrapping_add_signed(by),
                // A function that the kernel does not reach has no use for its address.
                Fill::Shared(number, by) => {
                    let at = shared[number as usize].unwrap_or(UNWRITTEN);
                    at.wrapping_add_signed(by)
                }
                Fill::Local(at) => {
                    template.local.push((*slot, at));
                    0
                }
                Fill::Special(special) => {
                    template.special.push((*slot, special));
                    0
                }
            };
            template.registers[*slot as usize] = value;
        }
        template
    }
}
