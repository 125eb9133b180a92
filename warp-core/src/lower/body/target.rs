//! What each kind of device writes in its own way.

use super::Body;
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Slot, Value};
use crate::lower::emit::strip::Strip;
use crate::lower::emit::text::Text;

/// What each kind of device writes in its own way. The value behind it holds what the device needs for that.
pub trait Target: Sized {
    /// Loads the bits of [`abi::flag`] of the launch, in the head or in an entry point.
    fn flags(t: &mut Text) -> String;
    /// How many threads a block is to have, in the head.
    fn block_dim(t: &mut Text) -> String;
    /// Whether a fault is the first of its context (i1); where threads share a context, its code is noted at once.
    fn first_fault(t: &mut Text, code: &str) -> String;
    /// Says in the fault whose it is, where several kernels share the place.
    fn sign_fault(t: &mut Text);
    /// What every function is given besides: names of pointers.
    const GIVEN: &'static [&'static str];
    /// Where a function begins, in its head.
    fn enter(body: &mut Body<'_, Self>);
    /// Where a function ends, or calls another one.
    fn leave(body: &mut Body<'_, Self>);
    /// Where another function has returned.
    fn reenter(body: &mut Body<'_, Self>);
    /// Where the kernel ends.
    fn end(body: &mut Body<'_, Self>);
    /// What LLVM is told of functions.
    fn attributes(body: &Body<'_, Self>) -> &'static str;
    /// Whether launches may give threads copies of arrays that they add to.
    const COPIES: bool;
    /// Whether the dense body counts on elements of 8, 16 and more bytes to lie at multiples of that, so that several components are
    /// read and written at once.
    const WIDE: bool;
    /// How an atomic exchange is ordered, and the load before one: [`Target::fence`] does the rest.
    const EXCHANGE: [&'static str; 2];
    /// What stands before and behind an exchange, so that what stands around it stays there: locks are made of it.
    fn fence(t: &mut Text);
    /// A pointer to where an address leads that was in memory or passed as a number.
    fn reach(t: &mut Text, address: &str) -> String;
    /// What neighbouring threads have collected together, and whether this thread is to add it to memory (i1).
    fn gather(t: &mut Text, op: AtomicOp, ty: Scalar, mine: String) -> (String, Option<String>);
    /// `record`.
    fn record(body: &mut Body<'_, Self>, slot: Slot, values: &[Value]);
    /// `replay`.
    fn replay(body: &mut Body<'_, Self>, slot: Slot, outs: &[Value]);
    /// Keeps in the undo log what an address holds.
    fn log(body: &mut Body<'_, Self>, ty: Scalar, at: &str, old: &str);
    /// `mark`.
    fn mark(body: &mut Body<'_, Self>, out: Value);
    /// `unwind`.
    fn unwind(body: &mut Body<'_, Self>, mark: Value);
    /// Lets a loop pay for work that it has done, on its way back: where work is long, it asks whether to go on.
    fn spend(body: &mut Body<'_, Self>, work: u64);
    /// Lets a loop pay in advance for a strip of rounds of so much work, as many as may run without asking; its end.
    fn ration(body: &mut Body<'_, Self>, strip: &Strip<'_>, work: u64) -> String;
    /// `print`.
    fn print(body: &mut Body<'_, Self>, format: &str, args: &[Value]);
}
