//! The bodies of a kernel are written one after the other, with what users are told of each.

use super::Lowering;
use super::lanes::{Choice, GangBody};
use super::plan;
use super::target::SerialGang;
use crate::ir::CalleeId;
use crate::lower::analysis::variant::Variant;
use crate::lower::report::BodyReport;

impl Lowering<'_> {
    /// Writes the body that runs gangs; `epilogue` is the one that runs the last ones.
    pub(super) fn gangs(&mut self, choice: &Choice, variant: Variant, epilogue: Option<Variant>) {
        let symbol = &self.options.name;
        let epilogue = epilogue.map(|v| format!("{symbol}.{}", v.suffix()));
        let name = plan::symbol_of_gangs(symbol, variant);
        let mut tail = std::mem::take(&mut self.written.tail);
        let mut body = self.body(variant, true, &mut tail);
        body.symbol.clone_from(&name);
        let (done, mut notes) = match choice.serial {
            true => {
                body.target.gang = Some(SerialGang {
                    width: choice.width,
                    epilogue: epilogue.filter(|_| !choice.masked),
                });
                let done = body.function(&name, &self.fission.list[0], false);
                (done, Vec::new())
            }
            false => {
                let gang = GangBody::new(body, choice);
                gang.function(&name, epilogue.as_deref(), &self.facts.func.body)
            }
        };
        self.written.tail = tail;
        for (id, callee) in self.facts.func.callees.iter().enumerate() {
            let mut tail = std::mem::take(&mut self.written.tail);
            let mut body = self.body(variant, true, &mut tail);
            body.symbol.clone_from(&name);
            let id = CalleeId(id as u32);
            let (done, costly) = match choice.serial {
                true => (body.callee(id, callee), Vec::new()),
                false => GangBody::new(body, choice).callee(id, callee),
            };
            self.written.tail = tail;
            self.written.bodies += &done.code;
            self.written.helpers.extend(done.helpers);
            notes.extend(costly);
        }
        self.written.report.push(BodyReport {
            name: format!("{}{}", self.prefix, &name[symbol.len() + 1..]),
            lanes: (!choice.serial).then_some(choice.width),
            why: choice.why,
            notes,
            splits: self.splits.clone(),
            whole: self.stays_whole,
            spills: None,
        });
        self.written.bodies += &done.code;
        self.written.helpers.extend(done.helpers);
    }

    /// Writes a body that runs one thread at a time, in its fissioned loops.
    pub(super) fn scalars(&mut self, variant: Variant, gangs: bool, why: &'static str) {
        let name = format!("{}.{}", self.options.name, variant.suffix());
        let count = self.fission.list.len();
        if count > 1 {
            self.written.bodies += &self.fission.driver(&name);
        }
        for (k, fissioned) in self.fission.list.iter().enumerate() {
            let mut tail = std::mem::take(&mut self.written.tail);
            let mut body = self.body(variant, gangs, &mut tail);
            if self.vector.groups_accesses(variant) && !gangs {
                body.notes = GROUP;
                body.t.vectorises = true;
            }
            let done = match count {
                1 => body.function(&name, fissioned, false),
                _ => body.function(&format!("{name}.{k}"), fissioned, true),
            };
            self.written.tail = tail;
            self.written.bodies += &done.code;
            self.written.helpers.extend(done.helpers);
        }
        for (id, callee) in self.facts.func.callees.iter().enumerate() {
            let mut tail = std::mem::take(&mut self.written.tail);
            let body = self.body(variant, gangs, &mut tail);
            let done = body.callee(CalleeId(id as u32), callee);
            self.written.tail = tail;
            self.written.bodies += &done.code;
            self.written.helpers.extend(done.helpers);
        }
        self.written.report.push(BodyReport {
            name: format!("{}{}", self.prefix, variant.suffix()),
            lanes: None,
            why,
            notes: Vec::new(),
            splits: self.splits.clone(),
            whole: self.stays_whole,
            spills: None,
        });
    }
}

/// What marks an access as free of dependences between iterations of the launch loop.
const GROUP: &str = ", !llvm.access.group !0";
