//! The arguments of a launch: inputs and outputs as one list, structs as their leaves.

use super::reached;
use super::spread::{self, Root, Values};
use crate::kernel::{Argument, Kernel};
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::runtime::snapshot::watched;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// The arguments of `inputs` and `outputs` in one list.
#[derive(Default)]
pub struct Args<'py> {
    /// All of them, structs as their leaves.
    pub all: Values<'py>,
    /// How many are inputs.
    pub first: usize,
    /// Where there are structs.
    with_structs: Option<Box<WithStructs<'py>>>,
}

/// Arguments of which some are structs, as they were given.
struct WithStructs<'py> {
    all: Values<'py>,
    /// Which leaves are parts of arrays of structs.
    roots: Vec<Root<'py>>,
}

impl<'py> Args<'py> {
    /// Puts the leaves of structs in their places.
    ///
    /// # Errors
    /// A struct is not what its parameter wants.
    #[cold]
    pub fn spread(&mut self, kernel: &Kernel, arguments: &[Argument]) -> PyResult<()> {
        // In a fast call PyO3 does not know that the lock is held.
        let (all, roots) = Python::attach(|py| {
            let spread = spread::spread(kernel, arguments, &self.all)?;
            if watched() {
                reached::before_launch(kernel, kernel.ready(py)?, &spread.0)?;
            }
            PyResult::Ok(spread)
        })?;
        self.first = arguments[..self.first].iter().map(|a| a.leaves).sum();
        let all = std::mem::replace(&mut self.all, all);
        self.with_structs = Some(Box::new(WithStructs { all, roots }));
        Ok(())
    }
    /// How many of the arguments as they were given are inputs.
    pub fn inputs(&self, kernel: &Kernel) -> usize {
        match &kernel.arguments {
            None => self.first,
            Some(arguments) => {
                let mut leaves = 0;
                let before = arguments.iter().take_while(|a| {
                    leaves += a.leaves;
                    leaves <= self.first
                });
                before.count()
            }
        }
    }
    /// The arguments as they were given.
    pub fn given(&self) -> &[Bound<'py, PyAny>] {
        self.with_structs.as_ref().map_or(&self.all, |w| &w.all)
    }
    /// Which leaves are parts of arrays of structs.
    pub fn roots(&self) -> &[Root<'py>] {
        self.with_structs.as_ref().map_or(&[], |w| &w.roots)
    }
}

impl<'py> Args<'py> {
    /// Reads both lists. In place, because moving them costs as much as reading them.
    ///
    /// # Errors
    /// The lists are none, or hold another number of arguments than the kernel takes.
    pub fn collect(
        &mut self,
        kernel: &Kernel,
        inputs: Option<&Bound<'py, PyAny>>,
        outputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        extend(kernel, "inputs", inputs, &mut self.all)?;
        self.first = self.all.len();
        extend(kernel, "outputs", outputs, &mut self.all)?;
        if self.all.len() != kernel.arity {
            let names = kernel.names();
            return Err(error(
                Code::Launch,
                format!(
                    "launch of kernel '{}': it takes {} arguments ({}), but inputs and outputs hold {}{}",
                    kernel.title(),
                    names.len(),
                    names.join(", "),
                    self.all.len(),
                    kernel.defined()
                ),
            ));
        }
        Ok(())
    }
}

fn extend<'py>(
    kernel: &Kernel,
    what: &str,
    list: Option<&Bound<'py, PyAny>>,
    out: &mut Values<'py>,
) -> PyResult<()> {
    let Some(list) = list else { return Ok(()) };
    if let Ok(list) = list.cast::<PyList>() {
        // An iterator would ask how long the list is by now before each.
        for at in 0..list.len() {
            out.push(list.get_item(at)?);
        }
    } else if let Ok(tuple) = list.cast::<PyTuple>() {
        for at in 0..tuple.len() {
            out.push(tuple.get_item(at)?);
        }
    } else {
        return Err(error(
            Code::Launch,
            format!(
                "launch of kernel '{}': {what} is {}, expected a list or tuple of arguments, as in \
             {what}=[x, y]",
                kernel.title(),
                describe(list)
            ),
        ));
    }
    Ok(())
}
