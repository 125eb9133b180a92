//! Faults of executed work: they break the context for good, as on a GPU.
use crate::driver::base::{Error, Handle};
use crate::driver::state::Guard;
use crate::machine::{Fault, FaultKind};

fn code(kind: FaultKind) -> Error {
    match kind {
        FaultKind::IllegalAddress => Error::ILLEGAL_ADDRESS,
        FaultKind::Misaligned => Error::MISALIGNED_ADDRESS,
        FaultKind::IllegalInstruction => Error::ILLEGAL_INSTRUCTION,
        FaultKind::Assert => Error::ASSERT,
        FaultKind::LaunchFailed | FaultKind::Race | FaultKind::Deadlock | FaultKind::Limit => {
            Error::LAUNCH_FAILED
        }
    }
}

/// Breaks a context: its queued work is dropped, and every later call returns the error.
pub fn raise(g: &mut Guard, context: Handle, error: Error, sentence: String) {
    eprintln!("ptx-driver: {sentence}");
    let s = &mut **g;
    s.faults += 1;
    s.last_fault = sentence;
    if let Some(found) = s.contexts.get_mut(context) {
        found.error.get_or_insert(error);
    }
    for st in s.streams.values_mut().filter(|st| st.context == context) {
        st.queue.clear();
        if !st.running {
            st.done = st.last;
        }
    }
}

/// A copy or fill met memory that is not there.
pub fn illegal_address(g: &mut Guard, context: Handle, sentence: String) {
    raise(g, context, Error::ILLEGAL_ADDRESS, sentence);
}

/// A fault of a kernel, with where it happened.
pub fn of_kernel(g: &mut Guard, context: Handle, fault: &Fault) {
    let Fault {
        kind,
        kernel,
        block,
        thread,
        line,
        text,
    } = fault;
    let sentence = format!(
        "{kind:?} in kernel {kernel}, block ({}, {}, {}), thread ({}, {}, {}), line {line} of its PTX: {text}",
        block[0], block[1], block[2], thread[0], thread[1], thread[2]
    );
    raise(g, context, code(*kind), sentence);
}
