//! Lowering for NVIDIA GPUs: a kernel that a grid of threads runs, and its bodies.
//!
//! The entry point is `void @SYMBOL(ptr byval args, ptr byval launch)`, see [`crate::abi`] and [`crate::abi::grid`]. Each thread
//! of the grid takes the launch's threads whose linear index is its own number, that number and the size of the grid, and
//! so on. Bodies are as for the host: `inner` for arrays whose elements follow each other along the last dimension, `any` for
//! any strides. Both are part of the entry point, where all threads choose alike.
//!
//! A kernel whose threads form blocks has these in the grid (`blocks.rs`): one thread of the grid for each thread of the launch.
//!
//! An atomic operation works on memory, or a thread reduces it in a register where all threads change one element that
//! nothing else touches; the threads of a warp then add what they have, and one of them changes memory. Additions are plain
//! where only one thread touches the element and no buffers overlap.
//!
//! A fault is stored where it happens. Nothing asks whether to go on: a launch on a GPU cannot be stopped.
//!
//! Threads run in no order. A grid of one thread runs all of the launch's threads in index order, which is what a launch does
//! whose results must not depend on it.

mod blocks;
mod entry;
mod gather;
mod print;
mod stack_bound;
mod stacks;
mod target;
mod threads;

use super::analysis::block::block_layout;
use super::analysis::facts::KernelFacts;
use super::analysis::reductions::Reductions;
use super::analysis::variant::Variant;
use super::body::{Body, Tail};
use super::emit::text::NOTES;
use super::options::{Lowered, Options};
use crate::abi::ChangedArrays;
use crate::error::Bug;
use crate::ir::{Callee, CalleeId, Intrinsic};
use crate::pass;
use crate::verify::Verified;
use std::collections::BTreeMap;
use target::Grid;

/// Lowers a verified kernel for NVIDIA GPUs.
///
/// # Errors
/// A bug of a pass: what it made does not verify.
pub fn lower(func: &Verified, options: &Options) -> Result<Lowered, Bug> {
    // Threads of blocks wait for each other, which is known of one body.
    let stays: fn(&Callee) -> bool = match func.threads {
        Some(_) => |_| false,
        None => |_| true,
    };
    let func = &**pass::lower(func, stays)?;
    let facts = KernelFacts::new(func, options);
    let reductions = Reductions::new(&facts);
    let layout = block_layout(func);
    let mut tail = Tail::default();
    let mut helpers = BTreeMap::new();
    let mut bodies = String::new();
    let variants = match options.own {
        true => &BODIES[..1],
        false => &BODIES[..],
    };
    for variant in variants.iter().copied() {
        let mut body = Body::new(
            &facts,
            options,
            variant,
            &layout.offsets,
            &reductions,
            Grid,
            &mut tail,
        );
        body.t.contracts = options.contract && facts.records.is_empty();
        body.t.approximates = options.approximate;
        body.t.narrows = true;
        let name = format!("{}.{}", options.name, variant.suffix());
        let done = match func.threads {
            Some(threads) => body.block_function(&name, threads),
            None => body.function(&name),
        };
        bodies += &done.code;
        helpers.extend(done.helpers);
        for (id, callee) in func.callees.iter().enumerate() {
            let mut body = Body::new(
                &facts,
                options,
                variant,
                &layout.offsets,
                &reductions,
                Grid,
                &mut tail,
            );
            body.t.contracts = options.contract && facts.records.is_empty() && !callee.exact;
            body.t.approximates = options.approximate && !callee.exact;
            body.t.narrows = true;
            let done = body.callee(CalleeId(id as u32), callee);
            bodies += &done.code;
            helpers.extend(done.helpers);
        }
    }
    let dense = entry::conditions(&facts, &layout, std::mem::take(&mut tail.guards));
    let mut text = entry::entry(&options.name, &layout, variants, func.threads.is_some());
    text += &tail.globals.concat();
    text += &bodies;
    for helper in helpers.values() {
        text += helper;
    }
    text += target::DECLARATIONS;
    if func.threads.is_some() {
        text += &blocks::declarations();
    }
    text += NOTES;
    text += &entry::annotations(&options.name, func.threads);
    Ok(Lowered {
        gang: 1,
        changed: ChangedArrays::default(),
        report: Vec::new(),
        text,
        spans: tail.spans,
        prints: tail.prints,
        in_order: false,
        reduces: !reductions.slots.is_empty(),
        queries: func.any(&|kind| matches!(kind.intrinsic(), Some(Intrinsic::Object(_)))),
        dense,
        stacks: stack_bound::stacks(&facts),
    })
}

/// The bodies of every kernel, those without arrays included: the dense one also takes for granted that the kernel tells all
/// threads apart. Missing arrays are asked about where they are used.
const BODIES: [Variant; 2] = [Variant::Inner, Variant::Any];
