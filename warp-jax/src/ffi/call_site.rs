//! The cache of call sites: what calls of one kernel with one plan have in common, decoded once.
//!
//! XLA hands the attributes of a call over anew each time. The first call with such attributes decodes its plan into a
//! [`CallSite`]; later ones find that by a digest of kernel and plan, never by address, since XLA frees programs and uses
//! their memory again. Looking one up takes no lock; an entry stays for ever, as kernels do.

use super::attribute::Attributes;
use super::dtype::number_of;
use super::failure::{HandlerFailure, Outcome, invalid};
use super::launch_plan::{BufferBinding, Dim, LaunchPlan};
use super::registry::{self, KEY_LEN, Program, ProgramKey, ProgramParam};
use super::sys::code;
use std::ffi::c_int;
use std::ops::{BitOr, BitXor};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use warp_core::abi::array;
use warp_core::ty::MAX_NDIM;

/// Calls of one kernel whose parameters are filled alike.
pub(super) struct CallSite {
    /// The kernel.
    pub program: &'static Program,
    /// How the parameters are filled, except those of `aliases`.
    pub steps: Box<[Step]>,
    /// Results that are zero at first.
    pub cleared: Box<[ClearedResult]>,
    /// Array parameters that repeat others, once these are filled in.
    pub aliases: Box<[Alias]>,
    /// The launch dimensions, unused ones 1.
    pub dims: [LaunchDim; MAX_NDIM],
    /// Threads of a block on a GPU; 0 leaves it to the kernel.
    pub block_dim: u32,
}

/// How a parameter is filled.
pub(super) struct Step {
    /// With what.
    pub binding: BufferBinding,
    /// Where it lies in the argument block.
    pub at: usize,
    /// Which it is, for messages.
    pub param: usize,
    /// XLA's number for the type of its elements' components.
    pub dtype: c_int,
    /// Dimensions of the array, at most [`MAX_NDIM`]; 0 for a value.
    pub ndim: usize,
    /// Dimensions of an element.
    pub inner: Box<[i64]>,
    /// Dimensions of both.
    pub rank: usize,
    /// Bytes of an element.
    pub size: usize,
}

/// A result that is zero at first, if that makes a difference.
pub(super) struct ClearedResult {
    /// Where it lies in the argument block.
    pub at: usize,
    /// Dimensions of the array.
    pub ndim: usize,
    /// Bytes of an element.
    pub size: usize,
    /// It makes none where the launch has its extents: the kernel writes all of it then.
    pub covered: bool,
}

/// An array parameter with the extents of another one.
pub(super) struct Alias {
    /// Where it lies in the argument block.
    pub at: usize,
    /// Where the other one lies.
    pub of: usize,
    /// Whether it has the other one's memory too, or none.
    pub data: bool,
}

/// A launch dimension.
#[derive(Clone, Copy)]
pub(super) enum LaunchDim {
    /// This many.
    Fixed(i32),
    /// What stands here in the argument block.
    At(usize),
}

impl CallSite {
    /// Reads a plan for a kernel; None if they do not belong together.
    fn of(program: &'static Program, numbers: &[i32]) -> Option<CallSite> {
        let plan = LaunchPlan::decode(numbers)?;
        if plan.bindings.len() != program.params.len() || plan.dims.len() > MAX_NDIM {
            return None;
        }
        let at = |i: usize| program.layout.offsets[i];
        let array = |i: usize| program.params.get(i).filter(|p| p.ndim != 0);
        let (mut steps, mut cleared, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
        for (i, param) in program.params.iter().enumerate() {
            let binding = plan.bindings[i];
            let is_value = matches!(binding, BufferBinding::Value(_) | BufferBinding::Given(_));
            if is_value != (param.ndim == 0) || usize::from(param.ndim) > MAX_NDIM {
                return None;
            }
            match binding {
                BufferBinding::Stand(like) | BufferBinding::Absent(like) => {
                    array(like)?;
                    // Plans name the array that has memory, never one that stands for another.
                    if matches!(
                        plan.bindings[like],
                        BufferBinding::Stand(_) | BufferBinding::Absent(_)
                    ) {
                        return None;
                    }
                    aliases.push(Alias {
                        at: at(i),
                        of: at(like),
                        data: matches!(binding, BufferBinding::Stand(_)),
                    });
                }
                _ => steps.push(Step::of(binding, i, param, at(i))),
            }
            if matches!(binding, BufferBinding::Out(_)) {
                cleared.push(ClearedResult {
                    at: at(i),
                    ndim: param.ndim.into(),
                    size: param.size,
                    covered: param.covered,
                });
            }
        }
        let mut dims = [LaunchDim::Fixed(1); MAX_NDIM];
        for (to, dim) in dims.iter_mut().zip(&plan.dims) {
            *to = match *dim {
                Dim::Fixed(extent) if extent >= 0 => LaunchDim::Fixed(extent),
                Dim::Of { param, dim } if array(param).is_some() && dim < MAX_NDIM => {
                    LaunchDim::At(at(param) + array::SHAPE + 4 * dim)
                }
                _ => return None,
            };
        }
        Some(CallSite {
            program,
            dims,
            block_dim: plan.block_dim,
            steps: steps.into(),
            cleared: cleared.into(),
            aliases: aliases.into(),
        })
    }
}

impl Step {
    fn of(binding: BufferBinding, i: usize, param: &ProgramParam, at: usize) -> Step {
        Step {
            binding,
            at,
            param: i,
            dtype: number_of(param.elem.scalar()),
            ndim: param.ndim.into(),
            inner: param.inner.iter().map(|n| *n as i64).collect(),
            rank: usize::from(param.ndim) + param.inner.len(),
            size: param.size,
        }
    }
}

const BUCKETS: usize = 4096;

struct Node {
    call: ProgramKey,
    site: CallSite,
    next: *const Node,
}

static TABLE: [AtomicPtr<Node>; BUCKETS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; BUCKETS];

#[inline]
fn bucket(call: &ProgramKey) -> &'static AtomicPtr<Node> {
    const { assert!(KEY_LEN >= 8) };
    let digits = u64::from_ne_bytes(*call.first_chunk().expect("a key is longer"));
    &TABLE[(digits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % BUCKETS]
}

/// The call site of calls with these attributes.
///
/// # Errors
/// The kernel is not registered in this process, or the plan is none for it.
#[inline]
pub(super) fn find(attributes: &Attributes<'_>) -> Outcome<&'static CallSite> {
    let Ok(call) = <&ProgramKey>::try_from(attributes.call) else {
        return Err(missing(attributes));
    };
    // SAFETY: nodes are never freed and never change once they can be seen.
    let mut node = unsafe { bucket(call).load(Acquire).as_ref() };
    while let Some(n) = node {
        if n.call == *call {
            return Ok(&n.site);
        }
        // SAFETY: as above.
        node = unsafe { n.next.as_ref() };
    }
    add(attributes, call)
}

/// Whether short lists of numbers are the same, as they mostly are. Not by `==`, which asks the C library: its comparison
/// of no bytes, where a slice of nothing points nowhere, takes 50 ns on processors with AVX-512.
#[inline]
pub(super) fn alike<T>(a: &[T], b: &[T]) -> bool
where
    T: Copy + Default + PartialEq + BitXor<Output = T> + BitOr<Output = T>,
{
    let differ = || {
        let pairs = a.iter().zip(b);
        pairs.fold(T::default(), |bits, (a, b)| bits | (*a ^ *b))
    };
    a.len() == b.len() && differ() == T::default()
}

#[cold]
fn add(attributes: &Attributes<'_>, call: &ProgramKey) -> Outcome<&'static CallSite> {
    let key = <&ProgramKey>::try_from(attributes.key).ok();
    let program = key.and_then(registry::find);
    let program = program.ok_or_else(|| missing(attributes))?;
    let site = CallSite::of(program, attributes.plan).ok_or_else(|| misfit(program))?;
    let node = Box::leak(Box::new(Node {
        call: *call,
        site,
        next: std::ptr::null(),
    }));
    let head = bucket(call);
    let mut first = head.load(Acquire);
    loop {
        // If another thread adds the same one meanwhile there are two: equal ones, and no harm.
        node.next = first;
        match head.compare_exchange(first, node, AcqRel, Acquire) {
            Ok(_) => return Ok(&node.site),
            Err(now) => first = now,
        }
    }
}

#[cold]
fn missing(attributes: &Attributes<'_>) -> HandlerFailure {
    let [kernel, key] = [attributes.kernel, attributes.key].map(String::from_utf8_lossy);
    HandlerFailure(
        code::NOT_FOUND,
        format!(
            "warp: kernel '{kernel}' with key {key} is not known to this process; a program that calls it needs \
             jax_kernel to have been called for the very same kernel here"
        ),
    )
}

#[cold]
pub(super) fn misfit(program: &Program) -> HandlerFailure {
    invalid(format!(
        "warp: kernel '{}': the call does not fit it; was this program made by another version of warp?",
        program.title
    ))
}
