//! How a NanoVDB grid lies in memory: a header, a tree of four levels, and the sizes of its nodes, which depend on the type of values.
//!
//! Numbers are little-endian; nodes lie at multiples of 32 bytes and name each other by distances in bytes, so that a grid may lie
//! anywhere. Below the root, a table of tiles by key, each node of the upper level stands for 4096^3 voxels, of the lower level for
//! 128^3, and a leaf for 8^3. Source: K. Museth, "NanoVDB: A GPU-friendly and portable VDB data structure", 2021.

use crate::ir::ObjectKind;

/// Bytes of the grid's header, and of that of the tree behind it, which the root follows.
pub const GRID: usize = 672;
pub const TREE: usize = 64;
/// "NanoVDB0", which older grids begin with, and "NanoVDB1".
pub const MAGICS: [u64; 2] = [0x3042_4456_6f6e_614e, 0x3142_4456_6f6e_614e];
/// The version that is written: 32.8.0, as major << 21 | minor << 10 | patch.
pub const VERSION: u32 = 32 << 21 | 8 << 10;

/// Places in the header of the grid.
pub mod grid {
    pub const CHECKSUM: usize = 8;
    pub const VERSION: usize = 16;
    pub const FLAGS: usize = 20;
    pub const INDEX: usize = 24;
    pub const COUNT: usize = 28;
    pub const SIZE: usize = 32;
    pub const NAME: usize = 40;
    /// The map, in float32: matrix, inverse, translation, taper; then in float64.
    pub const MAP_SINGLE: usize = 296;
    pub const MAP: usize = 384;
    pub const WORLD_BOX: usize = 560;
    pub const VOXEL_SIZE: usize = 608;
    pub const CLASS: usize = 632;
    pub const TYPE: usize = 636;
    pub const BLIND: usize = 640;
    pub const BLIND_COUNT: usize = 648;
    /// How many values an index grid numbers, with the one for "none".
    pub const VALUES: usize = 656;
}

/// Places in the header of the tree, from its start.
pub mod tree {
    /// Distances to leaves, lower nodes, upper nodes and the root.
    pub const NODES: usize = 0;
    /// How many leaves, lower and upper nodes there are.
    pub const COUNTS: usize = 32;
    pub const VOXELS: usize = 56;
}

/// Of the root: the box of its voxels (6 int32), how many tiles it has.
pub const ROOT_TILES: usize = 24;
/// Of a tile of the root: a key, the distance of the child from the root, whether it is active, the value.
pub const TILE_CHILD: usize = 8;
pub const TILE_STATE: usize = 16;
/// Of an inner node, behind the box of its voxels and flags: which values are active.
pub const NODE_MASK: usize = 32;
/// Of a leaf: the lowest voxel, the extent of the box, flags, and which voxels are active.
pub const LEAF_FLAGS: usize = 15;
pub const LEAF_MASK: usize = 16;
/// Of a leaf that numbers its voxels: the number of the first, and how many are active before each of 7 words of the mask.
pub const LEAF_OFFSET: usize = 80;
pub const LEAF_PREFIX: usize = 88;

/// How leaves hold values, as `library/volume.py` knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Coding {
    /// As they are.
    Plain = 0,
    /// Numbers of all voxels.
    Index = 1,
    /// Numbers of active voxels.
    OnIndex = 2,
    /// Codes of 4 bits.
    Fp4 = 3,
    /// Codes of 8 bits.
    Fp8 = 4,
    /// Codes of 16 bits.
    Fp16 = 5,
    /// Codes of as many bits as the flags say.
    FpN = 6,
    /// In float16.
    Half = 7,
    /// Bits only, or nothing that kernels read.
    Other = 8,
}

macro_rules! values {
    ($($value:ident = $number:literal, $name:literal, $kind:ident, $coding:ident, $size:literal $align:literal, $stat:literal;)+) => {
        /// The type of a grid's values.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub enum ValueType {
            $(#[doc = $name] $value = $number,)+
        }

        impl ValueType {
            /// All of them.
            pub const ALL: &[ValueType] = &[$(ValueType::$value),+];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self { $(ValueType::$value => $name,)+ }
            }

            /// What such a grid is to kernels.
            pub const fn kind(self) -> ObjectKind {
                match self { $(ValueType::$value => ObjectKind::$kind,)+ }
            }

            /// How leaves hold values.
            pub const fn coding(self) -> Coding {
                match self { $(ValueType::$value => Coding::$coding,)+ }
            }

            /// The size and alignment of a value in nodes, and the size of a mean.
            const fn sizes(self) -> [usize; 3] {
                match self { $(ValueType::$value => [$size, $align, $stat],)+ }
            }
        }
    };
}

values! {
    Float = 1, "float", VolumeSingle, Plain, 4 4, 4;
    Double = 2, "double", VolumeDouble, Plain, 8 8, 8;
    Int16 = 3, "int16", VolumeOther, Plain, 2 2, 4;
    Int32 = 4, "int32", VolumeInt, Plain, 4 4, 4;
    Int64 = 5, "int64", VolumeLong, Plain, 8 8, 8;
    Vec3f = 6, "Vec3f", VolumeVec3, Plain, 12 4, 4;
    Vec3d = 7, "Vec3d", VolumeVec3Double, Plain, 24 8, 8;
    Mask = 8, "Mask", VolumeOther, Other, 1 1, 1;
    Half = 9, "Half", VolumeSingle, Half, 4 4, 4;
    UInt32 = 10, "uint32", VolumeUnsigned, Plain, 4 4, 4;
    Boolean = 11, "bool", VolumeOther, Other, 1 1, 1;
    Fp4 = 13, "Float4", VolumeSingle, Fp4, 4 4, 4;
    Fp8 = 14, "Float8", VolumeSingle, Fp8, 4 4, 4;
    Fp16 = 15, "Float16", VolumeSingle, Fp16, 4 4, 4;
    FpN = 16, "FloatN", VolumeSingle, FpN, 4 4, 4;
    Vec4f = 17, "Vec4f", VolumeVec4, Plain, 16 4, 4;
    Vec4d = 18, "Vec4d", VolumeVec4Double, Plain, 32 8, 8;
    Index = 19, "Index", VolumeIndex, Index, 8 8, 8;
    OnIndex = 20, "OnIndex", VolumeIndex, OnIndex, 8 8, 8;
    IndexMask = 21, "IndexMask", VolumeIndex, Index, 8 8, 8;
    OnIndexMask = 22, "OnIndexMask", VolumeIndex, OnIndex, 8 8, 8;
    Vec3u8 = 24, "Vec3u8", VolumeOther, Plain, 3 1, 4;
    Vec3u16 = 25, "Vec3u16", VolumeOther, Plain, 6 2, 4;
    UInt8 = 26, "uint8", VolumeOther, Plain, 1 1, 4;
}

/// Where things lie in the nodes of a grid.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The background, in the root.
    pub background: usize,
    /// The size of the root without its tiles.
    pub root: usize,
    /// The value, in a tile of the root.
    pub tile_value: usize,
    /// The size of such a tile.
    pub tile: usize,
    /// The size of an entry of the table of an inner node.
    pub entry: usize,
    /// The table, in an upper node.
    pub upper_table: usize,
    /// The size of an upper node.
    pub upper: usize,
    /// The table, in a lower node.
    pub lower_table: usize,
    /// The size of a lower node.
    pub lower: usize,
    /// The values, in a leaf.
    pub leaf_values: usize,
    /// The size of a leaf; 0 if that varies.
    pub leaf: usize,
}

impl ValueType {
    /// The type of a number, `value_type as u32`.
    pub fn from_number(number: u32) -> Option<ValueType> {
        let mut all = Self::ALL.iter().copied();
        all.find(|value| *value as u32 == number)
    }

    /// Whether voxels are numbered.
    pub const fn is_index(self) -> bool {
        matches!(self.coding(), Coding::Index | Coding::OnIndex)
    }

    /// The size of a value in the table of a node or in a plain leaf.
    pub const fn value_size(self) -> usize {
        self.sizes()[0]
    }

    /// Where things lie; `half` says that values of [`ValueType::Half`] have 2 bytes in leaves.
    pub const fn layout(self, half: bool) -> Sizes {
        let [size, align, stat] = self.sizes();
        let background = up(ROOT_TILES + 4, align);
        let tile_value = up(TILE_STATE + 4, align);
        let entry = up(if size > 8 { size } else { 8 }, 8);
        let upper_table = up(behind_of(NODE_MASK + 2 * 4096, [size, align, stat]), 32);
        let lower_table = up(behind_of(NODE_MASK + 2 * 512, [size, align, stat]), 32);
        let (leaf_values, leaf) = match self.coding() {
            Coding::Plain => {
                let values = up(behind_of(LEAF_OFFSET, [size, align, stat]), 32);
                (values, up(values + 512 * size, 32))
            }
            Coding::Half if half => {
                let values = up(behind_of(LEAF_OFFSET, [2, 2, 4]), 32);
                (values, values + 1024)
            }
            Coding::Half => (96, 96 + 2048),
            Coding::Index | Coding::OnIndex => match self {
                ValueType::IndexMask | ValueType::OnIndexMask => (96, 160),
                _ => (96, 96),
            },
            Coding::Fp4 => (96, 96 + 256),
            Coding::Fp8 => (96, 96 + 512),
            Coding::Fp16 => (96, 96 + 1024),
            Coding::FpN => (96, 0),
            Coding::Other if matches!(self, ValueType::Boolean) => (80, 160),
            Coding::Other => (96, 96),
        };
        Sizes {
            background,
            root: up(behind_of(background + size, [size, align, stat]), 32),
            tile_value,
            tile: up(tile_value + size, 32),
            entry,
            upper_table,
            upper: up(upper_table + entry * 32768, 32),
            lower_table,
            lower: up(lower_table + entry * 4096, 32),
            leaf_values,
            leaf,
        }
    }
}

/// The next multiple.
pub const fn up(at: usize, multiple: usize) -> usize {
    at.div_ceil(multiple) * multiple
}

/// Behind a place: two extremes and two means, of so many bytes.
const fn behind_of(at: usize, [size, align, stat]: [usize; 3]) -> usize {
    up(up(at, align) + 2 * size, stat) + 2 * stat
}

/// The voxel that an entry of an upper or lower table, or a voxel of a leaf, stands for: coordinates in units of its size.
pub const fn entry_at(n: usize, log2: u32) -> [i32; 3] {
    let mask = (1 << log2) - 1;
    let (x, y, z) = (n >> (2 * log2), (n >> log2) & mask, n & mask);
    [x as i32, y as i32, z as i32]
}

/// The key of the root's tile with a voxel.
pub const fn key_of(at: [i32; 3]) -> u64 {
    part_of(at[2]) | part_of(at[1]) << 21 | part_of(at[0]) << 42
}

const fn part_of(c: i32) -> u64 {
    (c as u32 >> 12) as u64
}

/// The first voxel of the tile of a key.
pub const fn origin_of(key: u64) -> [i32; 3] {
    let at = [key >> 42, key >> 21, key];
    [
        ((at[0] & 0x1f_ffff) as u32).wrapping_shl(12) as i32,
        ((at[1] & 0x1f_ffff) as u32).wrapping_shl(12) as i32,
        ((at[2] & 0x1f_ffff) as u32).wrapping_shl(12) as i32,
    ]
}
