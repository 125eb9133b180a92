//! What `Kernel.report()` says: how each body of a kernel runs on the CPU, and what costs time in it. And what
//! `Kernel.inspect()` shows: the forms that a kernel has on its way to machine code.

use super::Kernel;
use crate::object::error::{Code, error, raise_at};
use pyo3::prelude::*;
use std::fmt::Write;
use warp_core::lower::{BodyReport, Costly, Splits};
use warp_core::module::{Form, Program, Reverse};
use warp_core::span::{Source, Span};

impl Kernel {
    /// The report of the kernel, or of its adjoint.
    ///
    /// # Errors
    /// It does not compile, or has no adjoint.
    pub fn described(&self, py: Python<'_>, adjoint: bool) -> PyResult<String> {
        self.with_program(py, adjoint, |program| {
            let bodies = py.detach(|| program.report());
            let bodies = bodies.map_err(|e| raise_at(&e))?;
            let what = if adjoint {
                "adjoint of kernel"
            } else {
                "kernel"
            };
            let what = format!("{what} '{}'", self.title());
            Ok(text(&what, &bodies, self.sources()))
        })
    }

    /// The kernel, or its adjoint, in the form of this name.
    ///
    /// # Errors
    /// There is no such form; as [`Kernel::described`].
    pub fn shown(&self, py: Python<'_>, form: &str, adjoint: bool) -> PyResult<String> {
        let form = match form {
            "ir" => Form::Ir,
            "llvm" => Form::Llvm,
            "asm" => Form::Assembly,
            "ptx" => Form::Ptx,
            other => {
                let text = format!(
                    "inspect: form is '{other}', expected \"ir\", \"llvm\", \"asm\" or \"ptx\""
                );
                return Err(error(Code::Value, text));
            }
        };
        self.with_program(py, adjoint, |program| {
            let text = py.detach(|| program.text(form));
            text.map_err(|e| raise_at(&e))
        })
    }

    /// Gives `take` the kernel as a program, or its adjoint as a backward pass would ask for it.
    fn with_program(
        &self,
        py: Python<'_>,
        adjoint: bool,
        take: impl FnOnce(&Program) -> PyResult<String>,
    ) -> PyResult<String> {
        let ready = self.ready(py)?;
        if !adjoint {
            return take(&ready.compiled.program);
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
        // With the gradients of what was written set to zero, where that is possible.
        let slot = match self.reversed(py, &all) {
            Ok(slot) => slot,
            Err(_) => self.reversed(py, &none)?,
        };
        take(self.adjoint(py, &slot)?)
    }
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
        for (splits, span) in &body.splits {
            let what = match splits {
                Splits::Condition => "rows are split",
                Splits::Division => "divided once per row",
            };
            place(&mut out, what, *span, sources);
        }
        if let Some(why) = body.whole {
            let _ = write!(out, "\n    rows are not split: {why}");
        }
        for (costly, span) in &body.notes {
            let what = match costly {
                Costly::Gather => "gathers".to_string(),
                Costly::Scatter => "scatters".into(),
                Costly::Serial => "serialised across lanes".into(),
                Costly::Record(bytes) => format!("records {bytes} bytes per iteration"),
                Costly::Divergent => "divergent loop, runs as long as its slowest lane".into(),
            };
            place(&mut out, &what, *span, sources);
        }
    }
    out
}

/// Adds what there is to say about a line, once.
fn place(out: &mut String, what: &str, span: Span, sources: &[Source]) {
    if let Some(source) = sources.get(span.source as usize) {
        let (at, line) = (source.position(span.start), source.line(span.start).trim());
        let text = format!("\n    {what}: {}:{}: {line}", source.file, at.line);
        if !out.ends_with(&text) {
            *out += &text;
        }
    }
}
