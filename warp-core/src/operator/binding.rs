//! How a parameter of a kernel is filled.

/// What a parameter of a kernel gets when an operator runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
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

impl Binding {
    /// All of them.
    pub const ALL: [Binding; 9] = [
        Binding::Value,
        Binding::Read,
        Binding::InOut,
        Binding::Work,
        Binding::Clear,
        Binding::Out,
        Binding::Zeros,
        Binding::Stand,
        Binding::Absent,
    ];

    /// Its name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Binding::Value => "VALUE",
            Binding::Read => "READ",
            Binding::InOut => "INOUT",
            Binding::Work => "WORK",
            Binding::Clear => "CLEAR",
            Binding::Out => "OUT",
            Binding::Zeros => "ZEROS",
            Binding::Stand => "STAND",
            Binding::Absent => "ABSENT",
        }
    }

    /// By its name in Python.
    pub fn named(name: &str) -> Option<Binding> {
        Binding::ALL
            .into_iter()
            .find(|binding| binding.name() == name)
    }

    /// Whether the caller gives something for it.
    pub const fn is_argument(self) -> bool {
        matches!(
            self,
            Binding::Value | Binding::Read | Binding::InOut | Binding::Work | Binding::Clear
        )
    }

    /// Whether its array is returned.
    pub const fn is_result(self) -> bool {
        matches!(self, Binding::InOut | Binding::Out)
    }

    /// Whether it is an array that the kernel changes and whose size an argument says, so that each item of a batch needs
    /// one of its own.
    pub const fn is_copied(self) -> bool {
        matches!(self, Binding::InOut | Binding::Work | Binding::Clear)
    }
}
