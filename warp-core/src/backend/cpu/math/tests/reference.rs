//! What results ought to be, to more digits than they have.
//!
//! For single precision that is the C library's function of double precision. For double precision it is the C library's of 64 bits
//! where `long double` has so many; elsewhere only its own of double precision, whose errors the tests allow for. Rust has no such
//! numbers, so a kernel calls these functions.

use super::*;
use crate::backend::cpu::llvm::{OptLevel, Tuning, compile, load};

/// The largest error that a result may have, in units of its last place.
pub fn limit(f: Function) -> f64 {
    match (f.name, f.ty) {
        ("fmod", _) => 0.0,
        (_, Ty::F32) => 2.0,
        _ if long::EXISTS => 2.0,
        _ => 6.0,
    }
}

/// A value as a sum of two.
pub type Sum = (f64, f64);

/// How the values of a function are found.
pub enum Reference {
    /// The C library's function of doubles.
    Library(extern "C" fn(f64, f64) -> f64),
    /// Our own, of double precision, which is tried by itself.
    Double(Compiled),
    /// The C library's of `long double`.
    Long(Loaded, [usize; 2]),
    /// A result of ours, improved by way of the C library's erf and erfc of `long double`.
    Inverse(Loaded, [usize; 3]),
}

impl Reference {
    pub fn new(f: Function) -> Reference {
        let is_inverse = matches!(f.name, "erfinv" | "erfcinv");
        if f.ty == Ty::F32 {
            let double = Function { ty: Ty::F64, ..f };
            return match is_inverse {
                true => Reference::Double(Compiled::new(double, 8)),
                false => Reference::Library(library(f.name)),
            };
        }
        if !long::EXISTS {
            return Reference::Library(library(f.name));
        }
        let made = |text: &str| {
            let object = compile(text, OptLevel::O2, Tuning::default()).unwrap();
            load(&object, "k").unwrap()
        };
        match is_inverse {
            true => Reference::Inverse(
                made(&long::inverse()),
                [
                    long::address("erf"),
                    long::address("erfc"),
                    long::address("exp"),
                ],
            ),
            false => Reference::Long(made(&long::plain(f.arity)), [long::address(f.name), 0]),
        }
    }

    /// The values at arguments; `found` are ours.
    pub fn of(&self, f: Function, x: &[f64], y: &[f64], found: &[f64]) -> Vec<Sum> {
        match self {
            Reference::Library(of) => x.iter().zip(y).map(|(x, y)| (of(*x, *y), 0.0)).collect(),
            Reference::Double(k) => k.run(x, y).into_iter().map(|v| (v, 0.0)).collect(),
            Reference::Long(k, [of, _]) => long::call(k, x, y, &[*of]),
            Reference::Inverse(k, [erf, erfc, exp]) => {
                let all = x.iter().zip(found);
                all.map(|(x, r)| inverse(f.name, *x, *r, k, [*erf, *erfc, *exp]))
                    .collect()
            }
        }
    }
}

/// The value of an inverse at `x`, near `found`.
fn inverse(name: &str, x: f64, found: f64, k: &Loaded, [erf, erfc, exp]: [usize; 3]) -> Sum {
    // p of erf or c of erfc, whichever the argument gives exactly and is at most 1/2.
    let (p, c) = match name {
        "erfinv" => (x.abs(), 1.0 - x.abs()),
        _ => ((1.0 - x).abs(), x.min(2.0 - x)),
    };
    let negative = if name == "erfinv" {
        x.is_sign_negative()
    } else {
        x > 1.0
    };
    let value = match () {
        () if c.is_nan() || c < 0.0 => return (f64::NAN, 0.0),
        () if c == 0.0 => (f64::INFINITY, 0.0),
        () if p == 0.0 => (0.0, 0.0),
        () if p <= 0.5 => long::call(k, &[p], &[found.abs()], &[erf, exp])[0],
        () => long::call(k, &[-c], &[found.abs()], &[erfc, exp])[0],
    };
    if negative {
        (-value.0, -value.1)
    } else {
        value
    }
}

/// The C library's function of that name in double precision.
pub fn library(name: &str) -> extern "C" fn(f64, f64) -> f64 {
    let address = symbols()
        .into_iter()
        .find(|(n, _)| *n == format!("wl.{name}.f64"))
        .unwrap()
        .1;
    // SAFETY: a function of doubles; a second argument in a register does a unary one no harm.
    unsafe { std::mem::transmute::<usize, extern "C" fn(f64, f64) -> f64>(address) }
}

/// The C library's functions of 64 bits.
mod long {
    use super::{Ctx, Entry, Loaded, Sum};

    pub const EXISTS: bool = cfg!(all(target_arch = "x86_64", target_os = "linux"));

    macro_rules! functions {
        ($($name:ident $long:ident;)*) => {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            unsafe extern "C" {
                $(fn $long();)*
            }
            /// Where the function of that name is.
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            pub fn address(name: &str) -> usize {
                match name {
                    $(stringify!($name) => $long as *const () as usize,)*
                    _ => panic!("no reference for {name}"),
                }
            }
        };
    }

    functions! {
        sin sinl; cos cosl; tan tanl; asin asinl; acos acosl; atan atanl; atan2 atan2l; sinh sinhl; cosh coshl; tanh tanhl;
        exp expl; exp2 exp2l; log logl; log2 log2l; log10 log10l; cbrt cbrtl; pow powl; erf erfl; erfc erfcl; fmod fmodl;
    }

    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    pub fn address(name: &str) -> usize {
        panic!("no reference for {name}")
    }

    /// Calls a kernel on arguments; results are the sum of two.
    pub fn call(k: &Loaded, x: &[f64], y: &[f64], functions: &[usize]) -> Vec<Sum> {
        let (mut high, mut low) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let mut args = vec![x.as_ptr() as usize, y.as_ptr() as usize];
        args.extend([high.as_mut_ptr() as usize, low.as_mut_ptr() as usize]);
        args.extend(functions);
        // SAFETY: the texts below define `k` with this signature, reading such arguments.
        unsafe {
            let entry = std::mem::transmute::<usize, Entry>(k.address());
            entry(&mut Ctx::new(), args.as_ptr().cast(), 0, x.len() as i64);
        }
        // Nothing is lost of an infinity.
        let low = low
            .into_iter()
            .map(|l: f64| if l.is_nan() { 0.0 } else { l });
        high.into_iter().zip(low).collect()
    }

    /// A kernel around `code`, which computes `%r` of `%x` and `%y`.
    fn kernel(code: &str) -> String {
        format!(
            "define void @k(ptr %ctx, ptr %args, i64 %begin, i64 %end) {{
entry:
  %xs = load ptr, ptr %args
  %a1 = getelementptr ptr, ptr %args, i64 1
  %ys = load ptr, ptr %a1
  %a2 = getelementptr ptr, ptr %args, i64 2
  %hs = load ptr, ptr %a2
  %a3 = getelementptr ptr, ptr %args, i64 3
  %ls = load ptr, ptr %a3
  %a4 = getelementptr ptr, ptr %args, i64 4
  %f = load ptr, ptr %a4
  %a5 = getelementptr ptr, ptr %args, i64 5
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %n, %loop ]
  %xp = getelementptr double, ptr %xs, i64 %i
  %yp = getelementptr double, ptr %ys, i64 %i
  %hp = getelementptr double, ptr %hs, i64 %i
  %lp = getelementptr double, ptr %ls, i64 %i
  %xd = load double, ptr %xp
  %yd = load double, ptr %yp
  %x = fpext double %xd to x86_fp80
  %y = fpext double %yd to x86_fp80
{code}  %h = fptrunc x86_fp80 %r to double
  %hl = fpext double %h to x86_fp80
  %d = fsub x86_fp80 %r, %hl
  %l = fptrunc x86_fp80 %d to double
  store double %h, ptr %hp
  store double %l, ptr %lp
  %n = add i64 %i, 1
  %c = icmp slt i64 %n, %end
  br i1 %c, label %loop, label %exit
exit:
  ret void
}}
"
        )
    }

    /// A function of so many arguments.
    pub fn plain(arity: usize) -> String {
        let args = ["x86_fp80 %x", "x86_fp80 %x, x86_fp80 %y"][arity - 1];
        kernel(&format!("  %r = call x86_fp80 %f({args})\n"))
    }

    /// The argument, near `%y`, at which erf is `%x`, or erfc `-%x`: three of Newton's steps, the error squared by each.
    pub fn inverse() -> String {
        let mut code = "  %g = load ptr, ptr %a5
  %below = fcmp olt x86_fp80 %x, 0xK00000000000000000000
  %goal = call x86_fp80 @llvm.fabs.f80(x86_fp80 %x)
  %pi = fpext double 0x3FEC5BF891B4EF6A to x86_fp80
  %y0 = fadd x86_fp80 %y, 0xK00000000000000000000
"
        .to_string();
        for i in 0..3 {
            code += &format!(
                "  %v{i} = call x86_fp80 %f(x86_fp80 %y{i})
  %o{i} = fsub x86_fp80 %goal, %v{i}
  %m{i} = fneg x86_fp80 %o{i}
  %e{i} = select i1 %below, x86_fp80 %m{i}, x86_fp80 %o{i}
  %s{i} = fmul x86_fp80 %y{i}, %y{i}
  %p{i} = call x86_fp80 %g(x86_fp80 %s{i})
  %q{i} = fmul x86_fp80 %p{i}, %pi
  %t{i} = fmul x86_fp80 %q{i}, %e{i}
  %y{next} = fadd x86_fp80 %y{i}, %t{i}
",
                next = i + 1
            );
        }
        code += "  %r = fadd x86_fp80 %y3, 0xK00000000000000000000\n";
        kernel(&code) + "declare x86_fp80 @llvm.fabs.f80(x86_fp80)\n"
    }
}
