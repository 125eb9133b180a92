//! Rotations: ways from one form to another, and what holds for any of them.

use super::program::{derivatives, finish, program, weight};
use super::run;
use super::samples::{Random, close};
use warp_core::builtins;
use warp_core::dtype::Scalar;
use warp_core::ty::{Compound, Elem};

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

const QUAT: Elem = Elem::Compound(Compound::Quat, Scalar::F64);

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
