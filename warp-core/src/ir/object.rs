//! Kinds of objects: what kernels query by an id, such as a hash grid.
//!
//! An object is one block of memory with a layout of its own, which no launch changes. Kernels get its id; an
//! [`Object`](super::Intrinsic::Object) statement makes an address of it, or a fault, and
//! [`Read`](super::Intrinsic::Read) statements read the block. What is read where, only the functions of `library` know, and
//! the code that builds the object.

use crate::dtype::Scalar;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $title:literal;)+) => {
        /// A kind of object. Kinds from a multiple of 4 on are a family, which that multiple stands for.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum ObjectKind {
            $($(#[$doc])* $kind = $number,)+
        }

        impl ObjectKind {
            /// All of them.
            pub const ALL: &[ObjectKind] = &[$(ObjectKind::$kind),+];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $(ObjectKind::$kind => $name,)+ }
            }

            /// As messages name it.
            pub const fn title(self) -> &'static str {
                match self { $(ObjectKind::$kind => $title,)+ }
            }
        }
    };
}

kinds! {
    /// Points in cells, whatever the type of their positions.
    HashGrid = 4, "hash_grid", "HashGrid";
    /// The same, with positions in float16.
    HashGridHalf = 5, "hash_grid_half", "HashGrid of float16";
    /// The same, in float32.
    HashGridSingle = 6, "hash_grid_single", "HashGrid of float32";
    /// The same, in float64.
    HashGridDouble = 7, "hash_grid_double", "HashGrid of float64";
    /// A tree of boxes.
    Bvh = 8, "bvh", "Bvh";
    /// Triangles.
    Mesh = 12, "mesh", "Mesh";
}

impl ObjectKind {
    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<ObjectKind> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The kind of a number, `kind as u8`.
    pub fn from_number(number: u8) -> Option<ObjectKind> {
        let mut all = Self::ALL.iter().copied();
        all.find(|kind| *kind as u8 == number)
    }

    /// Whether objects of this kind have an order in which threads run best.
    pub const fn has_order(self) -> bool {
        matches!(
            self,
            ObjectKind::HashGridHalf | ObjectKind::HashGridSingle | ObjectKind::HashGridDouble
        )
    }

    /// Whether an object of a kind will do where this one is asked for.
    pub const fn admits(self, found: u8) -> bool {
        let asked = self as u8;
        asked == found || (asked.is_multiple_of(4) && asked / 4 == found / 4)
    }
}

/// Types that objects hold numbers of.
pub const READABLE: [Scalar; 7] = [
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::F16,
    Scalar::F32,
    Scalar::F64,
];
