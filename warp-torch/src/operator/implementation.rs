//! A kernel as an operator that torch calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use warp_core::abi::ErrorSlot;
use warp_core::error::Result;
use warp_core::module::Program;
use warp_core::operator::{Operator, Resolved};
use warp_core::pass::cover::covered;

/// What the host does for a launch.
pub struct Hooks {
    /// Whether results must not depend on the number of threads.
    pub deterministic: fn() -> bool,
    /// Whether the user wants a long launch to end.
    pub interrupted: fn() -> bool,
    /// The text of a fault.
    pub fault: Box<dyn Fn(&ErrorSlot) -> String + Send + Sync>,
}

/// How many launch dimensions and output dimensions a call gives.
type Given = (Option<usize>, Option<usize>);

/// A kernel as an operator that torch calls.
pub struct TorchOperator {
    /// How its parameters are filled.
    pub(super) operator: Operator,
    /// The kernel.
    pub(super) program: &'static Program,
    /// For each parameter, whether a launch over its extents writes all of it.
    pub(super) covered: Vec<bool>,
    /// What the host does.
    pub(super) hooks: Hooks,
    /// The operator for calls that give no dimensions.
    plain: Result<Arc<Resolved>>,
    /// The operator for other calls that there have been.
    others: Mutex<HashMap<Given, Arc<Resolved>>>,
}

impl TorchOperator {
    /// The operator of a kernel that is compiled.
    pub fn new(operator: Operator, program: &'static Program, hooks: Hooks) -> TorchOperator {
        TorchOperator {
            plain: operator.resolve(None, None).map(Arc::new),
            covered: covered(&program.func),
            others: Mutex::default(),
            operator,
            program,
            hooks,
        }
    }

    /// The operator for calls that give so many dimensions.
    ///
    /// # Errors
    /// As [`Operator::resolve`].
    pub(super) fn resolved(&self, given: Given) -> Result<Arc<Resolved>> {
        if given == (None, None) {
            return self.plain.clone();
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = others.get(&given) {
            return Ok(found.clone());
        }
        let made = Arc::new(self.operator.resolve(given.0, given.1)?);
        others.insert(given, made.clone());
        Ok(made)
    }
}
