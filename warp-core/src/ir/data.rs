//! The data of the IR. Everything is plain and public: passes rebuild rather than mutate.

use crate::dtype::Scalar;
use crate::ir::effects::Effects;
use crate::ir::id::{CalleeId, ParamId, Value};
use crate::ir::intrinsic::Intrinsic;
use crate::ir::op::Op;
use crate::ir::thread_block::ThreadBlock;
use crate::span::Span;
use crate::ty::{Elem, MAX_NDIM};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// A short list of values.
pub type Values = SmallVec<[Value; 4]>;

/// A kernel.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Func {
    /// Name, for messages and symbols.
    pub name: String,
    /// How its threads form blocks that work together. None: each thread is for itself.
    pub threads: Option<ThreadBlock>,
    /// Parameters in the order of the launch ABI; behind them what is not passed: local, shared and pointer-based arrays.
    pub params: Vec<Param>,
    /// Type of each value.
    pub values: Vec<Scalar>,
    /// Functions that the body calls, each behind those that it calls itself: none calls itself, however indirectly.
    pub callees: Vec<Callee>,
    /// What one thread does. Its parameters and results are empty.
    pub body: Block,
}

/// A function within a kernel. It knows the kernel's parameters, so that no array is handed to it, and values of its own alone.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Callee {
    /// Name, for messages and symbols; different for each of a kernel.
    pub name: String,
    /// What it takes, does and gives.
    pub block: Block,
    /// It stays a function, and rounds each result by itself, whatever the options of the kernel allow.
    pub exact: bool,
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Param {
    /// Name, for messages.
    pub name: String,
    /// Type.
    pub ty: ParamType,
    /// What an array is expected to be a part of. Says nothing about what the array means: a launch may pass any.
    pub part: Option<Part>,
}

/// An array that is one field of an array of structs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// Bytes of a struct, by which the elements follow each other along the last dimension.
    pub size: u32,
    /// Bytes from the start of a struct.
    pub offset: u32,
    /// The same for all fields of one array of structs.
    pub group: u32,
}

impl Param {
    /// Bytes by which the elements of an array are expected to follow each other along the last dimension.
    pub fn step(&self) -> usize {
        self.part
            .map_or(self.ty.elem().size(), |part| part.size as usize)
    }
}

/// The most elements of a local array: it lies on a thread's stack.
pub const MAX_LOCAL: u32 = 1 << 12;

/// Type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamType {
    /// Passed by value.
    Elem(Elem),
    /// Passed as an array descriptor.
    Array {
        /// What it holds.
        elem: Elem,
        /// Number of dimensions.
        ndim: u8,
    },
    /// Not passed: an array that each thread has for itself. What it holds before the thread writes to it means nothing.
    Local {
        /// What it holds.
        elem: Elem,
        /// Number of dimensions.
        ndim: u8,
        /// Extents; 1 behind the last dimension.
        shape: [u32; MAX_NDIM],
    },
    /// Not passed: an array that the threads of a block share. What it holds before one of them writes to it means nothing.
    Shared {
        /// What it holds.
        elem: Elem,
        /// Number of dimensions.
        ndim: u8,
        /// Extents; 1 behind the last dimension.
        shape: [u32; MAX_NDIM],
    },
    /// Not passed: the gradient of an array parameter that comes before it, for [`Rules::reverse`].
    Gradient {
        /// The array.
        of: ParamId,
        /// What it holds.
        elem: Elem,
        /// Number of dimensions.
        ndim: u8,
    },
    /// Not passed: arrays that addresses lead to. Each access says which, see [`Place::index`]. Any two may be the same, and
    /// any may be an array that is passed.
    PointerBased {
        /// What they hold.
        elem: Elem,
        /// Number of dimensions.
        ndim: u8,
        /// Bytes from an address of the data, or of the gradient, to the first element: those of a field in a struct.
        offset: u32,
    },
}

/// Statements in order, with the values that come in and those that go out.
#[derive(Clone, PartialEq, Hash, Debug, Default)]
pub struct Block {
    /// Values that the statement around the block defines.
    pub params: Vec<Value>,
    /// What is done.
    pub stmts: Vec<Stmt>,
    /// Values that the statement around the block is given.
    pub results: Vec<Value>,
}

/// A statement and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What is done.
    pub kind: Kind,
    /// Where it stands in the user's text. Not part of the text form, nor of the hash.
    pub span: Span,
}

impl Hash for Stmt {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

/// One component of one element of an array.
///
/// Indices are int32 or int64, one per dimension; a negative one counts from the end.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Place {
    /// The array parameter.
    pub array: ParamId,
    /// One index per dimension. For pointer-based arrays, what stands in memory of the one that is meant comes first: the
    /// addresses of its data and of its gradient (uint64, 0 for none), extents (int32) and strides in bytes (int64). The
    /// gradient has the same strides.
    pub index: Values,
    /// Which component of the element.
    pub comp: Comp,
}

/// Which component of an element, row-major.
#[derive(Clone, Copy, PartialEq, Hash, Debug)]
pub enum Comp {
    /// Known when compiling and in range.
    Fixed(u32),
    /// Known at run time: int32, already counted from the start.
    At(Value),
}

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Adds the value.
    Add,
    /// Keeps the smaller one.
    Min,
    /// Keeps the larger one.
    Max,
    /// Keeps the bits that are set in both integers.
    And,
    /// Sets the bits that are set in either integer.
    Or,
    /// Sets the bits that are set in one of the two integers.
    Xor,
    /// Writes the value.
    Exchange,
    /// Writes the value where the content equals this one.
    CompareExchange(Value),
}

impl AtomicOp {
    /// Whether the value replaces the content instead of being combined with it.
    pub const fn replaces(self) -> bool {
        matches!(self, AtomicOp::Exchange | AtomicOp::CompareExchange(_))
    }
    /// What the content is compared with.
    pub const fn compare(self) -> Option<Value> {
        match self {
            AtomicOp::CompareExchange(value) => Some(value),
            _ => None,
        }
    }
}

/// What a statement does.
#[allow(
    missing_docs,
    reason = "the fields are named by what each variant says"
)]
#[derive(Clone, PartialEq, Hash, Debug)]
pub enum Kind {
    /// Defines a value by a pure operation.
    Let { out: Value, op: Op, args: Values },
    /// Reads memory. Loads and stores of one thread happen in order.
    Load { out: Value, place: Place },
    /// Writes memory. `log`: keeps the overwritten content in the undo log first.
    Store {
        place: Place,
        value: Value,
        log: bool,
    },
    /// Changes memory atomically; `out` is the content before. `log` as in Store.
    Atomic {
        out: Option<Value>,
        op: AtomicOp,
        place: Place,
        value: Value,
        log: bool,
    },
    /// Runs one of two blocks (no parameters); `outs` are the results of the one that ran.
    If {
        cond: Value,
        then: Block,
        els: Block,
        outs: Vec<Value>,
    },
    /// Python's `for iv in range(start, stop, step)`; the three are of one integer type.
    /// `body` takes (iv, carried...) and gives (carried...); `outs` are the last carried.
    For {
        start: Value,
        stop: Value,
        step: Value,
        init: Vec<Value>,
        body: Block,
        outs: Vec<Value>,
    },
    /// `cond` takes (carried...) and gives one bool; `body` takes and gives (carried...).
    While {
        init: Vec<Value>,
        cond: Block,
        body: Block,
        outs: Vec<Value>,
    },
    /// Runs a function of the kernel on `args`; `outs` are its results. `effects` are those of the function, or more.
    Call {
        callee: CalleeId,
        args: Vec<Value>,
        outs: Vec<Value>,
        effects: Effects,
    },
    /// A call whose derivative its author wrote. `body` takes the values of `ins`, which are floats, and gives `outs`; it is
    /// what runs. `rules` say what adjoints do in its place.
    Custom {
        ins: Vec<Value>,
        body: Block,
        rules: Box<Rules>,
        outs: Vec<Value>,
    },
    /// Does what is neither an expression nor an access nor control flow.
    Intrinsic {
        op: Intrinsic,
        args: Vec<Value>,
        outs: Vec<Value>,
    },
}

/// How a [`Kind::Custom`] is differentiated. At least one of the two is there.
#[derive(Clone, PartialEq, Hash, Debug, Default)]
pub struct Rules {
    /// What runs instead of the body where an adjoint runs forward; it takes and gives what the body does.
    pub replay: Option<Block>,
    /// Takes what the body takes and an adjoint for each float of what it gives; gives what is added to the adjoints of `ins`.
    /// It alone reads and writes gradients of arrays. None: the derivative is that of the body.
    pub reverse: Option<Block>,
}

/// How many of something there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Size {
    /// Known when compiling.
    Fixed(u32),
    /// Known at run time; not negative.
    At(Value),
}

impl Func {
    /// Type of a value.
    pub fn ty(&self, value: Value) -> Scalar {
        self.values[value.0 as usize]
    }
    /// A function that the kernel calls.
    pub fn callee(&self, id: CalleeId) -> &Callee {
        &self.callees[id.0 as usize]
    }
    /// The bodies of all functions and of the kernel, callees before their callers.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = &Block> {
        let callees = self.callees.iter().map(|callee| &callee.block);
        callees.chain(std::iter::once(&self.body))
    }
    /// As [`Func::blocks`], to change them.
    pub fn blocks_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Block> {
        let callees = self.callees.iter_mut().map(|callee| &mut callee.block);
        callees.chain(std::iter::once(&mut self.body))
    }
    /// Whether a statement of the kernel or its functions is as wanted.
    pub fn any(&self, wanted: &impl Fn(&Kind) -> bool) -> bool {
        self.blocks().any(|block| block.any(wanted))
    }
    /// A parameter.
    pub fn param(&self, id: ParamId) -> &Param {
        &self.params[id.0 as usize]
    }
    /// Element type and dimensions of an array parameter; None if it is passed by value.
    pub fn array(&self, id: ParamId) -> Option<(Elem, u8)> {
        match self.params.get(id.0 as usize)?.ty {
            ParamType::Array { elem, ndim }
            | ParamType::Local { elem, ndim, .. }
            | ParamType::Shared { elem, ndim, .. }
            | ParamType::Gradient { elem, ndim, .. }
            | ParamType::PointerBased { elem, ndim, .. } => Some((elem, ndim)),
            ParamType::Elem(_) => None,
        }
    }
    /// The parameters that a launch passes.
    pub fn arguments(&self) -> &[Param] {
        let count = self.params.iter().position(|p| !p.ty.is_passed());
        &self.params[..count.unwrap_or(self.params.len())]
    }
    /// Extents of a local array; None for what is none.
    pub fn local(&self, id: ParamId) -> Option<&[u32]> {
        match &self.params.get(id.0 as usize)?.ty {
            ParamType::Local { ndim, shape, .. } => Some(&shape[..*ndim as usize]),
            _ => None,
        }
    }
    /// Extents of an array that is local or shared; None for others, whose extents are known at run time.
    pub fn fixed_shape(&self, id: ParamId) -> Option<&[u32]> {
        match &self.params.get(id.0 as usize)?.ty {
            ParamType::Local { ndim, shape, .. } | ParamType::Shared { ndim, shape, .. } => {
                Some(&shape[..*ndim as usize])
            }
            _ => None,
        }
    }
    /// Parameters that are the gradients of `count` arrays from one on; added if there are none.
    pub fn gradients(&mut self, of: ParamId, count: u32) -> ParamId {
        let pairs = |first: u32| (0..count).map(move |n| (ParamId(first + n), ParamId(of.0 + n)));
        let known = 0..self.params.len() as u32;
        let fits = |first: &u32| pairs(*first).all(|(id, of)| self.gradient_of(id) == Some(of));
        if let Some(first) = known.into_iter().find(fits) {
            return ParamId(first);
        }
        let first = self.params.len() as u32;
        for (_, of) in pairs(first) {
            if let Some((elem, ndim)) = self.array(of) {
                let mut name = format!("gradient.{}", self.param(of).name);
                while self.params.iter().any(|p| p.name == name) {
                    name.push('_');
                }
                let ty = ParamType::Gradient { of, elem, ndim };
                self.params.push(Param {
                    name,
                    ty,
                    part: None,
                });
            }
        }
        ParamId(first)
    }
    /// The array of which a parameter is the gradient.
    pub fn gradient_of(&self, id: ParamId) -> Option<ParamId> {
        match self.params.get(id.0 as usize)?.ty {
            ParamType::Gradient { of, .. } => Some(of),
            _ => None,
        }
    }
    /// Whether a parameter stands for arrays that addresses lead to.
    pub fn is_pointer_based(&self, id: ParamId) -> bool {
        let param = self.params.get(id.0 as usize);
        param.is_some_and(|p| matches!(p.ty, ParamType::PointerBased { .. }))
    }
    /// Where a place lies, if addresses say so: what its index begins with, and the indices themselves.
    pub fn pointer_based<'p>(&self, place: &'p Place) -> Option<(Described<'p>, &'p [Value])> {
        match self.param(place.array).ty {
            ParamType::PointerBased { ndim, .. } => {
                Some(Described::split(&place.index, ndim.into()))
            }
            _ => None,
        }
    }
}

/// What stands in memory of an array, as the index of a [`Place`] begins.
#[derive(Clone, Copy, Debug)]
pub struct Described<'p> {
    /// Address of the data: uint64, 0 for none.
    pub data: Value,
    /// Address of the gradient: uint64, 0 for none.
    pub gradient: Value,
    /// Extents: int32.
    pub extents: &'p [Value],
    /// Bytes from one element to the next along each dimension, of data and gradient: int64.
    pub strides: &'p [Value],
}

impl Described<'_> {
    /// How many values describe an array of so many dimensions.
    pub const fn len(ndim: usize) -> usize {
        2 + 2 * ndim
    }
    /// Their types.
    pub fn types(ndim: usize) -> impl Iterator<Item = Scalar> {
        let each = |scalar| std::iter::repeat_n(scalar, ndim);
        std::iter::repeat_n(Scalar::U64, 2)
            .chain(each(Scalar::I32))
            .chain(each(Scalar::I64))
    }
    /// The description that a list of values begins with, and the rest. The list must be long enough, as `verify` sees to.
    pub fn split(values: &[Value], ndim: usize) -> (Described<'_>, &[Value]) {
        let (own, rest) = values.split_at(Described::len(ndim));
        let (extents, strides) = own[2..].split_at(ndim);
        let described = Described {
            data: own[0],
            gradient: own[1],
            extents,
            strides,
        };
        (described, rest)
    }
}

impl ParamType {
    /// Whether a launch passes it.
    pub const fn is_passed(self) -> bool {
        matches!(self, ParamType::Elem(_) | ParamType::Array { .. })
    }
    /// Element type of an array, or the type itself.
    pub const fn elem(self) -> Elem {
        match self {
            ParamType::Elem(elem)
            | ParamType::Array { elem, .. }
            | ParamType::Local { elem, .. }
            | ParamType::Shared { elem, .. }
            | ParamType::Gradient { elem, .. }
            | ParamType::PointerBased { elem, .. } => elem,
        }
    }
}
