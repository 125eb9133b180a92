//! What is known of a processor, as LLVM lists it.

use std::borrow::Cow;
use std::ffi::CString;

/// A level of an architecture: its name, LLVM's name for such a processor, and what it has of the features that this machine may lack.
pub struct Level {
    pub name: &'static str,
    pub cpu: &'static str,
    pub needs: &'static str,
}

/// A processor.
pub struct Facts {
    /// Its name.
    pub cpu: CString,
    /// Its features, with commas between them.
    pub features: CString,
}

impl Facts {
    /// A processor of a level.
    pub fn of(level: &Level) -> Facts {
        Facts {
            cpu: CString::new(level.cpu).unwrap_or_default(),
            features: CString::new(level.needs).unwrap_or_default(),
        }
    }

    /// What code may use.
    pub fn features(&self) -> Cow<'_, str> {
        self.features.to_string_lossy()
    }

    /// Whether code may use a feature, named as LLVM names it.
    pub fn has(&self, feature: &str) -> bool {
        self.features().split(',').any(|f| f == feature)
    }
}
