//! Directives of a module: target, variables, functions.

use super::body::{self, Body};
use super::code::{Function, Piece};
use super::layout;
use super::module::{Entry, Global, Kernel, Module, Param};
use super::operand::immediate;
use super::refusal::{Refusal, Res, Why};
use super::symbols::{Symbol, Symbols, Variable, variable};
use super::token::Cursor;
use super::types::{CODE_WINDOW, Space};
use std::collections::BTreeSet;

/// A text being read.
struct Reader<'a> {
    cursor: Cursor<'a>,
    symbols: Symbols<'a>,
    version: (u32, u32),
    target: u32,
    kernels: Vec<Kernel>,
    entries: Vec<Entry>,
    /// Calls of functions that may not be defined, by line.
    called: Vec<(u32, usize)>,
    forms: BTreeSet<String>,
}

pub(crate) fn parse(text: &str) -> Res<(Module, BTreeSet<String>)> {
    let mut reader = Reader {
        cursor: Cursor::new(text)?,
        symbols: Symbols::default(),
        version: (0, 0),
        target: 0,
        kernels: Vec::new(),
        entries: Vec::new(),
        called: Vec::new(),
        forms: BTreeSet::new(),
    };
    while !reader.cursor.done() {
        reader.directive()?;
    }
    if reader.version == (0, 0) || reader.target == 0 {
        let what = "the text does not begin with `.version` and `.target`";
        return Err(reader.cursor.syntax(what));
    }
    for (function, line) in &reader.called {
        let function = &reader.symbols.functions[*function as usize];
        if !function.defined {
            let why = Why::Unknown(format!("call of external function {}", function.name));
            return Err(Refusal { line: *line, why });
        }
    }
    let Symbols {
        globals,
        shared,
        functions,
        ..
    } = reader.symbols;
    let mut module = Module {
        version: reader.version,
        target: reader.target,
        globals,
        kernels: reader.kernels,
        functions,
        shared,
        entries: reader.entries,
        source: text.into(),
    };
    layout::lay_out(&mut module);
    Ok((module, reader.forms))
}

impl<'a> Reader<'a> {
    fn directive(&mut self) -> Res<()> {
        let word = self.cursor.peek();
        let refused = self.cursor.unknown(word);
        self.cursor.next()?;
        match word {
            ".version" => self.version = self.version()?,
            ".target" => self.target()?,
            ".address_size" => {
                let bits = self.cursor.number()?;
                if bits != 64 {
                    let form = format!(".address_size {bits}");
                    return Err(self.cursor.unknown(form));
                }
            }
            ".file" => self.cursor.skip_line(),
            ".section" => self.cursor.skip_past("}")?,
            // A variable that another module defines would have no memory here.
            ".extern" if matches!(self.cursor.peek(), ".global" | ".const") => return Err(refused),
            ".visible" | ".extern" | ".weak" | ".common" => {}
            ".global" => self.global(Space::Global)?,
            ".const" => self.global(Space::Const)?,
            ".shared" => {
                let variable = variable(&mut self.cursor)?;
                self.cursor.expect(";")?;
                let number = self.symbols.add_shared(&variable);
                let symbol = Symbol::Shared(number);
                self.symbols.names.insert(variable.name, symbol);
            }
            ".alias" => self.alias()?,
            ".entry" => self.kernel()?,
            ".func" => self.function()?,
            ";" => {}
            _ => return Err(refused),
        }
        Ok(())
    }

    fn version(&mut self) -> Res<(u32, u32)> {
        let word = self.cursor.next()?;
        let parts = word.split_once('.');
        let parsed = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        parsed.ok_or_else(|| self.cursor.syntax(format!("`{word}` is no version")))
    }

    fn target(&mut self) -> Res<()> {
        let word = self.cursor.next()?;
        let number = word
            .strip_prefix("sm_")
            .map(|n| n.trim_end_matches(['a', 'f']));
        let number = number.and_then(|n| n.parse().ok());
        self.target = number.ok_or_else(|| self.cursor.unknown(format!(".target {word}")))?;
        while self.cursor.eat(",") {
            let word = self.cursor.next()?;
            // Debug information changes nothing; other words change what instructions mean.
            if word != "debug" {
                return Err(self.cursor.unknown(format!(".target {word}")));
            }
        }
        Ok(())
    }

    fn global(&mut self, space: Space) -> Res<()> {
        if self.cursor.peek() == ".attribute" {
            return Err(self.cursor.unknown(".attribute"));
        }
        let variable = variable(&mut self.cursor)?;
        let mut global = Global {
            name: variable.name.into(),
            space,
            size: variable.bytes,
            align: variable.align,
            init: vec![0; variable.bytes as usize],
            links: Vec::new(),
        };
        if self.cursor.eat("=") {
            self.initial(&variable, &mut global)?;
        }
        self.cursor.expect(";")?;
        let number = self.symbols.globals.len() as u32;
        self.symbols.globals.push(global);
        let symbol = Symbol::Global(number);
        self.symbols.names.insert(variable.name, symbol);
        Ok(())
    }

    /// The values after `=`: numbers, and addresses of what was declared before.
    fn initial(&mut self, variable: &Variable, global: &mut Global) -> Res<()> {
        let list = self.cursor.eat("{");
        let bytes = variable.ty.bytes() as usize;
        let mut at = 0;
        loop {
            let word = self.cursor.peek();
            let named = word.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%".contains(c));
            let value = if named {
                self.link(at, bytes, global)?
            } else {
                immediate(&mut self.cursor, variable.ty)?
            };
            let Some(room) = global.init.get_mut(at..at + bytes) else {
                return Err(self.cursor.syntax("more values than the variable holds"));
            };
            room.copy_from_slice(&value.to_le_bytes()[..bytes]);
            at += bytes;
            if !(list && self.cursor.eat(",")) {
                break;
            }
        }
        if list {
            self.cursor.expect("}")?;
        }
        Ok(())
    }

    /// The address of a variable or function: a link, or the number that stands for the function.
    fn link(&mut self, at: usize, bytes: usize, global: &mut Global) -> Res<u64> {
        let generic = self.cursor.eat("generic");
        if generic {
            self.cursor.expect("(")?;
        }
        let name = self.cursor.next()?;
        if generic {
            self.cursor.expect(")")?;
        }
        let mut offset = 0;
        if self.cursor.eat("+") {
            let minus = self.cursor.eat("-");
            offset = self.cursor.number()? as i64 * if minus { -1 } else { 1 };
        } else if self.cursor.eat("-") {
            offset = -(self.cursor.number()? as i64);
        }
        if bytes != 8 {
            return Err(self
                .cursor
                .unknown(format!("a part of the address of {name}")));
        }
        match self.symbols.names.get(name) {
            Some(Symbol::Global(number)) => {
                global.links.push((at, *number as usize, offset));
                Ok(0)
            }
            Some(Symbol::Function(number)) => Ok(CODE_WINDOW + u64::from(*number) * 16),
            _ => Err(self.cursor.syntax(format!("`{name}` has no address here"))),
        }
    }

    fn parameters(&mut self) -> Res<Vec<Variable<'a>>> {
        let mut found = Vec::new();
        if !self.cursor.eat("(") {
            return Ok(found);
        }
        while !self.cursor.eat(")") {
            if !found.is_empty() {
                self.cursor.expect(",")?;
            }
            if self.cursor.peek() != ".param" {
                return Err(self.cursor.unknown("a parameter in a register"));
            }
            self.cursor.next()?;
            let parameter = variable(&mut self.cursor)?;
            if parameter.open {
                return Err(self.cursor.unknown("a parameter without length"));
            }
            found.push(parameter);
        }
        Ok(found)
    }

    /// Directives between a kernel's head and its body. Gives the most threads of a block.
    fn tuning(&mut self) -> Res<Option<u32>> {
        let mut threads = None;
        while !matches!(self.cursor.peek(), "{" | ";") {
            let refused = self.cursor.unknown(self.cursor.peek());
            let word = self.cursor.next()?;
            let mut numbers = Vec::new();
            while self.cursor.peek().starts_with(|c: char| c.is_ascii_digit()) {
                numbers.push(self.cursor.number()?);
                if !self.cursor.eat(",") {
                    break;
                }
            }
            match word {
                ".maxntid" | ".reqntid" => threads = Some(numbers.iter().product::<u64>() as u32),
                ".minnctapersm" | ".maxnreg" | ".maxnctapersm" | ".noreturn" => {}
                ".pragma" => self.cursor.skip_past(";")?,
                _ => return Err(refused),
            }
        }
        Ok(threads)
    }

    /// Another name of a function that is there.
    fn alias(&mut self) -> Res<()> {
        let name = self.cursor.next()?;
        let alias = self.symbols.function(name);
        self.cursor.expect(",")?;
        let of = self.cursor.next()?;
        let target = self.symbols.function(of) as usize;
        self.cursor.expect(";")?;
        if !self.symbols.functions[target].defined {
            return Err(self.cursor.syntax(format!("`{of}` is not defined")));
        }
        let function = self.symbols.functions[target].clone();
        self.symbols.functions[alias as usize] = Function {
            name: name.into(),
            ..function
        };
        Ok(())
    }

    fn kernel(&mut self) -> Res<()> {
        let name = self.cursor.next()?;
        let number = self.symbols.function(name);
        let declared = self.parameters()?;
        let (mut at, mut params) = (0, Vec::new());
        for parameter in &declared {
            at = (at as u64).next_multiple_of(parameter.align) as usize;
            let (size, align) = (parameter.bytes as usize, parameter.align as usize);
            params.push(Param {
                offset: at,
                size,
                align,
            });
            at += size;
        }
        let max_threads = self.tuning()?;
        self.check_parameters(at)?;
        if self.cursor.eat(";") {
            return Ok(());
        }
        let names = declared.iter().zip(&params);
        let names = names.map(|(v, p)| (v.name, body::Name::Param(p.offset as u64)));
        let names = names.collect();
        let registers = self.body(number, true, names)?;
        self.kernels.push(Kernel {
            name: name.into(),
            params,
            param_bytes: at,
            shared_bytes: 0,
            local_bytes: 0,
            registers,
            max_threads,
        });
        self.entries.push(Entry {
            function: number as usize,
            ..Entry::default()
        });
        Ok(())
    }

    /// What NVIDIA's assembler takes: 4352 bytes, 32764 from PTX 8.1 on for `sm_70` and later.
    fn check_parameters(&self, bytes: usize) -> Res<()> {
        let most = match self.version >= (8, 1) && self.target >= 70 {
            true => 32_764,
            false => 4352,
        };
        if bytes <= most {
            return Ok(());
        }
        let what = format!("the entry uses {bytes} bytes of parameter space, {most} at most");
        Err(self.cursor.syntax(what))
    }

    fn function(&mut self) -> Res<()> {
        let results = self.parameters()?;
        let name = self.cursor.next()?;
        let number = self.symbols.function(name);
        let params = self.parameters()?;
        self.tuning()?;
        let (mut local, mut names) = (0, Vec::new());
        let mut place = |variables: &[Variable<'a>]| -> Vec<Piece> {
            let pieces = variables.iter().map(|v| {
                let at = body::place(&mut local, v.bytes, v.align);
                names.push((v.name, body::Name::Local(at, v.bytes)));
                let bytes = v.bytes;
                Piece { at, bytes }
            });
            pieces.collect()
        };
        let (results, params) = (place(&results), place(&params));
        let function = &mut self.symbols.functions[number as usize];
        if function.defined {
            return Err(self.cursor.syntax(format!("`{name}` is defined twice")));
        }
        (function.results, function.params, function.local) = (results, params, local);
        if self.cursor.eat(";") {
            return Ok(());
        }
        self.body(number, false, names)?;
        Ok(())
    }

    /// Reads a body into a function. Gives its registers, in words of 32 bits.
    fn body(&mut self, number: u32, kernel: bool, names: Vec<(&'a str, body::Name)>) -> Res<u32> {
        let function = std::mem::take(&mut self.symbols.functions[number as usize]);
        if function.defined {
            let what = format!("`{}` is defined twice", function.name);
            return Err(self.cursor.syntax(what));
        }
        let mut body = Body::new(&mut self.cursor, &mut self.symbols, kernel, function, names);
        body.read()?;
        let done = body.done()?;
        self.called.extend(done.called);
        self.forms.extend(done.forms);
        self.symbols.functions[number as usize] = done.function;
        Ok(done.registers)
    }
}
