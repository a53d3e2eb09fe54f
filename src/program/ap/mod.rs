//! An access pattern as the compiler prints it, made readable: where it starts, the descriptor it becomes, the bytes it
//! touches, the rules it breaks (isa 03 §3, 02 §4, §5).
//!
//! ```text
//! {x}@SB<32,1024>(64x2048) bf16 [[1,64],[2,512]] offset 0
//! 00040002 00000100 00000002 00000100 fp32
//! ```

mod parse;
mod picture;
#[cfg(test)]
mod tests;

pub use parse::{Given, Home, Shape, parse};

use crate::isa::field::Arm;
use crate::isa::fields::{
    Access, Addr4, AddrForm, Dim, Location, PackError, Pattern, element_address, pack,
};
use crate::isa::legal::address::{self, Placement};
use crate::isa::legal::slot::Slot;
use crate::isa::{Bundle, DType, Generation, Space};

/// A rule that the pattern breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Id of the rule, as `check` names it.
    pub rule: &'static str,
    /// What was found and what is allowed.
    pub message: String,
}

/// What a pattern is.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Name of the tensor, when the text has one.
    pub name: Option<String>,
    /// Data type of the elements.
    pub dtype: DType,
    /// No data type was given: the elements are taken for bytes.
    pub assumed: bool,
    /// Partitions that take part.
    pub lanes: u64,
    /// First byte, when it is known and on the chip.
    pub start: Option<Location>,
    /// The descriptor with the fewest dimensions that hold the walk.
    pub pattern: Option<Pattern>,
    /// Bytes of each partition that lie between the first and the last byte of the walk.
    pub bytes: Option<(i64, i64)>,
    /// Which of them are touched, as text.
    pub picture: Vec<String>,
    /// Broken rules.
    pub broken: Vec<Broken>,
}

impl Answer {
    /// The descriptor as TENSOR1D to TENSOR4D, where it fits.
    pub fn descriptors(&self) -> Vec<(usize, Pattern)> {
        let Some(p) = self.pattern else {
            return Vec::new();
        };
        (p.dims().len()..=4)
            .map(|rank| {
                let mut dims = p.dims().to_vec();
                dims.resize(rank, Dim::UNIT);
                (rank, Pattern::new(p.addr, &dims))
            })
            .collect()
    }

    /// Elements in each partition.
    pub fn elements(&self) -> Option<u64> {
        self.pattern.map(|p| p.count())
    }
}

/// Looks at what was given.
pub fn analyse(given: &Given, g: Generation) -> Answer {
    let dtype = given.dtype.unwrap_or(DType::U8);
    let mut answer = Answer {
        name: given.name.clone(),
        dtype,
        assumed: given.dtype.is_none(),
        lanes: given.lanes.unwrap_or(1),
        start: None,
        pattern: None,
        bytes: None,
        picture: Vec::new(),
        broken: Vec::new(),
    };
    match &given.shape {
        Shape::Descriptor(p) => answer.pattern = Some(*p),
        Shape::Steps(dims) => answer.pack(given, dims, g),
    }
    if let Some(p) = answer.pattern {
        answer.start = p.addr.location(g).filter(|_| !p.addr.indirect());
        answer.legal(given, &p, g);
        answer.walk(&p);
    }
    answer
}

impl Answer {
    fn breaks(&mut self, rule: &'static str, message: impl Into<String>) {
        let new = Broken {
            rule,
            message: message.into(),
        };
        if !self.broken.contains(&new) {
            self.broken.push(new);
        }
    }

    /// From the compiler's form to a descriptor.
    fn pack(&mut self, given: &Given, dims: &[Access], g: Generation) {
        let size = i64::from(self.dtype.bytes().max(1));
        let home = given.home.unwrap_or(Home::ORIGIN);
        let pitch = home
            .pitch
            .map(|b| i64::try_from(b).unwrap_or(i64::MAX) / size);
        if let Some(p) = dims.first() {
            self.lanes = u64::try_from(p.num).unwrap_or(0);
            self.partition_step(*p, pitch, home.location.space, size, g);
        }
        let mut location = home.location;
        let mut offset = given.offset;
        // With a known shape an offset of whole rows moves the partition, the rest stays inside.
        if let Some(pitch) = pitch.filter(|p| *p > 0) {
            let part = i64::from(location.part).saturating_add(offset.div_euclid(pitch));
            offset = offset.rem_euclid(pitch);
            match u16::try_from(part) {
                Ok(part) if part < 128 => location.part = part,
                _ => self.breaks("start-partition", PackError::Partition(part).to_string()),
            }
        }
        let addr = match element_address(location, offset, size as u32, g) {
            Ok(addr) => addr,
            Err(e) => {
                self.breaks(rule_of(&e), e.to_string());
                return;
            }
        };
        let free = dims.iter().skip(1).filter(|d| d.num != 1).count();
        self.start = addr.location(g);
        match pack(addr, dims, free.clamp(1, 4)) {
            Ok(p) => {
                self.pattern = Some(p);
                self.object(&p, location, offset, home, size);
            }
            Err(PackError::NegativePartitionStep) => {
                self.breaks(
                    "partition-step",
                    PackError::NegativePartitionStep.to_string(),
                );
            }
            Err(_) => {
                self.misfits(dims, free);
                // What is wrong with the start is wrong all the same.
                self.legal(given, &Pattern::new(addr, &[Dim::UNIT]), g);
            }
        }
    }

    /// Every step and count that does not fit the wire, not only the first.
    fn misfits(&mut self, dims: &[Access], free: usize) {
        for d in dims.iter().skip(1) {
            if !(1..=i64::from(u16::MAX)).contains(&d.num) {
                self.breaks("count", PackError::Count(d.num).to_string());
            }
            if i16::try_from(d.step).is_err() {
                self.breaks("step", PackError::Step(d.step).to_string());
            }
        }
        if free > 4 {
            let e = PackError::Dimensions {
                found: free,
                rank: 4,
            };
            self.breaks("dimensions", e.to_string());
        }
    }

    /// A descriptor walks neighbouring partitions only. The compiler writes one partition as 1, as the elements of a row, or
    /// as the elements between two partitions of the memory.
    fn partition_step(
        &mut self,
        p: Access,
        pitch: Option<i64>,
        space: Space,
        size: i64,
        g: Generation,
    ) {
        let stride = space.stride(g).map(|s| i64::from(s) / size);
        let neighbours = p.step == 1 || Some(p.step) == pitch || Some(p.step) == stride;
        if p.num > 1 && p.step >= 0 && !neighbours {
            let rows = pitch.map_or(String::new(), |n| format!(", {n} for a row"));
            let message = format!(
                "step {} of the partitions, a descriptor takes neighbours only: 1{rows}",
                p.step
            );
            self.breaks("partition-step", message);
        }
    }

    /// Inside the tensor that the text names?
    fn object(&mut self, p: &Pattern, start: Location, offset: i64, home: Home, size: i64) {
        let (Some(parts), Some(pitch)) = (home.parts, home.pitch) else {
            return;
        };
        let end = u64::from(start.part) + self.lanes;
        let last = u64::from(home.location.part) + parts;
        if end > last {
            let message = format!(
                "partitions {}..{end}, the tensor has {}..{last}",
                start.part, home.location.part
            );
            self.breaks("tensor", message);
        }
        let (lo, hi) = p.extent();
        let (first, end) = ((offset + lo) * size, (offset + hi + 1) * size);
        if first < 0 || end as u64 > pitch {
            let message = format!("bytes {first}..{end} of a row, the tensor has 0..{pitch}");
            self.breaks("tensor", message);
        }
    }

    /// The rules of `check`, for an operand that is read, then for one that is written.
    fn legal(&mut self, given: &Given, p: &Pattern, g: Generation) {
        let mut bundle = Bundle::default();
        p.write(&mut bundle, 16);
        let compiled = matches!(given.shape, Shape::Steps(_));
        let lanes = (compiled || given.lanes.is_some()).then_some(self.lanes);
        for (place, when) in [(Placement::READ, ""), (Placement::WRITE, "when written: ")] {
            let slot = Slot {
                at: 16,
                rank: p.dims().len(),
                arm: Arm::Mem,
                dtype: self.dtype,
                place,
                matmul: false,
                // Without a number of lanes the walk is still inside one partition or not.
                lanes: Some(lanes.unwrap_or(1)),
            };
            for problem in slot.problems(&bundle, g) {
                let start = matches!(problem.rule, "start-partition" | "channels");
                if start && lanes.is_none() {
                    continue;
                }
                if !self.broken.iter().any(|b| b.rule == problem.rule) {
                    self.breaks(problem.rule, format!("{when}{}", problem.message));
                }
            }
        }
        // `check` looks at the lanes of a legal address only.
        let start = p.addr.location(g).filter(|_| !p.addr.indirect());
        if let (Some(start), Some(n)) = (start, lanes)
            && let Err(e) = address::lanes(start, n, g)
            && !self.broken.iter().any(|b| b.rule == e.rule())
        {
            self.breaks(e.rule(), e.to_string());
        }
    }

    fn walk(&mut self, p: &Pattern) {
        let Some(start) = self.start else { return };
        if p.addr.shape_register() || p.count() == 0 {
            return;
        }
        let size = i64::from(self.dtype.bytes().max(1));
        let (lo, hi) = p.extent();
        let at = i64::from(start.off);
        let bytes = (at + lo * size, at + (hi + 1) * size);
        self.bytes = Some(bytes);
        self.picture = picture::picture(p, start, self.lanes, size, bytes);
    }
}

const fn rule_of(e: &PackError) -> &'static str {
    match e {
        PackError::Partition(_) => "start-partition",
        _ => "address",
    }
}

impl Home {
    /// Partition 0, byte 0 of SBUF, of unknown shape.
    pub const ORIGIN: Home = Home {
        location: Location {
            space: Space::Sbuf,
            part: 0,
            off: 0,
        },
        parts: None,
        pitch: None,
    };
}

/// What an address word says about where the walk starts.
pub fn start_text(word: Addr4, g: Generation) -> String {
    match word.form() {
        AddrForm::Register(n) => format!("address in register {n}"),
        AddrForm::IndexRegister(n) => format!("indices at the address in register {n}"),
        _ => match word.location(g) {
            Some(l) if word.indirect() => format!("indices at {l}"),
            Some(l) => l.to_string(),
            None => format!("{:#010x}, outside SBUF and PSUM", word.0),
        },
    }
}
