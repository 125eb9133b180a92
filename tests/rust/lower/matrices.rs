//! Large matrices: products as one statement, and runs of accesses as vectors.

use tests::native::agree;
use warp_core::dtype::Scalar;
use warp_core::interp::{Arg, Memory};
use warp_core::ir::{AtomicOp, Builder, Comp, Func, Kind, Op, ParamId, ParamType, Place, Value};
use warp_core::ty::Elem;

const THREADS: i32 = 3;

struct Kernel {
    b: Builder,
    tid: Value,
}

impl Kernel {
    /// Arrays of matrices, as `[rows, columns]`.
    fn new(scalar: Scalar, sizes: &[[u32; 2]]) -> Kernel {
        let mut b = Builder::new("k");
        for (i, [rows, cols]) in sizes.iter().copied().enumerate() {
            let elem = Elem::Mat { rows, cols, scalar };
            b.param(format!("p{i}"), ParamType::Array { elem, ndim: 1 });
        }
        let tid = b.let_(Scalar::I32, Op::Tid(0), &[]);
        Kernel { b, tid }
    }

    fn place(&self, array: u32, component: usize) -> Place {
        Place {
            array: ParamId(array),
            index: [self.tid].into_iter().collect(),
            comp: Comp::Fixed(component as u32),
        }
    }

    /// The components of this thread's element.
    fn load(&mut self, array: u32) -> Vec<Value> {
        let count = self.b.func().params[array as usize].ty.elem().count();
        let each = (0..count).map(|c| self.b.load(self.place(array, c)));
        each.collect()
    }

    fn store(&mut self, array: u32, values: &[Value]) {
        for (c, value) in values.iter().enumerate() {
            self.b.store(self.place(array, c), *value);
        }
    }

    /// In the opposite order, as adjoints do.
    fn add(&mut self, array: u32, values: &[Value]) {
        for (c, value) in values.iter().enumerate().rev() {
            self.b.accumulate(self.place(array, c), *value);
        }
    }

    fn agrees(self) {
        let func = self.b.finish();
        let mut memory = Memory::default();
        let args: Vec<Arg> = func
            .params
            .iter()
            .map(|p| fill(&mut memory, p.ty.elem()))
            .collect();
        agree(&func.to_string(), &[THREADS], &args, &memory);
    }
}

/// An array of numbers of both signs, rounded to their type.
fn fill(memory: &mut Memory, elem: Elem) -> Arg {
    let scalar = elem.scalar();
    let count = elem.count() * THREADS as usize;
    let each = (0..count).map(|i| (i * 37 % 101) as f64 / 32.0 - 1.5);
    if scalar.is_float() {
        let data: Vec<f64> = each.map(|x| scalar.round(x)).collect();
        memory.floats(elem, &[THREADS], &data)
    } else {
        let data: Vec<i64> = each.map(|x| (x.abs() * 7.0) as i64).collect();
        memory.ints(elem, &[THREADS], &data)
    }
}

fn transpose(x: &[Value], [rows, cols]: [u32; 2]) -> Vec<Value> {
    let (rows, cols) = (rows as usize, cols as usize);
    (0..rows * cols)
        .map(|i| x[i % rows * cols + i / rows])
        .collect()
}

const SIZES: [[u32; 3]; 7] = [
    [7, 7, 7],
    [12, 12, 12],
    [5, 11, 9],
    [16, 3, 8],
    [1, 60, 1],
    [2, 1, 33],
    [2, 2, 2],
];

#[test]
fn products_have_the_bits_of_sums_in_order() {
    let scalars = [
        Scalar::F32,
        Scalar::F64,
        Scalar::F16,
        Scalar::BF16,
        Scalar::I32,
        Scalar::I64,
        Scalar::U8,
    ];
    for (scalar, [m, k, n]) in scalars
        .into_iter()
        .flat_map(|s| SIZES.map(|size| (s, size)))
    {
        let mut kernel = Kernel::new(scalar, &[[m, k], [k, n], [m, n]]);
        let (a, b) = (kernel.load(0), kernel.load(1));
        let c = kernel.b.matmul(&a, &b, [m, k, n]);
        kernel.store(2, &c);
        kernel.agrees();
    }
}

#[test]
fn operands_may_be_transposed() {
    for (scalar, [m, k, n]) in [Scalar::F32, Scalar::F64]
        .into_iter()
        .flat_map(|s| SIZES.map(|size| (s, size)))
    {
        let mut kernel = Kernel::new(scalar, &[[k, m], [n, k], [m, n]]);
        let (a, b) = (kernel.load(0), kernel.load(1));
        let (a, b) = (transpose(&a, [k, m]), transpose(&b, [n, k]));
        let c = kernel.b.matmul(&a, &b, [m, k, n]);
        kernel.add(2, &c);
        kernel.agrees();
    }
}

#[test]
fn lanes_go_through_arithmetic_and_come_out_one_by_one() {
    for scalar in [Scalar::F32, Scalar::F64] {
        let mut kernel = Kernel::new(scalar, &[[7, 8], [7, 8], [7, 8], [1, 1]]);
        let (x, y) = (kernel.load(0), kernel.load(1));
        let b = &mut kernel.b;
        let half = b.number(scalar, 0.5);
        let mut z: Vec<Value> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| b.op(Op::Add, &[*x, *y]))
            .collect();
        // Backward, with what is the same for all, one by one, and a lane on both sides.
        for i in (0..z.len()).rev() {
            z[i] = b.op(Op::Mul, &[half, z[i]]);
        }
        let minus: Vec<Value> = z.iter().map(|z| b.op(Op::Neg, &[*z])).collect();
        let shifted: Vec<Value> = (0..z.len())
            .map(|i| b.op(Op::Sub, &[z[i], minus[z.len() - 1 - i]]))
            .collect();
        let mixed: Vec<Value> = shifted
            .iter()
            .enumerate()
            .map(|(i, v)| {
                if i % 3 == 0 {
                    b.op(Op::Sqrt, &[*v])
                } else {
                    *v
                }
            })
            .collect();
        kernel.store(2, &mixed);
        kernel.add(1, &shifted);
        let one = kernel.b.op(Op::Add, &[z[5], shifted[9]]);
        kernel.store(3, &[one]);
        kernel.agrees();
    }
}

#[test]
fn lanes_cross_branches_and_loops() {
    let mut kernel = Kernel::new(Scalar::F32, &[[8, 8], [8, 8], [8, 8]]);
    let x = kernel.load(0);
    let b = &mut kernel.b;
    let (zero, one) = (b.number(Scalar::F32, 0.0), b.i32(1));
    let odd = b.op(Op::And, &[kernel.tid, one]);
    let odd = b.op(Op::Eq, &[odd, one]);
    let place = |c: usize| Place {
        array: ParamId(1),
        index: [kernel.tid].into_iter().collect(),
        comp: Comp::Fixed(c as u32),
    };
    // Read backward on one side, zero or lanes from outside on the other.
    let y = b.if_(
        odd,
        |b| (0..64).rev().map(|c| b.load(place(c))).collect(),
        |_| (0..64).map(|c| if c < 32 { zero } else { x[c] }).collect(),
    );
    let three = b.i32(3);
    let nought = b.i32(0);
    let z = b.for_([nought, three, one], y.clone(), |b, _, carried| {
        let sums = carried.iter().zip(&x);
        sums.enumerate()
            .map(|(i, (c, x))| if i == 7 { *x } else { b.op(Op::Add, &[*c, *x]) })
            .collect()
    });
    let both = b.if_(odd, |_| x.clone(), |_| x.iter().rev().copied().collect());
    let sums: Vec<Value> = z
        .iter()
        .zip(&both)
        .map(|(a, c)| b.op(Op::Sub, &[*a, *c]))
        .collect();
    kernel.store(2, &sums);
    kernel.agrees();
}

#[test]
fn products_in_loops_feed_each_other() {
    let mut kernel = Kernel::new(Scalar::F64, &[[8, 8], [8, 8]]);
    let x = kernel.load(0);
    let b = &mut kernel.b;
    let (zero, three, one) = (b.i32(0), b.i32(3), b.i32(1));
    let eighth = b.number(Scalar::F64, 0.125);
    let powers = b.for_([zero, three, one], x.clone(), |b, _, carried| {
        let product = b.matmul(carried, &transpose(&x, [8, 8]), [8, 8, 8]);
        product
            .iter()
            .map(|p| b.op(Op::Mul, &[*p, eighth]))
            .collect()
    });
    kernel.store(1, &powers);
    kernel.agrees();
}

/// What the run of one array ends is not part of it: another element, a component for the second time, a maximum.
#[test]
fn runs_end_where_they_must() {
    let mut kernel = Kernel::new(Scalar::F32, &[[7, 8], [7, 8]]);
    let x = kernel.load(0);
    kernel.store(1, &x);
    kernel.b.store(kernel.place(1, 3), x[40]);
    kernel.add(1, &x[..50]);
    let place = kernel.place(1, 55);
    kernel.b.push(Kind::Atomic {
        out: None,
        op: AtomicOp::Max,
        place,
        value: x[0],
        log: false,
    });
    let one = kernel.b.i32(1);
    let next = kernel.b.op(Op::Sub, &[kernel.tid, one]);
    for c in 0..56 {
        let from = Place {
            index: [if c < 30 { kernel.tid } else { next }]
                .into_iter()
                .collect(),
            ..kernel.place(0, c)
        };
        let value = kernel.b.load(from);
        kernel.b.accumulate(kernel.place(1, c), value);
    }
    kernel.agrees();
}

/// The text of a product grows with the number of components, not with their cube.
#[test]
fn text_grows_with_the_components() {
    let lines = |size: u32| {
        let mut kernel = Kernel::new(Scalar::F32, &[[size, size]; 3]);
        let (a, b) = (kernel.load(0), kernel.load(1));
        let c = kernel.b.matmul(&a, &b, [size; 3]);
        kernel.store(2, &c);
        let func: Func = kernel.b.finish();
        let func = warp_core::verify::verify(func).expect("valid");
        let text = warp_core::lower::host::lower(&func, &warp_core::lower::Options::default())
            .expect("lowers")
            .text;
        text.lines().count()
    };
    let (small, large) = (lines(8), lines(32));
    assert!(large < 20 * small, "{small} lines and {large}");
}
