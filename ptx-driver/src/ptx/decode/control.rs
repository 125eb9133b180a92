//! Branches, calls, and ends.

use crate::ptx::body::{Body, Name};
use crate::ptx::code::{Call, Callee, Op, Piece, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::symbols::Symbol;
use crate::ptx::types::Type;

impl Body<'_, '_> {
    pub(super) fn bra(&mut self, form: &mut Form) -> Res<()> {
        form.take("uni");
        form.finish()?;
        let label = self.cursor.next()?;
        let (at, line) = (self.function.code.len(), self.line());
        self.jumps.push((at, label, line));
        self.emit(Op::Branch(0), SINK, [SINK; 4]);
        Ok(())
    }

    pub(super) fn brx(&mut self, form: &mut Form) -> Res<()> {
        form.take("uni");
        if !form.take("idx") {
            return Err(form.unknown());
        }
        form.finish()?;
        let a = self.source(Type::U32)?;
        self.comma()?;
        let table = self.cursor.next()?;
        let (at, line) = (self.function.code.len(), self.line());
        self.indexed.push((at, table, line));
        self.emit(Op::BranchIndexed(0), SINK, [a, SINK, SINK, 0]);
        Ok(())
    }

    pub(super) fn call(&mut self, form: &mut Form) -> Res<()> {
        form.take("uni");
        form.finish()?;
        let mut results = Vec::new();
        if self.cursor.peek() == "(" {
            results = self.passed()?;
            self.comma()?;
        }
        let name = self.cursor.peek();
        let symbol = self.symbols.names.get(name).copied();
        let callee = match (self.find(name), symbol) {
            (Some(Name::Register(..)), _) => Callee::Pointer(self.register(Type::B64)?),
            (_, Some(Symbol::Function(number))) => {
                self.cursor.next()?;
                match name {
                    "__assertfail" => Callee::AssertFail,
                    "cudaGraphSetConditional" => Callee::SetConditional,
                    _ => {
                        self.called.push((number, self.line()));
                        Callee::Function(number)
                    }
                }
            }
            _ => return Err(self.cursor.syntax(format!("`{name}` is no function"))),
        };
        let mut arguments = Vec::new();
        if self.cursor.eat(",") {
            if self.cursor.peek() == "(" {
                arguments = self.passed()?;
            }
            // Where a pointer is called, the prototype or the list of targets follows.
            if self.cursor.eat(",") || matches!(callee, Callee::Pointer(_)) {
                let prototype = self.cursor.next()?;
                if !self.prototypes.contains(prototype) {
                    let what = format!("there is no prototype `{prototype}`");
                    return Err(self.cursor.syntax(what));
                }
            }
        }
        self.check(callee, &arguments, &results)?;
        let number = self.function.calls.len() as u32;
        self.function.calls.push(Call {
            callee,
            arguments,
            results,
        });
        self.emit(Op::Call(number), SINK, [SINK; 4]);
        Ok(())
    }

    /// Whether a function takes what a call passes.
    fn check(&self, callee: Callee, arguments: &[Piece], results: &[Piece]) -> Res<()> {
        let Callee::Function(number) = callee else {
            return Ok(());
        };
        let function = &self.symbols.functions[number as usize];
        let sizes = |pieces: &[Piece]| pieces.iter().map(|p| p.bytes).collect::<Vec<_>>();
        let params = sizes(&function.params) == sizes(arguments);
        // A function under way has gone out of the list: its own call of itself is not checked.
        if function.name.is_empty() || params && sizes(&function.results) == sizes(results) {
            return Ok(());
        }
        let what = format!("`{}` takes other parameters", function.name);
        Err(self.cursor.syntax(what))
    }

    /// Variables in parentheses.
    fn passed(&mut self) -> Res<Vec<Piece>> {
        self.cursor.expect("(")?;
        let mut found = Vec::new();
        while !self.cursor.eat(")") {
            if !found.is_empty() {
                self.comma()?;
            }
            let name = self.cursor.peek();
            match self.find(name) {
                Some(Name::Local(at, bytes)) => found.push(Piece { at, bytes }),
                Some(_) => return Err(self.cursor.unknown("an argument in a register")),
                None => return Err(self.cursor.syntax(format!("`{name}` is no variable"))),
            }
            self.cursor.next()?;
        }
        Ok(found)
    }

    pub(super) fn leave(&mut self, form: &mut Form) -> Res<()> {
        if form.opcode == "ret" {
            form.take("uni");
        }
        form.finish()?;
        let op = match form.opcode {
            "ret" => Op::Return,
            "exit" => Op::Exit,
            "trap" => Op::Trap,
            _ => Op::Breakpoint,
        };
        self.emit(op, SINK, [SINK; 4]);
        Ok(())
    }

    pub(super) fn nanosleep(&mut self, form: &mut Form) -> Res<()> {
        form.ty_of(&[Type::U32])?;
        form.finish()?;
        self.source(Type::U32)?;
        self.function.waits = true;
        self.emit(Op::Yield, SINK, [SINK; 4]);
        Ok(())
    }
}
