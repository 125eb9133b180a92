//! Noise.

use crate::builtins::formula::noise::{Cell, curl};
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::{Expand, Overload, Row};
use crate::builtins::table::facts::exempt;
use crate::builtins::value::Tree;
use crate::error::Result;
use crate::ir::expr::vector::{add, scaled};
use crate::ir::primitive::Facts;
use crate::ir::{Const, Exprs};

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
    let periods = (2..c.args.len()).map(|i| c.value(i)).collect();
    let cell = Cell::new(c.value(0), &c.parts(1), periods, false);
    Ok(c.tree(cell.noise()[0]))
}

/// The curls of several octaves, each of another frequency and strength.
fn curlnoise(c: &mut Call<'_>) -> Result<Tree> {
    let (b, state, x) = (c.b, c.value(0), c.parts(1));
    let [octaves, lacunarity, gain] = [2, 3, 4].map(|i| c.value(i));
    if let Some(Const::Int(1)) = octaves.as_const() {
        let (_, curl) = curl(b, state, &x);
        return Ok(c.vector(curl));
    }
    let [zero, one] = x[0].numbers([0.0, 1.0]);
    let mut init = vec![one, one, state];
    init.extend(vec![zero; x.len().min(3)]);
    let [first, step] = octaves.numbers([0.0, 1.0]);
    let found = b.for_([first, octaves, step], &init, |_, now| {
        let (frequency, strength) = (now[0], now[1]);
        let (state, curl) = curl(b, now[2], &scaled(&x, frequency));
        let mut out = vec![frequency * lacunarity, strength * gain, state];
        out.extend(add(&now[3..], &scaled(&curl, strength)));
        out
    });
    Ok(c.vector(Exprs::from_slice(&found[3..])))
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
