"""What NVIDIA's assembler knows of the table of instructions: which GPUs have them, and results that it computes.

With operands that are constants the assembler replaces many instructions by their results. Those are NVIDIA's answers,
without a GPU. Triton, which torch brings, has the assembler and a disassembler.
"""

from __future__ import annotations

import importlib.util
import re
import struct
import subprocess
from pathlib import Path

from gpu.calibration import calibrate
from gpu.calibration.calibrate import Row

NUMBER = re.compile(r"-?0x[0-9a-f]+")
STORE = re.compile(r"STG\.E\.64 (?:desc\[\w+\])?\[\w+\.64(?:\+(0x[0-9a-f]+))?\], (\w+)")
MOVE = re.compile(r"(?:MOV|IMAD\.MOV\.U32) R(\d+), (?:RZ, RZ, )?(-?0x[0-9a-f]+|R\d+|RZ)$")
ZERO = re.compile(r"CS2R(\.32)? R(\d+), SRZ")
HALVES = re.compile(r"HFMA2(?:\.MMA)? R(\d+), -RZ, RZ, ([^,]+), ([^,]+)$")
OTHER = re.compile(r"\S+ (?:P\d, )?R(\d+)")


def tools() -> tuple[Path, Path] | None:
    """The assembler and the disassembler."""
    triton = importlib.util.find_spec("triton")
    if triton is None or triton.origin is None:
        return None
    folder = Path(triton.origin).parent / "backends/nvidia/bin"
    found = folder / "ptxas", folder / "nvdisasm"
    return found if all(tool.exists() for tool in found) else None


def assemble(ptxas: Path, text: str, capability: int, output: Path, level: int = 0) -> str:
    """What the assembler complains of."""
    source = output.with_suffix(".ptx")
    source.write_text(calibrate.head("8.0", capability) + text)
    command = [ptxas, f"-arch=sm_{capability}", f"-O{level}", "-o", output, source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stderr if done.returncode else ""


def constants(rows: list[Row]) -> str:
    """A kernel like that of `calibrate.text_of`, with constants in place of operands from memory."""
    body = ""
    for number, row in enumerate(rows):
        body += "mov.u64 %rd0, 0; mov.u32 %r0, 0; mov.b16 %rs0, 0; mov.pred %p0, 0;\n"
        for k, value in enumerate((row.operands + [0] * 4)[:4], 1):
            body += f"mov.u64 %rd{k}, {value:#x}; mov.u32 %r{k}, {value & 0xFFFFFFFF:#x}; "
            body += f"mov.b16 %rs{k}, {value & 0xFFFF:#x}; mov.b32 %f{k}, %r{k}; mov.b64 %fd{k}, %rd{k}; "
            body += f"setp.ne.u32 %p{k}, {value & 1}, 0;\n"
        body += f"{row.text}\n{calibrate.INTO[row.register]} st.global.u64 [%rd21+{number * 8}], %rd0;\n"
    return f".visible .entry k(.param .u64 p0) {{ {calibrate.REGISTERS}\nld.param.u64 %rd21, [p0];\n{body}ret; }}\n"


def stored(sass: str) -> dict[int, int]:
    """The constants that a kernel without branches stores, by place. What is no constant is left out."""
    registers: dict[int, int] = {}
    found: dict[int, int] = {}

    def forget(number: int) -> None:
        registers.pop(number, None)
        registers.pop(number + 1, None)

    for line in sass.splitlines():
        instruction = re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if instruction is None:
            continue
        text = instruction[1]
        if store := STORE.match(text):
            place, name = int(store[1] or "0", 16) // 8, store[2]
            pair = (0, 0) if name == "RZ" else tuple(registers.get(int(name[1:]) + k) for k in (0, 1))
            if None not in pair:
                found[place] = pair[0] | pair[1] << 32
        elif text.startswith("@"):
            for name in re.findall(r"\bR(\d+)\b", text):
                forget(int(name))
        elif move := MOVE.match(text):
            target, source = int(move[1]), move[2]
            registers.pop(target, None)
            value = int(source, 16) if NUMBER.match(source) else 0 if source == "RZ" else registers.get(int(source[1:]))
            if value is not None:
                registers[target] = value & 0xFFFFFFFF
        elif zero := ZERO.match(text):
            for number in range(int(zero[2]), int(zero[2]) + (1 if zero[1] else 2)):
                registers[number] = 0
        elif halves := HALVES.match(text):
            high, low = (struct.unpack("<H", struct.pack("<e", float(half)))[0] for half in halves.groups()[1:])
            registers[int(halves[1])] = high << 16 | low
        elif other := OTHER.match(text):
            forget(int(other[1]))
    return found


def computed(rows: list[Row], folder: Path) -> list[tuple[Row, int]]:
    """The rows whose results the assembler computes, with these."""
    found = tools()
    assert found is not None
    ptxas, nvdisasm = found
    output = folder / "constants.cubin"
    complaint = assemble(ptxas, constants(rows), 90, output, level=3)
    assert not complaint, complaint
    sass = subprocess.run([nvdisasm, "-c", output], capture_output=True, text=True, timeout=120, check=True).stdout
    return [(rows[place], value) for place, value in sorted(stored(sass).items())]
