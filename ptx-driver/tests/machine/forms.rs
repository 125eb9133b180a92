//! The table of instructions, `tests/forms.txt`: what each makes of its operands. Its header says how it is read.
//!
//! `tests/python/gpu/calibration/calibrate.py` runs the same table on any driver.

use crate::device::{Device, HEAD, REGISTERS, kernel, warp};
use ptx_driver::machine::{Grid, Settings, run};
use ptx_driver::ptx::Module;

const TABLE: &str = include_str!("../forms.txt");

/// The rows below one heading.
struct Section {
    name: &'static str,
    kind: &'static str,
    /// Blocks, and threads of each.
    threads: [u32; 2],
    rows: Vec<Row>,
}

struct Row {
    line: usize,
    text: &'static str,
    operands: Vec<u64>,
    result: Vec<u64>,
}

fn hex(word: &str) -> u64 {
    u64::from_str_radix(word, 16).unwrap_or_else(|e| panic!("{word}: {e}"))
}

/// Numbers: `c`, `7*32` for 32 times 7, `a..c` for a b c.
fn numbers(text: &str) -> Vec<u64> {
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        if let Some((value, times)) = word.split_once('*') {
            all.extend(vec![hex(value); times.parse().unwrap()]);
        } else if let Some((from, to)) = word.split_once("..") {
            let (from, to) = (hex(from), hex(to));
            match from <= to {
                true => all.extend(from..=to),
                false => all.extend((to..=from).rev()),
            }
        } else {
            all.push(hex(word));
        }
    }
    all
}

fn sections() -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    for (at, line) in TABLE.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(heading) = line.strip_prefix("== ") {
            let (name, kind) = heading.split_once(" | ").expect("a heading has a kind");
            let mut words = kind.split(' ');
            let kind = words.next().unwrap_or("");
            let mut number = || words.next().map_or(1, |w| w.parse().unwrap());
            all.push(Section {
                name,
                kind,
                threads: [number(), number()],
                rows: Vec::new(),
            });
            continue;
        }
        let (left, right) = line.rsplit_once(" = ").expect("a row has a result");
        let (text, operands) = left.rsplit_once(" <- ").unwrap_or((left, ""));
        all.last_mut().expect("a heading").rows.push(Row {
            line: at + 1,
            text,
            operands: numbers(operands),
            result: numbers(right.split(" [").next().unwrap_or("")),
        });
    }
    all
}

/// The sections of a kind.
fn of(kind: &str) -> Vec<Section> {
    let all: Vec<_> = sections().into_iter().filter(|s| s.kind == kind).collect();
    assert!(!all.is_empty(), "no section is of kind {kind}");
    all
}

/// Fails with all that differs.
fn report(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn differ(row: &Row, got: &[u64]) -> Option<String> {
    let expected = &row.result;
    let Row { line, text, .. } = row;
    if got.len() != expected.len() {
        return Some(format!(
            "line {line}: {text} gives {} words, not {}",
            got.len(),
            expected.len()
        ));
    }
    let at = got.iter().zip(expected).position(|(a, b)| a != b)?;
    Some(format!(
        "line {line}: {text} gives {:#x}, not {:#x} (word {at})",
        got[at], expected[at]
    ))
}

/// Text of a kernel that runs all rows one after the other.
fn text(rows: &[Row]) -> String {
    let mut body = String::new();
    for (number, Row { text, .. }) in rows.iter().enumerate() {
        let mut words = text.split([' ', ',', ';', '|', '{', '}']);
        let result = words
            .find(|w| w.starts_with('%') && w.ends_with("0"))
            .unwrap_or("");
        let (into, digits) = match result {
            "%rd0" => ("", "%rd0"),
            "%r0" => ("cvt.u64.u32 %rd0, %r0;", "%rd0"),
            "%rs0" => ("cvt.u64.u16 %rd0, %rs0;", "%rd0"),
            "%f0" => ("mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;", "%rd0"),
            "%fd0" => ("mov.b64 %rd0, %fd0;", "%rd0"),
            "%p0" => ("selp.u64 %rd0, 1, 0, %p0;", "%rd0"),
            other => panic!("{text} writes {other}"),
        };
        body += "mov.u64 %rd0, 0; mov.u32 %r0, 0; mov.b16 %rs0, 0; mov.pred %p0, 0;\n";
        for k in 1..=4 {
            let at = number * 32 + (k - 1) * 8;
            body += &format!(
                "ld.global.u64 %rd{k}, [%rd20+{at}]; cvt.u32.u64 %r{k}, %rd{k}; cvt.u16.u64 %rs{k}, %rd{k};
                mov.b32 %f{k}, %r{k}; mov.b64 %fd{k}, %rd{k}; and.b32 %r10, %r{k}, 1; setp.ne.u32 %p{k}, %r10, 0;\n"
            );
        }
        body += &format!(
            "{text}\n{into} st.global.u64 [%rd21+{}], {digits};\n",
            number * 8
        );
    }
    format!(
        "{HEAD}.visible .entry k(.param .u64 p0, .param .u64 p1) {{ {REGISTERS}
        ld.param.u64 %rd20, [p0]; ld.param.u64 %rd21, [p1];\n{body} ret; }}"
    )
}

/// Runs the rows of a section and says which differ.
fn wrong(rows: &[Row]) -> Vec<String> {
    let mut device = Device::default();
    let mut input = vec![0u8; rows.len() * 32];
    for (row, room) in rows.iter().zip(input.chunks_exact_mut(32)) {
        for (value, room) in row.operands.iter().zip(room.chunks_exact_mut(8)) {
            room.copy_from_slice(&value.to_le_bytes());
        }
    }
    let (from, to) = (device.bytes(input), device.bytes(vec![0; rows.len() * 8]));
    let text = text(rows);
    let module = Module::parse(&text)
        .unwrap_or_else(|e| panic!("{e}: {}", text.lines().nth(e.line - 1).unwrap_or("")));
    let params = [from, to].map(u64::to_le_bytes).concat();
    let grid = Grid {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
    };
    let settings = Settings::default();
    run(&module, 0, &[], &grid, &params, &device, &settings).unwrap_or_else(|e| panic!("{e}"));
    let words = device.read(to);
    let got = words.chunks_exact(2).map(wide);
    let each = rows
        .iter()
        .zip(got)
        .filter_map(|(row, got)| differ(row, &[got]));
    each.collect()
}

fn wide(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

#[test]
fn instructions_one_by_one() {
    let sections = of("rows");
    let rows: usize = sections.iter().map(|s| s.rows.len()).sum();
    println!("{rows} rows");
    report(sections.iter().flat_map(|s| wrong(&s.rows)).collect());
}

/// A row that is wrong is found.
#[test]
fn a_wrong_result_is_named() {
    let mut rows = of("rows").remove(0).rows;
    rows[3].result[0] ^= 1;
    let wrong = wrong(&rows);
    assert!(
        wrong.len() == 1 && wrong[0].contains(rows[3].text),
        "{wrong:?}"
    );
}

/// In the order of threads and in others, and with switches between instructions.
fn orders() -> impl Iterator<Item = Settings> {
    let seeds = (0..4).flat_map(|seed| [None, Some(2)].map(|switch| (seed, switch)));
    seeds.map(|(seed, switch)| Settings {
        seed,
        switch,
        ..Settings::default()
    })
}

#[test]
fn threads_together() {
    let mut wrong = Vec::new();
    for section in of("lanes") {
        for row in &section.rows {
            for settings in orders() {
                let words = warp(row.text, section.threads, settings);
                let words = words.unwrap_or_else(|e| panic!("{}, {}: {e}", section.name, row.text));
                let got: Vec<_> = words.into_iter().map(u64::from).collect();
                wrong.extend(differ(row, &got));
            }
        }
    }
    report(wrong);
}

/// By 64 threads of two blocks on one 64-bit place.
#[test]
fn atomics() {
    let mut wrong = Vec::new();
    for row in of("atomic").iter().flat_map(|s| &s.rows) {
        let mut device = Device::default();
        let start = row.operands[0];
        let place = device.words(&[start as u32, (start >> 32) as u32]);
        let body = format!(
            "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 32, %r1; cvt.u64.u32 %rd2, %r1;
            cvt.rn.f32.u32 %f1, %r1; cvt.rn.f64.u32 %fd1, %r1; {}",
            row.text
        );
        let settings = Settings {
            races: true,
            switch: Some(2),
            seed: 5,
            ..Settings::default()
        };
        let done = device.launch(&kernel(1, &body), [2, 32], &[place], settings);
        done.unwrap_or_else(|e| panic!("{}: {e}", row.text));
        wrong.extend(differ(row, &[wide(&device.read(place))]));
    }
    report(wrong);
}

#[test]
fn modules() {
    let mut wrong = Vec::new();
    for section in of("module") {
        for row in &section.rows {
            let mut device = Device::default();
            let out = device.words(&[0; 64]);
            let text = format!("{HEAD}{}", row.text.replace("REGISTERS", REGISTERS));
            let done = device.launch(&text, section.threads, &[out], Settings::default());
            done.unwrap_or_else(|e| panic!("{}: {e}", section.name));
            let got: Vec<_> = device.read(out).into_iter().map(u64::from).collect();
            wrong.extend(differ(row, &got[..row.result.len()]));
        }
    }
    report(wrong);
}
