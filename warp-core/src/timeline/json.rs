//! Events as text: the trace event format, which Perfetto and Chrome show.

use super::event::{Event, LIMIT, Summary, What};
use std::fmt::{self, Write as _};
use std::io::{self, Write};

/// A thread's events.
pub struct Thread {
    /// The system's number of it.
    pub id: i32,
    /// The system's name of it.
    pub name: String,
    /// In the order in which they ended.
    pub events: Vec<Event>,
}

/// Writes everything. Times are microseconds of the clock of `time.perf_counter()`.
pub fn write(out: &mut impl Write, threads: Vec<Thread>, summary: Summary) -> io::Result<()> {
    let process = std::process::id();
    write!(
        out,
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"producer\":\"warp {}\",\"dropped\":{}}},\"traceEvents\":[",
        env!("CARGO_PKG_VERSION"),
        summary.dropped
    )?;
    write!(
        out,
        "\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{process},\"tid\":0,\"args\":{{\"name\":\"warp\"}}}}"
    )?;
    let mut last = 0;
    for mut thread in threads.into_iter().filter(|t| !t.events.is_empty()) {
        write!(
            out,
            ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{},\"args\":{{\"name\":{}}}}}",
            thread.id,
            Quoted(&thread.name)
        )?;
        // What holds others comes before them, also where the clock does not tell them apart.
        (thread.events).sort_by_key(|event| (event.begun, std::cmp::Reverse(event.ended)));
        for event in &thread.events {
            last = last.max(event.ended);
            write!(
                out,
                ",\n{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"ts\":{},\"dur\":{},\"pid\":{process},\"tid\":{},\"args\":{{{}}}}}",
                event.what.category(),
                Quoted(event.name.text()),
                Micros(event.begun),
                Micros(event.ended - event.begun),
                thread.id,
                Args(&event.what)
            )?;
        }
    }
    if summary.dropped > 0 {
        write!(
            out,
            ",\n{{\"ph\":\"i\",\"s\":\"g\",\"name\":\"{} events were dropped: there is room for {}\",\"ts\":{},\"pid\":{process},\"tid\":0}}",
            summary.dropped,
            LIMIT,
            Micros(last)
        )?;
    }
    writeln!(out, "\n]}}")
}

struct Micros(u64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// A text as JSON writes it.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:04x}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// What is known of an event, without the braces.
struct Args<'a>(&'a What);

impl fmt::Display for Args<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            What::Read => write!(f, "\"step\":\"text to IR\""),
            What::Compile { device, cached } => {
                write!(f, "\"step\":\"IR to code\",\"device\":\"{device}\"")?;
                match cached {
                    Some(true) => write!(f, ",\"origin\":\"cache\""),
                    Some(false) => write!(f, ",\"origin\":\"made\""),
                    None => write!(f, ",\"origin\":\"failed\""),
                }
            }
            What::Launch { dims, device } => {
                let used = dims
                    .iter()
                    .rposition(|n| *n != 1)
                    .map_or(1, |last| last + 1);
                write!(f, "\"dim\":{:?},\"device\":\"{device}\"", &dims[..used])
            }
            What::Conversion => Ok(()),
            What::Copy { bytes, from, to } => {
                write!(f, "\"bytes\":{bytes},\"from\":\"{from}\",\"to\":\"{to}\"")
            }
            What::Algorithm { device } => write!(f, "\"device\":\"{device}\""),
            What::Fill { bytes, device } => write!(f, "\"bytes\":{bytes},\"device\":\"{device}\""),
        }
    }
}
