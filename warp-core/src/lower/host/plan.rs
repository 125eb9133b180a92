//! Which bodies a kernel has.

use super::lanes::Choice;
use super::vector::VectorFacts;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::variant::Variant;

/// The bodies of a kernel.
#[derive(Debug)]
pub struct Plan {
    /// Those that run one thread at a time, the one for any strides last; none where all threads run in gangs.
    pub scalars: Vec<Variant>,
    /// The one that runs gangs, if there is one.
    pub gangs: Option<Variant>,
    /// Rows of fewer threads run one thread at a time.
    pub least: usize,
    /// So do launches in the order of threads.
    pub unordered: bool,
}

/// What the symbols of a kernel that stands beside its interior begin with, behind that of the interior.
pub const WHOLE: &str = "whole";

/// The symbol of the body that runs gangs.
pub fn symbol_of_gangs(symbol: &str, variant: Variant) -> String {
    format!("{symbol}.{}.lanes", variant.suffix())
}

impl Plan {
    /// Decides.
    pub fn new(facts: &KernelFacts<'_>, vector: &VectorFacts, choice: Option<&Choice>) -> Plan {
        let mut scalars = vector.bodies(facts);
        let Some(choice) = choice else {
            return Plan {
                scalars,
                gangs: None,
                least: 0,
                unordered: false,
            };
        };
        // A test for a missing array is one for a whole gang: these need no body for launches without one.
        let gangs = match choice.any_strides && scalars.contains(&Variant::Any) {
            true => Variant::Any,
            false if scalars.contains(&Variant::Inner) => Variant::Inner,
            false => scalars[0],
        };
        // The few threads that are left over may take the body for any strides, unless its atomic operations were plain ones
        // in another.
        let non_atomic = !facts.non_atomic.is_empty() || !facts.owned.is_empty();
        let inner = non_atomic && gangs != Variant::Any;
        scalars.retain(|v| *v == Variant::Any || (*v == Variant::Inner && inner));
        if gangs == Variant::Any && choice.only {
            scalars.clear();
        } else if scalars.is_empty() {
            scalars.push(Variant::Inner);
        }
        Plan {
            scalars,
            gangs: Some(gangs),
            least: choice.least,
            unordered: choice.unordered,
        }
    }

    /// Whether there is a body of this kind.
    pub fn has(&self, variant: Variant) -> bool {
        self.gangs == Some(variant) || self.scalars.contains(&variant)
    }

    /// The kind of the body for any strides, or of the only one.
    pub fn last(&self) -> Variant {
        let last = self.scalars.last().copied().or(self.gangs);
        last.expect("a kernel has a body")
    }

    /// The symbol of the body for any strides, or of the only one; one thread at a time if there is such.
    pub fn symbol_of_last(&self, symbol: &str) -> String {
        match self.scalars.last() {
            Some(last) => format!("{symbol}.{}", last.suffix()),
            None => symbol_of_gangs(symbol, self.last()),
        }
    }

    /// The scalar body for what gangs leave over; none if they leave nothing.
    pub fn epilogue(&self) -> Option<Variant> {
        self.scalars.first().copied()
    }
}
