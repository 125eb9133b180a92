//! Lowering for the host: the entry point that a thread pool calls, and its bodies.
//!
//! The entry point is `void @SYMBOL(ptr ctx, ptr args, i64 begin, i64 end)`, see [`crate::abi`]. Behind it
//! stand up to three bodies: `inner` for arrays whose elements follow each other along the last dimension,
//! whose loop over threads LLVM may vectorise, `any` for any strides, and for kernels that ask whether arrays are missing `full`,
//! in which none is.
//!
//! Kernels with loops have a body in front of these that runs threads in the lanes of vectors (`lanes`); the scalar ones then run
//! what is left over. Long ones whose lanes serve all strides have only that body.
//!
//! In `inner` the strides are constants, `range.rs` proves that most indices are not negative, and the loop over threads
//! carries the metadata that lets LLVM vectorise it. The entry point looks at the arguments of each call and chooses a
//! body. The loop runs row by row along the last dimension, so that no thread divides to find its indices. A launch in more
//! dimensions than the kernel tells apart repeats the kernel.
//!
//! An atomic operation takes one of four forms. It works on memory. Or the call collects it in a register, where all
//! threads change one element that nothing else touches. Or it is plain, where only one thread touches the element and no
//! buffers overlap. Or it works on a copy of the array, where threads only add to that and the launch gives each one a copy.
//!
//! The entry point checks the overlap itself for what lowering found. For what the adjoint's report says, the launch sets
//! [`crate::abi::flag::OVERLAP`]; the body for any strides asks that flag too.

mod entry;
mod fuel;
mod lanes;
mod meeting;
mod plan;
mod print;
mod segments;
mod stacks;
mod target;
mod threads;
mod vector;

use super::analysis::block::block_layout;
use super::analysis::changed::changed_arrays;
use super::analysis::collect::Collected;
use super::analysis::facts::KernelFacts;
use super::analysis::work::has_loops;
use super::body::{Body, Tail};
use super::emit::text::NOTES;
use super::guards::conditions::Conditions;
use super::options::{Lowered, Options};
use super::report::BodyReport;
use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{Func, Kind};
use crate::pass::expand::{expanded, has_iterated};
use crate::pass::splice::spliced;
use lanes::{Choice, Group};
use plan::Plan;
use segments::Segments;
use std::collections::BTreeMap;
use target::Host;
use vector::{VectorFacts, Vectors};

/// Lowers a verified kernel for the host.
pub fn lower(func: &Func, options: &Options) -> Lowered {
    let spliced = spliced(func);
    let expanded = expanded(&spliced);
    let func = &*expanded;
    let facts = KernelFacts::new(func, options);
    let mut vector = VectorFacts::new(&facts);
    // Beside the loops of a decomposition it does not matter how memory is accessed.
    vector.arithmetic |= has_iterated(&spliced.body);
    let collected = Collected::new(&facts);
    let segments = Segments::of(&facts, &vector);
    let symbol = options.name.as_str();
    let layout = block_layout(func);
    let offsets = layout.offsets;
    // How LLVM runs the loop over threads by itself. For vectors, nothing in it may jump out of it, nor may it be bound by arithmetic, for which
    // a group fills two registers.
    let vectors = || {
        let variant = vector.bodies(&facts)[0];
        let mut tail = Tail::default();
        let host = Host {
            vector: &vector,
            groups: false,
        };
        let body = Body::new(
            &facts, options, variant, &offsets, &collected, host, &mut tail,
        );
        // What LLVM does on vectors of float16 it takes apart.
        let found = !func.values.contains(&Scalar::F16)
            && !vector.scattered
            && !vector.heavy
            && !has_loops(&func.body)
            && !changes_memory(&facts, &collected)
            && !body.jumps(&segments.list[0]);
        match found {
            true if vector.shuffled => Vectors::Shuffled,
            true => Vectors::Fast,
            false => Vectors::None,
        }
    };
    let (choice, why) = match segments.list.len() {
        1 => match Choice::new(&facts, &collected, options, vectors) {
            Ok(choice) => (Some(choice), ""),
            Err(why) => (None, why),
        },
        _ => (
            None,
            "it is long: groups of its statements run one after the other",
        ),
    };
    let plan = Plan::new(&facts, &vector, choice.as_ref());
    let mut report = Vec::new();
    let mut tail = Tail::default();
    let mut helpers = BTreeMap::new();
    let mut bodies = String::new();
    if let (Some(choice), Some(variant)) = (&choice, plan.groups) {
        let host = Host {
            vector: &vector,
            groups: true,
        };
        let body = Body::new(
            &facts, options, variant, &offsets, &collected, host, &mut tail,
        );
        let group = Group::new(body, choice);
        let rest = plan.rest().map(|v| format!("{symbol}.{}", v.suffix()));
        let name = plan::symbol_of_groups(symbol, variant);
        let (done, notes) = group.function(&name, rest.as_deref(), &func.body);
        report.push(BodyReport {
            name: name[symbol.len() + 1..].into(),
            lanes: Some(choice.width),
            why: choice.why,
            notes,
            spills: None,
        });
        bodies += &done.code;
        helpers.extend(done.helpers);
    }
    for variant in plan.scalars.iter().copied() {
        let name = format!("{symbol}.{}", variant.suffix());
        if segments.list.len() > 1 {
            bodies += &segments.driver(&name);
        }
        for (k, segment) in segments.list.iter().enumerate() {
            let host = Host {
                vector: &vector,
                groups: choice.is_some(),
            };
            let mut body = Body::new(
                &facts, options, variant, &offsets, &collected, host, &mut tail,
            );
            if vector.groups_accesses(variant) && choice.is_none() {
                body.notes = GROUP;
                body.t.vectorises = true;
            }
            let done = match segments.list.len() {
                1 => body.function(&name, segment, false),
                _ => body.function(&format!("{name}.{k}"), segment, true),
            };
            bodies += &done.code;
            helpers.extend(done.helpers);
        }
        report.push(BodyReport {
            name: variant.suffix().into(),
            lanes: None,
            why: match choice {
                Some(_) => "it runs what fills no group",
                None => why,
            },
            notes: Vec::new(),
            spills: None,
        });
    }
    let mut text = entry::entry(
        &facts,
        &vector,
        &plan,
        symbol,
        &offsets,
        std::mem::take(&mut tail.claims),
    );
    text.reserve(bodies.len() + TAIL);
    text += &bodies;
    for helper in helpers.values() {
        text += helper;
    }
    text += &tail.globals.concat();
    text += abi::runtime::DECLARATIONS;
    let width = (segments.list.len() > 1 && vector.heavy).then(|| vector::width(func, options));
    text += &notes(&vector, width);
    Lowered {
        text,
        spans: tail.spans,
        prints: tail.prints,
        in_order: facts.prints,
        collects: false,
        dense: Conditions::default(),
        group: choice.as_ref().map_or(1, |choice| choice.width as u32),
        changed: changed_arrays(&facts, &collected, &offsets, layout.size),
        report,
        stacks: Vec::new(),
    }
}

/// Whether there are atomic operations in memory.
fn changes_memory(facts: &KernelFacts<'_>, collected: &Collected<'_>) -> bool {
    facts.accesses.iter().any(|(id, accesses)| {
        let mut kinds = accesses.iter();
        !facts.is_plain(*id)
            && !collected.has(*id)
            && kinds.any(|kind| matches!(kind, Kind::Atomic { .. }))
    })
}

/// Bytes that stand behind the bodies of most kernels.
const TAIL: usize = 2048;

/// What marks an access as free of dependences between iterations of the launch loop.
const GROUP: &str = ", !llvm.access.group !0";

/// The notes to LLVM that the bodies refer to: !0 the access group, !1, !3 and !8 the launch loops, !9 loops over lanes that stay
/// loops, and those that all devices have. A `width` is how many threads the launch loops run at once.
fn notes(vector: &VectorFacts, width: Option<usize>) -> String {
    let mut inner = String::from("!1, !2");
    if vector.scattered {
        inner += ", !7";
    }
    let mut any = String::from(if vector.heavy { "!3, !2" } else { "!3, !7" });
    if let Some(width) = width {
        let set = format!(", !{{!\"llvm.loop.vectorize.width\", i32 {width}}}");
        inner += &set;
        any += &set;
    }
    format!(
        "\
!0 = distinct !{{}}
!1 = distinct !{{{inner}}}
!2 = !{{!\"llvm.loop.parallel_accesses\", !0}}
!3 = distinct !{{{any}}}
{NOTES}\
!7 = !{{!\"llvm.loop.vectorize.enable\", i1 false}}
!8 = distinct !{{!8, !7}}
!9 = distinct !{{!9, !7, !{{!\"llvm.loop.unroll.disable\"}}}}
"
    )
}
