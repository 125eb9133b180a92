//! Every row and its gradient as PTX, with libdevice and without.

use crate::compiled::with_slopes;
use crate::rows::{Choice, Shape, arguments, each_overload};
use tests::assemble::{assemble, libdevice, on_two_threads, ptxas};
use warp_core::backend::cuda::compile;
use warp_core::cache::Cache;
use warp_core::dtype::Scalar;
use warp_core::lower::Options;
use warp_core::verify::verify;

#[test]
fn rows_assemble() {
    let mut kernels = Vec::new();
    each_overload(|row, overload| {
        let elem = match overload.sig.contains(": E(I)") {
            true => Shape::One,
            false => Shape::Three,
        };
        for float in [Scalar::F32, Scalar::F64] {
            let choice = Choice {
                float,
                number: float,
                elem,
            };
            let program = with_slopes(row, &arguments(overload, choice));
            kernels.push((
                kernels.len(),
                row.name,
                verify(program.func).expect("valid"),
            ));
        }
    });
    let (ptxas, library) = (ptxas(12), libdevice());
    on_two_threads(&kernels, |(k, name, func)| {
        // With libdevice and without, in turns; those of float32 and float64 are neighbours.
        for (library, turn) in [(library.as_ref(), 0), (None, 1)] {
            let sm = [75, 80, 90][k % 3];
            let made = compile(
                func,
                &Options::default(),
                &Cache::none(),
                sm,
                library,
                &|| false,
            );
            let made = made.unwrap_or_else(|e| panic!("{name}: {e}"));
            // Assembling takes ten times as long as compiling.
            if let Some(ptxas) = &ptxas
                && (k / 2 + turn) % 4 == 0
                && let Err(said) = assemble(ptxas, made.ptx.as_bytes(), sm)
            {
                panic!("{name}: {said}");
            }
        }
    });
}
