//! What compilations share, set up before the first one.

use crate::backend::cpu::background;
use crate::backend::cpu::llvm::{self, OptLevel, Tuning};
use crate::front::{self, SourceText};
use crate::lower;
use crate::verify::verify;
use std::time::Duration;

/// Waits until no background compile is pending, for so long at most. Returns whether that is so.
pub fn finish_compiles(patience: Duration) -> bool {
    background::finish(patience)
}

/// For programs that end: waits for what was begun in the background, a moment at most.
pub fn finish_preparing() {
    llvm::finish_preparing();
    background::finish_at_exit();
}

/// Sets up what compilations share, in the background: what a program would else wait for at its
/// first launch. A small kernel is compiled once, which brings the code for it into memory.
pub fn prepare() {
    llvm::prepare(|| {
        let text = "def k(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0\n";
        let text = SourceText {
            name: "k".into(),
            file: "prepare".into(),
            first_line: 1,
            text: text.into(),
        };
        // Whatever goes wrong here goes wrong again where it can be reported.
        if let Ok(built) = front::build(text, &front::StaticScope::new(), front::Reading::default())
            && let Ok(func) = verify(built.func)
        {
            let options = lower::Options {
                check_bounds: true,
                ..lower::Options::default()
            };
            let Ok(lowered) = lower::host::lower(&func, &options) else {
                return;
            };
            let object = llvm::compile(&lowered.text, OptLevel::O0, Tuning::default());
            let _ = object.and_then(|object| llvm::load(&object, "kernel"));
        }
    });
}
