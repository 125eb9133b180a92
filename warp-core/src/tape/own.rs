//! Tapes of Rust programs.

use super::adjoint::{self, Aliases, Kernel};
use super::copying;
use super::entry::Entry;
use super::gradients::Gradients;
use super::launch::TapedLaunch;
use super::native::{Function, Native, fill, reversed, zero};
use super::pass::Pass;
use super::recording::Recording;
use super::saved::{Saved, SavedArray};
use crate::array::{Array, Number};
use crate::command::{Command, Recorder, Start, recorder};
use crate::device::{Stream, current_stream};
use crate::error::{Code, Error, Result};
use crate::launch::{Block, Dims, Touched};
use crate::module::{Compiled, Needed};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError};

/// A tape of a Rust program: it records what [`perform`](crate::command::perform()) is given on a thread, and runs the derivatives.
///
/// Launches, copies and fills are recorded. What an algorithm writes counts as constant, and so does what a graph writes.
///
/// ```no_run
/// # use warp_core::{array::Array, command::Command, error::Result, tape::Tape};
/// # fn f(x: Array, loss: Array, launch: Command) -> Result<()> {
/// let tape = Tape::begin().expect("no tape records on this thread");
/// let dx = tape.require(&x)?;
/// tape.require(&loss)?;
/// warp_core::command::perform(launch)?;
/// tape.end();
/// tape.backward(Some(&loss))?; // dx is d loss / d x
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct Tape {
    recording: Recording<Native>,
    gradients: Gradients,
    /// What was recorded before a launch, and is to be completed after what it overwrites is kept.
    begun: Mutex<Option<Begun>>,
}

/// A launch, and what its gradient needs.
type Begun = (Arc<TapedLaunch<Native>>, Arc<Needed>);

impl Tape {
    /// Begins to record on this thread; None if another tape does.
    pub fn begin() -> Option<Arc<Tape>> {
        let tape = Arc::new(Tape::default());
        tape.resume().then_some(tape)
    }

    /// Goes on to record, on this thread; false if a tape does.
    pub fn resume(self: &Arc<Tape>) -> bool {
        if recorder::has::<Tape>() {
            return false;
        }
        let moment = recorder::push(self.clone());
        self.recording.state().begin(moment);
        true
    }

    /// Ends to record, on the thread where it began; false on another one.
    pub fn end(&self) -> bool {
        let moment = recorder::remove(self);
        if let Some(moment) = moment {
            self.recording.state().end(moment);
        }
        moment.is_some()
    }

    /// The gradient of an array, which starts at zeros if it has none yet.
    ///
    /// # Errors
    /// There is no memory, or the array holds no floating point numbers.
    pub fn require(&self, array: &Array) -> Result<Array> {
        if let Some(gradient) = self.gradient(array) {
            return Ok(gradient);
        }
        let view = &array.view;
        let shape: SmallVec<[i64; 4]> = (view.layout().shape().iter())
            .map(|n| i64::from(*n))
            .collect();
        let gradient = Array::zeros(view.elem, &shape, view.device)?;
        recorder::made(&gradient, Start::Zeros);
        self.set_gradient(array, &gradient)?;
        Ok(gradient)
    }

    /// Gives an array a gradient, which passes add to.
    ///
    /// # Errors
    /// The gradient has another type, shape or device, or the array holds no floating point numbers.
    pub fn set_gradient(&self, array: &Array, gradient: &Array) -> Result<()> {
        self.gradients.set(array, gradient)
    }

    /// The gradient of an array or of a part of one, if it has one.
    pub fn gradient(&self, array: &Array) -> Option<Array> {
        self.gradients.of(&array.view)
    }

    /// Records a function to be called at this point of a backward pass. It uses the gradients of arrays, and adds to them itself.
    pub fn record_call(&self, function: Function, arrays: Vec<Array>) {
        self.recording
            .add(Entry::call(function, arrays, Vec::new()));
    }

    /// Runs what was recorded backwards and adds to the gradients. The gradient of `loss`, an array of one element, is set to 1 first;
    /// without one the pass starts from the gradients as they are.
    ///
    /// # Errors
    /// `loss` has no gradient or several elements, a kernel cannot be differentiated, what a gradient needs is lost, or what a kernel
    /// or a device says.
    pub fn backward(&self, loss: Option<&Array>) -> Result<()> {
        let pass = Pass::<Native>::prepare(&self.gradients, self.recording.entries())?;
        let again = std::mem::replace(&mut self.recording.state().ran, true);
        if again {
            pass.clear_intermediates(&self.gradients)?;
        }
        if let Some(loss) = loss {
            self.seed(loss)?;
        }
        pass.run(&self.gradients)?;
        self.recording.release(&self.gradients, false)
    }

    fn seed(&self, loss: &Array) -> Result<()> {
        let (count, elem) = (loss.view.layout().len(), loss.view.elem);
        if count != 1 {
            let text = format!("Tape::backward: loss has {count} elements, expected 1");
            return Err(Error::new(Code::ArrayValue, text));
        }
        let Some(gradient) = self.gradient(loss) else {
            let text =
                "Tape::backward: loss has no gradient; give it one first, with Tape::require";
            return Err(Error::new(Code::Runtime, text));
        };
        let mut one = SmallVec::new();
        for _ in 0..elem.size() / elem.scalar().size() {
            Number::Int(1).write(elem.scalar(), &mut one)?;
        }
        fill(gradient, one)
    }

    /// Sets all gradients to zero. The next pass is taken at what arrays hold then, but where the recorded launches themselves have
    /// overwritten them.
    ///
    /// # Errors
    /// What a device says.
    pub fn zero(&self) -> Result<()> {
        self.recording.state().ran = false;
        self.recording.release(&self.gradients, true)?;
        (self.gradients.all().into_iter()).try_for_each(zero)
    }

    /// Forgets what was recorded, and sets all gradients to zero.
    ///
    /// # Errors
    /// What a device says.
    pub fn reset(&self) -> Result<()> {
        self.zero()?;
        let old = self.recording.state().forget();
        drop(old);
        Ok(())
    }

    /// How many things were recorded.
    pub fn len(&self) -> usize {
        self.recording.state().entries.len()
    }

    /// Whether nothing was.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that are kept because gradients need them and something has overwritten them.
    pub fn kept_bytes(&self) -> usize {
        self.recording.state().kept_bytes()
    }

    /// Records a launch of a kernel.
    fn launched(
        &self,
        kernel: &Arc<Compiled>,
        extent: (Stream, Dims),
        block: &Block,
        arrays: &[(usize, Array)],
    ) -> Result<()> {
        let of = Kernel {
            title: &kernel.signature.name,
            compiled: kernel,
        };
        let mut args = vec![Array::EMPTY; of.params().len()];
        for (at, array) in arrays {
            args[*at] = array.clone();
        }
        let (mut aliases, mut saved, mut needed, mut refusal) =
            (Aliases::new(), Saved::default(), None, None);
        if arrays.iter().any(|(_, a)| self.gradient(a).is_some()) {
            let argument = |at: usize| Ok(args[at].view.arg);
            aliases = adjoint::aliases(of, argument, |e| e)?;
            match kernel.needed(&aliases, |reverse| reversed(kernel, reverse)) {
                Ok(found) => {
                    let touched = Touched::of(kernel, block);
                    let take = |at: usize, region| SavedArray::of(&args[at], region);
                    saved = Saved::before(&touched, &found, (args.len(), 0), &take)?;
                    needed = Some(found);
                }
                Err(error) => refusal = Some(error),
            }
        }
        let kernel = kernel.clone();
        let launch = TapedLaunch::new(kernel, extent, block, args, (saved, aliases), refusal);
        let launch = Arc::new(launch);
        self.recording.add(Entry::Launch(launch.clone()));
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        *begun = needed.map(|needed| (launch, needed));
        Ok(())
    }

    /// Records that an array gets a value that depends on no other one: its gradient ends there.
    fn filled(&self, array: &Array) {
        if self.gradient(array).is_some() {
            self.recording.add(Entry::fill(array.clone()));
        }
    }
}

impl Recorder for Tape {
    fn defers(&self) -> bool {
        false
    }

    fn take(&self, _: Command) -> Result<()> {
        Ok(())
    }

    fn listens(&self) -> bool {
        true
    }

    fn before(&self, command: &Command) -> Result<()> {
        match command {
            // Second derivatives are those of adjoints as kernels of their own.
            Command::Launch(launch) if launch.kernel().is_adjoint() => Ok(()),
            Command::Launch(launch) => {
                let arrays: Vec<(usize, Array)> = launch.arrays().collect();
                match launch.kernel().differentiable() {
                    Some(kernel) => self.launched(kernel, launch.extent(), launch.block(), &arrays),
                    None if arrays.iter().all(|(_, a)| self.gradient(a).is_none()) => Ok(()),
                    None => {
                        let text = format!(
                            "kernel '{}' is not one of a Rust program, whose tape has no derivative of it",
                            launch.kernel().title()
                        );
                        Err(Error::new(Code::Runtime, text))
                    }
                }
            }
            Command::Copy(copy) if self.gradient(&copy.to).is_some() => {
                let (kernel, dims) = copying::kernel(&copy.to.view)?;
                let block = Block::new(kernel.program.layout.size, dims.shape);
                let stream = current_stream(copy.to.view.device)?;
                let arrays = [(0, copy.to.clone()), (1, copy.from.clone())];
                self.launched(&kernel, (stream, dims), &block, &arrays)
            }
            Command::Fill(fill) => {
                self.filled(&fill.to);
                Ok(())
            }
            Command::Algorithm(algorithm) => {
                algorithm.written().iter().for_each(|a| self.filled(a));
                Ok(())
            }
            Command::Copy(_) | Command::Host(_) => Ok(()),
        }
    }

    fn after(&self, command: &Command) -> Result<()> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some((launch, needed)), Command::Launch(command)) = (begun.take(), command) else {
            return Ok(());
        };
        let take = |at: usize, region| SavedArray::of(&launch.args[at], region);
        let touched = Touched::of(&launch.kernel, command.block());
        let mut saved = launch.saved();
        saved.after(&touched, &needed, false, &take, |e| e)
    }
}
