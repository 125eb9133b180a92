//! A kernel as a key: equal kernels give equal bytes, and kernels that differ give others.

use super::data::{Block, Func};
use crate::span::Span;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// What [`identity`] gives.
pub struct Identity {
    /// The kernel in bytes. They mean something only to the build that wrote them.
    pub bytes: Vec<u8>,
    /// The places in the user's text, each once, in the order in which the kernel first comes to them. The first one is that
    /// of no statement.
    pub spans: Vec<Span>,
}

/// All that code made of a kernel depends on. Where statements stand is no part of it, but which of them stand at one place
/// is: code names places by number.
pub fn identity(func: &Func) -> Identity {
    let mut into = Bytes(Vec::with_capacity(64 * func.values.len()));
    func.hash(&mut into);
    let mut places = Places::default();
    places.number(Span::default());
    for block in func.blocks() {
        places.visit(block, &mut into);
    }
    Identity {
        bytes: into.0,
        spans: places.spans,
    }
}

#[derive(Default)]
struct Places {
    numbers: HashMap<Span, usize>,
    spans: Vec<Span>,
    last: (Span, usize),
}

impl Places {
    fn visit(&mut self, block: &Block, into: &mut Bytes) {
        for stmt in &block.stmts {
            // Neighbours often stand at one place.
            if stmt.span != self.last.0 {
                self.last = (stmt.span, self.number(stmt.span));
            }
            into.write_usize(self.last.1);
            for block in stmt.kind.blocks() {
                self.visit(block, into);
            }
        }
    }

    fn number(&mut self, span: Span) -> usize {
        let next = self.spans.len();
        let number = *self.numbers.entry(span).or_insert(next);
        if number == next {
            self.spans.push(span);
        }
        number
    }
}

/// Keeps what it is given. Whole numbers, which are small here, take a byte for each seven bits.
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_u64(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    // Which variant of an enumeration it is, is told as an isize.
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }
    fn finish(&self) -> u64 {
        unreachable!("only the bytes are asked for")
    }
}

#[cfg(test)]
mod tests {
    use super::identity;
    use crate::ir::{Func, read};
    use crate::span::Span;

    const TEXT: &str = "\
kernel k(x: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = const 2
  %3:float32 = mul %1, %2
  store x[%0], %3
}
";

    fn at(func: &Func, places: [u32; 5]) -> Func {
        let mut func = func.clone();
        for (stmt, start) in func.body.stmts.iter_mut().zip(places) {
            let source = 0;
            let end = start + 1;
            stmt.span = Span { source, start, end };
        }
        func
    }

    #[test]
    fn places_count_by_number() {
        let func = read(TEXT).expect("it is well formed");
        let one = identity(&at(&func, [1, 2, 2, 3, 1]));
        let moved = identity(&at(&func, [5, 7, 7, 2, 5]));
        assert_eq!(one.bytes, moved.bytes);
        let starts = |spans: &[Span]| spans.iter().map(|s| s.start).collect::<Vec<_>>();
        assert_eq!(starts(&one.spans), [0, 1, 2, 3]);
        assert_eq!(starts(&moved.spans), [0, 5, 7, 2]);
        let apart = identity(&at(&func, [1, 2, 4, 3, 1]));
        assert_ne!(one.bytes, apart.bytes);
    }

    #[test]
    fn any_difference_shows() {
        let texts = [
            TEXT.to_string(),
            TEXT.replace("const 2", "const 3"),
            TEXT.replace("const 2", "const -2"),
            TEXT.replace("mul %1, %2", "mul %2, %1"),
            TEXT.replace("mul", "add"),
            TEXT.replace("tid 0", "tid 1"),
            TEXT.replace("kernel k", "kernel kk"),
            TEXT.replace("], %3", "], %1"),
            TEXT.replace("float32", "float64"),
            TEXT.replace("float32, 1>)", "float32, 1>, y: int32)"),
        ];
        let seen: std::collections::HashSet<_> = (texts.iter())
            .map(|text| identity(&read(text).expect("it is well formed")).bytes)
            .collect();
        assert_eq!(seen.len(), texts.len());
    }
}
