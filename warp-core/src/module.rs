//! The driver: the only file that knows the whole way from source text to native code.

use crate::abi::{self, Entry};
use crate::adjoint;
use crate::backend::cpu::launch::Cost;
use crate::backend::cpu::llvm::{self, Loaded, OptLevel, Tuning};
use crate::cache::{Cache, Key, Source as Origin};
use crate::error::{Code, Error};
use crate::front::{self, Failure, Scope, Signature, SourceText};
use crate::ir::{AtomicOp, Block, Func, Kind, Op, ParamId, Value};
use crate::lower;
use crate::pass::access::{self, Access};
use crate::pass::batch::batch;
use crate::pass::lift::lift;
use crate::pass::merge::merge;
use crate::span::{Source, Span};
use crate::verify::{Verified, verify};

/// What a compilation depends on besides the kernel.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where objects are kept between processes.
    pub cache: Cache,
    /// Index checks that end the launch with an error.
    pub check_bounds: bool,
}

/// Native code and the objects it lives in.
#[derive(Debug)]
pub struct Native {
    /// The entry point; valid as long as this value.
    pub entry: Entry,
    /// What `span` of a fault indexes.
    pub spans: Vec<Span>,
    /// Threads must run in index order.
    pub in_order: bool,
    /// The result depends on the order of threads: float sums that threads share, or results of
    /// atomics that are used.
    pub order_matters: bool,
    /// Where the object came from.
    pub origin: Origin,
    /// What launches have been seen to cost.
    pub cost: Cost,
    /// Where arguments lie.
    pub layout: abi::Layout,
    _loaded: Loaded,
}

/// A compiled kernel.
#[derive(Debug)]
pub struct Compiled {
    /// The native code.
    pub code: Native,
    /// The IR that it was made of.
    pub func: Verified,
    /// How each parameter is used.
    pub access: Vec<Access>,
    /// Name and parameters of the kernel as it was written.
    pub signature: Signature,
    /// Texts that spans point into.
    pub sources: Vec<Source>,
    /// What a launch has to look at where the code adds without atomics: only in derived kernels.
    pub sums: Option<Sums>,
    /// What is differentiated in place of `func`, for adjoints: the one that runs saves memory, the other one is
    /// formed with [`adjoint::Options::again`]. Both do the same.
    again: Option<Verified>,
    options: Options,
}

/// Adds that need no atomics where threads and buffers are apart.
#[derive(Debug)]
pub struct Sums {
    /// What the runtime has to know about each array.
    pub report: adjoint::Report,
    /// The parameters whose adds those are.
    pub plain: Vec<bool>,
}

/// Which adjoint of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reverse {
    /// Parameters that were given the same array as another one: entry `i` is the parameter that stands
    /// for `i`. Empty: each for itself.
    pub aliases: Vec<u32>,
    /// Parameters whose gradient is set to zero after it is read; see [`adjoint::Options`].
    pub consume: Vec<u32>,
}

/// A compiled adjoint.
#[derive(Debug)]
pub struct Adjoint {
    /// The native code.
    pub code: Native,
    /// What the runtime has to know about each array.
    pub report: adjoint::Report,
    /// The parameters whose adds need no atomic if threads and buffers are apart.
    pub plain: Vec<bool>,
}

impl Adjoint {
    /// Whether threads of a launch over `dims` meet at one element of a gradient that the code adds to
    /// without atomics: the launch then has to say that buffers overlap.
    pub fn threads_meet(&self, dims: &[i32]) -> bool {
        threads_meet(&self.report, &self.plain, dims)
    }
}

impl Sums {
    /// As [`Adjoint::threads_meet`].
    pub fn threads_meet(&self, dims: &[i32]) -> bool {
        threads_meet(&self.report, &self.plain, dims)
    }
}

fn threads_meet(report: &adjoint::Report, plain: &[bool], dims: &[i32]) -> bool {
    let extended = dims.iter().enumerate().filter(|(_, d)| **d != 1);
    let bits = extended.fold(0u8, |bits, (d, _)| bits | 1 << d);
    report.arrays.iter().any(|array| {
        let plain = array.grad.is_some_and(|g| plain[g.0 as usize]);
        plain && array.adds && array.plain & bits != bits
    })
}

/// Sets up what compilations share, in the background: what a program would else wait for at its
/// first launch. A small kernel goes the whole way once, which brings the code for it into memory.
pub fn prepare() {
    llvm::prepare(|| {
        let text = "def k(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0\n";
        let text = SourceText {
            name: "k".into(),
            file: "prepare".into(),
            first_line: 1,
            text: text.into(),
        };
        // Whatever goes wrong here goes wrong again where it can be reported.
        if let Ok(built) = front::build(text, &front::StaticScope::new())
            && let Ok(func) = verify(built.func)
        {
            let lowered = lower::host::lower(&func, &lower::Options::default());
            let object = llvm::compile(&lowered.text, OptLevel::O0, Tuning::default());
            let _ = object.and_then(|object| llvm::load(&object, "kernel"));
        }
    });
}

/// Compiles a kernel from its text.
pub fn compile(
    text: SourceText,
    scope: &dyn Scope,
    options: &Options,
) -> Result<Compiled, Failure> {
    let built = front::build(text, scope)?;
    let fail = |error| Failure {
        error,
        sources: built.sources.clone(),
    };
    let func = verify(built.func).map_err(|bug| fail(bug.into()))?;
    let code = native(&func, options, Vec::new()).map_err(fail)?;
    let access = access::of(&func);
    let (signature, sources) = (built.signature, built.sources);
    Ok(Compiled {
        code,
        func,
        access,
        signature,
        sources,
        sums: None,
        again: None,
        options: options.clone(),
    })
}

impl Compiled {
    /// The adjoint as IR: cheap, nothing is compiled.
    pub fn reverse(&self, reverse: &Reverse) -> Result<adjoint::Adjoint, Failure> {
        self.differentiate(reverse, false)
    }

    /// What is differentiated.
    fn source(&self) -> &Verified {
        self.again.as_ref().unwrap_or(&self.func)
    }

    fn differentiate(&self, reverse: &Reverse, again: bool) -> Result<adjoint::Adjoint, Failure> {
        let mut func: Func = (**self.source()).clone();
        merge(&mut func, &reverse.aliases);
        let consume = reverse.consume.iter().map(|p| ParamId(*p)).collect();
        let options = adjoint::Options { consume, again };
        adjoint::reverse(&func, &options).map_err(|e| self.fail(e))
    }

    /// Compiles an adjoint.
    pub fn adjoint(&self, reversed: adjoint::Adjoint) -> Result<Adjoint, Failure> {
        let adjoint::Adjoint { func, report } = reversed;
        let used = tids(&self.source().body);
        let mut plain = vec![false; func.params.len()];
        for array in &report.arrays {
            if let Some(grad) = array.grad {
                plain[grad.0 as usize] = used != 0 && array.plain & used == used;
            }
        }
        let func = verify(func).map_err(|bug| self.fail(bug.into()))?;
        let code = native(&func, &self.options, plain.clone()).map_err(|e| self.fail(e))?;
        Ok(Adjoint {
            code,
            report,
            plain,
        })
    }

    /// An adjoint as a kernel of its own, which is launched, differentiated and batched as any other.
    pub fn derive(
        &self,
        reverse: &Reverse,
        reversed: adjoint::Adjoint,
    ) -> Result<Compiled, Failure> {
        let again = self.differentiate(reverse, true)?;
        // Who launches the one and differentiates the other has but one report. They have never been seen to differ.
        let again = (again.report == reversed.report).then_some(again.func);
        let again = again.map(verify).transpose();
        let again = again.map_err(|bug| self.fail(bug.into()))?;
        let func = reversed.func.clone();
        let Adjoint {
            code,
            report,
            plain,
        } = self.adjoint(reversed)?;
        self.made(func, again, code, Some(Sums { report, plain }))
    }

    /// The kernel for every item of a batch: see [`batch()`].
    pub fn batch(&self, arrays: &[bool]) -> Option<Result<Compiled, Failure>> {
        let func = batch(&self.func, arrays)?;
        let again = self.again.as_ref().and_then(|again| batch(again, arrays));
        Some(self.changed(func, again))
    }

    /// The kernel with values as arrays of one element: see [`lift()`].
    pub fn lift(&self, values: &[bool]) -> Result<Compiled, Failure> {
        let again = self.again.as_ref().map(|again| lift(again, values));
        self.changed(lift(&self.func, values), again)
    }

    /// The kernel with parameters that are given one array: see [`merge()`].
    pub fn merge(&self, stands: &[u32]) -> Result<Compiled, Failure> {
        let merged = |func: &Func| {
            let mut func = func.clone();
            merge(&mut func, stands);
            func
        };
        let again = self.again.as_ref().map(|again| merged(again));
        self.changed(merged(&self.func), again)
    }

    fn changed(&self, func: Func, again: Option<Func>) -> Result<Compiled, Failure> {
        let verified = verify(func.clone()).map_err(|bug| self.fail(bug.into()))?;
        let again = again.map(verify).transpose();
        let again = again.map_err(|bug| self.fail(bug.into()))?;
        let code = native(&verified, &self.options, Vec::new()).map_err(|e| self.fail(e))?;
        self.made(func, again, code, None)
    }

    fn made(
        &self,
        func: Func,
        again: Option<Verified>,
        code: Native,
        sums: Option<Sums>,
    ) -> Result<Compiled, Failure> {
        let func = verify(func).map_err(|bug| self.fail(bug.into()))?;
        Ok(Compiled {
            code,
            access: access::of(&func),
            func,
            signature: self.signature.clone(),
            sources: self.sources.clone(),
            sums,
            again,
            options: self.options.clone(),
        })
    }

    /// A name for what the kernel does: equal in all processes and on all machines, and different
    /// for kernels that differ.
    pub fn digest(&self) -> String {
        let flags = [u8::from(self.options.check_bounds)];
        Key::of(&[b"kernel", self.func.to_string().as_bytes(), &flags]).hex()
    }

    fn fail(&self, error: Error) -> Failure {
        Failure {
            error,
            sources: self.sources.clone(),
        }
    }
}

/// IR to native code, through the cache.
fn native(func: &Verified, options: &Options, plain: Vec<bool>) -> Result<Native, Error> {
    let lowering = lower::Options {
        name: "kernel".into(),
        plain,
        check_bounds: options.check_bounds,
    };
    let lowered = lower::host::lower(func, &lowering);
    // Lowering takes a tenth of a millisecond, and its text says all about the kernel and the
    // options, the numbers of places included.
    let key = Key::of(&[
        b"cpu",
        env!("CARGO_PKG_VERSION").as_bytes(),
        llvm::host_id().as_bytes(),
        lowered.text.as_bytes(),
    ]);
    let (object, origin) = options.cache.get_or_make(&key, || {
        llvm::compile(&lowered.text, OptLevel::O2, Tuning::default()).map_err(bug)
    })?;
    let loaded = llvm::load(&object, &lowering.name).map_err(bug)?;
    // SAFETY: `lower::cpu` gives the symbol the type of an entry.
    let entry = unsafe { std::mem::transmute::<usize, Entry>(loaded.address()) };
    Ok(Native {
        entry,
        spans: lowered.spans,
        in_order: lowered.in_order,
        order_matters: order_matters(func, &func.body),
        origin,
        cost: Cost::new(),
        layout: lower::block_layout(func),
        _loaded: loaded,
    })
}

/// Whether an atomic's outcome depends on which thread came first.
fn order_matters(func: &Func, block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Atomic { out, op, value, .. } => {
            out.is_some_and(|out| is_used(&func.body, out))
                || (*op == AtomicOp::Add && func.ty(*value).is_float())
        }
        kind => kind
            .blocks()
            .into_iter()
            .any(|inner| order_matters(func, inner)),
    })
}

fn is_used(block: &Block, value: Value) -> bool {
    block.results.contains(&value)
        || block.stmts.iter().any(|stmt| {
            let mut found = false;
            stmt.kind.uses(|used| found |= used == value);
            found
                || stmt
                    .kind
                    .blocks()
                    .into_iter()
                    .any(|inner| is_used(inner, value))
        })
}

/// The launch dimensions that a kernel looks at, as bits.
fn tids(block: &Block) -> u8 {
    let mut bits = 0;
    for stmt in &block.stmts {
        if let Kind::Let { op: Op::Tid(d), .. } = stmt.kind {
            bits |= 1 << d;
        }
        for inner in stmt.kind.blocks() {
            bits |= tids(inner);
        }
    }
    bits
}

fn bug(error: llvm::Error) -> Error {
    Error::new(
        Code::System,
        format!("compiler bug, please report: {error}"),
    )
}
