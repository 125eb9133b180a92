//! Devices: what they are like, and how much of their memory is in use.
use super::error::{Error, Result};
use super::handle::Handle;
use super::pool::Pool;
use super::random::Random;
use super::settings::Settings;
use super::state::{Guard, State};

pub struct Device {
    /// Bytes that allocations and pools take.
    pub used: u64,
    pub memory: u64,
    pub primary: Option<Handle>,
    pub primary_uses: u32,
    pub primary_flags: u32,
    pub default_pool: Handle,
    /// The pool that `cuMemAllocAsync` takes from.
    pub pool: Handle,
}

impl Device {
    /// Counts bytes as used, if there are as many.
    pub fn take(&mut self, bytes: u64) -> Result {
        if bytes > self.memory.saturating_sub(self.used) {
            return Err(Error::OUT_OF_MEMORY);
        }
        self.used += bytes;
        Ok(())
    }

    pub fn release(&mut self, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
    }
}

/// Reads the settings and makes the devices.
pub fn start(g: &mut Guard) -> Result {
    let s = &mut **g;
    s.settings = Settings::read().map_err(|sentence| {
        eprintln!("ptx-driver: {sentence}");
        Error::INVALID_VALUE
    })?;
    if s.settings.devices == 0 {
        return Err(Error::NO_DEVICE);
    }
    s.random = Random::new(s.settings.seed);
    for ordinal in 0..s.settings.devices {
        let pool = s.pools.insert(Pool::new(ordinal, true));
        s.devices.push(Device {
            used: 0,
            memory: s.settings.memory,
            primary: None,
            primary_uses: 0,
            primary_flags: 0,
            default_pool: pool,
            pool,
        });
    }
    s.initialized = true;
    Ok(())
}

/// The device of an ordinal.
pub fn check(s: &State, ordinal: i32) -> Result<u32> {
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
    check(s, number - 1)
}

/// Kept back of each block's shared memory from sm_80 on.
pub const RESERVED_SHARED: u64 = 1024;

pub fn shared_per_multiprocessor(sm: u32) -> i64 {
    match sm {
        0..=79 => 64 << 10,
        80 | 87 => 164 << 10,
        86 | 89 | 120.. => 100 << 10,
        _ => 228 << 10,
    }
}

/// Shared memory that a block can have if its kernel asks for it.
pub fn shared_optin(sm: u32) -> i64 {
    if sm < 80 {
        64 << 10
    } else {
        shared_per_multiprocessor(sm) - RESERVED_SHARED as i64
    }
}

pub fn threads_per_multiprocessor(sm: u32) -> u32 {
    match sm {
        75..=79 => 1024,
        86..=89 | 120.. => 1536,
        _ => 2048,
    }
}

pub fn blocks_per_multiprocessor(sm: u32) -> u32 {
    match sm {
        75..=79 | 86 | 87 => 16,
        89 | 120.. => 24,
        _ => 32,
    }
}

/// `cuDeviceGetAttribute`. Attributes of hardware that a kernel of PTX cannot use are zero.
pub fn attribute(s: &State, device: i32, attribute: u32) -> Result<i32> {
    let device = check(s, device)?;
    let sm = s.settings.sm;
    Ok(match attribute {
        1..=3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65535,
        8 => 48 << 10,
        9 => 64 << 10,
        10 => 32,
        11 => i32::MAX,
        12 | 82 => 65536,
        13 | 36 => 1_000_000,
        14 | 30 => 512,
        15 => 1,
        16 => s.settings.multiprocessors as i32,
        17 | 18 => 0,
        19 => 1,
        20 => 0,
        21 | 22 | 42 | 53 | 55 | 77 => 131_072,
        23 | 27..=28 | 46..=47 | 56 | 70..=71 | 73..=74 => 65536,
        24..=26 => 16384,
        29 => 2048,
        31 => 1,
        32 => 0,
        33 => device as i32 + 1,
        34 | 35 | 50 => 0,
        37 => 256,
        38 => 4 << 20,
        39 => threads_per_multiprocessor(sm) as i32,
        40 => 2,
        41 => 1,
        51 => 32,
        69 => 1 << 27,
        72 => 2_097_120,
        75 => (sm / 10) as i32,
        76 => (sm % 10) as i32,
        78..=80 => 1,
        81 => shared_per_multiprocessor(sm) as i32,
        // Managed memory, and the host's memory without registration: no.
        83 | 88 | 89 | 100 | 101 => 0,
        84 | 86 => 0,
        85 => device as i32,
        87 => 64,
        90 | 91 => 1,
        // Operations on streams that read and write memory; cooperative launches; virtual memory.
        92..=96 | 98 | 102..=105 | 107..=110 => 0,
        97 => shared_optin(sm) as i32,
        99 => 1,
        106 => blocks_per_multiprocessor(sm) as i32,
        111 => {
            if sm < 80 {
                0
            } else {
                RESERVED_SHARED as i32
            }
        }
        112..=114 | 116..=119 => 0,
        115 => 1,
        43..=45 | 48..=49 | 52 | 54 | 57..=68 => 0,
        120..=145 => 0,
        _ => return Err(Error::INVALID_VALUE),
    })
}
