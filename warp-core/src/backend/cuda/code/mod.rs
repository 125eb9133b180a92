//! From lowered text to a kernel in the memory of a GPU.

#[cfg(feature = "llvm")]
pub(in crate::backend::cuda) mod compile;
pub(in crate::backend::cuda) mod executable;
#[cfg(feature = "llvm")]
pub(in crate::backend::cuda) mod libdevice;
pub(in crate::backend::cuda) mod loaded;
pub(in crate::backend::cuda) mod make;
#[cfg(feature = "llvm")]
pub(in crate::backend::cuda) mod ptx;
#[cfg(feature = "llvm")]
pub(in crate::backend::cuda) mod target;
pub(in crate::backend::cuda) mod wanted;
