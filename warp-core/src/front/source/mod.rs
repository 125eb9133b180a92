//! From the text that Python knows of a function to its `def`.

pub(in crate::front) mod facts;
pub(in crate::front) mod library;
pub(in crate::front) mod reading;
pub(in crate::front) mod scope;
pub(in crate::front) mod statics;

use crate::error::{Code, Error, Result};
use crate::front::source::scope::SourceText;
use crate::span::{Source, Span};
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{ExceptHandler, Stmt, StmtFunctionDef};
use ruff_text_size::TextRange;

/// Texts beyond this are no functions that a person wrote; spans have 32 bits.
const MAX_BYTES: usize = 4 << 20;
/// Tokens of one statement and levels of indentation: what bounds the depth of the syntax tree,
/// and with it the stack that walking and dropping it take.
const MAX_STATEMENT: usize = 6000;
const MAX_INDENT: usize = 100;

/// A range of the text with this number.
pub(in crate::front) fn span(source: u32, range: TextRange) -> Span {
    Span {
        source,
        start: range.start().to_u32(),
        end: range.end().to_u32(),
    }
}

/// Removes the indentation of the first line from all lines.
pub(in crate::front) fn dedent(given: &SourceText) -> Source {
    let text = given.text.strip_prefix('\u{feff}').unwrap_or(&given.text);
    let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
    let margin = &first[..first.len() - first.trim_start_matches([' ', '\t', '\u{c}']).len()];
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // Lines with less (inside strings and brackets) lose what they share.
        let shared = line
            .bytes()
            .zip(margin.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        out.push_str(&line[shared..]);
    }
    Source {
        file: given.file.clone(),
        first_line: given.first_line,
        indent: margin.chars().count() as u32,
        text: out,
    }
}

/// Parses a text and finds the function in it. `number` is the number of the text in spans.
pub(in crate::front) fn parse(name: &str, source: &Source, number: u32) -> Result<StmtFunctionDef> {
    let text = &source.text;
    if text.len() > MAX_BYTES {
        let found = format!("the source text of `{name}` has {} bytes", text.len());
        return Err(Error::new(Code::Syntax, found).hint("4 MiB are the most"));
    }
    let options = ruff_python_parser::ParseOptions::from(ruff_python_parser::Mode::Module);
    let parsed = ruff_python_parser::parse_unchecked(text, options);
    let too_deep = longest_statement(parsed.tokens());
    if too_deep {
        // Dropping the tree would recurse as deep as it is.
        std::mem::forget(parsed);
        let found = format!("`{name}` has a statement that is too long or too deeply nested");
        return Err(Error::at(
            Code::Syntax,
            Span {
                source: number,
                ..Span::default()
            },
            found,
        )
        .hint("compute it in several statements"));
    }
    let error = parsed.errors().first().map(|e| {
        let at = span(number, e.location);
        Error::at(
            Code::Syntax,
            at,
            format!("this is not valid Python: {}", e.error),
        )
    });
    let mut found = Vec::new();
    if let Some(module) = parsed.try_into_module() {
        collect(module.into_syntax().body.into_iter(), name, &mut found);
    }
    if let Some(error) = error {
        return Err(error);
    }
    let start = Span {
        source: number,
        start: 0,
        end: 0,
    };
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(def), None) => Ok(def),
        (Some(first), Some(second)) => {
            let what = format!("the source text defines `{name}` more than once");
            Err(
                Error::at(Code::Syntax, span(number, second.name.range), what)
                    .label(span(number, first.name.range), "the other one")
                    .hint("give the functions different names, or put each on lines of its own"),
            )
        }
        (None, _) => {
            let what = format!("no `def {name}` stands in the source text found for it");
            Err(Error::at(Code::Syntax, start, what)
                .hint("kernels and functions are defined with `def`; a lambda has no statements"))
        }
    }
}

fn longest_statement(tokens: &[ruff_python_ast::token::Token]) -> bool {
    let (mut run, mut indent) = (0_usize, 0_usize);
    for token in tokens {
        match token.kind() {
            TokenKind::Newline => run = 0,
            TokenKind::Indent => indent += 1,
            TokenKind::Dedent => indent = indent.saturating_sub(1),
            TokenKind::Comment | TokenKind::NonLogicalNewline => {}
            _ => run += 1,
        }
        if run > MAX_STATEMENT || indent > MAX_INDENT {
            return true;
        }
    }
    false
}

/// Functions of this name in statements, those inside other definitions only if need be.
fn collect(stmts: impl Iterator<Item = Stmt>, name: &str, found: &mut Vec<StmtFunctionDef>) {
    let mut nested = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::FunctionDef(def) if def.name.as_str() == name => found.push(def),
            Stmt::FunctionDef(def) => nested.extend(def.body),
            Stmt::ClassDef(def) => nested.extend(def.body),
            Stmt::With(with) => nested.extend(with.body),
            Stmt::For(it) => nested.extend(it.body.into_iter().chain(it.orelse)),
            Stmt::While(it) => nested.extend(it.body.into_iter().chain(it.orelse)),
            Stmt::If(it) => {
                nested.extend(it.body);
                nested.extend(it.elif_else_clauses.into_iter().flat_map(|c| c.body));
            }
            Stmt::Try(it) => {
                nested.extend(it.body);
                for ExceptHandler::ExceptHandler(handler) in it.handlers {
                    nested.extend(handler.body);
                }
                nested.extend(it.orelse.into_iter().chain(it.finalbody));
            }
            _ => {}
        }
    }
    if found.is_empty() && !nested.is_empty() {
        collect(nested.into_iter(), name, found);
    }
}

#[cfg(test)]
mod tests {
    use super::{dedent, parse};
    use crate::front::SourceText;

    fn text(text: &str) -> SourceText {
        SourceText {
            name: "k".into(),
            file: "f.py".into(),
            first_line: 10,
            text: text.into(),
        }
    }

    fn message(given: &str) -> String {
        parse("k", &dedent(&text(given)), 0)
            .expect_err("refused")
            .message
    }

    #[test]
    fn places_are_those_of_the_file() {
        let source = dedent(&text(
            "    @wp.kernel\n    def k(\n  x: int):\n        pass\n",
        ));
        assert_eq!(source.text, "@wp.kernel\ndef k(\nx: int):\n    pass\n");
        let def = parse("k", &source, 0).expect("found");
        let at = source.position(def.name.range.start().to_u32());
        assert_eq!((at.line, at.column), (11, 9));
    }

    #[test]
    fn the_right_function_is_found_or_refused() {
        assert!(message("k = wp.kernel(lambda x: None)\n").contains("no `def k`"));
        assert!(message("def k(): pass\ndef k(): pass\n").contains("more than once"));
        let neighbours = "def a(): pass\nif True:\n    def k(n: int): pass\n";
        assert!(parse("k", &dedent(&text(neighbours)), 0).is_ok());
        assert!(message("").contains("no `def k`"));
        assert!(message("def k(:\n").contains("not valid Python"));
    }
}
