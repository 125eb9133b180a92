//! Calls of functions: arguments and results are copied between the frames of caller and callee.

use super::access::{NearMemory, Use, read, write};
use super::fault::{Attempt, Cause, FaultKind, cause};
use super::launch::Launch;
use super::thread::{DEPTH, Thread};
use crate::ptx::Space;
use crate::ptx::code::{Callee, Function, Piece};
use crate::ptx::types::{CODE_WINDOW, LOCAL_BYTES};

impl Launch<'_> {
    /// Begins the frame of a call.
    pub fn call(
        &mut self,
        block: u64,
        shared: &mut [u8],
        thread: &mut Thread,
        function: &Function,
        number: u32,
    ) -> Attempt<()> {
        let call = &function.calls[number as usize];
        let callee = match call.callee {
            Callee::Function(callee) => callee as usize,
            Callee::Pointer(slot) => {
                let address = thread.get(slot);
                let callee = (address.wrapping_sub(CODE_WINDOW) / 16) as usize;
                let functions = &self.module.functions;
                let fits = functions.get(callee).filter(|f| {
                    let sizes = |a: &[_], b: &[_]| same_sizes(a, b);
                    address.is_multiple_of(16)
                        && f.defined
                        && sizes(&f.params, &call.arguments)
                        && sizes(&f.results, &call.results)
                });
                if fits.is_none() {
                    let what = format!("call of {address:#x}, which is no such function");
                    return Err(cause(FaultKind::IllegalInstruction, what));
                }
                callee
            }
            Callee::AssertFail => return Err(self.assertion(shared, thread, &call.arguments)),
            Callee::SetConditional => {
                return self.set_conditional(thread, &call.arguments);
            }
        };
        let from = thread.frames.last().map_or(0, |f| f.local);
        let deep = thread.frames.len() >= DEPTH;
        let room = thread.local.len() as u64 + self.module.functions[callee].local;
        if deep || room > LOCAL_BYTES {
            let what = "the chain of calls is too deep for local memory";
            return Err(cause(FaultKind::LaunchFailed, what));
        }
        self.enter(thread, callee, number, block);
        let to = thread.frames.last().map_or(0, |f| f.local);
        let params = &self.module.functions[callee].params;
        for (argument, param) in call.arguments.iter().zip(params) {
            let start = from + argument.at as usize;
            let bytes = start..start + argument.bytes as usize;
            thread.local.copy_within(bytes, to + param.at as usize);
        }
        Ok(())
    }

    /// `cudaGraphSetConditional(handle, value)`: the handle is the address of what a conditional node reads.
    fn set_conditional(&mut self, thread: &Thread, arguments: &[Piece]) -> Attempt<()> {
        let [handle, value] = [0, 1].map(|number| word(thread, arguments, number));
        let found = self.tlb.at(handle, 4);
        let host = found
            .ok_or_else(|| cause(FaultKind::IllegalAddress, "no handle of a conditional node"))?;
        // SAFETY: four bytes were found.
        unsafe { write(host, 4, value) };
        Ok(())
    }

    /// What `__assertfail` has to say: message, file, line, function.
    fn assertion(
        &mut self,
        shared: &mut [u8],
        thread: &mut Thread,
        arguments: &[Piece],
    ) -> Box<Cause> {
        let words = [0, 1, 2, 3].map(|number| word(thread, arguments, number));
        let mut near = NearMemory {
            local: &mut thread.local,
            shared,
            params: &self.params,
        };
        let mut text = |address: u64| {
            let mut text = String::new();
            for at in 0..1024 {
                let byte = near.find(&mut self.tlb, Space::Generic, address + at, 1, Use::Read);
                // SAFETY: one byte was found.
                match byte.map(|found| unsafe { read(found.host, 1) }) {
                    Ok(0) | Err(_) => break,
                    Ok(byte) => text.push(byte as u8 as char),
                }
            }
            text
        };
        let (message, file, function) = (text(words[0]), text(words[1]), text(words[3]));
        let line = words[2] as u32;
        let what = format!("assertion `{message}` failed at {file}:{line} in {function}");
        cause(FaultKind::Assert, what)
    }
}

/// An argument of a call; 0 for one that there is not.
fn word(thread: &Thread, arguments: &[Piece], number: usize) -> u64 {
    let frame = thread.frames.last().map_or(0, |f| f.local);
    let at = arguments.get(number).map_or(0, |p| frame + p.at as usize);
    let bytes = arguments.get(number).map_or(0, |p| p.bytes as usize).min(8);
    let mut word = [0; 8];
    word[..bytes].copy_from_slice(&thread.local[at..at + bytes]);
    u64::from_le_bytes(word)
}

fn same_sizes(a: &[Piece], b: &[Piece]) -> bool {
    let sizes = a.iter().map(|p| p.bytes);
    sizes.eq(b.iter().map(|p| p.bytes))
}
