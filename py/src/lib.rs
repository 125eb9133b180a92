//! The extension module `warp._warp`.
