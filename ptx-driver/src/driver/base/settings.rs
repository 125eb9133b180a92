//! Settings: environment variables `PTX_DRIVER_NAME`, or `ptx_driver_configure("NAME", "value")`.
use std::collections::BTreeMap;
use std::sync::Mutex;

/// When work is executed that nobody waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Not before somebody waits for it, and no more than that takes.
    Lazy,
    /// When it is enqueued.
    Eager,
    /// By chance, in any order that streams and events allow.
    Random,
}

#[derive(Clone, Debug)]
pub struct Settings {
    pub order: Order,
    pub seed: u64,
    /// Threads of a block are switched after so many instructions, on average.
    pub switch: Option<u32>,
    pub races: bool,
    pub devices: u32,
    /// Compute capability, 75 for 7.5.
    pub sm: u32,
    /// Version of the driver, 12040 for 12.4.
    pub version: u32,
    /// The newest PTX that is taken, 84 for 8.4.
    pub ptx: u32,
    /// Bytes of each device.
    pub memory: u64,
    pub multiprocessors: u32,
    pub log: bool,
    /// Whether an asynchronous copy to pageable memory waits, as documented, or lands like one to pinned memory.
    pub pageable_waits: bool,
    pub peer: bool,
    /// Instructions that one launch may execute.
    pub limit: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            order: Order::Lazy,
            seed: 1,
            switch: None,
            races: false,
            devices: 1,
            sm: 90,
            version: 12040,
            ptx: 84,
            memory: 4 << 30,
            multiprocessors: 4,
            log: false,
            pageable_waits: false,
            peer: true,
            limit: None,
        }
    }
}

/// What `ptx_driver_configure` was told; it goes before the environment.
static CONFIGURED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

const PREFIX: &str = "PTX_DRIVER_";

impl Settings {
    /// Reads the environment and what was configured. The error names the setting that is unknown or has a wrong value.
    pub fn read() -> Result<Settings, String> {
        let mut settings = Settings::default();
        for (name, value) in std::env::vars_os() {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            if let Some(name) = name.strip_prefix(PREFIX) {
                settings.set(name, value)?;
            }
        }
        for (name, value) in CONFIGURED.lock().unwrap_or_else(|e| e.into_inner()).iter() {
            settings.set(name, value)?;
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("{PREFIX}{name}={value} is not understood");
        let number = || value.parse::<u64>().map_err(|_| wrong());
        let small = || value.parse::<u32>().map_err(|_| wrong());
        let flag = || match value {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(wrong()),
        };
        match name {
            "ORDER" => {
                self.order = match value {
                    "lazy" => Order::Lazy,
                    "eager" => Order::Eager,
                    "random" => Order::Random,
                    _ => return Err(wrong()),
                }
            }
            "SEED" => self.seed = number()?,
            "SWITCH" => self.switch = Some(small()?).filter(|n| *n != 0),
            "RACES" => self.races = flag()?,
            "DEVICES" => self.devices = small().ok().filter(|n| *n <= 64).ok_or_else(wrong)?,
            "SM" => self.sm = small()?,
            "VERSION" => self.version = small()?,
            "PTX" => self.ptx = small()?,
            "MEMORY" => self.memory = number()?,
            "MULTIPROCESSORS" => self.multiprocessors = small()?,
            "LOG" => self.log = flag()?,
            "PAGEABLE" => {
                self.pageable_waits = match value {
                    "late" => false,
                    "wait" => true,
                    _ => return Err(wrong()),
                }
            }
            "PEER" => self.peer = flag()?,
            "LIMIT" => self.limit = Some(number()?).filter(|n| *n != 0),
            _ => return Err(format!("{PREFIX}{name} is no setting of this driver")),
        }
        Ok(())
    }
}

/// Remembers a setting until `forget`. The error says what is wrong with it.
pub fn configure(name: &str, value: &str) -> Result<(), String> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    Settings::default().set(name, value)?;
    CONFIGURED
        .lock()
        .unwrap_or_else(|e| e.into_inner())
        .insert(name.into(), value.into());
    Ok(())
}

/// Forgets what was configured: the environment alone holds again.
pub fn forget() {
    CONFIGURED.lock().unwrap_or_else(|e| e.into_inner()).clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_and_values_are_refused() {
        assert!(Settings::default().set("ODER", "lazy").is_err());
        assert!(Settings::default().set("ORDER", "late").is_err());
        assert!(Settings::default().set("DEVICES", "65").is_err());
        assert!(Settings::default().set("DEVICES", "2").is_ok());
    }
}
