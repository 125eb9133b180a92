//! What the threads of a warp tell each other. Each gives numbers and gets one that depends on what all of them gave.

use crate::dtype::Scalar;
use crate::ir::num::Num;

/// An exchange among the threads of a warp, which all come to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exchange {
    /// The threads in which a bool holds, as bits of a uint32.
    Ballot,
}

/// What is known of an exchange.
struct Row {
    name: &'static str,
    /// What each thread gives, in words.
    takes: &'static str,
    /// The type of what each gets for numbers of these types; None: these are not what it takes.
    gives: fn(&[Scalar]) -> Option<Scalar>,
    /// Whether all get the same.
    agreed: bool,
    /// What each thread gets, from what each gave.
    meaning: fn(&[Vec<Num>]) -> Vec<Num>,
}

const BALLOT: Row = Row {
    name: "ballot",
    takes: "bool",
    gives: |given| (given == [Scalar::Bool]).then_some(Scalar::U32),
    agreed: true,
    meaning: |given| {
        let holds = given.iter().enumerate().filter(|(_, it)| it[0].truth());
        let bits = holds.fold(0, |bits, (lane, _)| bits | 1 << lane);
        vec![Num::Int(bits); given.len()]
    },
};

impl Exchange {
    /// All of them.
    pub const ALL: [Exchange; 1] = [Exchange::Ballot];

    const fn row(self) -> &'static Row {
        match self {
            Exchange::Ballot => &BALLOT,
        }
    }

    /// The name, in the text form and in kernels of this library.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The one of a name.
    pub fn from_name(name: &str) -> Option<Exchange> {
        Exchange::ALL.into_iter().find(|it| it.name() == name)
    }

    /// What each thread gives, in words.
    pub const fn takes(self) -> &'static str {
        self.row().takes
    }

    /// The type of what each thread gets for numbers of these types; None: it takes others.
    pub fn gives(self, given: &[Scalar]) -> Option<Scalar> {
        (self.row().gives)(given)
    }

    /// Whether all threads of the warp get the same number.
    pub const fn is_agreed(self) -> bool {
        self.row().agreed
    }

    /// What each thread of a warp gets, from what each gave.
    pub fn among(self, given: &[Vec<Num>]) -> Vec<Num> {
        (self.row().meaning)(given)
    }
}
