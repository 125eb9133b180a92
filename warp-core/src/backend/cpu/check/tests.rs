//! What differs is found, and what may differ is not.

use super::*;
use crate::abi::ArrayArg;
use crate::backend::cpu::compile::compile;
use crate::cache::Cache;
use crate::lower::Options;

const N: i32 = 100;

fn twin(body: &str) -> Twin {
    let text = format!("kernel k(x: array<float32, 1>) {{\n  %0:int32 = tid 0\n{body}}}\n");
    let func = crate::ir::read(&text).expect("it is well formed");
    let func = crate::verify::verify(func).expect("it verifies");
    let scalar = compile(&func, &Options::default(), &Cache::none(), false, &|| false);
    Twin::new(&func, scalar.expect("it compiles"))
}

/// What a check says of a launch that changes an array, which holds 1, 2, 3 and so on, by `run`.
fn said(twin: &Twin, mut run: impl FnMut(&mut [f32])) -> Option<String> {
    let mut data: Vec<f32> = (1..=N).map(|i| i as f32).collect();
    let array = ArrayArg {
        data: data.as_mut_ptr().cast(),
        shape: [N, 1, 1, 1],
        strides: [4, 0, 0, 0],
    };
    let dims = [N, 1, 1, 1];
    let mut block = vec![0u64; twin.layout.size / 8];
    // SAFETY: the block has room for the only parameter, an array.
    unsafe {
        let at = block.as_mut_ptr().cast::<u8>();
        at.cast::<[i32; 4]>().write(dims);
        at.add(twin.layout.offsets[0])
            .cast::<ArrayArg>()
            .write(array);
    }
    let launch = Checked {
        twin,
        args: block.as_ptr().cast(),
        dims,
        flags: 0,
    };
    // SAFETY: the block has the only parameter, an array of as many elements as there are threads.
    let (done, how) = unsafe {
        checked(launch, || {
            run(std::slice::from_raw_parts_mut(
                array.data.cast(),
                N as usize,
            ));
            Ok(())
        })
    };
    assert!(done.is_ok());
    how
}

const TWICE: &str = "  %1:float32 = load x[%0]\n  %2:float32 = add %1, %1\n  store x[%0], %2\n";

#[test]
fn one_wrong_element_is_found() {
    let twin = twin(TWICE);
    let twice = |x: &mut [f32]| x.iter_mut().for_each(|x| *x *= 2.0);
    assert_eq!(said(&twin, twice), None);
    let wrong = said(&twin, |x| {
        twice(x);
        x[77] = f32::from_bits(x[77].to_bits() + 1);
    });
    let wrong = wrong.expect("an element is wrong");
    assert!(wrong.starts_with("`x[77]` is 1.5600001"), "{wrong}");
}

#[test]
fn what_depends_on_the_order_of_threads_may_differ() {
    let zero = "  %1:int32 = const 0\n  %2:float32 = cast %0\n";
    let last = twin(&format!("{zero}  store x[%1], %2\n"));
    assert_eq!(said(&last, |x| x[0] = 5.0), None);
}

#[test]
fn sums_may_differ_a_little() {
    let zero = "  %1:int32 = const 0\n  %2:float32 = cast %0\n";
    let sum = twin(&format!("{zero}  atomic add x[%1], %2\n"));
    assert_eq!(said(&sum, |x| x[0] = 4951.1), None);
    assert!(said(&sum, |x| x[0] = 4990.0).is_some());
}

#[test]
fn the_interpreter_is_asked_too() {
    // The same kernel in its own place, but scalar code of another one: what the launch did is right by that.
    let mut wrong = twin(TWICE);
    let thrice = "  %1:float32 = load x[%0]\n  %2:float32 = add %1, %1\n  %3:float32 = add %1, %2\n  store x[%0], %3\n";
    wrong.scalar = twin(thrice).scalar;
    let text = said(&wrong, |x| x.iter_mut().for_each(|x| *x *= 3.0));
    assert_eq!(
        text.as_deref(),
        Some("thread 0: `x[0]` is 3e0 instead of 2e0")
    );
}
