//! How a call fills the parameters of its kernel.
//!
//! A plan is an array of int32, as `_jax/lowering.py` writes it: the number of launch dimensions; for each of them two
//! numbers; for each parameter three.

/// A launch dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dim {
    /// This many.
    Fixed(i32),
    /// An extent of an array parameter.
    Of { param: usize, dim: usize },
}

/// What a parameter gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Bytes of the attribute `values`, from here on.
    Value(usize),
    /// The value in an argument.
    Given(usize),
    /// An argument, to read.
    Read(usize),
    /// A result, zero at first.
    Out(usize),
    /// A result, with an argument's content at first.
    Copy { arg: usize, ret: usize },
    /// Another parameter's array, for its extents.
    Stand(usize),
    /// Nothing, with the extents of another parameter.
    Absent(usize),
}

/// A plan, read from its numbers.
#[derive(Clone, Copy)]
pub struct LaunchPlan<'a> {
    dims: &'a [[i32; 2]],
    fills: &'a [[i32; 3]],
}

impl<'a> LaunchPlan<'a> {
    /// Reads a plan; None if these are no numbers of one.
    #[inline]
    pub fn read(numbers: &'a [i32]) -> Option<LaunchPlan<'a>> {
        let (count, rest) = numbers.split_first()?;
        let (dims, rest) = rest.split_at_checked(2 * usize::try_from(*count).ok()?)?;
        let (fills, []) = rest.as_chunks() else {
            return None;
        };
        Some(LaunchPlan {
            dims: dims.as_chunks().0,
            fills,
        })
    }

    /// Number of parameters.
    pub const fn params(&self) -> usize {
        self.fills.len()
    }

    /// The launch dimensions; None for one that there cannot be.
    #[inline]
    pub fn dims(&self) -> impl ExactSizeIterator<Item = Option<Dim>> + 'a {
        self.dims.iter().map(|[kind, number]| {
            let unsigned = usize::try_from(*number).ok()?;
            match kind {
                0 => Some(Dim::Fixed(*number)),
                _ => Some(Dim::Of {
                    param: usize::try_from(kind - 1).ok()?,
                    dim: unsigned,
                }),
            }
        })
    }

    /// What parameter `i` gets; None for what there cannot be.
    #[inline]
    pub fn fill(&self, i: usize) -> Option<Fill> {
        let [kind, a, b] = self.fills[i];
        let (a, b) = (usize::try_from(a).ok()?, usize::try_from(b).ok()?);
        Some(match kind {
            0 => Fill::Value(a),
            1 => Fill::Given(a),
            2 => Fill::Read(a),
            3 => Fill::Out(a),
            4 => Fill::Copy { arg: a, ret: b },
            5 => Fill::Stand(a),
            6 => Fill::Absent(a),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Dim, Fill, LaunchPlan};

    #[test]
    fn plans_are_read() {
        let numbers = [2, 0, 7, 1, 3, 2, 1, 0, 4, 0, 1];
        let plan = LaunchPlan::read(&numbers).expect("a plan");
        let dims: Vec<_> = plan.dims().map(Option::unwrap).collect();
        assert_eq!(dims, [Dim::Fixed(7), Dim::Of { param: 0, dim: 3 }]);
        assert_eq!(plan.params(), 2);
        assert_eq!(plan.fill(0), Some(Fill::Read(1)));
        assert_eq!(plan.fill(1), Some(Fill::Copy { arg: 0, ret: 1 }));
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        for numbers in [&[][..], &[-1], &[1, 0], &[0, 1], &[i32::MAX, 0, 0]] {
            assert!(LaunchPlan::read(numbers).is_none(), "{numbers:?}");
        }
        let numbers = [1, -1, 0, 9, 0, 0, 2, -1, 0];
        let plan = LaunchPlan::read(&numbers).expect("whole");
        assert!(plan.dims().all(|d| d.is_none()));
        assert!(plan.fill(0).is_none() && plan.fill(1).is_none());
    }
}
