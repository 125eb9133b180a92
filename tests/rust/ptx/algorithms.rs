//! The kernels of algorithms: each text names its entry once, and NVIDIA's assemblers take it.

use std::collections::HashSet;
use tests::assemble::{assemble, on_two_threads, ptxas};
use warp_core::algorithm::cuda::texts;

#[test]
fn every_kernel_of_algorithms_assembles() {
    let all = texts();
    assert!(all.len() > 100, "{}", all.len());
    let names: HashSet<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "names are unique");
    for (name, text) in &all {
        let entry = format!(".visible .entry {name}(");
        assert_eq!(text.matches(&entry).count(), 1, "{name}");
    }
    // The oldest and the latest device of each assembler.
    let known = [(ptxas(11), [75, 90]), (ptxas(12), [75, 120])];
    let numbered: Vec<_> = all.iter().enumerate().collect();
    on_two_threads(&numbered, |(k, (name, text))| {
        for (ptxas, devices) in &known {
            let sm = devices[k % 2];
            if let Some(ptxas) = ptxas
                && let Err(said) = assemble(ptxas, text.as_bytes(), sm)
            {
                panic!("{name} for sm_{sm}: {said}\n{text}");
            }
        }
    });
}
