//! Types of values, and spaces of memory.

/// Type of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    U16x2,
    S16x2,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
}

impl Type {
    /// A type by its name, without the dot.
    pub fn named(name: &str) -> Option<Type> {
        use Type::*;
        Some(match name {
            "pred" => Pred,
            "b8" => B8,
            "b16" => B16,
            "b32" => B32,
            "b64" => B64,
            "u8" => U8,
            "u16" => U16,
            "u32" => U32,
            "u64" => U64,
            "s8" => S8,
            "s16" => S16,
            "s32" => S32,
            "s64" => S64,
            "u16x2" => U16x2,
            "s16x2" => S16x2,
            "f16" => F16,
            "f16x2" => F16x2,
            "bf16" => Bf16,
            "bf16x2" => Bf16x2,
            "f32" => F32,
            "f64" => F64,
            _ => return None,
        })
    }

    pub fn bytes(self) -> u32 {
        use Type::*;
        match self {
            Pred | B8 | U8 | S8 => 1,
            B16 | U16 | S16 | F16 | Bf16 => 2,
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 | U16x2 | S16x2 => 4,
            B64 | U64 | S64 | F64 => 8,
        }
    }

    pub fn bits(self) -> u32 {
        self.bytes() * 8
    }

    pub fn signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    pub fn float(self) -> bool {
        self.half() || matches!(self, Type::F32 | Type::F64)
    }

    /// A float of 16 bits, or two of them.
    pub fn half(self) -> bool {
        matches!(self, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2)
    }

    /// Whether a float of 16 bits has the exponent of a float32.
    pub fn brain(self) -> bool {
        matches!(self, Type::Bf16 | Type::Bf16x2)
    }

    /// Two numbers in one register.
    pub fn packed(self) -> bool {
        use Type::*;
        matches!(self, U16x2 | S16x2 | F16x2 | Bf16x2)
    }

    pub fn integer(self) -> bool {
        !self.float() && !self.packed() && self != Type::Pred
    }
}

/// A space of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// All of them, each in its window.
    Generic,
    /// The device's memory.
    Global,
    /// The device's memory that kernels cannot write.
    Const,
    /// A block's memory.
    Shared,
    /// A thread's memory.
    Local,
    /// A launch's parameters.
    Param,
}

/// Where shared memory starts in the generic address space. A window holds 16 MiB; no device pointer lies so low.
pub(crate) const SHARED_WINDOW: u64 = 1 << 24;
/// Where a thread's own memory starts in the generic address space.
pub(crate) const LOCAL_WINDOW: u64 = 2 << 24;
/// Where parameters start in the generic address space.
pub(crate) const PARAM_WINDOW: u64 = 3 << 24;
/// Where addresses of functions start; nothing can be read there.
pub(crate) const CODE_WINDOW: u64 = 4 << 24;
/// Local memory that a thread can have.
pub(crate) const LOCAL_BYTES: u64 = 512 << 10;
/// Length of a window.
pub(crate) const WINDOW: u64 = 1 << 24;

impl Space {
    /// Where the space starts in the generic address space.
    pub fn window(self) -> u64 {
        match self {
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
            Space::Generic | Space::Global | Space::Const => 0,
        }
    }
}
