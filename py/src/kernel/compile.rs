//! From a kernel's text to IR, adjoints and code, each made once, when it is first asked for.

use super::fault::explain;
use super::{Derivation, Kernel, Ready, names};
use crate::object::error::{Code, error, raise_at, raise_in_text};
use crate::object::package::PACKAGE;
use crate::runtime::config;
use crate::runtime::signal::Signal;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use warp_core::backend::Code as BackendCode;
use warp_core::backend::cuda::look_for_libdevice;
use warp_core::cache::Source as Origin;
use warp_core::device::Device;
use warp_core::error::Error;
use warp_core::front::Failure;
use warp_core::interruptible_lock::LockGuard;
use warp_core::ir::ParamType;
use warp_core::module;
use warp_core::module::{CachedAdjoint, Needed, Program, Reverse};
use warp_core::ty::ARRAY_DESCRIPTOR;
use warp_dlpack::raise_noted;

/// The level of what is reported: `wp.LOG_INFO`.
const INFO: u8 = 20;
/// A compile that takes so long is told of.
const LONG: Duration = Duration::from_secs(1);

/// Makes a program's code for a device, unless `interrupted` says that it is no longer needed.
type Make<'a> =
    dyn Fn(&'a Program, Device, &dyn Fn() -> bool) -> Result<&'a BackendCode, Error> + Sync;

impl Kernel {
    /// The compiled kernel, if it is compiled.
    #[inline]
    pub fn at_hand(&self) -> Option<&Ready> {
        self.ready.get()
    }

    /// The compiled kernel; compiles it first if need be.
    ///
    /// # Errors
    /// The kernel does not compile.
    pub fn ready(&self, py: Python<'_>) -> PyResult<&Ready> {
        match self.ready.get() {
            Some(ready) => Ok(ready),
            None => self.compile(py),
        }
    }

    #[cold]
    fn compile(&self, py: Python<'_>) -> PyResult<&Ready> {
        // The scope asks Python questions from inside, so the GIL must be free for whoever compiles.
        let options =
            config::compile_options(py, self.check_bounds, self.written.get().about.as_ref())?;
        // What this one is derived of is compiled first, and keeps its own lock.
        let adjoint = match &self.derivation {
            Derivation::Adjoint(of, reverse) => {
                let of = of.get();
                Some((of.ready(py)?, reverse, of.reversed(py, reverse)?))
            }
            _ => None,
        };
        let changed = match &self.derivation {
            Derivation::Batch(of, _) | Derivation::Lift(of, _) | Derivation::Merge(of, _) => {
                Some(of.get().ready(py)?)
            }
            _ => None,
        };
        let (start, signal) = (Instant::now(), Signal::default());
        let generation = names::generation();
        let scope = self.scope(py);
        let outcome = py.detach(|| {
            // Let go in here: outside, a fast call would put that off.
            let scope = scope;
            let _one = self.lock_build(&signal)?;
            if self.ready.get().is_some() {
                return Ok(());
            }
            let (compiled, names) =
                names::looked_up(|| match (adjoint, changed, &self.derivation) {
                    (Some((of, reverse, slot)), _, _) => {
                        of.compiled.derive(reverse, slot.reversed.clone())
                    }
                    (_, Some(of), Derivation::Batch(_, arrays)) => {
                        let batched = of.compiled.batch(arrays);
                        batched.expect("`batch_of` has tried")
                    }
                    (_, Some(of), Derivation::Lift(_, values)) => of.compiled.lift(values),
                    (_, Some(of), Derivation::Merge(_, stands)) => of.compiled.merge(stands),
                    _ => module::compile(self.written.get().source.clone(), &scope, &options),
                });
            let compiled = compiled?;
            let writes: Vec<bool> = compiled.access.iter().map(|a| a.writes()).collect();
            let params = compiled.program.func.params.iter();
            let stores_arrays = (params.zip(&writes)).any(|(param, writes)| {
                *writes
                    && matches!(param.ty, ParamType::Array { elem, .. } if elem == ARRAY_DESCRIPTOR)
            });
            let ready = Ready {
                compiled,
                writes,
                stores_arrays,
                front: start.elapsed(),
                names,
            };
            // Only this thread is here, and it found the cell empty.
            let _ = self.ready.set(ready);
            self.looked.store(generation, Ordering::Relaxed);
            Ok(())
        });
        signal.check()?;
        raise_noted()?;
        outcome.map_err(|failure: Failure| raise_in_text(&failure.error, &failure.sources))?;
        Ok(self.ready.get().expect("just set"))
    }

    /// Waits until no other thread reads this kernel's text.
    fn lock_build(&self, signal: &Signal) -> Result<LockGuard<'_>, Failure> {
        let held = self.building.lock(&|| Python::attach(|py| signal.came(py)));
        held.ok_or_else(interruption)
    }

    /// Compiles a program of this kernel's, itself or an adjoint, for a device.
    ///
    /// # Errors
    /// There is no such device, or the compiler has a bug.
    #[cold]
    pub fn compile_for<'a>(
        &self,
        py: Python<'_>,
        program: &'a Program,
        device: Device,
    ) -> PyResult<&'a BackendCode> {
        self.code_from(py, program, device, &Program::code_unless)
    }

    /// Compiles it before it is launched: nothing is left to be compiled in the background.
    ///
    /// # Errors
    /// Those of [`Kernel::compile_for`].
    pub fn compile_ahead(&self, py: Python<'_>, program: &Program, device: Device) -> PyResult<()> {
        self.code_from(py, program, device, &Program::code_ahead)?;
        Ok(())
    }

    fn code_from<'a>(
        &self,
        py: Python<'_>,
        program: &'a Program,
        device: Device,
        make: &Make<'a>,
    ) -> PyResult<&'a BackendCode> {
        if device != Device::Cpu {
            look_for_libdevice(packages(py)?);
        }
        let mut start = Instant::now();
        let signal = Signal::default();
        let interrupted = || Python::attach(|py| signal.came(py));
        let code = py.detach(|| make(program, device, &interrupted));
        signal.check()?;
        let code = code.map_err(|error| raise_at(&error))?;
        explain(self, code);
        let own = self
            .ready
            .get()
            .filter(|r| std::ptr::eq(&r.compiled.program, program));
        let what = match own {
            Some(ready) => {
                start = start.checked_sub(ready.front).unwrap_or(start);
                "kernel"
            }
            None => "adjoint of kernel",
        };
        self.announce(py, what, code, start)?;
        Ok(code)
    }

    /// Tells the logger what was compiled, if `wp.config.verbose` asks for it, and else who waited long for it.
    fn announce(
        &self,
        py: Python<'_>,
        what: &str,
        code: &BackendCode,
        start: Instant,
    ) -> PyResult<()> {
        let long = start.elapsed() >= LONG;
        let verbose = config::verbose(py)?;
        if !verbose && !long {
            return Ok(());
        }
        let origin = match code.origin {
            Origin::Made => "compiled",
            Origin::Disk => "loaded from the cache",
        };
        let time = start.elapsed().as_secs_f64() * 1e3;
        let line = format!(
            "{what} '{}' {origin} in {time:.2} ms",
            self.written.get().source.name
        );
        match verbose {
            true => PACKAGE.log.call(py, (INFO, line)),
            false => PACKAGE.long_wait.call(py, (line,)),
        }
        .map(|_| ())
    }

    /// Whether gradients may be asked for.
    pub fn backward_enabled(&self) -> bool {
        self.enable_backward.unwrap_or_else(config::enable_backward)
    }

    /// The adjoint as IR with its report; nothing is compiled.
    ///
    /// # Errors
    /// The kernel has no gradient.
    pub fn reversed(&self, py: Python<'_>, reverse: &Reverse) -> PyResult<Arc<CachedAdjoint>> {
        if !self.backward_enabled() {
            return Err(error(
                Code::Runtime,
                format!(
                    "kernel '{}' has no gradient: it was defined with enable_backward=False; \
                 remove that to differentiate it",
                    self.written.get().source.name
                ),
            ));
        }
        let compiled = &self.ready(py)?.compiled;
        if let Some(slot) = compiled.adjoint_at_hand(reverse) {
            return Ok(slot);
        }
        let signal = Signal::default();
        let interrupted = || Python::attach(|py| signal.came(py));
        let made = py.detach(|| compiled.adjoint_of(reverse, &interrupted));
        signal.check()?;
        let made = made.and_then(|made| made.ok_or_else(interruption));
        made.map_err(|failure| raise_in_text(&failure.error, &failure.sources))
    }

    /// What the gradient of a launch may need.
    ///
    /// # Errors
    /// The kernel has no gradient.
    pub fn needed(&self, py: Python<'_>, aliases: &[u32]) -> PyResult<Arc<Needed>> {
        let compiled = &self.ready(py)?.compiled;
        compiled.needed(aliases, |reverse| self.reversed(py, reverse))
    }

    /// The adjoint as a program; made when it is first asked for.
    ///
    /// # Errors
    /// The wait for another thread that makes it was interrupted.
    pub fn adjoint<'a>(&self, py: Python<'_>, slot: &'a CachedAdjoint) -> PyResult<&'a Program> {
        if let Some(program) = slot.program() {
            return Ok(program);
        }
        let compiled = &self.ready(py)?.compiled;
        let signal = Signal::default();
        let interrupted = || Python::attach(|py| signal.came(py));
        let made = py.detach(|| compiled.adjoint_program(slot, &interrupted));
        signal.check()?;
        made.ok_or_else(|| raise_in_text(&interruption().error, &[]))
    }
}

/// That the wait for another thread was interrupted.
fn interruption() -> Failure {
    Failure {
        error: Error::new(Code::Runtime, "the compile was interrupted"),
        sources: Vec::new(),
    }
}

/// Folders of packages that bring NVIDIA's libdevice: its own compiler's, and Triton's.
fn packages(py: Python<'_>) -> PyResult<Vec<PathBuf>> {
    let roots: Vec<Bound<'_, PyAny>> = py.import("sys")?.getattr("path")?.extract()?;
    // Entries may be anything.
    let roots = roots
        .iter()
        .filter_map(|root| root.extract::<PathBuf>().ok());
    Ok(roots
        .flat_map(|root| ["nvidia", "triton/backends/nvidia"].map(|package| root.join(package)))
        .collect())
}
