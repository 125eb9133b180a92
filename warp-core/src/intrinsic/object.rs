//! Objects that kernels query: their address, what their memory holds, and searches.

use crate::dtype::Scalar;
use crate::intrinsic::row::{Machine, Row, Typed, ensure};
use crate::ir::object::READABLE;
use crate::ir::{Intrinsic, Num};

pub const OBJECT: Row = Row {
    check: |_, args, outs| {
        ensure(args == [Scalar::U64] && outs == [Scalar::U64], || {
            "`object` takes an id and gives an address, both uint64".into()
        })
    },
    cost: |_| 8,
    interpret: |op, machine, args| match op {
        Intrinsic::Object(kind) => {
            let address = machine.object(*kind, args[0].1.int() as u64)?;
            Ok(vec![Num::Int(address as i64)])
        }
        _ => Ok(Vec::new()),
    },
    ..Row::PLAIN
};

pub const READ: Row = Row {
    check: |op, args, outs| {
        let Intrinsic::Read(scalar) = op else {
            return Ok(());
        };
        let index = matches!(args, [Scalar::U64, Scalar::I32 | Scalar::I64]);
        ensure(
            index && outs == [*scalar] && READABLE.contains(scalar),
            || format!("`read` of {args:?}"),
        )
    },
    cost: |_| 4,
    interpret: read,
    ..Row::PLAIN
};

pub const SEARCH: Row = Row {
    check: |op, args, outs| {
        let Intrinsic::Search(search) = op else {
            return Ok(());
        };
        let fits = args.first() == Some(&Scalar::U64)
            && args[1..].iter().copied().eq(search.arguments())
            && outs == [Scalar::I32];
        ensure(fits, || format!("`search {}` of {args:?}", search.name()))
    },
    cost: |op| match op {
        Intrinsic::Search(search) => search.cost(),
        _ => 0,
    },
    interpret: |op, machine, args| {
        let Intrinsic::Search(search) = op else {
            return Ok(Vec::new());
        };
        let bits = args[1..].iter().map(|(scalar, num)| match scalar {
            Scalar::I32 => num.int() as u32,
            _ => (num.float() as f32).to_bits(),
        });
        let bits: Vec<u32> = bits.collect();
        let found = machine.search(*search, args[0].1.int() as u64, &bits)?;
        Ok(vec![Num::Int(found.into())])
    },
    ..Row::PLAIN
};

fn read(op: &Intrinsic, machine: &mut dyn Machine, args: &[Typed]) -> Result<Vec<Num>, String> {
    let Intrinsic::Read(scalar) = op else {
        return Ok(Vec::new());
    };
    let [address, index] = [args[0].1.int(), args[1].1.int()];
    let at = address.wrapping_add(index.wrapping_mul(scalar.size() as i64));
    Ok(vec![machine.read(at as u64, *scalar)?])
}
