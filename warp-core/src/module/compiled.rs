//! A kernel as IR that can be launched, with all that is known of it.

use super::adjoints::Adjoints;
use super::options::Options;
use super::program::Program;
use crate::cache::Key;
use crate::error::{Bug, Error};
use crate::floating_point::Standard;
use crate::front::{self, Built, Failure, Scope, Signature, SourceText};
use crate::ir::Func;
use crate::pass;
use crate::pass::access::{self, Access};
use crate::pass::order::takes_float_extremes;
use crate::pass::regions::Regions;
use crate::pass::splice::has_customs;
use crate::span::Source;
use crate::stack;
use crate::timeline::{self, Name, What};
use crate::verify::{Verified, verify};
use std::sync::OnceLock;

/// A kernel that can be launched. Code is made of it when a device first launches it.
#[derive(Debug)]
pub struct Compiled {
    /// What is launched.
    pub program: Program,
    /// How each parameter is used.
    pub access: Vec<Access>,
    /// Name and parameters of the kernel as it was written.
    pub signature: Signature,
    /// Texts that spans point into.
    pub sources: Vec<Source>,
    /// What is differentiated in place of the program's IR, for adjoints: the one that runs saves memory, the other one is
    /// formed with [`crate::adjoint::Options::again`]. Both do the same. Of a kernel as it was written it is the one that has
    /// calls with derivatives of their own.
    pub(super) again: Option<Verified>,
    pub(super) adjoints: Adjoints,
    pub(super) regions: OnceLock<Regions>,
    pub(super) options: Options,
}

/// Compiles a kernel from its text, as far as that is the same for all devices.
///
/// # Errors
/// What is wrong with the text.
pub fn compile(
    text: SourceText,
    scope: &dyn Scope,
    options: &Options,
) -> Result<Compiled, Failure> {
    let begun = timeline::begin();
    let name = (begun != 0).then(|| text.name.as_str().into());
    let made = read(text, scope, options);
    timeline::end(begun, || (Name::Of(name.unwrap_or_default()), What::Read));
    made
}

fn read(text: SourceText, scope: &dyn Scope, options: &Options) -> Result<Compiled, Failure> {
    // Constants are folded here.
    let _standard = Standard::enter();
    let built = front::build(text, scope, options.reading())?;
    stack::with_room(|| finish(built, options))
}

/// Makes what the front read ready to be lowered and differentiated.
fn finish(built: Built, options: &Options) -> Result<Compiled, Failure> {
    let (signature, sources, func) = (built.signature, built.sources, built.func);
    let failed = |bug: Bug, sources: &[Source]| Failure {
        error: bug.into(),
        sources: sources.to_vec(),
    };
    let again = match has_customs(&func) {
        true => Some(verify(func.clone()).map_err(|bug| failed(bug, &sources))?),
        false => None,
    };
    let func = pass::front(func).map_err(|bug| failed(bug, &sources))?;
    let options = Options {
        fuse_fp: options.fuse_fp && !takes_float_extremes(&func),
        ..options.clone()
    };
    Ok(Compiled {
        access: access::of(&func),
        program: Program::new(func, None, options.clone(), &sources),
        signature,
        sources,
        again,
        adjoints: Adjoints::default(),
        regions: OnceLock::new(),
        options,
    })
}

impl Compiled {
    /// What is differentiated.
    pub(super) fn source(&self) -> &Verified {
        self.again.as_ref().unwrap_or(&self.program.func)
    }

    /// Which elements of arrays its launches read and write, found when it is first asked for.
    pub fn regions(&self) -> &Regions {
        self.regions.get_or_init(|| {
            let again = self.again.as_deref();
            let forms: Vec<&Func> = std::iter::once(&*self.program.func).chain(again).collect();
            Regions::of(&forms)
        })
    }

    /// A name for what the kernel does: equal in all processes and on all machines, and different
    /// for kernels that differ.
    pub fn digest(&self) -> String {
        let Options {
            check_bounds,
            debug,
            ..
        } = self.options;
        let flags = [u8::from(check_bounds) + 2 * u8::from(debug)];
        let func = self.program.func.to_string();
        let again = self.again.as_ref().map(|again| again.to_string());
        let again = again.unwrap_or_default();
        Key::of(&[b"kernel", func.as_bytes(), &flags, again.as_bytes()]).hex()
    }

    pub(super) fn fail(&self, error: Error) -> Failure {
        Failure {
            error,
            sources: self.sources.clone(),
        }
    }
}
