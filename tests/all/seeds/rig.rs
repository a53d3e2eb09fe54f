//! Bundles from hex, what is wrong with them, how they read, and a machine to run them on.

use tpbdbg::isa::field::FieldKind;
use tpbdbg::isa::legal::CheckSettings;
use tpbdbg::isa::{self, Bundle, Engine, Generation, Queue, Severity, Violation, decode};
use tpbdbg::program::explain::{Explanation, explain};
use tpbdbg::sim::{Fault, Machine, Policy, Rect, Settings, Space, Stepped, Stream};

/// isa 01 §6: fp32 + fp32, 128 lanes, 64 elements.
pub const ADD: &str = "411000000000000000000000aa0a0480000000000100010001004000010001000010000001000100010040000100010000200000010001000100400001000100";
/// COPY of isa's descriptor vectors.
pub const COPY: &str = "46100000050713080200000000010000010010000100010010000800010001000a0a800000000000000000000041000001001000010001001000080001000100";
/// isa 05 §9 PE-2.
pub const MATMUL: &str = "02100000000000000000000000000000002000000100010001000002010001000600000000008080000000030f0f000000000002010001000100000201000100";

/// A bundle that starts with these bytes, the rest zero.
pub fn hex(text: &str) -> Bundle {
    let text: String = text.split_whitespace().collect();
    Bundle::from_hex(&format!("{text:0<128}")).unwrap()
}

/// A bundle with bytes replaced.
pub fn with(mut b: Bundle, parts: &[(usize, &[u8])]) -> Bundle {
    for (at, bytes) in parts {
        b.put(*at, bytes);
    }
    b
}

/// What `check` says of a bundle of an engine's stream.
pub fn check(b: &Bundle, g: Generation, engine: Option<Engine>) -> Vec<Violation> {
    isa::check(&decode(b, g), engine)
}

/// Rules that are broken at the level of an error.
pub fn errors(b: &Bundle, g: Generation) -> Vec<&'static str> {
    let found = check(b, g, None).into_iter();
    let bad = found.filter(|v| v.severity == Severity::Error);
    bad.map(|v| v.rule).collect()
}

/// The listing line.
pub fn line(b: &Bundle, g: Generation) -> String {
    isa::text::line(&decode(b, g))
}

/// The bundle taken apart.
pub fn explained(b: &Bundle, g: Generation) -> Explanation {
    explain(b, g, None, &CheckSettings::default())
}

/// Meaning of a row of an explanation.
pub fn meaning(e: &Explanation, name: &str) -> String {
    let row = e.rows.iter().find(|r| r.name == name);
    row.unwrap_or_else(|| panic!("no {name}")).meaning.clone()
}

/// Name, first byte and number of dimensions of each slot; MX slots have 0 dimensions.
pub fn slots(opcode: u8, g: Generation) -> Vec<(&'static str, usize, u8)> {
    let format = decode(&Bundle::of_opcode(opcode), g).format;
    let slot = |f: &isa::FieldDesc| match f.kind {
        FieldKind::Pattern(rank, _) => Some((f.name, f.byte(), rank)),
        FieldKind::Mx => Some((f.name, f.byte(), 0)),
        _ => None,
    };
    format.fields.iter().filter_map(slot).collect()
}

/// A machine that executes one bundle at a time.
pub struct Rig(pub Machine, Vec<Bundle>);

impl Rig {
    pub fn new(g: Generation) -> Rig {
        Rig(
            Machine::new(g, Settings::default(), Policy::default()),
            Vec::new(),
        )
    }

    /// Executes a bundle on its home engine.
    pub fn run(&mut self, b: Bundle) -> Result<(), Fault> {
        self.1.push(b);
        self.0.load(Queue::Any, Stream::new(self.1.clone()));
        match self.0.step(None) {
            Stepped::Retired { .. } => Ok(()),
            Stepped::Fault(f) => {
                self.1.pop();
                Err(f)
            }
            other => panic!("{other:?}"),
        }
    }

    /// Writes floats into one partition.
    pub fn put(&mut self, space: Space, part: u16, off: u64, values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let rect = Rect::new(space, part, 1, off, bytes.len() as u32);
        self.0.edit(|w| w.store(&rect, &bytes)).unwrap();
    }

    pub fn set_reg(&mut self, reg: u8, value: u32) {
        self.0
            .edit(|w| w.set_reg(Queue::Any.index() as u8, reg, value));
    }

    /// Bytes of one partition.
    pub fn bytes(&self, space: Space, part: u16, off: u64, len: u32) -> Vec<u8> {
        let row = self.0.state().bytes(space, part, off, len);
        row.unwrap().to_vec()
    }

    /// Floats of one partition of SBUF.
    pub fn floats(&self, part: u16, off: u64, n: u32) -> Vec<f32> {
        let bytes = self.bytes(Space::Sbuf, part, off, 4 * n);
        let words = bytes.as_chunks().0.iter();
        words.map(|w| f32::from_le_bytes(*w)).collect()
    }
}

/// `0.0, 1.0, ..`
pub fn ramp(n: u32) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}
