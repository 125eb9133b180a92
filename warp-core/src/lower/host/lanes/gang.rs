//! The state of a body that runs gangs.

use super::analysis::shape::Shapes;
use super::choose::choice::Choice;
use crate::ir::{AtomicOp, Place};
use crate::lower::body::Body;
use crate::lower::host::target::Host;
use crate::lower::report::Costly;
use crate::span::Span;
use std::collections::HashSet;

/// A body under construction that runs gangs.
pub struct GangBody<'a> {
    /// What is written once for all lanes, and what it knows.
    pub(super) body: Body<'a, Host<'a>>,
    /// How values differ between lanes.
    pub(super) shapes: &'a Shapes,
    /// Lanes of a gang.
    pub(super) width: usize,
    /// Whether the last gang of a row has lanes that do not run.
    pub(super) masked: bool,
    /// Names of the values that are vectors.
    pub(super) vectors: Vec<String>,
    /// The lanes that run here; none says that all do.
    pub(super) mask: Option<String>,
    /// Those that are within the row of the launch, where a row may end within a gang.
    pub(super) row: Option<String>,
    /// Writes of components that wait for the others of their elements.
    pub(super) pending: Vec<Write<'a>>,
    /// Statements of the block at hand that were done before their turn.
    pub(super) early: HashSet<usize>,
    /// What costs time.
    pub(super) notes: Vec<(Costly, Span)>,
}

impl<'a> GangBody<'a> {
    /// An empty body.
    pub fn new(body: Body<'a, Host<'a>>, choice: &'a Choice) -> GangBody<'a> {
        let vectors = vec![String::new(); body.facts.func.values.len()];
        GangBody {
            body,
            shapes: &choice.shapes,
            width: choice.width,
            masked: choice.masked,
            vectors,
            mask: None,
            row: None,
            pending: Vec::new(),
            early: HashSet::new(),
            notes: Vec::new(),
        }
    }

    /// Notes that the statement at hand costs time.
    pub(super) fn note(&mut self, what: Costly) {
        let note = (what, self.body.span);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// A write of a component that waits for those of the others.
#[derive(Debug)]
pub struct Write<'a> {
    /// Of which element, and which component.
    pub place: &'a Place,
    /// A vector.
    pub value: String,
    /// How it changes what is there; none replaces it.
    pub op: Option<AtomicOp>,
}

/// A constant vector of integers.
pub(super) fn spelled(lanes: usize, ty: &str, each: impl Fn(usize) -> i64) -> String {
    let all = (0..lanes).map(|lane| format!("{ty} {}", each(lane)));
    format!("<{}>", all.collect::<Vec<_>>().join(", "))
}
