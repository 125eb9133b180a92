//! What a row says.

use crate::dtype::Scalar;
use crate::ir::{Builder, Func, Intrinsic, Num, ObjectKind, Search, Slot, Value};

/// Checks an intrinsic on arguments and results of these types; says what is wrong.
pub type Check = fn(&Intrinsic, &[Scalar], &[Scalar]) -> Result<(), String>;
/// Computes the results of an intrinsic.
pub type Interpret = fn(&Intrinsic, &mut dyn Machine, &[Typed]) -> Result<Vec<Num>, String>;
/// Writes the adjoints of the arguments; None for one that gets nothing.
pub type Rule = fn(&Intrinsic, &mut Builder, &Differentiated<'_>) -> Vec<Option<Value>>;

/// Everything that is known of one intrinsic.
#[derive(Debug)]
pub struct Row {
    /// Checks the types of arguments and results; says what is wrong.
    pub check: Check,
    /// Rough cycles on the host, as of [`crate::ir::Primitive::cost`].
    pub cost: fn(&Intrinsic) -> u64,
    /// What it means: computes its results.
    pub interpret: Interpret,
    /// How adjoints go through it.
    pub derivative: Derivative,
    /// Other statements that mean the same, for who runs IR: a function of one parameter with as many components as there are
    /// arguments, whose body has the results. None: it is lowered as it is.
    pub expansion: Option<fn(&Intrinsic, Scalar) -> Func>,
}

/// How an intrinsic is differentiated.
#[derive(Clone, Copy, Debug)]
pub enum Derivative {
    /// It gives no floats.
    None,
    /// Recording and replaying, which adjoints turn round.
    Stack,
    /// What each argument gets of the adjoints of the results.
    Rule(Rule),
}

/// What a [`Derivative::Rule`] has at hand.
#[derive(Debug)]
pub struct Differentiated<'a> {
    /// The arguments.
    pub args: &'a [Value],
    /// For each argument whether anybody asks for its adjoint.
    pub wanted: &'a [bool],
    /// The results.
    pub outs: &'a [Value],
    /// Their adjoints.
    pub adjoints: &'a [Value],
}

/// A number and its type.
pub type Typed = (Scalar, Num);

/// What runs IR: the effects that intrinsics have on a thread.
pub trait Machine {
    /// Pushes numbers on the stack of a slot.
    fn record(&mut self, slot: Slot, nums: Vec<Num>);
    /// Pops what the record of a slot pushed.
    ///
    /// # Errors
    /// If that is not what lies on top.
    fn replay(&mut self, slot: Slot) -> Result<Vec<Num>, String>;
    /// The address of an object, whose memory [`Machine::read`] reads.
    ///
    /// # Errors
    /// If the id is not one of an object of this kind.
    fn object(&self, kind: ObjectKind, id: u64) -> Result<u64, String>;
    /// A number in the memory of an object.
    ///
    /// # Errors
    /// If no object has memory there.
    fn read(&self, address: u64, scalar: Scalar) -> Result<Num, String>;
    /// The result of a search of the object at an address, with its arguments as bits.
    ///
    /// # Errors
    /// If no object lies there, or it has no searches.
    fn search(&self, search: Search, address: u64, args: &[u32]) -> Result<i32, String>;
    /// Length of the undo log.
    fn logged(&self) -> i64;
    /// Takes back what was written since the log had this length.
    fn unwind(&mut self, length: i64);
    /// Prints.
    fn print(&mut self, text: &str);
    /// Runs an expansion on its arguments; gives the results of its body.
    ///
    /// # Errors
    /// Those of its statements.
    fn run(&mut self, func: &Func, args: Vec<Num>) -> Result<Vec<Num>, String>;
}

impl Row {
    /// What a row says if it says no more: nothing that takes time, nor any results.
    pub const PLAIN: Row = Row {
        check: |_, _, _| Ok(()),
        cost: |_| 1,
        interpret: |_, _, _| Ok(Vec::new()),
        derivative: Derivative::None,
        expansion: None,
    };
}

/// `Ok` if something holds.
pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}
