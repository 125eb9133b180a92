//! The start of the driver: settings are read, and devices made.
use crate::driver::base::settings::Settings;
use crate::driver::base::{Error, Result};
use crate::driver::state::{Device, Guard, Pool};
use crate::machine::Random;

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
