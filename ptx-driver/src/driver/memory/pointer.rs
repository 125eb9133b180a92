//! `cuPointerGetAttribute`.
use crate::driver::base::{Error, Result};
use crate::driver::state::State;
use crate::driver::state::memory::{Allocation, Origin};

/// The value of an attribute: its bytes are written as wide as its type is.
pub enum Value {
    Int(u32),
    Bool(bool),
    Wide(u64),
    /// Two 64-bit numbers.
    Tokens,
}

const MEMORYTYPE_HOST: u32 = 1;
const MEMORYTYPE_DEVICE: u32 = 2;

fn value(a: &Allocation, attribute: u32, address: u64) -> Result<Value> {
    let host = matches!(a.origin, Origin::Host { .. });
    Ok(match attribute {
        1 => Value::Wide(if matches!(a.origin, Origin::Pool { .. }) {
            0
        } else {
            a.context as u64
        }),
        2 => Value::Int(if host {
            MEMORYTYPE_HOST
        } else {
            MEMORYTYPE_DEVICE
        }),
        3 => Value::Wide(address),
        4 if host => Value::Wide(address),
        5 if !host => Value::Tokens,
        6 => Value::Bool(false),
        7 => Value::Wide(a.id),
        8 => Value::Bool(false),
        9 => Value::Int(a.device),
        10 => Value::Bool(matches!(a.origin, Origin::Context(_)) && !a.graph),
        11 => Value::Wide(a.base),
        12 => Value::Wide(a.bytes),
        13 => Value::Bool(true),
        14 => Value::Wide(0),
        15 => Value::Bool(false),
        16 => Value::Int(3),
        17 => match a.origin {
            Origin::Pool { pool, .. } => Value::Wide(pool as u64),
            _ => Value::Wide(0),
        },
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// One attribute of an address. Memory that the driver does not know is an invalid value.
pub fn attribute(s: &State, attribute: u32, address: u64) -> Result<Value> {
    value(
        s.memory.find(address).ok_or(Error::INVALID_VALUE)?,
        attribute,
        address,
    )
}

/// As `attribute`, for `cuPointerGetAttributes`: what is unknown is zero, and a device of -2.
pub fn attribute_or_none(s: &State, attribute: u32, address: u64) -> Result<Value> {
    match s.memory.find(address) {
        Some(a) => value(a, attribute, address).or(Ok(Value::Wide(0))),
        None => Ok(match attribute {
            9 => Value::Int(-2i32 as u32),
            2 | 16 => Value::Int(0),
            6 | 8 | 10 | 13 | 15 => Value::Bool(false),
            1 | 3 | 4 | 7 | 11 | 12 | 14 | 17 => Value::Wide(0),
            5 => Value::Tokens,
            _ => return Err(Error::INVALID_VALUE),
        }),
    }
}

/// `cuPointerSetAttribute`: only `SYNC_MEMOPS`, which changes nothing that is kept here.
pub fn set_attribute(s: &State, attribute: u32, address: u64) -> Result {
    if attribute != 6 {
        return Err(Error::INVALID_VALUE);
    }
    s.memory.find(address).map(drop).ok_or(Error::INVALID_VALUE)
}
