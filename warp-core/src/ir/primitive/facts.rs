//! What a test needs to know about a function that kernels can call.

/// Where a function is tested, and against what.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Interval from which the components of each argument are sampled, so that the function is
    /// smooth there; the last one stands for the arguments that follow.
    pub domain: &'static [(f64, f64)],
    /// What the result must be.
    pub reference: Reference,
}

/// Independent definition of a result.
#[derive(Clone, Copy, Debug)]
pub enum Reference {
    /// The components of all arguments in order to the components of the result.
    Is(fn(&[f64]) -> Vec<f64>),
    /// The same for integers (int32) with one result.
    IsInt(fn(&[i32]) -> i32),
    /// Not testable on values: why.
    Exempt(&'static str),
}

impl Facts {
    /// Of a function of integers.
    pub const fn of_ints(reference: fn(&[i32]) -> i32) -> Facts {
        Facts {
            domain: &[(-40.0, 40.0)],
            reference: Reference::IsInt(reference),
        }
    }
}
