//! Frames of Blosc 1, in which NanoVDB packs grids: a header of 16 bytes, and blocks that are packed by LZ4, BloscLZ or zlib,
//! their bytes sorted by place in a number. Reading, not writing.
//!
//! Source: the documents of c-blosc ("Blosc Header Format") and of LZ4 ("LZ4 Block Format Description").

/// The header.
const HEADER: usize = 16;
/// A block is packed in as many parts as a number has bytes, if there are at most so many.
const MOST_PARTS: usize = 16;
/// A part has at least so many bytes.
const LEAST_PART: usize = 128;

/// What a header says.
struct Frame {
    shuffled: bool,
    stored: bool,
    in_parts: bool,
    codec: u8,
    /// Bytes of a number.
    width: usize,
    size: usize,
    block: usize,
}

impl Frame {
    fn read(data: &[u8]) -> Result<Frame, String> {
        let Some(header) = data.first_chunk::<HEADER>() else {
            return Err(format!("{} bytes are no frame of Blosc", data.len()));
        };
        let word = |at: usize| {
            let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
            u32::from_le_bytes(bytes) as usize
        };
        let (version, flags) = (header[0], header[2]);
        if version != 2 {
            return Err(format!("version {version} of Blosc's frames, expected 2"));
        }
        if flags & 4 != 0 {
            return Err("sorted by bits, which cannot be read".into());
        }
        let (width, size, block, packed) = (usize::from(header[3]), word(4), word(8), word(12));
        if packed > data.len() || (size > 0 && block == 0) {
            return Err("the frame's header names more bytes than there are".into());
        }
        Ok(Frame {
            shuffled: flags & 1 != 0 && width > 1,
            stored: flags & 2 != 0,
            in_parts: flags & 16 == 0,
            codec: flags >> 5,
            width: width.max(1),
            size,
            block,
        })
    }

    /// In how many parts a block of so many bytes is packed.
    fn parts(&self, block: usize) -> usize {
        let split = self.in_parts
            && self.width <= MOST_PARTS
            && self.block / self.width >= LEAST_PART
            && block == self.block;
        match split {
            true => self.width,
            false => 1,
        }
    }
}

/// The content of a frame, which may have at most `limit` bytes.
///
/// # Errors
/// It is no frame, it is damaged, or packed in a way that is not read.
pub fn unpack(data: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let frame = Frame::read(data)?;
    if frame.size > limit {
        return Err(format!(
            "the frame has {} bytes, {limit} were to come",
            frame.size
        ));
    }
    if frame.stored {
        let content = data.get(HEADER..HEADER + frame.size);
        return content.map(<[u8]>::to_vec).ok_or_else(ends);
    }
    let mut out = Vec::with_capacity(frame.size);
    let mut number = 0;
    while out.len() < frame.size {
        let size = frame.block.min(frame.size - out.len());
        let at = word(data, HEADER + 4 * number)? as usize;
        let block = unpack_block(&frame, data.get(at..).ok_or_else(ends)?, size)?;
        match frame.shuffled {
            true => unshuffle(&block, frame.width, &mut out),
            false => out.extend(block),
        }
        number += 1;
    }
    Ok(out)
}

fn unpack_block(frame: &Frame, data: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let (parts, mut at) = (frame.parts(size), 0);
    let mut out = Vec::with_capacity(size);
    for _ in 0..parts {
        let (wanted, packed) = (size / parts, word(data, at)? as usize);
        at += 4;
        let source = at.checked_add(packed).and_then(|end| data.get(at..end));
        let source = source.ok_or_else(ends)?;
        at += packed;
        let end = out.len() + wanted;
        if packed == wanted {
            out.extend_from_slice(source);
            continue;
        }
        match frame.codec {
            0 => blosclz(source, &mut out, end)?,
            1 => lz4(source, &mut out, end)?,
            codec => {
                let name = ["blosclz", "lz4", "snappy", "zlib", "zstd"].get(usize::from(codec));
                return Err(format!(
                    "packed by {}, which cannot be read; lz4 and blosclz can",
                    name.copied().unwrap_or("an unknown codec")
                ));
            }
        }
        if out.len() != end {
            return Err(format!(
                "a block has {} bytes, {size} were to come",
                out.len()
            ));
        }
    }
    Ok(out)
}

/// The bytes of numbers, of which all first bytes were first, then all second ones, and so on. A rest is as it was.
fn unshuffle(block: &[u8], width: usize, out: &mut Vec<u8>) {
    let numbers = block.len() / width;
    for number in 0..numbers {
        out.extend((0..width).map(|byte| block[byte * numbers + number]));
    }
    out.extend_from_slice(&block[numbers * width..]);
}

/// Bytes that are read one by one.
struct Source<'a>(std::slice::Iter<'a, u8>);

impl Source<'_> {
    fn next(&mut self) -> Result<usize, String> {
        self.0
            .next()
            .map(|byte| usize::from(*byte))
            .ok_or_else(ends)
    }

    /// A length that goes on for as long as bytes are 255.
    fn longer(&mut self, mut length: usize) -> Result<usize, String> {
        loop {
            let byte = self.next()?;
            length += byte;
            if byte != 255 {
                return Ok(length);
            }
        }
    }

    fn literals(&mut self, count: usize, out: &mut Vec<u8>, end: usize) -> Result<(), String> {
        let rest = self.0.as_slice();
        let literals = rest.get(..count).ok_or_else(ends)?;
        if out.len() + count > end {
            return Err("a block has more bytes than it says".into());
        }
        out.extend_from_slice(literals);
        self.0 = rest[count..].iter();
        Ok(())
    }
}

/// Bytes that stand so far back already; they may reach into themselves.
fn again(out: &mut Vec<u8>, back: usize, count: usize, end: usize) -> Result<(), String> {
    if back == 0 || back > out.len() || out.len() + count > end {
        return Err("a block repeats bytes that are not there".into());
    }
    for _ in 0..count {
        out.push(out[out.len() - back]);
    }
    Ok(())
}

/// Appends a block of LZ4, up to `end` bytes in all.
fn lz4(source: &[u8], out: &mut Vec<u8>, end: usize) -> Result<(), String> {
    let (mut source, start) = (Source(source.iter()), out.len());
    loop {
        let token = source.next()?;
        let mut count = token >> 4;
        if count == 15 {
            count = source.longer(count)?;
        }
        source.literals(count, out, end)?;
        if source.0.as_slice().is_empty() {
            return Ok(());
        }
        let back = source.next()? | source.next()? << 8;
        let mut count = token & 15;
        if count == 15 {
            count = source.longer(count)?;
        }
        if back > out.len() - start {
            return Err("a block repeats bytes that are not there".into());
        }
        again(out, back, count + 4, end)?;
    }
}

/// Appends a block of BloscLZ, up to `end` bytes in all.
fn blosclz(source: &[u8], out: &mut Vec<u8>, end: usize) -> Result<(), String> {
    /// From there on the distance stands in two more bytes.
    const FAR: usize = 8191;
    let (mut source, start) = (Source(source.iter()), out.len());
    let mut control = source.next()? & 31;
    loop {
        if control < 32 {
            source.literals(control + 1, out, end)?;
        } else {
            let mut count = (control >> 5) - 1;
            let high = (control & 31) << 8;
            if count == 6 {
                count = source.longer(count)?;
            }
            let low = source.next()?;
            let back = match (high, low) {
                (0x1f00, 255) => FAR + (source.next()? << 8 | source.next()?),
                _ => high + low,
            };
            if back >= out.len() - start {
                return Err("a block repeats bytes that are not there".into());
            }
            again(out, back + 1, count + 3, end)?;
        }
        if source.0.as_slice().is_empty() {
            return Ok(());
        }
        control = source.next()?;
    }
}

fn word(data: &[u8], at: usize) -> Result<u32, String> {
    let bytes = data.get(at..).and_then(|rest| rest.first_chunk::<4>());
    bytes
        .map(|bytes| u32::from_le_bytes(*bytes))
        .ok_or_else(ends)
}

fn ends() -> String {
    "the frame ends too early".into()
}
