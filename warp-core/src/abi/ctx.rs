//! What one worker carries through one launch, and the type of the functions that it is given to.

use std::ffi::c_void;
use std::mem::offset_of;

/// A compiled kernel: runs the elements `begin..end` of the launch range.
pub type Entry = unsafe extern "C" fn(ctx: *mut Ctx, args: *const u8, begin: i64, end: i64);

/// A stack that generated code bumps by itself: `at = cur; cur += bytes` while `cur + bytes <= end`,
/// else [`super::runtime::RECORD_GROW`] first. It never moves, so pointers into it stay good while the
/// launch runs; popping is `cur -= bytes`. `base` is where it began, aligned to 64.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// The first free byte.
    pub cur: *mut u8,
    /// One past the last byte that may be used without growing.
    pub end: *mut u8,
    /// The first byte of the stack.
    pub base: *mut u8,
}

impl Stack {
    /// A stack without memory: the first use grows it.
    pub const EMPTY: Stack = Stack {
        cur: std::ptr::null_mut(),
        end: std::ptr::null_mut(),
        base: std::ptr::null_mut(),
    };
}

/// Number of stacks of a context.
pub const ARENAS: usize = 5;
/// Arena number of the undo log; those below are for recording.
pub const UNDO: usize = 4;

/// What went wrong in a kernel; `code` 0 means nothing did. The first fault of a context stays.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorSlot {
    /// One of [`fault`].
    pub code: i32,
    /// Which place in the kernel, as an index into the module's table of spans.
    pub span: u32,
    /// First number of the message, by code.
    pub a: i64,
    /// Second number of the message, by code.
    pub b: i64,
}

/// Codes of [`ErrorSlot::code`].
pub mod fault {
    /// No fault.
    pub const NONE: i32 = 0;
    /// An index out of range: `a` the index, `b` the size.
    pub const INDEX: i32 = 1;
    /// An integer division or remainder by zero.
    pub const DIVISION: i32 = 2;
    /// A recording stack reached its limit: `a` bytes wanted in all, `b` the limit.
    pub const RECORD_LIMIT: i32 = 3;
    /// The launch was cancelled. Set by the launcher, and in the contexts of kernels that noticed.
    pub const CANCELLED: i32 = 4;
    /// The process was forked within the launch, by a signal's handler, and this is the child. Set by the launcher.
    pub const FORKED: i32 = 5;
    /// An `assert` of the kernel does not hold.
    pub const ASSERTION: i32 = 6;
    /// A variable is read that has no value.
    pub const UNASSIGNED: i32 = 7;
    /// The driver of a GPU refused a launch. Set by the launcher, whose `refusal` says why.
    pub const DRIVER: i32 = 8;
    /// The compiler refused to optimise a kernel that has been launched meanwhile. Set by the launcher, whose `refusal` says why.
    pub const REFUSED: i32 = 9;
    /// What a launch did is not what it should have done, as a check found. Set by the launcher, whose `refusal` says how.
    pub const DIFFERS: i32 = 10;
    /// An id is not that of an object of the kind that a query needs: `a` the id, `b` the number of the kind.
    pub const OBJECT: i32 = 11;
}

/// Where printed text goes: `(data, text, length)`.
pub type Sink = unsafe extern "C" fn(data: *mut c_void, text: *const u8, len: i64);

/// Asks the program that launched whether to go on, and sets the cancel flag if not: `(data)`.
pub type Ask = unsafe extern "C" fn(data: *const c_void);

/// How much work loops do, in rough cycles, before they ask whether to go on: a few milliseconds, or a tenth of a second
/// where every access misses the cache.
pub const FUEL: i64 = 1 << 23;

/// What one worker carries through one launch. Generated code reaches fields by the offsets below.
#[repr(C)]
pub struct Ctx {
    /// The first fault.
    pub error: ErrorSlot,
    /// A flag that is non-zero when the launch should stop (read it relaxed); null where nothing stops it.
    pub cancel: *const u32,
    /// Bits of [`flag`].
    pub flags: u32,
    /// Which worker this is, 0 being the caller.
    pub worker: u32,
    /// Where text goes; none means standard output.
    pub sink: Option<Sink>,
    /// First argument of `sink`.
    pub sink_data: *mut c_void,
    /// The owner of the stacks, for the runtime only.
    pub arenas: *mut c_void,
    /// By arena number: recording, one for each order of derivative, and after them at [`UNDO`] prior
    /// contents of what the kernel overwrote.
    pub stacks: [Stack; ARENAS],
    /// The work that loops may do before they call [`super::runtime::REFUEL`]; never negative.
    pub fuel: i64,
    /// What the launching thread does when its fuel is used up; none on other threads.
    pub ask: Option<Ask>,
    /// The argument of `ask`.
    pub asker: *const c_void,
    /// The order in which threads run, for bodies that know of one: the thread index (uint32) in each place; null for theirs.
    pub order: *const u32,
}

impl Ctx {
    /// A context without memory, sink or cancel flag.
    pub const fn new() -> Ctx {
        Ctx {
            error: ErrorSlot {
                code: fault::NONE,
                span: 0,
                a: 0,
                b: 0,
            },
            cancel: std::ptr::null(),
            flags: 0,
            worker: 0,
            sink: None,
            sink_data: std::ptr::null_mut(),
            arenas: std::ptr::null_mut(),
            stacks: [Stack::EMPTY; ARENAS],
            fuel: FUEL,
            ask: None,
            asker: std::ptr::null(),
            order: std::ptr::null(),
        }
    }
}

impl Default for Ctx {
    fn default() -> Self {
        Ctx::new()
    }
}

/// Bits of [`Ctx::flags`].
pub mod flag {
    /// Elements run in index order on one thread.
    pub const IN_ORDER: u32 = 1;
    /// Buffers may overlap, or threads may meet at one element: every change of memory that
    /// other threads may make too is atomic.
    pub const OVERLAP: u32 = 2;
    /// On a GPU: the arguments are such that the body for dense arrays may run.
    pub const DENSE: u32 = 4;
    /// The first of the bits that say whose data are a copy which no other thread reaches, array by array.
    pub const COPY: u32 = 1 << 8;
}

// Byte offsets into [`Ctx`].

/// Offset of the first stack; the others follow.
pub const STACKS: usize = 64;
/// Bytes of a stack.
pub const STACK_SIZE: usize = 24;
/// Offset of `cur` in a stack.
pub const STACK_CUR: usize = 0;
/// Offset of `end` in a stack.
pub const STACK_END: usize = 8;
/// Offset of `base` in a stack.
pub const STACK_BASE: usize = 16;
/// Offset of the fault's code.
pub const ERROR_CODE: usize = 0;
/// Offset of the fault's span.
pub const ERROR_SPAN: usize = 4;
/// Offset of the first number of its message.
pub const ERROR_A: usize = 8;
/// Offset of the second.
pub const ERROR_B: usize = 16;
/// Offset of the pointer to the cancel flag.
pub const CANCEL: usize = 24;
/// Offset of the flags.
pub const FLAGS: usize = 32;
/// Offset of the worker's number.
pub const WORKER: usize = 36;
/// Offset of the fuel.
pub const FUEL_LEFT: usize = 184;
/// Offset of the pointer to the order of threads.
pub const ORDER: usize = 208;

// The offsets are facts about the struct above; if one moves, the build stops here.
const _: () = {
    assert!(offset_of!(Ctx, stacks) == STACKS);
    assert!(size_of::<Stack>() == STACK_SIZE);
    assert!(offset_of!(Stack, cur) == STACK_CUR);
    assert!(offset_of!(Stack, end) == STACK_END);
    assert!(offset_of!(Stack, base) == STACK_BASE);
    assert!(offset_of!(Ctx, error) + offset_of!(ErrorSlot, code) == ERROR_CODE);
    assert!(offset_of!(Ctx, error) + offset_of!(ErrorSlot, span) == ERROR_SPAN);
    assert!(offset_of!(Ctx, error) + offset_of!(ErrorSlot, a) == ERROR_A);
    assert!(offset_of!(Ctx, error) + offset_of!(ErrorSlot, b) == ERROR_B);
    assert!(offset_of!(Ctx, cancel) == CANCEL);
    assert!(offset_of!(Ctx, flags) == FLAGS);
    assert!(offset_of!(Ctx, worker) == WORKER);
    assert!(offset_of!(Ctx, fuel) == FUEL_LEFT);
    assert!(offset_of!(Ctx, order) == ORDER);
};
