//! What a tape holds: what it has recorded, when it recorded, and its scopes.

use super::entry::Entry;
use crate::object::error::{Code, error};
use crate::runtime::snapshot::Snapshot;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a tape holds, for itself and for the thread that records on it.
#[derive(Default)]
pub struct Recording(Mutex<State>);

impl Recording {
    /// For a moment.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an entry.
    pub fn add(&self, entry: Entry) {
        self.state().entries.push(entry);
    }

    /// The same, unless somebody else has it.
    pub fn try_state(&self) -> Option<MutexGuard<'_, State>> {
        self.0.try_lock().ok()
    }
}

/// What was recorded, and when.
#[derive(Default)]
pub struct State {
    pub entries: Vec<Entry>,
    /// A backward pass has run since the gradients were last cleared.
    pub ran: bool,
    /// When the tape recorded: moments ([`crate::runtime::tapes::moment`]). The last has no end while it does.
    spans: Vec<Range<u64>>,
    /// Arrays are not watched, since a backward pass or `zero()`.
    pub released: bool,
    /// Where scopes begin and end, in order.
    scopes: Vec<ScopeMark>,
    /// What a pass starts from by default.
    pub loss: Option<Py<PyAny>>,
}

/// Where a scope begins, or one ends.
struct ScopeMark {
    /// The entry that follows.
    at: usize,
    /// Of one that begins: its name and what is known of it.
    begin: Option<(String, Py<PyDict>)>,
}

/// Where a scope begins, `(index, name, metadata)`, or ends, `(index, None, None)`.
pub type Mark = (usize, Option<String>, Option<Py<PyDict>>);

/// What is forgotten, to be dropped without the lock: that may run code of the user's.
pub struct Forgotten {
    _entries: Vec<Entry>,
    _scopes: Vec<ScopeMark>,
    _loss: Option<Py<PyAny>>,
}

impl State {
    /// Whether the tape records.
    pub fn records(&self) -> bool {
        self.spans.last().is_some_and(|span| span.end == u64::MAX)
    }

    /// Says that the tape records from a moment on.
    pub fn begin(&mut self, moment: u64) {
        self.spans.push(moment..u64::MAX);
    }

    /// Says that it does no more.
    pub fn end(&mut self, moment: u64) {
        if let Some(span) = self.spans.iter_mut().rfind(|span| span.end == u64::MAX) {
            span.end = moment;
        }
    }

    /// Whether the tape recorded at a moment.
    fn recorded(&self, moment: u64) -> bool {
        let after = self.spans.partition_point(|span| span.start <= moment);
        self.spans[..after]
            .last()
            .is_some_and(|span| moment < span.end)
    }

    /// Watches arrays no more whose content is still there, and with `outside` forgets what was overwritten while the tape
    /// did not record. Returns what is to be dropped without the lock.
    pub fn release(&mut self, outside: bool) -> Vec<Arc<Snapshot>> {
        let mut entries = std::mem::take(&mut self.entries);
        let mut dropped = Vec::new();
        for entry in &mut entries {
            let Entry::Launch(r) = entry else { continue };
            for need in r.needs.iter_mut().flatten() {
                let stays = match need.kept() {
                    Some(kept) => !outside || self.recorded(kept.moment),
                    None => false,
                };
                if !stays {
                    dropped.extend(need.snapshot.take());
                }
            }
        }
        self.entries = entries;
        self.released = true;
        dropped
    }

    /// Forgets all but the moment since which the tape records.
    pub fn forget(&mut self) -> Forgotten {
        self.spans.retain(|span| span.end == u64::MAX);
        self.clear()
    }

    /// Forgets all that may lead to other objects.
    pub fn clear(&mut self) -> Forgotten {
        Forgotten {
            _entries: std::mem::take(&mut self.entries),
            _scopes: std::mem::take(&mut self.scopes),
            _loss: self.loss.take(),
        }
    }

    /// Shows Python's collector every object that this holds.
    ///
    /// # Errors
    /// The collector wants to see no more.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.loss.iter().try_for_each(|loss| visit.call(loss))?;
        let mut begun = self.scopes.iter().filter_map(|mark| mark.begin.as_ref());
        begun.try_for_each(|(_, metadata)| visit.call(metadata))?;
        self.entries.iter().try_for_each(|e| e.visit(visit))
    }

    /// Begins a scope.
    pub fn begin_scope(&mut self, name: String, metadata: Py<PyDict>) {
        let at = self.entries.len();
        let begin = Some((name, metadata));
        self.scopes.push(ScopeMark { at, begin });
    }

    /// Ends the scope that was begun last, or forgets it if nothing was recorded in it. Returns what is to be dropped without
    /// the lock.
    ///
    /// # Errors
    /// None is open.
    pub fn end_scope(&mut self, remove_if_empty: bool) -> PyResult<Option<Py<PyDict>>> {
        let marks = self.scopes.iter();
        let depth: i64 = marks.map(|m| if m.begin.is_some() { 1 } else { -1 }).sum();
        if depth <= 0 {
            return Err(error(
                Code::Runtime,
                "record_scope_end: no scope is open; call record_scope_begin first",
            ));
        }
        let at = self.entries.len();
        let last = self.scopes.last();
        let empty = last.is_some_and(|m| m.begin.is_some() && m.at == at);
        if empty && remove_if_empty {
            let begun = self.scopes.pop().and_then(|mark| mark.begin);
            return Ok(begun.map(|(_, metadata)| metadata));
        }
        self.scopes.push(ScopeMark { at, begin: None });
        Ok(None)
    }

    /// Where scopes begin and end: before which entry of `launches`.
    pub fn scopes(&self, py: Python<'_>) -> Vec<Mark> {
        let is_fill = |e: &&Entry| matches!(e, Entry::Fill(_));
        let each = self.scopes.iter().map(|mark| {
            let at = mark.at.min(self.entries.len());
            let index = at - self.entries[..at].iter().filter(is_fill).count();
            match &mark.begin {
                Some((name, metadata)) => (index, Some(name.clone()), Some(metadata.clone_ref(py))),
                None => (index, None, None),
            }
        });
        each.collect()
    }

    /// Bytes that are kept of what was overwritten.
    pub fn kept_bytes(&self) -> usize {
        let needs = self.entries.iter().flat_map(Entry::needs);
        let mut seen = HashSet::new();
        needs
            .filter_map(|(_, need)| {
                let view = &need.kept()?.copy.view;
                // Launches of the same content share one copy.
                seen.insert(view.arg.data as usize)
                    .then(|| view.layout().len() * view.elem.size())
            })
            .sum()
    }
}
