//! Which line of the program each instruction is of, for debuggers.
//!
//! While bodies are written, a comment stands before the instructions of a statement and marks its place ([`mark`]). Once the text is
//! whole, each function gets LLVM's debug information: [`attach`] reads the marks and says behind each instruction which place
//! it is of. What stands before the first mark of a function is of the line where the function begins.

use crate::span::{Source, Span};
use std::collections::HashMap;
use std::fmt::Write;

/// What a mark begins with; the number of a text and a place in it follow.
const MARK: &str = "  ;@";
/// Numbers of metadata below are those of lowering.
const FIRST: usize = 1000;
/// LLVM takes no larger column.
const LAST_COLUMN: u32 = u16::MAX as u32;

/// Marks that what follows is of that place.
pub(in crate::lower) fn mark(code: &mut String, span: Span) {
    // Writing to a String cannot fail.
    let _ = writeln!(code, "{MARK}{} {}", span.source, span.start);
}

/// The text with debug information. The names of functions that begin with `symbol` begin with `title` there.
pub(in crate::lower) fn attach(
    text: &str,
    symbol: &str,
    title: &str,
    sources: &[Source],
) -> String {
    let mut notes = Notes::new(sources);
    let mut out = String::with_capacity(2 * text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let name = line.starts_with("define ").then(|| name(line)).flatten();
        let own = name.and_then(|name| match name.strip_prefix(symbol) {
            Some(rest) if rest.is_empty() || rest.starts_with('.') => Some(rest),
            _ => None,
        });
        let Some(rest) = own else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        notes.function(&mut out, line, &format!("{title}{rest}"), &body);
    }
    out.push_str(&notes.finish());
    out
}

/// The name of the function that a line defines.
fn name(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('@')?;
    let rest = rest.trim_start_matches('"');
    rest.split(['(', '"']).next()
}

/// A place that is marked.
fn marked(line: &str) -> Option<(u32, u32)> {
    let (source, start) = line.strip_prefix(MARK)?.split_once(' ')?;
    Some((source.parse().ok()?, start.parse().ok()?))
}

/// Metadata under construction.
struct Notes<'a> {
    sources: &'a [Source],
    text: String,
    next: usize,
    /// The file of each text.
    files: Vec<usize>,
    unit: usize,
    signature: usize,
}

impl<'a> Notes<'a> {
    fn new(sources: &'a [Source]) -> Notes<'a> {
        let mut notes = Notes {
            sources,
            text: String::new(),
            next: FIRST,
            files: Vec::new(),
            unit: 0,
            signature: 0,
        };
        for source in sources {
            let file = escaped(&source.file);
            let file = notes.add(format_args!(
                "!DIFile(filename: \"{file}\", directory: \"\")"
            ));
            notes.files.push(file);
        }
        if let Some(file) = notes.files.first().copied() {
            notes.unit = notes.add(format_args!(
                "distinct !DICompileUnit(language: DW_LANG_C99, file: !{file}, producer: \"warp\", isOptimized: true, \
                 runtimeVersion: 0, emissionKind: FullDebug)"
            ));
            notes.signature = notes.add(format_args!("!DISubroutineType(types: !{{null}})"));
        }
        notes
    }

    /// A node with a number of its own.
    fn add(&mut self, node: std::fmt::Arguments<'_>) -> usize {
        let number = self.next;
        self.next += 1;
        let _ = writeln!(self.text, "!{number} = {node}");
        number
    }

    /// Writes a function, whose first line is `head`, with the places of what it does.
    fn function(&mut self, out: &mut String, head: &str, title: &str, body: &[&str]) {
        let known = |(source, _): &(u32, u32)| (*source as usize) < self.sources.len();
        let marks: Vec<_> = body.iter().filter_map(|line| marked(line)).collect();
        // A function that a kernel calls may be of another text. What is inlined into the kernel is, too.
        let own = match marks.iter().any(|(source, _)| *source == 0) {
            true => 0,
            false => marks.iter().find(|mark| known(mark)).map_or(0, |m| m.0),
        };
        let Some(source) = self.sources.get(own as usize) else {
            let _ = writeln!(out, "{head}\n{}\n}}", body.join("\n"));
            return;
        };
        let (first, unit, signature) = (source.first_line, self.unit, self.signature);
        let (title, file) = (escaped(title), self.files[own as usize]);
        let scope = self.add(format_args!(
            "distinct !DISubprogram(name: \"{title}\", scope: !{file}, file: !{file}, line: {first}, type: !{signature}, \
             scopeLine: {first}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{unit})"
        ));
        let start = self.add(format_args!("!DILocation(line: {first}, scope: !{scope})"));
        let mut places = Places {
            own,
            scope,
            scopes: HashMap::new(),
            known: HashMap::new(),
        };
        let head = head.strip_suffix('{').unwrap_or(head);
        let _ = writeln!(out, "{head}!dbg !{scope} {{");
        let (mut at, mut open) = (start, false);
        for line in body {
            if let Some(mark) = marked(line) {
                at = self.place(&mut places, mark).unwrap_or(start);
                continue;
            }
            out.push_str(line);
            // The cases of a switch stand on lines of their own.
            open = (open || line.ends_with('[')) && !line.trim_start().starts_with(']');
            let is_instruction = line.starts_with("  ") && !line.trim_start().starts_with(';');
            if is_instruction && !open {
                let _ = write!(out, ", !dbg !{at}");
            }
            out.push('\n');
        }
        out.push_str("}\n");
    }

    /// The number of a place's metadata; None for one of no text.
    fn place(&mut self, places: &mut Places, mark: (u32, u32)) -> Option<usize> {
        if let Some(number) = places.known.get(&mark) {
            return Some(*number);
        }
        let (number, start) = mark;
        let position = self.sources.get(number as usize)?.position(start);
        let scope = match number == places.own {
            true => places.scope,
            false => match places.scopes.get(&number) {
                Some(scope) => *scope,
                None => {
                    let (outer, file) = (places.scope, self.files[number as usize]);
                    let scope = self.add(format_args!(
                        "!DILexicalBlockFile(scope: !{outer}, file: !{file}, discriminator: 0)"
                    ));
                    places.scopes.insert(number, scope);
                    scope
                }
            },
        };
        let (line, column) = (position.line, position.column.min(LAST_COLUMN));
        let made = self.add(format_args!(
            "!DILocation(line: {line}, column: {column}, scope: !{scope})"
        ));
        places.known.insert(mark, made);
        Some(made)
    }

    fn finish(mut self) -> String {
        if self.files.is_empty() {
            return String::new();
        }
        let (kind, version) = ("Dwarf Version", "Debug Info Version");
        let flags = [(7, kind, 4), (2, version, 3)].map(|(behaviour, flag, value)| {
            self.add(format_args!(
                "!{{i32 {behaviour}, !\"{flag}\", i32 {value}}}"
            ))
        });
        let [dwarf, debug] = flags;
        let unit = self.unit;
        let _ = writeln!(
            self.text,
            "!llvm.dbg.cu = !{{!{unit}}}\n!llvm.module.flags = !{{!{dwarf}, !{debug}}}"
        );
        self.text
    }
}

/// What is known of the places of a function.
struct Places {
    /// The text that the function is of.
    own: u32,
    scope: usize,
    /// The scopes of other texts.
    scopes: HashMap<u32, usize>,
    known: HashMap<(u32, u32), usize>,
}

/// A text between quotes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => out.push(byte.into()),
            _ => {
                let _ = write!(out, "\\{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(file: &str, first_line: u32, text: &str) -> Source {
        Source {
            file: file.into(),
            first_line,
            indent: 0,
            text: text.into(),
        }
    }

    #[test]
    fn instructions_say_where_they_are_from() {
        let sources = [
            source("a \"b\".py", 10, "def k():\n    x = 1\n    y = f(x)\n"),
            source("f.py", 3, "def f(x):\n    return x\n"),
        ];
        let mut code =
            "define void @kernel.any(ptr %ctx) nounwind {\nentry:\n  %a = add i32 1, 2\n"
                .to_string();
        let at = |source, start| Span {
            source,
            start,
            end: start + 1,
        };
        mark(&mut code, at(0, 13));
        code += "  switch i32 %a, label %b [\n    i32 0, label %c\n  ]\n";
        mark(&mut code, at(1, 14));
        code += "  ret void\n}\ndefine void @w.helper() {\n  ret void\n}\n";
        let made = attach(&code, "kernel", "k", &sources);
        let line = |start: &str| made.lines().find(|line| line.starts_with(start)).unwrap();
        // `!dbg !1006`: the node's text.
        let node = |line: &str| {
            let number = line.rsplit('!').next().unwrap().trim_end_matches(" {");
            made.lines()
                .find_map(|l| l.strip_prefix(&format!("!{number} = ")))
                .unwrap()
        };
        let head = line("define void @kernel.any");
        assert!(head.ends_with(" {") && node(head).contains("name: \"k.any\""));
        assert!(node(head).contains("line: 10,"));
        assert!(node(line("  %a = ")).starts_with("!DILocation(line: 10,"));
        assert_eq!(line("  switch"), "  switch i32 %a, label %b [");
        assert!(node(line("  ]")).starts_with("!DILocation(line: 11, column: 5,"));
        let returned = node(made.lines().find(|l| l.starts_with("  ret void,")).unwrap());
        assert!(returned.starts_with("!DILocation(line: 4, column: 5,"));
        assert!(made.contains("filename: \"a \\22b\\22.py\""));
        assert!(made.contains("define void @w.helper() {\n  ret void\n}"));
    }
}
