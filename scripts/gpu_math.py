"""Writes warp-core/src/backend/cuda/math/library.ll: mathematics for GPUs where there is no libdevice.

Compiles functions of the crate `libm` (pure Rust, a port of musl's) and our inverse error functions to LLVM text, and
brings that into the form that LLVM 19 reads. Run by hand, after a change of either:

    python scripts/gpu_math.py PATH_TO_LIBM_SOURCES

where `cargo fetch` on a package that depends on libm 0.2.16 leaves the sources in ~/.cargo/registry/src.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "warp-core/src"
OUT = CORE / "backend/cuda/math/library.ll"

UNARY = "sin cos tan asin acos atan sinh cosh tanh exp exp2 log log2 log10 cbrt erf erfc".split()
BINARY = "pow atan2".split()

# What the device has as instructions.
INSTRUCTIONS = {
    "sqrt.rs": "sqrt",
    "fabs.rs": "fabs",
}

SHIM = """
#![no_std]
#![feature(core_intrinsics)]
#![allow(warnings)]
mod math;
use core::{f32, f64};
pub use self::math::*;

trait Methods: Sized {
    fn ln(self) -> f64;
    fn ln_1p(self) -> f64;
    fn exp(self) -> f64;
    fn sqrt(self) -> f64;
}
impl Methods for f64 {
    fn ln(self) -> f64 { math::log(self) }
    fn ln_1p(self) -> f64 { math::log1p(self) }
    fn exp(self) -> f64 { math::exp(self) }
    fn sqrt(self) -> f64 { math::sqrt(self) }
}
mod inverse;

/// The remainder of truncated division, exact: shift and subtract.
macro_rules! remainder {
    ($name:ident, $float:ty, $bits:ty, $digits:expr) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(x: $float, y: $float) -> $float {
            const EXPONENT: $bits = (1 << (<$bits>::BITS - 1 - $digits)) - 1;
            const HIDDEN: $bits = 1 << $digits;
            let (a, b) = (x.to_bits() & (<$bits>::MAX >> 1), y.to_bits() & (<$bits>::MAX >> 1));
            let infinite = EXPONENT << $digits;
            if b == 0 || b > infinite || a >= infinite {
                return <$float>::NAN;
            }
            if a < b {
                return x;
            }
            let split = |v: $bits| match v >> $digits {
                0 => {
                    let shift = v.leading_zeros() - (<$bits>::BITS - 1 - $digits);
                    (1 - shift as i32, v << shift)
                }
                e => (e as i32, v & (HIDDEN - 1) | HIDDEN),
            };
            let ((mut ex, mut mx), (ey, my)) = (split(a), split(b));
            while ex > ey {
                if mx >= my {
                    mx -= my;
                }
                mx <<= 1;
                ex -= 1;
            }
            if mx >= my {
                mx -= my;
            }
            let sign = x.to_bits() & !(<$bits>::MAX >> 1);
            if mx == 0 {
                return <$float>::from_bits(sign);
            }
            let shift = mx.leading_zeros() - (<$bits>::BITS - 1 - $digits);
            let (ex, mx) = (ex - shift as i32, mx << shift);
            let size = match ex > 0 {
                true => mx - HIDDEN | (ex as $bits) << $digits,
                false => mx >> (1 - ex),
            };
            <$float>::from_bits(size | sign)
        }
    };
}
remainder!(wl_fmod_f32, f32, u32, 23);
remainder!(wl_fmod_f64, f64, u64, 52);
"""


def shim() -> str:
    """The crate that is compiled."""
    text = SHIM
    head = '#[unsafe(no_mangle)] pub extern "C" fn'
    for name in UNARY:
        for ty, suffix in (("f64", ""), ("f32", "f")):
            # `erfc` is `erfcf`.
            text += f"{head} wl_{name}_{ty}(x: {ty}) -> {ty} {{ math::{name}{suffix}(x) }}\n"
    for name in BINARY:
        for ty, suffix in (("f64", ""), ("f32", "f")):
            text += f"{head} wl_{name}_{ty}(x: {ty}, y: {ty}) -> {ty} {{ math::{name}{suffix}(x, y) }}\n"
    for name in ("erfinv", "erfcinv"):
        text += f"{head} wl_{name}_f64(x: f64) -> f64 {{ inverse::{name}(x) }}\n"
        text += f"{head} wl_{name}_f32(x: f32) -> f32 {{ inverse::{name}(x as f64) as f32 }}\n"
    return text


def inverses() -> str:
    text = (CORE / "ir/primitive/special/host.rs").read_text()
    text = text[text.index("use c::{erf, erfc};") : text.index("#[cfg(test)]")]
    text = text.replace("use c::{erf, erfc};", "use crate::Methods;\nuse crate::math::{erf, erfc};")
    return text.replace("std::f64", "core::f64").replace('pub(super) extern "C" fn', "pub fn")


def compiled(sources: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copytree(sources / "src/math", work / "math")
        for file, name in INSTRUCTIONS.items():
            body = "".join(
                f"pub fn {name}{suffix}(x: {ty}) -> {ty} {{ core::intrinsics::{name}{ty}(x) }}\n"
                for ty, suffix in (("f64", ""), ("f32", "f"))
            )
            (work / "math" / file).write_text(
                body.replace("core::intrinsics::fabsf64(x)", "x.abs()").replace(
                    "core::intrinsics::fabsf32(x)", "x.abs()"
                )
            )
        (work / "lib.rs").write_text(shim())
        (work / "inverse.rs").write_text(inverses())
        out = work / "out.ll"
        command = ["rustc", "--edition=2024", "--crate-type=lib", "--emit=llvm-ir", "-Copt-level=s", "-Cpanic=abort"]
        command += ["-Ccodegen-units=1", "-Cno-vectorize-loops", "-Cno-vectorize-slp", "-Zinline-mir-threshold=0"]
        command += ["--cfg", "intrinsics_enabled", "-o", str(out), str(work / "lib.rs")]
        subprocess.run(command, check=True, env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
        return out.read_text()


def cleaned(text: str) -> str:
    """The text without what is rustc's: names, attributes, notes for debuggers."""
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        name = match.group(1).strip('"')
        if name.startswith("llvm."):
            return "@" + name
        if name.startswith("wl_"):
            return "@" + re.sub(r"^wl_(\w+)_(f\d\d)$", r"wl.\1.\2", name)
        return "@" + names.setdefault(name, f"w.lib.{len(names)}")

    def renamed_table(line: str) -> str:
        parts = re.split(r'(c"[^"]*")', line)
        # Without the sign that begins names, so that readers need not know about tables.
        return "".join(
            p.replace("@", "\\40") if p.startswith('c"') else re.sub(r'@("[^"]+"|[\w.$]+)', rename, p) for p in parts
        )

    lines = []
    for line in text.splitlines():
        if line.startswith(("source_filename", "target ", "attributes ", "!", "; ", "^")) or not line.strip():
            continue
        if "@llvm.lifetime." in line or "@llvm.assume" in line:
            continue
        line = re.sub(r"\s+;.*$", "", line) if not line.startswith("@") else line
        line = re.sub(r", ![a-zA-Z.]+ ![0-9]+", "", line)
        # Not within the bytes of a table.
        line = re.sub(r'(?<![c"\w\\])@("[^"]+"|[\w.$]+)', rename, line) if 'c"' not in line else renamed_table(line)
        line = re.sub(r" #\d+", "", line)
        line = re.sub(
            r"\b(noundef|unnamed_addr|local_unnamed_addr|dso_local|hidden|signext|zeroext|nofree|captures\([^)]*\)) ",
            "",
            line,
        )
        line = re.sub(r" (unnamed_addr|local_unnamed_addr|noundef)(?= |$|,)", "", line)
        line = re.sub(r"\bicmp samesign ", "icmp ", line)
        line = re.sub(r"\b(range)\([^)]*\) ", "", line)
        line = re.sub(r"getelementptr inbounds nuw ", "getelementptr inbounds ", line)
        line = re.sub(r"getelementptr nuw ", "getelementptr ", line)
        if line.startswith("define "):
            head = re.sub(r"^define (internal |private |fastcc )*", "", line)
            head = head.replace("fastcc ", "")
            line = "define internal " + head.replace(" {", " nounwind {")
            line = re.sub(r"define internal (range\([^)]*\) )?", "define internal ", line)
        line = line.replace("call fastcc ", "call ").replace("tail call ", "call ")
        line = re.sub(r"^(@[\w.]+) = private constant", r"\1 = internal constant", line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def needed(text: str) -> str:
    """What the functions for kernels need, without declarations: LLVM's parser declares intrinsics by itself."""
    items = re.findall(r"^(?:define .*?^\}\n|@.*?\n)", text, re.MULTILINE | re.DOTALL)
    named = {re.search(r"@([\w.]+)", item).group(1): item for item in items}
    # A second name for a function becomes a copy: PTX knows no such names.
    for name, item in list(named.items()):
        if alias := re.match(r"@[\w.]+ = .*\balias .*@([\w.]+)", item):
            named[name] = named[alias.group(1)].replace(f"@{alias.group(1)}(", f"@{name}(", 1)
    asked = [name for name in named if name.startswith("wl.")]
    taken: dict[str, str] = {}
    while asked:
        name = asked.pop()
        if name in taken or name.startswith("llvm."):
            continue
        if name not in named:
            sys.exit(f"nobody defines {name}")
        taken[name] = named[name]
        code = re.sub(r'c"[^"]*"', "", named[name])
        asked += re.findall(r"@([\w.]+)", code)
    return "".join(item for name, item in named.items() if name in taken)


def main() -> None:
    text = needed(cleaned(compiled(Path(sys.argv[1]))))
    head = (
        "; Made by scripts/gpu_math.py of the crate libm 0.2.16 (MIT; py/licenses) and our inverse error functions.\n"
    )
    OUT.write_text(head + text)
    print(f"{OUT}: {len(text)} bytes, {text.count(chr(10) + 'define ')} functions")


if __name__ == "__main__":
    main()
