//! Places in the user's source text.

/// A range of bytes in the source text of one function. `source` numbers the texts of one
/// compilation (0 is the kernel's own; functions that it calls follow).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// Which source text.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// One source text and where it stands in the user's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// File name as the user knows it (`<stdin>` and the like included).
    pub file: String,
    /// Line in that file, from 1, of the text's first line.
    pub first_line: u32,
    /// Columns by which the text was dedented.
    pub indent: u32,
    /// The dedented text.
    pub text: String,
}

/// A position as people write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line in the user's file, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Source {
    /// Where a byte offset of the text stands in the user's file.
    pub fn position(&self, offset: u32) -> Position {
        let before = &self.text[..floor_char(&self.text, offset as usize)];
        let line = before.matches('\n').count() as u32;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32;
        Position {
            line: self.first_line + line,
            column: column + self.indent + 1,
        }
    }

    /// The text of the line that holds a byte offset, without its end.
    pub fn line(&self, offset: u32) -> &str {
        let at = floor_char(&self.text, offset as usize);
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        let end = self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |i| at + i);
        &self.text[start..end]
    }
}

fn floor_char(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
