//! A module: what a text declares.

use super::code::{Function, SharedVariable};
use super::types::Space;

/// A module: what a text declares.
#[derive(Debug)]
pub struct Module {
    /// Version of PTX that the text states.
    pub version: (u32, u32),
    /// Architecture that it is written for: 75 for `sm_75`.
    pub target: u32,
    /// Variables that a driver places in memory when it loads the module.
    pub globals: Vec<Global>,
    /// Entry points.
    pub kernels: Vec<Kernel>,
    pub(crate) functions: Vec<Function>,
    pub(crate) shared: Vec<SharedVariable>,
    /// Of each kernel.
    pub(crate) entries: Vec<Entry>,
    pub(super) source: String,
}

/// A variable in the device's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Global or const.
    pub space: Space,
    /// Bytes.
    pub size: u64,
    /// Alignment of its address, a power of two.
    pub align: u64,
    /// What it holds at first: `size` bytes.
    pub init: Vec<u8>,
    /// Addresses that it holds: eight bytes at an offset are to become the address of another variable, by its index, plus a number.
    pub links: Vec<(usize, usize, i64)>,
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Where each parameter lies in the block of parameters.
    pub params: Vec<Param>,
    /// Length of that block.
    pub param_bytes: usize,
    /// Shared memory of the variables that it or a function that it calls names, without dynamic memory.
    pub shared_bytes: u64,
    /// Local memory of a thread, the deepest chain of calls included (recursion counts once).
    pub local_bytes: u64,
    /// Declared registers in words of 32 bits: more than a compiler would use.
    pub registers: u32,
    /// Threads of a block at most, if the kernel says so.
    pub max_threads: Option<u32>,
}

/// A kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// From the start of the block of parameters.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// Alignment.
    pub align: usize,
}

/// What the machine must know of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub function: usize,
    /// Address in shared memory of each of the module's variables; those that the kernel does not reach have none.
    pub shared: Vec<Option<u64>>,
    /// Whether its threads may wait for each other.
    pub waits: bool,
    pub fences: bool,
}

impl Module {
    /// A line of the text, from 1, without the spaces around it.
    pub(crate) fn line(&self, line: usize) -> &str {
        let text = self.source.lines().nth(line.saturating_sub(1));
        text.unwrap_or("").trim()
    }
}
