//! Searches of meshes, as compiled code and the interpreter call them.

use super::layout::{Mesh, NONE};
use super::simd::Lanes;
#[cfg(target_arch = "aarch64")]
use super::simd::neon::Neon as Baseline;
#[cfg(not(target_arch = "aarch64"))]
use super::simd::plain::Plain as Baseline;
use super::{closest, ray, winding};
use crate::ir::{ObjectKind, Search};
use crate::objects::{self, Reading};

/// Carries out a search on its arguments, as [`Search::arguments`] lists them, as bits.
///
/// # Safety
/// At the address lies the memory of a mesh, which nothing changes meanwhile; there are as many arguments as the search takes.
unsafe fn one(search: Search, address: u64, args: impl Fn(usize) -> u32) -> i32 {
    // SAFETY: the caller's promise.
    let mesh = unsafe { Mesh::at(address) };
    let float = |n: usize| f32::from_bits(args(n));
    let vector = |n: usize| [float(n), float(n + 1), float(n + 2)];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has these.
        return unsafe { wide(search, &mesh, &float, &vector, &|n| args(n) as i32) };
    }
    with::<Baseline>(search, &mesh, &float, &vector, &|n| args(n) as i32)
}

/// # Safety
/// The processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn wide(
    search: Search,
    mesh: &Mesh<'_>,
    float: &impl Fn(usize) -> f32,
    vector: &impl Fn(usize) -> [f32; 3],
    int: &impl Fn(usize) -> i32,
) -> i32 {
    with::<super::simd::avx::Avx>(search, mesh, float, vector, int)
}

#[inline(always)]
fn with<L: Lanes>(
    search: Search,
    mesh: &Mesh<'_>,
    float: &impl Fn(usize) -> f32,
    vector: &impl Fn(usize) -> [f32; 3],
    int: &impl Fn(usize) -> i32,
) -> i32 {
    match search {
        Search::Closest => closest::closest::<L>(mesh, vector(0), float(3)).face as i32,
        Search::Furthest => closest::furthest_face::<L>(mesh, vector(0), float(3)) as i32,
        Search::SideByNormal => {
            let best = closest::closest::<L>(mesh, vector(0), f32::INFINITY);
            match best.face {
                NONE => 1,
                _ => closest::side::<L>(mesh, vector(0), best.square),
            }
        }
        Search::SideByRays => side_by_rays::<L>(mesh, vector(0)),
        Search::SideByParity => side_by_parity::<L>(mesh, vector(0), int(3), float(4)),
        Search::SideByWinding => {
            let number = winding::number(mesh, vector(0), float(3));
            if number > f64::from(float(4)) { -1 } else { 1 }
        }
        Search::Ray => ray::first::<L>(mesh, vector(0), vector(3), float(6), int(7)) as i32,
        Search::RayAny => ray::any::<L>(mesh, vector(0), vector(3), float(6), int(7)).into(),
        Search::RayCount => ray::count::<L>(mesh, vector(0), vector(3), int(6)),
    }
}

/// -1 if, of three rays along the axes, at least two first meet the back of a face.
#[inline(always)]
fn side_by_rays<L: Lanes>(mesh: &Mesh<'_>, point: [f32; 3]) -> i32 {
    let mut inside = 0;
    for d in 0..3 {
        let mut along = [0.0; 3];
        along[d] = 1.0;
        inside += i32::from(ray::first_back::<L>(mesh, point, along));
    }
    if inside >= 2 { -1 } else { 1 }
}

/// -1 if at least half of some rays cross an odd number of faces. They go about along (1, 1, 1).
#[inline(always)]
fn side_by_parity<L: Lanes>(mesh: &Mesh<'_>, point: [f32; 3], rays: i32, scale: f32) -> i32 {
    let (mut inside, mut state) = (0, 0x9e37_79b9u32);
    for _ in 0..rays {
        let along = [0; 3].map(|_| {
            // A linear congruential generator, and its upper bits.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            1.0 + scale * ((state >> 8) as f32 / 8_388_608.0 - 1.0)
        });
        inside += ray::count::<L>(mesh, point, along, -1) & 1;
    }
    if 2 * inside >= rays { -1 } else { 1 }
}

/// A search that takes one number at a time.
///
/// # Safety
/// As [`one`].
#[cfg(test)]
pub unsafe fn one_by_one(search: Search, address: u64, args: &[u32]) -> i32 {
    // SAFETY: the caller's promise.
    let mesh = unsafe { Mesh::at(address) };
    let float = |n: usize| f32::from_bits(args[n]);
    let vector = |n: usize| [float(n), float(n + 1), float(n + 2)];
    with::<super::simd::plain::Plain>(search, &mesh, &float, &vector, &|n| args[n] as i32)
}

/// A search by compiled code: its number, the address of a mesh, and its arguments. See [`crate::abi::runtime::SEARCH`].
///
/// # Safety
/// At the address lies the memory of a mesh, which nothing changes meanwhile; there are as many arguments as the search takes.
pub unsafe extern "C" fn search(number: u32, address: u64, args: *const u32) -> i32 {
    match Search::from_number(number) {
        // SAFETY: the caller's promise.
        Some(search) => unsafe { one(search, address, |n| args.add(n).read()) },
        None => -1,
    }
}

/// A search on arguments as bits of the mesh of an id; -1 if there is none. What takes it away meanwhile waits for the search.
pub fn search_by_id(search: Search, id: u64, args: &[u32]) -> i32 {
    let reading = Reading::begin();
    let found = match (objects::address(id, ObjectKind::Mesh as u32), args.len()) {
        (0, _) => -1,
        // SAFETY: the memory stays for as long as this reads.
        (address, count) if count == search.arguments().len() => unsafe {
            one(search, address, |n| args[n])
        },
        _ => -1,
    };
    drop(reading);
    found
}
