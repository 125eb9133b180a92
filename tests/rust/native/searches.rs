//! Searches of meshes as GPUs do them, in the language of kernels: they find what the searches of the CPU find.

use crate::hash_grid::random;
use proptest::test_runner::{RngAlgorithm, TestRng};
use tests::native::{Kernel, Layout};
use warp_core::device::{Device, Stream};
use warp_core::dtype::Scalar;
use warp_core::front::{self, SourceText, StaticScope};
use warp_core::geometry::{Mesh, MeshPlaces, Surface};
use warp_core::interp::{Arg, Memory, Num};
use warp_core::ir::{Func, Search};
use warp_core::lower::Options;
use warp_core::module::searches;
use warp_core::pass;
use warp_core::ty::Elem;

/// What each query finds, in a row of its own.
const KERNEL: &str = "
def k(mesh: wp.uint64, a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), r: wp.array(dtype=float), out: wp.array2d(dtype=int)):
    i = wp.tid()
    p = a[i]
    out[0, i] = wp.mesh_query_point_no_sign(mesh, p, r[i]).face
    out[1, i] = wp.mesh_query_furthest_point_no_sign(mesh, p, r[i]).face
    out[2, i] = int(wp.mesh_query_point_sign_normal(mesh, p, 100.0).sign)
    out[3, i] = int(wp.mesh_query_point(mesh, p, 100.0).sign)
    out[4, i] = int(wp.mesh_query_point_sign_parity(mesh, p, 100.0, 3, 0.2).sign)
    out[5, i] = int(wp.mesh_query_point_sign_winding_number(mesh, p, 100.0, 2.0, 0.5).sign)
    ray = wp.mesh_query_ray(mesh, p, b[i], r[i])
    out[6, i] = wp.where(ray.result, ray.face, -1)
    out[7, i] = wp.where(wp.mesh_query_ray_anyhit(mesh, p, b[i], r[i], wp.where(i % 2 == 0, -1, 0)), 1, 0)
    out[8, i] = wp.mesh_query_ray_count_intersections(mesh, p, b[i], wp.where(i % 2 == 0, 0, -1))
    ball = int(0)
    for face in wp.mesh_query_sphere(mesh, p, r[i]):
        ball = 31 * ball + face + 1
    out[9, i] = ball
";

const ROWS: i32 = 10;
const PLACES: i32 = 96;

/// A coordinate: one of a few in a third of all cases, so that much lies on edges and corners.
fn coordinate(rng: &mut TestRng, scale: f64) -> f32 {
    match random(rng, 1.0) {
        x if x < -0.3 => (random(rng, scale)).round() as f32,
        _ => random(rng, scale) as f32,
    }
}

/// The points and faces of a box of so many squares a side, each of two faces.
fn boxed(n: i32) -> (Vec<f32>, Vec<i32>) {
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for d in 0..3 {
        for side in [0, n] {
            for k in 0..n * n {
                let corner = |i: i32, j: i32| {
                    let mut at = [0.0; 3];
                    let place = |x: i32| 2.0 * x as f32 / n as f32 - 1.0;
                    (at[d], at[(d + 1) % 3], at[(d + 2) % 3]) = (place(side), place(i), place(j));
                    at
                };
                let (i, j) = (k / n, k % n);
                let first = (points.len() / 3) as i32;
                let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                points.extend(corners.iter().flat_map(|(i, j)| corner(*i, *j)));
                let turned = if side == 0 {
                    [0, 2, 1, 0, 3, 2]
                } else {
                    [0, 1, 2, 0, 2, 3]
                };
                faces.extend(turned.map(|at| first + at));
            }
        }
    }
    (points, faces)
}

#[test]
fn functions_find_what_the_cpu_finds() {
    let source = SourceText {
        name: "k".into(),
        file: "k.py".into(),
        first_line: 1,
        text: KERNEL.trim_start().into(),
    };
    let built = front::build(source, &StaticScope::new(), front::Reading::default());
    let func = pass::front(built.unwrap_or_else(|e| panic!("{e}")).func).expect("verifies");
    let called = pass::without_searches(&func, &searches::body).expect("has functions");
    assert_eq!(called.callees.len(), Search::ALL.len());
    let text = called.to_string();
    let read = warp_core::ir::read(&text).expect("is text that can be read");
    assert_eq!(read.to_string(), text);
    let kernels = [func.clone().into_func(), called.into_owned().into_func()];
    let kernels = kernels.map(|func: Func| Kernel::of(func, &Options::default()));
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    for round in 0..24 {
        let (mut points, mut faces) = boxed(1 + round % 4);
        if round % 2 == 1 {
            points = (0..180).map(|_| coordinate(&mut rng, 3.0)).collect();
            let count = [0, 1, 7, 90][(round / 2) as usize % 4];
            faces = (0..3 * count)
                .map(|_| random(&mut rng, 30.0).abs() as i32)
                .collect();
        }
        if round % 8 == 5 {
            points[4] = f32::NAN;
            points[9] = f32::INFINITY;
        }
        check(&kernels, &points, &faces, &mut rng, round);
    }
}

fn check(kernels: &[Kernel; 2], points: &[f32], faces: &[i32], rng: &mut TestRng, round: i32) {
    let surface = Surface {
        places: MeshPlaces {
            points: points.as_ptr() as u64,
            velocities: 0,
            indices: faces.as_ptr() as u64,
        },
        points: points.as_ptr(),
        point_count: points.len() / 3,
        points_gradient: 0,
        velocities_gradient: 0,
        indices: faces.as_ptr(),
        faces: faces.len() / 3,
        groups: None,
    };
    let mesh = Mesh::new(faces.len() / 3, round % 3 != 0, Device::Cpu).expect("a mesh");
    // SAFETY: as many as there are.
    unsafe { mesh.build(&surface, Box::new(()), Stream::default_of(Device::Cpu)) }.expect("builds");
    let n = PLACES as usize;
    let mut numbers = |count: usize, scale: f64| -> Vec<f64> {
        (0..count)
            .map(|_| f64::from(coordinate(rng, scale)))
            .collect()
    };
    let (mut a, b, r) = (numbers(3 * n, 3.0), numbers(3 * n, 2.0), numbers(n, 5.0));
    (a[0], a[4]) = (f64::NAN, f64::INFINITY);
    let vec3 = Elem::Vec {
        len: 3,
        scalar: Scalar::F32,
    };
    let mut memory = Memory::default();
    let args = [
        Arg::Elem(vec![Num::Int(mesh.id() as i64)]),
        memory.floats(vec3, &[PLACES], &a),
        memory.floats(vec3, &[PLACES], &b),
        memory.floats(Elem::Scalar(Scalar::F32), &[PLACES], &r),
        memory.ints(
            Elem::Scalar(Scalar::I32),
            &[ROWS, PLACES],
            &vec![0; (ROWS * PLACES) as usize],
        ),
    ];
    let [right, found] = [0, 1].map(|k: usize| {
        let mut memory = memory.clone();
        let ran = kernels[k].run(&[PLACES], &args, &mut memory, Layout::Dense, &[]);
        ran.expect("no fault");
        let ints = memory.buffers[3].data.iter().map(|x| x.int());
        ints.collect::<Vec<_>>()
    });
    for (at, (right, found)) in right.iter().zip(&found).enumerate() {
        let (row, i) = (at / n, at % n);
        let place = [a[3 * i], a[3 * i + 1], a[3 * i + 2]];
        assert_eq!(
            right,
            found,
            "round {round}, row {row}, {place:?} {:?} {} in {points:?} {faces:?}",
            &b[3 * i..3 * i + 3],
            r[i]
        );
    }
    if round % 2 == 0 {
        for row in 0..ROWS as usize {
            let all = &right[row * n..(row + 1) * n];
            assert!(all.iter().any(|x| *x != all[0]), "row {row} tells nothing");
        }
    }
}
