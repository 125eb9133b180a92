//! Faults of running kernels as errors.

use crate::abi::{ErrorSlot, fault};
use crate::backend::cpu;
use crate::backend::cuda::refusal;
use crate::error::{Code, Error};
use crate::objects;
use crate::span::{Source, Span};

/// The error for a fault of a kernel, whose text `sources` has; `spans` are what its span indexes.
#[cold]
pub fn error(name: &str, sources: &[Source], slot: &ErrorSlot, spans: &[Span]) -> Error {
    Error::new(code_of(slot), text(name, sources, slot, spans))
}

fn code_of(slot: &ErrorSlot) -> Code {
    match slot.code {
        fault::INDEX => Code::Index,
        fault::DIVISION => Code::Division,
        fault::ASSERTION => Code::Assertion,
        fault::UNASSIGNED => Code::Name,
        fault::OBJECT => Code::Value,
        fault::DRIVER => refusal().code,
        _ => Code::Runtime,
    }
}

fn text(name: &str, sources: &[Source], slot: &ErrorSlot, spans: &[Span]) -> String {
    let (a, b) = (slot.a, slot.b);
    let message = match slot.code {
        fault::INDEX if b == -1 => format!(
            "kernel '{name}': index {a} into nothing: the field holds no array, or the address is 0"
        ),
        fault::INDEX => {
            format!("kernel '{name}': index {a} is out of range for a dimension of size {b}")
        }
        fault::DIVISION => format!("kernel '{name}': integer division by zero"),
        fault::ASSERTION => format!("kernel '{name}': an assertion does not hold"),
        fault::UNASSIGNED => {
            format!("kernel '{name}': a variable is read before it has a value")
        }
        fault::OBJECT => format!("kernel '{name}': {}", objects::why_not(a as u64, b as u8)),
        fault::RECORD_LIMIT => format!(
            "gradient of kernel '{name}': recording its loops takes {a} bytes for one thread, the limit is {b}"
        ),
        fault::CANCELLED => format!("kernel '{name}': the launch was interrupted"),
        fault::FORKED => format!(
            "kernel '{name}': the process was forked while the launch ran on several threads; the child has only part of what it writes"
        ),
        fault::DRIVER => format!(
            "kernel '{name}': the driver refuses the launch: {}",
            refusal()
        ),
        fault::REFUSED => {
            let why = cpu::refusal();
            format!("kernel '{name}': the compiler refuses to optimise it: {why}")
        }
        fault::DIFFERS => {
            let how = cpu::refusal();
            format!("kernel '{name}': WARP_CHECK_CODE finds a difference: {how}")
        }
        code => format!("kernel '{name}': fault {code} ({a}, {b})"),
    };
    let mut error = Error::new(code_of(slot), message);
    if slot.code != fault::DRIVER {
        error.span = spans.get(slot.span as usize).copied();
    }
    error.render(sources)
}
