//! Kernels made of kernels: adjoints, batches, and the same with other parameters.

use super::adjoints::{Adjoints, CachedAdjoint, Needed, Reverse};
use super::compiled::Compiled;
use super::non_atomic::NonAtomicAdds;
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
use std::sync::{Arc, OnceLock};

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
            let adds = NonAtomicAdds::of(self.source(), report, func.params.len());
            Program::new(func, Some(adds), self.options.clone(), &self.sources)
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
        let program = Program::new(
            self.verified(func)?,
            None,
            self.options.clone(),
            &self.sources,
        );
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
            adjoints: Adjoints::default(),
            regions: OnceLock::new(),
            options: self.options.clone(),
        }
    }

    fn verified(&self, func: Func) -> Result<Verified, Failure> {
        verify(func).map_err(|bug| self.fail(bug.into()))
    }
}

impl Compiled {
    /// The adjoint, if it was made.
    pub fn adjoint_at_hand(&self, reverse: &Reverse) -> Option<Arc<CachedAdjoint>> {
        let made = self.adjoints.made();
        made.iter().find(|slot| slot.reverse == *reverse).cloned()
    }

    /// The adjoint as IR with its report; nothing is compiled. `interrupted` is asked while another thread makes one; true ends the
    /// waiting, and the answer is None.
    ///
    /// # Errors
    /// The kernel has no gradient.
    pub fn adjoint_of(
        &self,
        reverse: &Reverse,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<CachedAdjoint>>, Failure> {
        if let Some(slot) = self.adjoint_at_hand(reverse) {
            return Ok(Some(slot));
        }
        let Some(_one) = self.adjoints.making.lock(interrupted) else {
            return Ok(None);
        };
        if let Some(slot) = self.adjoint_at_hand(reverse) {
            return Ok(Some(slot));
        }
        let slot = Arc::new(CachedAdjoint {
            reverse: reverse.clone(),
            reversed: self.reverse(reverse)?,
            program: OnceLock::new(),
        });
        self.adjoints.made().push(slot.clone());
        Ok(Some(slot))
    }

    /// The adjoint as a program; made when it is first asked for. None as for [`Compiled::adjoint_of`].
    pub fn adjoint_program<'a>(
        &self,
        slot: &'a CachedAdjoint,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<&'a Program> {
        if slot.program.get().is_none() {
            let _one = self.adjoints.making.lock(interrupted)?;
            if slot.program.get().is_none() {
                // Only this thread is here, and it found the cell empty.
                let _ = slot.program.set(self.adjoint(slot.reversed.clone()));
            }
        }
        slot.program.get()
    }

    /// What the gradient of a launch may need. Which gradients an adjoint sets to zero is known in the backward pass, and
    /// one that does reads more than one that does not: this is what is read by the one that sets all. `reversed` makes adjoints.
    ///
    /// # Errors
    /// Those of `reversed`.
    pub fn needed<E>(
        &self,
        aliases: &[u32],
        reversed: impl Fn(&Reverse) -> Result<Arc<CachedAdjoint>, E>,
    ) -> Result<Arc<Needed>, E> {
        let found = self.adjoints.needed();
        if let Some(found) = found.iter().find(|n| n.aliases == aliases) {
            return Ok(found.clone());
        }
        drop(found);
        let reverse = |consume| Reverse {
            aliases: aliases.to_vec(),
            consume,
        };
        let written = (0u32..).zip(&self.access).filter(|(_, a)| a.writes());
        let all = reverse(written.map(|(param, _)| param).collect());
        let slot = match reversed(&all) {
            Ok(slot) => slot,
            // It cannot set all: a backward pass that asks for that says so.
            Err(_) => reversed(&reverse(Vec::new()))?,
        };
        let needed = Arc::new(Needed::of(aliases, &slot.reversed.report));
        self.adjoints.needed().push(needed.clone());
        Ok(needed)
    }
}
