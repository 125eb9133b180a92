//! The body of a function: its statements, one after the other.

use super::body::{Body, Name, place};
use super::code::{Function, Guard, Op, SINK};
use super::operand::classes;
use super::refusal::{Refusal, Res, Why};
use super::symbols::variable;
use super::types::{LOCAL_BYTES, Type};
use std::collections::{BTreeSet, HashMap};

/// A body that was read.
pub(crate) struct Done {
    pub function: Function,
    pub called: Vec<(u32, usize)>,
    pub forms: BTreeSet<String>,
    pub registers: u32,
}

impl<'a> Body<'_, 'a> {
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
        let form = classes(&statement, self);
        self.forms.insert(form);
        self.decode()?;
        self.cursor.expect(";")
    }
}
