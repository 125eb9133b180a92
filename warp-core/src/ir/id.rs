//! What the IR names by number: values, parameters, functions and recording slots.

/// An SSA value: index into [`super::Func::values`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub u32);

/// A parameter: index into [`super::Func::params`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ParamId(pub u32);

/// A function within a kernel: index into [`super::Func::callees`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CalleeId(pub u32);

/// How many recording stacks a thread has; [`Slot::stack`] is below it.
pub const STACKS: u8 = 4;

/// Names a Record and the one Replay that pops what it pushed, wherever the two stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Slot {
    /// The stack of this thread that they use. An adjoint records on the first one that its source does not use.
    pub stack: u8,
    /// Different for each pair of a function.
    pub id: u32,
}
