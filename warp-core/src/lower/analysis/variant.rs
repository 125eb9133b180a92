//! The bodies that a kernel is lowered to: one text of the same meaning for each memory layout.

/// Bound on launch dimensions and shapes in the body for plain layouts; larger ones take the other
/// body. The room below 2^31 keeps `tid + 1` and its like from wrapping.
pub const EXTENT: i64 = (1 << 31) - (1 << 16);

/// Which memory layout a body is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// As `Inner`, and no array is missing: for kernels that ask, unless a test costs nothing beside their large elements.
    Full,
    /// Elements along the last dimension of every array follow each other.
    Inner,
    /// Strides are known at run time only.
    Any,
}

impl Variant {
    /// Whether elements along the last dimension follow each other.
    pub fn is_dense(self) -> bool {
        self != Variant::Any
    }
    /// No launch dimension and no extent is larger where this body runs.
    pub const fn extent(self) -> i64 {
        match self {
            Variant::Full | Variant::Inner => EXTENT,
            Variant::Any => i32::MAX as i64,
        }
    }
    /// How the body's name ends.
    pub const fn suffix(self) -> &'static str {
        match self {
            Variant::Full => "full",
            Variant::Inner => "inner",
            Variant::Any => "any",
        }
    }
}
