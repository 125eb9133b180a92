//! Reads the text form back. Line based: the printer writes one statement a line.

use crate::dtype::Scalar;
use crate::ir::data::{
    AtomicOp, Block, Callee, Comp, Func, Kind, Param, ParamType, Part, Place, Rules, Stmt, Values,
};
use crate::ir::effects::Effects;
use crate::ir::id::{CalleeId, ParamId, Value};
use crate::ir::intrinsic::Intrinsic;
use crate::ir::op::{Const, Op};
use crate::ir::primitive::PRIMITIVES;
use crate::span::Span;
use crate::ty::{Elem, MAX_NDIM};

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
    let heads = reader
        .lines
        .iter()
        .filter_map(|line| line.strip_prefix("function "));
    let names = heads.map(|head| head.split('(').next().unwrap_or_default().to_string());
    reader.callees = names.collect();
    reader.func().map_err(|what| {
        let line = reader.lines.get(reader.at.saturating_sub(1)).unwrap_or(&"");
        format!("{what}, in `{line}`")
    })?;
    Ok(reader.func)
}

fn empty() -> Func {
    Func {
        name: String::new(),
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

type R<T> = Result<T, String>;

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
        let params = rest.strip_suffix(") {").ok_or("expected `) {`")?;
        self.func.name = name.into();
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
        while let Some(head) = (self.lines.get(self.at)).and_then(|l| l.strip_prefix("function ")) {
            self.at += 1;
            let (name, params) = head.split_once('(').ok_or("expected `(`")?;
            let params = self.defs(params.strip_suffix(") {").ok_or("expected `) {`")?)?;
            let (block, end) = self.block(params)?;
            expect(end, "}")?;
            let name = name.to_string();
            self.func.callees.push(Callee { name, block });
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

    fn kind(&mut self, line: &'a str) -> R<Kind> {
        if let Some(rest) = line.strip_prefix("if ") {
            let (cond, outs) = rest.split_once(" -> (").ok_or("expected `-> (`")?;
            let cond = value(cond)?;
            let outs = self.defs(outs.strip_suffix(") {").ok_or("expected `) {`")?)?;
            let (then, end) = self.block(Vec::new())?;
            expect(end, "} else {")?;
            let (els, end) = self.block(Vec::new())?;
            expect(end, "}")?;
            return Ok(Kind::If {
                cond,
                then,
                els,
                outs,
            });
        }
        if let Some(rest) = line.strip_prefix("for ") {
            let (iv, rest) = rest
                .split_once(" in range(")
                .ok_or("expected `in range(`")?;
            let (range, rest) = rest.split_once(") with (").ok_or("expected `) with (`")?;
            let [start, stop, step] = values(range)?[..] else {
                return Err("expected start, stop, step".into());
            };
            let (params, init, outs) = self.carried(rest)?;
            let iv = self.def(iv)?;
            let params = std::iter::once(iv).chain(params).collect();
            let (body, end) = self.block(params)?;
            expect(end, "}")?;
            return Ok(Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            });
        }
        if let Some(rest) = line.strip_prefix("while with (") {
            let (params, init, outs) = self.carried(rest)?;
            let (cond, middle) = self.block(params)?;
            let params = middle
                .strip_prefix("} do (")
                .and_then(|m| m.strip_suffix(") {"));
            let params = self.defs(params.ok_or("expected `} do (...) {`")?)?;
            let (body, end) = self.block(params)?;
            expect(end, "}")?;
            return Ok(Kind::While {
                init,
                cond,
                body,
                outs,
            });
        }
        if let Some(rest) = line.strip_prefix("custom with (") {
            let (params, ins, outs) = self.carried(rest)?;
            let (body, mut end) = self.block(params)?;
            let mut rules = Rules::default();
            while end != "}" {
                let rule = [
                    ("} replay (", &mut rules.replay),
                    ("} reverse (", &mut rules.reverse),
                ];
                let mut rule = rule.into_iter();
                let found = rule.find_map(|(head, rule)| Some((end.strip_prefix(head)?, rule)));
                let (params, rule) = found.ok_or("expected `}`, `} replay (` or `} reverse (`")?;
                let params = self.defs(params.strip_suffix(") {").ok_or("expected `) {`")?)?;
                let (block, next) = self.block(params)?;
                *rule = Some(block);
                end = next;
            }
            return Ok(Kind::Custom {
                ins,
                body,
                rules: Box::new(rules),
                outs,
            });
        }
        self.simple(line)
    }

    fn simple(&mut self, line: &str) -> R<Kind> {
        let (mut outs, what) = match line.split_once(" = ") {
            Some((outs, what)) if outs.starts_with('%') => (self.defs(outs)?, what),
            _ => (Vec::new(), line),
        };
        let (name, text) = what.split_once(' ').unwrap_or((what, ""));
        if let Some(read) = Intrinsic::read(name, text) {
            let (op, args) = read?;
            let args = values(args)?;
            return Ok(Kind::Intrinsic { op, args, outs });
        }
        if name == "call" {
            let (name, args) = text.split_once(' ').unwrap_or((text, ""));
            let callee = self.callees.iter().position(|callee| callee == name);
            let callee = callee.ok_or_else(|| format!("no function `{name}`"))?;
            let (callee, args) = (CalleeId(callee as u32), values(args)?);
            return Ok(Kind::Call {
                callee,
                args,
                outs,
                // Set when all functions have been read.
                effects: Effects::PURE,
            });
        }
        let out = outs.pop();
        if !outs.is_empty() {
            return Err("only an intrinsic has several results".into());
        }
        let (log, what) = match what.strip_prefix("logged ") {
            Some(rest) => (true, rest),
            None => (false, what),
        };
        if let Some(rest) = what.strip_prefix("store ") {
            let (place, v) = rest.rsplit_once(", ").ok_or("expected `place, value`")?;
            return Ok(Kind::Store {
                place: self.place(place)?,
                value: value(v)?,
                log,
            });
        }
        if let Some(rest) = what.strip_prefix("atomic ") {
            let (op, rest) = rest.split_once(' ').ok_or("expected an operation")?;
            let op = match op {
                "add" => AtomicOp::Add,
                "min" => AtomicOp::Min,
                "max" => AtomicOp::Max,
                "and" => AtomicOp::And,
                "or" => AtomicOp::Or,
                "xor" => AtomicOp::Xor,
                "exchange" => AtomicOp::Exchange,
                _ if op.starts_with("compare(") && op.ends_with(')') => {
                    AtomicOp::CompareExchange(value(&op["compare(".len()..op.len() - 1])?)
                }
                _ => return Err(format!("no atomic operation `{op}`")),
            };
            let (place, v) = rest.rsplit_once(", ").ok_or("expected `place, value`")?;
            return Ok(Kind::Atomic {
                out,
                op,
                place: self.place(place)?,
                value: value(v)?,
                log,
            });
        }
        let out = out.ok_or("no such statement")?;
        if let Some(place) = what.strip_prefix("load ") {
            return Ok(Kind::Load {
                out,
                place: self.place(place)?,
            });
        }
        let (op, args) = self.op(what, self.func.ty(out))?;
        Ok(Kind::Let { out, op, args })
    }

    fn op(&self, text: &str, ty: Scalar) -> R<(Op, Values)> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let none = Values::new();
        let pair = || -> R<(ParamId, u32)> {
            let (name, number) = rest.split_once(' ').ok_or("expected a name and a number")?;
            Ok((
                self.param(name)?,
                number.parse().map_err(|_| "expected a number")?,
            ))
        };
        Ok(match name {
            "const" => (Op::Const(constant(rest, ty)?), none),
            "tid" => (
                Op::Tid(rest.parse().map_err(|_| "expected a dimension")?),
                none,
            ),
            "block_dim" => (Op::BlockDim, none),
            "shape" => pair().map(|(id, d)| (Op::Shape(id, d as u8), none))?,
            "param" => pair().map(|(id, comp)| (Op::Param(id, comp), none))?,
            "present" => (Op::Present(self.param(rest)?), none),
            "address" => (Op::Address(self.param(rest)?), none),
            "stride" => pair().map(|(id, d)| (Op::Stride(id, d as u8), none))?,
            "cast" => (Op::Cast, values(rest)?.into()),
            "bits" => (Op::Bits, values(rest)?.into()),
            "select" => (Op::Select, values(rest)?.into()),
            "rangelen" => (Op::RangeLen, values(rest)?.into()),
            _ => {
                let row = PRIMITIVES.iter().find(|row| row.name == name);
                (
                    row.ok_or_else(|| format!("no operation `{name}`"))?.op,
                    values(rest)?.into(),
                )
            }
        })
    }

    fn param(&self, name: &str) -> R<ParamId> {
        let at = self.func.params.iter().position(|p| p.name == name);
        at.map(|i| ParamId(i as u32))
            .ok_or_else(|| format!("no parameter `{name}`"))
    }

    fn place(&self, text: &str) -> R<Place> {
        let (name, rest) = text.split_once('[').ok_or("expected `[`")?;
        let (index, comp) = rest.split_once(']').ok_or("expected `]`")?;
        let comp = match comp.strip_prefix('.') {
            None => Comp::Fixed(0),
            Some(v) if v.starts_with('%') => Comp::At(value(v)?),
            Some(n) => Comp::Fixed(n.parse().map_err(|_| "expected a component")?),
        };
        Ok(Place {
            array: self.param(name)?,
            index: values(index)?.into(),
            comp,
        })
    }

    fn carried(&mut self, text: &str) -> R<(Vec<Value>, Vec<Value>, Vec<Value>)> {
        let (pairs, outs) = text.split_once(") -> (").ok_or("expected `) -> (`")?;
        let outs = outs.strip_suffix(") {").ok_or("expected `) {`")?;
        let (mut params, mut init) = (Vec::new(), Vec::new());
        for pair in split_top(pairs) {
            let (param, from) = pair.split_once(" = ").ok_or("expected `%p = %init`")?;
            params.push(self.def(param)?);
            init.push(value(from)?);
        }
        Ok((params, init, self.defs(outs)?))
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

fn expect(line: &str, wanted: &str) -> R<()> {
    if line == wanted {
        Ok(())
    } else {
        Err(format!("expected `{wanted}`, found `{line}`"))
    }
}

fn value(text: &str) -> R<Value> {
    let number = text.trim().strip_prefix('%').and_then(|n| n.parse().ok());
    number
        .map(Value)
        .ok_or_else(|| format!("expected a value, found `{text}`"))
}

fn values(text: &str) -> R<Vec<Value>> {
    split_top(text).into_iter().map(value).collect()
}

fn scalar(text: &str) -> R<Scalar> {
    Scalar::from_name(text.trim()).ok_or_else(|| format!("no scalar type `{text}`"))
}

/// Splits at commas that stand outside `<...>`.
fn split_top(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// `offset of size in group`.
fn part(text: &str) -> R<Part> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |n: &str| {
        n.parse()
            .map_err(|_| "expected a number of bytes".to_string())
    };
    match words[..] {
        [offset, "of", size, "in", group] => Ok(Part {
            size: number(size)?,
            offset: number(offset)?,
            group: number(group)?,
        }),
        _ => Err("expected `offset of size in group`".into()),
    }
}

fn param_type(text: &str) -> R<(ParamType, Option<Part>)> {
    if let Some(inner) = text
        .strip_prefix("local<")
        .and_then(|t| t.strip_suffix('>'))
    {
        let [e, extents] = split_top(inner)[..] else {
            return Err("expected `local<element, extents>`".into());
        };
        let mut shape = [1; MAX_NDIM];
        let list: Vec<&str> = extents.split(" x ").collect();
        if list.len() > MAX_NDIM {
            return Err("too many extents".into());
        }
        for (extent, text) in shape.iter_mut().zip(&list) {
            *extent = text.parse().map_err(|_| "expected an extent")?;
        }
        let ndim = list.len() as u8;
        let elem = elem(e)?;
        return Ok((ParamType::Local { elem, ndim, shape }, None));
    }
    if let Some(inner) = text
        .strip_prefix("addressed<")
        .and_then(|t| t.strip_suffix('>'))
    {
        let [e, ndim, offset] = split_top(inner)[..] else {
            return Err("expected `addressed<element, ndim, offset>`".into());
        };
        let bad = |_| "expected a number".to_string();
        let ty = ParamType::Addressed {
            elem: elem(e)?,
            ndim: ndim.parse().map_err(bad)?,
            offset: offset.parse().map_err(bad)?,
        };
        return Ok((ty, None));
    }
    match text
        .strip_prefix("array<")
        .and_then(|t| t.strip_suffix('>'))
    {
        Some(inner) => match split_top(inner)[..] {
            [e, ndim, ref rest @ ..] if rest.len() <= 1 => {
                let part = rest.first().map(|text| part(text)).transpose()?;
                let ndim = ndim
                    .parse()
                    .map_err(|_| "expected a number of dimensions")?;
                let elem = elem(e)?;
                Ok((ParamType::Array { elem, ndim }, part))
            }
            _ => Err("expected `array<element, ndim>`".into()),
        },
        None => Ok((ParamType::Elem(elem(text)?), None)),
    }
}

fn elem(text: &str) -> R<Elem> {
    let Some((kind, inner)) = text.strip_suffix('>').and_then(|t| t.split_once('<')) else {
        return Ok(Elem::Scalar(scalar(text)?));
    };
    let number = |t: &str| {
        t.parse::<u32>()
            .map_err(|_| format!("expected a number, found `{t}`"))
    };
    match (kind, &split_top(inner)[..]) {
        ("vec", [len, s]) => Ok(Elem::Vec {
            len: number(len)?,
            scalar: scalar(s)?,
        }),
        ("mat", [r, c, s]) => Ok(Elem::Mat {
            rows: number(r)?,
            cols: number(c)?,
            scalar: scalar(s)?,
        }),
        ("quat", [s]) => Ok(Elem::Quat(scalar(s)?)),
        ("transform", [s]) => Ok(Elem::Transform(scalar(s)?)),
        _ => Err(format!("no type `{text}`")),
    }
}

fn constant(text: &str, ty: Scalar) -> R<Const> {
    let bad = || format!("no constant of {ty}: `{text}`");
    if ty == Scalar::Bool {
        return text.parse().map(Const::Bool).map_err(|_| bad());
    }
    if ty.is_int() {
        return text.parse().map(Const::Int).map_err(|_| bad());
    }
    match text.strip_prefix("nan:") {
        Some(hex) => u64::from_str_radix(hex, 16)
            .map(|b| Const::Float(f64::from_bits(b)))
            .map_err(|_| bad()),
        None => text.parse().map(Const::Float).map_err(|_| bad()),
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
