//! What `Kernel.report()` says: how each body of a kernel runs on the CPU, and what costs time in it.

use super::Kernel;
use crate::object::error::raise_at;
use pyo3::prelude::*;
use std::fmt::Write;
use warp_core::lower::{BodyReport, Costly};
use warp_core::module::{Program, Reverse};
use warp_core::span::Source;

impl Kernel {
    /// The report of the kernel, or of its adjoint.
    ///
    /// # Errors
    /// It does not compile, or has no adjoint.
    pub fn described(&self, py: Python<'_>, adjoint: bool) -> PyResult<String> {
        let ready = self.ready(py)?;
        let title = self.title();
        if !adjoint {
            let bodies = of(py, &ready.compiled.program)?;
            return Ok(text(&format!("kernel '{title}'"), &bodies, self.sources()));
        }
        let written = (0u32..).zip(&ready.writes).filter(|(_, writes)| **writes);
        let all = Reverse {
            aliases: Vec::new(),
            consume: written.map(|(param, _)| param).collect(),
        };
        let none = Reverse {
            aliases: Vec::new(),
            consume: Vec::new(),
        };
        // As a backward pass would ask for it: with the gradients of what was written set to zero, where that is possible.
        let slot = match self.reversed(py, &all) {
            Ok(slot) => slot,
            Err(_) => self.reversed(py, &none)?,
        };
        let bodies = of(py, self.adjoint(py, &slot)?)?;
        let what = format!("adjoint of kernel '{title}'");
        Ok(text(&what, &bodies, self.sources()))
    }
}

fn of(py: Python<'_>, program: &Program) -> PyResult<Vec<BodyReport>> {
    py.detach(|| program.report()).map_err(|e| raise_at(&e))
}

fn text(what: &str, bodies: &[BodyReport], sources: &[Source]) -> String {
    let mut out = format!("{what} on the CPU");
    for body in bodies {
        let how = match body.lanes {
            Some(lanes) => format!("gangs of {lanes} threads in lanes"),
            None => "one thread at a time".into(),
        };
        // Writing to a String cannot fail.
        let _ = write!(out, "\n  body '{}': {how}: {}", body.name, body.why);
        if let Some(spills @ 1..) = body.spills {
            let _ = write!(out, "\n    register spills to the stack: {spills}");
        }
        for (costly, span) in &body.notes {
            let what = match costly {
                Costly::Gather => "gathers".to_string(),
                Costly::Scatter => "scatters".into(),
                Costly::Serial => "serialised across lanes".into(),
                Costly::Record(bytes) => format!("records {bytes} bytes per iteration"),
                Costly::Divergent => "divergent loop, runs as long as its slowest lane".into(),
            };
            let Some(source) = sources.get(span.source as usize) else {
                continue;
            };
            let (at, line) = (source.position(span.start), source.line(span.start).trim());
            let _ = write!(out, "\n    {what}: {}:{}: {line}", source.file, at.line);
        }
    }
    out
}
