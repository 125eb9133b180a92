//! What a statement does besides computing its results. Passes ask this, not which statement it is.

/// Effects of one statement, those of its nested blocks left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Effects {
    /// Its results depend on memory, so that no write may move past it.
    pub reads: bool,
    /// It changes memory that others see.
    pub writes: bool,
    /// It may end the kernel with a fault.
    pub faults: bool,
    /// It stays where it is among others of this kind: printing, recording.
    pub ordered: bool,
    /// All threads of a warp or block have to reach it together.
    pub convergent: bool,
}

impl Effects {
    /// None: it may be dropped, repeated and moved.
    pub const PURE: Effects = Effects {
        reads: false,
        writes: false,
        faults: false,
        ordered: false,
        convergent: false,
    };
    /// It reads memory.
    pub const READ: Effects = Effects {
        reads: true,
        ..Effects::PURE
    };
    /// It writes memory.
    pub const WRITE: Effects = Effects {
        writes: true,
        ..Effects::PURE
    };
    /// It may end the kernel.
    pub const FAULT: Effects = Effects {
        faults: true,
        ..Effects::PURE
    };
    /// It has its place.
    pub const ORDERED: Effects = Effects {
        ordered: true,
        ..Effects::PURE
    };
    /// Threads wait for each other: what they have written is there behind it, so that no access to memory may move past it.
    pub const BARRIER: Effects = Effects {
        reads: true,
        writes: true,
        ordered: true,
        convergent: true,
        ..Effects::PURE
    };
    /// Threads exchange values.
    pub const EXCHANGE: Effects = Effects {
        ordered: true,
        convergent: true,
        ..Effects::PURE
    };

    /// Those of both.
    #[must_use]
    pub const fn and(self, other: Effects) -> Effects {
        Effects {
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
            faults: self.faults || other.faults,
            ordered: self.ordered || other.ordered,
            convergent: self.convergent || other.convergent,
        }
    }

    /// Whether there are none.
    pub const fn is_pure(self) -> bool {
        !(self.reads || self.is_lasting())
    }

    /// Whether it does something that lasts, even if nobody uses its results.
    pub const fn is_lasting(self) -> bool {
        self.writes || self.faults || self.ordered || self.convergent
    }
}
