//! What the system knows of each intrinsic: one [`Row`] for each variant of [`Intrinsic`], one file for those that belong together.
//!
//! A new one is a variant in `ir/intrinsic.rs` (name, text, effects), a row here, and what `lower/body` writes for it; where its
//! row has an expansion, that is all. Passes ask [`Intrinsic::effects`].

mod block;
mod factor;
mod matmul;
mod object;
mod print;
mod printf;
mod refuse;
mod row;
mod stack;
mod undo;

pub use row::{Derivative, Differentiated, Machine, Row, Typed};

use crate::ir::Intrinsic;

/// The row of an intrinsic.
pub const fn row(op: &Intrinsic) -> &'static Row {
    match op {
        Intrinsic::Matmul(_) => &matmul::MATMUL,
        Intrinsic::Factor(_) => &factor::FACTOR,
        Intrinsic::Check(_) => &refuse::CHECK,
        Intrinsic::Require(_) => &refuse::REQUIRE,
        Intrinsic::Print(_) => &print::PRINT,
        Intrinsic::Record(_) => &stack::RECORD,
        Intrinsic::Replay(_) => &stack::REPLAY,
        Intrinsic::Object(_) => &object::OBJECT,
        Intrinsic::Read(_) => &object::READ,
        Intrinsic::Search(_) => &object::SEARCH,
        Intrinsic::Mark => &undo::MARK,
        Intrinsic::Unwind => &undo::UNWIND,
        Intrinsic::Barrier(_) => &block::BARRIER,
        Intrinsic::Exchange(_) => &block::EXCHANGE,
    }
}
