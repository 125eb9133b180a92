//! How a run that has no meaning ends.

/// What a run ends with if the kernel does something that has no meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault(pub String);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Fault {
    fn from(what: String) -> Fault {
        Fault(what)
    }
}
