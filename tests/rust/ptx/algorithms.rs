//! The kernels of algorithms: each text names its entry once and takes blocks of so many threads, and NVIDIA's assemblers take it.

use crate::made;
use std::collections::HashSet;
use tests::assemble::{assemble, on_two_threads, ptxas};
use warp_core::algorithm::cuda::Kernel;

#[test]
fn every_kernel_of_algorithms_assembles() {
    let all = Kernel::all();
    assert!(all.len() > 100, "{}", all.len());
    let names: HashSet<String> = all.iter().map(|kernel| kernel.name()).collect();
    assert_eq!(names.len(), all.len(), "names are unique");
    // The oldest and the latest device of each assembler.
    let known = [(ptxas(11), [75, 90]), (ptxas(12), [75, 120])];
    let numbered: Vec<_> = all.iter().enumerate().collect();
    on_two_threads(&numbered, |(k, kernel)| {
        let name = kernel.name();
        let own = kernel.own();
        let func = own.build().unwrap_or_else(|bug| panic!("{bug}"));
        let compiled = made(&func, &own.lowering(), 75, None);
        let text = compiled.ptx.to_str().expect("PTX is ASCII");
        let entry = format!(".visible .entry {name}(");
        assert_eq!(text.matches(&entry).count(), 1, "{name}");
        assert!(text.contains(".reqntid 256"), "{name}");
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
