//! Pairs of numbers that lanes load one by one, where no gather is quicker.

use crate::dtype::Scalar;
use crate::lower::emit::text::{ins, line, memory};
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::host::lanes::memory::pairs::REGISTER;
use std::fmt::Write;

/// Where lanes read, in memory, so that single lanes can look.
enum Stored {
    /// Addresses.
    Addresses(String),
    /// Offsets of 32 bits from an address, in units of a type.
    Offsets(String, String, String),
}

impl GangBody<'_> {
    /// Pairs that are loaded for each lane: vectors of two numbers of 64 bits, or integers of twice the size of smaller ones. A
    /// iteration of a loop fills one register: written out, the loads would take LLVM longer than all the rest.
    pub(in crate::lower::host::lanes) fn read_each(
        &mut self,
        ty: Scalar,
        lower: &Access,
    ) -> Vec<String> {
        let (lanes, size, mem) = (self.width, ty.size(), memory(ty));
        // What a load gives, what vectors of them are of, and how many of those it is.
        let (one, each, parts) = match size {
            8 => (format!("<2 x {mem}>"), mem.to_string(), 2),
            _ => (format!("i{}", 16 * size), format!("i{}", 16 * size), 1),
        };
        let step = (REGISTER / (2 * size)).min(lanes);
        let from = self.store_addresses(ty, lower);
        if step == lanes {
            return vec![self.load_part((&one, &each), size, (&from, "0"), step)];
        }
        let before = self.body.t.label.clone();
        let [again, end] = ["pairs", "read"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br label %{again}");
        self.body.t.start(&again);
        let [first, next] = [(); 2].map(|()| self.body.t.fresh());
        line!(
            self.body.t,
            "{first} = phi i64 [ 0, %{before} ], [ {next}, %{again} ]"
        );
        // What is loaded moves up from register to register. To write it to memory and read it back would be less code, but
        // processors that write large registers in pieces read them only after all stores before these are done.
        let v = format!("<{} x {each}>", parts * step);
        let held: Vec<String> = (0..lanes / step).map(|_| self.body.t.fresh()).collect();
        let mut moved = held[1..].to_vec();
        let some = self.body.t.fresh();
        moved.push(some.clone());
        for (now, then) in held.iter().zip(&moved) {
            line!(
                self.body.t,
                "{now} = phi {v} [ zeroinitializer, %{before} ], [ {then}, %{again} ]"
            );
        }
        let loaded = self.load_part((&one, &each), size, (&from, &first), step);
        // Under the name that was promised above.
        line!(self.body.t, "{some} = freeze {v} {loaded}");
        line!(self.body.t, "{next} = add nuw nsw i64 {first}, {step}");
        let more = ins!(self.body.t, "icmp ult i64 {next}, {lanes}");
        line!(
            self.body.t,
            "br i1 {more}, label %{again}, label %{end}, !llvm.loop !9"
        );
        self.body.t.start(&end);
        moved
    }

    /// Loads for so many lanes from the `first` on, as one vector.
    fn load_part(
        &mut self,
        (one, each): (&str, &str),
        size: usize,
        (from, first): (&Stored, &str),
        step: usize,
    ) -> String {
        let mut all = Vec::new();
        for k in 0..step {
            let lane = ins!(self.body.t, "add nuw nsw i64 {first}, {k}");
            let at = self.stored_address(from, &lane);
            all.push(ins!(self.body.t, "load {one}, ptr {at}, align {size}"));
        }
        if one != each {
            return self.joined(each, 2, all);
        }
        let v = format!("<{step} x {each}>");
        let (mut vector, loaded) = ("poison".to_string(), all);
        for (k, one) in loaded.iter().enumerate() {
            vector = ins!(
                self.body.t,
                "insertelement {v} {vector}, {each} {one}, i64 {k}"
            );
        }
        vector
    }

    /// Stores where lanes read, for loads of single lanes: taking a number out of a register costs more than reading it back. Lanes
    /// that do not run read zeros.
    fn store_addresses(&mut self, ty: Scalar, access: &Access) -> Stored {
        if let (None, Access::Offset(at, (unit, Scalar::I32, by))) = (&self.mask, access) {
            let by = self.stored("i32", by);
            return Stored::Offsets(at.clone(), unit.clone(), by);
        }
        let all = self.addresses(ty, access);
        let all = self.elsewhere(all, Self::nowhere);
        Stored::Addresses(self.stored("ptr", &all))
    }

    /// The memory that a vector is stored to.
    fn stored(&mut self, ty: &str, vector: &str) -> String {
        let lanes = self.width;
        let to = self.body.once(format!("%each.{ty}"), |body, name| {
            line!(body.head, "{name} = alloca [{lanes} x {ty}], align 64");
        });
        // LLVM would undo what is not volatile.
        line!(
            self.body.t,
            "store volatile <{lanes} x {ty}> {vector}, ptr {to}, align 64"
        );
        to
    }

    /// Where a lane reads.
    fn stored_address(&mut self, from: &Stored, lane: &str) -> String {
        let mut read = |ty: &str, to: &str| {
            let place = ins!(
                self.body.t,
                "getelementptr inbounds {ty}, ptr {to}, i64 {lane}"
            );
            ins!(self.body.t, "load volatile {ty}, ptr {place}")
        };
        match from {
            Stored::Addresses(to) => read("ptr", to),
            Stored::Offsets(at, unit, to) => {
                let by = read("i32", to);
                let by = ins!(self.body.t, "sext i32 {by} to i64");
                ins!(self.body.t, "getelementptr {unit}, ptr {at}, i64 {by}")
            }
        }
    }

    /// Addresses, with those of some memory for lanes that do not run.
    pub(in crate::lower::host::lanes) fn elsewhere(
        &mut self,
        all: String,
        memory: impl FnOnce(&mut Self) -> String,
    ) -> String {
        let Some(mask) = self.mask.clone() else {
            return all;
        };
        let (lanes, memory) = (self.width, memory(self));
        let v = format!("<{lanes} x ptr>");
        let one = ins!(self.body.t, "insertelement {v} poison, ptr {memory}, i64 0");
        let none = ins!(
            self.body.t,
            "shufflevector {v} {one}, {v} poison, <{lanes} x i32> zeroinitializer"
        );
        ins!(
            self.body.t,
            "select <{lanes} x i1> {mask}, {v} {all}, {v} {none}"
        )
    }

    /// Memory that lanes write which do not run.
    pub(in crate::lower::host::lanes) fn spare(&mut self) -> String {
        self.body.once("%spare".into(), |body, name| {
            line!(body.head, "{name} = alloca [16 x i8], align 16");
        })
    }

    /// Memory that lanes read which do not run.
    pub(in crate::lower::host::lanes) fn nowhere(&mut self) -> String {
        self.body.once("%nowhere".into(), |body, name| {
            line!(body.head, "{name} = alloca [16 x i8], align 16");
            line!(
                body.head,
                "store [16 x i8] zeroinitializer, ptr {name}, align 16"
            );
        })
    }
}
