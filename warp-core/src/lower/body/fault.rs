//! Faults of a running kernel: every check of a body jumps to one block, which notes the fault in the context and leaves.

use crate::abi;
use crate::lower::body::{Body, Fault, Tail, Target};
use crate::lower::emit::text::{ins, line};
use std::fmt::Write;

impl<T: Target> Body<'_, T> {
    /// Ends the kernel with a run-time error if `bad` holds.
    pub fn fail_if(&mut self, bad: &str, code: i32, a: &str, b: &str) {
        let go = self.t.new_label("go");
        line!(self.t, "br i1 {bad}, label %fault, label %{go}, !prof !6");
        self.note_fault(code, a, b);
        self.t.start(&go);
    }

    /// This block has jumped to the one of faults.
    pub(in crate::lower) fn note_fault(&mut self, code: i32, a: &str, b: &str) {
        let from = self.t.label.clone();
        let span = self.place_number();
        self.faults.push(Fault {
            from,
            code,
            span,
            a: a.into(),
            b: b.into(),
        });
        self.bails = true;
    }

    /// The block that the checks jump to. The first fault of a context stays.
    pub fn close_faults(&mut self) {
        if self.faults.is_empty() {
            return;
        }
        self.t.start("fault");
        let phi = |ty: &str, what: &dyn Fn(&Fault) -> String| {
            let sides = self.faults.iter();
            let sides = sides.map(|f| format!("[ {}, %{} ]", what(f), f.from));
            format!("phi {ty} {}", sides.collect::<Vec<_>>().join(", "))
        };
        let fields = [
            (
                "i32",
                abi::ctx::ERROR_CODE,
                phi("i32", &|f| f.code.to_string()),
            ),
            (
                "i32",
                abi::ctx::ERROR_SPAN,
                phi("i32", &|f| f.span.to_string()),
            ),
            ("i64", abi::ctx::ERROR_A, phi("i64", &|f| f.a.clone())),
            ("i64", abi::ctx::ERROR_B, phi("i64", &|f| f.b.clone())),
        ];
        let fields = fields.map(|(ty, at, phi)| (ty, at, ins!(self.t, "{phi}")));
        let first = T::first_fault(&mut self.t, &fields[0].2);
        line!(self.t, "br i1 {first}, label %note, label %bail");
        self.t.start("note");
        for (ty, offset, value) in fields {
            let at = ins!(self.t, "getelementptr inbounds i8, ptr %ctx, i64 {offset}");
            line!(self.t, "store {ty} {value}, ptr {at}, align 4");
        }
        T::sign_fault(&mut self.t);
        line!(self.t, "br label %bail");
    }

    /// Number of the statement's place in the table of places.
    fn place_number(&mut self) -> usize {
        let Tail { spans, numbers, .. } = &mut *self.tail;
        *numbers.entry(self.span).or_insert_with(|| {
            spans.push(self.span);
            spans.len() - 1
        })
    }
}
