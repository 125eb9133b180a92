//! The kernels that calls may name, by key.
//!
//! A kernel is registered once and for ever: compiled programs that name it live as long as they like. Looking one up
//! takes no lock, so that calls on many threads do not wait for each other.

use smallvec::SmallVec;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use warp_core::abi::{BlockLayout, ErrorSlot};
use warp_core::device::{Device, Stream};
use warp_core::launch::Job;
use warp_core::ty::{Elem, MAX_NDIM};

/// Digits of a key.
pub const KEY_LEN: usize = 32;
/// What names a kernel: hexadecimal digits of a digest of what it does.
pub type ProgramKey = [u8; KEY_LEN];

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub struct ProgramParam {
    /// Name, for messages.
    pub name: String,
    /// What it is, or what it holds.
    pub elem: Elem,
    /// Dimensions of an array; 0 for a value.
    pub ndim: u8,
    /// Bytes of an element.
    pub(super) size: usize,
    /// Dimensions of an element.
    pub(super) inner: SmallVec<[usize; 2]>,
    /// A launch over exactly its extents writes all of it, and nothing looks at what was there.
    pub(super) covered: bool,
}

impl ProgramParam {
    /// A parameter.
    pub fn new(name: String, elem: Elem, ndim: u8) -> ProgramParam {
        ProgramParam {
            name,
            elem,
            ndim,
            size: elem.size(),
            inner: elem.inner_shape(),
            covered: false,
        }
    }

    /// The same of an array that a launch over exactly its extents writes from end to end, or not.
    pub fn covered(self, covered: bool) -> ProgramParam {
        ProgramParam { covered, ..self }
    }
}

/// A compiled kernel. Called on any thread, without Python.
pub trait KernelCode: Send + Sync {
    /// Compiles the kernel for a device and loads it there, unless that was done before. Jobs for GPUs need that; for the CPU
    /// it is done when a kernel is registered, or in the first job.
    ///
    /// # Errors
    /// What the compiler or the driver says.
    fn load(&self, device: Device) -> Result<(), String>;
    /// A launch of the kernel on a stream with this argument block.
    fn job(&self, block: *const u8, dims: [i32; MAX_NDIM], stream: Stream) -> Job<'_>;
    /// What a fault of a launch on a device means.
    fn explain(&self, fault: &ErrorSlot, device: Device) -> String;
}

/// A kernel that calls may name.
pub struct Program {
    /// Name, for messages.
    pub title: String,
    /// Parameters in order.
    pub params: Vec<ProgramParam>,
    /// Where they lie in the argument block.
    pub layout: BlockLayout,
    /// The code.
    pub code: Box<dyn KernelCode>,
}

const BUCKETS: usize = 1024;

struct Node {
    key: ProgramKey,
    program: Program,
    next: *const Node,
}

static TABLE: [AtomicPtr<Node>; BUCKETS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; BUCKETS];

fn bucket(key: &ProgramKey) -> &'static AtomicPtr<Node> {
    // Digits of a digest: any will do. Of each, the low four bits and the bit that tells letters.
    let digit = |i: usize| usize::from(key[i] & 15) + 9 * usize::from(key[i] >> 6);
    &TABLE[(digit(0) | digit(1) << 4 | digit(2) << 8) % BUCKETS]
}

/// The kernel with this key.
#[inline]
pub fn find(key: &ProgramKey) -> Option<&'static Program> {
    // SAFETY: nodes are never freed and never change once they can be seen.
    let mut node = unsafe { bucket(key).load(Acquire).as_ref() };
    while let Some(n) = node {
        if n.key == *key {
            return Some(&n.program);
        }
        // SAFETY: as above.
        node = unsafe { n.next.as_ref() };
    }
    None
}

/// Registers a kernel unless its key is in the table already; `make` is called only then.
///
/// # Errors
/// That of `make`.
pub fn register<E>(key: &ProgramKey, make: impl FnOnce() -> Result<Program, E>) -> Result<(), E> {
    if find(key).is_some() {
        return Ok(());
    }
    let program = make()?;
    let node = Box::leak(Box::new(Node {
        key: *key,
        program,
        next: std::ptr::null(),
    }));
    let head = bucket(key);
    let mut first = head.load(Acquire);
    loop {
        // If another thread registers the same key meanwhile there are two: equal ones, and no harm.
        node.next = first;
        match head.compare_exchange(first, node, AcqRel, Acquire) {
            Ok(_) => return Ok(()),
            Err(now) => first = now,
        }
    }
}
