"""Runs the table of instructions, `ptx-driver/tests/forms.txt`, on a driver, and says where its answers differ.

    python tests/python/gpu/calibration/calibrate.py [--driver LIBRARY] [--goldens FOLDER]

The header of the table says how it is read. The driver for tests has to give each result to the bit. A GPU may differ
where NVIDIA leaves a result open, as a row's notes say. What a GPU answers is written to a golden of the table's own
form, one for each compute capability, which the repository keeps (`tests/goldens/ptx`).

Needs Python's own library alone.
"""

from __future__ import annotations

import argparse
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from gpu.support.driver_calls import LIBRARY, Driver, DriverError
from support.places import ROOT

TABLE = ROOT / "ptx-driver/tests/forms.txt"
GOLDENS = ROOT / "tests/goldens/ptx"
REGISTERS = (
    ".reg .pred %p<16>; .reg .b16 %rs<16>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<16>; .reg .f64 %fd<16>;"
)
# Bits of the float in a register of this kind, and of the sign and exponent of its infinity.
INFINITY = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}


@dataclass
class Row:
    """A line of the table."""

    section: str
    kind: str
    blocks: int
    threads: int
    text: str
    operands: list[int]
    result: list[int]
    notes: list[str]
    line: int

    @property
    def key(self) -> str:
        return self.text + (f" <- {' '.join(f'{n:x}' for n in self.operands)}" if self.operands else "")

    @property
    def capability(self) -> int:
        return max([75, *(int(note[3:]) for note in self.notes if note.startswith("sm "))])

    @property
    def open(self) -> list[str]:
        """The notes that leave the result open."""
        return [note for note in self.notes if not note.startswith("sm ")]

    @property
    def register(self) -> str:
        """The kind of register that a row of kind `rows` leaves its result in."""
        found = re.search(r"%(rd|rs|r|fd|f|p)0\b", self.text)
        if found is None:
            raise ValueError(f"{TABLE}:{self.line}: no register 0 is written")
        return found[1]


@dataclass
class Outcome:
    """What a device made of a row: its numbers, or why there are none."""

    row: Row
    got: list[int] = field(default_factory=list)
    refused: str = ""
    skipped: bool = False

    @property
    def fits(self) -> bool:
        return self.skipped or (not self.refused and fits(self.row, self.got))

    @property
    def same(self) -> bool:
        return self.got == self.row.result


def numbers(text: str) -> list[int]:
    """`c`, `7*32` for 32 times 7, `a..c` for a b c."""
    found: list[int] = []
    for word in text.split():
        if "*" in word:
            value, times = word.split("*")
            found += [int(value, 16)] * int(times)
        elif ".." in word:
            first, last = (int(end, 16) for end in word.split(".."))
            step = 1 if first <= last else -1
            found += range(first, last + step, step)
        else:
            found.append(int(word, 16))
    return found


def spell(values: list[int]) -> str:
    """The shortest of the forms that `numbers` reads."""
    words: list[str] = []
    at = 0
    while at < len(values):
        end = at
        while end + 1 < len(values) and values[end + 1] == values[at]:
            end += 1
        if end > at:
            words.append(f"{values[at]:x}*{end - at + 1}")
        else:
            for step in (1, -1):
                end = at
                while end + 1 < len(values) and values[end + 1] == values[end] + step:
                    end += 1
                if end > at + 1:
                    break
            else:
                end = at
            words.append(f"{values[at]:x}" + (f"..{values[end]:x}" if end > at else ""))
        at = end + 1
    return " ".join(words)


def read(path: Path = TABLE) -> list[Row]:
    """The rows of the table."""
    rows: list[Row] = []
    section, kind, blocks, threads = "", "", 1, 1
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("== "):
            section, _, how = line[3:].partition(" | ")
            kind, *sizes = how.split()
            blocks, threads = map(int, sizes) if sizes else (1, 1)
        elif line and not line.startswith("#"):
            left, _, right = line.rpartition(" = ")
            text, arrow, operands = left.rpartition(" <- ")
            result, *notes = right.split(" [")
            rows.append(
                Row(
                    section,
                    kind,
                    blocks,
                    threads,
                    text if arrow else left,
                    numbers(operands) if arrow else [],
                    numbers(result),
                    [note.rstrip("]") for note in notes],
                    number,
                )
            )
    return rows


def float_bits(row: Row) -> int:
    """How wide the floats are that a row results in."""
    if row.register == "rs" or "16x2" in row.text:
        return 16
    return {"f": 32, "fd": 64}[row.register]


def ordered(pattern: int, bits: int) -> int:
    """Floats as integers of the same order."""
    sign = 1 << (bits - 1)
    return -(pattern ^ sign) if pattern & sign else pattern


def fits(row: Row, got: list[int]) -> bool:
    """Whether NVIDIA's documentation allows a result."""
    if got == row.result or "any" in row.open:
        return True
    if len(got) != len(row.result):
        return False
    for note in row.open:
        if note.startswith("less than "):
            return got[0] < int(note.removeprefix("less than "), 16)
        if note == "nan":
            bits = float_bits(row)
            return got[0] & ((1 << (bits - 1)) - 1) > INFINITY[bits]
        if note.endswith(" ulp"):
            bits, away = float_bits(row), int(note.removesuffix(" ulp"), 16)
            mask = (1 << bits) - 1
            parts = range(0, 32 if row.register == "r" else bits, bits)
            pairs = [(got[0] >> at & mask, row.result[0] >> at & mask) for at in parts]
            return all(abs(ordered(a, bits) - ordered(b, bits)) <= away for a, b in pairs)
    return False


INTO = {
    "rd": "",
    "r": "cvt.u64.u32 %rd0, %r0;",
    "rs": "cvt.u64.u16 %rd0, %rs0;",
    "f": "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;",
    "fd": "mov.b64 %rd0, %fd0;",
    "p": "selp.u64 %rd0, 1, 0, %p0;",
}


def text_of(rows: list[Row]) -> str:
    """A module's text behind its head: one kernel `k` for all of kind `rows`, kernels `k0`, `k1`... of other kinds."""
    if rows[0].kind == "module":
        return rows[0].text.replace("REGISTERS", REGISTERS)
    if rows[0].kind == "rows":
        body = ""
        for number, row in enumerate(rows):
            body += "mov.u64 %rd0, 0; mov.u32 %r0, 0; mov.b16 %rs0, 0; mov.pred %p0, 0;\n"
            for k in range(1, 5):
                body += (
                    f"ld.global.u64 %rd{k}, [%rd20+{number * 32 + k * 8 - 8}]; cvt.u32.u64 %r{k}, %rd{k}; "
                    f"cvt.u16.u64 %rs{k}, %rd{k}; mov.b32 %f{k}, %r{k}; mov.b64 %fd{k}, %rd{k}; "
                    f"and.b32 %r10, %r{k}, 1; setp.ne.u32 %p{k}, %r10, 0;\n"
                )
            body += f"{row.text}\n{INTO[row.register]} st.global.u64 [%rd21+{number * 8}], %rd0;\n"
        return (
            f".visible .entry k(.param .u64 p0, .param .u64 p1) {{ {REGISTERS}\n"
            f"ld.param.u64 %rd20, [p0]; ld.param.u64 %rd21, [p1];\n{body}ret; }}\n"
        )
    kernels = ""
    for number, row in enumerate(rows):
        before = "mov.u32 %r1, %tid.x; mov.u32 %r30, %ctaid.x; mov.u32 %r31, %ntid.x; mad.lo.u32 %r30, %r30, %r31, %r1;"
        after = (
            "ld.param.u64 %rd30, [p0]; mul.wide.u32 %rd31, %r30, 4; add.u64 %rd30, %rd30, %rd31; "
            "st.global.u32 [%rd30], %r0;"
        )
        if row.kind == "atomic":
            before = (
                "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 32, %r1; "
                "cvt.u64.u32 %rd2, %r1; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f64.u32 %fd1, %r1;"
            )
            after = ""
        kernels += (
            (
                f".visible .entry k{number}(.param .u64 p0) {{ {REGISTERS}\n{before}\n"
                f"{row.text.replace('[p0]', f'[k{number}_p0]').replace('p0;', f'k{number}_p0;')}\n{after}\nret; }}\n"
            )
            .replace("(.param .u64 p0)", f"(.param .u64 k{number}_p0)")
            .replace(" [p0]", f" [k{number}_p0]")
        )
    return kernels


def head(version: str, capability: int) -> str:
    return f".version {version}\n.target sm_{capability}\n.address_size 64\n"


def groups(rows: list[Row]) -> Iterator[list[Row]]:
    """Rows that share a module."""
    found: dict[object, list[Row]] = {}
    for row in rows:
        alone = row.line if row.kind == "module" else 0
        found.setdefault((row.capability, row.kind, alone), []).append(row)
    yield from found.values()


def run(driver: Driver, rows: list[Row]) -> list[Outcome]:
    """What the device makes of rows."""
    there = driver.capability
    outcomes = [Outcome(row, skipped=True) for row in rows if row.capability > there]
    for group in groups([row for row in rows if row.capability <= there]):
        outcomes += run_group(driver, group)
    return sorted(outcomes, key=lambda outcome: outcome.row.line)


def run_group(driver: Driver, rows: list[Row]) -> list[Outcome]:
    code, module, log = driver.load(head(driver.ptx, rows[0].capability) + text_of(rows))
    if code:
        if len(rows) == 1:
            return [Outcome(rows[0], refused=f"{code} {' '.join(log.split())[:200]}")]
        # One that is refused spoils the others' module.
        half = len(rows) // 2
        return run_group(driver, rows[:half]) + run_group(driver, rows[half:])
    try:
        return launch(driver, module, rows)
    finally:
        driver.call("cuModuleUnload", module)


def launch(driver: Driver, module: int, rows: list[Row]) -> list[Outcome]:
    if rows[0].kind == "rows":
        operands = b"".join(struct.pack("<4Q", *(row.operands + [0] * 4)[:4]) for row in rows)
        source, target = driver.put(operands), driver.put(bytes(8 * len(rows)))
        must(driver.launch(driver.function(module, "k"), [source, target]))
        words = struct.unpack(f"<{len(rows)}Q", driver.read(target, 8 * len(rows)))
        driver.free(source, target)
        return [Outcome(row, [word]) for row, word in zip(rows, words, strict=True)]
    outcomes = []
    for number, row in enumerate(rows):
        grid, block, shared = (row.blocks, 1, 1), (row.threads, 1, 1), 0
        if row.kind == "atomic":
            place, count, form = driver.put(struct.pack("<Q", row.operands[0])), 1, "Q"
            grid, block = (2, 1, 1), (32, 1, 1)
        else:
            place, count, form = driver.put(bytes(4 * 512)), len(row.result), "I"
        if row.kind == "module":
            shared = 64
        function = driver.function(module, "k" if row.kind == "module" else f"k{number}")
        must(driver.launch(function, [place], grid, block, shared))
        words = struct.unpack(f"<{count}{form}", driver.read(place, struct.calcsize(f"<{count}{form}")))
        driver.free(place)
        outcomes.append(Outcome(row, list(words)))
    return outcomes


def must(code: int) -> None:
    if code:
        raise DriverError("cuLaunchKernel", code)


def golden(driver: Driver, outcomes: list[Outcome]) -> str:
    """The answers in the table's form, without its notes."""
    text = f"# What {driver.describe()} answers to ptx-driver/tests/forms.txt; calibrate.py writes this.\n"
    section = ""
    for outcome in outcomes:
        row = outcome.row
        if row.section != section:
            section = row.section
            sizes = f" {row.blocks} {row.threads}" if row.kind in ("lanes", "module") else ""
            text += f"\n== {section} | {row.kind}{sizes}\n"
        if outcome.refused:
            text += f"# {row.key} is refused: {outcome.refused}\n"
        elif not outcome.skipped:
            text += f"{row.key} = {spell(outcome.got)}\n"
    return text


def differences(rows: list[Row], answers: list[Row]) -> list[str]:
    """Where a golden's answers are none that the table allows. The golden may be older than some rows."""
    known = {(row.kind, row.key): row for row in rows}
    found = []
    for answer in answers:
        row = known.get((answer.kind, answer.key))
        if row is not None and not fits(row, answer.result):
            found.append(f"{row.key} = {spell(answer.result)}, not {spell(row.result)}")
    return found


def complaint(outcome: Outcome) -> str:
    row = outcome.row
    said = f"is refused: {outcome.refused}" if outcome.refused else f"gives {spell(outcome.got)}"
    return f"{TABLE.name}:{row.line}: {row.key} {said}, expected {spell(row.result)} {row.notes or ''}".rstrip()


def summary(outcomes: list[Outcome]) -> str:
    ran = [outcome for outcome in outcomes if not outcome.skipped]
    same = sum(outcome.same for outcome in ran)
    fit = sum(outcome.fits for outcome in ran)
    return (
        f"{len(ran)} rows ran: {same} as the driver for tests, {fit - same} within what NVIDIA leaves open, "
        f"{len(ran) - fit} different; {len(outcomes) - len(ran)} need a later GPU"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", default=LIBRARY, help=f"the library (default: {LIBRARY})")
    parser.add_argument("--goldens", type=Path, help="write the answers into this folder")
    options = parser.parse_args()
    driver = Driver(options.driver).start()
    outcomes = run(driver, read())
    for outcome in outcomes:
        if not outcome.fits:
            print(complaint(outcome))
    print(f"{driver.describe()}: {summary(outcomes)}")
    if options.goldens:
        options.goldens.mkdir(parents=True, exist_ok=True)
        path = options.goldens / f"sm_{driver.capability}.txt"
        path.write_text(golden(driver, outcomes))
        print(f"wrote {path}")
    return 0 if all(outcome.fits for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
