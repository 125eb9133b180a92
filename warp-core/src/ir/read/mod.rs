//! Reads the text form back. Line based: the printer writes one statement a line.

mod statements;
mod types;
mod words;

use crate::dtype::Scalar;
use crate::ir::data::{Block, Callee, Func, Param, ParamType, Stmt};
use crate::ir::id::{ParamId, Value};
use crate::span::Span;
use types::{param_type, thread_block};
use words::{R, expect, scalar, split_top, value, values};

/// Parses what `Display` of [`Func`] printed. The error says which line and what was expected.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn read(text: &str) -> Result<Func, String> {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let mut reader = Reader {
        lines: lines.collect(),
        at: 0,
        callees: Vec::new(),
        func: empty(),
    };
    let heads = reader.lines.iter().filter_map(|line| function(line));
    let names = heads.map(|(_, head)| head.split('(').next().unwrap_or_default().to_string());
    reader.callees = names.collect();
    reader.func().map_err(|what| {
        let line = reader.lines.get(reader.at.saturating_sub(1)).unwrap_or(&"");
        format!("{what}, in `{line}`")
    })?;
    Ok(reader.func)
}

/// What stands behind the words with which a function begins, and whether it is an exact one.
fn function(line: &str) -> Option<(bool, &str)> {
    let exact = line.strip_prefix("exact ");
    let head = exact.unwrap_or(line).strip_prefix("function ")?;
    Some((exact.is_some(), head))
}

fn empty() -> Func {
    Func {
        name: String::new(),
        threads: None,
        params: Vec::new(),
        values: Vec::new(),
        callees: Vec::new(),
        body: Block::default(),
    }
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// Names of the functions, in order.
    callees: Vec<String>,
    func: Func,
}

impl<'a> Reader<'a> {
    fn line(&mut self) -> R<&'a str> {
        let line = self.lines.get(self.at).ok_or("the text ends too early")?;
        self.at += 1;
        Ok(line)
    }

    fn func(&mut self) -> R<()> {
        let head = self
            .line()?
            .strip_prefix("kernel ")
            .ok_or("expected `kernel`")?;
        let (name, rest) = head.split_once('(').ok_or("expected `(`")?;
        let rest = rest.strip_suffix(" {").ok_or("expected ` {`")?;
        let (params, threads) = match rest.rsplit_once(") block of ") {
            Some((params, threads)) => (params, Some(thread_block(threads)?)),
            None => (rest.strip_suffix(')').ok_or("expected `)`")?, None),
        };
        self.func.name = name.into();
        self.func.threads = threads;
        for param in split_top(params) {
            let (name, ty) = param.split_once(": ").ok_or("expected `name: type`")?;
            let gradient = ty.strip_prefix("gradient<");
            let (ty, part) = match gradient.and_then(|ty| ty.strip_suffix('>')) {
                Some(of) => (self.gradient(of)?, None),
                None => param_type(ty)?,
            };
            self.func.params.push(Param {
                name: name.into(),
                ty,
                part,
            });
        }
        let mut body = Block::default();
        loop {
            match self.line()? {
                "}" => break,
                line => body.stmts.push(self.stmt(line)?),
            }
        }
        self.func.body = body;
        while let Some((exact, head)) = self.lines.get(self.at).and_then(|line| function(line)) {
            self.at += 1;
            let (name, params) = head.split_once('(').ok_or("expected `(`")?;
            let params = self.defs(params.strip_suffix(") {").ok_or("expected `) {`")?)?;
            let (block, end) = self.block(params)?;
            expect(end, "}")?;
            let name = name.to_string();
            self.func.callees.push(Callee { name, block, exact });
        }
        self.func.set_effects();
        if self.at < self.lines.len() {
            self.at += 1;
            return Err("text after the kernel".into());
        }
        Ok(())
    }

    fn gradient(&self, of: &str) -> R<ParamType> {
        let of = self.param(of)?;
        let (elem, ndim) = self.func.array(of).ok_or("expected an array")?;
        Ok(ParamType::Gradient { of, elem, ndim })
    }

    /// Statements up to `yield` and the line behind it, which is given back.
    fn block(&mut self, params: Vec<Value>) -> R<(Block, &'a str)> {
        let mut block = Block {
            params,
            ..Block::default()
        };
        loop {
            let line = self.line()?;
            if let Some(rest) = line.strip_prefix("yield") {
                block.results = values(rest)?;
                return Ok((block, self.line()?));
            }
            block.stmts.push(self.stmt(line)?);
        }
    }

    fn stmt(&mut self, line: &'a str) -> R<Stmt> {
        Ok(Stmt {
            kind: self.kind(line)?,
            span: Span::default(),
        })
    }

    fn param(&self, name: &str) -> R<ParamId> {
        let at = self.func.params.iter().position(|p| p.name == name);
        at.map(|i| ParamId(i as u32))
            .ok_or_else(|| format!("no parameter `{name}`"))
    }

    fn defs(&mut self, text: &str) -> R<Vec<Value>> {
        split_top(text).into_iter().map(|t| self.def(t)).collect()
    }

    fn def(&mut self, text: &str) -> R<Value> {
        let (v, ty) = text.split_once(':').ok_or("expected `%value:type`")?;
        let (v, ty) = (value(v)?, scalar(ty)?);
        let at = v.0 as usize;
        if at > 1 << 24 {
            return Err("value number out of range".into());
        }
        if self.func.values.len() <= at {
            self.func.values.resize(at + 1, Scalar::Bool);
        }
        self.func.values[at] = ty;
        Ok(v)
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use proptest::prelude::*;

    const EVERYTHING: &str = "\
kernel k(x: array<vec<3, float32>, 1>, n: int32, y: array<float64, 2>) {
  %0:int32 = tid 0
  %1:int32 = param n 0
  %2:int32 = const -7
  %3:float32 = const 0.1
  %4:float32 = load x[%0].2
  %5:bool = lt %4, %3
  if %5 -> (%6:float32) {
    %7:float32 = add %4, %3
    yield %7
  } else {
    yield %3
  }
  for %8:int32 in range(%2, %1, %0) with (%9:float32 = %6) -> (%10:float32) {
    logged store y[%8, %0], %11
    %12:float32 = atomic add x[%8].%0, %9
    %20:float32 = atomic compare(%12) x[%8].0, %9
    atomic exchange x[%8].1, %20
    %21:int32 = bits %20
    yield %9
  }
  while with (%13:float32 = %10) -> (%14:float32) {
    %15:bool = const true
    yield %15
  } do (%16:float32) {
    record 1:12 %16, %0
    %28:float32 = matmul 1x2x1 %16, %16, %9, %3
    %46:float32, %47:float32, %48:float32, %49:float32, %50:float32, %51:float32, %52:float32, %53:float32, %54:float32, %55:float32 = factor svd2 %16, %16, %9, %3
    %17:float32, %18:int32 = replay 1:12
    record 0:0
    replay 0:0
    check 5 %0, %1
    check %0, %1, %2
    require assertion %5
    yield %17
  }
  %19:int64 = mark
  unwind %19
  %31:float64, %32:int32 = call f %11, %0
  print \"a \\\"%d\\\"\\n\" %0
  %11:float64 = const nan:7ff8000000000000
}
function g() {
  yield 
}
function f(%33:float64, %34:int32) {
  call g 
  yield %33, %34
}
";

    #[test]
    fn what_is_printed_reads_back() {
        assert_eq!(read(EVERYTHING).expect("reads").to_string(), EVERYTHING);
    }

    #[test]
    fn fields_of_structs_read_back() {
        let text = "\
kernel k(ps.x: array<float32, 1, 0 of 28 in 3>, ps.v: array<vec<3, float32>, 2, 16 of 28 in 3>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load ps.v[%0, %0].2
  store ps.x[%0], %1
}
";
        let func = read(text).expect("reads");
        assert_eq!(func.to_string(), text);
        assert_eq!([28, 28, 4], [0, 1, 2].map(|p: usize| func.params[p].step()));
        for part in ["0 of 28", "0 in 28 of 3", "0 of x in 3"] {
            assert!(read(&text.replace("0 of 28 in 3", part)).is_err(), "{part}");
        }
        let outside = read(&text.replace("16 of 28", "17 of 28")).expect("reads");
        assert!(crate::verify::check(&outside).is_err());
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "kernel",
            "kernel k() {",
            "kernel k() {\n x\n}",
            "kernel k() {\n}\n}",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }

    /// Whatever the text: no panic; what verifies prints and reads back as the same text.
    fn survive(text: &str) {
        let Ok(func) = read(text) else { return };
        let printed = func.to_string();
        if crate::verify::check(&func).is_ok() {
            let again = read(&printed).expect("what is printed reads back");
            assert_eq!(again.to_string(), printed);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn mutated_kernels_never_panic(
            edits in prop::collection::vec(
                (any::<prop::sample::Index>(), 0_usize..3, any::<prop::sample::Index>(), any::<prop::sample::Index>()),
                1..6,
            ),
        ) {
            let mut words: Vec<String> = EVERYTHING.split_inclusive([' ', '\n']).map(str::to_string).collect();
            let own = words.clone();
            for (at, leave_out, from, odd) in edits {
                let odds = ["%4294967295", "%16777215:bool", "-9223372036854775808", "\u{e9}", "<", ">", ")", "(", "\"", "\\u{", "}\n", "nan:", ".99"];
                let new = match odd.index(3) {
                    0 => odds[from.index(odds.len())].to_string(),
                    1 => String::new(),
                    _ => own[from.index(own.len())].clone(),
                };
                let start = at.index(words.len() + 1);
                let end = (start + leave_out).min(words.len());
                words.splice(start..end, [new]);
            }
            survive(&words.concat());
        }
    }
}
