//! Searches of meshes, as compiled code and the interpreter call them.

use super::closest::Closest;
use super::exact::{Ray, nearest};
use super::layout::{Mesh, NONE};
use super::ray::{Any, Count, First, Walk};
use super::simd::Lanes;
#[cfg(target_arch = "aarch64")]
use super::simd::neon::Neon as Baseline;
#[cfg(not(target_arch = "aarch64"))]
use super::simd::plain::Plain as Baseline;
use super::{closest, interleaved, ray, winding};
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
            if number > f64::from(float(4)) + winding::SLACK {
                -1
            } else {
                1
            }
        }
        Search::Ray => match Ray::new(vector(0), vector(3)) {
            Some(ray) => {
                let first = First::new(ray, float(6));
                ray::alone::<L, _>(mesh, first, float(6), int(7)).face as i32
            }
            None => NONE as i32,
        },
        Search::RayAny => Ray::new(vector(0), vector(3)).is_some_and(|ray| {
            let any = Any::new(ray, float(6));
            ray::alone::<L, _>(mesh, any, float(6), int(7)).found
        }) as i32,
        Search::RayCount => match Ray::new(vector(0), vector(3)) {
            Some(ray) => ray::alone::<L, _>(mesh, Count::new(ray), f32::INFINITY, int(6)).sum,
            None => 0,
        },
        Search::Touches => {
            let (square, _) = nearest(vector(0), [vector(4), vector(7), vector(10)]);
            i32::from(square <= f64::from(float(3)).powi(2))
        }
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
        if let Some(ray) = Ray::new(point, along) {
            let count = Count::new(ray);
            inside += ray::alone::<L, _>(mesh, count, f32::INFINITY, -1).sum & 1;
        }
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

/// The numbers of a search for several lanes: of each argument those of all lanes, then the results.
#[derive(Clone, Copy)]
struct Numbers {
    at: *mut u32,
    width: usize,
}

impl Numbers {
    /// # Safety
    /// There is such an argument of such a lane.
    unsafe fn bits(self, lane: usize, argument: usize) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { self.at.add(argument * self.width + lane).read() }
    }
}

/// Carries out a search for the lanes whose bits are set, and calls a function with what is found.
///
/// # Safety
/// The numbers are those of the search.
#[inline(always)]
unsafe fn for_lanes<L: Lanes>(
    search: Search,
    mesh: &Mesh<'_>,
    lanes: u64,
    numbers: Numbers,
    mut end: impl FnMut(usize, i32),
) {
    // SAFETY: the caller's promise.
    let bits = |lane: usize, n: usize| unsafe { numbers.bits(lane, n) };
    let float = |lane: usize, n: usize| f32::from_bits(bits(lane, n));
    let int = |lane: usize, n: usize| bits(lane, n) as i32;
    let vector = |lane: usize, n: usize| [float(lane, n), float(lane, n + 1), float(lane, n + 2)];
    let ray = |lane: usize| Ray::new(vector(lane, 0), vector(lane, 3));
    let one = |lane: usize| {
        with::<L>(
            search,
            mesh,
            &|n| float(lane, n),
            &|n| vector(lane, n),
            &|n| int(lane, n),
        )
    };
    match search {
        Search::Closest => {
            let begin = |lane| {
                let search = Closest::new(mesh, vector(lane, 0), float(lane, 3));
                search.map_err(|best| best.face as i32)
            };
            interleaved::all::<L, _>(mesh, lanes, begin, |search| search.best.face as i32, end);
        }
        Search::Ray => {
            let begin = |lane| match ray(lane) {
                Some(ray) if int(lane, 7) == -1 => {
                    let first = First::new(ray, float(lane, 6));
                    Walk::new(mesh, first, float(lane, 6)).map_err(|_| NONE as i32)
                }
                _ => Err(one(lane)),
            };
            interleaved::all::<L, _>(mesh, lanes, begin, |walk| walk.faces.face as i32, end);
        }
        Search::RayAny => {
            let begin = |lane| match ray(lane) {
                Some(ray) if int(lane, 7) == -1 => {
                    let any = Any::new(ray, float(lane, 6));
                    Walk::new(mesh, any, float(lane, 6)).map_err(|_| 0)
                }
                _ => Err(one(lane)),
            };
            interleaved::all::<L, _>(mesh, lanes, begin, |walk| walk.faces.found.into(), end);
        }
        Search::RayCount => {
            let begin = |lane| match ray(lane) {
                Some(ray) if int(lane, 6) == -1 => {
                    Walk::new(mesh, Count::new(ray), f32::INFINITY).map_err(|_| 0)
                }
                _ => Err(one(lane)),
            };
            interleaved::all::<L, _>(mesh, lanes, begin, |walk| walk.faces.sum, end);
        }
        _ => self::bits(lanes).for_each(|lane| end(lane, one(lane))),
    }
}

/// # Safety
/// As [`for_lanes`]; the processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn wide_for_lanes(
    search: Search,
    mesh: &Mesh<'_>,
    lanes: u64,
    numbers: Numbers,
    end: impl FnMut(usize, i32),
) {
    // SAFETY: the caller's promise.
    unsafe { for_lanes::<super::simd::avx::Avx>(search, mesh, lanes, numbers, end) }
}

/// A search by compiled code for some lanes, see [`crate::abi::runtime::SEARCH`].
///
/// # Safety
/// At the addresses lies the memory of meshes, which nothing changes meanwhile; these and the numbers are those of the search for `width`
/// lanes, and `lanes` are some of these.
pub unsafe extern "C" fn search(
    number: u32,
    addresses: *const u64,
    lanes: u64,
    width: usize,
    numbers: *mut u32,
) {
    let Some(search) = Search::from_number(number) else {
        return;
    };
    let results = numbers.wrapping_add(search.arguments().len() * width);
    let numbers = Numbers { at: numbers, width };
    // SAFETY: the caller's promise.
    let end = |lane: usize, found: i32| unsafe { results.add(lane).write(found as u32) };
    // SAFETY: the caller's promise.
    let address_of = |lane: usize| unsafe { addresses.add(lane).read() };
    let mut left = lanes;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let address = address_of(first);
        let same = bits(left).filter(|lane| address_of(*lane) == address);
        let same = same.fold(0, |all, lane| all | 1 << lane);
        left &= !same;
        if same.is_power_of_two() {
            // SAFETY: the caller's promise.
            end(first, unsafe {
                one(search, address, |n| numbers.bits(first, n))
            });
            continue;
        }
        // SAFETY: the caller's promise.
        unsafe { several(search, &Mesh::at(address), same, numbers, end) };
    }
}

/// # Safety
/// As [`for_lanes`].
unsafe fn several(
    search: Search,
    mesh: &Mesh<'_>,
    lanes: u64,
    numbers: Numbers,
    end: impl FnMut(usize, i32),
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has these, and the caller's promise.
        return unsafe { wide_for_lanes(search, mesh, lanes, numbers, end) };
    }
    // SAFETY: the caller's promise.
    unsafe { for_lanes::<Baseline>(search, mesh, lanes, numbers, end) }
}

/// The numbers of the bits that are set, lowest first.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        lowest
    })
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
