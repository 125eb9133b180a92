//! `library.ll`: mathematics for GPUs where there is no libdevice.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::OnceLock;

/// Made by `scripts/gpu_math.py`.
const TEXT: &str = include_str!("library.ll");

/// What the text has, by name: functions, tables, declarations.
fn items() -> &'static BTreeMap<&'static str, &'static str> {
    static ITEMS: OnceLock<BTreeMap<&str, &str>> = OnceLock::new();
    ITEMS.get_or_init(|| {
        let mut items = BTreeMap::new();
        let mut rest = TEXT;
        while !rest.is_empty() {
            let line = rest.find('\n').map_or(rest.len(), |at| at + 1);
            let end = match rest.starts_with("define ") {
                true => rest.find("\n}\n").map_or(rest.len(), |at| at + 3),
                false => line,
            };
            let (item, behind) = rest.split_at(end);
            if let Some(name) = names(&item[..line.min(end)]).next() {
                items.insert(name, item);
            }
            rest = behind;
        }
        items
    })
}

/// The global names in a text, in order.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('@').skip(1).map(|behind| {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
        let end = behind.find(|c| !part(c)).unwrap_or(behind.len());
        &behind[..end]
    })
}

/// Adds functions and all that they need to a text. LLVM's parser declares intrinsics by itself.
pub fn add(functions: &BTreeSet<String>, out: &mut String) {
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let mut asked: Vec<&str> = functions.iter().map(String::as_str).collect();
    while let Some(name) = asked.pop() {
        let Some((name, item)) = items().get_key_value(name) else {
            continue;
        };
        if !taken.insert(name) || item.starts_with("declare ") {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", item.trim_end());
        asked.extend(names(item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{Ctx, Entry};
    use crate::backend::cpu::llvm::{OptLevel, Tuning, compile, load};
    use crate::backend::cpu::math::symbols;
    use crate::backend::math::{Function, Ty};

    /// The library's functions on this machine, against those that it compiles with, over magnitudes and signs.
    #[test]
    fn functions_compute_what_the_host_s_do() {
        for f in Function::all() {
            let (ty, stem) = (f.ty.name(), f.stem());
            let (size, args) = match f.arity {
                1 => (f.ty, format!("{ty} %a")),
                _ => (f.ty, format!("{ty} %a, {ty} %b")),
            };
            let mut text = format!(
                "define void @k(ptr %ctx, ptr %x, i64 %begin, i64 %end) {{
  %q = getelementptr {ty}, ptr %x, i64 1
  %a = load {ty}, ptr %x
  %b = load {ty}, ptr %q
  %r = call {ty} @wl.{stem}({args})
  store {ty} %r, ptr %x
  ret void
}}
"
            );
            add(&BTreeSet::from([format!("wl.{stem}")]), &mut text);
            let object = compile(&text, OptLevel::O2, Tuning::default()).expect("compiles");
            let loaded = load(&object, "k").expect("links");
            // SAFETY: the text has this type; it reads and writes two numbers.
            let entry = unsafe { std::mem::transmute::<usize, Entry>(loaded.address()) };
            let single = size == Ty::F32;
            let ours = |x: [f64; 2]| {
                let (mut narrow, mut wide) = (x.map(|x| x as f32), x);
                let at = match single {
                    true => narrow.as_mut_ptr().cast::<u8>(),
                    false => wide.as_mut_ptr().cast(),
                };
                // SAFETY: as above.
                unsafe { entry(&mut Ctx::new(), at, 0, 1) };
                if single {
                    f64::from(narrow[0])
                } else {
                    wide[0]
                }
            };
            let library = symbols()
                .into_iter()
                .find(|(n, _)| *n == format!("wl.{}.f64", f.name));
            let address = library.expect("the C library has it").1;
            type Of = extern "C" fn(f64, f64) -> f64;
            // SAFETY: a function of doubles; a second argument in a register does a unary one no harm.
            let host = unsafe { std::mem::transmute::<usize, Of>(address) };
            let sizes = [
                0.0,
                1e-310,
                1e-9,
                0.1,
                0.5,
                0.9,
                1.0,
                1.7,
                9.3,
                88.0,
                1e5,
                3e18,
                f64::INFINITY,
                f64::NAN,
            ];
            let signed: Vec<f64> = sizes.iter().flat_map(|x| [*x, -*x]).collect();
            for a in &signed {
                for b in &signed[..if f.arity == 1 { 1 } else { signed.len() }] {
                    let x = [*a, *b].map(|x| if single { f64::from(x as f32) } else { x });
                    let (found, wanted) = (ours(x), host(x[0], x[1]));
                    let wanted = if single {
                        f64::from(wanted as f32)
                    } else {
                        wanted
                    };
                    let step = if single {
                        f64::from(f32::EPSILON)
                    } else {
                        f64::EPSILON
                    };
                    let least = if single { 1e-44 } else { 5e-324 };
                    let near = found == wanted
                        || found.is_nan() && wanted.is_nan()
                        || (found - wanted).abs() <= 2.0 * step * wanted.abs() + least;
                    assert!(near, "{stem}{x:?}: {found:e}, {wanted:e}");
                }
            }
        }
    }

    #[test]
    fn every_function_is_there_with_all_that_it_needs() {
        for f in Function::all() {
            let symbol = format!("wl.{}", f.stem());
            let mut out = String::new();
            add(&BTreeSet::from([symbol.clone()]), &mut out);
            assert!(out.contains(&format!("@{symbol}(")), "{symbol}");
            for name in names(&out).filter(|n| !n.starts_with("llvm.")) {
                let known = out.contains(&format!("@{name} = "))
                    || out
                        .lines()
                        .any(|l| l.starts_with("define") && names(l).next() == Some(name));
                assert!(known, "{symbol} needs {name}");
            }
        }
    }
}
