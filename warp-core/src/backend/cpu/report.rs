//! What a kernel becomes on the CPU, for its author: its bodies, and how often they lack registers.

use super::llvm::{self, OptLevel, Tuning};
use crate::error::Result;
use crate::lower::{self, BodyReport};
use crate::verify::Verified;

/// The bodies of a kernel. Compiles it once more.
///
/// # Errors
/// [`crate::error::Code::Bug`] if LLVM refuses the text, which is a bug.
pub fn report(func: &Verified, options: &lower::Options) -> Result<Vec<BodyReport>> {
    let (mut lowered, level) = lowered(func, options)?;
    let assembly = llvm::assembly(&lowered.text, level, Tuning::default())?;
    for body in &mut lowered.report {
        let symbol = format!("{}.{}", options.name, body.name);
        body.spills = Some(spills(&assembly, &symbol));
    }
    Ok(lowered.report)
}

/// What LLVM makes of a kernel: its own text after optimisation, or assembly.
///
/// # Errors
/// [`crate::error::Code::Bug`] if LLVM refuses the text, which is a bug.
pub fn text(func: &Verified, options: &lower::Options, assembly: bool) -> Result<String> {
    let (lowered, level) = lowered(func, options)?;
    Ok(match assembly {
        true => llvm::assembly(&lowered.text, level, Tuning::default())?,
        false => llvm::optimized_text(&lowered.text, level, Tuning::default())?,
    })
}

/// A kernel as text for LLVM, and how hard LLVM is to try.
fn lowered(func: &Verified, options: &lower::Options) -> Result<(lower::Lowered, OptLevel)> {
    let options = &lower::Options {
        vector: llvm::vector_bytes(),
        gathers: llvm::gathers_well(),
        ..options.clone()
    };
    let level = match options.fast_compile {
        true => OptLevel::O0,
        false => OptLevel::O2,
    };
    Ok((lower::host::lower(func, options)?, level))
}

/// How many instructions of a function are there because registers are too few, as LLVM's comments say.
fn spills(assembly: &str, symbol: &str) -> usize {
    let start = format!("{symbol}:");
    let lines = assembly.lines().map(|line| line.trim_start_matches('"'));
    let lines = lines.skip_while(|line| {
        let name = line.split_whitespace().next().unwrap_or_default();
        name.replace('"', "") != start
    });
    let body =
        lines.take_while(|line| !line.contains(".cfi_endproc") && !line.starts_with(".Lfunc_end"));
    body.filter(|line| line.ends_with("Spill")).count()
}
