//! Which device is which: ordinals, names, UUIDs, addresses on the bus.
use crate::driver::base::{Error, Result};
use crate::driver::state::State;

/// The device of an ordinal.
pub fn by_ordinal(s: &State, ordinal: i32) -> Result<u32> {
    u32::try_from(ordinal)
        .ok()
        .filter(|d| (*d as usize) < s.devices.len())
        .ok_or(Error::INVALID_DEVICE)
}

pub fn name(s: &State) -> String {
    let sm = s.settings.sm;
    format!("PTX interpreter (sm_{sm})")
}

/// A UUID that says which driver this is.
pub fn uuid(device: u32) -> [u8; 16] {
    let mut uuid = *b"ptx-driver test\0";
    uuid[15] = device as u8;
    uuid
}

/// The bus address, as `cuDeviceGetPCIBusId` writes it.
pub fn bus_id(device: u32) -> String {
    format!("0000:{:02x}:00.0", device + 1)
}

/// The device of a bus address; the domain and the function may be left out.
pub fn by_bus_id(s: &State, id: &str) -> Result<u32> {
    let id = id.to_ascii_lowercase();
    let bus = match id.split(':').collect::<Vec<_>>()[..] {
        [domain, bus, rest] if u32::from_str_radix(domain, 16) == Ok(0) => (bus, rest),
        [bus, rest] => (bus, rest),
        _ => return Err(Error::INVALID_VALUE),
    };
    if !matches!(bus.1, "00" | "00.0" | "0" | "0.0") {
        return Err(Error::INVALID_DEVICE);
    }
    let number = i32::from_str_radix(bus.0, 16).map_err(|_| Error::INVALID_VALUE)?;
    by_ordinal(s, number - 1)
}
