//! How a call fills the parameters of its kernel, and the numbers in which a compiled program says so.
//!
//! The numbers are int32: how many launch dimensions there are, and above these 8 bits how many threads a block of a GPU has; for
//! each of the dimensions two numbers; for each parameter three.
//! Programs that jax keeps between processes hold them.

/// A launch dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dim {
    /// This many.
    Fixed(i32),
    /// An extent of an array parameter.
    Of {
        /// The parameter.
        param: usize,
        /// Its dimension.
        dim: usize,
    },
}

/// What a parameter gets, in terms of the buffers and attributes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferBinding {
    /// Bytes of the attribute `values`, from here on.
    Value(usize),
    /// The value in an argument.
    Given(usize),
    /// An argument, to read.
    Read(usize),
    /// A result, zero at first.
    Out(usize),
    /// A result, with an argument's content at first.
    Copy {
        /// The argument.
        arg: usize,
        /// The result.
        ret: usize,
    },
    /// Another parameter's array, for its extents.
    Stand(usize),
    /// Nothing, with the extents of another parameter.
    Absent(usize),
}

/// How a call fills the parameters of its kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaunchPlan {
    /// Threads of a block on a GPU; 0 leaves it to the kernel.
    pub block_dim: u32,
    /// The launch dimensions.
    pub dims: Vec<Dim>,
    /// What each parameter gets.
    pub bindings: Vec<BufferBinding>,
}

/// Bits of the first number that say how many launch dimensions there are.
const COUNT_BITS: u32 = 8;

impl LaunchPlan {
    /// The plan as numbers.
    pub fn encode(&self) -> Vec<i32> {
        let block_dim = number(self.block_dim as usize) << COUNT_BITS;
        let mut numbers = vec![number(self.dims.len()) | block_dim];
        for dim in &self.dims {
            numbers.extend(match *dim {
                Dim::Fixed(extent) => [0, extent],
                Dim::Of { param, dim } => [number(param) + 1, number(dim)],
            });
        }
        for binding in &self.bindings {
            let (kind, a, b) = match *binding {
                BufferBinding::Value(at) => (0, at, 0),
                BufferBinding::Given(arg) => (1, arg, 0),
                BufferBinding::Read(arg) => (2, arg, 0),
                BufferBinding::Out(ret) => (3, ret, 0),
                BufferBinding::Copy { arg, ret } => (4, arg, ret),
                BufferBinding::Stand(like) => (5, like, 0),
                BufferBinding::Absent(like) => (6, like, 0),
            };
            numbers.extend([kind, number(a), number(b)]);
        }
        numbers
    }

    /// The plan that these numbers are; None if they are none.
    pub fn decode(numbers: &[i32]) -> Option<LaunchPlan> {
        let (count, rest) = numbers.split_first()?;
        let first = u32::try_from(*count).ok()?;
        let count = first & ((1 << COUNT_BITS) - 1);
        let (dims, rest) = rest.split_at_checked(2 * count as usize)?;
        let (bindings, []) = rest.as_chunks() else {
            return None;
        };
        Some(LaunchPlan {
            block_dim: first >> COUNT_BITS,
            dims: dims.as_chunks().0.iter().map(dim).collect::<Option<_>>()?,
            bindings: bindings.iter().map(binding).collect::<Option<_>>()?,
        })
    }
}

/// A place in a list that is far shorter than an int32 can say.
fn number(place: usize) -> i32 {
    i32::try_from(place).expect("lists of parameters and their bytes are short")
}

fn dim([kind, number]: &[i32; 2]) -> Option<Dim> {
    Some(match kind {
        0 => Dim::Fixed(*number),
        _ => Dim::Of {
            param: usize::try_from(kind - 1).ok()?,
            dim: usize::try_from(*number).ok()?,
        },
    })
}

fn binding([kind, a, b]: &[i32; 3]) -> Option<BufferBinding> {
    let (a, b) = (usize::try_from(*a).ok()?, usize::try_from(*b).ok()?);
    Some(match kind {
        0 => BufferBinding::Value(a),
        1 => BufferBinding::Given(a),
        2 => BufferBinding::Read(a),
        3 => BufferBinding::Out(a),
        4 => BufferBinding::Copy { arg: a, ret: b },
        5 => BufferBinding::Stand(a),
        6 => BufferBinding::Absent(a),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{BufferBinding, Dim, LaunchPlan};

    #[test]
    fn plans_come_back() {
        let plan = LaunchPlan {
            block_dim: 1024,
            dims: vec![Dim::Fixed(7), Dim::Of { param: 0, dim: 3 }],
            bindings: vec![
                BufferBinding::Value(8),
                BufferBinding::Given(0),
                BufferBinding::Read(1),
                BufferBinding::Out(2),
                BufferBinding::Copy { arg: 3, ret: 1 },
                BufferBinding::Stand(2),
                BufferBinding::Absent(4),
            ],
        };
        assert_eq!(LaunchPlan::decode(&plan.encode()), Some(plan));
    }

    #[test]
    fn kept_programs_hold_these_numbers() {
        let numbers = [2, 0, 7, 1, 3, 2, 1, 0, 4, 0, 1];
        let mut plan = LaunchPlan {
            block_dim: 0,
            dims: vec![Dim::Fixed(7), Dim::Of { param: 0, dim: 3 }],
            bindings: vec![
                BufferBinding::Read(1),
                BufferBinding::Copy { arg: 0, ret: 1 },
            ],
        };
        assert_eq!(plan.encode(), numbers);
        assert_eq!(LaunchPlan::decode(&numbers), Some(plan.clone()));
        plan.block_dim = 64;
        assert_eq!(plan.encode()[0], 64 << 8 | 2);
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        let none: &[&[i32]] = &[
            &[],
            &[-1],
            &[1, 0],
            &[0, 1],
            &[i32::MAX, 0, 0],
            &[1, -1, 0],
            &[1, 1, -1],
            &[0, 9, 0, 0],
            &[0, 2, -1, 0],
            &[0, 4, 0, -1],
        ];
        for numbers in none {
            assert!(LaunchPlan::decode(numbers).is_none(), "{numbers:?}");
        }
    }
}
