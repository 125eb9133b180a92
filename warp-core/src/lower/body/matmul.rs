//! Products of large matrices: rows of vectors in local memory.
//!
//! Written out, a product would be text that grows with the cube of the size. So the operands go into scratch memory of the
//! call, a loop over the rows of the first one multiplies and adds whole rows of the second, and the result is read from
//! scratch memory again: text that grows with the number of components. Lanes are components of one row, so
//! each component is summed in the order that the IR says.

use crate::dtype::Scalar;
use crate::ir::{Block, Intrinsic, Kind, Op, Value};
use crate::lower::body::{Body, Target};
use crate::lower::emit::arith::{self, Known};
use crate::lower::emit::lane::{self, VECTOR};
use crate::lower::emit::text::{Text, ins, line, register};
use std::fmt::Write;

/// The memory of an operand or a result.
#[derive(Clone, Copy)]
enum Scratch {
    Left,
    Right,
    /// The second operand with its rows as columns.
    Turned,
    Product,
}

impl<T: Target> Body<'_, T> {
    /// `matmul`.
    pub(in crate::lower) fn matmul(
        &mut self,
        outs: &[Value],
        [a, b]: [&[Value]; 2],
        dims: [u32; 3],
    ) {
        self.settle(None);
        let [m, k, n] = dims.map(|d| d as usize);
        let rows = Rows::new(self.ty(outs[0]), n);
        let [left, right, product] =
            [Scratch::Left, Scratch::Right, Scratch::Product].map(|s| self.scratch(s));
        // From row to row, and from component to component of a row.
        let (row, step) = match self.turned(&rows, a, [m, k]) {
            Some(columns) => {
                self.spill(&rows, &columns, &left);
                (1, m)
            }
            None => {
                self.spill(&rows, a, &left);
                (k, 1)
            }
        };
        match self.turned(&rows, b, [k, n]) {
            Some(columns) => {
                let from = self.scratch(Scratch::Turned);
                self.spill(&rows, &columns, &from);
                rows.turn(&mut self.t, &from, &right, [k, n]);
            }
            None => self.spill(&rows, b, &right),
        }
        // The last row's last vector reads beyond: numbers left behind there could be slow ones.
        let end = rows.at(&mut self.t, &right, &(k * n).to_string());
        line!(
            self.t,
            "store <{VECTOR} x i8> zeroinitializer, ptr {end}, align 1"
        );

        let before = self.t.label.clone();
        let [each, done] = ["rows", "product"].map(|l| self.t.new_label(l));
        line!(self.t, "br label %{each}");
        self.t.start(&each);
        let (i, next) = (self.t.fresh(), self.t.fresh());
        line!(
            self.t,
            "{i} = phi i64 [ 0, %{before} ], [ {next}, %{each} ]"
        );
        let from = ins!(self.t, "mul nuw nsw i64 {i}, {row}");
        let from = rows.at(&mut self.t, &left, &from);
        let to = ins!(self.t, "mul nuw nsw i64 {i}, {n}");
        let to = rows.at(&mut self.t, &product, &to);
        rows.multiply(&mut self.t, (&from, step), &right, &to, k);
        line!(self.t, "{next} = add nuw nsw i64 {i}, 1");
        let more = ins!(self.t, "icmp ult i64 {next}, {m}");
        line!(self.t, "br i1 {more}, label %{each}, label %{done}");
        self.t.start(&done);
        for (start, lanes) in rows.pieces(m * n) {
            let at = rows.at(&mut self.t, &product, &start.to_string());
            let (v, size) = (rows.vector(lanes), rows.size);
            let name = ins!(self.t, "load {v}, ptr {at}, align {size}");
            self.unpack(&outs[start..start + lanes], name);
        }
    }

    /// The columns of an operand one after the other, if they are at hand as vectors and its rows are not.
    fn turned(
        &self,
        rows: &Rows,
        values: &[Value],
        [height, width]: [usize; 2],
    ) -> Option<Vec<Value>> {
        let at = |i| values[i % height * width + i / height];
        let columns: Vec<Value> = (0..height * width).map(at).collect();
        let cheap = |list: &[Value]| {
            let mut pieces = rows.pieces(list.len()).into_iter();
            pieces.all(|(start, lanes)| self.is_cheap(&list[start..start + lanes]))
        };
        (!cheap(values) && cheap(&columns)).then_some(columns)
    }

    /// Writes values to memory, one after the other.
    fn spill(&mut self, rows: &Rows, values: &[Value], to: &str) {
        for (start, lanes) in rows.pieces(values.len()) {
            let list = &values[start..start + lanes];
            let lists = if self.is_cheap(list) {
                list.chunks(lanes)
            } else {
                list.chunks(1)
            };
            let mut at = start;
            for list in lists {
                let name = self.pack(list);
                let address = rows.at(&mut self.t, to, &at.to_string());
                let (v, size) = (rows.vector(list.len()), rows.size);
                line!(self.t, "store {v} {name}, ptr {address}, align {size}");
                at += list.len();
            }
        }
    }

    /// Memory for the largest operand of a kind; all products share it, since each ends before the next one starts.
    fn scratch(&mut self, which: Scratch) -> String {
        let name = match which {
            Scratch::Left => "%mat.left",
            Scratch::Right => "%mat.right",
            Scratch::Turned => "%mat.turned",
            Scratch::Product => "%mat.product",
        };
        self.once(name.into(), |body, name| {
            let all = body.facts.func.blocks();
            let most = all.map(|block| body.most_bytes(block, which)).max();
            let bytes = most.unwrap_or(0) + VECTOR;
            line!(body.head, "{name} = alloca [{bytes} x i8], align {VECTOR}");
        })
    }

    fn most_bytes(&self, block: &Block, which: Scratch) -> usize {
        let each = block.stmts.iter().map(|stmt| match &stmt.kind {
            Kind::Intrinsic {
                op: Intrinsic::Matmul(sizes),
                outs,
                ..
            } => {
                let [m, k, n] = sizes.map(|d| d as usize);
                let count = match which {
                    Scratch::Left => m * k,
                    Scratch::Right | Scratch::Turned => k * n,
                    Scratch::Product => m * n,
                };
                count * Rows::new(self.ty(outs[0]), n).size
            }
            kind => {
                let inner = kind.blocks().into_iter();
                inner.map(|b| self.most_bytes(b, which)).max().unwrap_or(0)
            }
        });
        each.max().unwrap_or(0)
    }
}

/// How rows of a matrix lie in scratch memory: as registers hold their numbers, one row after the other. Vectors of a row
/// may reach into the next one. What they read there is multiplied for nothing; what they write there is
/// overwritten, since rows are written in order.
struct Rows {
    ty: Scalar,
    /// Bytes of a number.
    size: usize,
    /// Numbers of a row.
    cols: usize,
    /// Where in a row each vector starts, and how many numbers it has.
    vectors: Vec<(usize, usize)>,
}

impl Rows {
    fn new(ty: Scalar, cols: usize) -> Rows {
        let is_narrow = ty.is_narrow();
        // A narrow float is rounded to its type, number by number, in a wider register.
        let size = if is_narrow { 4 } else { ty.size() };
        let width = if is_narrow { 1 } else { VECTOR / size };
        let starts = (0..cols).step_by(width);
        let vectors = starts.map(|at| (at, (cols - at).next_power_of_two().min(width)));
        Rows {
            ty,
            size,
            cols,
            vectors: vectors.collect(),
        }
    }

    /// How a list of numbers is cut where it is written or read.
    fn pieces(&self, count: usize) -> Vec<(usize, usize)> {
        match self.ty {
            Scalar::F32 | Scalar::F64 => lane::pieces(self.ty, count),
            _ => (0..count).map(|at| (at, 1)).collect(),
        }
    }

    fn vector(&self, lanes: usize) -> String {
        lane::vector(self.ty, lanes)
    }

    fn at(&self, t: &mut Text, base: &str, index: &str) -> String {
        let r = register(self.ty);
        ins!(t, "getelementptr inbounds {r}, ptr {base}, i64 {index}")
    }

    /// One row of the product: the `k` numbers from `from` on, `step` apart, times the matrix at `right`.
    fn multiply(&self, t: &mut Text, (from, step): (&str, usize), right: &str, to: &str, k: usize) {
        let (r, size) = (register(self.ty), self.size);
        let mut sums = vec![String::new(); self.vectors.len()];
        for l in 0..k {
            let at = self.at(t, from, &(l * step).to_string());
            let x = ins!(t, "load {r}, ptr {at}, align {size}");
            for (sum, (start, lanes)) in sums.iter_mut().zip(&self.vectors) {
                let x = t.splat(self.ty, *lanes, &x);
                let at = self.at(t, right, &(l * self.cols + start).to_string());
                let y = ins!(t, "load {}, ptr {at}, align {size}", self.vector(*lanes));
                let product = self.op(t, Op::Mul, *lanes, [&x, &y]);
                *sum = match l {
                    0 => product,
                    _ => self.op(t, Op::Add, *lanes, [sum, &product]),
                };
            }
        }
        for (sum, (start, lanes)) in sums.iter().zip(&self.vectors) {
            let at = self.at(t, to, &start.to_string());
            line!(
                t,
                "store {} {sum}, ptr {at}, align {size}",
                self.vector(*lanes)
            );
        }
    }

    fn op(&self, t: &mut Text, op: Op, lanes: usize, args: [&str; 2]) -> String {
        if lanes == 1 {
            let args = args.map(String::from);
            return arith::named(t, op, self.ty, &args, Known::nothing(self.ty));
        }
        let letter = if self.ty.is_float() { "f" } else { "" };
        let (name, v) = (op.name().expect("named"), self.vector(lanes));
        ins!(t, "{letter}{name} {v} {}, {}", args[0], args[1])
    }

    /// The `k x n` matrix at `to` from its columns at `from`.
    fn turn(&self, t: &mut Text, from: &str, to: &str, [k, n]: [usize; 2]) {
        let (r, size) = (register(self.ty), self.size);
        let before = t.label.clone();
        let [column, number, next, done] =
            ["column", "number", "next", "turned"].map(|l| t.new_label(l));
        let [i, i_next, j, j_next] = [(); 4].map(|()| t.fresh());
        line!(t, "br label %{column}");
        t.start(&column);
        line!(t, "{i} = phi i64 [ 0, %{before} ], [ {i_next}, %{next} ]");
        let at = ins!(t, "mul nuw nsw i64 {i}, {k}");
        let at = self.at(t, from, &at);
        let top = self.at(t, to, &i);
        line!(t, "br label %{number}");
        t.start(&number);
        line!(t, "{j} = phi i64 [ 0, %{column} ], [ {j_next}, %{number} ]");
        let at = self.at(t, &at, &j);
        let x = ins!(t, "load {r}, ptr {at}, align {size}");
        let below = ins!(t, "mul nuw nsw i64 {j}, {n}");
        let below = self.at(t, &top, &below);
        line!(t, "store {r} {x}, ptr {below}, align {size}");
        line!(t, "{j_next} = add nuw nsw i64 {j}, 1");
        let more = ins!(t, "icmp ult i64 {j_next}, {k}");
        line!(t, "br i1 {more}, label %{number}, label %{next}");
        t.start(&next);
        line!(t, "{i_next} = add nuw nsw i64 {i}, 1");
        let more = ins!(t, "icmp ult i64 {i_next}, {n}");
        line!(t, "br i1 {more}, label %{column}, label %{done}");
        t.start(&done);
    }
}
