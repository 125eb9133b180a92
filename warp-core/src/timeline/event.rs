//! What is recorded.

use crate::device::Device;
use std::sync::Arc;

/// Events of all threads that are kept: some 100 MB.
pub const LIMIT: usize = 1_000_000;

/// Something that took time on a thread.
#[derive(Clone, Debug)]
pub struct Event {
    /// Nanoseconds.
    pub begun: u64,
    /// Nanoseconds.
    pub ended: u64,
    /// What it is called.
    pub name: Name,
    /// What it was.
    pub what: What,
}

/// What an event is called.
#[derive(Clone, Debug)]
pub enum Name {
    /// A function of ours.
    Fixed(&'static str),
    /// A kernel of the user's.
    Of(Arc<str>),
}

/// Kinds of events, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A kernel's text became IR.
    Read,
    /// IR became code; `cached`: the disk had it.
    Compile {
        /// For which device.
        device: Device,
        /// Whether the cache had it; unknown if it failed.
        cached: Option<bool>,
    },
    /// A kernel ran, or was given to a stream.
    Launch {
        /// Dimensions, unused ones 1.
        dims: [i32; crate::ty::MAX_NDIM],
        /// Where.
        device: Device,
    },
    /// Memory of a framework became an array, or vice versa.
    Conversion,
    /// Elements were copied.
    Copy {
        /// How much.
        bytes: u64,
        /// Where from.
        from: Device,
        /// Where to.
        to: Device,
    },
    /// A sum, a sort or their like was done, or given to a stream.
    Algorithm {
        /// Where.
        device: Device,
    },
    /// Elements were filled.
    Fill {
        /// How much.
        bytes: u64,
        /// Where.
        device: Device,
    },
}

impl Name {
    /// The text.
    pub fn text(&self) -> &str {
        match self {
            Name::Fixed(name) => name,
            Name::Of(name) => name,
        }
    }
}

impl What {
    /// The category that viewers show and filter by.
    pub fn category(&self) -> &'static str {
        match self {
            What::Read | What::Compile { .. } => "compile",
            What::Launch { .. } => "launch",
            What::Conversion => "conversion",
            What::Copy { .. } => "copy",
            What::Fill { .. } => "fill",
            What::Algorithm { .. } => "algorithm",
        }
    }
}

/// What a session was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Events that were written.
    pub written: usize,
    /// Events for which there was no room.
    pub dropped: usize,
}
