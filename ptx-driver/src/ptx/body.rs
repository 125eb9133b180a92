//! The body of a function: names, labels, statements.

use super::code::{Fill, Function, Guard, Inst, Op, SINK, Slot};
use super::refusal::{Refusal, Res, Why};
use super::symbols::{Symbol, Symbols, variable};
use super::token::Cursor;
use super::types::{LOCAL_BYTES, Type};
use std::collections::{BTreeSet, HashMap};

/// What a name in a body stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    Register(Slot, Type),
    /// A byte of the frame's local memory, and how many follow.
    Local(u64, u64),
    /// A kernel's parameter: its offset.
    Param(u64),
    /// A variable in shared memory, by number.
    Shared(u32),
}

/// A label or table that is not known yet, where it is used, and the line.
type Pending<'a> = Vec<(usize, &'a str, usize)>;

/// A body being read.
pub(crate) struct Body<'r, 'a> {
    pub cursor: &'r mut Cursor<'a>,
    pub symbols: &'r mut Symbols<'a>,
    pub kernel: bool,
    pub function: Function,
    scopes: Vec<HashMap<String, Name>>,
    filled: HashMap<Fill, Slot>,
    guard: Guard,
    line: usize,
    labels: HashMap<&'a str, u32>,
    /// Branches to labels.
    pub jumps: Pending<'a>,
    /// Branches by tables, and the tables.
    pub indexed: Pending<'a>,
    tables: HashMap<&'a str, Vec<&'a str>>,
    pub prototypes: BTreeSet<&'a str>,
    pub called: Vec<(u32, usize)>,
    registers: u32,
    forms: BTreeSet<String>,
}

/// A body that was read.
pub(crate) struct Done {
    pub function: Function,
    pub called: Vec<(u32, usize)>,
    pub forms: BTreeSet<String>,
    pub registers: u32,
}

/// Makes room in a frame's local memory.
pub(crate) fn place(local: &mut u64, bytes: u64, align: u64) -> u64 {
    let at = local.next_multiple_of(align.max(1));
    *local = at + bytes;
    at
}

impl<'r, 'a> Body<'r, 'a> {
    pub fn new(
        cursor: &'r mut Cursor<'a>,
        symbols: &'r mut Symbols<'a>,
        kernel: bool,
        mut function: Function,
        names: Vec<(&'a str, Name)>,
    ) -> Body<'r, 'a> {
        function.slots = SINK + 1;
        let names = names.into_iter().map(|(name, n)| (name.to_string(), n));
        Body {
            cursor,
            symbols,
            kernel,
            function,
            scopes: vec![names.collect()],
            filled: HashMap::new(),
            guard: Guard::ALWAYS,
            line: 0,
            labels: HashMap::new(),
            jumps: Vec::new(),
            indexed: Vec::new(),
            tables: HashMap::new(),
            prototypes: BTreeSet::new(),
            called: Vec::new(),
            registers: 0,
            forms: BTreeSet::new(),
        }
    }

    /// Reads from the opening brace to the closing one.
    pub fn read(&mut self) -> Res<()> {
        self.cursor.expect("{")?;
        let mut depth = 1;
        while depth > 0 {
            self.line = self.cursor.line();
            match self.cursor.peek() {
                "{" => {
                    self.cursor.next()?;
                    self.scopes.push(HashMap::new());
                    depth += 1;
                }
                "}" => {
                    self.cursor.next()?;
                    self.scopes.pop();
                    depth -= 1;
                }
                ";" => {
                    self.cursor.next()?;
                }
                word if word.starts_with('.') => self.directive()?,
                _ if self.cursor.ahead(1) == ":" => self.label()?,
                _ => self.instruction()?,
            }
        }
        // A thread that comes to the end of a body leaves it.
        self.guard = Guard::ALWAYS;
        self.emit(Op::Return, SINK, [SINK; 4]);
        Ok(())
    }

    /// Resolves labels.
    pub fn done(mut self) -> Res<Done> {
        let target = |label: &str, line: usize| {
            let missing = || Refusal {
                line,
                why: Why::Syntax(format!("there is no label `{label}`")),
            };
            self.labels.get(label).copied().ok_or_else(missing)
        };
        for (at, label, line) in &self.jumps {
            self.function.code[*at].op = Op::Branch(target(label, *line)?);
        }
        for (at, name, line) in &self.indexed {
            let Some(labels) = self.tables.get(name) else {
                let why = Why::Syntax(format!("there are no branch targets `{name}`"));
                return Err(Refusal { line: *line, why });
            };
            let table: Res<Vec<u32>> = labels.iter().map(|l| target(l, *line)).collect();
            self.function.code[*at].op = Op::BranchIndexed(self.function.tables.len() as u32);
            self.function.tables.push(table?);
        }
        if self.function.local > LOCAL_BYTES {
            let what = format!("`{}` needs too much local memory", self.function.name);
            return Err(self.cursor.syntax(what));
        }
        self.function.defined = true;
        Ok(Done {
            function: self.function,
            called: self.called,
            forms: self.forms,
            registers: self.registers,
        })
    }

    fn directive(&mut self) -> Res<()> {
        let word = self.cursor.peek();
        let refused = self.cursor.unknown(word);
        self.cursor.next()?;
        match word {
            ".reg" => self.declare_registers()?,
            ".local" | ".param" => {
                let variable = variable(self.cursor)?;
                self.cursor.expect(";")?;
                let at = place(&mut self.function.local, variable.bytes, variable.align);
                self.name(variable.name.into(), Name::Local(at, variable.bytes));
            }
            ".extern" if self.cursor.peek() == ".shared" => {}
            ".shared" => {
                let variable = variable(self.cursor)?;
                self.cursor.expect(";")?;
                let number = self.symbols.add_shared(&variable);
                self.name(variable.name.into(), Name::Shared(number));
            }
            ".loc" => self.cursor.skip_line(),
            ".pragma" => self.cursor.skip_past(";")?,
            _ => return Err(refused),
        }
        Ok(())
    }

    fn declare_registers(&mut self) -> Res<()> {
        let word = self.cursor.next()?;
        let ty = word.strip_prefix('.').and_then(Type::named);
        let ty = ty.ok_or_else(|| self.cursor.unknown(format!(".reg {word}")))?;
        let words = if ty == Type::Pred {
            0
        } else {
            ty.bits().div_ceil(32)
        };
        loop {
            let name = self.cursor.next()?;
            let declare = |body: &mut Self, name: String| {
                let slot = body.temporary();
                body.name(name, Name::Register(slot, ty));
                body.registers += words;
            };
            if self.cursor.eat("<") {
                let count = self.cursor.number()?;
                self.cursor.expect(">")?;
                if count > 1 << 20 {
                    return Err(self.cursor.syntax(format!("{count} registers")));
                }
                for number in 0..count {
                    declare(self, format!("{name}{number}"));
                }
            } else {
                declare(self, name.into());
            }
            if !self.cursor.eat(",") {
                return self.cursor.expect(";");
            }
        }
    }

    fn label(&mut self) -> Res<()> {
        let label = self.cursor.next()?;
        self.cursor.expect(":")?;
        match self.cursor.peek() {
            ".branchtargets" => {
                self.cursor.next()?;
                let mut labels = vec![self.cursor.next()?];
                while self.cursor.eat(",") {
                    labels.push(self.cursor.next()?);
                }
                self.tables.insert(label, labels);
                self.cursor.expect(";")
            }
            ".callprototype" => {
                self.prototypes.insert(label);
                self.cursor.skip_past(";")
            }
            _ => {
                let here = self.function.code.len() as u32;
                if self.labels.insert(label, here).is_some() {
                    let what = format!("label `{label}` stands twice");
                    return Err(self.cursor.syntax(what));
                }
                Ok(())
            }
        }
    }

    fn instruction(&mut self) -> Res<()> {
        self.guard = Guard::ALWAYS;
        if self.cursor.eat("@") {
            let negated = self.cursor.eat("!");
            let slot = self.register(Type::Pred)?;
            self.guard = Guard::on(slot, negated);
        }
        let statement = self.cursor.statement();
        let form = super::operand::classes(&statement, self);
        self.forms.insert(form);
        self.decode()?;
        self.cursor.expect(";")
    }

    pub fn guard(&self) -> Guard {
        self.guard
    }

    pub fn set_guard(&mut self, guard: Guard) {
        self.guard = guard;
    }

    pub fn line(&self) -> usize {
        self.line
    }

    fn name(&mut self, name: String, what: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, what);
        }
    }

    pub fn find(&self, name: &str) -> Option<Name> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found
            .copied()
            .or_else(|| match self.symbols.names.get(name) {
                Some(Symbol::Shared(number)) => Some(Name::Shared(*number)),
                _ => None,
            })
    }

    /// A new slot.
    pub fn temporary(&mut self) -> Slot {
        self.function.slots += 1;
        self.function.slots - 1
    }

    /// The slot that holds something from the start.
    pub fn filled(&mut self, fill: Fill) -> Slot {
        if let Some(slot) = self.filled.get(&fill) {
            return *slot;
        }
        let slot = self.temporary();
        self.filled.insert(fill, slot);
        self.function.fills.push((slot, fill));
        slot
    }

    pub fn constant(&mut self, value: u64) -> Slot {
        self.filled(Fill::Constant(value))
    }

    /// Appends an instruction under the statement's guard.
    pub fn emit(&mut self, op: Op, d: Slot, [a, b, c, e]: [u32; 4]) {
        let guard = self.guard;
        self.function.code.push(Inst {
            op,
            guard,
            d,
            a,
            b,
            c,
            e,
        });
        self.function.lines.push(self.line as u32);
    }

    pub fn comma(&mut self) -> Res<()> {
        self.cursor.expect(",")
    }
}
