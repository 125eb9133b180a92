//! Executes a kernel: the machine runs it, and its fault becomes one of the context.
use super::fault;
use crate::driver::base::{Error, Handle};
use crate::driver::state::{Guard, Launch};
use crate::machine;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

/// Executes a kernel.
pub fn run(g: &mut Guard, context: Handle, ticket: u64, launch: &Launch) {
    let function = &launch.function;
    let kernel = function.kernel;
    let Some(found) = g.contexts.get(context) else {
        return;
    };
    let device = found.device;
    let contexts = [context]
        .into_iter()
        .chain(found.peers.iter().copied())
        .collect();
    if function.module.unloaded.load(Ordering::Relaxed) {
        let sentence = format!(
            "kernel {} is to run, but its module was unloaded",
            function.name()
        );
        fault::raise(g, context, Error::LAUNCH_FAILED, sentence);
        return;
    }
    let settings = machine::Settings {
        seed: g.random.next(),
        switch: g.settings.switch,
        races: g.settings.races,
        instruction_limit: g.settings.limit,
    };
    let view = g.memory.view(ticket, device, contexts);
    let loaded = &function.module;
    g.executed.kernels += 1;
    let result = g.on_device(|| {
        let run = || {
            machine::run(
                &loaded.ptx,
                kernel,
                &loaded.globals,
                &launch.grid,
                &launch.params,
                &view,
                &settings,
            )
        };
        catch_unwind(AssertUnwindSafe(run))
    });
    match result {
        Ok(Ok(report)) => {
            g.executed.instructions += report.instructions;
            g.clock += 1000 + report.instructions;
        }
        Ok(Err(fault)) => fault::of_kernel(g, context, &fault),
        Err(_) => {
            let sentence = format!("the interpreter panicked in kernel {}", function.name());
            fault::raise(g, context, Error::LAUNCH_FAILED, sentence);
        }
    }
}
