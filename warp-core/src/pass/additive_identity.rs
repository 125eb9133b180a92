//! Drops sums with zero.
//!
//! `x + 0.0` is x, but for x = -0.0, of which it makes 0.0. So a sum with zero may go where nobody can tell the two apart: a sum
//! with anything but -0.0 cannot, and a product can only if somebody can tell its own zeros apart. Sums that start at zero, and
//! to which a square is added at some time, are the most frequent case.

use crate::dtype::Scalar;
use crate::ir::{Block, Const, Func, Kind, Op, Value};

/// Drops the sums with zero of whose result nobody can tell whether a zero is -0.0.
pub fn fold_zero_sums(func: &mut Func) {
    let mut pass = Pass {
        never: vec![false; func.values.len()],
        told: vec![false; func.values.len()],
        zero: vec![false; func.values.len()],
        same: (0..func.values.len() as u32).map(Value).collect(),
        any: false,
    };
    func.blocks()
        .for_each(|block| pass.find(&func.values, block));
    if !pass.any {
        return;
    }
    func.blocks().for_each(|block| pass.ask(block));
    func.blocks_mut().for_each(|block| pass.drop(block));
}

struct Pass {
    /// Values that are never -0.0, whether sums with zero stay or go.
    never: Vec<bool>,
    /// Values of which somebody can tell whether they are 0.0 or -0.0.
    told: Vec<bool>,
    /// Constants that are 0.0.
    zero: Vec<bool>,
    /// What each value is replaced by.
    same: Vec<Value>,
    /// Whether there is a sum with zero.
    any: bool,
}

impl Pass {
    /// The other term of a sum with zero.
    fn term(&self, op: Op, args: &[Value]) -> Option<Value> {
        match (op, args) {
            (Op::Add, [a, b]) if self.zero[b.0 as usize] => Some(*a),
            (Op::Add, [a, b]) if self.zero[a.0 as usize] => Some(*b),
            _ => None,
        }
    }

    fn find(&mut self, types: &[Scalar], block: &Block) {
        for stmt in &block.stmts {
            if let Kind::Let { out, op, args } = &stmt.kind
                && types[out.0 as usize].is_float()
            {
                self.zero[out.0 as usize] = match op {
                    Op::Const(Const::Float(x)) => *x == 0.0 && x.is_sign_positive(),
                    _ => false,
                };
                let term = self.term(*op, args);
                self.any |= term.is_some();
                let never = |v: Value| self.never[v.0 as usize];
                self.never[out.0 as usize] = match (op, &args[..]) {
                    (Op::Const(Const::Float(x)), _) => *x != 0.0 || x.is_sign_positive(),
                    (Op::Cast, [a]) => !types[a.0 as usize].is_float(),
                    (Op::Abs, _) => true,
                    (Op::Mul, [a, b]) => a == b,
                    // As the term alone, if the sum goes.
                    (Op::Add, [a, b]) => match term {
                        Some(term) => never(term),
                        None => never(*a) || never(*b),
                    },
                    (Op::Sub, [a, _]) => never(*a),
                    (Op::Select, [_, a, b]) => never(*a) && never(*b),
                    _ => false,
                };
            }
            for inner in stmt.kind.blocks() {
                self.find(types, inner);
            }
        }
    }

    /// Goes from the last statement to the first, so that all uses of a value come before it.
    fn ask(&mut self, block: &Block) {
        for result in &block.results {
            self.told[result.0 as usize] = true;
        }
        for stmt in block.stmts.iter().rev() {
            for inner in stmt.kind.blocks() {
                self.ask(inner);
            }
            let Kind::Let { out, op, args } = &stmt.kind else {
                stmt.kind.uses(|v| self.told[v.0 as usize] = true);
                continue;
            };
            let told = self.told[out.0 as usize];
            let never = |v: &Value| self.never[v.0 as usize];
            let tells: [bool; 3] = match (op, &args[..]) {
                (Op::Add, [a, b]) => [told && !never(b), told && !never(a), false],
                (Op::Sub, [a, _]) => [told, told && !never(a), false],
                (Op::Mul | Op::Select | Op::Neg, _) => [told; 3],
                (Op::Div, _) => [told, true, true],
                (Op::Abs | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne, _) => [false; 3],
                _ => [true; 3],
            };
            for (k, arg) in args.iter().enumerate() {
                self.told[arg.0 as usize] |= tells.get(k).copied().unwrap_or(true);
            }
        }
    }

    fn drop(&mut self, block: &mut Block) {
        block.stmts.retain_mut(|stmt| {
            // Asked before the arguments are replaced: `find` took a sum whose zero is itself a sum of zeros for one that stays, and
            // what uses it counts on that.
            if let Kind::Let { out, op, args } = &stmt.kind
                && !self.told[out.0 as usize]
                && let Some(term) = self.term(*op, args)
            {
                self.same[out.0 as usize] = self.same[term.0 as usize];
                return false;
            }
            stmt.kind.uses_mut(|v| *v = self.same[v.0 as usize]);
            for inner in stmt.kind.blocks_mut() {
                self.drop(inner);
            }
            true
        });
        for result in &mut block.results {
            *result = self.same[result.0 as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fold_zero_sums;
    use crate::dtype::Scalar;
    use crate::interp::{Memory, run};
    use crate::ir::{Func, read};
    use crate::ty::Elem;
    use proptest::prelude::*;
    use std::fmt::Write;

    /// What a thread computes of three numbers `%2`, `%3` and `%4`, of 0.0 as `%5`, of -0.0 as `%6` and 1.0 as `%7`.
    fn kernel(body: &str) -> Func {
        let mut head = "  %0:int32 = tid 0\n  %1:int32 = const 3\n".to_string();
        for k in 0..3 {
            writeln!(head, "  %{}:float32 = load x{k}[%0]", k + 2).unwrap();
        }
        for (k, number) in ["0.0", "-0.0", "1.0"].into_iter().enumerate() {
            writeln!(head, "  %{}:float32 = const {number}", k + 5).unwrap();
        }
        let params: Vec<String> = (0..3)
            .map(|k| format!("x{k}: array<float32, 1>, y{k}: array<float32, 1>"))
            .collect();
        let text = format!("kernel k({}) {{\n{head}{body}}}\n", params.join(", "));
        read(&text).expect("reads")
    }

    fn sums(body: &str) -> usize {
        let mut func = kernel(body);
        fold_zero_sums(&mut func);
        crate::verify::check(&func).expect("still valid");
        func.to_string().matches("= add ").count()
    }

    #[test]
    fn a_sum_of_squares_starts_with_its_first_square() {
        let squares = "\
  %8:float32 = mul %2, %2
  %9:float32 = add %5, %8
  %10:float32 = mul %3, %3
  %11:float32 = add %9, %10
  store y0[%0], %11
";
        assert_eq!(sums(squares), 1);
    }

    #[test]
    fn what_somebody_can_tell_stays() {
        // The sum of two products may be -0.0.
        let products = "\
  %8:float32 = mul %2, %3
  %9:float32 = add %5, %8
  %10:float32 = mul %3, %4
  %11:float32 = add %9, %10
  store y0[%0], %11
";
        assert_eq!(sums(products), 2);
        let quotient = "\
  %8:float32 = add %2, %5
  %9:float32 = div %3, %8
  store y0[%0], %9
";
        assert_eq!(sums(quotient), 1);
    }

    /// One that stays because another goes: each makes the other's zeros the same.
    #[test]
    fn two_sums_that_answer_for_each_other_stay() {
        let both = "\
  %8:float32 = add %2, %5
  %9:float32 = add %3, %5
  %10:float32 = add %8, %9
  store y0[%0], %10
";
        assert_eq!(sums(both), 3);
    }

    /// Once the sum of zeros is gone, the sum after it is one with zero too: it stays, since the last sum counts on it.
    #[test]
    fn a_sum_with_a_sum_of_zeros_stays() {
        let zero = "\
  %8:float32 = add %5, %5
  %9:float32 = add %2, %8
  %10:float32 = add %9, %9
  store y0[%0], %10
";
        assert_eq!(sums(zero), 2);
    }

    /// The operation, and its arguments among the values so far.
    fn steps() -> impl Strategy<Value = Vec<(usize, [prop::sample::Index; 2])>> {
        let args = [any::<prop::sample::Index>(), any::<prop::sample::Index>()];
        prop::collection::vec((0..8_usize, args), 1..24)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bit_changes(steps in steps()) {
            let mut body = String::new();
            for (k, (op, args)) in steps.iter().enumerate() {
                let out = k + 8;
                // Each step may use any number before it; `%0` and `%1` are integers.
                let [a, b] = args.map(|arg| 2 + arg.index(out - 2));
                let text = match op {
                    0 | 1 => format!("add %{a}, %5"),
                    2 | 3 => format!("add %{a}, %{b}"),
                    4 => format!("mul %{a}, %{b}"),
                    5 => format!("mul %{a}, %{a}"),
                    6 => format!("sub %{a}, %{b}"),
                    _ => format!("abs %{a}"),
                };
                writeln!(body, "  %{out}:float32 = {text}").unwrap();
            }
            let last = steps.len() + 7;
            for k in 0..3 {
                writeln!(body, "  store y{k}[%0], %{}", (last - k).max(2)).unwrap();
            }
            let func = kernel(&body);
            let mut after = func.clone();
            fold_zero_sums(&mut after);
            crate::verify::check(&after).expect("still valid");
            let numbers = [0.0, -0.0, 1.0, -1.0, f64::INFINITY];
            let n = numbers.len();
            let all = n * n * n;
            let mut memory = Memory::default();
            let mut args = Vec::new();
            for k in 0..3 {
                let of = |i: usize| numbers[i / n.pow(k) % n];
                let data: Vec<f64> = (0..all).map(of).collect();
                args.push(memory.floats(Elem::Scalar(Scalar::F32), &[all as i32], &data));
                args.push(memory.floats(Elem::Scalar(Scalar::F32), &[all as i32], &vec![0.0; all]));
            }
            let mut found = memory.clone();
            run(&func, &[all as i32], &args, &mut memory).expect("runs");
            run(&after, &[all as i32], &args, &mut found).expect("runs");
            for arg in &args {
                for (wanted, found) in memory.read(arg).into_iter().zip(found.read(arg)) {
                    prop_assert!(
                        wanted.to_bits() == found.to_bits() || wanted.is_nan() && found.is_nan(),
                        "{wanted:?} became {found:?} in\n{func}of which was made\n{after}"
                    );
                }
            }
        }
    }
}
