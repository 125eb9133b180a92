//! The reference interpreter: the definition of what IR means, slow and checked.
//!
//! Threads run one after the other in index order, those of a block together (`block.rs`); every access is checked. Floats are computed in double
//! precision and rounded to their type after every operation, which equals computing in the
//! type itself for + - * / and sqrt.

mod block;
mod fault;
mod memory;
mod thread;

pub use crate::ir::{Num, evaluate};
pub use fault::Fault;
pub use memory::{Arg, Buffer, Memory, Object, Searches};

use block::{Threads, Waiting, indices};
use std::ops::Range;

use crate::ir::Func;

/// Statements that one run may execute before it is taken for endless.
pub const FUEL: u64 = 200_000_000;

/// Runs a verified kernel over all threads of `dims`. Gives what was printed.
///
/// `args` has one entry per parameter.
///
/// # Errors
/// A [`Fault`] if the kernel does something without meaning: access out of range, an endless loop, a record without replay.
pub fn run(func: &Func, dims: &[i32], args: &[Arg], memory: &mut Memory) -> Result<String, Fault> {
    let total = dims.iter().map(|d| i64::from(*d)).product();
    run_some(func, dims, 0..total, args, memory, FUEL)
}

/// As [`run`], for some threads of `dims`, which may execute so many statements in all.
///
/// # Errors
/// Those of [`run`].
pub fn run_some(
    func: &Func,
    dims: &[i32],
    threads: Range<i64>,
    args: &[Arg],
    memory: &mut Memory,
    mut fuel: u64,
) -> Result<String, Fault> {
    let params = func.arguments();
    if args.len() != params.len() {
        return Err(Fault(format!(
            "{} arguments for {}",
            args.len(),
            params.len()
        )));
    }
    for (param, arg) in params.iter().zip(args) {
        memory::check_arg(param, arg, memory)?;
    }
    let given = memory.buffers.len();
    let mut printed = String::new();
    let mut block = Vec::new();
    let size = match func.threads {
        None => 1,
        Some(of) if dims.get(of.dim as usize..) == Some(&[of.threads as i32]) => {
            of.threads as usize
        }
        Some(of) => return Err(Fault(format!("{dims:?} threads in blocks of {of}"))),
    };
    let mut shared = Vec::new();
    for linear in threads {
        let tid = indices(linear, dims);
        if block.is_empty() {
            memory.buffers.truncate(given);
            shared = memory.own_arrays(func, true)?;
        }
        let own = memory.own_arrays(func, false)?.into_iter().zip(&shared);
        let own = own.map(|(own, shared)| own.or_else(|| shared.clone()));
        let mut all = args.to_vec();
        // What runs does not touch a gradient; each access says where a pointer-based array lies.
        all.extend(own.map(|arg| arg.unwrap_or(Arg::Missing)));
        block.push(Waiting::new(func, all, tid));
        if block.len() == size {
            let threads = Threads {
                func,
                all: std::mem::take(&mut block),
                memory,
                printed: &mut printed,
                fuel: &mut fuel,
            };
            threads.run()?;
        }
    }
    if !block.is_empty() {
        return Err(Fault("a part of a block is to run".into()));
    }
    memory.buffers.truncate(given);
    Ok(printed)
}
