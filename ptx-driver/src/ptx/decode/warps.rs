//! Barriers, and exchanges between the lanes of a warp.

use crate::ptx::body::Body;
use crate::ptx::code::{Barrier, Exchange, Op, Reduce, Reduction, SINK, Shuffle, Warp};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;

const ALL_LANES: u64 = 0xffff_ffff;

impl Body<'_, '_> {
    pub(super) fn barrier(&mut self, form: &mut Form) -> Res<()> {
        // `bar` is the older spelling; it is always aligned.
        let aligned = form.take("aligned") || form.opcode == "bar";
        if form.take("warp") {
            return self.warp_barrier(form);
        }
        form.take("cta");
        let kinds = [("sync", 0), ("arrive", 1), ("red", 2)];
        let kind = form.one_of(&kinds).ok_or_else(|| form.unknown())?;
        let mut reduction = Reduction::None;
        let mut to = Type::Pred;
        if kind == 2 {
            let kinds = [
                ("popc", Reduction::Count),
                ("and", Reduction::All),
                ("or", Reduction::Any),
            ];
            reduction = form.one_of(&kinds).ok_or_else(|| form.unknown())?;
            to = form.ty_of(&[Type::U32, Type::Pred])?;
            if (to == Type::U32) != (reduction == Reduction::Count) {
                return Err(form.unknown());
            }
        }
        form.finish()?;
        let mut d = SINK;
        if kind == 2 {
            d = self.destination(to)?;
            self.comma()?;
        }
        let id = self.source(Type::U32)?;
        let mut threads = None;
        let (mut predicate, mut negated) = (SINK, false);
        if kind != 2 && self.cursor.eat(",") {
            threads = Some(self.source(Type::U32)?);
        }
        if kind == 2 {
            self.comma()?;
            let next = self.cursor.peek();
            let is_predicate = next == "!" || self.is_predicate(next);
            if !is_predicate {
                threads = Some(self.source(Type::U32)?);
                self.comma()?;
            }
            negated = self.cursor.eat("!");
            predicate = self.register(Type::Pred)?;
        }
        if kind == 1 && threads.is_none() {
            return Err(self.cursor.syntax("an arrival without a number of threads"));
        }
        let number = self.function.barriers.len() as u32;
        self.function.barriers.push(Barrier {
            id,
            threads,
            arrive: kind == 1,
            aligned,
            reduction,
            predicate,
            negated,
        });
        self.function.waits = true;
        self.emit(Op::Barrier(number), d, [SINK; 4]);
        Ok(())
    }

    fn is_predicate(&self, word: &str) -> bool {
        use crate::ptx::body::Name;
        matches!(self.find(word), Some(Name::Register(_, Type::Pred)))
    }

    fn warp_barrier(&mut self, form: &mut Form) -> Res<()> {
        if !form.take("sync") {
            return Err(form.unknown());
        }
        form.finish()?;
        let mask = self.source(Type::B32)?;
        self.exchange(Exchange::Sync, mask, [SINK; 5], false, 32);
        Ok(())
    }

    /// Appends an operation of a warp: results `d` and `p`, operands `a`, `b`, `c`.
    fn exchange(
        &mut self,
        exchange: Exchange,
        mask: u32,
        slots: [u32; 5],
        negated: bool,
        bits: u32,
    ) {
        let [d, p, a, b, c] = slots;
        let number = self.function.warps.len() as u32;
        self.function.warps.push(Warp {
            exchange,
            mask,
            p,
            negated,
            bits,
        });
        self.function.waits = true;
        self.emit(Op::Warp(number), d, [a, b, c, 0]);
    }

    /// The forms without `.sync` are gone since sm_70.
    fn expect_sync(form: &mut Form) -> Res<()> {
        if form.take("sync") {
            return Ok(());
        }
        Err(form.unknown())
    }

    fn second_predicate(&mut self) -> Res<u32> {
        if self.cursor.eat("|") {
            return self.destination(Type::Pred);
        }
        Ok(SINK)
    }

    pub(super) fn shuffle(&mut self, form: &mut Form) -> Res<()> {
        Self::expect_sync(form)?;
        let ty = form.ty_of(&[Type::B32])?;
        let modes = [
            ("up", Shuffle::Up),
            ("down", Shuffle::Down),
            ("bfly", Shuffle::Butterfly),
            ("idx", Shuffle::Index),
        ];
        let mode = form.one_of(&modes).ok_or_else(|| form.unknown())?;
        form.finish()?;
        let d = self.destination(ty)?;
        let p = self.second_predicate()?;
        let (a, b, c) = (self.then(ty)?, self.then(ty)?, self.then(ty)?);
        let mask = self.then(ty)?;
        self.exchange(Exchange::Shuffle(mode), mask, [d, p, a, b, c], false, 32);
        Ok(())
    }

    pub(super) fn vote(&mut self, form: &mut Form) -> Res<()> {
        Self::expect_sync(form)?;
        let to = form.ty_of(&[Type::Pred, Type::B32])?;
        let kinds = [
            ("all", Exchange::All),
            ("any", Exchange::Any),
            ("uni", Exchange::Uniform),
            ("ballot", Exchange::Ballot),
        ];
        let kind = form.one_of(&kinds).ok_or_else(|| form.unknown())?;
        if (kind == Exchange::Ballot) != (to == Type::B32) {
            return Err(form.unknown());
        }
        form.finish()?;
        let d = self.destination(to)?;
        self.comma()?;
        let negated = self.cursor.eat("!");
        let a = self.source(Type::Pred)?;
        let mask = self.then(Type::B32)?;
        self.exchange(kind, mask, [d, SINK, a, SINK, SINK], negated, 1);
        Ok(())
    }

    pub(super) fn match_lanes(&mut self, form: &mut Form) -> Res<()> {
        Self::expect_sync(form)?;
        let ty = form.ty_of(&[Type::B32, Type::B64])?;
        let kinds = [("any", Exchange::MatchAny), ("all", Exchange::MatchAll)];
        let kind = form.one_of(&kinds).ok_or_else(|| form.unknown())?;
        form.finish()?;
        let d = self.destination(Type::B32)?;
        let p = self.second_predicate()?;
        let a = self.then(ty)?;
        let mask = self.then(Type::B32)?;
        self.exchange(kind, mask, [d, p, a, SINK, SINK], false, ty.bits());
        Ok(())
    }

    pub(super) fn redux(&mut self, form: &mut Form) -> Res<()> {
        Self::expect_sync(form)?;
        let ty = form.ty_of(&[Type::U32, Type::S32, Type::B32])?;
        let arithmetic = [
            ("add", Reduce::Add),
            ("min", Reduce::Min),
            ("max", Reduce::Max),
        ];
        let logical = [
            ("and", Reduce::And),
            ("or", Reduce::Or),
            ("xor", Reduce::Xor),
        ];
        let kinds = if ty == Type::B32 { logical } else { arithmetic };
        let kind = form.one_of(&kinds).ok_or_else(|| form.unknown())?;
        form.finish()?;
        let d = self.destination(ty)?;
        let a = self.then(ty)?;
        let mask = self.then(Type::B32)?;
        let kind = Exchange::Reduce(kind, ty.signed());
        self.exchange(kind, mask, [d, SINK, a, SINK, SINK], false, 32);
        Ok(())
    }

    pub(super) fn activemask(&mut self, form: &mut Form) -> Res<()> {
        form.ty_of(&[Type::B32])?;
        form.finish()?;
        let d = self.destination(Type::B32)?;
        let mask = self.constant(ALL_LANES);
        let slots = [d, SINK, SINK, SINK, SINK];
        self.exchange(Exchange::ActiveMask, mask, slots, false, 32);
        Ok(())
    }

    /// The lowest lane of the mask leads: PTX leaves open which.
    pub(super) fn elect(&mut self, form: &mut Form) -> Res<()> {
        Self::expect_sync(form)?;
        form.finish()?;
        let d = self.destination(Type::B32)?;
        let p = self.second_predicate()?;
        let mask = self.then(Type::B32)?;
        let slots = [d, p, SINK, SINK, SINK];
        self.exchange(Exchange::Elect, mask, slots, false, 32);
        Ok(())
    }
}
