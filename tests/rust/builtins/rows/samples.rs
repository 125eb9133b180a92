//! Arguments for the calls of a row: their types and their values.

use warp_core::builtins::sig::{self, Pattern, ScalarPat, Size};
use warp_core::builtins::{self, Overload, Row};
use warp_core::dtype::Scalar;
use warp_core::interp::{self, Memory, Num};
use warp_core::ir::primitive::Reference;
use warp_core::ty::Elem;

/// Small, fast, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    pub(super) fn within(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// What the variables of a signature stand for in one test.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub float: Scalar,
    pub number: Scalar,
    pub elem: Shape,
}

#[derive(Clone, Copy, Debug)]
pub enum Shape {
    One,
    Three,
    TwoByTwo,
}

impl Choice {
    fn scalar(self, pat: ScalarPat) -> Scalar {
        match pat {
            ScalarPat::Exactly(s) => s,
            ScalarPat::Var(b'F' | b'G') => self.float,
            ScalarPat::Var(b'S' | b'T') => self.number,
            ScalarPat::Var(_) => Scalar::I32,
        }
    }
    fn elem(self, pattern: Pattern) -> Elem {
        let size = |size| match size {
            Size::Exactly(n) => n,
            Size::Var(b'M') => 2,
            Size::Var(b'N') => 3,
            Size::Var(_) => 4,
        };
        match pattern {
            Pattern::Scalar(s) => Elem::Scalar(self.scalar(s)),
            Pattern::Vec(n, s) => Elem::Vec {
                len: size(n),
                scalar: self.scalar(s),
            },
            Pattern::Mat(r, c, s) => Elem::Mat {
                rows: size(r),
                cols: size(c),
                scalar: self.scalar(s),
            },
            Pattern::Compound(compound, s) => Elem::Compound(compound, self.scalar(s)),
            Pattern::Elem(_, s) => {
                let scalar = match s {
                    ScalarPat::Var(b'E') => self.float,
                    other => self.scalar(other),
                };
                match self.elem {
                    Shape::One => Elem::Scalar(scalar),
                    Shape::Three => Elem::Vec { len: 3, scalar },
                    Shape::TwoByTwo => Elem::Mat {
                        rows: 2,
                        cols: 2,
                        scalar,
                    },
                }
            }
            other => panic!("{other:?} cannot be sampled: exempt the row"),
        }
    }
}

/// Types of the arguments of a call: every parameter, and one more of a variadic one.
pub fn arguments(overload: &Overload, choice: Choice) -> Vec<Elem> {
    let params = sig::parse(overload.sig);
    params.iter().map(|p| choice.elem(p.pattern)).collect()
}

/// The choices that make a difference to a signature.
pub(super) fn choices(overload: &Overload) -> Vec<Choice> {
    let shapes = match overload.sig.contains(": E") {
        true => vec![Shape::One, Shape::Three, Shape::TwoByTwo],
        false => vec![Shape::One],
    };
    let generic = overload.sig.contains('S');
    let mut out = Vec::new();
    for elem in shapes {
        for number in [Scalar::F64, Scalar::I32] {
            if number == Scalar::F64 || generic {
                out.push(Choice {
                    float: Scalar::F64,
                    number,
                    elem,
                });
            }
        }
    }
    out
}

/// Memory for the results, and all arguments of a kernel: numbers are rounded to their types.
pub fn given(results: usize, args: &[Elem], x: &[f64]) -> (Memory, Vec<interp::Arg>) {
    let mut memory = Memory::default();
    let zeros = vec![0.0; results];
    let out = memory.floats(Elem::Scalar(Scalar::F64), &[results as i32], &zeros);
    let mut all = vec![out];
    let mut at = 0;
    for elem in args {
        let scalar = elem.scalar();
        let nums = x[at..at + elem.count()]
            .iter()
            .map(|x| match scalar.is_float() {
                true => Num::Float(scalar.round(*x)),
                false => Num::Int(*x as i64),
            });
        all.push(interp::Arg::Elem(nums.collect()));
        at += elem.count();
    }
    (memory, all)
}

pub fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    found == expected || (found - expected).abs() <= tolerance * expected.abs().max(1.0)
}

pub fn sample(random: &mut Random, overload: &Overload, args: &[Elem]) -> Vec<f64> {
    let mut out = Vec::new();
    for (i, elem) in args.iter().enumerate() {
        let domain = overload.facts.domain;
        let interval = domain[i.min(domain.len() - 1)];
        for _ in 0..elem.count() {
            let x = random.within(interval);
            out.push(if elem.scalar().is_float() {
                x
            } else {
                x.round()
            });
        }
    }
    out
}

pub(super) fn is_exempt(overload: &Overload) -> bool {
    matches!(overload.facts.reference, Reference::Exempt(_))
}

/// Every overload that values can test.
pub fn each_overload(mut f: impl FnMut(&Row, &Overload)) {
    for row in builtins::rows() {
        row.overloads
            .iter()
            .filter(|o| !is_exempt(o))
            .for_each(|o| f(row, o));
    }
}

/// Overloads that are integer by their facts get integer arguments only.
pub(super) fn each(mut f: impl FnMut(&Row, &Overload, &[Elem])) {
    each_overload(|row, overload| {
        for choice in choices(overload) {
            // Integer references have one result.
            let int = matches!(overload.facts.reference, Reference::IsInt(_));
            if !int || matches!(choice.elem, Shape::One) {
                f(row, overload, &arguments(overload, choice));
            }
        }
    });
}
