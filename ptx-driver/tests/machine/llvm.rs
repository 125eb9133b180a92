//! Text that LLVM 19 wrote.

use crate::device::Device;
use ptx_driver::machine::{Grid, Settings, run};
use ptx_driver::ptx::{Module, forms};

/// Every file of LLVM is understood, for each architecture.
#[test]
fn texts_of_llvm_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machine/llvm");
    let mut distinct = std::collections::BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(module.version >= (6, 0));
        distinct.extend(forms(&text).unwrap());
    }
    println!("{} forms", distinct.len());
    assert!(distinct.len() > 100);
}

/// What `wide.ll` computes, from text for one architecture and level of optimisation.
fn wide(text: &str, case: u32, settings: Settings) -> Vec<u32> {
    let module = Module::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut device = Device::default();
    let globals = device.globals(&module);
    let out = device.words(&[0x3f80_0000; 64]);
    let kernel = &module.kernels[0];
    let mut params = vec![0; kernel.param_bytes];
    let values: [&[u8]; 6] = [
        &[[5, 0, 0, 0, 0, 0, 0, 0], 1_000_003u64.to_le_bytes(), [0; 8]].concat(),
        &out.to_le_bytes(),
        &case.to_le_bytes(),
        &0.75f64.to_le_bytes(),
        &[0x55, 0x3d],
        &[0x9d],
    ];
    for (param, value) in kernel.params.iter().zip(values) {
        params[param.offset..param.offset + param.size].copy_from_slice(value);
    }
    // One warp alone: more would race on the words that all write.
    let grid = Grid {
        grid: [1; 3],
        block: [32, 1, 1],
        dynamic_shared: 1024,
    };
    let done = run(&module, 0, &globals, &grid, &params, &device, &settings);
    done.unwrap_or_else(|e| panic!("{e}"));
    device.read(out)
}

/// The same source gives the same memory, however LLVM compiled it.
#[test]
fn architectures_and_levels_agree() {
    let texts = [
        include_str!("llvm/wide.plain.80.ptx"),
        include_str!("llvm/wide.75.ptx"),
        include_str!("llvm/wide.90.ptx"),
    ];
    for case in 0..5 {
        let results = texts.map(|text| wide(text, case, Settings::default()));
        assert_eq!(results[0], results[1], "case {case}");
        assert_eq!(results[0], results[2], "case {case}");
        assert!(results[0][0] != 0x3f80_0000);
    }
}
