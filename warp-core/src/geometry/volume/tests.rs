use super::layout::{entry_at, key_of, origin_of};
use super::*;

fn spec(value: ValueType, background: &[u8]) -> Spec {
    Spec {
        value,
        background: background.to_vec(),
        matrix: [0.5, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 2.0],
        translation: [1.0, 2.0, 3.0],
    }
}

fn bytes_of(spec: &Spec, leaves: &Leaves) -> Vec<u8> {
    let mut bytes = vec![0; size(spec.value, leaves.nodes())];
    let written = write(&mut bytes, spec, leaves);
    assert_eq!(written, bytes.len());
    bytes
}

const FAR: [[i32; 3]; 5] = [
    [0, 0, 0],
    [1, 2, 3],
    [100, 0, 5],
    [-5, 2, 2],
    [-2_000_000, 7, 1 << 20],
];

#[test]
fn sizes_are_those_of_the_format() {
    let one = |value: ValueType| size(value, [1, 1, 1]);
    assert_eq!(one(ValueType::Float), 307_232);
    let two = |value: ValueType| size(value, [3, 2, 2]);
    let seen = [
        (ValueType::Float, 615_808),
        (ValueType::Double, 622_080),
        (ValueType::Vec3f, 1_218_048),
        (ValueType::Vec3d, 1_826_624),
        (ValueType::Vec4f, 1_224_384),
        (ValueType::Vec4d, 2_428_896),
        (ValueType::OnIndex, 609_696),
        (ValueType::Vec3u8, 614_272),
        (ValueType::Vec3u16, 618_976),
    ];
    for (value, bytes) in seen {
        assert_eq!(two(value), bytes, "{value:?}");
    }
}

#[test]
fn what_is_built_is_found() {
    for value in [ValueType::Float, ValueType::Vec4d, ValueType::Index] {
        let background = vec![7; value.value_size() * usize::from(!value.is_index())];
        let leaves = Leaves::of(&FAR, false);
        let bytes = bytes_of(&spec(value, &background), &leaves);
        let grid = Grid::new(&bytes).expect("sound");
        assert_eq!(grid.nodes, leaves.nodes());
        assert_eq!((grid.value, grid.voxels), (value, 4 * 512));
        let mut origins: Vec<[i32; 3]> = grid.leaves(&bytes).iter().map(|leaf| leaf.1).collect();
        origins.sort_unstable();
        let wanted = [[-2_000_000, 0, 1 << 20], [-8, 0, 0], [0, 0, 0], [96, 0, 0]];
        assert_eq!(origins, wanted);
        assert!(grid.stride > 0 && grid.active(&bytes).len() == 4 * 512);
    }
}

#[test]
fn voxels_are_those_that_were_given() {
    let leaves = Leaves::of(&FAR, true);
    let bytes = bytes_of(&spec(ValueType::OnIndex, &[]), &leaves);
    let grid = Grid::new(&bytes).expect("sound");
    let mut found = grid.active(&bytes);
    found.sort_unstable();
    let mut wanted = FAR.to_vec();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    assert_eq!((grid.voxels, grid.values), (5, 5));
    let none = Leaves::of(&[], true);
    let bytes = bytes_of(&spec(ValueType::OnIndex, &[]), &none);
    assert_eq!(Grid::new(&bytes).expect("sound").nodes, [0; 3]);
}

#[test]
fn keys_have_their_voxels() {
    for at in FAR {
        let origin = origin_of(key_of(at));
        assert_eq!(origin, at.map(|c| c & !4095));
    }
    assert_eq!(entry_at(0o1234, 4), [2, 9, 12]);
}

#[test]
fn the_inverse_of_a_map() {
    let m = [2.0, 1.0, 0.0, 0.0, 3.0, 0.5, 1.0, 0.0, 4.0];
    let i = inverse(&m).expect("regular");
    for row in 0..3 {
        for column in 0..3 {
            let product: f64 = (0..3).map(|k| m[3 * row + k] * i[3 * k + column]).sum();
            assert!((product - f64::from(u8::from(row == column))).abs() < 1e-12);
        }
    }
    assert!(inverse(&[0.0; 9]).is_none());
}

/// Each byte of headers and tables changed: an error or a grid, and never a walk beyond it.
#[test]
fn broken_grids_are_refused() {
    let leaves = Leaves::of(&FAR[..2], true);
    let whole = bytes_of(&spec(ValueType::OnIndex, &[]), &leaves);
    let root = 736 + 96;
    let interesting = (0..root + 32).chain(whole.len() - 96..whole.len());
    for at in interesting {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= change;
            if let Ok(grid) = Grid::new(&bytes) {
                assert!(grid.active(&bytes).len() <= 512);
            }
        }
    }
    for size in [0, 671, 800, whole.len() - 1] {
        assert!(Grid::new(&whole[..size]).is_err());
    }
    let mut bytes = whole;
    let upper = root + 32;
    bytes[upper + 8256 + 3] ^= 0x40;
    assert!(
        Grid::new(&bytes).is_err(),
        "a lower node that lies elsewhere"
    );
}
