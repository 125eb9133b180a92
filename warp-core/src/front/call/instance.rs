//! What the walk keeps of a function that it has walked.

use crate::builtins::Tree;
use crate::dtype::Scalar;
use crate::ir::{CalleeId, Const};
use std::collections::HashMap;
use std::rc::Rc;

/// Functions of the IR by what they are made of: the function's id, and the kinds of its arguments.
pub type Instances = HashMap<(u64, String), Rc<Instance>>;

/// A function that has been walked.
pub struct Instance {
    /// None: it does nothing.
    pub callee: Option<CalleeId>,
    /// What it gives and what it makes of arguments that it writes, with values of its own.
    pub trees: Vec<Tree>,
    /// What stands for the values of these, in order.
    pub leaves: Vec<Leaf>,
    /// The types of its results.
    pub types: Vec<Scalar>,
}

/// A number that goes into a function or comes out of it.
#[derive(Clone, Copy)]
pub enum Leaf {
    /// Known when compiling.
    Constant(Number),
    /// A parameter, by its place.
    Param(usize),
    /// A result, by its place.
    Result(usize),
}

/// A constant, with the full value of a number that was written without a type.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub ty: Scalar,
    pub value: Const,
    pub full: Option<f64>,
}
