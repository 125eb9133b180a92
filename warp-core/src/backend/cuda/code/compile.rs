//! A kernel to PTX: lowering, the cache, LLVM.

use crate::abi::grid;
use crate::backend::cuda::code::libdevice::Libdevice;
use crate::backend::cuda::code::ptx::{How, Level, ptx};
use crate::backend::llvm::version;
use crate::backend::stored::Request;
use crate::cache::{Cache, Source as Origin};
use crate::error::{Bug, Code, Error, Result};
use crate::ir::Func;
use crate::lower::{self, Conditions, Printed, StackUse, block_layout};
use crate::span::Span;
use crate::verify::Verified;
use std::ffi::CString;

/// A kernel as PTX, and what launches have to know of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The text, as drivers want it.
    pub ptx: CString,
    /// The kernel's name in it.
    pub symbol: String,
    /// What `span` of a fault indexes.
    pub spans: Vec<Span>,
    /// What each `print` prints.
    pub prints: Vec<Printed>,
    /// Whether threads must run in index order: a grid of one thread does it.
    pub in_order: bool,
    /// Whether threads reduce sums in registers.
    pub reduces: bool,
    /// Whether threads ask for objects.
    pub queries: bool,
    /// What a launch asks for the body for dense arrays.
    pub dense: Conditions,
    /// The stacks that a launch makes room for.
    pub stacks: Vec<StackUse>,
    /// Where the text came from.
    pub origin: Origin,
}

/// Bytes of the parameters of a kernel's entry point.
pub fn parameters(func: &Func) -> usize {
    block_layout(func).size + grid::SIZE
}

/// Compiles a kernel for a compute capability that [`crate::backend::cuda::supported`] has named, or takes what the cache has.
///
/// # Errors
/// [`Code::Bug`] if LLVM refuses the text, which is a bug; [`Code::Runtime`] if `interrupted` said so.
pub fn compile(
    func: &Verified,
    options: &lower::Options,
    cache: &Cache,
    sm: u32,
    libdevice: Option<&Libdevice>,
    interrupted: &dyn Fn() -> bool,
) -> Result<Compiled> {
    let library = libdevice.map_or("none", |library| &library.digest);
    let target = format!("{} sm_{sm} libdevice {library}", version());
    let request = Request::new(func, options, "cuda", &target);
    let (entry, origin) = cache.get_or_make(&request.key, interrupted, || {
        let lowered = lower::nvptx::lower(func, options)?;
        let how = How {
            sm,
            parameters: parameters(func),
            libdevice,
            level: match options.fast_compile {
                true => Level::Quick,
                false => Level::Full,
            },
            approximate: options.approximate,
        };
        let made = ptx(&lowered.text, &options.name, &how, interrupted);
        let made = made
            .map_err(Error::from)?
            .ok_or_else(|| Error::new(Code::Runtime, "the compile was interrupted"))?;
        Ok::<_, Error>(request.write(&lowered, &made))
    })?;
    let other = || Bug("an entry of the cache is not what was written".into());
    let stored = request.read(&entry).ok_or_else(other)?;
    Ok(Compiled {
        ptx: CString::new(stored.code).map_err(|_| other())?,
        symbol: options.name.clone(),
        spans: stored.spans,
        prints: stored.prints,
        in_order: stored.in_order,
        reduces: stored.reduces,
        queries: stored.queries,
        dense: stored.dense,
        stacks: stored.stacks,
        origin,
    })
}
