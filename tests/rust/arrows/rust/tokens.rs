//! Paths in the tokens of macros, which no parser turns into syntax.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A path that stands somewhere in tokens.
pub struct Mention {
    /// Its segments; `$crate` is `crate`.
    pub path: Vec<String>,
    /// Whether `!` follows.
    pub is_macro: bool,
}

/// The paths in `tokens`, in nested groups too. Fields, methods and names of arguments (`name:`) are none.
pub fn paths(tokens: TokenStream) -> Vec<Mention> {
    let mut found = Vec::new();
    scan(tokens, &mut found);
    found
}

/// The identifiers in `tokens`: whatever a macro that is called for its items may define.
pub fn identifiers(tokens: TokenStream, into: &mut impl Extend<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => identifiers(group.stream(), into),
            TokenTree::Ident(ident) => into.extend([spelled(&ident)]),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The name of an identifier, without `r#`.
pub fn spelled(ident: &proc_macro2::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_string()
}

fn scan(tokens: TokenStream, found: &mut Vec<Mention>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => {
                scan(group.stream(), found);
                at += 1;
            }
            // A lifetime.
            TokenTree::Punct(p) if p.as_char() == '\'' => at += 2,
            TokenTree::Punct(p) if p.as_char() == '$' => {
                let is_crate =
                    matches!(tokens.get(at + 1), Some(TokenTree::Ident(i)) if i == "crate");
                at = if is_crate {
                    read(&tokens, at + 1, found)
                } else {
                    skip(&tokens, at + 1) // `$name`, and a path that it begins
                };
            }
            TokenTree::Punct(p) if p.as_char() == '.' && !is(&tokens, at.wrapping_sub(1), '.') => {
                at += 1;
                if matches!(tokens.get(at), Some(TokenTree::Ident(_))) {
                    at += 1; // a field or a method
                }
            }
            // `::std::mem` and `<T as Trait>::name` begin nowhere in this crate.
            TokenTree::Punct(_) if colons(&tokens, at) => at = skip(&tokens, at + 2),
            TokenTree::Ident(_) => at = read(&tokens, at, found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
        }
    }
}

/// Reads the path whose first segment is at `at`; returns where it ends.
fn read(tokens: &[TokenTree], at: usize, found: &mut Vec<Mention>) -> usize {
    let (path, end) = segments(tokens, at);
    if colons(tokens, end)
        && let Some(TokenTree::Group(group)) = tokens.get(end + 2)
    {
        expand(&path, group, found);
        return end + 3;
    }
    let is_argument = path.len() == 1 && is(tokens, end, ':') && !colons(tokens, end);
    if !is_argument {
        let is_macro = is(tokens, end, '!') && !is(tokens, end + 1, '=');
        found.push(Mention { path, is_macro });
    }
    end
}

/// Passes over the path whose first segment is at `at`.
fn skip(tokens: &[TokenTree], at: usize) -> usize {
    segments(tokens, at).1.max(at + 1)
}

/// The segments from `at` on, and where they end.
fn segments(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    while let Some(TokenTree::Ident(ident)) = tokens.get(at) {
        path.push(spelled(ident));
        at += 1;
        if !(colons(tokens, at) && matches!(tokens.get(at + 2), Some(TokenTree::Ident(_)))) {
            break;
        }
        at += 2;
    }
    (path, at)
}

/// The paths of `prefix::{...}`.
fn expand(prefix: &[String], group: &Group, found: &mut Vec<Mention>) {
    if group.delimiter() != Delimiter::Brace {
        return;
    }
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let is_comma = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ',');
    for part in tokens.split(is_comma).filter(|part| !part.is_empty()) {
        let (tail, end) = segments(part, 0);
        let mut path = prefix.to_vec();
        path.extend(tail.into_iter().filter(|s| s != "self"));
        match part.get(end + 2) {
            Some(TokenTree::Group(inner)) if colons(part, end) => expand(&path, inner, found),
            _ => found.push(Mention {
                path,
                is_macro: false,
            }),
        }
    }
}

fn is(tokens: &[TokenTree], at: usize, c: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c)
}

fn colons(tokens: &[TokenTree], at: usize) -> bool {
    is(tokens, at, ':') && is(tokens, at + 1, ':')
}
