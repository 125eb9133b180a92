//! What the documents, the guide and the stubs say of rows.

use warp_core::builtins;

#[test]
fn documents_name_every_row() {
    let (reference, stubs) = (builtins::reference(), builtins::stubs());
    for row in builtins::rows() {
        assert!(
            reference.contains(&format!("\n### {}\n", row.name)),
            "{}",
            row.name
        );
        let defined = stubs.contains(&format!("def {}(", row.name));
        assert_eq!(
            defined,
            !matches!(row.name, "len" | "print"),
            "{}",
            row.name
        );
        let again = builtins::rows().filter(|r| r.name == row.name).count();
        assert_eq!(again, 1, "{} has two rows", row.name);
    }
}

#[test]
fn every_builtin_has_an_example() {
    let rows = builtins::rows().map(|row| row.name);
    for name in rows.chain(warp_core::library::functions()) {
        assert!(
            builtins::example(name).is_some(),
            "{name} has no example in warp-core/src/builtins/examples.txt"
        );
    }
}

#[test]
fn the_reference_in_the_guide_is_of_today() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/builtins.md");
    let found = builtins::reference();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &found).expect("written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == found,
        "docs/builtins.md is stale; BLESS=1 writes it anew"
    );
}

#[test]
fn the_stubs_in_the_package_are_of_today() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../py/python/warp/_builtins.pyi"
    );
    let head = "# Made from the table of builtins: `BLESS=1 cargo test -p tests --test builtins` writes it anew.\n\n";
    let found = format!("{head}{}", builtins::stubs());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &found).expect("written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == found,
        "_builtins.pyi is stale; BLESS=1 writes it anew"
    );
}
