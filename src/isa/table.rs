//! The opcode table: joins the family slices into one look-up by byte and by name.

use crate::isa::field::Format;
use crate::isa::legal::Rule;
use crate::isa::ops::alu_class;
use crate::isa::{Bundle, Engine, GenSet, Generation, Instr, ops};

/// How far the sheets describe something (isa README, status words).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Every byte accounted for; executable without guessing.
    Solid,
    /// In part, or by a decision of low confidence.
    Partial,
    /// Not published.
    Unknown,
}

impl Known {
    /// The word of the sheets.
    pub const fn word(self) -> &'static str {
        ["solid", "partial", "unknown"][self as usize]
    }
}

/// Which engines may issue an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engines {
    /// The listed ones; the first is the home engine.
    Of(&'static [Engine]),
    /// Control band: every sequencer.
    All,
    /// DMA: issued by every sequencer, executed by a queue.
    Dma,
    /// Pseudo: rewritten by the loader, executed here with host-level meaning.
    Host,
    /// None.
    Nobody,
}

impl Engines {
    /// May `e` issue it?
    pub fn allow(self, e: Engine) -> bool {
        match self {
            Engines::Of(list) => list.contains(&e),
            Engines::All | Engines::Dma | Engines::Host => true,
            Engines::Nobody => false,
        }
    }
}

/// Does the machine execute it?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exec {
    /// `sim::exec` has a function for it.
    Modelled,
    /// It does not, and why.
    Unmodelled(&'static str),
}

/// Layouts of an opcode by generation.
pub type Layouts = &'static [(GenSet, &'static Format)];

/// One opcode.
#[derive(Debug)]
pub struct OpRow {
    /// Byte 0.
    pub byte: u8,
    /// Name in the C headers.
    pub name: &'static str,
    /// Name in the vendor's listings, where it differs.
    pub text: Option<&'static str>,
    /// Generations whose opcode table has it.
    pub gens: GenSet,
    /// Present but not maintained (isa 04 §2 rule 6).
    pub dormant: bool,
    /// Who may issue it.
    pub engines: Engines,
    /// Struct name as the sheets give it, also where no layout is published.
    pub layout: &'static str,
    /// Layouts by generation; empty when none is published.
    pub formats: Layouts,
    /// Layout chosen by the bundle itself, where a sub-opcode does; `None` falls back to `formats`.
    pub variant: Option<fn(&Bundle) -> Option<&'static Format>>,
    /// Legality rules beyond those every bundle obeys.
    pub rules: &'static [Rule],
    /// Immediates are integers or bit-vectors, not floats.
    pub bitvec: bool,
    /// Execution.
    pub exec: Exec,
    /// How far the sheets describe the bytes.
    pub decode: Known,
    /// How far the sheets describe the meaning.
    pub semantics: Known,
    /// What it does, with the sheet.
    pub doc: &'static str,
}

impl OpRow {
    /// Template for rows: an opcode of all generations without published layout.
    pub const NEW: OpRow = OpRow {
        byte: 0,
        name: "",
        text: None,
        gens: GenSet::ALL,
        dormant: false,
        engines: Engines::Nobody,
        layout: "?",
        formats: &[],
        variant: None,
        rules: &[],
        bitvec: false,
        exec: Exec::Unmodelled("not built yet"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "",
    };

    /// The name that listings print.
    pub const fn listing_name(&self) -> &'static str {
        match self.text {
            Some(t) => t,
            None => self.name,
        }
    }

    /// Layout on a generation; the nearest published one where the generation has none, so that
    /// foreign bundles can still be read.
    pub fn format(&self, bundle: &Bundle, generation: Generation) -> &'static Format {
        if let Some(format) = self.variant.and_then(|choose| choose(bundle)) {
            return format;
        }
        let exact = self.formats.iter().find(|(gens, _)| gens.has(generation));
        exact
            .or(self.formats.first())
            .map_or(ops::UNKNOWN, |(_, f)| f)
    }

    /// Home engine: the first legal one that can take the bundle (decisions 1.1).
    pub fn home(&self, instr: &Instr) -> Engine {
        match self.engines {
            Engines::Of(list) if list.contains(&Engine::Pool) && alu_class::needs_pool(instr) => {
                Engine::Pool
            }
            Engines::Of(list) => list.first().copied().unwrap_or(Engine::Sp),
            _ => Engine::Sp,
        }
    }

    /// Is it a pseudo opcode (top three bits 0b110)?
    pub const fn is_pseudo(&self) -> bool {
        self.byte & 0xE0 == 0xC0
    }
}

/// All rows, ascending by byte within each family.
const FAMILIES: &[&[OpRow]] = &[
    ops::pe::OPS,
    ops::act::OPS,
    ops::dve::OPS,
    ops::stream::OPS,
    ops::pool::OPS,
    ops::ctrl::OPS,
    ops::dma::OPS,
    ops::pseudo::OPS,
];

/// Row of each opcode byte.
pub static OPS: [Option<&'static OpRow>; 256] = {
    let mut all: [Option<&'static OpRow>; 256] = [None; 256];
    let mut f = 0;
    while f < FAMILIES.len() {
        let rows = FAMILIES[f];
        let mut i = 0;
        while i < rows.len() {
            let row = &rows[i];
            assert!(
                all[row.byte as usize].is_none(),
                "opcode byte declared twice"
            );
            all[row.byte as usize] = Some(row);
            i += 1;
        }
        f += 1;
    }
    all
};

/// The row of an opcode byte.
pub fn by_byte(byte: u8) -> Option<&'static OpRow> {
    OPS.get(usize::from(byte)).copied().flatten()
}

/// The row of a header name or listing name, in any case.
pub fn by_name(name: &str) -> Option<&'static OpRow> {
    rows()
        .find(|r| r.name.eq_ignore_ascii_case(name) || r.listing_name().eq_ignore_ascii_case(name))
}

/// All rows, ascending by byte.
pub fn rows() -> impl Iterator<Item = &'static OpRow> {
    OPS.iter().copied().flatten()
}
