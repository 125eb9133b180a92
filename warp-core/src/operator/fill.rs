//! How a parameter of a kernel is filled.

/// What a parameter of a kernel gets when an operator runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fill {
    /// A number or vector, from the caller.
    Value,
    /// An array from the caller, which is not written.
    Read,
    /// A copy of an array from the caller; returned.
    InOut,
    /// A copy of an array from the caller; dropped.
    Work,
    /// Zeros of the size of an array from the caller; dropped.
    Clear,
    /// Zeros; returned.
    Out,
    /// Zeros; dropped.
    Zeros,
    /// Another parameter's array, for its extents only.
    Stand,
    /// Nothing, with another parameter's extents: a gradient that was not requested.
    Absent,
}

impl Fill {
    /// All of them.
    pub const ALL: [Fill; 9] = [
        Fill::Value,
        Fill::Read,
        Fill::InOut,
        Fill::Work,
        Fill::Clear,
        Fill::Out,
        Fill::Zeros,
        Fill::Stand,
        Fill::Absent,
    ];

    /// Its name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Fill::Value => "VALUE",
            Fill::Read => "READ",
            Fill::InOut => "INOUT",
            Fill::Work => "WORK",
            Fill::Clear => "CLEAR",
            Fill::Out => "OUT",
            Fill::Zeros => "ZEROS",
            Fill::Stand => "STAND",
            Fill::Absent => "ABSENT",
        }
    }

    /// By its name in Python.
    pub fn named(name: &str) -> Option<Fill> {
        Fill::ALL.into_iter().find(|fill| fill.name() == name)
    }

    /// Whether the caller gives something for it.
    pub const fn is_argument(self) -> bool {
        matches!(
            self,
            Fill::Value | Fill::Read | Fill::InOut | Fill::Work | Fill::Clear
        )
    }

    /// Whether its array is returned.
    pub const fn is_result(self) -> bool {
        matches!(self, Fill::InOut | Fill::Out)
    }

    /// Whether it is an array that the kernel changes and whose size an argument says, so that each item of a batch needs
    /// one of its own.
    pub const fn is_copied(self) -> bool {
        matches!(self, Fill::InOut | Fill::Work | Fill::Clear)
    }
}
