//! What is asked of a launch before it takes a body: numbers that are computed once of its arguments, and conditions on them.
//!
//! On the CPU the entry point computes them, since it is called once for thousands of threads. On a GPU each thread runs the entry
//! point, so there the host does before it launches ([`Conditions::hold`]), and the entry point sees a flag.

use crate::dtype::{Scalar, TABLE};
use crate::lower::emit::text::{Text, ins, memory, read};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt::Write;

/// A number, as i64, or a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// Known when the kernel is compiled.
    Known(i64),
    /// What a step gives.
    Step(u32),
}

/// How a step makes a number or a condition of two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum How {
    /// A sum, which may wrap.
    Add,
    /// A difference, which may wrap.
    Sub,
    /// A product, which may wrap.
    Mul,
    /// The bits that both have.
    And,
    /// The bits that one of the two has.
    Or,
    /// A quotient, rounded towards zero, by a known number that is greater than 0.
    Div,
    /// They are equal.
    Equal,
    /// The first is less.
    Less,
    /// The first is not greater.
    AtMost,
    /// The first is not greater, without signs.
    AtMostUnsigned,
    /// One of two conditions holds.
    Either,
}

/// By number.
const HOW: [How; 11] = [
    How::Add,
    How::Sub,
    How::Mul,
    How::And,
    How::Or,
    How::Div,
    How::Equal,
    How::Less,
    How::AtMost,
    How::AtMostUnsigned,
    How::Either,
];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    /// From the argument block, at an offset.
    Argument(Scalar, u32),
    /// The launch's flags.
    Flags,
    Of(How, Term, Term),
    /// One of two numbers, by a condition.
    Select(Term, Term, Term),
}

/// Numbers and conditions, in the order in which they are computed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    steps: Vec<Step>,
    known: HashMap<Step, u32>,
    /// Those that must hold.
    required: Vec<u32>,
}

impl Conditions {
    fn step(&mut self, step: Step) -> Term {
        let next = self.steps.len() as u32;
        let at = *self.known.entry(step).or_insert(next);
        if at == next {
            self.steps.push(step);
        }
        Term::Step(at)
    }

    /// Something from the argument block.
    pub fn argument(&mut self, ty: Scalar, offset: usize) -> Term {
        self.step(Step::Argument(ty, offset as u32))
    }

    /// The launch's flags, [`crate::abi::flag`].
    pub fn flags(&mut self) -> Term {
        self.step(Step::Flags)
    }

    /// A number or a condition of two.
    pub fn of(&mut self, how: How, a: Term, b: Term) -> Term {
        self.step(Step::Of(how, a, b))
    }

    /// One of two numbers.
    pub fn select(&mut self, condition: Term, a: Term, b: Term) -> Term {
        self.step(Step::Select(condition, a, b))
    }

    /// Makes it a requirement that a condition holds.
    pub fn require(&mut self, condition: Term) {
        if let Term::Step(at) = condition
            && !self.required.contains(&at)
        {
            self.required.push(at);
        }
    }

    /// How many are required.
    pub fn required(&self) -> usize {
        self.required.len()
    }

    /// Writes instructions that compute them all; gives the names of the required ones (i1). `flags` reads the launch's flags (i32).
    pub fn write(&self, t: &mut Text, flags: impl Fn(&mut Text) -> String) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let text = |term: Term| match term {
                Term::Known(n) => n.to_string(),
                Term::Step(at) => names[at as usize].clone(),
            };
            let name = match *step {
                Step::Argument(ty, offset) => {
                    let mem = memory(ty);
                    let raw = read(t, mem, offset as usize, ty.size());
                    match ty.bits() {
                        64 => raw,
                        _ if ty.is_signed() => ins!(t, "sext {mem} {raw} to i64"),
                        _ => ins!(t, "zext {mem} {raw} to i64"),
                    }
                }
                Step::Flags => {
                    let flags = flags(t);
                    ins!(t, "zext i32 {flags} to i64")
                }
                Step::Of(how, a, b) => {
                    let what = match how {
                        How::Add => "add i64",
                        How::Sub => "sub i64",
                        How::Mul => "mul i64",
                        How::And => "and i64",
                        How::Or => "or i64",
                        How::Div => "sdiv i64",
                        How::Equal => "icmp eq i64",
                        How::Less => "icmp slt i64",
                        How::AtMost => "icmp sle i64",
                        How::AtMostUnsigned => "icmp ule i64",
                        How::Either => "or i1",
                    };
                    ins!(t, "{what} {}, {}", text(a), text(b))
                }
                Step::Select(c, a, b) => {
                    ins!(t, "select i1 {}, i64 {}, i64 {}", text(c), text(a), text(b))
                }
            };
            names.push(name);
        }
        let required = self.required.iter();
        required.map(|at| names[*at as usize].clone()).collect()
    }

    /// Whether all that are required hold, of the arguments in a block and a launch's flags.
    ///
    /// # Safety
    /// The block is that of the kernel for which they were made.
    pub unsafe fn hold(&self, block: *const u8, flags: u32) -> bool {
        let mut found: SmallVec<[i64; 64]> = SmallVec::new();
        for step in &self.steps {
            let value = |term: Term| match term {
                Term::Known(n) => n,
                Term::Step(at) => found[at as usize],
            };
            let number = match *step {
                // SAFETY: promised by the caller.
                Step::Argument(ty, offset) => unsafe { number(ty, block.add(offset as usize)) },
                Step::Flags => flags.into(),
                Step::Of(how, a, b) => {
                    let (a, b) = (value(a), value(b));
                    match how {
                        How::Add => a.wrapping_add(b),
                        How::Sub => a.wrapping_sub(b),
                        How::Mul => a.wrapping_mul(b),
                        How::And => a & b,
                        How::Or | How::Either => a | b,
                        How::Div => a / b,
                        How::Equal => (a == b).into(),
                        How::Less => (a < b).into(),
                        How::AtMost => (a <= b).into(),
                        How::AtMostUnsigned => (a.cast_unsigned() <= b.cast_unsigned()).into(),
                    }
                }
                Step::Select(c, a, b) => match value(c) {
                    0 => value(b),
                    _ => value(a),
                },
            };
            found.push(number);
        }
        self.required.iter().all(|at| found[*at as usize] != 0)
    }

    /// As bytes.
    pub fn encode(&self, to: &mut Vec<u8>) {
        let term = |to: &mut Vec<u8>, term: Term| {
            let (kind, number) = match term {
                Term::Known(n) => (0, n),
                Term::Step(at) => (1, at.into()),
            };
            to.push(kind);
            to.extend(number.to_le_bytes());
        };
        to.extend((self.steps.len() as u32).to_le_bytes());
        for step in &self.steps {
            match *step {
                Step::Argument(ty, offset) => {
                    to.extend([0, ty as u8]);
                    to.extend(offset.to_le_bytes());
                }
                Step::Flags => to.push(1),
                Step::Of(how, a, b) => {
                    to.extend([2, how as u8]);
                    for one in [a, b] {
                        term(to, one);
                    }
                }
                Step::Select(c, a, b) => {
                    to.push(3);
                    for one in [c, a, b] {
                        term(to, one);
                    }
                }
            }
        }
        to.extend((self.required.len() as u32).to_le_bytes());
        for at in &self.required {
            to.extend(at.to_le_bytes());
        }
    }

    /// What [`Conditions::encode`] wrote, which is taken off the bytes; None if it is something else.
    pub fn decode(bytes: &mut &[u8]) -> Option<Conditions> {
        let mut made = Conditions::default();
        for at in 0..u32::from_le_bytes(take(bytes)?) {
            let term = |bytes: &mut &[u8]| {
                let [kind] = take(bytes)?;
                let number = i64::from_le_bytes(take(bytes)?);
                match kind {
                    0 => Some(Term::Known(number)),
                    1 => u32::try_from(number)
                        .ok()
                        .filter(|n| *n < at)
                        .map(Term::Step),
                    _ => None,
                }
            };
            let step = match take(bytes)? {
                [0] => {
                    let [ty] = take(bytes)?;
                    let offset = u32::from_le_bytes(take(bytes)?);
                    Step::Argument(TABLE.get(usize::from(ty))?.scalar, offset)
                }
                [1] => Step::Flags,
                [2] => {
                    let [how] = take(bytes)?;
                    let how = *HOW.get(usize::from(how))?;
                    Step::Of(how, term(bytes)?, term(bytes)?)
                }
                [3] => Step::Select(term(bytes)?, term(bytes)?, term(bytes)?),
                _ => return None,
            };
            made.steps.push(step);
        }
        let required = (0..u32::from_le_bytes(take(bytes)?)).map(|_| {
            let at = u32::from_le_bytes(take(bytes)?);
            ((at as usize) < made.steps.len()).then_some(at)
        });
        made.required = required.collect::<Option<_>>()?;
        Some(made)
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

/// An argument, as i64.
///
/// # Safety
/// One of the type lies there.
unsafe fn number(ty: Scalar, at: *const u8) -> i64 {
    // SAFETY: promised by the caller.
    unsafe {
        match (ty.size(), ty.is_signed()) {
            (1, true) => at.cast::<i8>().read().into(),
            (1, false) => at.read().into(),
            (2, true) => at.cast::<i16>().read().into(),
            (2, false) => at.cast::<u16>().read().into(),
            (4, true) => at.cast::<i32>().read().into(),
            (4, false) => at.cast::<u32>().read().into(),
            _ => at.cast::<i64>().read(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Conditions, HOW, How, Term};
    use crate::dtype::Scalar;

    /// An i32 and a u64 of a block, compared with numbers in every way.
    fn all() -> Conditions {
        let mut c = Conditions::default();
        let n = c.argument(Scalar::I32, 0);
        let m = c.argument(Scalar::U64, 8);
        let less = c.of(How::Less, n, Term::Known(10));
        let one = c.select(less, n, Term::Known(-1));
        let sum = c.of(How::Add, one, m);
        let product = c.of(How::Mul, sum, Term::Known(i64::MAX));
        let rest = c.of(How::And, product, Term::Known(7));
        let rest = c.of(How::Or, rest, Term::Known(1));
        let half = c.of(How::Div, rest, Term::Known(2));
        let gone = c.of(How::Sub, half, rest);
        let small = c.of(How::AtMost, gone, Term::Known(0));
        let same = c.of(How::Equal, n, m);
        let near = c.of(How::AtMostUnsigned, m, Term::Known(5));
        let either = c.of(How::Either, same, near);
        let flags = c.flags();
        let quiet = c.of(How::Equal, flags, Term::Known(0));
        for one in [small, either, quiet] {
            c.require(one);
        }
        c
    }

    fn block(n: i32, m: u64) -> [u64; 2] {
        [u64::from(n.cast_unsigned()), m]
    }

    #[test]
    fn they_hold_or_not() {
        let c = all();
        // SAFETY: the block has what they read.
        let hold = |n, m, flags| unsafe { c.hold(block(n, m).as_ptr().cast(), flags) };
        assert!(hold(3, 5, 0) && hold(3, 3, 0) && hold(-7, 2, 0));
        assert!(!hold(3, 5, 2), "the flags");
        assert!(!hold(3, 6, 0), "neither equal nor small");
        assert!(hold(6, 6, 0));
        assert!(!hold(-1, 6, 0), "without signs");
    }

    #[test]
    fn equal_steps_are_one() {
        let mut c = all();
        let (steps, required) = (c.steps.len(), c.required());
        let n = c.argument(Scalar::I32, 0);
        let less = c.of(How::Less, n, Term::Known(10));
        assert_eq!(less, c.of(How::Less, n, Term::Known(10)));
        assert_eq!((c.steps.len(), c.required()), (steps, required));
    }

    #[test]
    fn bytes_and_back() {
        let c = all();
        let mut bytes = Vec::new();
        c.encode(&mut bytes);
        bytes.push(9);
        let mut rest = &bytes[..];
        let back = Conditions::decode(&mut rest).expect("written above");
        assert_eq!(
            (&back.steps, &back.required, rest),
            (&c.steps, &c.required, &[9][..])
        );
        for end in 0..bytes.len() - 1 {
            assert!(Conditions::decode(&mut &bytes[..end]).is_none());
        }
        for (number, how) in HOW.iter().enumerate() {
            assert_eq!(*how as usize, number);
        }
    }
}
