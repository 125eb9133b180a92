//! What each parameter gets, and where each extent comes from.

use super::binding::Binding;
use super::data::{Extent, Operator, OperatorParam};
use crate::error::{Code, Error, Result};
use crate::ty::MAX_NDIM;

/// Where an extent comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// It is an extent of the array that the caller gives for a parameter.
    Of(Extent),
    /// The caller gives it: this one of the launch dimensions.
    Launch(usize),
    /// The caller gives it: this one of the output dimensions.
    Output(usize),
}

/// What a parameter gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Supply {
    /// The caller's value.
    Value,
    /// The caller's array.
    Argument,
    /// A copy of the caller's array.
    Copy,
    /// A new array of these extents, zero at first: see [`needs_clearing`](super::needs_clearing).
    New(Vec<Source>),
    /// The array of this parameter, which gets memory.
    Same(usize),
    /// No memory, and the extents of the array of this parameter, which gets memory.
    Missing(usize),
}

/// An operator for so many given dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The launch dimensions.
    pub launch: Vec<Source>,
    /// What each parameter gets.
    pub supplies: Vec<Supply>,
}

impl Operator {
    /// What each parameter gets and the launch dimensions, where the caller gives so many launch dimensions of an item and
    /// so many output dimensions, or none.
    ///
    /// # Errors
    /// [`Code::Value`]: what is given does not say all extents, or does not fit.
    pub fn resolve(&self, launch: Option<usize>, outputs: Option<usize>) -> Result<Resolved> {
        Ok(Resolved {
            launch: self.launch(launch)?,
            supplies: self.supplies(launch, outputs)?,
        })
    }

    /// The launch dimensions, where the caller gives so many of an item, or none.
    ///
    /// # Errors
    /// As [`Operator::resolve`].
    pub fn launch(&self, given: Option<usize>) -> Result<Vec<Source>> {
        let resolver = Resolver {
            operator: self,
            launch: given,
            outputs: None,
        };
        let mut dims = resolver.sources(&self.front, 0)?;
        dims.extend(resolver.launch_of_item(0)?);
        if !(1..=MAX_NDIM).contains(&dims.len()) {
            return Err(self.wrong(format_args!(
                "the launch has {} dimensions, expected 1 to {MAX_NDIM}",
                dims.len()
            )));
        }
        Ok(dims)
    }

    /// What each parameter gets, where the caller gives so many launch dimensions of an item and so many output dimensions,
    /// or none.
    ///
    /// # Errors
    /// As [`Operator::resolve`].
    pub fn supplies(&self, launch: Option<usize>, outputs: Option<usize>) -> Result<Vec<Supply>> {
        let want = self.output_dims();
        if let Some(found) = outputs.filter(|found| *found != want) {
            return Err(self.wrong(format_args!(
                "output_dims has {found} extents, expected {want} for all outputs together"
            )));
        }
        let resolver = Resolver {
            operator: self,
            launch,
            outputs,
        };
        (0..self.parameters.len())
            .map(|i| resolver.supply(i))
            .collect()
    }

    /// A broken invariant of the code that described this operator.
    fn bug(&self, what: &str) -> Error {
        Error::new(Code::Bug, format!("{}: {what}; please report", self.title))
    }
}

struct Resolver<'a> {
    operator: &'a Operator,
    launch: Option<usize>,
    outputs: Option<usize>,
}

impl Resolver<'_> {
    fn supply(&self, i: usize) -> Result<Supply> {
        Ok(match self.operator.parameters[i].binding {
            Binding::Value => Supply::Value,
            Binding::Read => Supply::Argument,
            Binding::InOut | Binding::Work => Supply::Copy,
            Binding::Clear | Binding::Out | Binding::Zeros => Supply::New(self.extents(i, 0)?),
            Binding::Stand => Supply::Same(self.root(i)?),
            Binding::Absent => Supply::Missing(self.root(i)?),
        })
    }

    /// The parameter that gets memory and has the extents of this one.
    fn root(&self, mut i: usize) -> Result<usize> {
        let parameters = &self.operator.parameters;
        for _ in parameters {
            let p = parameters.get(i).filter(|p| p.ndim > 0);
            let p = p.ok_or_else(|| self.operator.bug("a parameter is like none"))?;
            match (p.binding, p.like) {
                (Binding::Stand | Binding::Absent, Some(like)) => i = like,
                (Binding::Stand | Binding::Absent, None) => break,
                _ => return Ok(i),
            }
        }
        Err(self.operator.bug("a parameter is like none"))
    }

    /// The extents of the array of a parameter; `depth` is how many others have led here.
    fn extents(&self, i: usize, depth: usize) -> Result<Vec<Source>> {
        if depth > self.operator.parameters.len() {
            return Err(self.operator.bug("extents go in a circle"));
        }
        let i = self.root(i)?;
        let p = &self.operator.parameters[i];
        if p.binding.is_argument() {
            let own = |dim| Source::Of(Extent { param: i, dim });
            return Ok((0..p.ndim).map(own).collect());
        }
        let mut all = self.sources(&p.front, depth + 1)?;
        let item = match (&p.item, self.outputs) {
            (Some(item), _) => self.sources(item, depth + 1)?,
            (None, Some(_)) if p.is_output() => {
                let before = self.operator.parameters[..i].iter();
                let before = before.filter(|p| p.is_output());
                let start: usize = before.map(OperatorParam::item_ndim).sum();
                (start..start + p.item_ndim()).map(Source::Output).collect()
            }
            _ => self.launch_of_item(depth + 1)?,
        };
        if p.front.len() + item.len() != p.ndim {
            return Err(self.operator.wrong(format_args!(
                "output '{}' has {} dimensions and the launch {}; give output_dims",
                p.name,
                p.item_ndim(),
                item.len()
            )));
        }
        all.extend(item);
        Ok(all)
    }

    fn launch_of_item(&self, depth: usize) -> Result<Vec<Source>> {
        match (self.launch, &self.operator.item) {
            (Some(count), _) => Ok((0..count).map(Source::Launch).collect()),
            (None, Some(item)) => self.sources(item, depth),
            (None, None) => Err(self.operator.wrong(format_args!(
                "no input array says how many threads to launch; give launch_dims"
            ))),
        }
    }

    fn sources(&self, extents: &[Extent], depth: usize) -> Result<Vec<Source>> {
        let one = |extent: &Extent| {
            let all = self.extents(extent.param, depth)?;
            let found = all.get(extent.dim).copied();
            found.ok_or_else(|| self.operator.bug("an array has too few dimensions"))
        };
        extents.iter().map(one).collect()
    }
}
