//! Searches against going through all faces, and what decides them against other ways to compute it.

use super::exact::{Feature, Ray, Vec3, furthest, nearest, winding as angle};
use super::*;
use crate::device::{Device, Stream};
use crate::ir::Search;
use proptest::prelude::*;

/// Points and faces.
#[derive(Clone, Debug)]
struct Scene {
    points: Vec<[f32; 3]>,
    faces: Vec<[i32; 3]>,
}

impl Scene {
    fn surface(&self) -> Surface {
        Surface {
            places: Places {
                points: self.points.as_ptr() as u64,
                velocities: 0,
                indices: self.faces.as_ptr() as u64,
            },
            points: self.points.as_ptr().cast(),
            point_count: self.points.len(),
            points_gradient: 0,
            velocities_gradient: 0,
            indices: self.faces.as_ptr().cast(),
            faces: self.faces.len(),
            groups: None,
        }
    }

    fn mesh(&self) -> Arc<Mesh> {
        let mesh = Mesh::new(self.faces.len(), true, Device::Cpu).expect("a mesh");
        // SAFETY: as many as there are.
        unsafe {
            mesh.build(
                &self.surface(),
                Box::new(()),
                Stream::default_of(Device::Cpu),
            )
        }
        .expect("builds");
        mesh
    }

    fn corners(&self, face: usize) -> [[f32; 3]; 3] {
        let corners = self.faces[face].map(|at| self.points[at as usize]);
        // Faces that are not finite are never found.
        match corners.iter().flatten().all(|x| x.is_finite()) {
            true => corners,
            false => [[f32::NAN; 3]; 3],
        }
    }

    /// The face for which a number is least, the first of several; -1 if there is none.
    fn least(&self, number: impl Fn([[f32; 3]; 3]) -> Option<f64>) -> i32 {
        let mut best: Option<(f64, i32)> = None;
        for face in 0..self.faces.len() {
            if let Some(x) = number(self.corners(face))
                && best.is_none_or(|(least, _)| x < least)
            {
                best = Some((x, face as i32));
            }
        }
        best.map_or(-1, |(_, face)| face)
    }
}

/// A soup of faces, some of which share points, are alike, have no area or no numbers.
fn soups() -> impl Strategy<Value = Scene> {
    let number = prop_oneof![6 => -4.0f32..4.0, 2 => (-3..4i32).prop_map(|x| x as f32)];
    let point = [number.clone(), number.clone(), number];
    let points = prop::collection::vec(point, 3..60);
    (
        points,
        prop::collection::vec([0..60i32, 0..60, 0..60], 0..150),
        any::<bool>(),
    )
        .prop_map(|(mut points, faces, odd)| {
            let count = points.len() as i32;
            if odd {
                points[0][1] = f32::NAN;
                points[1] = [f32::INFINITY, 0.0, 0.0];
            }
            let faces = faces
                .into_iter()
                .map(|face| face.map(|at| at % count))
                .collect();
            Scene { points, faces }
        })
}

/// A closed surface: a box of `n` x `n` squares a side, each of two faces, with points moved a little.
fn box_of(n: i32, shake: f32) -> Scene {
    let mut scene = Scene {
        points: Vec::new(),
        faces: Vec::new(),
    };
    let mut known = std::collections::HashMap::new();
    let mut seed = 7u32;
    let mut point = |scene: &mut Scene, at: [i32; 3]| {
        *known.entry(at).or_insert_with(|| {
            scene.points.push(at.map(|x| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                2.0 * x as f32 / n as f32 - 1.0 + shake * ((seed >> 8) as f32 / 16_777_216.0 - 0.5)
            }));
            scene.points.len() as i32 - 1
        })
    };
    for d in 0..3 {
        for side in [0, n] {
            for i in 0..n {
                for j in 0..n {
                    let corner = |i: i32, j: i32| {
                        let mut at = [0; 3];
                        (at[d], at[(d + 1) % 3], at[(d + 2) % 3]) = (side, i, j);
                        at
                    };
                    let all = [
                        corner(i, j),
                        corner(i + 1, j),
                        corner(i + 1, j + 1),
                        corner(i, j + 1),
                    ];
                    let [a, b, c, e] = all.map(|at| point(&mut scene, at));
                    match side {
                        0 => scene.faces.extend([[a, c, b], [a, e, c]]),
                        _ => scene.faces.extend([[a, b, c], [a, c, e]]),
                    }
                }
            }
        }
    }
    scene
}

fn ask(mesh: &Mesh, search: Search, args: &[f32], ints: &[i32]) -> i32 {
    let mut bits: Vec<u32> = args.iter().map(|x| x.to_bits()).collect();
    bits.extend(ints.iter().map(|x| *x as u32));
    let found = search_by_id(search, mesh.id(), &bits);
    let address = objects::address(mesh.id(), ObjectKind::Mesh as u32);
    // SAFETY: the mesh lives, and nothing changes it meanwhile.
    let plain = unsafe { search::one_by_one(search, address, &bits) };
    assert_eq!(found, plain, "{} {args:?}", search.name());
    found
}

/// What memory for results holds where no search writes it.
const UNTOUCHED: i32 = -77;

/// Arguments of a search, as bits.
fn lane_arguments(search: Search, p: [f32; 3], along: [f32; 3], reach: f32, root: i32) -> Vec<u32> {
    let (floats, ints) = match search {
        Search::Closest | Search::Furthest => (vec![p[0], p[1], p[2], reach], vec![]),
        Search::SideByNormal | Search::SideByRays => (p.to_vec(), vec![]),
        Search::SideByParity => (p.to_vec(), vec![3]),
        Search::SideByWinding => (vec![p[0], p[1], p[2], 2.0, 0.5], vec![]),
        Search::Ray | Search::RayAny => ([&p[..], &along, &[reach]].concat(), vec![root]),
        Search::RayCount => ([p, along].concat(), vec![root]),
        Search::Touches => ([&p[..], &[reach; 4], &p, &along].concat(), vec![]),
    };
    let mut bits: Vec<u32> = floats.into_iter().map(f32::to_bits).collect();
    bits.extend(ints.into_iter().map(|x: i32| x as u32));
    if search == Search::SideByParity {
        bits.push(0.25f32.to_bits());
    }
    bits
}

/// What compiled code finds for those lanes that run.
fn ask_lanes(mesh: &Mesh, search: Search, arguments: &[Vec<u32>], running: u64) -> Vec<i32> {
    let width = arguments.len();
    let mut numbers: Vec<u32> = (0..search.arguments().len())
        .flat_map(|n| arguments.iter().map(move |args| args[n]))
        .collect();
    let results = numbers.len();
    numbers.resize(results + width, UNTOUCHED as u32);
    let address = objects::address(mesh.id(), ObjectKind::Mesh as u32);
    let addresses = vec![address; width];
    let lanes = running & (u64::MAX >> (64 - width));
    // SAFETY: the mesh lives, and nothing changes it meanwhile; there are as many numbers as the search takes.
    unsafe {
        search::search(
            search as u32,
            addresses.as_ptr(),
            lanes,
            width,
            numbers.as_mut_ptr(),
        );
    }
    numbers[results..].iter().map(|bits| *bits as i32).collect()
}

fn check_point(scene: &Scene, mesh: &Mesh, p: [f32; 3], reach: f32) {
    let [x, y, z] = p;
    let square = f64::from(reach) * f64::from(reach);
    let wanted = scene.least(|corners| {
        let (far, _) = nearest(p, corners);
        (reach > 0.0 && far < square).then_some(far)
    });
    let found = ask(mesh, Search::Closest, &[x, y, z, reach], &[]);
    assert_eq!(found, wanted, "{p:?} {reach} {scene:?}");
    let wanted = scene.least(|corners| {
        let far = furthest(p, corners);
        (far > if reach > 0.0 { square } else { -1.0 }).then_some(-far)
    });
    assert_eq!(ask(mesh, Search::Furthest, &[x, y, z, reach], &[]), wanted);
}

fn check_ray(scene: &Scene, mesh: &Mesh, start: [f32; 3], along: [f32; 3], max: f32) {
    let ([a, b, c], [d, e, f]) = (start, along);
    let ray = Ray::new(start, along);
    let meets = |corners| ray.and_then(|ray| ray.meets(corners));
    let wanted = scene.least(|corners| meets(corners).filter(|t| *t < f64::from(max)));
    for root in [-1, 0] {
        if root == 0 && scene.faces.is_empty() {
            continue;
        }
        let found = ask(mesh, Search::Ray, &[a, b, c, d, e, f, max], &[root]);
        assert_eq!(found, wanted, "{start:?} {along:?} {max} {scene:?}");
        let found = ask(mesh, Search::RayAny, &[a, b, c, d, e, f, max], &[root]);
        assert_eq!(found, i32::from(wanted >= 0));
        let all = 0..scene.faces.len();
        let crossed =
            all.filter(|k| ray.is_some_and(|ray| ray.crosses(scene.corners(*k)).is_some()));
        let found = ask(mesh, Search::RayCount, &[a, b, c, d, e, f], &[root]);
        assert_eq!(
            found,
            crossed.count() as i32,
            "{start:?} {along:?} {scene:?}"
        );
    }
}

fn place() -> impl Strategy<Value = [f32; 3]> {
    let number = prop_oneof![
        6 => -6.0f32..6.0,
        3 => (-3..4i32).prop_map(|x| x as f32),
        1 => prop_oneof![Just(0.0), Just(f32::NAN), Just(f32::INFINITY), Just(1e6f32)],
    ];
    [number.clone(), number.clone(), number]
}

fn reach() -> impl Strategy<Value = f32> {
    prop_oneof![4 => Just(f32::INFINITY), 3 => 0.0f32..5.0, 1 => Just(-1.0), 1 => Just(f32::NAN)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn searches_find_what_going_through_all_faces_finds(
        scene in soups(),
        places in prop::collection::vec((place(), place(), reach()), 12),
    ) {
        let mesh = scene.mesh();
        for (p, along, reach) in places {
            check_point(&scene, &mesh, p, reach);
            check_ray(&scene, &mesh, p, along, reach);
        }
        let mut moved = scene;
        for (k, point) in moved.points.iter_mut().enumerate() {
            point[k % 3] += 0.5;
        }
        // SAFETY: as many as there are.
        unsafe { mesh.refit(&moved.surface(), Box::new(()), Stream::default_of(Device::Cpu)) }
            .expect("fits");
        check_point(&moved, &mesh, [0.25, -0.5, 1.0], f32::INFINITY);
        check_ray(&moved, &mesh, [0.25, -0.5, 1.0], [1.0, 0.1, 0.2], f32::INFINITY);
    }

    #[test]
    fn rays_along_axes_meet_corners_and_borders(
        scene in soups(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..6usize, place()), 24),
    ) {
        let mesh = scene.mesh();
        for (one, other, way, anywhere) in picks {
            let (a, b) = (one.get(&scene.points), other.get(&scene.points));
            // Through a corner; or where two coordinates are those of corners, as on the border of a grid.
            let (axis, mut start) = (way % 3, [b[0], a[1], a[2]]);
            start[axis] = anywhere[axis];
            let mut along = [0.0; 3];
            along[axis] = if way < 3 { 1.0 } else { -1.0 };
            check_ray(&scene, &mesh, start, along, f32::INFINITY);
            along[(axis + 1) % 3] = -0.0;
            check_ray(&scene, &mesh, start, along, f32::INFINITY);
        }
    }

    #[test]
    fn lanes_find_what_single_ones_find(
        scene in soups(),
        places in prop::collection::vec((place(), place(), reach(), -1..2i32), 1..65),
        running in any::<u64>(),
    ) {
        let mesh = scene.mesh();
        for search in Search::ALL {
            let arguments: Vec<Vec<u32>> = (places.iter())
                .map(|(p, along, reach, root)| lane_arguments(*search, *p, *along, *reach, *root))
                .collect();
            let found = ask_lanes(&mesh, *search, &arguments, running);
            for (lane, args) in arguments.iter().enumerate() {
                let wanted = match running >> lane & 1 {
                    0 => UNTOUCHED,
                    _ => search_by_id(*search, mesh.id(), args),
                };
                prop_assert_eq!(found[lane], wanted, "{} {}", search.name(), lane);
            }
        }
    }

    #[test]
    fn the_order_of_corners_decides_nothing(
        [a, b, c] in [place(), place(), place()],
        p in place(),
        along in place(),
    ) {
        let orders = [[a, b, c], [b, c, a], [c, a, b], [a, c, b], [c, b, a], [b, a, c]];
        // Which NaN it is says nothing: a processor takes it from either operand, and compilers swap them.
        let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
        let (square, feature) = nearest(p, orders[0]);
        let ray = Ray::new(p, along);
        let meets = |corners| ray.and_then(|ray| ray.meets(corners)).map(bits);
        for corners in orders {
            let (again, where_on) = nearest(p, corners);
            prop_assert_eq!(bits(again), bits(square));
            // The same corner or edge, under another number.
            let named = |feature, of: [[f32; 3]; 3]| match feature {
                Feature::Corner(k) => vec![of[k]],
                Feature::Edge(k) => {
                    let mut ends = vec![of[k], of[(k + 1) % 3]];
                    ends.sort_by(|x: &[f32; 3], y| x.partial_cmp(y).unwrap_or(std::cmp::Ordering::Equal));
                    ends
                }
                Feature::Inside => Vec::new(),
            };
            if !square.is_nan() {
                prop_assert_eq!(named(where_on, corners), named(feature, orders[0]));
            }
            prop_assert_eq!(meets(corners), meets(orders[0]));
        }
    }

    #[test]
    fn the_nearest_point_is_no_further_than_any_other(p in [-3.0f32..3.0, -3.0f32..3.0, -3.0f32..3.0],
        corners in [[-2.0f32..2.0, -2.0f32..2.0, -2.0f32..2.0], [-2.0f32..2.0, -2.0f32..2.0, -2.0f32..2.0], [-2.0f32..2.0, -2.0f32..2.0, -2.0f32..2.0]],
        flat in any::<bool>()) {
        let mut corners = corners;
        if flat {
            corners[2] = [0, 1, 2].map(|d| 0.5 * (corners[0][d] + corners[1][d]));
        }
        let (square, _) = nearest(p, corners);
        let [a, b, c] = corners.map(Vec3::of);
        let mut least = f64::INFINITY;
        for i in 0..=60 {
            for j in 0..=60 - i {
                let (u, v) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                let at = a * u + b * v + c * (1.0 - u - v);
                least = least.min((at - Vec3::of(p)).square());
            }
        }
        prop_assert!(square <= least + 1e-12);
        // No point of the triangle is further from a grid point than this.
        let size = (b - a).square().max((c - a).square()).max((c - b).square()).sqrt();
        prop_assert!(least.sqrt() - square.sqrt() <= size / 60.0 + 1e-9);
    }
}

#[test]
fn rays_cross_closed_surfaces_evenly_and_leave_no_gap() {
    let scene = box_of(6, 0.2);
    let mesh = scene.mesh();
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / 8_388_608.0 - 1.0
    };
    for k in 0..4000 {
        let start = [3.0 * next() + 4.5, 3.0 * next(), 3.0 * next()];
        // At corners and at the middles of edges, as well as anywhere.
        let face = scene.corners((k * 7) % scene.faces.len());
        let target = match k % 3 {
            0 => face[k % 3],
            1 => [0, 1, 2].map(|d| 0.5 * (face[0][d] + face[1][d])),
            _ => [next(), next(), next()],
        };
        let along = [0, 1, 2].map(|d| target[d] - start[d]);
        let ([a, b, c], [d, e, f]) = (start, along);
        let count = ask(&mesh, Search::RayCount, &[a, b, c, d, e, f], &[-1]);
        assert_eq!(count % 2, 0, "{start:?} {along:?}");
        if k % 3 == 2 {
            // Through a point that is inside.
            let inside = [0, 1, 2].map(|d| 0.8 * target[d]);
            let ([x, y, z], [d, e, f]) = (inside, [next(), next(), next()]);
            assert_eq!(
                ask(&mesh, Search::RayCount, &[x, y, z, d, e, f], &[-1]) % 2,
                1
            );
            assert!(
                ask(
                    &mesh,
                    Search::Ray,
                    &[x, y, z, d, e, f, f32::INFINITY],
                    &[-1]
                ) >= 0
            );
        }
    }
}

#[test]
fn all_ways_to_tell_sides_agree_on_closed_surfaces() {
    let scene = box_of(4, 0.1);
    let mesh = scene.mesh();
    let mut seed = 3u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1.5 * ((seed >> 8) as f32 / 8_388_608.0 - 1.0)
    };
    for _ in 0..2000 {
        let p = [next(), next(), next()];
        let largest = p.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        if (largest - 1.0).abs() < 0.06 {
            continue;
        }
        let wanted = if largest < 1.0 { -1 } else { 1 };
        let [x, y, z] = p;
        assert_eq!(
            ask(&mesh, Search::SideByRays, &[x, y, z], &[]),
            wanted,
            "{p:?}"
        );
        assert_eq!(
            ask(&mesh, Search::SideByNormal, &[x, y, z], &[]),
            wanted,
            "{p:?}"
        );
        let mut parity: Vec<u32> = p.iter().map(|x| x.to_bits()).collect();
        parity.extend([3, 0.1f32.to_bits()]);
        assert_eq!(
            search_by_id(Search::SideByParity, mesh.id(), &parity),
            wanted,
            "{p:?}"
        );
        assert_eq!(
            ask(&mesh, Search::SideByWinding, &[x, y, z, 2.0, 0.5], &[]),
            wanted,
            "{p:?}"
        );
        let whole: f64 = (0..scene.faces.len())
            .map(|k| angle(p, scene.corners(k)))
            .sum();
        assert!((whole - f64::from(wanted < 0)).abs() < 1e-6);
    }
}

#[test]
fn winding_numbers_of_groups_are_near_those_of_faces() {
    let scene = box_of(16, 0.05);
    let mesh = scene.mesh();
    let number = |p: [f32; 3]| {
        let address = objects::address(mesh.id(), ObjectKind::Mesh as u32);
        // SAFETY: the mesh lives.
        let view = unsafe { layout::Mesh::at(address) };
        winding::number(&view, p, 2.0)
    };
    for k in 0..200 {
        let at = [0.37, 0.61, 0.83].map(|by| 6.0 * (k as f32 * by).fract() - 3.0);
        let whole: f64 = (0..scene.faces.len())
            .map(|k| angle(at, scene.corners(k)))
            .sum();
        assert!(
            (number(at) - whole).abs() < 2e-2,
            "{at:?} {} {whole}",
            number(at)
        );
    }
}

#[test]
fn nothing_is_found_in_an_empty_mesh() {
    let scene = Scene {
        points: Vec::new(),
        faces: Vec::new(),
    };
    let mesh = scene.mesh();
    check_point(&scene, &mesh, [0.0; 3], f32::INFINITY);
    check_ray(&scene, &mesh, [0.0; 3], [1.0; 3], f32::INFINITY);
    assert_eq!(ask(&mesh, Search::SideByNormal, &[0.0; 3], &[]), 1);
    let bad = Scene {
        points: vec![[0.0; 3]; 3],
        faces: vec![[0, 1, 3], [0, -1, 2]],
    };
    // SAFETY: as many as there are.
    assert_eq!(unsafe { bad.surface().bad_index() }, Some((2, 3)));
}
