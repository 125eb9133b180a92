//! Every row of the builtin table against its own test facts: values against the reference,
//! gradients and second derivatives against central differences.

use std::collections::HashMap;
use warp_core::builtins::sig::{self, Pattern, ScalarPat, Size};
use warp_core::builtins::{self, Arg, Overload, Row, Tree};
use warp_core::dtype::Scalar;
use warp_core::factor;
use warp_core::interp::{self, Memory, Num};
use warp_core::ir::primitive::{Reference, adjoint};
use warp_core::ir::{
    Builder, Comp, ExprBuilder, Func, Intrinsic, Kind, Op, PRIMITIVES, ParamId, ParamType, Place,
    Value,
};
use warp_core::span::Span;
use warp_core::ty::Elem;
use warp_core::verify;

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
    fn within(&mut self, (low, high): (f64, f64)) -> f64 {
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
            Pattern::Quat(s) => Elem::Quat(self.scalar(s)),
            Pattern::Transform(s) => Elem::Transform(self.scalar(s)),
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
fn choices(overload: &Overload) -> Vec<Choice> {
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

fn flatten(tree: &Tree, into: &mut Vec<Value>) {
    match tree {
        Tree::Elem(x) => into.extend(&x.parts),
        Tree::Tuple(items) => items.iter().for_each(|t| flatten(t, into)),
        other => panic!("a result {other:?} has no components"),
    }
}

/// A kernel that stores the results of one call in `out`, and where its parameters came in.
pub struct Program {
    pub func: Func,
    pub results: usize,
}

const ARRAY: ParamType = ParamType::Array {
    elem: Elem::Scalar(Scalar::F64),
    ndim: 1,
};

fn store(b: &mut Builder, out: ParamId, values: &[Value]) {
    for (i, value) in values.iter().enumerate() {
        let index = b.i32(i as i32);
        let value = b.cast(*value, Scalar::F64);
        let place = Place {
            array: out,
            index: smallvec::smallvec![index],
            comp: Comp::Fixed(0),
        };
        b.store(place, value);
    }
}

/// `out` comes first, so that further parameters can follow.
pub fn program(row: &Row, args: &[Elem]) -> (Builder, Vec<Value>, Vec<Value>) {
    let mut b = Builder::new(row.name);
    b.param("out", ARRAY);
    let mut inputs = Vec::new();
    let mut given = Vec::new();
    for (i, elem) in args.iter().enumerate() {
        let id = b.param(format!("x{i}"), ParamType::Elem(*elem));
        let parts: builtins::Parts = (0..elem.count())
            .map(|c| b.let_(elem.scalar(), Op::Param(id, c as u32), &[]))
            .collect();
        inputs.extend(parts.iter().copied());
        let tree = Tree::Elem(builtins::Operand { elem: *elem, parts });
        given.push(Arg {
            name: None,
            tree,
            span: Span::default(),
        });
    }
    let outcome = row
        .call(&mut b, &given, Span::default())
        .unwrap_or_else(|e| panic!("{}{args:?}: {e}", row.name));
    let mut results = Vec::new();
    flatten(&outcome.result, &mut results);
    (b, inputs, results)
}

pub fn finish(mut b: Builder, results: &[Value]) -> Program {
    store(&mut b, ParamId(0), results);
    let func = b.finish();
    verify::check(&func).unwrap_or_else(|bug| panic!("{bug}\n{func}"));
    Program {
        func,
        results: results.len(),
    }
}

/// The kernel that computes the gradient of `sum(weight[k] * result[k])` by the rows of primitives,
/// and the values of the gradient. Straight-line code only, which is what rows expand to.
pub fn gradient(func: &Func, inputs: &[Value], results: &[Value]) -> (Builder, Vec<Value>) {
    let mut b = Builder::new(format!("{}_adjoint", func.name));
    for param in &func.params {
        b.param(param.name.clone(), param.ty);
    }
    for ty in &func.values {
        b.fresh(*ty);
    }
    let body: Vec<_> = func
        .body
        .stmts
        .iter()
        .filter(|s| !matches!(s.kind, Kind::Store { .. }))
        .collect();
    for stmt in &body {
        b.push(stmt.kind.clone());
    }
    let mut adjoints: HashMap<Value, Value> = HashMap::new();
    for (k, result) in results.iter().enumerate() {
        if b.ty(*result).is_float() {
            let weight = b.number(b.ty(*result), weight(k));
            accumulate(&mut b, &mut adjoints, *result, weight);
        }
    }
    for stmt in body.iter().rev() {
        if let Kind::Intrinsic {
            op: Intrinsic::Factor(of),
            args,
            outs,
        } = &stmt.kind
        {
            let zero = b.number(b.ty(outs[0]), 0.0);
            let ds: Vec<Value> = (outs.iter())
                .map(|out| adjoints.get(out).copied().unwrap_or(zero))
                .collect();
            let parts = factor::adjoint(&mut b, *of, outs, &ds);
            for (arg, part) in args.iter().zip(parts) {
                accumulate(&mut b, &mut adjoints, *arg, part);
            }
            continue;
        }
        let Kind::Let { out, op, args } = &stmt.kind else {
            panic!("rows expand to straight-line code");
        };
        let Some(d) = adjoints.get(out).copied() else {
            continue;
        };
        let parts = adjoint(&ExprBuilder::new(&mut b), *op, args, *out, d);
        assert_eq!(parts.len(), args.len(), "{op:?}");
        for (arg, part) in args.iter().zip(parts) {
            if let Some(part) = part {
                assert_eq!(b.ty(part), b.ty(*arg), "{op:?} gives its argument's type");
                accumulate(&mut b, &mut adjoints, *arg, part);
            }
        }
    }
    let slopes = inputs.iter().map(|x| match adjoints.get(x) {
        Some(value) => *value,
        None => b.number(Scalar::F64, 0.0),
    });
    let slopes = slopes.collect();
    (b, slopes)
}

fn accumulate(b: &mut Builder, adjoints: &mut HashMap<Value, Value>, to: Value, part: Value) {
    let sum = match adjoints.get(&to) {
        Some(before) => b.op(Op::Add, &[*before, part]),
        None => part,
    };
    adjoints.insert(to, sum);
}

fn weight(k: usize) -> f64 {
    1.0 + 0.37 * k as f64
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

fn run(program: &Program, args: &[Elem], x: &[f64]) -> Vec<f64> {
    let (mut memory, all) = given(program.results, args, x);
    interp::run(&program.func, &[1], &all, &mut memory)
        .unwrap_or_else(|fault| panic!("{fault:?}\n{}", program.func));
    memory.read(&all[0])
}

fn weighted(program: &Program, args: &[Elem], x: &[f64]) -> f64 {
    run(program, args, x)
        .iter()
        .enumerate()
        .map(|(k, y)| weight(k) * y)
        .sum()
}

/// Central difference of fourth order; None where two step widths disagree (next to a pole or a
/// kink), so that the difference is no measure.
fn difference(program: &Program, args: &[Elem], x: &[f64], i: usize) -> Option<f64> {
    let estimate = |h: f64| {
        let at = |by: f64| {
            let mut moved = x.to_vec();
            moved[i] += by * h;
            weighted(program, args, &moved)
        };
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
    };
    let h = 2e-4 * x[i].abs().max(1.0);
    let (coarse, fine) = (estimate(h), estimate(0.5 * h));
    close(coarse, fine, 2e-8).then_some(fine)
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

fn check_values(row: &Row, overload: &Overload, args: &[Elem]) {
    let (b, _, results) = program(row, args);
    let ints = results.iter().all(|r| !b.ty(*r).is_float());
    let program = finish(b, &results);
    let mut random = Random(7);
    for _ in 0..40 {
        let x = sample(&mut random, overload, args);
        let expected = match overload.facts.reference {
            Reference::Is(f) => f(&x),
            Reference::IsInt(f) => {
                let x: Vec<i32> = x.iter().map(|x| *x as i32).collect();
                vec![f64::from(f(&x))]
            }
            Reference::Exempt(_) => return,
        };
        let found = run(&program, args, &x);
        let tolerance = if ints { 0.0 } else { 1e-10 };
        let same = found.len() == expected.len()
            && found
                .iter()
                .zip(&expected)
                .all(|(f, e)| close(*f, *e, tolerance));
        assert!(
            same,
            "{}{args:?} at {x:?}: found {found:?}, expected {expected:?}",
            row.name
        );
    }
}

/// The call, its gradient, and the gradient of that: the rules are made of operations with rules.
fn derivatives(row: &Row, args: &[Elem]) -> (Program, Program, Program) {
    let (b, inputs, results) = program(row, args);
    let value = finish(b, &results);
    let (b, slopes) = gradient(&value.func, &inputs, &results);
    let first = finish(b, &slopes);
    let (b, bends) = gradient(&first.func, &inputs, &slopes);
    let second = finish(b, &bends);
    (value, first, second)
}

fn check_slopes(row: &Row, overload: &Overload, args: &[Elem]) {
    let (b, _, results) = program(row, args);
    if !results.iter().any(|r| b.ty(*r).is_float()) {
        return;
    }
    let floats: Vec<bool> = args
        .iter()
        .flat_map(|a| vec![a.scalar().is_float(); a.count()])
        .collect();
    let (value, first, second) = derivatives(row, args);
    let mut random = Random(11);
    let (mut checked, mut skipped) = (0, 0);
    for _ in 0..12 {
        let x = sample(&mut random, overload, args);
        for (program, of, what, tolerance) in [
            (&first, &value, "gradient", 1e-7),
            (&second, &first, "second derivative", 1e-6),
        ] {
            let found = run(program, args, &x);
            for i in (0..x.len()).filter(|i| floats[*i]) {
                let Some(expected) = difference(of, args, &x, i) else {
                    skipped += 1;
                    continue;
                };
                checked += 1;
                assert!(
                    close(found[i], expected, tolerance),
                    "{what} of {}{args:?} by component {i} at {x:?}: found {}, expected {expected}",
                    row.name,
                    found[i],
                );
            }
        }
    }
    assert!(
        skipped * 5 <= checked,
        "{}: {skipped} of {checked} skipped",
        row.name
    );
}

fn is_exempt(overload: &Overload) -> bool {
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
fn each(mut f: impl FnMut(&Row, &Overload, &[Elem])) {
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

#[test]
fn every_row_has_facts() {
    for row in builtins::rows() {
        assert!(
            !row.doc.is_empty() && !row.overloads.is_empty(),
            "{}",
            row.name
        );
        for overload in row.overloads {
            let facts = overload.facts;
            match facts.reference {
                Reference::Exempt(why) => assert!(!why.is_empty(), "{}", row.name),
                _ => assert!(!facts.domain.is_empty(), "{} has no domain", row.name),
            }
        }
    }
}

#[test]
fn every_row_computes_what_its_reference_says() {
    let mut checked = 0;
    each(|row, overload, args| {
        check_values(row, overload, args);
        checked += 1;
    });
    assert!(checked > 100, "only {checked} signatures were checked");
}

#[test]
fn every_row_has_the_gradient_that_differences_show() {
    each(check_slopes);
}

#[test]
fn every_row_expands_for_every_float_type() {
    for row in builtins::rows() {
        for overload in row.overloads.iter().filter(|o| !is_exempt(o)) {
            for float in [Scalar::F16, Scalar::BF16, Scalar::F32] {
                for choice in choices(overload) {
                    let choice = Choice {
                        float,
                        number: float,
                        ..choice
                    };
                    let (b, _, results) = program(row, &arguments(overload, choice));
                    finish(b, &results);
                }
            }
        }
    }
}

#[test]
fn gradients_at_singular_points() {
    let at = |name: &str, elems: &[Elem], x: &[f64]| {
        let (_, first, second) = derivatives(builtins::find(name).expect("a row"), elems);
        let bends = run(&second, elems, x);
        assert!(
            bends.iter().all(|x| !x.is_nan()),
            "{name} at {x:?}: {bends:?}"
        );
        run(&first, elems, x)
    };
    let slopes = |name: &str, elems: &[Elem], x: &[f64]| {
        run(
            &derivatives(builtins::find(name).expect("a row"), elems).1,
            elems,
            x,
        )
    };
    let f = Elem::Scalar(Scalar::F64);
    let v = Elem::Vec {
        len: 3,
        scalar: Scalar::F64,
    };
    assert_eq!(at("length", &[v], &[0.0; 3]), [0.0; 3]);
    assert_eq!(at("normalize", &[v], &[0.0; 3]), [0.0; 3]);
    assert_eq!(at("abs", &[f], &[0.0]), [1.0]);
    assert_eq!(at("pow", &[f, f], &[0.0, 2.0]), [0.0, 0.0]);
    assert_eq!(at("pow", &[f, f], &[-3.0, 2.0]), [-6.0, 0.0]);
    assert_eq!(at("pow", &[f, f], &[0.0, 1.0]), [1.0, 0.0]);
    assert_eq!(at("pow", &[f, f], &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(
        slopes("pow", &[f, f], &[0.0, -1.0]),
        [f64::NEG_INFINITY, 0.0]
    );
    assert_eq!(slopes("asin", &[f], &[1.0]), [f64::INFINITY]);
    assert_eq!(at("atan2", &[f, f], &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(at("min", &[f, f], &[2.0, 2.0]), [1.0, 0.0]);
    assert_eq!(at("max", &[f, f], &[2.0, 2.0]), [1.0, 0.0]);
    let q = Elem::Quat(Scalar::F64);
    assert_eq!(at("normalize", &[q], &[0.0; 4]), [0.0; 4]);
}

/// Calls a row on float64 components.
fn compute(name: &str, elems: &[Elem], x: &[f64]) -> Vec<f64> {
    let (b, _, results) = program(builtins::find(name).expect("a row"), elems);
    run(&finish(b, &results), elems, x)
}

fn all_close(found: &[f64], expected: &[f64]) -> bool {
    found
        .iter()
        .zip(expected)
        .all(|(f, e)| close(*f, *e, 1e-12))
}

const QUAT: Elem = Elem::Quat(Scalar::F64);

fn random_rotation(random: &mut Random) -> Vec<f64> {
    let q: Vec<f64> = (0..4).map(|_| random.within((-1.0, 1.0))).collect();
    compute("normalize", &[QUAT], &q)
}

#[test]
fn rotations_survive_the_way_through_a_matrix() {
    let matrix = Elem::Mat {
        rows: 3,
        cols: 3,
        scalar: Scalar::F64,
    };
    let mut random = Random(3);
    let mut largest = [0; 4];
    for _ in 0..60 {
        let q = random_rotation(&mut random);
        let by_size = |a: &usize, b: &usize| q[*a].abs().total_cmp(&q[*b].abs());
        largest[(0..4).max_by(by_size).expect("four")] += 1;
        let m = compute("quat_to_matrix", &[QUAT], &q);
        let back = compute("quat_from_matrix", &[matrix], &m);
        let opposite: Vec<f64> = back.iter().map(|x| -x).collect();
        assert!(
            all_close(&back, &q) || all_close(&opposite, &q),
            "{q:?} became {back:?}"
        );
    }
    assert!(
        largest.iter().all(|n| *n > 3),
        "each branch is taken: {largest:?}"
    );
}

#[test]
fn rotations_survive_the_way_through_angles() {
    let axis = Elem::Scalar(Scalar::I32);
    let angles = Elem::Vec {
        len: 3,
        scalar: Scalar::F64,
    };
    let mut random = Random(9);
    for sequence in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let axes = sequence.map(f64::from);
        for _ in 0..20 {
            let q = random_rotation(&mut random);
            let given = [&q[..], &axes].concat();
            let e = compute("quat_to_euler", &[QUAT, axis, axis, axis], &given);
            let given = [&e[..], &axes].concat();
            let back = compute("quat_from_euler", &[angles, axis, axis, axis], &given);
            assert!(all_close(&back, &q), "{sequence:?}: {q:?} became {back:?}");
        }
        // A quarter turn about the middle axis: the outer two turn about one axis.
        let mut e = [0.0; 3];
        e[sequence[1] as usize] = std::f64::consts::FRAC_PI_2;
        e[sequence[2] as usize] = -0.3;
        let given = [&e[..], &axes].concat();
        let q = compute("quat_from_euler", &[angles, axis, axis, axis], &given);
        let found = compute(
            "quat_to_euler",
            &[QUAT, axis, axis, axis],
            &[&q[..], &axes].concat(),
        );
        assert!(
            found.iter().zip(&e).all(|(f, e)| close(*f, *e, 1e-7)),
            "{sequence:?}: {e:?} became {found:?}"
        );
    }
}

#[test]
fn the_shortest_rotation_exists_for_any_two_directions() {
    let v = Elem::Vec {
        len: 3,
        scalar: Scalar::F64,
    };
    let between =
        |a: [f64; 3], b: [f64; 3]| compute("quat_between_vectors", &[v, v], &[a, b].concat());
    for (a, b) in [
        ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]),
        ([1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]),
        ([0.0, 3.0, 0.0], [0.0, -1.0, 0.0]),
        ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]),
        ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]),
        ([1.0, 2.0, 3.0], [-1.0, -2.0, -2.9999]),
        ([1.0, 2.0, 3.0], [-1.0, -2.0, -2.999_999_99]),
        ([1.0, 2.0, 3.0], [-1.0, -2.0, -2.999_999_999_99]),
    ] {
        let q = between(a, b);
        let turned = compute("quat_rotate", &[QUAT, v], &[&q[..], &a].concat());
        let (a, b) = (norm(&a), norm(&b));
        let fine = turned
            .iter()
            .zip(&b.1)
            .all(|(t, b)| close(t / a.0, *b, 1e-8));
        assert!(fine, "{q:?} makes {turned:?} of {:?}, not {:?}", a.1, b.1);
    }
    assert_eq!(between([0.0; 3], [1.0, 2.0, 3.0]), [0.0, 0.0, 0.0, 1.0]);
}

/// Length and direction.
fn norm(v: &[f64; 3]) -> (f64, [f64; 3]) {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length, v.map(|x| x / length))
}

#[test]
fn slerp_starts_ends_and_halves() {
    let elems = [QUAT, QUAT, Elem::Scalar(Scalar::F64)];
    let mut random = Random(5);
    for _ in 0..20 {
        let (p, mut q) = (random_rotation(&mut random), random_rotation(&mut random));
        let at = |q: &[f64], t: f64| compute("quat_slerp", &elems, &[&p, q, &[t][..]].concat());
        let cos: f64 = p.iter().zip(&q).map(|(p, q)| p * q).sum();
        let end = at(&q, 1.0);
        // The shorter way leads to the one of q and -q that is nearer.
        q.iter_mut().for_each(|x| *x *= cos.signum());
        assert!(all_close(&end, &q), "{end:?} is not {q:?}");
        assert!(all_close(&at(&q, 0.0), &p));
        let sum: Vec<f64> = p.iter().zip(&q).map(|(p, q)| p + q).collect();
        assert!(all_close(
            &at(&q, 0.5),
            &compute("normalize", &[QUAT], &sum)
        ));
        assert!(all_close(&at(&p, 0.3), &p));
    }
}

#[test]
fn slerp_of_equal_rotations_has_its_gradient() {
    let elems = [QUAT, QUAT, Elem::Scalar(Scalar::F64)];
    let (_, first, _) = derivatives(builtins::find("quat_slerp").expect("a row"), &elems);
    let x = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.25];
    let found = run(&first, &elems, &x);
    // By the vector part of b: a quarter of the weight of the same component.
    for i in 0..3 {
        assert!(close(found[4 + i], 0.25 * weight(i), 1e-12), "{found:?}");
        assert!(close(found[i], 0.75 * weight(i), 1e-12), "{found:?}");
    }
}

/// Operations that rows do not reach, or reach with one type only.
#[test]
fn primitives_without_a_row() {
    let slope = |op: Op, from: Scalar, to: Scalar, x: f64| {
        let mut b = Builder::new("k");
        b.param("out", ARRAY);
        let id = b.param("x", ParamType::Elem(Elem::Scalar(from)));
        let input = b.let_(from, Op::Param(id, 0), &[]);
        let result = b.let_(to, op, &[input]);
        let value = finish(b, &[result]);
        let (mut b, slopes) = gradient(&value.func, &[input], &[result]);
        assert!(from.is_int() || b.ty(slopes[0]) == from, "{op:?}");
        let wide = b.cast(slopes[0], Scalar::F64);
        run(&finish(b, &[wide]), &[Elem::Scalar(from)], &[x])[0]
    };
    let exp2 = slope(Op::Exp2, Scalar::F64, Scalar::F64, 1.5);
    assert!(close(exp2, 1.5f64.exp2() * 2f64.ln(), 1e-12), "{exp2}");
    assert_eq!(slope(Op::Cast, Scalar::F64, Scalar::F32, 0.1), 1.0);
    assert_eq!(slope(Op::Cast, Scalar::F32, Scalar::F64, 0.5), 1.0);
    assert_eq!(slope(Op::Cast, Scalar::I32, Scalar::F64, 2.0), 0.0);
}

/// A rule for an operation that no test here reaches would be a rule nobody has checked.
#[test]
fn rows_reach_every_float_operation() {
    let mut reached: Vec<Op> = vec![Op::Exp2];
    each(|row, _, args| {
        let (b, _, results) = program(row, args);
        let program = finish(b, &results);
        for stmt in &program.func.body.stmts {
            if let Kind::Let { op, .. } = stmt.kind {
                reached.push(op);
            }
        }
    });
    for row in PRIMITIVES {
        let (name, arity) = (row.name, row.rule.arity());
        let float = row.rule.result(&[Scalar::F64, Scalar::F64][..arity]) == Some(Scalar::F64);
        assert!(
            !float || reached.contains(&row.op),
            "no row reaches `{name}`"
        );
    }
}
