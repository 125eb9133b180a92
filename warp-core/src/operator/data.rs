//! What an operator is.

use super::binding::Binding;
use crate::ty::Elem;

/// An extent: a dimension of an array parameter, those of elements left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    /// The parameter.
    pub param: usize,
    /// Its dimension.
    pub dim: usize,
}

/// A parameter of a kernel and how an operator fills it.
#[derive(Clone, Debug)]
pub struct OperatorParam {
    /// Name, for messages.
    pub name: String,
    /// What it is, or what it holds.
    pub elem: Elem,
    /// Dimensions of an array; 0 for a value.
    pub ndim: usize,
    /// What it gets.
    pub binding: Binding,
    /// [`Binding::Stand`]: whose array. [`Binding::Absent`]: whose extents.
    pub like: Option<usize>,
    /// [`Binding::Out`], [`Binding::Zeros`]: extents in front of those of an item.
    pub front: Vec<Extent>,
    /// [`Binding::Out`], [`Binding::Zeros`]: extents of an item; None: what the caller says, else the launch's.
    pub item: Option<Vec<Extent>>,
}

/// A kernel as a function from arrays to new arrays. A batch of items has their extents after those of the batch.
#[derive(Clone, Debug)]
pub struct Operator {
    /// How messages name it: "kernel 'saxpy'".
    pub title: String,
    /// All parameters of the kernel, in order.
    pub parameters: Vec<OperatorParam>,
    /// Launch dimensions in front: batches.
    pub front: Vec<Extent>,
    /// The other launch dimensions, unless the caller gives them; None if there is nothing to take them from.
    pub item: Option<Vec<Extent>>,
}

impl Operator {
    /// The parameters that the caller fills, in the order of arguments.
    pub fn arguments(&self) -> impl Iterator<Item = usize> + '_ {
        self.select(|p| p.binding.is_argument())
    }

    /// The parameters whose arrays are returned, in the order of results.
    pub fn results(&self) -> impl Iterator<Item = usize> + '_ {
        self.select(|p| p.binding.is_result())
    }

    /// The parameters whose extents the caller may give, one after the other: "output dimensions". They are those of an
    /// item, without components.
    pub fn outputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.select(OperatorParam::is_output)
    }

    /// The arguments that need an array of their own for each item of a batch.
    pub fn copied(&self) -> impl Iterator<Item = usize> + '_ {
        self.select(|p| p.binding.is_copied())
    }

    /// How many extents the caller gives for all outputs.
    pub fn output_dims(&self) -> usize {
        let outputs = self.parameters.iter().filter(|p| p.is_output());
        outputs.map(OperatorParam::item_ndim).sum()
    }

    fn select<'a>(
        &'a self,
        holds: impl Fn(&OperatorParam) -> bool + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let all = self.parameters.iter().enumerate();
        all.filter_map(move |(i, p)| holds(p).then_some(i))
    }
}

impl OperatorParam {
    /// Whether the caller may give its extents.
    pub(super) fn is_output(&self) -> bool {
        self.binding == Binding::Out && self.item.is_none()
    }

    /// Dimensions of an item.
    pub(super) fn item_ndim(&self) -> usize {
        self.ndim.saturating_sub(self.front.len())
    }
}
