//! What the names in a kernel meant when it was compiled, and whether they still mean it.
//!
//! Python looks a name up whenever it runs; a kernel's names are looked up when it is compiled. They are looked up again, all of
//! them, at a launch after something was defined that a name may mean now: a function, a struct, or whatever a cell of a
//! notebook has done. A count of such events tells launches whether to look; it is all that they read otherwise.

use pyo3::prelude::*;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use warp_core::front::{External, FuncRef, Scope};
use warp_core::ty::Type;

/// How often something was defined; 0 is never.
static DEFINED: AtomicU64 = AtomicU64::new(1);

/// How often something was defined so far.
#[inline]
pub fn generation() -> u64 {
    DEFINED.load(Ordering::Relaxed)
}

/// Says that names may mean something else from now on.
#[pyfunction]
pub fn _defined() {
    DEFINED.fetch_add(1, Ordering::Relaxed);
}

/// What something is to a kernel.
#[derive(PartialEq)]
enum Meaning {
    Type(Type),
    /// The same text for the same.
    Other(String),
}

/// The names that a kernel and the functions that it calls were compiled with: by the function in which they stand (none for the
/// kernel itself) and their path.
#[derive(Default)]
pub struct Names(HashMap<Option<u64>, HashMap<Vec<String>, Meaning>>);

thread_local! {
    static LOOKED_UP: RefCell<Option<Names>> = const { RefCell::new(None) };
}

/// Runs a compile on this thread and says which names it looked up.
pub fn looked_up<R>(compile: impl FnOnce() -> R) -> (R, Names) {
    let outer = LOOKED_UP.replace(Some(Names::default()));
    let result = compile();
    (result, LOOKED_UP.replace(outer).unwrap_or_default())
}

/// Notes what a name means to the compile on this thread, if there is one.
pub fn note(within: Option<u64>, path: &[&str], found: Option<&External>) {
    LOOKED_UP.with_borrow_mut(|names| {
        let Some(Names(names)) = names else { return };
        let path = path.iter().map(ToString::to_string).collect();
        let all = names.entry(within).or_default();
        all.entry(path).or_insert_with(|| meaning(found));
    });
}

fn meaning(found: Option<&External>) -> Meaning {
    match found {
        // Structs of one name differ.
        Some(External::Type(ty)) => Meaning::Type(ty.clone()),
        // The text describes it for messages.
        Some(External::Unsupported(_)) => Meaning::Other("unsupported".into()),
        found => Meaning::Other(format!("{found:?}")),
    }
}

impl Names {
    /// Whether each name means what it meant. `scope` is the kernel's.
    pub fn still_mean(&self, scope: &dyn Scope) -> bool {
        // Functions are reached by the names that mean them.
        let mut reached = Reached::default();
        if !self.agree(None, scope, &mut reached) {
            return false;
        }
        let mut next = 0;
        while let Some(function) = reached.functions.get(next).cloned() {
            if !self.agree(Some(function.id), &*function.scope, &mut reached) {
                return false;
            }
            next += 1;
        }
        true
    }

    /// Whether the names within one function mean what they meant; adds the functions that they mean.
    fn agree(&self, within: Option<u64>, scope: &dyn Scope, reached: &mut Reached) -> bool {
        self.0
            .get(&within)
            .into_iter()
            .flatten()
            .all(|(path, was)| {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                let found = scope.resolve(&path);
                let same = meaning(found.as_ref()) == *was;
                let found = match found {
                    Some(External::Gradient(of)) => Some(*of),
                    found => found,
                };
                if let Some(External::Func(function)) = found {
                    reached.add(function);
                }
                same
            })
    }
}

/// Functions, each once.
#[derive(Default)]
struct Reached {
    functions: Vec<FuncRef>,
    numbers: HashSet<u64>,
}

impl Reached {
    /// Adds a function, and what may be called in its place.
    fn add(&mut self, function: FuncRef) {
        if self.numbers.insert(function.id) {
            let others: Vec<FuncRef> = function
                .rules()
                .chain(&function.overloads)
                .cloned()
                .collect();
            self.functions.push(function);
            others.into_iter().for_each(|other| self.add(other));
        }
    }
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_defined, m)?)
}
