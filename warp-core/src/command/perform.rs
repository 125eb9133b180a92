//! Doing a command: what everyone learns of it, in this order.
//!
//! 1. The recorders of the thread are told, who may take snapshots of what it reads ([`recorder::Recorder::before`]).
//! 2. Snapshots of what it overwrites become copies ([`super::snapshot`]).
//! 3. The recorders are told again, who may take snapshots of what it leaves ([`recorder::Recorder::after`]).
//! 4. A recorder that defers takes it, or it is done. The timeline sees it when it is done.

use super::data::Command;
use super::recorder;
use super::snapshot::{keep_overwritten, watched};
use crate::abi::Strided;
use crate::device::Streams;
use crate::error::Result;
use smallvec::SmallVec;

/// Does a command on the current streams, or gives it to the recorder of this thread that defers.
///
/// # Errors
/// A recorder cannot have it, there is no memory for what one keeps, or what a kernel or a device says.
pub fn perform(command: Command) -> Result<()> {
    match offer(command)? {
        Some(command) => {
            command.check()?;
            command.run(Streams::CURRENT, &|| false)
        }
        None => Ok(()),
    }
}

/// Tells everyone of a command. Returns it if it is to be done now: no recorder has taken it.
///
/// # Errors
/// A recorder cannot have it, or there is no memory for what one keeps.
pub fn offer(command: Command) -> Result<Option<Command>> {
    if !recorder::listening() {
        overwrite(&command)?;
        return Ok(Some(command));
    }
    let recorders = recorder::all();
    recorders.iter().try_for_each(|r| r.before(&command))?;
    overwrite(&command)?;
    recorders.iter().try_for_each(|r| r.after(&command))?;
    match recorders.iter().find(|r| r.defers()) {
        Some(recorder) => recorder.take(command).map(|()| None),
        None => Ok(Some(command)),
    }
}

/// Keeps what a command is about to overwrite, where a snapshot needs it.
fn overwrite(command: &Command) -> Result<()> {
    if !watched() {
        return Ok(());
    }
    let mut written: SmallVec<[Strided; 4]> = SmallVec::new();
    command.overwrites(&mut |array| written.push(*array));
    (written.iter()).try_for_each(|array| keep_overwritten(array).map(|_| ()))
}
