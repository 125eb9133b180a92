//! A backward pass over what a tape has recorded: the adjoints from last to first.
//!
//! Which gradients a launch consumes, and which belong to one pass, [`plan()`] decides from memory ranges alone.

use super::backward::{Args, Backward};
use super::entry::Entry;
use super::host::{Differentiable, Host};
use super::launch::TapedLaunch;
use super::plan::{BackwardPlan, Use, plan};
use super::restored::Restored;
use crate::command::Snapshot;
use crate::command::snapshot::Walk;
use crate::error::{Code, Error};
use crate::module::Reverse;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// A pass that may be run.
pub struct Pass<H: Backward> {
    entries: Vec<Entry<H>>,
    /// Arguments that are made anew for each pass, entry by entry.
    parts: Vec<Vec<(usize, H::Value)>>,
    uses: Vec<Vec<Use>>,
    plan: BackwardPlan,
}

impl<H: Backward> Pass<H> {
    /// Looks at what was recorded.
    ///
    /// # Errors
    /// What a gradient needs is lost, or an argument is no array any more.
    pub fn prepare(at: H::Context<'_>, entries: Vec<Entry<H>>) -> Result<Pass<H>, H::Error> {
        let mut pass = Pass {
            parts: Vec::new(),
            uses: Vec::new(),
            plan: BackwardPlan::default(),
            entries,
        };
        pass.take_parts(at)?;
        for (n, entry) in pass.entries.iter().enumerate() {
            (0..entry.values().len()).try_for_each(|i| H::settle(at, pass.value(n, i)))?;
        }
        let each = pass.entries.iter().map(|e| e.uses(at));
        pass.uses = each.collect::<Result<Vec<_>, _>>()?;
        for (entry, uses) in pass.entries.iter().zip(&pass.uses) {
            if let Entry::Launch(launch) = entry {
                H::check(at, launch, uses)?;
            }
        }
        check_kept(&pass.entries).map_err(H::error)?;
        pass.plan = plan(&pass.uses);
        Ok(pass)
    }

    /// Makes parts of arrays anew: their gradients may have come since.
    ///
    /// # Errors
    /// There is no memory.
    pub fn take_parts(&mut self, at: H::Context<'_>) -> Result<(), H::Error> {
        let parts = self.entries.iter().map(|entry| match entry {
            Entry::Launch(launch) => H::parts(at, launch),
            _ => Ok(Vec::new()),
        });
        self.parts = parts.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// A value of an entry, as the pass uses it.
    fn value(&self, entry: usize, at: usize) -> &H::Value {
        let part = self.parts[entry].iter().find(|(of, _)| *of == at);
        part.map_or(&self.entries[entry].values()[at], |(_, value)| value)
    }

    /// The arrays that something wrote, from last to first: a pass may start from their gradients. None in place of those of a
    /// function, which may give any.
    pub fn written(&self) -> impl Iterator<Item = Option<&H::Value>> {
        let entries = self.entries.iter().zip(&self.uses).enumerate().rev();
        entries.flat_map(move |(n, (entry, uses))| {
            let call = matches!(entry, Entry::Call(_));
            let written = uses.iter().enumerate().filter(|(_, used)| used.writes);
            let written = written.map(move |(at, _)| Some(self.value(n, at)));
            call.then_some(None).into_iter().chain(written)
        })
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether something may have written memory in a range: a function may have written anything.
    pub fn may_write(&self, bytes: &Range<usize>) -> bool {
        let calls = self.entries.iter().any(|e| matches!(e, Entry::Call(_)));
        let mut written = self.uses.iter().flatten().filter(|used| used.writes);
        calls || written.any(|u| u.bytes.start < bytes.end && bytes.start < u.bytes.end)
    }

    /// Gradients of values that launches pass on belong to one pass: a second one starts them anew.
    ///
    /// # Errors
    /// A gradient cannot be written.
    pub fn clear_intermediates(&self, at: H::Context<'_>) -> Result<(), H::Error> {
        for (n, flags) in self.plan.intermediate.iter().enumerate() {
            for (i, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
                H::clear(at, self.value(n, i))?;
            }
        }
        Ok(())
    }

    /// Runs the adjoints.
    ///
    /// # Errors
    /// A kernel cannot be differentiated, or what a function raises.
    pub fn run(&self, at: H::Context<'_>) -> Result<(), H::Error> {
        let restored = Restored::default();
        let entries = self.entries.iter().zip(&self.plan.consume);
        for (n, (entry, consume)) in entries.enumerate().rev() {
            match entry {
                Entry::Call(call) => {
                    H::call(at, &call.0)?;
                    let mut consumed = consume.iter().enumerate().filter(|(_, c)| **c);
                    consumed.try_for_each(|(i, _)| H::clear(at, self.value(n, i)))?;
                }
                Entry::Launch(launch) if launch.kernel.has_backward() => {
                    let args = Args {
                        launch,
                        parts: &self.parts[n],
                        restored: &restored,
                    };
                    H::reverse(at, launch, &args, reverse(launch, consume))?;
                }
                Entry::Launch(launch) => H::pass_over(at, launch)?,
                Entry::Fill(arrays) => {
                    if consume[0] {
                        H::clear(at, &arrays[0])?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Which adjoint of a launch it is that sets these gradients to zero.
fn reverse<H: Host>(launch: &TapedLaunch<H>, consume: &[bool]) -> Reverse {
    let kernel = launch.kernel();
    let passed = kernel.params().len();
    let (own, reached) = consume.split_at(passed.min(consume.len()));
    let own = (0u32..).zip(own).filter(|(_, c)| **c).map(|(i, _)| i);
    let mut consume: Vec<u32> = own.collect();
    if reached.contains(&true) {
        // Which parameter stands for them is not known here.
        consume.extend(passed as u32..kernel.compiled.access.len() as u32);
    }
    Reverse {
        aliases: launch.aliases.to_vec(),
        consume,
    }
}

/// Why the content is not there that a gradient needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unkept {
    /// Others changed it and did not say so.
    Changed,
    /// It lies described in memory, is read where it lies, and was overwritten: a copy elsewhere is of no use.
    Overwritten,
}

impl Unkept {
    fn error(self, kernel: &str, array: &str) -> Error {
        let what = match self {
            Unkept::Changed => {
                "changed since by another library; change it after the backward pass, or call tape.zero() to take the gradient at \
                 the present content of arrays"
            }
            Unkept::Overwritten => {
                "overwritten since; pass the array to the kernel by itself, so that the tape keeps its content, or write to another \
                 one"
            }
        };
        let text = format!(
            "Tape.backward: the gradient of kernel '{kernel}' needs what {array} held when the launch was recorded, but that was {what}"
        );
        Error::new(Code::Runtime, text)
    }
}

/// Refuses a pass that needs lost content.
fn check_kept<H: Host>(entries: &[Entry<H>]) -> Result<(), Error> {
    let walk = Walk::begin();
    for entry in entries {
        let Entry::Launch(launch) = entry else {
            continue;
        };
        // Code of others runs when counts are asked: not while the needs are locked.
        let snapshots: SmallVec<[(usize, Arc<Snapshot>); 8]> = {
            let saved = launch.saved();
            let arrays = saved.0.iter().enumerate();
            let all = arrays.filter_map(|(at, one)| Some((at, one.as_ref()?.snapshot.clone()?)));
            all.collect()
        };
        let kernel = launch.kernel();
        for (at, snapshot) in snapshots {
            let reached = at >= kernel.params().len();
            let unkept = if is_lost(&snapshot, &walk)? {
                Unkept::Changed
            } else if reached && snapshot.overwritten().is_some() {
                Unkept::Overwritten
            } else {
                continue;
            };
            let array = match kernel.params().get(at) {
                Some(param) => format!("'{}'", param.name),
                None => "an array in an array of structs".to_string(),
            };
            return Err(unkept.error(kernel.title, &array));
        }
    }
    Ok(())
}

/// Whether the content of a snapshot, or of one that follows it, is lost; of those where the walk was not yet.
fn is_lost(snapshot: &Arc<Snapshot>, walk: &Walk) -> Result<bool, Error> {
    let mut next = Some(snapshot);
    while let Some(snapshot) = next
        && walk.is_new(snapshot)
    {
        if snapshot.is_lost()? {
            return Ok(true);
        }
        next = snapshot.next();
    }
    Ok(false)
}
