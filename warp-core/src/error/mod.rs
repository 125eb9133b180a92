//! Errors as data: a code, a message, places in the source, a hint. The user's errors ([`Error`]) and the compiler's bugs
//! ([`Bug`]) are different types.

mod code;

pub use code::{Code, Exception};

use crate::span::{Source, Span};
use std::fmt;

/// A second place that explains the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub message: String,
}

/// A mistake of the user's, ready to be rendered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What kind.
    pub code: Code,
    /// What was found, in one sentence.
    pub message: String,
    /// Where, if it stands in kernel code.
    pub span: Option<Span>,
    /// Further places.
    pub labels: Vec<Label>,
    /// What would be right.
    pub hint: Option<String>,
}

/// Of more second places than this, the first ones and the last one are shown.
const LABELS: usize = 10;

/// Result with a user error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
            span: None,
            labels: Vec::new(),
            hint: None,
        }
    }
    /// An error at a place.
    pub fn at(code: Code, span: Span, message: impl Into<String>) -> Error {
        Error {
            span: Some(span),
            ..Error::new(code, message)
        }
    }
    /// Adds what would be right.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Error {
        self.labels.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// Says which argument or call this is about.
    #[must_use]
    pub fn within(mut self, place: impl fmt::Display) -> Error {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// As the mistake of a call that makes, indexes or reshapes an array.
    #[must_use]
    pub fn of_array(mut self) -> Error {
        self.code = self.code.of_array();
        self
    }

    /// The message as users read it: file, line, column, the line with a marker, the hint.
    pub fn render(&self, sources: &[Source]) -> String {
        let mut out = self.message.clone();
        if let Some(span) = self.span {
            place(&mut out, span, sources, None);
        }
        let count = self.labels.len();
        let between = match count > LABELS {
            true => LABELS - 1..count - 1,
            false => count..count,
        };
        for (at, label) in self.labels.iter().enumerate() {
            if at == between.start && !between.is_empty() {
                out.push_str(&format!("\n  ... and {} places more", between.len()));
            }
            if !between.contains(&at) {
                place(&mut out, label.span, sources, Some(&label.message));
            }
        }
        if let Some(hint) = &self.hint {
            out.push_str("\n  hint: ");
            out.push_str(hint);
        }
        out
    }
}

fn place(out: &mut String, span: Span, sources: &[Source], message: Option<&str>) {
    use fmt::Write;
    let Some(source) = sources.get(span.source as usize) else {
        return;
    };
    let at = source.position(span.start);
    let line = source.line(span.start);
    let column = (at.column - 1 - source.indent) as usize;
    let rest = line.chars().count().saturating_sub(column);
    let wide = source.text.get(span.start as usize..span.end as usize);
    let width = wide.map_or(1, |t| t.lines().next().unwrap_or("").chars().count());
    let gutter = at.line.to_string();
    let pad = " ".repeat(gutter.len());
    // Writing to a String cannot fail.
    let _ = write!(out, "\n{pad} --> {}:{}:{}", source.file, at.line, at.column);
    let _ = write!(out, "\n{pad} |\n{gutter} | {line}\n{pad} | ");
    out.extend(
        line.chars()
            .take(column)
            .map(|c| if c == '\t' { '\t' } else { ' ' }),
    );
    out.push_str(&"^".repeat(width.clamp(1, rest.max(1))));
    if let Some(message) = message {
        let _ = write!(out, " {message}");
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// A broken invariant of the compiler: never the user's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug(pub String);

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "compiler bug, please report: {}", self.0)
    }
}

impl std::error::Error for Bug {}

impl From<Bug> for Error {
    fn from(bug: Bug) -> Error {
        Error::new(Code::Bug, bug.to_string())
    }
}
