//! What tests ask for that CUDA does not tell.
use super::base::settings::Settings;
use super::state::memory::Origin;
use super::state::{Guard, State};
use crate::machine::Random;

/// What `ptx_driver_counts` fills.
#[repr(C)]
#[derive(Default, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Kernels executed.
    pub kernels: u64,
    /// Instructions executed, of all threads.
    pub instructions: u64,
    /// Bytes of device memory that were not freed, without variables of modules.
    pub bytes: u64,
    /// How many allocations those are.
    pub allocations: u64,
    /// Bytes of pinned memory.
    pub pinned_bytes: u64,
    /// Streams that were made and not destroyed, without default streams.
    pub streams: u64,
    /// Events that were made and not destroyed.
    pub events: u64,
    /// Items that wait in streams.
    pub pending: u64,
    /// Executable graphs.
    pub execs: u64,
    /// Modules.
    pub modules: u64,
}

/// Counts what there is now.
pub fn counts(s: &State) -> Counts {
    let mut counts = Counts {
        kernels: s.executed.kernels,
        instructions: s.executed.instructions,
        events: s.events.len() as u64,
        execs: s.execs.len() as u64,
        modules: s.modules.len() as u64,
        ..Counts::default()
    };
    for a in s.memory.iter() {
        match a.origin {
            Origin::Host { .. } => counts.pinned_bytes += a.bytes,
            // An allocation of a graph counts while a launch has it.
            _ if a.internal || a.freed.is_some() || a.graph && a.backing.is_none() => {}
            _ => {
                (counts.bytes, counts.allocations) =
                    (counts.bytes + a.bytes, counts.allocations + 1)
            }
        }
    }
    for st in s.streams.values() {
        let own = s.contexts.get(st.context).is_some_and(|c| {
            c.per_thread.iter().any(|(_, handle)| {
                s.streams
                    .get(*handle)
                    .is_some_and(|other| other.id == st.id)
            })
        });
        counts.streams += u64::from(!st.legacy && !st.destroyed && !own);
        counts.pending += st.queue.len() as u64;
    }
    counts
}

/// Takes over a changed setting at once, where the driver runs already.
pub fn apply(g: &mut Guard) -> Result<(), String> {
    if !g.initialized {
        return Ok(());
    }
    let new = Settings::read()?;
    if new.seed != g.settings.seed {
        g.random = Random::new(new.seed);
    }
    let devices = g.settings.devices;
    g.settings = new;
    // The number of devices is fixed until the next reset.
    g.settings.devices = devices;
    Ok(())
}
