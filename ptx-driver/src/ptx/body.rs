//! The body of a function that is being read: its names, its labels, and what was emitted.

use super::code::{Fill, Function, Guard, Inst, Op, SINK, Slot};
use super::refusal::Res;
use super::symbols::{Symbol, Symbols};
use super::token::Cursor;
use super::types::Type;
use std::collections::{BTreeSet, HashMap};

/// What a name in a body stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    Register(Slot, Type),
    /// A byte of the frame's local memory, and how many follow.
    Local(u64, u64),
    /// A kernel's parameter: its offset.
    Param(u64),
    /// A variable in shared memory, by number.
    Shared(u32),
}

/// A label or table that is not known yet, where it is used, and the line.
type Pending<'a> = Vec<(usize, &'a str, usize)>;

/// A body being read.
pub(crate) struct Body<'r, 'a> {
    pub cursor: &'r mut Cursor<'a>,
    pub symbols: &'r mut Symbols<'a>,
    pub kernel: bool,
    pub function: Function,
    pub(super) scopes: Vec<HashMap<String, Name>>,
    pub(super) filled: HashMap<Fill, Slot>,
    pub(super) guard: Guard,
    pub(super) line: usize,
    pub(super) labels: HashMap<&'a str, u32>,
    /// Branches to labels.
    pub jumps: Pending<'a>,
    /// Branches by tables, and the tables.
    pub indexed: Pending<'a>,
    pub(super) tables: HashMap<&'a str, Vec<&'a str>>,
    pub prototypes: BTreeSet<&'a str>,
    pub called: Vec<(u32, usize)>,
    pub(super) registers: u32,
    pub(super) forms: BTreeSet<String>,
}

/// Makes room in a frame's local memory.
pub(crate) fn place(local: &mut u64, bytes: u64, align: u64) -> u64 {
    let at = local.next_multiple_of(align.max(1));
    *local = at + bytes;
    at
}

impl<'r, 'a> Body<'r, 'a> {
    pub fn new(
        cursor: &'r mut Cursor<'a>,
        symbols: &'r mut Symbols<'a>,
        kernel: bool,
        mut function: Function,
        names: Vec<(&'a str, Name)>,
    ) -> Body<'r, 'a> {
        function.slots = SINK + 1;
        let names = names.into_iter().map(|(name, n)| (name.to_string(), n));
        Body {
            cursor,
            symbols,
            kernel,
            function,
            scopes: vec![names.collect()],
            filled: HashMap::new(),
            guard: Guard::ALWAYS,
            line: 0,
            labels: HashMap::new(),
            jumps: Vec::new(),
            indexed: Vec::new(),
            tables: HashMap::new(),
            prototypes: BTreeSet::new(),
            called: Vec::new(),
            registers: 0,
            forms: BTreeSet::new(),
        }
    }

    pub fn guard(&self) -> Guard {
        self.guard
    }

    pub fn set_guard(&mut self, guard: Guard) {
        self.guard = guard;
    }

    pub fn line(&self) -> usize {
        self.line
    }

    pub fn name(&mut self, name: String, what: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, what);
        }
    }

    pub fn find(&self, name: &str) -> Option<Name> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found
            .copied()
            .or_else(|| match self.symbols.names.get(name) {
                Some(Symbol::Shared(number)) => Some(Name::Shared(*number)),
                _ => None,
            })
    }

    /// A new slot.
    pub fn temporary(&mut self) -> Slot {
        self.function.slots += 1;
        self.function.slots - 1
    }

    /// The slot that holds something from the start.
    pub fn filled(&mut self, fill: Fill) -> Slot {
        if let Some(slot) = self.filled.get(&fill) {
            return *slot;
        }
        let slot = self.temporary();
        self.filled.insert(fill, slot);
        self.function.fills.push((slot, fill));
        slot
    }

    pub fn constant(&mut self, value: u64) -> Slot {
        self.filled(Fill::Constant(value))
    }

    /// Appends an instruction under the statement's guard.
    pub fn emit(&mut self, op: Op, d: Slot, [a, b, c, e]: [u32; 4]) {
        let guard = self.guard;
        self.function.code.push(Inst {
            op,
            guard,
            d,
            a,
            b,
            c,
            e,
        });
        self.function.lines.push(self.line as u32);
    }

    pub fn comma(&mut self) -> Res<()> {
        self.cursor.expect(",")
    }
}
