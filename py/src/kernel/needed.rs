//! Which content of arrays the gradient of a launch may need, whatever a tape does with the launch.

use warp_core::adjoint::{Data, Report};

/// What the adjoints of a kernel may read, for arguments of which some are the same array.
pub struct Needed {
    /// As in [`warp_core::module::Reverse::aliases`].
    pub aliases: Vec<u32>,
    /// The parameters whose content is read, and which content.
    pub arrays: Vec<(usize, Data)>,
    /// As in [`Report::reaches`].
    pub reaches: bool,
}

impl Needed {
    /// What a report says.
    pub fn of(aliases: &[u32], report: &Report) -> Needed {
        let kept = |data: Data| !matches!(data, Data::None | Data::Live);
        let read = report.arrays.iter().filter(|a| kept(a.data));
        Needed {
            aliases: aliases.to_vec(),
            arrays: read.map(|a| (a.param.0 as usize, a.data)).collect(),
            reaches: report.reaches,
        }
    }
}
