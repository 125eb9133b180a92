//! What generated code may call besides mathematics.

/// `ptr (ptr ctx, i32 arena, i64 bytes)`: makes room for `bytes` more on stack `arena` and
/// returns its `cur` (unchanged; bumping stays with the caller), or null with the error set,
/// whereupon the kernel returns.
pub const RECORD_GROW: &str = "record_grow";
/// `void (ptr ctx, ptr format, i64 length, ptr values)`: prints as C's `printf` does.
///
/// `values` points to a pointer to a NUL-terminated tag string, followed by one 8-byte slot
/// per tag: `b` bool, `i` signed (sign-extended), `u` unsigned (zero-extended), `f` a double,
/// `s` a pointer to a NUL-terminated string, `p` an address. Conversions are
/// `d i u x X o c e E f F g G s p %` with flags, width, precision and `*`; a length modifier
/// is read and ignored. A conversion without a value prints as it is written; a value of the
/// other kind is converted. The whole text of a call appears in one piece.
pub const PRINT: &str = "warp_print";
/// `i64 (ptr ctx)`: asks whether to go on, once the fuel is used up. New fuel, or 0 with the error set, whereupon the
/// kernel returns. Changes no array, so that what LLVM knows about memory outlives the call.
pub const REFUEL: &str = "refuel";

/// The attribute of rare calls in loops, and of the functions that they call: [`REFUEL`], [`RECORD_GROW`], and what mathematics in
/// vectors calls for arguments that it does not cover. Were they to use registers as other calls do, LLVM would save what
/// the loop works with in every round. So a function in the kernel's own text stands between the loop and the runtime,
/// and saves every register that it or the runtime changes. Such functions are `coldcc`: where nothing is
/// optimised, LLVM would overwrite what those of the usual convention return.
pub const KEEPING: &str = "\"no_caller_saved_registers\"";

/// Declarations of all of them in LLVM text.
pub const DECLARATIONS: &str = "\
declare ptr @warp_record_grow(ptr, i32, i64) nounwind cold
declare void @warp_print(ptr, ptr, i64, ptr) nounwind
declare i64 @warp_refuel(ptr) nounwind cold memory(argmem: readwrite, inaccessiblemem: readwrite)
define internal coldcc ptr @record_grow(ptr %ctx, i32 %arena, i64 %bytes) noinline nounwind cold \"no_caller_saved_registers\" \"stackrealign\" {
  %cur = call ptr @warp_record_grow(ptr %ctx, i32 %arena, i64 %bytes)
  ret ptr %cur
}
define internal coldcc i64 @refuel(ptr %ctx) noinline nounwind cold memory(argmem: readwrite, inaccessiblemem: readwrite) \"no_caller_saved_registers\" \"stackrealign\" {
  %fuel = call i64 @warp_refuel(ptr %ctx)
  ret i64 %fuel
}
";
