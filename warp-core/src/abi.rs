//! The launch ABI: what a compiled kernel is given and what it may call.
//!
//! This is the only place that knows byte offsets. `lower` writes them into LLVM text, `backend` and
//! `launch` fill the memory behind them; both take them from here. Nothing here needs LLVM.
//!
//! A kernel is an [`Entry`]. It runs the elements `begin..end` of the flattened launch range and
//! returns early, quietly, once `ctx.error.code` is set.
//!
//! The argument block begins with the launch dimensions (`[i32; 4]`, unused ones are 1). Each
//! parameter follows at the next multiple of 8: an array as [`ArrayArg`], anything else as its
//! scalar components in row-major order, packed at their natural alignment (a bool is one byte).
//! The gradient of an array is an [`ArrayArg`] of its own; `data` null says that there is none.

use std::ffi::c_void;
use std::mem::offset_of;

/// Changes whenever anything in this file changes meaning. It is part of every cache key.
pub const ABI_VERSION: u32 = 1;

/// A compiled kernel: runs the elements `begin..end` of the launch range.
pub type Entry = unsafe extern "C" fn(ctx: *mut Ctx, args: *const u8, begin: i64, end: i64);

/// The most dimensions a launch or an array has.
pub const MAX_DIMS: usize = 4;

/// An array as a kernel sees it. Strides are in bytes and may be negative or zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayArg {
    /// The first element; null for a missing array.
    pub data: *mut u8,
    /// Elements per dimension; unused dimensions are 1.
    pub shape: [i32; MAX_DIMS],
    /// Bytes from one element to the next, per dimension; unused dimensions are 0.
    pub strides: [i64; MAX_DIMS],
}

impl ArrayArg {
    /// The array that is not there, such as a gradient that nobody asked for.
    pub const MISSING: ArrayArg = ArrayArg {
        data: std::ptr::null_mut(),
        shape: [1; MAX_DIMS],
        strides: [0; MAX_DIMS],
    };
}

/// A stack that generated code bumps by itself: `at = cur; cur += bytes` while `cur + bytes <= end`,
/// else [`runtime::RECORD_GROW`] first. It never moves, so pointers into it stay good while the
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
    /// `assert` failed.
    pub const ASSERT: i32 = 4;
    /// The launch was cancelled. Set by the launcher, never by a kernel.
    pub const CANCELLED: i32 = 5;
    /// The first code that lowering may give a meaning of its own.
    pub const FIRST_FREE: i32 = 64;
}

/// Where printed text goes: `(data, text, length)`.
pub type Sink = unsafe extern "C" fn(data: *mut c_void, text: *const u8, len: i64);

/// What one worker carries through one launch. Generated code reaches fields by [`ctx`].
#[repr(C)]
pub struct Ctx {
    /// The first fault.
    pub error: ErrorSlot,
    /// Not null: a flag that is non-zero when the launch should stop (read it relaxed).
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
    /// By arena number: recording, one for each order of derivative, and behind them at [`UNDO`] prior
    /// contents of what the kernel overwrote.
    pub stacks: [Stack; ARENAS],
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
}

/// Byte offsets into [`Ctx`].
pub mod ctx {
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
    /// Offset of the pointer to the cancel flag.
    pub const CANCEL: usize = 24;
    /// Offset of the flags.
    pub const FLAGS: usize = 32;
    /// Offset of the worker's number.
    pub const WORKER: usize = 36;
}

/// Byte offsets into [`ArrayArg`].
pub mod array {
    /// Bytes of one array argument.
    pub const SIZE: usize = 56;
    /// Offset of the data pointer.
    pub const DATA: usize = 0;
    /// Offset of the first dimension's length; 4 bytes each.
    pub const SHAPE: usize = 8;
    /// Offset of the first dimension's stride; 8 bytes each.
    pub const STRIDES: usize = 24;
}

// The offsets are facts about the structs above; if one moves, the build stops here.
const _: () = {
    assert!(offset_of!(Ctx, stacks) == ctx::STACKS);
    assert!(size_of::<Stack>() == ctx::STACK_SIZE);
    assert!(offset_of!(Stack, cur) == ctx::STACK_CUR);
    assert!(offset_of!(Stack, end) == ctx::STACK_END);
    assert!(offset_of!(Stack, base) == ctx::STACK_BASE);
    assert!(offset_of!(Ctx, error) + offset_of!(ErrorSlot, code) == ctx::ERROR_CODE);
    assert!(offset_of!(Ctx, error) + offset_of!(ErrorSlot, span) == ctx::ERROR_SPAN);
    assert!(offset_of!(Ctx, cancel) == ctx::CANCEL);
    assert!(offset_of!(Ctx, flags) == ctx::FLAGS);
    assert!(offset_of!(Ctx, worker) == ctx::WORKER);
    assert!(size_of::<ArrayArg>() == array::SIZE);
    assert!(offset_of!(ArrayArg, data) == array::DATA);
    assert!(offset_of!(ArrayArg, shape) == array::SHAPE);
    assert!(offset_of!(ArrayArg, strides) == array::STRIDES);
};

/// What generated code may call besides mathematics.
pub mod runtime {
    /// `ptr (ptr ctx, i32 arena, i64 bytes)`: makes room for `bytes` more on stack `arena` and
    /// returns its `cur` (unchanged; bumping stays with the caller), or null with the error set,
    /// whereupon the kernel returns.
    pub const RECORD_GROW: &str = "warp_record_grow";
    /// `void (ptr ctx, i32 code, i32 span, i64 a, i64 b)`: sets the error slot unless it is set.
    pub const FAIL: &str = "warp_fail";
    /// `void (ptr ctx, ptr format, i64 length, ptr values)`: prints as C's `printf` does.
    ///
    /// `values` points to a pointer to a NUL-terminated tag string, followed by one 8-byte slot
    /// per tag: `b` bool, `i` signed (sign-extended), `u` unsigned (zero-extended), `f` a double,
    /// `s` a pointer to a NUL-terminated string, `p` an address. Conversions are
    /// `d i u x X o c e E f F g G s p %` with flags, width, precision and `*`; a length modifier
    /// is read and ignored. A conversion without a value prints as it is written; a value of the
    /// other kind is converted. The whole text of a call appears in one piece.
    pub const PRINT: &str = "warp_print";

    /// Declarations of all of them in LLVM text.
    pub const DECLARATIONS: &str = "\
declare ptr @warp_record_grow(ptr, i32, i64) nounwind cold
declare void @warp_fail(ptr, i32, i32, i64, i64) nounwind cold
declare void @warp_print(ptr, ptr, i64, ptr) nounwind
";
}

/// One parameter as the argument block sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// An [`ArrayArg`].
    Array,
    /// `count` scalars of `size` bytes each (1, 2, 4 or 8), packed.
    Value {
        /// Bytes of one component.
        size: usize,
        /// How many components there are.
        count: usize,
    },
    /// A struct or other value whose packing was computed elsewhere: its bytes.
    Block {
        /// Bytes in all.
        size: usize,
    },
}

impl Param {
    /// Bytes this parameter takes, without padding.
    pub const fn size(self) -> usize {
        match self {
            Param::Array => array::SIZE,
            Param::Value { size, count } => size * count,
            Param::Block { size } => size,
        }
    }
}

/// Where the parameters lie in the argument block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Offset of each parameter.
    pub offsets: Vec<usize>,
    /// Bytes of the whole block, a multiple of 8.
    pub size: usize,
}

/// Offset of the launch dimensions in the argument block.
pub const DIMS_OFFSET: usize = 0;
/// Offset of the first parameter.
pub const FIRST_PARAM: usize = 16;

impl Layout {
    /// Places `params` in order.
    pub fn of(params: impl IntoIterator<Item = Param>) -> Layout {
        let mut at = FIRST_PARAM;
        let mut offsets = Vec::new();
        for p in params {
            offsets.push(at);
            at = (at + p.size()).next_multiple_of(8);
        }
        Layout { offsets, size: at }
    }
}

/// Places scalars of the given sizes one after the other, each at its natural alignment, and
/// returns their offsets and the bytes used: how the components of a struct are packed.
pub fn pack(sizes: impl IntoIterator<Item = usize>) -> (Vec<usize>, usize) {
    let mut at: usize = 0;
    let mut offsets = Vec::new();
    for size in sizes {
        at = at.next_multiple_of(size);
        offsets.push(at);
        at += size;
    }
    (offsets, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_start_at_multiples_of_eight() {
        let l = Layout::of([
            Param::Value { size: 4, count: 1 },
            Param::Array,
            Param::Value { size: 1, count: 3 },
            Param::Value { size: 8, count: 9 },
        ]);
        assert_eq!(l.offsets, [16, 24, 80, 88]);
        assert_eq!(l.size, 160);
    }

    #[test]
    fn components_keep_their_alignment() {
        assert_eq!(pack([1, 4, 2, 8]), (vec![0, 4, 8, 16], 24));
        assert_eq!(pack([2, 2, 2]), (vec![0, 2, 4], 6));
    }
}
