//! Noise.

use crate::builtins::algebra;
use crate::builtins::noise::{Cell, curl};
use crate::builtins::random::{float, word};
use crate::builtins::row::{Call, Expand, Overload, Row};
use crate::builtins::table::facts::exempt;
use crate::builtins::value::{Parts, Tree};
use crate::error::Result;
use crate::ir::primitive::Facts;
use crate::ir::{Const, Op};

const GROUP: &str = "Noise";

const ELSEWHERE: Facts =
    exempt("float32 only, kinks between cells: tests/python/language/builtins/test_noise.py");

/// A row with one expansion for all its overloads.
macro_rules! row {
    ($name:literal, $expand:expr, [$($sig:literal),+], $doc:literal) => {
        Row {
            name: $name,
            group: GROUP,
            doc: $doc,
            overloads: &[$(Overload { sig: $sig, expand: Expand::By($expand), facts: ELSEWHERE }),+],
        }
    };
}

/// Noise at the point that is the second argument; the others are periods.
fn noise(c: &mut Call<'_>) -> Result<Tree> {
    let periods: Parts = (2..c.args.len()).map(|i| c.value(i)).collect();
    let (state, x) = (c.value(0), c.parts(1));
    let cell = Cell::new(c.b, state, &x, periods, false);
    let found = cell.noise(c.b);
    Ok(c.tree(found[0]))
}

/// The curls of several octaves, each of another frequency and strength.
fn curlnoise(c: &mut Call<'_>) -> Result<Tree> {
    let (state, x) = (c.value(0), c.parts(1));
    let [octaves, lacunarity, gain] = [2, 3, 4].map(|i| c.value(i));
    if let Some(Const::Int(1)) = c.b.as_const(octaves) {
        let (_, curl) = curl(c.b, state, &x);
        return Ok(c.vector(curl));
    }
    let (zero, one) = (float(c.b, 0.0), float(c.b, 1.0));
    let mut init = vec![one, one, state];
    init.extend(vec![zero; x.len().min(3)]);
    let range = [0, 1].map(|n| word(c.b, n));
    let range = [range[0], octaves, range[1]];
    let found = c.b.for_(range, init, |b, _, now| {
        let (frequency, strength) = (now[0], now[1]);
        let scaled = algebra::each(b, Op::Mul, &x, frequency);
        let (state, curl) = curl(b, now[2], &scaled);
        let parts = algebra::each(b, Op::Mul, &curl, strength);
        let mut out = vec![
            b.op(Op::Mul, &[frequency, lacunarity]),
            b.op(Op::Mul, &[strength, gain]),
            state,
        ];
        out.extend(algebra::zip(b, Op::Add, &now[3..], &parts));
        out
    });
    Ok(c.vector(found[3..].into()))
}

pub const ROWS: &[Row] = &[
    row!(
        "noise",
        noise,
        [
            "(state: uint32, x: float32) -> float32",
            "(state: uint32, xy: vec(2, float32)) -> float32",
            "(state: uint32, xyz: vec(3, float32)) -> float32",
            "(state: uint32, xyzt: vec(4, float32)) -> float32"
        ],
        "Perlin noise: a smooth random function of a point, 0 where all coordinates are whole. The state is the seed; \
         it does not change."
    ),
    row!(
        "pnoise",
        noise,
        [
            "(state: uint32, x: float32, px: int32) -> float32",
            "(state: uint32, xy: vec(2, float32), px: int32, py: int32) -> float32",
            "(state: uint32, xyz: vec(3, float32), px: int32, py: int32, pz: int32) -> float32",
            "(state: uint32, xyzt: vec(4, float32), px: int32, py: int32, pz: int32, pt: int32) -> float32"
        ],
        "Perlin noise that repeats after a whole number of units along each axis, on either side of 0 but not across it."
    ),
    row!(
        "curlnoise",
        curlnoise,
        [
            "(state: uint32, xy: vec(2, float32), octaves: uint32 = 1, lacunarity: float32 = 2, gain: float32 = 0.5) -> vec(2, float32)",
            "(state: uint32, xyz: vec(3, float32), octaves: uint32 = 1, lacunarity: float32 = 2, gain: float32 = 0.5) -> vec(3, float32)",
            "(state: uint32, xyzt: vec(4, float32), octaves: uint32 = 1, lacunarity: float32 = 2, gain: float32 = 0.5) -> vec(3, float32)"
        ],
        "A vector field without divergence: the curl of Perlin noise, with time as the fourth coordinate. Each further \
         octave has its frequency multiplied by `lacunarity` and its strength by `gain`."
    ),
];
