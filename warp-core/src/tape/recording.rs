//! What a tape holds: what it has recorded, when it recorded, and its scopes.

use super::entry::Entry;
use super::host::Host;
use crate::command::Snapshot;
use crate::command::snapshot::Walk;
use crate::error::{Code, Error, Result};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a tape holds, for itself and for the thread that records on it.
pub struct Recording<H: Host>(Mutex<State<H>>);

impl<H: Host> Default for Recording<H> {
    fn default() -> Recording<H> {
        Recording(Mutex::new(State::default()))
    }
}

impl<H: Host> Recording<H> {
    /// For a moment.
    pub fn state(&self) -> MutexGuard<'_, State<H>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless somebody else has it.
    pub fn try_state(&self) -> Option<MutexGuard<'_, State<H>>> {
        self.0.try_lock().ok()
    }

    /// Records an entry.
    pub fn add(&self, entry: Entry<H>) {
        self.state().entries.push(entry);
    }

    /// What was recorded, in order.
    pub fn entries(&self) -> Vec<Entry<H>> {
        self.state().entries.clone()
    }

    /// Watches arrays no more ([`State::release`]); while the tape records, it goes on with what they hold now.
    ///
    /// # Errors
    /// There is no memory.
    pub fn release(&self, at: H::Context<'_>, outside: bool) -> Result<(), H::Error> {
        let (dropped, ends, records) = {
            let mut state = self.state();
            let records = state.records();
            if records && !outside {
                return Ok(());
            }
            let dropped = state.release(outside);
            (dropped, state.ends(), records)
        };
        drop(dropped);
        // What was kept in part is that of memory which is watched no more.
        ends.iter()
            .try_for_each(|snapshot| snapshot.keep())
            .map_err(H::error)?;
        if records { self.watch(at) } else { Ok(()) }
    }

    /// Takes snapshots of all arrays that are not watched any more.
    ///
    /// # Errors
    /// There is no memory.
    pub fn watch(&self, at: H::Context<'_>) -> Result<(), H::Error> {
        let entries = self.entries();
        let outcome = entries.iter().try_for_each(|entry| match entry {
            Entry::Launch(launch) => launch.save(at),
            _ => Ok(()),
        });
        self.state().released = outcome.is_err();
        outcome
    }
}

/// What was recorded, and when.
pub struct State<H: Host> {
    /// What was recorded.
    pub entries: Vec<Entry<H>>,
    /// A backward pass has run since the gradients were last cleared.
    pub ran: bool,
    /// When the tape recorded: moments ([`crate::command::recorder::moment`]). The last has no end while it does.
    spans: Vec<Range<u64>>,
    /// Arrays are not watched, since a backward pass or a call of `zero`.
    pub released: bool,
    /// Where scopes begin and end, in order.
    pub scopes: Vec<Mark<H::Note>>,
    /// What a pass starts from by default.
    pub loss: Option<H::Value>,
}

impl<H: Host> Default for State<H> {
    fn default() -> State<H> {
        State {
            entries: Vec::new(),
            ran: false,
            spans: Vec::new(),
            released: false,
            scopes: Vec::new(),
            loss: None,
        }
    }
}

/// Where a scope begins, or one ends.
pub struct Mark<N> {
    /// The entry that follows.
    at: usize,
    /// Of one that begins: its name and what is known of it.
    pub begin: Option<(String, N)>,
}

/// What is forgotten, to be dropped without the lock: that may run code of others.
pub struct Forgotten<H: Host> {
    _entries: Vec<Entry<H>>,
    _scopes: Vec<Mark<H::Note>>,
    _loss: Option<H::Value>,
}

impl<H: Host> State<H> {
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

    /// Watches arrays no more whose content is still there, and with `outside` forgets what was overwritten while the tape
    /// did not record. Returns what is to be dropped without the lock.
    pub fn release(&mut self, outside: bool) -> Vec<Arc<Snapshot>> {
        let spans = &self.spans;
        let recorded = |moment: u64| {
            let after = spans.partition_point(|span| span.start <= moment);
            let last = spans[..after].last();
            last.is_some_and(|span| moment < span.end)
        };
        let mut dropped = Vec::new();
        for entry in &self.entries {
            if let Entry::Launch(launch) = entry {
                let mut saved = launch.saved();
                dropped.extend(saved.release(|moment| !outside || recorded(moment)));
            }
        }
        self.released = true;
        dropped
    }

    /// Forgets all but the moment since which the tape records.
    pub fn forget(&mut self) -> Forgotten<H> {
        self.spans.retain(|span| span.end == u64::MAX);
        self.clear()
    }

    /// Forgets all that may lead to other objects.
    pub fn clear(&mut self) -> Forgotten<H> {
        Forgotten {
            _entries: std::mem::take(&mut self.entries),
            _scopes: std::mem::take(&mut self.scopes),
            _loss: self.loss.take(),
        }
    }

    /// Begins a scope.
    pub fn begin_scope(&mut self, name: String, note: H::Note) {
        let at = self.entries.len();
        let begin = Some((name, note));
        self.scopes.push(Mark { at, begin });
    }

    /// Ends the scope that was begun last, or forgets it if nothing was recorded in it. Returns what is to be dropped without
    /// the lock.
    ///
    /// # Errors
    /// None is open.
    pub fn end_scope(&mut self, remove_if_empty: bool) -> Result<Option<H::Note>> {
        let marks = self.scopes.iter();
        let depth: i64 = marks.map(|m| if m.begin.is_some() { 1 } else { -1 }).sum();
        if depth <= 0 {
            let text = "record_scope_end: no scope is open; call record_scope_begin first";
            return Err(Error::new(Code::Runtime, text));
        }
        let at = self.entries.len();
        let last = self.scopes.last();
        let empty = last.is_some_and(|m| m.begin.is_some() && m.at == at);
        if empty && remove_if_empty {
            let begun = self.scopes.pop().and_then(|mark| mark.begin);
            return Ok(begun.map(|(_, note)| note));
        }
        self.scopes.push(Mark { at, begin: None });
        Ok(None)
    }

    /// Where scopes begin and end: before which of the entries that are no fills, and which begin.
    pub fn marks(&self) -> impl Iterator<Item = (usize, Option<&(String, H::Note)>)> {
        let is_fill = |e: &&Entry<H>| matches!(e, Entry::Fill(_));
        self.scopes.iter().map(move |mark| {
            let at = mark.at.min(self.entries.len());
            let index = at - self.entries[..at].iter().filter(is_fill).count();
            (index, mark.begin.as_ref())
        })
    }

    /// Calls a function with all snapshots and those that follow them, each once.
    fn each_snapshot(&self, mut each: impl FnMut(&Arc<Snapshot>)) {
        let walk = Walk::begin();
        for entry in &self.entries {
            let Entry::Launch(launch) = entry else {
                continue;
            };
            for snapshot in launch.saved().snapshots() {
                let mut at = Some(snapshot);
                while let Some(snapshot) = at
                    && walk.is_new(snapshot)
                {
                    each(snapshot);
                    at = snapshot.next();
                }
            }
        }
    }

    /// The snapshots that follow others and that no other one follows.
    fn ends(&self) -> Vec<Arc<Snapshot>> {
        let mut ends = Vec::new();
        self.each_snapshot(|snapshot| {
            ends.extend(snapshot.next().filter(|n| n.next().is_none()).cloned());
        });
        ends
    }

    /// Bytes that are kept of what was overwritten.
    pub fn kept_bytes(&self) -> usize {
        let (mut seen, mut bytes) = (HashSet::new(), 0);
        self.each_snapshot(|snapshot| {
            // Snapshots of the same content share one copy.
            let copy = snapshot.kept().map(|copy| copy.view.arg.data as usize);
            if copy.is_none_or(|copy| seen.insert(copy)) {
                bytes += snapshot.bytes();
            }
        });
        bytes
    }
}
