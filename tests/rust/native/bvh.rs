//! Queries of trees of boxes: brute force, the interpreter, code for one thread at a time and code for lanes find the same.

use crate::hash_grid::random;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::sync::Arc;
use tests::native::{Kernel, Layout};
use warp_core::device::{Device, Stream};
use warp_core::dtype::Scalar;
use warp_core::front::{self, SourceText, StaticScope};
use warp_core::geometry::{Boxes, Bvh};
use warp_core::interp::{Arg, Memory, Num, Object, run};
use warp_core::lower::{Lanes, Options};
use warp_core::objects;
use warp_core::ty::Elem;

/// Adds up what a query finds, in an order that shows, and without order.
const KERNEL: &str = "
def k(tree: wp.uint64, shape: wp.array(dtype=int), group: wp.array(dtype=int), a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), r: wp.array(dtype=float), far: wp.array(dtype=float), order: wp.array(dtype=int), sum: wp.array(dtype=int), count: wp.array(dtype=int), closest: wp.array(dtype=int)):
    i = wp.tid()
    root = int(-1)
    if group[i] >= 0:
        root = wp.bvh_get_group_root(tree, group[i])
    q = wp.bvh_query_aabb(tree, a[i], b[i], root)
    if shape[i] == 1:
        q = wp.bvh_query_sphere(tree, a[i], r[i], root)
    elif shape[i] == 2:
        q = wp.bvh_query_ray(tree, a[i], b[i], root)
    elif shape[i] == 3:
        q = wp.bvh_query_capsule(tree, a[i], b[i], r[i], root)
    j = int(0)
    n = int(0)
    in_order = int(0)
    all = int(0)
    while wp.bvh_query_next(q, j, far[i]):
        in_order = 31 * in_order + j
        all += j * j + 7
        n += 1
    order[i] = in_order
    sum[i] = all
    count[i] = n
    closest[i] = wp.bvh_query_closest(tree, a[i], wp.where(far[i] > 2.0, far[i], r[i]), root)
";

/// A query as the test asks it.
#[derive(Clone, Debug)]
struct Query {
    shape: i32,
    group: i32,
    a: [f32; 3],
    b: [f32; 3],
    r: f32,
    far: f32,
}

struct Scene {
    low: Vec<[f32; 3]>,
    high: Vec<[f32; 3]>,
    groups: Option<Vec<i32>>,
}

fn vector(rng: &mut TestRng, scale: f64) -> [f32; 3] {
    [0; 3].map(|_| random(rng, scale) as f32)
}

impl Scene {
    fn new(rng: &mut TestRng, grouped: bool) -> Scene {
        let count = [0, 1, 2, 40, 300][rng.next_u32() as usize % 5];
        let size = [0.0, 0.5, 3.0][rng.next_u32() as usize % 3];
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (a, b) = (vector(rng, 5.0), vector(rng, size));
            low.push(a);
            high.push([0, 1, 2].map(|d| a[d] + b[d].abs()));
        }
        if count > 10 {
            low[1][1] = f32::NAN;
            high[3][2] = f32::NAN;
            low[4] = [-f32::INFINITY; 3];
            high[4] = [f32::INFINITY; 3];
            (low[5], high[5]) = (high[5], low[5]);
            for k in 6..10 {
                (low[k], high[k]) = (low[6], high[6]);
            }
        }
        let groups = grouped.then(|| {
            (0..count)
                .map(|_| (rng.next_u32() % 5) as i32 - 1)
                .collect()
        });
        Scene { low, high, groups }
    }

    fn boxes(&self) -> Boxes {
        Boxes {
            lowers: self.low.as_ptr().cast(),
            uppers: self.high.as_ptr().cast(),
            count: self.low.len(),
            groups: self.groups.as_ref().map(|g| g.as_ptr()),
        }
    }

    fn query(&self, rng: &mut TestRng, shape: i32) -> Query {
        let mut query = Query {
            shape,
            group: (rng.next_u32() % 8) as i32 - 4,
            a: vector(rng, 6.0),
            b: vector(rng, 3.0),
            r: random(rng, 3.0) as f32,
            far: [f32::INFINITY, 1.0, 0.0, -1.0][rng.next_u32() as usize % 4],
        };
        let touched = self.low.get(rng.next_u32() as usize % 41).copied();
        match rng.next_u32() % 8 {
            0 => query.b[1] = 0.0,
            1 => query.b = [0.0; 3],
            2 => query.a[0] = f32::NAN,
            3 => query.a = touched.unwrap_or([0.0; 3]),
            _ => {}
        }
        if shape == 0 {
            query.b = [0, 1, 2].map(|d| query.a[d] + query.b[d].abs());
        }
        query
    }

    fn in_group(&self, of: &Query, i: usize) -> bool {
        match (&self.groups, of.group) {
            (_, ..0) => true,
            (None, 0) => true,
            (Some(groups), group) if groups.contains(&group) => groups[i] == group,
            // A group that is not there stands for all.
            _ => true,
        }
    }

    fn found(&self, of: &Query) -> Vec<i32> {
        let all = 0..self.low.len();
        let found = all.filter(|i| self.in_group(of, *i) && self.meets(of, *i));
        found.map(|i| i as i32).collect()
    }

    /// The box that is closest to `a`; of boxes at the same distance the first.
    fn closest(&self, of: &Query) -> i32 {
        let reach = if of.far > 2.0 { of.far } else { of.r };
        let (mut best, mut found) = (reach.max(0.0) * reach.max(0.0), -1);
        for (i, (low, high)) in self.low.iter().zip(&self.high).enumerate() {
            let far = [0, 1, 2].map(|d| (low[d] - of.a[d]).max(of.a[d] - high[d]).max(0.0));
            let square = far[0] * far[0] + far[1] * far[1] + far[2] * far[2];
            let fair = (0..3).all(|d| low[d] <= high[d] && !of.a[d].is_nan());
            if fair && self.in_group(of, i) && square < best {
                (best, found) = (square, i as i32);
            }
        }
        found
    }

    fn meets(&self, of: &Query, i: usize) -> bool {
        let (low, high) = (self.low[i], self.high[i]);
        let r = if of.r < 0.0 { 0.0 } else { of.r };
        let fair = (0..3).all(|d| low[d] <= high[d]);
        if of.a.iter().chain(&of.b).any(|x| x.is_nan()) {
            return false;
        }
        match of.shape {
            0 => (0..3).all(|d| low[d] <= of.b[d] && high[d] >= of.a[d]),
            1 => {
                let far = [0, 1, 2].map(|d| (low[d] - of.a[d]).max(of.a[d] - high[d]).max(0.0));
                fair && far[0] * far[0] + far[1] * far[1] + far[2] * far[2] <= r * r
            }
            shape => {
                let r = if shape == 3 { r } else { 0.0 };
                let (mut enter, mut leave) = (-f32::INFINITY, f32::INFINITY);
                for d in 0..3 {
                    let (low, high) = (low[d] - r, high[d] + r);
                    if of.b[d].abs() <= 1e-37 {
                        if !(low <= of.a[d] && of.a[d] <= high) {
                            return false;
                        }
                        continue;
                    }
                    let per = 1.0 / of.b[d];
                    let ends = [(low - of.a[d]) * per, (high - of.a[d]) * per];
                    enter = enter.max(ends[0].min(ends[1]));
                    leave = leave.min(ends[0].max(ends[1]));
                }
                let within = enter < of.far || (shape == 3 && enter <= of.far);
                fair && enter <= leave && leave >= 0.0 && of.far >= 0.0 && within
            }
        }
    }
}

#[test]
fn queries_find_what_brute_force_finds() {
    let source = SourceText {
        name: "k".into(),
        file: "k.py".into(),
        first_line: 1,
        text: KERNEL.trim_start().into(),
    };
    let built = front::build(source, &StaticScope::new(), front::Reading::default());
    let func = built.unwrap_or_else(|e| panic!("{e}")).func;
    let each = [
        Lanes::Never,
        Lanes::Auto,
        Lanes::Groups(4),
        Lanes::Groups(16),
    ];
    let kernels = each.map(|lanes| {
        let options = Options {
            lanes,
            ..Options::default()
        };
        (lanes, Kernel::of(func.clone(), &options))
    });
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let stream = Stream::default_of(Device::Cpu);
    for round in 0..24 {
        let scene = Scene::new(&mut rng, round % 2 == 1);
        let tree = Bvh::new(scene.low.len(), Device::Cpu).expect("a tree");
        // SAFETY: as many boxes as there are.
        unsafe { tree.build(&scene.boxes(), stream) }.expect("builds");
        check(&scene, &tree, &mut rng, &kernels);
        let mut moved = scene;
        for k in 0..moved.low.len() {
            let by = vector(&mut rng, 2.0);
            for (d, by) in by.into_iter().enumerate() {
                moved.low[k][d] += by;
                moved.high[k][d] += by;
            }
        }
        // SAFETY: as above.
        unsafe {
            match round % 4 {
                0 | 1 => tree.refit(&moved.boxes(), stream),
                _ => tree.build(&moved.boxes(), stream),
            }
            .expect("builds");
        }
        check(&moved, &tree, &mut rng, &kernels);
    }
}

fn check(scene: &Scene, tree: &Arc<Bvh>, rng: &mut TestRng, kernels: &[(Lanes, Kernel)]) {
    let queries: Vec<Query> = (0..48).map(|k| scene.query(rng, k % 4)).collect();
    let n = queries.len() as i32;
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
    let (int, float) = (Elem::Scalar(Scalar::I32), Elem::Scalar(Scalar::F32));
    let vec3 = Elem::Vec {
        len: 3,
        scalar: Scalar::F32,
    };
    let ints = |of: fn(&Query) -> i32| queries.iter().map(|q| of(q).into()).collect::<Vec<i64>>();
    let floats = |of: fn(&Query) -> f32| queries.iter().map(|q| of(q).into()).collect::<Vec<f64>>();
    let vectors = |of: fn(&Query) -> [f32; 3]| {
        let all = queries.iter().flat_map(of);
        all.map(f64::from).collect::<Vec<f64>>()
    };
    let none = vec![0; queries.len()];
    let args = [
        Arg::Elem(vec![Num::Int(tree.id() as i64)]),
        memory.ints(int, &[n], &ints(|q| q.shape)),
        memory.ints(int, &[n], &ints(|q| q.group)),
        memory.floats(vec3, &[n], &vectors(|q| q.a)),
        memory.floats(vec3, &[n], &vectors(|q| q.b)),
        memory.floats(float, &[n], &floats(|q| q.r)),
        memory.floats(float, &[n], &floats(|q| q.far)),
        memory.ints(int, &[n], &none),
        memory.ints(int, &[n], &none),
        memory.ints(int, &[n], &none),
        memory.ints(int, &[n], &none),
    ];
    let mut right = memory.clone();
    run(&kernels[0].1.func, &[n], &args, &mut right).expect("the interpreter runs it");
    for (k, query) in queries.iter().enumerate() {
        let found = scene.found(query);
        let count = right.buffers[8].data[k].int();
        assert_eq!(
            count,
            found.len() as i64,
            "{query:?}, {} boxes",
            scene.low.len()
        );
        let sum = found.iter().map(|j| j * j + 7).sum::<i32>();
        assert_eq!(right.buffers[7].data[k].int(), sum.into(), "{query:?}");
        let closest = scene.closest(query);
        assert_eq!(
            right.buffers[9].data[k].int(),
            closest.into(),
            "{query:?}, closest"
        );
    }
    for (lanes, kernel) in kernels {
        let mut found = memory.clone();
        (kernel.run(&[n], &args, &mut found, Layout::Dense, &[])).expect("no fault");
        assert_eq!(found.buffers, right.buffers, "{lanes:?}");
    }
}
