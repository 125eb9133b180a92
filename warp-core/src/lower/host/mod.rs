//! Lowering for the host: the entry point that a thread pool calls, and its bodies.
//!
//! The entry point is `void @SYMBOL(ptr ctx, ptr args, i64 begin, i64 end)`, see [`crate::abi`]. Behind it
//! stand up to three bodies: `inner` for arrays whose elements follow each other along the last dimension,
//! whose loop over threads LLVM may vectorise, `any` for any strides, and for kernels that ask whether arrays are missing `full`,
//! in which none is.
//!
//! Kernels with loops have a body before these that runs threads in lanes (`lanes`); long ones whose lanes serve all strides, only that.
//!
//! In `inner` the strides are constants, `range.rs` proves that most indices are not negative, and the loop over threads
//! carries the metadata that lets LLVM vectorise it. The entry point looks at the arguments of each call and chooses a
//! body. The loop runs row by row along the last dimension, so that no thread divides to find its indices. A launch in more
//! dimensions than the kernel tells apart repeats the kernel.
//!
//! An atomic operation takes one of four forms. It works on memory. Or the call reduces it in a register, where all
//! threads change one element that nothing else touches. Or it is plain, where only one thread touches the element and no
//! buffers overlap. Or it works on a copy of the array, where threads only add to that and the launch gives each one a copy.
//!
//! The entry point checks overlap for what lowering found; for what the adjoint's report says, [`crate::abi::flag::OVERLAP`] does.

mod bodies;
mod dependence;
mod entry;
mod fission;
mod fuel;
mod gang;
mod lanes;
mod plan;
mod print;
mod stacks;
mod subranges;
mod target;
mod threads;
mod vector;

use super::analysis::block::block_layout;
use super::analysis::changed::changed_arrays;
use super::analysis::facts::KernelFacts;
use super::analysis::reductions::Reductions;
use super::analysis::split::{Asks, Level, NO_GAIN, split};
use super::analysis::variant::Variant;
use super::analysis::work::has_loops;
use super::body::{Body, Tail};
use super::guards::conditions::Conditions;
use super::lines;
use super::options::{Lanes, Lowered, Options};
use super::report::{BodyReport, Splits};
use crate::abi::{self, BlockLayout};
use crate::dtype::Scalar;
use crate::error::Bug;
use crate::ir::Kind;
use crate::pass::{self, expand::has_iterated};
use crate::span::Span;
use crate::verify::{self, Verified};
use fission::Fission;
use lanes::Choice;
use plan::{Plan, WHOLE};
use std::collections::BTreeMap;
use target::Host;
use vector::{VectorFacts, Vectors};

/// Lowers a verified kernel for the host.
///
/// # Errors
/// The threads of the kernel form blocks, which the host does not run; a bug of a pass: what it made does not verify.
pub fn lower(func: &Verified, options: &Options) -> Result<Lowered, Bug> {
    if let Some(threads) = func.threads {
        let what = "the CPU runs each thread by itself";
        return Err(Bug(format!(
            "kernel `{}` has blocks of {threads}: {what}",
            func.name
        )));
    }
    let iterated = has_iterated(&func.body);
    let func = &**pass::lower(func, |_| true)?;
    let facts = KernelFacts::new(func, options);
    let whole = Looked::new(&facts, iterated);
    let asks = Asks::of(func);
    let mut why = match asks.conditions || asks.others {
        true => stays_whole(&whole, options),
        false => Some(NO_GAIN),
    };
    for level in [Level::Borders, Level::Idle] {
        if why.is_some() {
            break;
        }
        let (interior, split) = match split(func, options, level) {
            Ok(split) => split,
            Err(found) if level == Level::Idle => {
                why = Some(found);
                continue;
            }
            Err(_) => continue,
        };
        verify::check(&interior)?;
        let facts = facts.of_interior(&interior, &split, options);
        let looked = Looked::new(&facts, iterated);
        let mut lowering = Lowering::new(&looked, options);
        let Some(decided) = lowering.decide(level) else {
            continue;
        };
        return Ok(match level {
            Level::Borders => lowering.lower_beside(decided, &whole),
            Level::Idle => lowering.lower(&decided, Some(&whole)),
        });
    }
    let mut lowering = Lowering::new(&whole, options);
    lowering.stays_whole = asks.conditions.then(|| why.unwrap_or(NO_GAIN));
    let decided = lowering.decided();
    Ok(lowering.lower(&decided, None))
}

/// Why rows are not split, whatever conditions there are.
fn stays_whole(whole: &Looked<'_>, options: &Options) -> Option<&'static str> {
    if options.fast_compile && options.lanes == Lanes::Auto {
        return Some("the code is made quickly, and not optimised");
    }
    if whole.facts.waits {
        return Some("its threads may wait for each other");
    }
    if whole.facts.ordered {
        return Some("its threads run in the order of the cells of a hash grid");
    }
    let long = whole.fission.list.len() > 1;
    long.then_some("it is long: groups of its statements run one after the other")
}

/// Rows of fewer threads are not worth a split.
const SHORTEST_ROW: usize = 8;
/// Groups of lanes in a row that is worth one.
const GROUPS: usize = 8;

/// What is known of a kernel, or of its interior, before anything is written.
struct Looked<'a> {
    facts: &'a KernelFacts<'a>,
    vector: VectorFacts,
    reductions: Reductions<'a>,
    fission: Fission<'a>,
    layout: BlockLayout,
}

impl<'a> Looked<'a> {
    fn new(facts: &'a KernelFacts<'a>, iterated: bool) -> Looked<'a> {
        let mut vector = VectorFacts::new(facts);
        // Beside the loops of a decomposition it does not matter how memory is accessed.
        vector.arithmetic |= iterated;
        Looked {
            facts,
            reductions: Reductions::new(facts),
            fission: Fission::of(facts, &vector),
            vector,
            layout: block_layout(facts.func),
        }
    }
}

/// Which bodies there are, and why.
struct Decided {
    choice: Option<Choice>,
    why: &'static str,
    plan: Plan,
}

impl Decided {
    /// How many threads run at once.
    fn width(&self) -> u32 {
        let choice = self.choice.as_ref();
        choice.map_or(1, |choice| choice.width as u32)
    }
}

/// A kernel that is being lowered, and what is written of it so far.
struct Lowering<'a> {
    facts: &'a KernelFacts<'a>,
    vector: &'a VectorFacts,
    reductions: &'a Reductions<'a>,
    fission: &'a Fission<'a>,
    offsets: &'a [usize],
    options: &'a Options,
    /// What the names of bodies begin with.
    prefix: &'static str,
    /// Where rows are split.
    splits: Vec<(Splits, Span)>,
    /// Why rows are not split, if anybody wants to know.
    stays_whole: Option<&'static str>,
    written: Written,
}

/// What is written of a kernel.
#[derive(Default)]
struct Written {
    tail: Tail,
    helpers: BTreeMap<String, String>,
    bodies: String,
    report: Vec<BodyReport>,
}

impl<'a> Lowering<'a> {
    fn new(looked: &'a Looked<'a>, options: &'a Options) -> Lowering<'a> {
        Lowering {
            facts: looked.facts,
            vector: &looked.vector,
            reductions: &looked.reductions,
            fission: &looked.fission,
            offsets: &looked.layout.offsets,
            options,
            prefix: "",
            splits: Vec::new(),
            stays_whole: None,
            written: Written::default(),
        }
    }

    fn decided(&self) -> Decided {
        let (choice, why) = match self.choose() {
            Ok(choice) => (
                Some(choice),
                "it is the epilogue, for threads that fill no gang",
            ),
            Err(why) => (None, why),
        };
        let plan = Plan::new(self.facts, self.vector, choice.as_ref());
        Decided { choice, why, plan }
    }

    /// The bodies of an interior; None if it had better not be split. Where LLVM finds vectors, and where lanes would gather by the
    /// quotients of a flat index or by a periodic one, borders are left to the body for any strides. Elsewhere only threads that do
    /// nothing are left out, since lanes run conditions under masks. Lanes need a mask then: the interior has no body for single
    /// threads, which could run what fills no gang.
    fn decide(&self, level: Level) -> Option<Decided> {
        let split = self.facts.split.expect("an interior");
        if self.fission.list.len() != 1 {
            return None;
        }
        let decided = self.decided();
        let pays = match (level, &decided.choice) {
            (Level::Idle, _) => true,
            (Level::Borders, Some(choice)) => {
                choice.masked && split.has_held() && !self.reductions.sums_floats()
            }
            (Level::Borders, None) => self.vectors() != Vectors::None,
        };
        let plan = &decided.plan;
        let inner = plan.gangs.is_some() || plan.scalars.iter().any(|v| *v != Variant::Any);
        let fits = !split.has_border() || plan.scalars.contains(&Variant::Any);
        (pays && inner && fits).then_some(decided)
    }

    /// All of a kernel, or of an interior whose body for any strides is that of the `whole` kernel.
    fn lower(&mut self, decided: &Decided, whole: Option<&Looked<'_>>) -> Lowered {
        if let (Some(whole), Some(split)) = (whole, self.facts.split) {
            self.splits = split.places(whole.facts.func);
        }
        self.bodies(decided, whole);
        let entry = self.entry(&decided.plan, None);
        self.finish(decided, entry, whole)
    }

    /// An interior, and the `whole` kernel with all of its bodies, which runs what is not worth a split: short rows, and divisors that
    /// are too small. Its body for any strides runs the borders.
    fn lower_beside(&mut self, mut decided: Decided, whole: &Looked<'_>) -> Lowered {
        let options = Options {
            name: format!("{}.{WHOLE}", self.options.name),
            ..self.options.clone()
        };
        let mut beside = Lowering::new(whole, &options);
        beside.prefix = "whole.";
        let mut other = beside.decided();
        if !other.plan.scalars.contains(&Variant::Any) {
            other.plan.scalars.push(Variant::Any);
        }
        beside.bodies(&other, None);
        let mut entries = beside.entry(&other.plan, None);
        self.written = std::mem::take(&mut beside.written);
        let split = self.facts.split.expect("an interior");
        self.splits = split.places(whole.facts.func);
        decided.plan.scalars.retain(|v| *v != Variant::Any);
        self.bodies(&decided, None);
        // Between the ends of a periodic index lanes are left over that run one by one.
        let shortest = match &decided.choice {
            Some(choice) if !split.has_quotients() => GROUPS * choice.width,
            _ => SHORTEST_ROW,
        };
        entries += &self.entry(&decided.plan, Some(shortest));
        let mut lowered = self.finish(&decided, entries, Some(whole));
        lowered.gang = other.width();
        lowered
    }

    /// Writes the bodies; `whole`: what the one for any strides is of, if that is another kernel.
    fn bodies(&mut self, decided: &Decided, whole: Option<&Looked<'_>>) {
        let Decided { choice, why, plan } = decided;
        if let (Some(choice), Some(variant)) = (choice, plan.gangs) {
            self.gangs(choice, variant, plan.epilogue());
        }
        let gangs = choice.is_some();
        for variant in plan.scalars.iter().copied() {
            match whole.filter(|_| variant == Variant::Any) {
                Some(whole) => {
                    let mut other = Lowering::new(whole, self.options);
                    other.written = std::mem::take(&mut self.written);
                    other.scalars(variant, gangs, why);
                    self.written = other.written;
                }
                None => self.scalars(variant, gangs, why),
            }
        }
    }

    /// The entry point; `beside`: it leaves what its bodies do not run to the whole kernel, and rows of fewer threads.
    fn entry(&mut self, plan: &Plan, beside: Option<usize>) -> String {
        entry::entry(
            self.facts,
            self.vector,
            plan,
            &self.options.name,
            self.offsets,
            std::mem::take(&mut self.written.tail.guards),
            beside,
        )
    }

    /// All of it, behind the entry points.
    fn finish(
        &mut self,
        decided: &Decided,
        entries: String,
        whole: Option<&Looked<'_>>,
    ) -> Lowered {
        let (facts, reductions, vector) = match whole {
            Some(whole) => (whole.facts, &whole.reductions, &whole.vector),
            None => (self.facts, self.reductions, self.vector),
        };
        let layout = block_layout(facts.func);
        let text = self.text(entries, vector);
        let written = std::mem::take(&mut self.written);
        Lowered {
            text,
            spans: written.tail.spans,
            prints: written.tail.prints,
            in_order: facts.prints || facts.waits,
            reduces: false,
            queries: false,
            dense: Conditions::default(),
            gang: decided.width(),
            changed: changed_arrays(facts, reductions, &layout.offsets, layout.size),
            report: written.report,
            stacks: Vec::new(),
        }
    }

    /// Whether threads run in gangs; otherwise why not.
    fn choose(&self) -> Result<Choice, &'static str> {
        match self.fission.list.len() {
            1 => Choice::new(self.facts, self.reductions, self.options, || self.vectors()),
            _ => Err("it is long: groups of its statements run one after the other"),
        }
    }

    /// Whether bodies run threads in the order that a launch says.
    fn ordered(&self) -> bool {
        self.fission.list.len() == 1 && self.facts.ordered
    }

    /// How LLVM runs the loop over threads by itself. For vectors, nothing in it may jump out of it, nor may it be bound by
    /// arithmetic, for which a gang fills two registers.
    fn vectors(&self) -> Vectors {
        let variant = self.vector.bodies(self.facts)[0];
        let mut tail = Tail::default();
        let body = self.body(variant, false, &mut tail);
        // What LLVM does on vectors of float16 it takes apart.
        let found = !self.facts.func.values.contains(&Scalar::F16)
            && !self.vector.scattered
            && !self.vector.masked
            && !self.vector.heavy
            && !self.facts.func.blocks().any(has_loops)
            && !changes_memory(self.facts, self.reductions)
            && !body.jumps(&self.fission.list[0]);
        match found {
            true if self.vector.shuffled => Vectors::Shuffled,
            true => Vectors::Fast,
            false => Vectors::None,
        }
    }

    fn body<'b>(&'b self, variant: Variant, gangs: bool, tail: &'b mut Tail) -> Body<'b, Host<'b>> {
        let host = Host {
            vector: self.vector,
            gangs,
            ordered: self.ordered(),
            gang: None,
        };
        Body::new(
            self.facts,
            self.options,
            variant,
            self.offsets,
            self.reductions,
            host,
            tail,
        )
    }

    /// All of the text: the entry points, the bodies and what they refer to; `any`: what is known in the body for any strides.
    fn text(&mut self, mut text: String, any: &VectorFacts) -> String {
        text.reserve(self.written.bodies.len() + TAIL);
        text += &self.written.bodies;
        for helper in self.written.helpers.values() {
            text += helper;
        }
        text += &self.written.tail.globals.concat();
        text += abi::runtime::DECLARATIONS;
        let width = || vector::width(self.facts.func, self.options);
        let long = self.fission.list.len() > 1 && self.vector.heavy;
        let masks = self.vector.masks_remainder && self.options.vector >= MASKS;
        text += &vector::notes(any.heavy, long.then(width), masks.then(width));
        match &self.options.lines {
            Some(sources) => {
                lines::attach(&text, &self.options.name, &self.facts.func.name, sources)
            }
            None => text,
        }
    }
}

/// Whether there are atomic operations in memory.
fn changes_memory(facts: &KernelFacts<'_>, reductions: &Reductions<'_>) -> bool {
    facts.accesses.iter().any(|(id, accesses)| {
        let mut kinds = accesses.iter();
        !facts.is_non_atomic(*id)
            && !reductions.has(*id)
            && kinds.any(|kind| matches!(kind, Kind::Atomic { .. }))
    })
}

/// Bytes that stand behind the bodies of most kernels.
const TAIL: usize = 2048;
/// Bytes of vector registers from which on processors read and write under a mask as fast as without: AVX-512. Measured on an Intel Xeon
/// (family 6, model 207): rows of 62 threads, of which 14 fill no vector, take 1.5 times as long where these run one at a time.
const MASKS: usize = 64;
