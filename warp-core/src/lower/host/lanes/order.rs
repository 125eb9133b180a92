//! In what order lanes go through what each of them goes through on its own: rounds of loops, and the two sides of a condition.
//!
//! A thread records and replays like brackets. A group shares its stacks, and runs both sides of a condition on which its lanes
//! disagree. So sides that replay run in the opposite order of those that recorded, and a lane with fewer rounds than others
//! replays the last ones if it recorded the first. [`Order::nests`] makes sure that the rows of a group nest like brackets then;
//! where they would not, the kernel runs one thread at a time.

use crate::ir::{Block, Kind, Slot};
use std::collections::{HashMap, HashSet};

/// Which rounds of a loop a lane with fewer of them takes part in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// The first ones.
    Early,
    /// The last ones: the loop replays what another one recorded in its first rounds.
    Late,
}

/// The order of rounds and sides.
#[derive(Debug, Default)]
pub struct Order {
    /// Loops by their keys.
    aligned: HashMap<usize, Align>,
    /// Conditions whose second side runs first, by their keys.
    swapped: HashSet<usize>,
    /// Where a slot is recorded: how the loop around it runs, and its number in the order in which lanes get there.
    recorded: HashMap<Slot, (Align, usize)>,
    /// Whether a loop replays what needs rounds in different orders.
    confused: bool,
}

impl Order {
    /// Looks at a body.
    pub fn new(body: &Block) -> Order {
        let mut order = Order::default();
        order.block(body, Align::Early);
        order
    }

    /// Which rounds of a loop lanes take part in.
    pub fn align_of(&self, kind: &Kind) -> Align {
        let found = self.aligned.get(&kind.key());
        found.copied().unwrap_or(Align::Early)
    }

    /// Whether the second side of a condition runs before the first one where lanes disagree.
    pub fn is_swapped(&self, kind: &Kind) -> bool {
        self.swapped.contains(&kind.key())
    }

    /// Whether what a group replays is always the newest of what it has recorded and not replayed yet.
    pub fn nests(&self, body: &Block) -> bool {
        let stacks: HashSet<u8> = self.recorded.keys().map(|slot| slot.stack).collect();
        let nests = |stack| {
            let mut rows = Rows::default();
            rows.block(self, body, stack).is_some() && rows.is_empty()
        };
        !self.confused && stacks.into_iter().all(nests)
    }

    /// `around`: how the innermost loop around a block runs.
    fn block(&mut self, block: &Block, around: Align) {
        for stmt in &block.stmts {
            let kind = &stmt.kind;
            match kind {
                Kind::Record { slot, .. } => {
                    let number = self.recorded.len();
                    self.recorded.insert(*slot, (around, number));
                }
                Kind::For { body, .. } => {
                    let align = self.wanted(body);
                    self.aligned.insert(kind.key(), align);
                    self.block(body, align);
                }
                Kind::While { cond, body, .. } => {
                    for block in [cond, body] {
                        if self.wanted(block) == Align::Late {
                            self.aligned.insert(kind.key(), Align::Late);
                        }
                        self.block(block, Align::Early);
                    }
                }
                Kind::If { then, els, .. } => {
                    let newest = [then, els].map(|side| self.newest_replayed(side));
                    let swaps = matches!(newest, [Some(a), Some(b)] if a < b);
                    if swaps {
                        self.swapped.insert(kind.key());
                    }
                    for side in if swaps { [els, then] } else { [then, els] } {
                        self.block(side, around);
                    }
                }
                kind => {
                    for inner in kind.blocks() {
                        self.block(inner, around);
                    }
                }
            }
        }
    }

    /// The order of rounds that the replays of a loop's own rounds want.
    fn wanted(&mut self, body: &Block) -> Align {
        let mut found = None;
        self.want(body, &mut found);
        found.unwrap_or(Align::Early)
    }

    fn want(&mut self, block: &Block, found: &mut Option<Align>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Replay { slot, .. } => {
                    let wants = match self.recorded.get(slot) {
                        Some((Align::Early, _)) => Align::Late,
                        Some((Align::Late, _)) => Align::Early,
                        None => continue,
                    };
                    self.confused |= found.is_some_and(|other| other != wants);
                    *found = Some(wants);
                }
                Kind::For { .. } | Kind::While { .. } => {}
                kind => {
                    for inner in kind.blocks() {
                        self.want(inner, found);
                    }
                }
            }
        }
    }

    /// The number of the newest record outside a block that it replays.
    fn newest_replayed(&self, block: &Block) -> Option<usize> {
        let numbers = block.stmts.iter().filter_map(|stmt| match &stmt.kind {
            Kind::Replay { slot, .. } => self.recorded.get(slot).map(|(_, number)| *number),
            kind => {
                let inner = kind.blocks().into_iter();
                inner.filter_map(|b| self.newest_replayed(b)).max()
            }
        });
        numbers.max()
    }
}

/// What a group pushes onto one stack or pops from it.
#[derive(PartialEq, Eq, Debug)]
enum Row {
    /// One row, if a lane gets there.
    One(Slot),
    /// The rows of each round of a loop.
    Rounds(Vec<Row>),
}

impl Row {
    /// Whether these rows, popped, are those that were pushed.
    fn mirrors(&self, pushed: &Row) -> bool {
        match (self, pushed) {
            (Row::One(a), Row::One(b)) => a == b,
            (Row::Rounds(a), Row::Rounds(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter().rev()).all(|(a, b)| a.mirrors(b))
            }
            _ => false,
        }
    }
}

/// What a block does to one stack.
#[derive(Default)]
struct Rows {
    /// Popped of what was there before the block, newest first.
    popped: Vec<Row>,
    /// Pushed and left there.
    pushed: Vec<Row>,
}

impl Rows {
    fn is_empty(&self) -> bool {
        self.popped.is_empty() && self.pushed.is_empty()
    }

    /// Goes through a block as lanes do. None: it does not nest.
    fn block(&mut self, order: &Order, block: &Block, stack: u8) -> Option<()> {
        for stmt in &block.stmts {
            let kind = &stmt.kind;
            match kind {
                Kind::Record { slot, .. } if slot.stack == stack => {
                    self.pushed.push(Row::One(*slot));
                }
                Kind::Replay { slot, .. } if slot.stack == stack => self.pop(Row::One(*slot))?,
                Kind::For { .. } | Kind::While { .. } => {
                    let mut round = Rows::default();
                    for inner in kind.blocks() {
                        round.block(order, inner, stack)?;
                    }
                    match (round.popped.is_empty(), round.pushed.is_empty()) {
                        (true, true) => {}
                        (true, false) => self.pushed.push(Row::Rounds(round.pushed)),
                        (false, true) => self.pop(Row::Rounds(round.popped))?,
                        // A round may pop what the one before has pushed.
                        (false, false) => return None,
                    }
                }
                kind => {
                    let mut inner = kind.blocks();
                    if order.is_swapped(kind) {
                        inner.reverse();
                    }
                    for side in inner {
                        self.block(order, side, stack)?;
                    }
                }
            }
        }
        Some(())
    }

    fn pop(&mut self, row: Row) -> Option<()> {
        match self.pushed.pop() {
            Some(newest) => row.mirrors(&newest).then_some(()),
            None => {
                self.popped.push(row);
                Some(())
            }
        }
    }
}
