//! In what order lanes go through what each of them goes through on its own: iterations of loops, and the two sides of a condition.
//!
//! A thread records and replays like brackets. A gang shares its stacks, and runs both sides of a condition on which its lanes
//! disagree. So sides that replay run in the opposite order of those that recorded, and a lane with fewer iterations than others
//! takes part in the last iterations of a loop that replays if it took part in the first ones of the loop that recorded.
//! [`Order::nests`] makes sure that the rows of a gang nest like brackets then; where they would not, the kernel runs one thread
//! at a time.

use crate::ir::{Block, Intrinsic, Kind, STACKS, Slot};
use std::collections::{HashMap, HashSet};

/// Which iterations of a loop a lane with fewer of them takes part in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// The first ones.
    Early,
    /// The last ones: the loop replays what another one recorded in its first iterations.
    Late,
}

impl Align {
    /// That of a loop which replays what a loop of this one recorded.
    fn opposite(self) -> Align {
        match self {
            Align::Early => Align::Late,
            Align::Late => Align::Early,
        }
    }
}

/// Where a slot is recorded.
#[derive(Debug)]
struct Recorded {
    /// How the loops around it run, the outermost first.
    around: Vec<Align>,
    /// How many slots lanes get to before.
    number: usize,
}

/// The order of iterations and sides.
#[derive(Debug, Default)]
pub struct Order {
    /// Loops by their keys.
    aligned: HashMap<usize, Align>,
    /// Conditions whose second side runs first, by their keys.
    swapped: HashSet<usize>,
    /// Where slots are recorded.
    recorded: HashMap<Slot, Recorded>,
    /// Whether a loop replays what needs iterations in different orders.
    confused: bool,
}

impl Order {
    /// Looks at the bodies of a kernel and its functions, each of which replays what it records.
    pub fn new<'b>(bodies: impl Iterator<Item = &'b Block>) -> Order {
        let mut order = Order::default();
        for body in bodies {
            order.block(body, &mut Vec::new());
        }
        order
    }

    /// Which iterations of a loop lanes take part in.
    pub fn align_of(&self, kind: &Kind) -> Align {
        let found = self.aligned.get(&kind.key());
        found.copied().unwrap_or(Align::Early)
    }

    /// Whether the second side of a condition runs before the first one where lanes disagree.
    pub fn is_swapped(&self, kind: &Kind) -> bool {
        self.swapped.contains(&kind.key())
    }

    /// Whether what a gang replays is always the newest of what it has recorded and not replayed yet.
    pub fn nests(&self, body: &Block) -> bool {
        let stacks: HashSet<u8> = self.recorded.keys().map(|slot| slot.stack).collect();
        let nests = |stack| {
            let mut rows = Rows::default();
            rows.block(self, body, stack).is_some() && rows.is_empty()
        };
        !self.confused && stacks.into_iter().all(nests)
    }

    /// `around`: how the loops around a block run.
    fn block(&mut self, block: &Block, around: &mut Vec<Align>) {
        for stmt in &block.stmts {
            let kind = &stmt.kind;
            match kind {
                Kind::Intrinsic {
                    op: Intrinsic::Record(slot),
                    ..
                } => {
                    let recorded = Recorded {
                        around: around.clone(),
                        number: self.recorded.len(),
                    };
                    self.recorded.insert(*slot, recorded);
                }
                Kind::For { .. } | Kind::While { .. } => {
                    let align = self.wanted(kind, around.len());
                    self.aligned.insert(kind.key(), align);
                    around.push(align);
                    for inner in kind.blocks() {
                        self.block(inner, around);
                    }
                    around.pop();
                }
                Kind::If { then, els, .. } => {
                    let newest = [then, els].map(|side| self.newest_replayed(side));
                    let mut stacks = newest[0].iter().zip(&newest[1]);
                    let swaps = stacks.any(|pair| matches!(pair, (Some(a), Some(b)) if a < b));
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

    /// The order of iterations that what a loop replays wants, the loop being within so many others. Loops in it replay, too: what
    /// they recorded lies in iterations of the loop at the same depth.
    fn wanted(&mut self, looped: &Kind, depth: usize) -> Align {
        let mut found = None;
        for block in looped.blocks() {
            self.want(block, depth, &mut found);
        }
        found.unwrap_or(Align::Early)
    }

    fn want(&mut self, block: &Block, depth: usize, found: &mut Option<Align>) {
        for stmt in &block.stmts {
            if let Some(Intrinsic::Replay(slot)) = stmt.kind.intrinsic() {
                let recorded = self.recorded.get(slot);
                if let Some(align) = recorded.and_then(|slot| slot.around.get(depth)) {
                    let wants = align.opposite();
                    self.confused |= found.is_some_and(|other| other != wants);
                    *found = Some(wants);
                }
            }
            for inner in stmt.kind.blocks() {
                self.want(inner, depth, found);
            }
        }
    }

    /// By stack: the number of the newest record outside a block that it replays.
    fn newest_replayed(&self, block: &Block) -> [Option<usize>; STACKS as usize] {
        let mut newest = [None; STACKS as usize];
        for stmt in &block.stmts {
            if let Some(Intrinsic::Replay(slot)) = stmt.kind.intrinsic() {
                let number = self.recorded.get(slot).map(|found| found.number);
                let newest = &mut newest[usize::from(slot.stack)];
                *newest = number.max(*newest);
            }
            for inner in stmt.kind.blocks() {
                let inner = self.newest_replayed(inner);
                for (newest, inner) in newest.iter_mut().zip(inner) {
                    *newest = inner.max(*newest);
                }
            }
        }
        newest
    }
}

/// What a gang pushes onto one stack or pops from it.
#[derive(Debug)]
enum Row {
    /// One row, if a lane gets there.
    One(Slot),
    /// The rows of each iteration of a loop.
    Iterations(Vec<Row>),
}

impl Row {
    /// Whether these rows, popped, are those that were pushed.
    fn mirrors(&self, pushed: &Row) -> bool {
        match (self, pushed) {
            (Row::One(a), Row::One(b)) => a == b,
            (Row::Iterations(a), Row::Iterations(b)) => {
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
                Kind::Intrinsic { op, .. } => match op {
                    Intrinsic::Record(slot) if slot.stack == stack => {
                        self.pushed.push(Row::One(*slot));
                    }
                    Intrinsic::Replay(slot) if slot.stack == stack => self.pop(Row::One(*slot))?,
                    _ => {}
                },
                Kind::For { .. } | Kind::While { .. } => {
                    let mut iteration = Rows::default();
                    for inner in kind.blocks() {
                        iteration.block(order, inner, stack)?;
                    }
                    match (iteration.popped.is_empty(), iteration.pushed.is_empty()) {
                        (true, true) => {}
                        (true, false) => self.pushed.push(Row::Iterations(iteration.pushed)),
                        (false, true) => self.pop(Row::Iterations(iteration.popped))?,
                        // An iteration may pop what the one before has pushed.
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

#[cfg(test)]
mod tests {
    use super::{Align, Order};
    use crate::ir::{Block, Func, Kind, read};

    fn kernel(body: &str) -> Func {
        let text = format!(
            "kernel k(x: array<float64, 1>, t: array<int32, 1>) {{\n\
             %0:int32 = tid 0\n%1:float64 = load x[%0]\n%2:int32 = load t[%0]\n%3:int32 = const 0\n\
             %4:int32 = const 1\n%5:bool = lt %2, %4\n{body}}}\n"
        );
        read(&text).expect("IR")
    }

    /// Conditions and loops, the outer ones first.
    fn all<'a>(block: &'a Block, found: &mut Vec<&'a Kind>) {
        for stmt in &block.stmts {
            if !stmt.kind.blocks().is_empty() {
                found.push(&stmt.kind);
            }
            stmt.kind.blocks().into_iter().for_each(|b| all(b, found));
        }
    }

    const SIDES: &str = "if %5 -> () {\nrecord 0:0 %1\nyield\n} else {\nrecord 0:1 %1\nyield\n}\n";

    #[test]
    fn sides_replay_in_the_opposite_order() {
        let replay = "if %5 -> () {\n%6:float64 = replay 0:0\nyield\n} else {\n%7:float64 = replay 0:1\nyield\n}\n";
        let func = kernel(&format!("{SIDES}{replay}"));
        let (order, mut found) = (Order::new(func.blocks()), Vec::new());
        all(&func.body, &mut found);
        assert_eq!(
            found
                .iter()
                .map(|k| order.is_swapped(k))
                .collect::<Vec<_>>(),
            [false, true]
        );
        assert!(order.nests(&func.body));
    }

    #[test]
    fn stacks_do_not_mix() {
        // What the first side replays of another stack says nothing about the order of the sides.
        let text = format!(
            "{SIDES}if %5 -> () {{\nrecord 1:2 %1\nyield\n}} else {{\nyield\n}}\n\
             if %5 -> () {{\n%8:float64 = replay 1:2\n%6:float64 = replay 0:0\nyield\n}} else {{\n\
             %7:float64 = replay 0:1\nyield\n}}\n"
        );
        let func = kernel(&text);
        assert!(Order::new(func.blocks()).nests(&func.body));
    }

    #[test]
    fn what_does_not_nest_is_found() {
        let nests = |body: &str| {
            let func = kernel(body);
            Order::new(func.blocks()).nests(&func.body)
        };
        let twice = "record 0:0 %1\nrecord 0:1 %1\n";
        assert!(nests(&format!(
            "{twice}%6:float64 = replay 0:1\n%7:float64 = replay 0:0\n"
        )));
        assert!(!nests(&format!(
            "{twice}%6:float64 = replay 0:0\n%7:float64 = replay 0:1\n"
        )));
        assert!(!nests(&format!("{twice}%6:float64 = replay 0:1\n")));
        // A thread runs one side and finds what it recorded, a gang finds the row of the other side.
        let apart = "if %5 -> () {\n%6:float64 = replay 0:0\nyield\n} else {\nyield\n}\n\
                     if %5 -> () {\nyield\n} else {\n%7:float64 = replay 0:1\nyield\n}\n";
        assert!(!nests(&format!("{SIDES}{apart}")));
    }

    #[test]
    fn a_loop_runs_late_for_what_loops_in_it_replay() {
        let nest = |inside: &str, k: u32| {
            let (i, j) = (k, k + 1);
            format!(
                "for %{i}:int32 in range(%3, %2, %4) with () -> () {{\n\
                 for %{j}:int32 in range(%3, %4, %4) with () -> () {{\n{inside}\nyield\n}}\nyield\n}}\n"
            )
        };
        let once = nest("record 0:0 %1", 6);
        let again = nest("%10:float64 = replay 0:0\nrecord 1:1 %10", 8);
        let last = nest("%13:float64 = replay 1:1", 11);
        let func = kernel(&format!("{once}{again}{last}"));
        let (order, mut found) = (Order::new(func.blocks()), Vec::new());
        all(&func.body, &mut found);
        let aligns: Vec<Align> = found.iter().map(|k| order.align_of(k)).collect();
        use Align::{Early, Late};
        assert_eq!(aligns, [Early, Early, Late, Late, Early, Early]);
        assert!(order.nests(&func.body));
    }
}
