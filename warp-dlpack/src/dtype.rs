//! Scalars as DLPack describes them, derived from the one table.

use crate::ffi::DLDataType;
use warp_core::dtype::{Class, Scalar};
use warp_core::error::{Code, Error, Result};

const CLASSES: [(u8, Class); 5] = [
    (0, Class::Int),
    (1, Class::UInt),
    (2, Class::Float),
    (4, Class::BFloat),
    (6, Class::Bool),
];

/// The DLPack type of a scalar.
pub fn dtype_of(scalar: Scalar) -> DLDataType {
    let class = scalar.class();
    let code = CLASSES.iter().find(|c| c.1 == class).map_or(3, |c| c.0);
    DLDataType {
        code,
        bits: scalar.bits() as u8,
        lanes: 1,
    }
}

/// The scalar that a DLPack type stands for.
#[inline]
pub fn scalar_of(t: DLDataType) -> Result<Scalar> {
    // The commonest first: an import is a matter of nanoseconds.
    match (t.code, t.bits, t.lanes) {
        (2, 32, 1) => Ok(Scalar::F32),
        (2, 64, 1) => Ok(Scalar::F64),
        (0, 32, 1) => Ok(Scalar::I32),
        _ => search(t),
    }
}

fn search(t: DLDataType) -> Result<Scalar> {
    let class = CLASSES.iter().find(|c| c.0 == t.code).map(|c| c.1);
    class
        .filter(|_| t.lanes == 1)
        .and_then(|c| warp_core::interop::scalar_of(c, t.bits as usize))
        .ok_or_else(|| {
            Error::new(
                Code::Type,
                format!("elements of type {} have no counterpart", name(t)),
            )
        })
}

fn name(t: DLDataType) -> String {
    let kind = match t.code {
        0 => "int",
        1 => "uint",
        2 => "float",
        4 => "bfloat",
        5 => "complex",
        6 => "bool",
        7..=16 => "float (8 bits or fewer), DLPack code ",
        _ => "opaque, DLPack code ",
    };
    let code = if t.code > 6 || t.code == 3 {
        t.code.to_string()
    } else {
        t.bits.to_string()
    };
    if t.lanes == 1 {
        format!("{kind}{code}")
    } else {
        format!("{kind}{code} in groups of {}", t.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warp_core::dtype::TABLE;

    #[test]
    fn every_scalar_survives_the_way_there_and_back() {
        for row in TABLE {
            assert_eq!(scalar_of(dtype_of(row.scalar)), Ok(row.scalar));
        }
    }

    #[test]
    fn what_we_lack_is_named() {
        let t = |code, bits, lanes| scalar_of(DLDataType { code, bits, lanes });
        assert!(t(5, 64, 1).unwrap_err().message.contains("complex64"));
        assert!(t(2, 32, 4).unwrap_err().message.contains("groups of 4"));
        assert!(t(3, 64, 1).is_err() && t(0, 4, 1).is_err() && t(255, 255, 1).is_err());
    }
}
