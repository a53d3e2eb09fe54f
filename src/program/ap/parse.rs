//! The text people paste: a pattern, and around it in any order what says where it lies and what its elements are.

use crate::isa::fields::{Access, Addr4, Dim, Location, Pattern};
use crate::isa::text::address::target;
use crate::isa::text::{Cursor, NoNames, Target, TextError};
use crate::isa::{Bundle, DType, Generation, Space};

/// Dimensions taken before the rest is refused.
const MOST_DIMS: usize = 32;
/// What may stand in the text.
const EXPECTED: &str = "`[[step,num],...]`, a descriptor's hex, `{name}@SB<partition,byte>(PxB)`, `sbuf[p, byte]`, a dtype, `offset N` or `lanes N`";

/// The walk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// As the compiler prints it, partitions first.
    Steps(Vec<Access>),
    /// As the wire has it.
    Descriptor(Pattern),
}

/// Where a tensor lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Home {
    /// Its first byte.
    pub location: Location,
    /// Its partitions.
    pub parts: Option<u64>,
    /// Its bytes in each of them.
    pub pitch: Option<u64>,
}

/// What a text says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Name of the tensor.
    pub name: Option<String>,
    /// Where it lies.
    pub home: Option<Home>,
    /// Data type of its elements.
    pub dtype: Option<DType>,
    /// First element.
    pub offset: i64,
    /// Partitions of a descriptor, which holds no number of them.
    pub lanes: Option<u64>,
    /// The walk.
    pub shape: Shape,
}

/// Words that may stand in the text, beside data types and digits.
const KEYWORDS: &[&str] = &[
    "sb",
    "sbuf",
    "ps",
    "psum",
    "offset",
    "off",
    "lanes",
    "channels",
    "partitions",
    "dtype",
    "ap",
    "pattern",
    "tensor",
    "access",
];

/// What was read so far.
#[derive(Default)]
struct Parts {
    name: Option<String>,
    home: Option<Home>,
    dtype: Option<DType>,
    offset: Option<i64>,
    lanes: Option<u64>,
    steps: Option<Vec<Access>>,
    hex: String,
    /// Where the hex digits stand.
    digits: (usize, usize),
    word: Option<Pattern>,
}

/// Reads a text.
///
/// # Errors
/// The first thing that is none of what may stand in it, and where.
pub fn parse(text: &str, g: Generation) -> Result<Given, TextError> {
    let mut c = Cursor::new(text);
    let mut parts = Parts::default();
    while c.pos() < prose(text) {
        c.bump();
    }
    loop {
        c.take(|c| c.is_whitespace() || matches!(c, ',' | ';' | ':'));
        if c.rest().is_empty() {
            break;
        }
        item(&mut c, &mut parts, g)?;
    }
    let shape = shape(&c, &mut parts)?;
    Ok(Given {
        name: parts.name,
        home: parts.home,
        dtype: parts.dtype,
        offset: parts.offset.unwrap_or(0),
        lanes: parts.lanes,
        shape,
    })
}

/// Bytes of the sentence in front of a pattern, `Invalid access of 1 partitions: [[1,1],[1,4]]`.
fn prose(text: &str) -> usize {
    let pattern = ["[[", "{", "@"].iter().filter_map(|p| text.find(p)).min();
    let head = pattern.and_then(|end| text.get(..end)).unwrap_or("");
    let Some(end) = head.rfind(':') else { return 0 };
    let head = head.get(..end).unwrap_or("");
    let mut words = head.split(|c: char| !c.is_alphanumeric() && c != '_');
    let plain = |w: &str| {
        w.len() > 1
            && w.bytes().all(|b| b.is_ascii_alphabetic())
            && !w.bytes().all(|b| b.is_ascii_hexdigit())
            && !KEYWORDS.contains(&w.to_ascii_lowercase().as_str())
            && dtype(w).is_none()
    };
    if words.any(plain) { end } else { 0 }
}

fn shape(c: &Cursor<'_>, parts: &mut Parts) -> Result<Shape, TextError> {
    let (from, to) = parts.digits;
    let hex = (!parts.hex.is_empty()).then(|| descriptor(&parts.hex, from..to));
    match (parts.steps.take(), hex, parts.word) {
        (Some(steps), None, None) => Ok(Shape::Steps(steps)),
        (None, Some(hex), None) => Ok(Shape::Descriptor(hex?)),
        (None, None, Some(pattern)) => Ok(Shape::Descriptor(pattern)),
        (None, None, None) => {
            Err(c.error("an access pattern, `[[step,num],...]`, or a descriptor's hex"))
        }
        _ => Err(TextError::new(from..to, "two patterns", "one")),
    }
}

fn descriptor(hex: &str, span: std::ops::Range<usize>) -> Result<Pattern, TextError> {
    let rank = match hex.len() {
        16 => 1,
        24 => 2,
        32 => 3,
        40 => 4,
        n => {
            let found = format!("{n} hex digits");
            return Err(TextError::new(
                span,
                found,
                "16, 24, 32 or 40: a TENSOR1D to TENSOR4D",
            ));
        }
    };
    let padded = format!("{hex:0<128}");
    let bundle =
        Bundle::from_hex(&padded).map_err(|e| TextError::new(span, e.to_string(), "hex digits"))?;
    Ok(Pattern::read(&bundle, 0, rank))
}

fn once<T>(
    c: &Cursor<'_>,
    from: usize,
    slot: &mut Option<T>,
    value: T,
    what: &str,
) -> Result<(), TextError> {
    if slot.is_some() {
        return Err(c.error_from(from, format!("one {what}")));
    }
    *slot = Some(value);
    Ok(())
}

/// One thing of the text.
fn item(c: &mut Cursor<'_>, parts: &mut Parts, g: Generation) -> Result<(), TextError> {
    let from = c.pos();
    match c.peek() {
        Some('[') => {
            let steps = steps(c)?;
            once(c, from, &mut parts.steps, steps, "pattern")
        }
        Some('{') => {
            c.bump();
            let name = c.take(|c| c != '}').to_owned();
            c.expect("}")?;
            once(c, from, &mut parts.name, name, "name")
        }
        Some('@') => {
            c.bump();
            memory(c, parts, from, g)
        }
        // Debug information the compiler hangs behind a tensor.
        Some('#' | '|') => {
            c.take(|c| !c.is_whitespace());
            Ok(())
        }
        Some('$' | '%') => {
            c.bump();
            let name = c
                .take(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
                .to_owned();
            once(c, from, &mut parts.name, name, "name")
        }
        Some('+' | '-') => {
            c.eat("+");
            let n = c.signed_in("an offset in elements", i64::MIN, i64::MAX)?;
            once(c, from, &mut parts.offset, n, "offset")
        }
        _ => word(c, parts, g),
    }
}

fn word(c: &mut Cursor<'_>, parts: &mut Parts, g: Generation) -> Result<(), TextError> {
    let from = c.pos();
    let rest = c.rest();
    if ["sbuf[", "psum["].iter().any(|p| rest.starts_with(p)) {
        let Target::Chip(location) = target(c, g, &NoNames, EXPECTED)? else {
            return Err(c.error_from(from, "a byte of SBUF or PSUM"));
        };
        let home = Home {
            location,
            parts: None,
            pitch: None,
        };
        return once(c, from, &mut parts.home, home, "place");
    }
    let word = c.take(|c| c.is_ascii_alphanumeric() || c == '_');
    if let Some(dtype) = dtype(word) {
        if c.peek() == Some('@') {
            listed(c, parts)?;
        } else if c.eat("<") {
            c.take(|c| c != '>');
            c.expect(">")?;
        }
        return once(c, from, &mut parts.dtype, dtype, "data type");
    }
    match word.to_ascii_lowercase().as_str() {
        "sb" | "sbuf" | "psum" | "ps" if c.peek() == Some('<') => location(c, word, from, parts, g),
        "offset" | "off" => {
            let n = number(c, "an offset in elements", i64::MIN, i64::MAX)?;
            once(c, from, &mut parts.offset, n, "offset")
        }
        "lanes" | "channels" | "partitions" | "num_active_channels" => {
            let n = number(c, "a number of partitions", 0, i64::MAX)?;
            once(c, from, &mut parts.lanes, n as u64, "number of partitions")
        }
        "dtype" | "ap" | "pattern" | "tensor" | "access" => {
            c.blanks();
            c.eat("=");
            Ok(())
        }
        _ if c.peek() == Some('@') => once(c, from, &mut parts.name, word.to_owned(), "name"),
        _ => hex(c, parts, from, word),
    }
}

/// A group of hex digits of a descriptor.
fn hex(c: &mut Cursor<'_>, parts: &mut Parts, from: usize, word: &str) -> Result<(), TextError> {
    let digits = word.strip_prefix("0x").unwrap_or(word).replace('_', "");
    let hex = !digits.is_empty() && digits.len().is_multiple_of(2);
    if !hex || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        if word.is_empty() {
            c.bump();
        }
        return Err(c.error_from(from, EXPECTED));
    }
    if parts.hex.is_empty() {
        parts.digits.0 = from;
    }
    parts.digits.1 = c.pos();
    parts.hex.push_str(&digits);
    Ok(())
}

fn dtype(word: &str) -> Option<DType> {
    if word.starts_with("0x") {
        return None;
    }
    DType::parse(word)
}

fn number(c: &mut Cursor<'_>, what: &str, low: i64, high: i64) -> Result<i64, TextError> {
    c.take(|c| matches!(c, ' ' | '=' | ':'));
    c.signed_in(what, low, high)
}

fn blanks(c: &mut Cursor<'_>) {
    c.take(char::is_whitespace);
}

/// `[[step,num],...]`, partitions first.
fn steps(c: &mut Cursor<'_>) -> Result<Vec<Access>, TextError> {
    c.expect("[")?;
    let mut dims = Vec::new();
    loop {
        blanks(c);
        let from = c.pos();
        c.expect("[")?;
        blanks(c);
        let step = c.signed_in("a step", i64::MIN, i64::MAX)?;
        blanks(c);
        c.expect(",")?;
        blanks(c);
        let num = c.signed_in("a count", i64::MIN, i64::MAX)?;
        blanks(c);
        c.expect("]")?;
        if dims.len() == MOST_DIMS {
            return Err(c.error_from(from, format!("at most {MOST_DIMS} dimensions")));
        }
        dims.push(Access { step, num });
        blanks(c);
        if c.eat("]") {
            return Ok(dims);
        }
        c.expect(",")?;
    }
}

/// What stands behind `@`.
fn memory(
    c: &mut Cursor<'_>,
    parts: &mut Parts,
    from: usize,
    g: Generation,
) -> Result<(), TextError> {
    let word = c.take(|c| c.is_ascii_alphanumeric());
    location(c, word, from, parts, g)
}

/// `SB<partition,byte>(PxB)`, the number of partitions and the bytes in each.
fn location(
    c: &mut Cursor<'_>,
    word: &str,
    from: usize,
    parts: &mut Parts,
    g: Generation,
) -> Result<(), TextError> {
    let space = match word.to_ascii_lowercase().as_str() {
        "sb" | "sbuf" => Space::Sbuf,
        "ps" | "psum" => Space::Psum,
        _ => return Err(c.error_from(from, "a memory, SB or PSUM")),
    };
    let stride = space.stride(g).unwrap_or(u32::MAX);
    c.expect("<")?;
    blanks(c);
    let part = c.number_in("a partition", 0, 127)? as u16;
    blanks(c);
    c.expect(",")?;
    blanks(c);
    let off = c.number_in("a byte of the partition", 0, u64::from(stride) - 1)? as u32;
    blanks(c);
    c.expect(">")?;
    let mut home = Home {
        location: Location { space, part, off },
        parts: None,
        pitch: None,
    };
    if c.eat("(") {
        blanks(c);
        home.parts = Some(rows(c)?);
        blanks(c);
        home.pitch = Some(c.number_in("bytes in each partition", 1, u64::from(stride))?);
        blanks(c);
        c.expect(")")?;
    }
    once(c, from, &mut parts.home, home, "memory location")
}

/// `P x`
fn rows(c: &mut Cursor<'_>) -> Result<u64, TextError> {
    let from = c.pos();
    let digits = c.take(|c| c.is_ascii_digit());
    let n = digits.parse().ok().filter(|n| (1..=128).contains(n));
    let n = n.ok_or_else(|| c.error_from(from, "a number of partitions, 1..128"))?;
    blanks(c);
    c.expect("x")?;
    Ok(n)
}

/// The listing's form, behind the dtype: `@00001000[1][64]`.
fn listed(c: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), TextError> {
    let from = c.pos();
    c.expect("@")?;
    let digits = c.take(|c| c.is_ascii_hexdigit());
    let word = u32::from_str_radix(digits, 16)
        .map_err(|_| c.error_from(from, "an address of 8 hex digits"))?;
    let steps = list(c, "a step", i64::from(i16::MIN), i64::from(i16::MAX))?;
    let counts = list(c, "a count", 0, i64::from(u16::MAX))?;
    if steps.len() != counts.len() {
        return Err(c.error_from(from, "as many counts as steps"));
    }
    let dims: Vec<Dim> = steps
        .iter()
        .zip(&counts)
        .map(|(step, num)| Dim {
            step: *step as i16,
            num: *num as u16,
        })
        .collect();
    parts.digits = (from, c.pos());
    once(
        c,
        from,
        &mut parts.word,
        Pattern::new(Addr4(word), &dims),
        "pattern",
    )
}

/// `[a,b,...]`, one to four numbers.
fn list(c: &mut Cursor<'_>, what: &str, low: i64, high: i64) -> Result<Vec<i64>, TextError> {
    c.expect("[")?;
    let mut all = Vec::new();
    loop {
        blanks(c);
        let from = c.pos();
        let n = c.signed_in(what, low, high)?;
        if all.len() == 4 {
            return Err(c.error_from(from, "at most 4 dimensions"));
        }
        all.push(n);
        blanks(c);
        if c.eat("]") {
            return Ok(all);
        }
        c.expect(",")?;
    }
}
