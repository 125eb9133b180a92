//! What generated code may call besides what has a body of its own.

/// `void (ptr ctx, i32 arena, i64 bytes)`: makes room for `bytes` more on stack `arena`. The stack's `cur` then is where the room
/// begins (bumping stays with the caller), or null with the error set, whereupon the kernel returns.
pub const RECORD_GROW: &str = "warp_record_grow";
/// `void (ptr ctx, ptr format, i64 length, ptr values)`: prints as C's `printf` does.
///
/// `values` points to a pointer to a NUL-terminated tag string, followed by one 8-byte slot
/// per tag: `b` bool, `i` signed (sign-extended), `u` unsigned (zero-extended), `f` a double,
/// `s` a pointer to a NUL-terminated string, `p` an address. Conversions are
/// `d i u x X o c e E f F g G s p %` with flags, width, precision and `*`; a length modifier
/// is read and ignored. A conversion without a value prints as it is written; a value of the
/// other kind is converted. The whole text of a call appears in one piece.
pub const PRINT: &str = "warp_print";
/// `void (ptr ctx)`: asks whether to go on, once the fuel is used up. The context's fuel then is new, or 0 with the error set,
/// whereupon the kernel returns. Changes no array, so that what LLVM knows about memory outlives the call.
pub const REFUEL: &str = "warp_refuel";

/// `i64 (i64 id, i32 kind)`: the address of the object of an id, or 0 if there is none of this kind
/// ([`crate::ir::ObjectKind`]). The same for as long as a launch runs.
pub const OBJECT: &str = "warp_object";

/// `void (i32 search, ptr addresses, i64 lanes, i64 width, ptr numbers)`: a search ([`crate::ir::Search`]) for some lanes, each of the
/// object at its address. `numbers`, of 32 bits, are the first argument of all lanes, the second one and so on, then the results; bit
/// `i` of `lanes` says whether lane `i` searches.
pub const SEARCH: &str = "warp_search";

/// `void (ptr numbers, i64 lanes, i64 width, ptr function)`: calls a function of one number for some lanes. `numbers` are
/// the arguments of all lanes, then their results; bit `i` of `lanes` says whether the result of lane `i` is to be replaced.
pub const RARE: [&str; 2] = ["warp_rare_f32_1", "warp_rare_f64_1"];
/// The same for functions of two numbers: `numbers` are the first arguments, the second ones, and the results.
pub const RARE_OF_TWO: [&str; 2] = ["warp_rare_f32_2", "warp_rare_f64_2"];

/// The attribute of rare calls in loops: [`REFUEL`], [`RECORD_GROW`] and [`RARE`].
///
/// It tells LLVM that the call changes no register, or LLVM would save what the loop works with in every iteration. That holds
/// whatever LLVM makes of it: these functions are written in assembly (`backend/cpu/preserve.rs`), return nothing in registers, and
/// give all of them back, those of their arguments included.
pub const PRESERVING: &str = "\"no_caller_saved_registers\"";

/// Declarations of those that lowered text calls.
pub const DECLARATIONS: &str = "\
declare void @warp_record_grow(ptr, i32, i64) nounwind cold
declare i64 @warp_object(i64, i32) nounwind willreturn memory(inaccessiblemem: read)
declare void @warp_search(i32, ptr, i64, i64, ptr) nounwind willreturn memory(argmem: readwrite, inaccessiblemem: read)
declare void @warp_print(ptr, ptr, i64, ptr) nounwind
declare void @warp_refuel(ptr) nounwind cold memory(argmem: readwrite, inaccessiblemem: readwrite)
";
