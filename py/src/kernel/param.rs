//! Parameters of kernels: as they are written, and as a launch passes them.

use warp_core::ty::{Elem, Type, leaves};

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub struct KernelParam {
    /// Name.
    pub name: String,
    /// What it holds, or what it is.
    pub elem: Elem,
    /// Dimensions of an array; 0 for a value.
    pub ndim: u8,
    /// A derived kernel's gradient: it may be missing, and has the extents of this parameter.
    pub gradient_of: Option<usize>,
}

/// A parameter as its author wrote it, in kernels that take structs.
pub struct Argument {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// How many of the kernel's parameters it is.
    pub leaves: usize,
}

impl Argument {
    /// The argument of a parameter.
    pub fn new(name: &str, ty: &Type) -> Argument {
        Argument {
            name: name.to_string(),
            leaves: leaves(name, ty).len(),
            ty: ty.clone(),
        }
    }
    /// Whether it is passed as leaves.
    pub fn is_spread(&self) -> bool {
        matches!(
            self.ty,
            Type::Struct(_)
                | Type::Array {
                    elem: Elem::Struct(_),
                    ..
                }
        )
    }
}
