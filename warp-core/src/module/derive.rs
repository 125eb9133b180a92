//! Kernels made of kernels: adjoints, batches, and the same with other parameters.

use super::compiled::Compiled;
use super::plain_adds::PlainAdds;
use super::program::Program;
use crate::adjoint;
use crate::front::Failure;
use crate::ir::{Func, ParamId};
use crate::pass::access;
use crate::pass::batch::batch;
use crate::pass::lift::lift;
use crate::pass::merge::merge;
use crate::stack;
use crate::verify::{Verified, verify};

/// Which adjoint of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reverse {
    /// Parameters that were given the same array as another one: entry `i` is the parameter that stands
    /// for `i`. Empty: each for itself.
    pub aliases: Vec<u32>,
    /// Parameters whose gradient is set to zero after it is read; see [`adjoint::Options`].
    pub consume: Vec<u32>,
}

impl Compiled {
    /// The adjoint as IR.
    ///
    /// # Errors
    /// What [`adjoint::reverse`] refuses.
    pub fn reverse(&self, reverse: &Reverse) -> Result<adjoint::Adjoint, Failure> {
        stack::with_room(|| self.differentiate(reverse, false))
    }

    fn differentiate(&self, reverse: &Reverse, again: bool) -> Result<adjoint::Adjoint, Failure> {
        let mut func: Func = (**self.source()).clone();
        merge(&mut func, &reverse.aliases);
        let consume = reverse.consume.iter().map(|p| ParamId(*p)).collect();
        let options = adjoint::Options {
            consume,
            again,
            ..adjoint::Options::default()
        };
        adjoint::reverse(&func, &options).map_err(|e| self.fail(e))
    }

    /// An adjoint that can be launched.
    pub fn adjoint(&self, reversed: adjoint::Adjoint) -> Program {
        stack::with_room(|| {
            let adjoint::Adjoint { func, report } = reversed;
            let adds = PlainAdds::of(self.source(), report, func.params.len());
            Program::new(func, Some(adds), self.options.clone())
        })
    }

    /// An adjoint as a kernel of its own, which is launched, differentiated and batched as any other.
    ///
    /// # Errors
    /// As [`Compiled::reverse`].
    pub fn derive(
        &self,
        reverse: &Reverse,
        reversed: adjoint::Adjoint,
    ) -> Result<Compiled, Failure> {
        stack::with_room(|| {
            let again = self.differentiate(reverse, true)?;
            // A launch of the one and a derivative of the other read one report. The two have never been found to differ.
            let again = (again.report == reversed.report).then_some(again.func);
            let program = self.adjoint(reversed);
            Ok(self.with(program, again))
        })
    }

    /// The kernel for every item of a batch: see [`batch()`].
    ///
    /// # Errors
    /// A bug: the kernel does not verify.
    pub fn batch(&self, arrays: &[bool]) -> Option<Result<Compiled, Failure>> {
        stack::with_room(|| {
            let func = batch(&self.program.func, arrays)?;
            let again = self.again.as_ref().and_then(|again| batch(again, arrays));
            Some(self.changed(func, again))
        })
    }

    /// The kernel with values as arrays of one element: see [`lift()`].
    ///
    /// # Errors
    /// As [`Compiled::batch`].
    pub fn lift(&self, values: &[bool]) -> Result<Compiled, Failure> {
        stack::with_room(|| {
            let again = self.again.as_ref().map(|again| lift(again, values));
            self.changed(lift(&self.program.func, values), again)
        })
    }

    /// The kernel with parameters that are given one array: see [`merge()`].
    ///
    /// # Errors
    /// As [`Compiled::batch`].
    pub fn merge(&self, stands: &[u32]) -> Result<Compiled, Failure> {
        let merged = |func: &Func| {
            let mut func = func.clone();
            merge(&mut func, stands);
            func
        };
        stack::with_room(|| {
            let again = self.again.as_ref().map(|again| merged(again));
            self.changed(merged(&self.program.func), again)
        })
    }

    fn changed(&self, func: Func, again: Option<Func>) -> Result<Compiled, Failure> {
        let again = again.map(|again| self.verified(again)).transpose()?;
        let program = Program::new(self.verified(func)?, None, self.options.clone());
        Ok(self.with(program, again))
    }

    /// A kernel of the same text that does what `program` does.
    fn with(&self, program: Program, again: Option<Verified>) -> Compiled {
        Compiled {
            access: access::of(&program.func),
            program,
            signature: self.signature.clone(),
            sources: self.sources.clone(),
            again,
            options: self.options.clone(),
        }
    }

    fn verified(&self, func: Func) -> Result<Verified, Failure> {
        verify(func).map_err(|bug| self.fail(bug.into()))
    }
}
