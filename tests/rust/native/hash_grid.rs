//! Queries of hash grids: brute force, the interpreter, code for one thread at a time and code for lanes agree in every index.

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::sync::Arc;
use tests::native::{Kernel, Layout};
use warp_core::device::{Device, Stream};
use warp_core::dtype::Scalar;
use warp_core::front::{self, SourceText, StaticScope};
use warp_core::geometry::{HashGrid, Points};
use warp_core::interp::{Arg, Memory, Num, Object, run};
use warp_core::ir::Func;
use warp_core::lower::{Lanes, Options};
use warp_core::objects;
use warp_core::ty::Elem;

/// Adds up what a query finds, in an order that shows: `sum = 31 * sum + index`.
const KERNEL: &str = "
def k(grid: wp.uint64, x: wp.array(dtype=wp.TYPE), r: wp.array(dtype=wp.SCALAR), out: wp.array(dtype=int), count: wp.array(dtype=int)):
    i = wp.tid()
    q = wp.hash_grid_query(grid, x[i], r[i]GROUP)
    j = int(0)
    n = int(0)
    sum = int(0)
    while wp.hash_grid_query_next(q, j):
        sum = 31 * sum + j
        n += 1
    out[i] = sum
    count[i] = n
";

/// The same with `for`, and a `break` and a `continue`.
const FOR: &str = "
def k(grid: wp.uint64, x: wp.array(dtype=wp.TYPE), r: wp.array(dtype=wp.SCALAR), out: wp.array(dtype=int), count: wp.array(dtype=int)):
    i = wp.tid()
    n = int(0)
    sum = int(0)
    for j in wp.hash_grid_query(grid, x[i], r[i]GROUP):
        if j % 7 == 3:
            continue
        if n == 40:
            break
        sum = 31 * sum + j
        n += 1
    out[i] = sum
    count[i] = n
";

fn kernel(text: &str, scalar: Scalar, group: Option<i32>) -> Func {
    let (vector, name) = match scalar {
        Scalar::F16 => ("vec3h", "float16"),
        Scalar::F64 => ("vec3d", "float64"),
        _ => ("vec3", "float32"),
    };
    let group = group.map_or(String::new(), |group| format!(", {group}"));
    let text = (text.replace("TYPE", vector).replace("SCALAR", name)).replace("GROUP", &group);
    let source = SourceText {
        name: "k".into(),
        file: "k.py".into(),
        first_line: 1,
        text: text.trim_start().into(),
    };
    let built = front::build(source, &StaticScope::new(), front::Reading::default());
    built.unwrap_or_else(|e| panic!("{e}")).func
}

struct Scene {
    scalar: Scalar,
    dims: [i64; 3],
    width: f64,
    points: Vec<[f64; 3]>,
    groups: Option<Vec<i32>>,
}

pub fn random(rng: &mut TestRng, scale: f64) -> f64 {
    (f64::from(rng.next_u32()) / f64::from(u32::MAX) - 0.5) * 2.0 * scale
}

impl Scene {
    fn new(rng: &mut TestRng, scalar: Scalar, grouped: bool) -> Scene {
        let dims = [0; 3].map(|_| 1 + i64::from(rng.next_u32() % 7));
        let count = [0, 1, 3, 200, 700][rng.next_u32() as usize % 5];
        let mut points: Vec<[f64; 3]> = (0..count)
            .map(|_| [0; 3].map(|_| scalar.round(random(rng, 8.0))))
            .collect();
        let odd = [f64::NAN, f64::INFINITY, -f64::INFINITY, 3e4, -0.0];
        for (k, point) in points.iter_mut().take(odd.len()).enumerate() {
            point[k % 3] = odd[k];
        }
        let groups = grouped.then(|| {
            (0..count)
                .map(|_| (rng.next_u32() % 4) as i32 - 1)
                .collect()
        });
        let width = [0.5, 1.0, 1.7, 30.0][rng.next_u32() as usize % 4];
        Scene {
            scalar,
            dims,
            width,
            points,
            groups,
        }
    }

    fn grid(&self) -> Arc<HashGrid> {
        let grid = HashGrid::new(self.dims, self.scalar, Device::Cpu).expect("a grid");
        let flat = self.points.iter().flatten();
        let bytes: Vec<u8> = match self.scalar {
            Scalar::F16 => flat
                .flat_map(|x| half::f16::from_f64(*x).to_le_bytes())
                .collect(),
            Scalar::F32 => flat.flat_map(|x| (*x as f32).to_le_bytes()).collect(),
            _ => flat.flat_map(|x| x.to_le_bytes()).collect(),
        };
        let points = Points {
            positions: bytes.as_ptr(),
            count: self.points.len(),
            groups: self.groups.as_ref().map(|g| g.as_ptr()),
        };
        // SAFETY: as many as there are.
        unsafe { grid.build(&points, self.width, Stream::default_of(Device::Cpu)) }
            .expect("builds");
        grid
    }

    fn cell(&self, x: f64) -> i64 {
        let per_width = match self.scalar {
            Scalar::F64 => 1.0 / self.width,
            s => f64::from(1.0 / s.round(self.width) as f32),
        };
        let cell = match self.scalar {
            Scalar::F64 => (x * per_width).floor(),
            _ => f64::from((x as f32 * per_width as f32).floor()),
        };
        match cell.is_nan() {
            true => 0,
            false => cell.clamp(-f64::from(1 << 29), f64::from(1 << 29)) as i64,
        }
    }

    /// What a query finds, without order.
    fn found(&self, at: [f64; 3], reach: f64, group: Option<i32>) -> Vec<i32> {
        let sum = |a: f64, b: f64| match self.scalar {
            Scalar::F64 => a + b,
            _ => f64::from(a as f32 + b as f32),
        };
        let meets = |p: &[f64; 3]| {
            (0..3).all(|d| {
                let (low, high) = (self.cell(sum(at[d], -reach)), self.cell(sum(at[d], reach)));
                let (cell, dim) = (self.cell(p[d]), self.dims[d]);
                let last = high.min(low + dim - 1);
                (low..=last).any(|c| c.rem_euclid(dim) == cell.rem_euclid(dim))
            })
        };
        let in_group = |i: usize| match (group, &self.groups) {
            (Some(group), Some(groups)) => groups[i] == group,
            _ => true,
        };
        let all = self.points.iter().enumerate();
        let found = all.filter(|(i, p)| in_group(*i) && meets(p));
        found.map(|(i, _)| i as i32).collect()
    }
}

#[test]
fn queries_find_what_brute_force_finds() {
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    for round in 0..12 {
        let scalar = [Scalar::F32, Scalar::F64, Scalar::F16][round % 3];
        let scene = Scene::new(&mut rng, scalar, round % 2 == 1);
        let group = [None, Some(1)][(round / 2) % 2];
        let grid = scene.grid();
        let at: Vec<[f64; 3]> = (0..40)
            .map(|_| [0; 3].map(|_| scalar.round(random(&mut rng, 9.0))))
            .chain([[f64::NAN; 3], [1e4, -1e4, f64::INFINITY]])
            .collect();
        let reach: Vec<f64> = (at.iter().enumerate())
            .map(|(k, _)| scalar.round([scene.width, 0.0, 2.5 * scene.width, -1.0][k % 4]))
            .collect();
        check(&scene, &grid, &at, &reach, group);
    }
}

fn check(scene: &Scene, grid: &HashGrid, at: &[[f64; 3]], reach: &[f64], group: Option<i32>) {
    let (n, scalar) = (at.len() as i32, scene.scalar);
    let mut memory = Memory::default();
    let each = objects::copies().into_iter();
    memory.objects = each
        .map(|(kind, id, bytes)| Object {
            kind,
            id,
            bytes,
            search: None,
        })
        .collect();
    let flat: Vec<f64> = at.iter().flatten().copied().collect();
    let args = [
        Arg::Elem(vec![Num::Int(grid.id() as i64)]),
        memory.floats(Elem::Vec { len: 3, scalar }, &[n], &flat),
        memory.floats(Elem::Scalar(scalar), &[n], reach),
        memory.ints(Elem::Scalar(Scalar::I32), &[n], &vec![0; at.len()]),
        memory.ints(Elem::Scalar(Scalar::I32), &[n], &vec![0; at.len()]),
    ];
    for text in [KERNEL, FOR] {
        let func = kernel(text, scalar, group);
        let mut right = memory.clone();
        run(&func, &[n], &args, &mut right).unwrap_or_else(|e| {
            panic!(
                "{e:?} {} {:?} {} {} {:?} {group:?}\n{func}",
                text == KERNEL,
                scene.dims,
                scene.width,
                scene.points.len(),
                scene.scalar
            )
        });
        if text == KERNEL {
            for (k, count) in right.buffers[3].data.iter().enumerate() {
                let found = scene.found(at[k], reach[k], group);
                let what = (at[k], reach[k], scene.dims, scene.width, scalar, group);
                assert_eq!(count.int(), found.len() as i64, "{what:?}");
            }
        }
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
}

#[test]
fn an_id_of_nothing_is_a_fault() {
    let func = kernel(KERNEL, Scalar::F32, None);
    let native = Kernel::of(func, &Options::default());
    let double = HashGrid::new([2, 2, 2], Scalar::F64, Device::Cpu).expect("a grid");
    for id in [0, 1, u64::MAX, double.id()] {
        let mut memory = Memory::default();
        let one = Elem::Scalar(Scalar::I32);
        let args = [
            Arg::Elem(vec![Num::Int(id as i64)]),
            memory.floats(
                Elem::Vec {
                    len: 3,
                    scalar: Scalar::F32,
                },
                &[1],
                &[0.0; 3],
            ),
            memory.floats(Elem::Scalar(Scalar::F32), &[1], &[1.0]),
            memory.ints(one, &[1], &[0]),
            memory.ints(one, &[1], &[0]),
        ];
        let fault = native.run(&[1], &args, &mut memory, Layout::Dense, &[]);
        let fault = fault.expect_err("no such object");
        assert_eq!(fault.code, warp_core::abi::fault::OBJECT);
    }
}
