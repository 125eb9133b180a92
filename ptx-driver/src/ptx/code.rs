//! Instructions as the machine runs them: no names, every operand a slot of the function's frame.
//!
//! A constant is a slot that is filled when the frame begins, as are addresses and special registers; so every operand is read
//! in the same way.

use super::types::Space;
use super::value::convert::Conversion;
use super::value::half::Operation;
use super::value::{Binary, Quaternary, Ternary, Unary};

/// Number of a value in a frame.
pub(crate) type Slot = u32;

/// The slot that takes results nobody wants.
pub(crate) const SINK: Slot = 0;

/// Whether an instruction runs: always, or as a predicate says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guard(u32);

impl Guard {
    pub const ALWAYS: Guard = Guard(u32::MAX);

    pub fn on(slot: Slot, negated: bool) -> Guard {
        Guard(slot << 1 | u32::from(negated))
    }
    #[inline(always)]
    pub fn always(self) -> bool {
        self == Guard::ALWAYS
    }
    #[inline(always)]
    pub fn slot(self) -> Slot {
        self.0 >> 1
    }
    /// The same on another slot.
    pub fn moved_to(self, slot: Slot) -> Guard {
        Guard(slot << 1 | self.0 & 1)
    }
    /// Whether the predicate's value lets the instruction run.
    #[inline(always)]
    pub fn passes(self, value: u64) -> bool {
        (value as u32 ^ self.0) & 1 != 0
    }
}

/// One instruction: the operation, its result's slot and up to four operands' slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst {
    pub op: Op,
    pub guard: Guard,
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    /// The fourth operand, or the offset of an address.
    pub e: u32,
}

impl Inst {
    /// The operand that `Op::Select` takes, by the value of its condition.
    #[inline(always)]
    pub fn selected(&self, condition: u64) -> Slot {
        if condition & 1 != 0 { self.a } else { self.b }
    }
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub space: Space,
    /// Of each element.
    pub bytes: u8,
    /// A loaded value is extended by its sign.
    pub signed: bool,
    /// Relaxed, acquire, release or volatile: such accesses do not race with each other.
    pub strong: bool,
}

/// What an instruction does. Numbers are indices into the function's tables.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Move,
    /// `c ? a : b`.
    Select,
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    Quaternary(Quaternary),
    Half(Operation),
    Convert(Conversion),
    /// `d = memory[a + e]`.
    Load(Access),
    /// `memory[a + e] = b`.
    Store(Access),
    LoadVector(u32),
    StoreVector(u32),
    Atomic(u32),
    Branch(u32),
    /// To one of a table of targets, by `a`.
    BranchIndexed(u32),
    Call(u32),
    Return,
    Exit,
    Trap,
    Breakpoint,
    Barrier(u32),
    /// An exchange between the lanes of a warp.
    Warp(u32),
    Fence,
    /// Nothing, but others may run.
    Yield,
    Clock(Clock),
    Nop,
}

/// A counter that changes while a thread runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clock {
    /// Instructions that the grid executed, 32 bits.
    Cycles,
    /// The same, 64 bits.
    Cycles64,
    /// Their upper word.
    CyclesHigh,
    Nanoseconds,
    NanosecondsLow,
    NanosecondsHigh,
}

/// An access of two to eight elements.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    pub access: Access,
    pub elements: Vec<Slot>,
}

/// An atomic: what it makes of memory and two operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atomic {
    pub access: Access,
    pub new: Ternary,
    /// The same where the address lies in global memory.
    pub new_in_global: Ternary,
    /// It orders other accesses as well.
    pub fences: bool,
}

/// Bytes of a frame's local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub at: u64,
    pub bytes: u64,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Callee {
    /// A function by number.
    Function(u32),
    /// The function at the address in a slot.
    Pointer(Slot),
    /// The message of a failed assertion.
    AssertFail,
    /// Says what a conditional node of a graph does.
    SetConditional,
}

/// A call: arguments and results lie in the caller's local memory.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub callee: Callee,
    pub arguments: Vec<Piece>,
    pub results: Vec<Piece>,
}

/// What a barrier gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    None,
    Count,
    All,
    Any,
}

/// A barrier of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Barrier {
    pub id: Slot,
    /// How many threads take part; all of the block without it.
    pub threads: Option<Slot>,
    /// Announces itself without waiting.
    pub arrive: bool,
    /// All threads of a warp must come to this very instruction.
    pub aligned: bool,
    pub reduction: Reduction,
    pub predicate: Slot,
    pub negated: bool,
}

/// Where a lane takes its value from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// A reduction over lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduce {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// What lanes of a warp exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exchange {
    /// Nothing: they wait for each other.
    Sync,
    Shuffle(Shuffle),
    Ballot,
    All,
    Any,
    Uniform,
    MatchAny,
    MatchAll,
    Reduce(Reduce, bool),
    /// One of them is chosen.
    Elect,
    /// Which of them are here.
    ActiveMask,
}

/// An operation of a warp. Operands are the instruction's `a`, `b`, `c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Warp {
    pub exchange: Exchange,
    /// Which lanes take part; absent for `activemask`.
    pub mask: Slot,
    /// Second result: a predicate.
    pub p: Slot,
    pub negated: bool,
    /// Of the value that is matched.
    pub bits: u32,
}

/// A special register whose value stays the same while a thread runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    WarpCount,
    LaneMaskEq,
    LaneMaskLt,
    LaneMaskLe,
    LaneMaskGt,
    LaneMaskGe,
    /// Multiprocessor: the block's number modulo a few.
    MultiprocessorId,
    MultiprocessorCount,
    GridId,
    DynamicSharedSize,
    TotalSharedSize,
}

/// What a slot holds when a frame begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Fill {
    Constant(u64),
    /// Zero: the carry, which instructions overwrite.
    Carry,
    /// Address of a global variable.
    Global(u32, i64),
    /// Address in shared memory of a variable of the module.
    Shared(u32, i64),
    /// Address in local memory of a byte of the frame.
    Local(u64),
    Special(Special),
}

/// A function or kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub name: String,
    pub code: Vec<Inst>,
    /// Line of each instruction.
    pub lines: Vec<u32>,
    pub slots: u32,
    pub fills: Vec<(Slot, Fill)>,
    /// Where the frame expects parameters and leaves results. A kernel's parameters lie elsewhere.
    pub params: Vec<Piece>,
    pub results: Vec<Piece>,
    /// Bytes of local memory of a frame.
    pub local: u64,
    pub vectors: Vec<Vector>,
    pub atomics: Vec<Atomic>,
    pub tables: Vec<Vec<u32>>,
    pub calls: Vec<Call>,
    pub barriers: Vec<Barrier>,
    pub warps: Vec<Warp>,
    /// Threads may wait here for each other: at barriers, in warps, or in loops that look at memory.
    pub waits: bool,
    pub fences: bool,
    /// Its text was there, not only its name.
    pub defined: bool,
}

/// A variable in shared memory.
#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    pub bytes: u64,
    pub align: u64,
    /// Its length is decided by the launch.
    pub dynamic: bool,
}

const _: () = assert!(size_of::<Inst>() <= 40, "instructions should stay small");
