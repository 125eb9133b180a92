//! ELF objects, as far as debuggers are concerned: the functions of one, and objects without code that say where they lie.

/// A function of an object: its name, the section that it lies in, where it begins there, and how long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub section: u16,
    pub start: u64,
    pub size: u64,
}

/// The number of `N` bytes at a place.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(N)?)?;
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(part);
    Some(u64::from_le_bytes(wide))
}

const SYMBOLS: u64 = 2;
const FUNCTION: u64 = 2;
const SECTION_SIZE: usize = 64;
const SYMBOL_SIZE: usize = 24;

/// The functions of an ELF object of 64 bits.
pub fn functions(object: &[u8]) -> Option<Vec<Function>> {
    if !object.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let sections = number::<8>(object, 0x28)? as usize;
    let count = number::<2>(object, 0x3c)? as usize;
    let section = |n: usize| sections.checked_add(n.checked_mul(SECTION_SIZE)?);
    let mut found = Vec::new();
    for n in 0..count {
        let at = section(n)?;
        if number::<4>(object, at + 4)? != SYMBOLS {
            continue;
        }
        let (from, size) = (number::<8>(object, at + 24)?, number::<8>(object, at + 32)?);
        let names = section(number::<4>(object, at + 40)? as usize)?;
        let names = number::<8>(object, names + 24)? as usize;
        for k in 0..size as usize / SYMBOL_SIZE {
            let symbol = from as usize + k * SYMBOL_SIZE;
            if number::<1>(object, symbol + 4)? & 0xf != FUNCTION {
                continue;
            }
            let name = names + number::<4>(object, symbol)? as usize;
            let name = object.get(name..)?.split(|c| *c == 0).next()?;
            found.push(Function {
                name: String::from_utf8_lossy(name).into_owned(),
                section: number::<2>(object, symbol + 6)? as u16,
                start: number::<8>(object, symbol + 8)?,
                size: number::<8>(object, symbol + 16)?,
            });
        }
    }
    Some(found)
}

/// An ELF object without code whose functions lie from `base` on: what a debugger needs to name them.
pub fn image(base: u64, functions: &[Function]) -> Vec<u8> {
    const HEADER: usize = 64;
    const NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0";
    let machine: u16 = if cfg!(target_arch = "aarch64") {
        183
    } else {
        62
    };
    let mut strings = NAMES.to_vec();
    let mut symbols = vec![0; SYMBOL_SIZE];
    let end = functions.iter().map(|f| f.start + f.size).max();
    for f in functions {
        symbols.extend((strings.len() as u32).to_le_bytes());
        // Global functions of the first section.
        symbols.extend([0x12, 0, 1, 0]);
        symbols.extend(f.start.to_le_bytes());
        symbols.extend(f.size.to_le_bytes());
        strings.extend(f.name.bytes());
        strings.push(0);
    }
    let (at_symbols, at_strings) = (HEADER, HEADER + symbols.len());
    let sections = (at_strings + strings.len()).next_multiple_of(8);
    let mut out = b"\x7fELF\x02\x01\x01".to_vec();
    out.resize(16, 0);
    // A relocatable object, version 1, without an entry point or program headers.
    out.extend([1u16, machine].map(u16::to_le_bytes).concat());
    out.extend(1u32.to_le_bytes());
    out.extend([0, 0, sections as u64].map(u64::to_le_bytes).concat());
    out.extend(0u32.to_le_bytes());
    let sizes = [HEADER as u16, 0, 0, SECTION_SIZE as u16, 4, 3];
    out.extend(sizes.map(u16::to_le_bytes).concat());
    out.extend(&symbols);
    out.extend(&strings);
    out.resize(sections + SECTION_SIZE, 0);
    let mut section = |name: u32, kind: u32, fields: [u64; 4], links: [u32; 2], each: [u64; 2]| {
        out.extend([name, kind].map(u32::to_le_bytes).concat());
        out.extend(fields.map(u64::to_le_bytes).concat());
        out.extend(links.map(u32::to_le_bytes).concat());
        out.extend(each.map(u64::to_le_bytes).concat());
    };
    // Code (allocated, executable) that the object does not hold; symbols, whose names are in section 3; names.
    let text = [6, base, HEADER as u64, end.unwrap_or(0)];
    section(1, 8, text, [0, 0], [16, 0]);
    let table = [0, 0, at_symbols as u64, symbols.len() as u64];
    section(7, 2, table, [3, 1], [8, SYMBOL_SIZE as u64]);
    let names = [0, 0, at_strings as u64, strings.len() as u64];
    section(15, 3, names, [0, 0], [1, 0]);
    out
}

/// The parts of a section's header.
const TYPE: usize = 4;
const FLAGS: usize = 8;
const ADDRESS: usize = 16;
/// In memory while the code runs.
const ALLOCATED: u64 = 2;

/// A copy of an object whose section `own` lies at `base`, for a debugger, which reads lines and frames of it; None if the object says
/// nothing of lines. Functions whose names begin with `symbol` have none there: the information about lines has their names.
pub fn located(object: &[u8], own: u16, base: u64, symbol: &str) -> Option<Vec<u8>> {
    let sections = number::<8>(object, 0x28)? as usize;
    let count = number::<2>(object, 0x3c)? as usize;
    let header = |n: usize| sections.checked_add(n.checked_mul(SECTION_SIZE)?);
    let names = header(number::<2>(object, 0x3e)? as usize)?;
    let names = number::<8>(object, names + 24)?;
    let name = |at: u64, from: u64| {
        let text = object.get(from.checked_add(at)? as usize..)?;
        text.split(|c| *c == 0).next()
    };
    let mut out = object.to_vec();
    let mut put = |at: usize, bytes: &[u8]| {
        out.get_mut(at..at + bytes.len())?.copy_from_slice(bytes);
        Some(())
    };
    let mut has_lines = false;
    for n in 0..count {
        let at = header(n)?;
        has_lines |= name(number::<4>(object, at)?, names)? == b".debug_line";
        let kind = number::<4>(object, at + TYPE)?;
        if n == usize::from(own) {
            put(at + ADDRESS, &base.to_le_bytes())?;
        } else if number::<8>(object, at + FLAGS)? & ALLOCATED != 0 {
            // The debugger does not learn where it lies.
            put(at + TYPE, &0u32.to_le_bytes())?;
        } else if kind == SYMBOLS {
            let (from, size) = (number::<8>(object, at + 24)?, number::<8>(object, at + 32)?);
            let texts = number::<8>(object, header(number::<4>(object, at + 40)? as usize)? + 24)?;
            for k in 0..size as usize / SYMBOL_SIZE {
                let at = from as usize + k * SYMBOL_SIZE;
                let is_function = number::<1>(object, at + 4)? & 0xf == FUNCTION;
                if is_function
                    && name(number::<4>(object, at)?, texts)?.starts_with(symbol.as_bytes())
                {
                    put(at, &0u32.to_le_bytes())?;
                }
            }
        }
    }
    has_lines.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{Function, functions, image, located};

    #[test]
    fn an_image_has_the_functions_that_it_was_made_of() {
        let function = |name: &str, start, size| Function {
            name: name.into(),
            section: 1,
            start,
            size,
        };
        let made = [function("relax", 0, 64), function("relax.gang", 64, 300)];
        assert_eq!(functions(&image(0x7f00_0000, &made)), Some(made.to_vec()));
        assert_eq!(located(&image(0, &made), 1, 0x7f00_0000, "relax"), None);
        assert_eq!(functions(b"\xcf\xfa\xed\xfe"), None);
        let cut = &image(0, &made)[..200];
        assert_eq!(functions(cut), None);
    }
}
