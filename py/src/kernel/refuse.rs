//! Places in kernels for messages: what a launch refuses, with the line of the kernel that declares the parameter.

use super::Kernel;
use crate::object::error::Mismatch;
use pyo3::prelude::*;
use warp_core::error::{Code, Error};
use warp_core::front::SourceText;
use warp_core::span::{Source, Span};

impl Kernel {
    /// Texts that spans of the compiled kernel point into.
    pub fn sources(&self) -> &[Source] {
        self.ready
            .get()
            .map_or(&[], |ready| &ready.compiled.sources)
    }

    /// The exception for an argument that does not fit its parameter.
    #[cold]
    pub fn refuse(&self, mismatch: Mismatch, argument: &str) -> PyErr {
        let shown = declared(&self.written.get().source, argument).unwrap_or_default();
        mismatch.at(self.title(), argument, &shown)
    }

    /// Where the kernel is defined, as messages show it behind their text.
    #[cold]
    pub fn defined(&self) -> String {
        let source = &self.written.get().source;
        let shown = name_at(source).map(|at| shown(source, at, &source.name));
        shown.flatten().unwrap_or_default()
    }
}

/// Where the name of a function stands behind `def`; None for what the package wrote itself.
fn name_at(source: &SourceText) -> Option<usize> {
    match source.file.starts_with("<map_") {
        true => None,
        false => Some(source.text.find(&format!("def {}", source.name))? + "def ".len()),
    }
}

/// Where a function declares a parameter, as messages show it.
fn declared(source: &SourceText, argument: &str) -> Option<String> {
    // A field of a struct stands where the struct is declared.
    let name = argument.split('.').next().unwrap_or(argument);
    let (text, head) = (&source.text, name_at(source)? + source.name.len());
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (at, _) = text[head..].match_indices(name).find(|(at, _)| {
        let (before, after) = (&text[..head + at], &text[head + at + name.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })?;
    shown(source, head + at, name)
}

/// A word of a function's text with its line, as messages show it.
fn shown(source: &SourceText, at: usize, word: &str) -> Option<String> {
    let span = Span {
        source: 0,
        start: u32::try_from(at).ok()?,
        end: u32::try_from(at + word.len()).ok()?,
    };
    let source = Source {
        file: source.file.clone(),
        first_line: source.first_line,
        indent: 0,
        text: source.text.clone(),
    };
    Some(Error::at(Code::Launch, span, "").render(&[source]))
}
