//! Arguments and arrays of the interpreter.

use crate::dtype::Scalar;
use crate::interp::fault::Fault;
use crate::ir::num::of_bits;
use crate::ir::{Func, Num, ObjectKind, Param, ParamType, Search};
use crate::ty::Elem;

/// An argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// The components of a value.
    Elem(Vec<Num>),
    /// An index into [`Memory::buffers`]; several arguments may name one buffer.
    Array(usize),
    /// An array without data.
    Missing,
}

/// All arrays of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Memory {
    /// The arrays.
    pub buffers: Vec<Buffer>,
    /// What kernels may query.
    pub objects: Vec<Object>,
    /// Copies of the arrays that objects name by their addresses in this process: they are read only.
    pub named: Vec<(u64, Vec<u8>)>,
}

/// What carries out searches of an object of this process.
#[derive(Clone, Copy, Debug)]
pub struct Searches(pub fn(Search, u64, &[u32]) -> i32);

impl PartialEq for Searches {
    /// What carries searches out is no part of what memory holds.
    fn eq(&self, _: &Searches) -> bool {
        true
    }
}

/// An object: a copy of its memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// The id that kernels know.
    pub id: u64,
    /// Its memory.
    pub bytes: Vec<u8>,
    /// What carries out searches of it, if there are any: gets its id, and the arguments as bits.
    pub search: Option<Searches>,
}

/// An array: components row-major, element by element.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// What it holds.
    pub elem: Elem,
    /// Extents.
    pub shape: Vec<i32>,
    /// `product(shape) * elem.count()` numbers.
    pub data: Vec<Num>,
}

/// Bytes from the address of one buffer to that of the next; the first address is this, too.
const APART: i64 = 1 << 32;

/// Where the addresses of objects begin: beyond those of buffers.
const OBJECTS: u64 = 1 << 62;

impl Memory {
    /// The address of an array: that of its first component.
    pub fn address(&self, arg: &Arg) -> i64 {
        match arg {
            Arg::Array(buffer) => (*buffer as i64 + 1) * APART,
            _ => 0,
        }
    }
    /// The buffer and the position in its data of the number at an address, which must be of this type.
    pub(super) fn at(&self, address: i64, scalar: Scalar) -> Result<(usize, usize), Fault> {
        let found = usize::try_from(address / APART - 1).ok();
        let buffer = found.and_then(|n| Some((n, self.buffers.get(n)?)));
        let Some((number, buffer)) = buffer else {
            return Err(Fault(format!("no array is at address {address}")));
        };
        let (size, bytes) = (scalar.size() as i64, address % APART);
        let at = (bytes / size) as usize;
        if buffer.elem.scalar() != scalar || bytes % size != 0 || at >= buffer.data.len() {
            return Err(Fault(format!("no {scalar} is at address {address}")));
        }
        Ok((number, at))
    }
    /// The address of an object.
    pub(super) fn object(&self, kind: ObjectKind, id: u64) -> Result<u64, String> {
        let mut all = self.objects.iter();
        let found = all.position(|object| kind.admits(object.kind as u8) && object.id == id);
        let number = found.ok_or_else(|| format!("{id} is no id of a {}", kind.title()))?;
        Ok(OBJECTS + number as u64 * APART as u64)
    }
    /// The number of this type at an address of an object, or of an array that one names; None if the address is none of these.
    pub(super) fn outside(&self, address: u64, scalar: Scalar) -> Option<Num> {
        let bytes = match address.checked_sub(OBJECTS) {
            Some(at) => {
                let object = self.objects.get((at / APART as u64) as usize)?;
                let at = (at % APART as u64) as usize;
                object.bytes.get(at..at.checked_add(scalar.size())?)
            }
            None => self.named.iter().find_map(|(start, bytes)| {
                let at = usize::try_from(address.checked_sub(*start)?).ok()?;
                bytes.get(at..at.checked_add(scalar.size())?)
            }),
        }?;
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        Some(of_bits(u64::from_le_bytes(bits), scalar))
    }
    /// The result of a search of the object at an address.
    pub(super) fn search(&self, of: Search, address: u64, args: &[u32]) -> Result<i32, String> {
        let found = address.checked_sub(OBJECTS).and_then(|at| {
            let object = self.objects.get((at / APART as u64) as usize)?;
            Some((object.search?, object.id))
        });
        let (search, id) = found.ok_or_else(|| format!("nothing is searched at {address}"))?;
        Ok((search.0)(of, id, args))
    }
    /// Adds an array of floats and gives the argument that names it.
    pub fn floats(&mut self, elem: Elem, shape: &[i32], data: &[f64]) -> Arg {
        self.push(elem, shape, data.iter().map(|x| Num::Float(*x)).collect())
    }
    /// Adds an array of integers (or bools as 0 and 1) and gives the argument that names it.
    pub fn ints(&mut self, elem: Elem, shape: &[i32], data: &[i64]) -> Arg {
        self.push(elem, shape, data.iter().map(|x| Num::Int(*x)).collect())
    }
    /// Adds an array.
    pub fn push(&mut self, elem: Elem, shape: &[i32], data: Vec<Num>) -> Arg {
        let count = shape.iter().map(|d| *d as usize).product::<usize>() * elem.count();
        assert_eq!(count, data.len(), "as many numbers as the shape says");
        self.buffers.push(Buffer {
            elem,
            shape: shape.to_vec(),
            data,
        });
        Arg::Array(self.buffers.len() - 1)
    }
    /// Behind what is passed: the arrays that a thread has for itself, or those that a block shares, new ones.
    pub(super) fn own_arrays(
        &mut self,
        func: &Func,
        of_block: bool,
    ) -> Result<Vec<Option<Arg>>, Fault> {
        let behind = &func.params[func.arguments().len()..];
        let each = behind.iter().map(|param| {
            let (elem, ndim, shape) = match param.ty {
                ParamType::Local { elem, ndim, shape } if !of_block => (elem, ndim, shape),
                ParamType::Shared { elem, ndim, shape } if of_block => (elem, ndim, shape),
                ty if ty.is_passed() => {
                    return Err(Fault("an argument behind what is not passed".into()));
                }
                _ => return Ok(None),
            };
            let shape = shape[..ndim as usize].iter().map(|n| *n as i32);
            let shape: Vec<i32> = shape.collect();
            let count = shape.iter().map(|n| *n as usize).product::<usize>() * elem.count();
            let zero = match elem.scalar().is_float() {
                true => Num::Float(0.0),
                false => Num::Int(0),
            };
            Ok(Some(self.push(elem, &shape, vec![zero; count])))
        });
        each.collect()
    }
    /// The content of an array as floats.
    pub fn read(&self, arg: &Arg) -> Vec<f64> {
        match arg {
            Arg::Array(i) => self.buffers[*i].data.iter().map(|n| n.float()).collect(),
            _ => Vec::new(),
        }
    }
}

impl Buffer {
    /// Bytes from one element to the next along a dimension.
    pub(super) fn stride(&self, dim: usize) -> i64 {
        let inner = self.shape[dim + 1..].iter().map(|n| i64::from(*n));
        inner.product::<i64>() * self.elem.size() as i64
    }
    /// Where a component lies in `data`.
    pub(super) fn offset(&self, index: &[i64], comp: i64) -> Result<usize, Fault> {
        let mut at = 0;
        for (i, n) in index.iter().zip(&self.shape) {
            let n = i64::from(*n);
            let k = if *i < 0 { i + n } else { *i };
            if !(0..n).contains(&k) {
                return Err(Fault(format!("index {i} is out of range for size {n}")));
            }
            at = at * n + k;
        }
        let count = self.elem.count() as i64;
        if !(0..count).contains(&comp) {
            return Err(Fault(format!(
                "component {comp} is out of range for {}",
                self.elem
            )));
        }
        Ok((at * count + comp) as usize)
    }
}

pub(super) fn check_arg(param: &Param, arg: &Arg, memory: &Memory) -> Result<(), Fault> {
    let fits = match (param.ty, arg) {
        (ParamType::Elem(elem), Arg::Elem(nums)) => nums.len() == elem.count(),
        (ParamType::Array { .. }, Arg::Missing) => true,
        (ParamType::Array { elem, ndim }, Arg::Array(i)) => memory
            .buffers
            .get(*i)
            .is_some_and(|b| b.elem == elem && b.shape.len() == ndim as usize),
        _ => false,
    };
    if fits {
        Ok(())
    } else {
        Err(Fault(format!(
            "`{}` does not fit {:?}",
            param.name, param.ty
        )))
    }
}
