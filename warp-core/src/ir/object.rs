//! Kinds of objects: what kernels query by an id, such as a hash grid.
//!
//! An object is one block of memory with a layout of its own, which no launch changes. Kernels get its id; an
//! [`Object`](super::Intrinsic::Object) statement makes an address of it, or a fault, and
//! [`Read`](super::Intrinsic::Read) statements read the block. What is read where, only the functions of `library` know, and
//! the code that builds the object.

use crate::dtype::Scalar;
use crate::ty::Elem;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $title:literal;)+) => {
        /// A kind of object. Kinds from a multiple of 4 on, or of 16 from 16 on, are a family, which that multiple stands for.
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
    /// Voxels, whatever their values.
    Volume = 16, "volume", "Volume";
    /// The same, with values of int32.
    VolumeInt = 17, "volume_int", "Volume of int32";
    /// The same, with values of int64.
    VolumeLong = 18, "volume_long", "Volume of int64";
    /// The same, with values of uint32.
    VolumeUnsigned = 19, "volume_unsigned", "Volume of uint32";
    /// The same, with values of float32, or codes for these.
    VolumeSingle = 20, "volume_single", "Volume of float32";
    /// The same, with values of float64.
    VolumeDouble = 21, "volume_double", "Volume of float64";
    /// The same, with values of vec3.
    VolumeVec3 = 22, "volume_vec3", "Volume of vec3";
    /// The same, with values of vec3d.
    VolumeVec3Double = 23, "volume_vec3_double", "Volume of vec3d";
    /// The same, with values of vec4.
    VolumeVec4 = 24, "volume_vec4", "Volume of vec4";
    /// The same, with values of vec4d.
    VolumeVec4Double = 25, "volume_vec4_double", "Volume of vec4d";
    /// Voxels that have numbers.
    VolumeIndex = 26, "volume_index", "index Volume";
    /// Values that kernels cannot read.
    VolumeOther = 27, "volume_other", "Volume of a type that kernels cannot read";
    /// What a function asks for whose dtype no volume has: no volume is of this kind.
    VolumeNone = 28, "volume_none", "Volume of a dtype that no volume has";
    /// Texels.
    Texture = 32, "texture", "Texture";
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

    /// The kind of volumes whose values kernels read as elements of this type.
    pub fn volume_of(elem: Elem) -> Option<ObjectKind> {
        Some(match elem {
            Elem::Scalar(Scalar::I32) => ObjectKind::VolumeInt,
            Elem::Scalar(Scalar::I64) => ObjectKind::VolumeLong,
            Elem::Scalar(Scalar::U32) => ObjectKind::VolumeUnsigned,
            Elem::Scalar(Scalar::F32) => ObjectKind::VolumeSingle,
            Elem::Scalar(Scalar::F64) => ObjectKind::VolumeDouble,
            Elem::Vec {
                len: 3,
                scalar: Scalar::F32,
            } => ObjectKind::VolumeVec3,
            Elem::Vec {
                len: 3,
                scalar: Scalar::F64,
            } => ObjectKind::VolumeVec3Double,
            Elem::Vec {
                len: 4,
                scalar: Scalar::F32,
            } => ObjectKind::VolumeVec4,
            Elem::Vec {
                len: 4,
                scalar: Scalar::F64,
            } => ObjectKind::VolumeVec4Double,
            _ => return None,
        })
    }

    /// Whether objects of this kind have an order in which threads run best.
    pub const fn has_order(self) -> bool {
        matches!(
            self,
            ObjectKind::HashGridHalf | ObjectKind::HashGridSingle | ObjectKind::HashGridDouble
        )
    }

    /// Which bits of a kind count where this one is asked for.
    pub const fn mask(self) -> u8 {
        let size = if (self as u8) < 16 { 4 } else { 16 };
        match (self as u8).is_multiple_of(size) {
            true => !(size - 1),
            false => u8::MAX,
        }
    }

    /// Whether an object of a kind will do where this one is asked for.
    pub const fn admits(self, found: u8) -> bool {
        found & self.mask() == self as u8
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
