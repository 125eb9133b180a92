//! Queries of meshes: the interpreter, code for one thread at a time and code for lanes agree in all bits.

use crate::hash_grid::random;
use proptest::test_runner::{RngAlgorithm, TestRng};
use tests::native::{Kernel, Layout};
use warp_core::device::{Device, Stream};
use warp_core::dtype::Scalar;
use warp_core::front::{self, SourceText, StaticScope};
use warp_core::geometry::{Mesh, MeshPlaces, Surface, search_by_id};
use warp_core::interp::{Arg, Memory, Num, Object, Searches, run};
use warp_core::ir::ObjectKind;
use warp_core::lower::{Lanes, Options};
use warp_core::objects;
use warp_core::ty::Elem;

/// Faces only: that of points, and of vectors, is tested where there are arrays.
const KERNEL: &str = "
def k(mesh: wp.uint64, a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), r: wp.array(dtype=float), out: wp.array(dtype=int), count: wp.array(dtype=int)):
    i = wp.tid()
    found = wp.mesh_query_ray_count_intersections(mesh, a[i], b[i])
    if i % 3 != 0:
        found = 10 * found + wp.where(wp.mesh_query_ray_anyhit(mesh, a[i], b[i], r[i]), 1, 2)
    sum = int(0)
    for f in wp.mesh_query_aabb(mesh, a[i], a[i] + b[i]):
        sum = 31 * sum + f
    out[i] = found
    count[i] = sum
";

#[test]
fn lanes_find_what_single_threads_find() {
    let source = SourceText {
        name: "k".into(),
        file: "k.py".into(),
        first_line: 1,
        text: KERNEL.trim_start().into(),
    };
    let built = front::build(source, &StaticScope::new(), front::Reading::default());
    let func = built.unwrap_or_else(|e| panic!("{e}")).func;
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let points: Vec<f32> = (0..300).map(|_| random(&mut rng, 2.0) as f32).collect();
    let indices: Vec<i32> = (0..240).map(|k| k * 7 % 100).collect();
    let surface = Surface {
        places: MeshPlaces {
            points: points.as_ptr() as u64,
            velocities: 0,
            indices: indices.as_ptr() as u64,
        },
        points: points.as_ptr(),
        point_count: 100,
        points_gradient: 0,
        velocities_gradient: 0,
        indices: indices.as_ptr(),
        faces: 80,
        groups: None,
    };
    let mesh = Mesh::new(80, false, Device::Cpu).expect("a mesh");
    // SAFETY: as many as there are.
    unsafe { mesh.build(&surface, Box::new(()), Stream::default_of(Device::Cpu)) }.expect("builds");

    let n = 61;
    let mut memory = Memory::default();
    let each = objects::copies().into_iter();
    memory.objects = each
        .map(|(kind, id, bytes)| Object {
            kind,
            id,
            bytes,
            search: (kind == ObjectKind::Mesh).then_some(Searches(search_by_id)),
        })
        .collect();
    let vec3 = Elem::Vec {
        len: 3,
        scalar: Scalar::F32,
    };
    let mut numbers = |count: usize, scale| -> Vec<f64> {
        let one = |_| f64::from(random(&mut rng, scale) as f32);
        (0..count).map(one).collect()
    };
    let (a, b, r) = (numbers(3 * 61, 3.0), numbers(3 * 61, 2.0), numbers(61, 4.0));
    let int = Elem::Scalar(Scalar::I32);
    let args = [
        Arg::Elem(vec![Num::Int(mesh.id() as i64)]),
        memory.floats(vec3, &[n], &a),
        memory.floats(vec3, &[n], &b),
        memory.floats(Elem::Scalar(Scalar::F32), &[n], &r),
        memory.ints(int, &[n], &[0; 61]),
        memory.ints(int, &[n], &[0; 61]),
    ];
    let mut right = memory.clone();
    run(&func, &[n], &args, &mut right).expect("the interpreter runs it");
    assert!(right.buffers[3].data.iter().any(|x| x.int() > 20));
    assert!(right.buffers[4].data.iter().any(|x| x.int() != 0));
    for lanes in [
        Lanes::Never,
        Lanes::Auto,
        Lanes::Groups(4),
        Lanes::Groups(16),
    ] {
        let options = Options {
            lanes,
            ..Options::default()
        };
        let native = Kernel::of(func.clone(), &options);
        let mut found = memory.clone();
        (native.run(&[n], &args, &mut found, Layout::Dense, &[])).expect("no fault");
        assert_eq!(found.buffers, right.buffers, "{lanes:?}");
    }
}
