//! What the walk keeps of a function that it has walked.

use crate::builtins::Tree;
use crate::dtype::Scalar;
use crate::ir::{CalleeId, Const, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// A function by its id, and the kinds of its arguments.
pub type Kind = (u64, String);

/// Functions of the IR by what they are made of.
pub type Instances = HashMap<Kind, Rc<Instance>>;

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

/// What a function does with the integers that are constants.
#[derive(Clone, Copy)]
pub enum Integers {
    /// Not known yet. It was made for so many of them.
    MadeFor(usize),
    /// It is another function for each.
    Needed,
    /// It is one function for all.
    Any,
}

/// What is known of functions, by the kinds of their calls.
pub type KnownIntegers = HashMap<Kind, Integers>;

/// A number of an argument, with the constant that the function is made for.
pub type Given = (Value, Option<Number>);

/// Those that are passed when the function is called.
pub fn args_of(given: &[Given]) -> Vec<Value> {
    let passed = given.iter().filter(|(_, number)| number.is_none());
    passed.map(|(value, _)| *value).collect()
}
