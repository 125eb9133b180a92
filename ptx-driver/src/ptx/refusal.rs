//! Why a text is refused.

use std::fmt;

/// A text that was refused, with the line at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Line of the text, from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is no PTX, or the parts of it do not fit together.
    Syntax(String),
    /// An instruction, modifier, type or directive that this driver does not have, as written.
    Unknown(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match &self.why {
            Why::Syntax(what) => write!(f, "line {line}: {what}"),
            Why::Unknown(form) => write!(f, "line {line}: `{form}` is not known"),
        }
    }
}

impl std::error::Error for Refusal {}

/// What reading a part of a text gives.
pub(crate) type Res<T> = Result<T, Refusal>;
