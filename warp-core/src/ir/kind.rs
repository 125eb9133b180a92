//! How statements are made, and what they do.

use crate::ir::data::{Kind, Size};
use crate::ir::effects::Effects;
use crate::ir::id::{Slot, Value};
use crate::ir::intrinsic::{Intrinsic, Requirement};

impl Kind {
    /// Which statement this is, while its kernel is borrowed.
    pub fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
    /// A statement that checks an index: counted from the start it is `index`, `given` is what the user wrote.
    pub fn check(index: Value, given: Value, size: Size) -> Kind {
        let (known, args) = match size {
            Size::Fixed(n) => (Some(n), vec![index, given]),
            Size::At(size) => (None, vec![index, given, size]),
        };
        let op = Intrinsic::Check(known);
        let outs = Vec::new();
        Kind::Intrinsic { op, args, outs }
    }
    /// A statement that ends the kernel unless `cond` holds.
    pub fn require(cond: Value, what: Requirement) -> Kind {
        let (op, args, outs) = (Intrinsic::Require(what), vec![cond], Vec::new());
        Kind::Intrinsic { op, args, outs }
    }
    /// A statement that prints.
    pub fn print(format: String, args: Vec<Value>) -> Kind {
        let (op, outs) = (Intrinsic::Print(format), Vec::new());
        Kind::Intrinsic { op, args, outs }
    }
    /// A statement that pushes values on a recording stack.
    pub fn record(slot: Slot, args: Vec<Value>) -> Kind {
        let (op, outs) = (Intrinsic::Record(slot), Vec::new());
        Kind::Intrinsic { op, args, outs }
    }
    /// A statement that pops what was recorded.
    pub fn replay(slot: Slot, outs: Vec<Value>) -> Kind {
        let (op, args) = (Intrinsic::Replay(slot), Vec::new());
        Kind::Intrinsic { op, args, outs }
    }
    /// A statement that gives the length of the undo log.
    pub fn mark(out: Value) -> Kind {
        let (op, args, outs) = (Intrinsic::Mark, Vec::new(), vec![out]);
        Kind::Intrinsic { op, args, outs }
    }
    /// A statement that takes writes back.
    pub fn unwind(mark: Value) -> Kind {
        let (op, args, outs) = (Intrinsic::Unwind, vec![mark], Vec::new());
        Kind::Intrinsic { op, args, outs }
    }

    /// Which intrinsic it is.
    pub const fn intrinsic(&self) -> Option<&Intrinsic> {
        match self {
            Kind::Intrinsic { op, .. } => Some(op),
            _ => None,
        }
    }
    /// What the statement itself does, and a function that it calls; nested blocks are left out.
    pub const fn effects(&self) -> Effects {
        match self {
            Kind::Let { .. }
            | Kind::If { .. }
            | Kind::For { .. }
            | Kind::While { .. }
            | Kind::Custom { .. } => Effects::PURE,
            Kind::Load { .. } => Effects::READ,
            Kind::Store { .. } => Effects::WRITE,
            Kind::Atomic { .. } => Effects {
                reads: true,
                ..Effects::WRITE
            },
            Kind::Intrinsic { op, .. } => op.effects(),
            Kind::Call { effects, .. } => *effects,
        }
    }
}
