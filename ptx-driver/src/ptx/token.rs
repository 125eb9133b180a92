//! Text to tokens, and the place in them.

use super::refusal::{Refusal, Res, Why};

/// A word or a mark, with its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub text: &'a str,
    pub line: usize,
}

/// The next token to read.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Res<Cursor<'a>> {
        let tokens = tokens(text)?;
        Ok(Cursor { tokens, at: 0 })
    }

    pub fn done(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// The next token; empty at the end.
    pub fn peek(&self) -> &'a str {
        self.ahead(0)
    }

    pub fn ahead(&self, by: usize) -> &'a str {
        self.tokens.get(self.at + by).map_or("", |t| t.text)
    }

    /// Line of the next token, or of the last one.
    pub fn line(&self) -> usize {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.map_or(1, |t| t.line)
    }

    pub fn next(&mut self) -> Res<&'a str> {
        let token = self.tokens.get(self.at).map(|t| t.text);
        let token = token.ok_or_else(|| self.syntax("the text ends too early"))?;
        self.at += 1;
        Ok(token)
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, text: &str) -> Res<()> {
        if self.eat(text) {
            return Ok(());
        }
        Err(self.syntax(format!("expected `{text}`, found `{}`", self.peek())))
    }

    /// Leaves out what is left of this line.
    pub fn skip_line(&mut self) {
        let line = self.tokens[self.at - 1].line;
        while !self.done() && self.line() == line {
            self.at += 1;
        }
    }

    pub fn skip_past(&mut self, text: &str) -> Res<()> {
        while self.next()? != text {}
        Ok(())
    }

    pub fn number(&mut self) -> Res<u64> {
        let word = self.next()?;
        integer(word).ok_or_else(|| self.syntax(format!("`{word}` is no integer")))
    }

    pub fn syntax(&self, what: impl Into<String>) -> Refusal {
        let line = self.line();
        let why = Why::Syntax(what.into());
        Refusal { line, why }
    }

    pub fn unknown(&self, what: impl Into<String>) -> Refusal {
        let line = self.line();
        let why = Why::Unknown(what.into());
        Refusal { line, why }
    }

    /// The tokens up to a semicolon, without moving.
    pub fn statement(&self) -> Vec<&'a str> {
        let rest = &self.tokens[self.at..];
        let words = rest.iter().map(|t| t.text);
        words.take_while(|t| *t != ";").collect()
    }
}

/// An integer constant, of decimal, octal, hexadecimal or binary digits.
pub(crate) fn integer(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(['U', 'u']);
    let prefixed = |prefix: [&str; 2]| prefix.iter().find_map(|p| digits.strip_prefix(*p));
    if let Some(hex) = prefixed(["0x", "0X"]) {
        return u64::from_str_radix(hex, 16).ok();
    }
    if let Some(binary) = prefixed(["0b", "0B"]) {
        return u64::from_str_radix(binary, 2).ok();
    }
    match digits.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u64::from_str_radix(octal, 8).ok(),
        _ => digits.parse().ok(),
    }
}

fn tokens(text: &str) -> Res<Vec<Token<'_>>> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    let refuse = |line, what: &str| {
        let why = Why::Syntax(what.into());
        Refusal { line, why }
    };
    let in_word = |at: usize| {
        let here = bytes.get(at).copied().unwrap_or(b' ');
        here.is_ascii_alphanumeric() || b"_$%.".contains(&here)
    };
    while at < bytes.len() {
        let (start, here) = (at, bytes[at]);
        let rest = &bytes[at..];
        if here == b'\n' || here.is_ascii_whitespace() || here == 0 {
            line += usize::from(here == b'\n');
            at += 1;
            continue;
        }
        if rest.starts_with(b"//") {
            at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*") {
            let end = rest.windows(2).position(|w| w == b"*/");
            let end = end.ok_or_else(|| refuse(line, "a comment does not end"))?;
            line += rest[..end].iter().filter(|b| **b == b'\n').count();
            at += end + 2;
            continue;
        }
        if here == b'"' {
            let end = rest[1..].iter().position(|b| *b == b'"' || *b == b'\n');
            let end = end.filter(|e| rest[1 + e] == b'"');
            at += 2 + end.ok_or_else(|| refuse(line, "a string does not end"))?;
        } else if in_word(at) {
            // A double colon is part of a modifier (`.L1::evict_last`), a single one ends a label.
            while in_word(at) || bytes[at..].starts_with(b"::") {
                at += if in_word(at) { 1 } else { 2 };
            }
        } else if here.is_ascii() {
            at += 1;
        } else {
            return Err(refuse(line, "a character that is no ASCII"));
        }
        let text = &text[start..at];
        found.push(Token { text, line });
    }
    Ok(found)
}
