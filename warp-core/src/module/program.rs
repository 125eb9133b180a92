//! A program: IR, and code made of it for each device that launches it.

use super::codes::Codes;
use super::non_atomic::NonAtomicAdds;
use super::options::Options;
use super::searches;
use crate::abi::BlockLayout;
use crate::backend::{self, Code};
use crate::cache::Source;
use crate::device::Device;
use crate::error::Result;
use crate::floating_point::Standard;
use crate::lower;
use crate::pass::access::queries;
use crate::pass::order::{order_matters, ordered_by};
use crate::pass::without_searches;
use crate::span::Source as Text;
use crate::stack;
use crate::timeline::{self, Name, What};
use crate::verify::Verified;
use std::borrow::Cow;
use std::sync::Arc;

/// A form in which a program can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The IR of this library.
    Ir,
    /// LLVM's, after optimisation for the CPU.
    Llvm,
    /// Instructions of the CPU, as text.
    Assembly,
    /// Instructions of a GPU, as text.
    Ptx,
}

/// IR that can be launched.
#[derive(Debug)]
pub struct Program {
    /// The IR.
    pub func: Verified,
    /// The adds that the code makes without atomics, and what a launch has to look at for that: only of adjoints.
    pub non_atomic_adds: Option<NonAtomicAdds>,
    /// The result depends on the order of threads.
    pub order_matters: bool,
    /// It queries objects by their ids.
    pub queries: bool,
    /// Where the id of an object lies in whose order threads run best; none where their order would show.
    pub ordered_by: Option<usize>,
    /// Where arguments lie.
    pub layout: BlockLayout,
    options: Options,
    /// The texts that its places are of, if its code is to say so.
    lines: Option<Arc<[Text]>>,
    codes: Codes,
}

impl Program {
    /// A program that is not compiled yet. `sources` are the texts that its places are of.
    pub fn new(
        func: Verified,
        non_atomic_adds: Option<NonAtomicAdds>,
        options: Options,
        sources: &[Text],
    ) -> Program {
        let (order_matters, layout) = (order_matters(&func), lower::block_layout(&func));
        let by = ordered_by(&func);
        Program {
            order_matters,
            queries: queries(&func),
            ordered_by: by.map(|id| layout.offsets[id.0 as usize]),
            layout,
            func,
            non_atomic_adds,
            lines: options.line_info.then(|| sources.into()),
            options,
            codes: Codes::default(),
        }
    }

    /// The code for a device; compiled when it is first asked for.
    ///
    /// # Errors
    /// [`crate::error::Code::Value`] if there is no such device, [`crate::error::Code::Bug`] if the compiler refuses
    /// what lowering wrote, which is a bug.
    #[inline]
    pub fn code(&self, device: Device) -> Result<&Code> {
        self.code_unless(device, &|| false)
    }

    /// The code for a device, as [`Program::code`]. `interrupted` is asked now and then while it is compiled; true ends the
    /// waiting.
    ///
    /// # Errors
    /// Those of [`Program::code`], and [`crate::error::Code::Runtime`] if it was interrupted.
    #[inline]
    pub fn code_unless(&self, device: Device, interrupted: &dyn Fn() -> bool) -> Result<&Code> {
        match self.codes.get(device) {
            Some(code) => Ok(code),
            None => self.make(device, self.options.tiered, interrupted),
        }
    }

    /// The code for a device, as [`Program::code_unless`], of a program that is compiled before it is needed: nothing is left
    /// to be compiled later.
    ///
    /// # Errors
    /// Those of [`Program::code_unless`].
    pub fn code_ahead(&self, device: Device, interrupted: &dyn Fn() -> bool) -> Result<&Code> {
        self.make(device, false, interrupted)
    }

    #[cold]
    fn make(&self, device: Device, tiered: bool, interrupted: &dyn Fn() -> bool) -> Result<&Code> {
        let make = || self.compile(device, tiered, interrupted);
        self.codes.get_or_make(device, interrupted, make)
    }

    /// Whether threads run in their order, where the result depends on it.
    #[inline]
    pub fn is_deterministic(&self) -> bool {
        self.options.deterministic
    }

    /// Threads of a block on a GPU, for launches that do not say how many.
    #[inline]
    pub fn block_dim(&self) -> u32 {
        self.options.block_dim
    }

    /// The code for a device, if it was compiled.
    #[inline]
    pub fn compiled(&self, device: Device) -> Option<&Code> {
        self.codes.get(device)
    }

    /// How it is lowered.
    fn lowering(&self) -> lower::Options {
        let non_atomic = self
            .non_atomic_adds
            .as_ref()
            .map(|adds| adds.non_atomic.clone());
        lower::Options {
            non_atomic: non_atomic.unwrap_or_default(),
            check_bounds: self.options.check_bounds,
            check_division: self.options.debug,
            fast_compile: self.options.fast_compile,
            contract: self.options.fuse_fp,
            approximate: self.options.fast_math,
            lanes: self.options.lanes,
            lines: self.lines.clone(),
            ..lower::Options::default()
        }
    }

    /// What the program becomes on the CPU. Compiles it once more.
    ///
    /// # Errors
    /// [`crate::error::Code::Bug`] if the compiler refuses what lowering wrote, which is a bug.
    #[cfg(feature = "llvm")]
    pub fn report(&self) -> Result<Vec<lower::BodyReport>> {
        backend::cpu::report(&self.func, &self.lowering())
    }

    /// The program in one of its forms. Compiles it once more. Its PTX is for the compute
    /// capability that the user wants, or else the latest one that is known.
    ///
    /// # Errors
    /// [`crate::error::Code::Bug`] if the compiler refuses what lowering wrote, which is a bug.
    #[cfg(feature = "llvm")]
    pub fn text(&self, form: Form) -> Result<String> {
        let (func, options) = (&self.func, &self.lowering());
        match form {
            Form::Ir => Ok(func.to_string()),
            Form::Llvm | Form::Assembly => {
                backend::cpu::text(func, options, matches!(form, Form::Assembly))
            }
            Form::Ptx => {
                let latest = backend::cuda::KNOWN.into_iter().max().unwrap_or_default();
                let sm = backend::cuda::compiled_for(latest).unwrap_or(latest);
                let cache = &self.options.cache;
                let func = without_searches(func, &searches::body)?;
                let made = backend::cuda::compile(&func, options, cache, sm, None, &|| false)?;
                Ok(made.ptx.to_string_lossy().into_owned())
            }
        }
    }

    #[cold]
    fn compile(
        &self,
        device: Device,
        tiered: bool,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Code> {
        let _standard = Standard::enter();
        let options = self.lowering();
        let cache = &self.options.cache;
        let begun = timeline::begin();
        let backend = backend::of(device)?;
        let func = match device {
            Device::Cpu => Cow::Borrowed(&self.func),
            Device::Cuda(_) => without_searches(&self.func, &searches::body)?,
        };
        let compile = |interrupted: &dyn Fn() -> bool| {
            backend.compile(&func, &options, cache, device, tiered, interrupted)
        };
        let made = match stack::has_room() {
            true => compile(interrupted),
            // Another thread cannot ask what interrupts this one.
            false => stack::with_room(|| compile(&|| false)),
        };
        timeline::end(begun, || {
            let code = made.as_ref().ok();
            let cached = code.map(|code| matches!(code.origin, Source::Disk));
            let name = Name::Of(self.func.name.as_str().into());
            (name, What::Compile { device, cached })
        });
        made
    }
}
