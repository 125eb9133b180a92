//! Intrinsics: statements that take and give lists of values and are neither expressions, memory accesses nor control flow.
//!
//! This file has what the data of the IR need: the list, names, text and effects. What each is checked for, means, costs and
//! becomes in a derivative stands in its row (module `intrinsic`).

use crate::dtype::Scalar;
use crate::ir::effects::Effects;
use crate::ir::exchange::Exchange;
use crate::ir::factorization::Factorization;
use crate::ir::id::Slot;
use crate::ir::object::{ObjectKind, READABLE};
use crate::ir::search::Search;
use crate::ir::thread_block::ThreadScope;

/// What a [`super::Kind::Intrinsic`] does, with what is known of it when compiling.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// Product of the matrices `m x k` and `k x n`, `[m, k, n]` being the sizes. Arguments and results are row-major and of one
    /// number type. Each component is the sum of its products in order, each product and each sum rounded.
    Matmul([u32; 3]),
    /// Decomposes a matrix, row-major and of one float type; gives the components of the results.
    Factor(Factorization),
    /// May end the kernel with a fault unless `0 <= index < size`. Arguments: the index, counted from the start; the index that
    /// the user wrote; and the size, if it is not known when compiling. All int32, or with a size at run time all int64.
    Check(Option<u32>),
    /// Ends the kernel with a fault unless its argument, a bool, holds. Kernels have these in debug mode only.
    Require(Requirement),
    /// Prints in the manner of C's printf; the format has one conversion per argument.
    Print(String),
    /// Pushes its arguments on a recording stack of this thread.
    Record(Slot),
    /// Pops what the Record of the same slot pushed. On each stack the two nest like brackets.
    Replay(Slot),
    /// The address (uint64) of the object of an id (uint64), which must be of this kind: a fault otherwise.
    Object(ObjectKind),
    /// Number `index` (int32 or int64) of those of this type that lie from an address (uint64) on, which is one of an object's.
    /// Nothing changes objects while a kernel runs.
    Read(Scalar),
    /// An integer that is searched for in the object at an address (uint64); the other arguments are those of the search.
    Search(Search),
    /// Gives the present length of the undo log (int64).
    Mark,
    /// Takes back logged writes, newest first, until the log has the length of its argument (int64).
    Unwind,
    /// No thread of the warp or block goes on before all have come here; each then sees what the others have written to the memory that
    /// they share.
    Barrier(ThreadScope),
    /// The threads of a warp tell each other their arguments. All come here together.
    Exchange(Exchange),
}

/// What a [`Intrinsic::Require`] is there for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Requirement {
    /// The author wrote `assert`.
    Assertion,
    /// A variable has a value where it is read.
    Assigned,
}

impl Requirement {
    /// All of them.
    pub const ALL: [Requirement; 2] = [Requirement::Assertion, Requirement::Assigned];

    /// The name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Requirement::Assertion => "assertion",
            Requirement::Assigned => "assigned",
        }
    }
}

impl Intrinsic {
    /// The name in the text form.
    pub const fn name(&self) -> &'static str {
        match self {
            Intrinsic::Matmul(_) => "matmul",
            Intrinsic::Factor(_) => "factor",
            Intrinsic::Check(_) => "check",
            Intrinsic::Require(_) => "require",
            Intrinsic::Print(_) => "print",
            Intrinsic::Record(_) => "record",
            Intrinsic::Replay(_) => "replay",
            Intrinsic::Object(_) => "object",
            Intrinsic::Read(_) => "read",
            Intrinsic::Search(_) => "search",
            Intrinsic::Mark => "mark",
            Intrinsic::Unwind => "unwind",
            Intrinsic::Barrier(_) => "barrier",
            Intrinsic::Exchange(exchange) => exchange.name(),
        }
    }

    /// What it does besides computing its results.
    pub const fn effects(&self) -> Effects {
        match self {
            Intrinsic::Matmul(_)
            | Intrinsic::Factor(_)
            | Intrinsic::Read(_)
            | Intrinsic::Search(_) => Effects::PURE,
            Intrinsic::Check(_) | Intrinsic::Require(_) | Intrinsic::Object(_) => Effects::FAULT,
            Intrinsic::Print(_) | Intrinsic::Record(_) | Intrinsic::Replay(_) => Effects::ORDERED,
            Intrinsic::Mark => Effects::READ,
            Intrinsic::Unwind => Effects::WRITE,
            Intrinsic::Barrier(_) => Effects::BARRIER,
            Intrinsic::Exchange(_) => Effects::EXCHANGE,
        }
    }

    /// Whose threads come to it together; None if each comes alone.
    pub const fn scope(&self) -> Option<ThreadScope> {
        match self {
            Intrinsic::Barrier(scope) => Some(*scope),
            Intrinsic::Exchange(_) => Some(ThreadScope::Warp),
            _ => None,
        }
    }

    /// Whose threads get the same results, whatever each of them gave.
    pub const fn agreed(&self) -> Option<ThreadScope> {
        match self {
            Intrinsic::Exchange(exchange) if exchange.is_agreed() => Some(ThreadScope::Warp),
            _ => None,
        }
    }

    /// The slot of a record or replay.
    pub const fn slot(&self) -> Option<Slot> {
        match self {
            Intrinsic::Record(slot) | Intrinsic::Replay(slot) => Some(*slot),
            _ => None,
        }
    }

    /// As [`Intrinsic::slot`], to give it another one.
    pub const fn slot_mut(&mut self) -> Option<&mut Slot> {
        match self {
            Intrinsic::Record(slot) | Intrinsic::Replay(slot) => Some(slot),
            _ => None,
        }
    }

    /// The text of what is known when compiling; empty for nothing.
    pub fn attribute(&self) -> String {
        match self {
            Intrinsic::Matmul([m, k, n]) => format!("{m}x{k}x{n}"),
            Intrinsic::Factor(of) => of.name().into(),
            Intrinsic::Check(size) => size.map_or_else(String::new, |n| n.to_string()),
            Intrinsic::Require(what) => what.name().into(),
            Intrinsic::Print(format) => format!("{format:?}"),
            Intrinsic::Record(slot) | Intrinsic::Replay(slot) => slot.to_string(),
            Intrinsic::Object(kind) => kind.name().into(),
            Intrinsic::Read(scalar) => scalar.name().into(),
            Intrinsic::Search(search) => search.name().into(),
            Intrinsic::Barrier(scope) => scope.name().into(),
            Intrinsic::Mark | Intrinsic::Unwind | Intrinsic::Exchange(_) => String::new(),
        }
    }

    /// The intrinsic of a name, and its arguments: the inverse of [`Intrinsic::name`] and [`Intrinsic::attribute`]. None: no
    /// intrinsic has this name.
    ///
    /// # Errors
    /// What is wrong with the text behind the name.
    pub fn read<'t>(name: &str, text: &'t str) -> Option<Result<(Intrinsic, &'t str), String>> {
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        Some(match name {
            "matmul" => sizes(first).map(|sizes| (Intrinsic::Matmul(sizes), rest)),
            "factor" => Factorization::from_name(first)
                .map(|of| (Intrinsic::Factor(of), rest))
                .ok_or_else(|| "no such decomposition".into()),
            "check" if first.starts_with('%') => Ok((Intrinsic::Check(None), text)),
            "check" => match first.parse() {
                Ok(size) => Ok((Intrinsic::Check(Some(size)), rest)),
                Err(_) => Err("expected a size".into()),
            },
            "require" => {
                let mut all = Requirement::ALL.into_iter();
                all.find(|what| what.name() == first)
                    .map(|what| (Intrinsic::Require(what), rest))
                    .ok_or_else(|| "expected a requirement".into())
            }
            "print" => quoted(text).map(|(format, rest)| (Intrinsic::Print(format), rest)),
            "record" => slot(first).map(|slot| (Intrinsic::Record(slot), rest)),
            "replay" => slot(first).map(|slot| (Intrinsic::Replay(slot), rest)),
            "object" => ObjectKind::from_name(first)
                .map(|kind| (Intrinsic::Object(kind), rest))
                .ok_or_else(|| "no such kind of object".into()),
            "read" => {
                let mut all = READABLE.into_iter();
                all.find(|scalar| scalar.name() == first)
                    .map(|scalar| (Intrinsic::Read(scalar), rest))
                    .ok_or_else(|| "expected a number type that objects hold".into())
            }
            "search" => Search::from_name(first)
                .map(|search| (Intrinsic::Search(search), rest))
                .ok_or_else(|| "no such search".into()),
            "mark" => Ok((Intrinsic::Mark, text)),
            "unwind" => Ok((Intrinsic::Unwind, text)),
            "barrier" => ThreadScope::ALL
                .into_iter()
                .find(|scope| scope.name() == first)
                .map(|scope| (Intrinsic::Barrier(scope), rest))
                .ok_or_else(|| "expected `block` or `warp`".into()),
            name => Ok((Intrinsic::Exchange(Exchange::from_name(name)?), text)),
        })
    }
}

/// `m x k x n`, without spaces.
fn sizes(text: &str) -> Result<[u32; 3], String> {
    let sizes: Vec<u32> = text.split('x').filter_map(|n| n.parse().ok()).collect();
    sizes.try_into().map_err(|_| "expected three sizes".into())
}

fn slot(text: &str) -> Result<Slot, String> {
    let numbers = text.split_once(':').and_then(|(stack, id)| {
        let (stack, id) = (stack.parse().ok()?, id.parse().ok()?);
        Some(Slot { stack, id })
    });
    numbers.ok_or_else(|| format!("expected `stack:number`, found `{text}`"))
}

/// Undoes Rust's `{:?}` of a string at the start of a text; what is behind it, too.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let end = text.rfind('"').ok_or("expected a quoted format")?;
    let (inside, rest) = (&text[..end], &text[end + 1..]);
    let inner = inside.strip_prefix('"').ok_or("expected quotes")?;
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next().ok_or("a backslash ends the text")? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '0' => out.push('\0'),
            'u' => {
                let hex: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                let code = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                out.push(code.ok_or("bad escape")?);
            }
            other => out.push(other),
        }
    }
    Ok((out, rest))
}
