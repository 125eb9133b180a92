//! The first word of an instruction: opcode and modifiers.
//!
//! A decoder takes the modifiers that it knows, then asks `finish` whether any is left: so none is ever ignored by accident.

use super::refusal::{Refusal, Res, Why};
use super::types::{Space, Type};
use super::value::{Modes, Round};

/// An opcode with its modifiers, of which decoders take one after the other.
pub(crate) struct Form<'a> {
    pub whole: &'a str,
    pub opcode: &'a str,
    pub line: usize,
    rest: Vec<&'a str>,
}

impl<'a> Form<'a> {
    pub fn new(whole: &'a str, line: usize) -> Form<'a> {
        let mut parts = whole.split('.');
        let opcode = parts.next().unwrap_or("");
        let rest = parts.collect();
        Form {
            whole,
            opcode,
            line,
            rest,
        }
    }

    pub fn take(&mut self, word: &str) -> bool {
        let found = self.rest.iter().position(|w| *w == word);
        if let Some(at) = found {
            self.rest.remove(at);
        }
        found.is_some()
    }

    /// Takes all of the words that are there: hints.
    pub fn drop(&mut self, words: &[&str]) {
        self.rest.retain(|w| !words.contains(w));
    }

    /// Takes the first of the table's words that is there.
    pub fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let found = table.iter().find(|(word, _)| self.rest.contains(word))?;
        self.take(found.0);
        Some(found.1)
    }

    /// Takes the first type.
    pub fn ty(&mut self) -> Res<Type> {
        let found = self.rest.iter().position(|w| Type::named(w).is_some());
        let at = found.ok_or_else(|| self.unknown())?;
        Type::named(self.rest.remove(at)).ok_or_else(|| self.unknown())
    }

    /// Takes the only type, if it is one of these.
    pub fn ty_of(&mut self, allowed: &[Type]) -> Res<Type> {
        let ty = self.ty()?;
        if allowed.contains(&ty) {
            return Ok(ty);
        }
        Err(self.unknown())
    }

    pub fn round(&mut self) -> Option<Round> {
        use Round::*;
        self.one_of(&[("rn", Near), ("rz", Zero), ("rm", Down), ("rp", Up)])
    }

    /// Takes rounding, flushing and saturation.
    pub fn modes(&mut self) -> Modes {
        Modes {
            round: self.round().unwrap_or(Round::Near),
            flush: self.take("ftz"),
            saturate: self.take("sat"),
        }
    }

    pub fn space(&mut self) -> Space {
        use Space::*;
        let spaces = [
            ("global", Global),
            ("const", Const),
            ("shared", Shared),
            ("shared::cta", Shared),
            ("local", Local),
            ("param", Param),
            ("param::entry", Param),
            ("param::func", Param),
        ];
        self.one_of(&spaces).unwrap_or(Generic)
    }

    pub fn unknown(&self) -> Refusal {
        let (line, whole) = (self.line, self.whole.to_string());
        let why = Why::Unknown(whole);
        Refusal { line, why }
    }

    /// Refuses the form if a modifier is left.
    pub fn finish(&self) -> Res<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.unknown())
    }
}
