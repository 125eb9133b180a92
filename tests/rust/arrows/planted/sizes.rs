//! Lengths of functions and files.

use crate::sizes::{LONG, MOST_OF_A_FILE, MOST_OF_A_FUNCTION, functions, long};
use std::collections::BTreeMap;

#[test]
fn every_function_is_found_and_measured() {
    let text = "\
//! fn none() {}
\"use crate::b; fn none() {}\"
pub(in crate::front) const unsafe extern \"C\" fn first(
    x: u8,
) -> u8 {
    fn inner() {
        x
    }
}

trait T {
    fn declared(&self) -> u8;
    fn long_declared(
        &self,
    );
    async fn short() {}
}
";
    let found = functions(text);
    let wanted = [
        ("first", 7),
        ("inner", 3),
        ("declared", 1),
        ("long_declared", 3),
        ("short", 1),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn what_is_too_long_is_found() {
    let today: BTreeMap<String, usize> = LONG.iter().map(|(n, l)| (n.to_string(), *l)).collect();
    assert_eq!(long(&today), [""; 0]);
    let with = |name: &str, lines: usize| {
        let mut lengths = today.clone();
        lengths.insert(name.to_string(), lines);
        long(&lengths).len()
    };
    for (name, most) in [("a.rs", MOST_OF_A_FILE), ("a.rs f", MOST_OF_A_FUNCTION)] {
        assert_eq!((with(name, most), with(name, most + 1)), (0, 1));
    }
    // A row lets nothing grow, and does not outlive its reason.
    for (name, lines) in LONG {
        assert_eq!((with(name, lines + 1), with(name, 1)), (1, 1));
    }
}
