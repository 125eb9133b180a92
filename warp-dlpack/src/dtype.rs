//! Scalars as DLPack describes them, derived from the one table.

use crate::ffi::{DLDataType, DLDataTypeCode};
use warp_core::dtype::{Class, Scalar};
use warp_core::error::{Code, Error, Result};

const CLASSES: [(DLDataTypeCode, Class); 5] = [
    (DLDataTypeCode::INT, Class::Int),
    (DLDataTypeCode::UINT, Class::UInt),
    (DLDataTypeCode::FLOAT, Class::Float),
    (DLDataTypeCode::BFLOAT, Class::BFloat),
    (DLDataTypeCode::BOOL, Class::Bool),
];

/// The DLPack type of a scalar.
pub fn dtype_of(scalar: Scalar) -> DLDataType {
    let class = scalar.class();
    let row = CLASSES.iter().find(|c| c.1 == class);
    let code = row.map_or(DLDataTypeCode::OPAQUEHANDLE, |c| c.0);
    DLDataType::scalar(code, scalar.bits() as u8)
}

/// The scalar that a DLPack type stands for.
///
/// # Errors
/// The type is complex, opaque, of fewer than 8 bits or of several lanes: none of ours.
#[inline]
pub fn scalar_of(t: DLDataType) -> Result<Scalar> {
    // The commonest first: an import is a matter of nanoseconds.
    match t {
        DLDataType::F32 => Ok(Scalar::F32),
        DLDataType::F64 => Ok(Scalar::F64),
        DLDataType::I32 => Ok(Scalar::I32),
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
        DLDataTypeCode::INT => "int",
        DLDataTypeCode::UINT => "uint",
        DLDataTypeCode::FLOAT => "float",
        DLDataTypeCode::BFLOAT => "bfloat",
        DLDataTypeCode::COMPLEX => "complex",
        DLDataTypeCode::BOOL => "bool",
        DLDataTypeCode(7..=17) => "float (8 bits or fewer), DLPack code ",
        _ => "opaque, DLPack code ",
    };
    let number = match t.code {
        DLDataTypeCode(7..) | DLDataTypeCode::OPAQUEHANDLE => t.code.0.to_string(),
        _ => t.bits.to_string(),
    };
    if t.lanes == 1 {
        format!("{kind}{number}")
    } else {
        format!("{kind}{number} in groups of {}", t.lanes)
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
        let t = |code, bits, lanes| scalar_of(DLDataType::new(DLDataTypeCode(code), bits, lanes));
        assert!(t(5, 64, 1).unwrap_err().message.contains("complex64"));
        assert!(t(2, 32, 4).unwrap_err().message.contains("groups of 4"));
        assert!(t(3, 64, 1).is_err() && t(0, 4, 1).is_err() && t(255, 255, 1).is_err());
    }
}
