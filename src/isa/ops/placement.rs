//! Legality of where an operand lies, for slots of every kind (isa 02 §4, §5).

use crate::isa::Space;
use crate::isa::field::{Field, FieldKind};
use crate::isa::fields::{Addr4, Location, Mx, MxForm};
use crate::isa::generation::QUADRANT;
use crate::isa::legal::Check;
use crate::isa::ops::rules;

/// Data and scale words, and logical elements per partition, of an MX slot.
pub fn mx(c: &Check<'_>, field: &str) -> Option<(Addr4, Addr4, u16)> {
    let desc = c.format().field(field)?;
    if desc.kind != FieldKind::Mx {
        return None;
    }
    Some(match Mx::get(&c.instr.bundle, desc.at).form() {
        MxForm::Static(t) => (t.data, t.scale, t.num),
        MxForm::Indirect(i) => (i.data, i.scale, i.num),
    })
}

/// Where the data of a slot starts; `None` when a register says so.
pub fn location(c: &Check<'_>, field: &str) -> Option<Location> {
    match mx(c, field) {
        Some((data, ..)) => data.location(c.generation()),
        None => rules::location(c, field),
    }
}

/// `placement`: the opcode takes this operand in one memory only (isa 02 §4).
pub fn only(c: &mut Check<'_>, field: &str, allowed: Space) {
    if let Some(l) = location(c, field).filter(|l| l.space != allowed) {
        let message = format!(
            "{field} is in {}; allowed: {}",
            l.space.name(),
            allowed.name()
        );
        c.error("placement", field, message);
    }
}

/// `same-quadrant`: two SBUF operands start in one quadrant of 32 partitions.
pub fn same_quadrant(c: &mut Check<'_>, field: &str, a: Option<Location>, b: Option<Location>) {
    let (Some(a), Some(b)) = (a, b) else { return };
    if a.space == Space::Sbuf && b.space == Space::Sbuf && a.part / QUADRANT != b.part / QUADRANT {
        let message = format!(
            "{field} starts at partition {}; allowed: the quadrant of partition {}",
            b.part, a.part
        );
        c.error("same-quadrant", field, message);
    }
}

/// `same-quadrant`: the data of an MX slot and its scales (isa 05 §5, 03 §6).
pub fn mx_quadrant(c: &mut Check<'_>, field: &str) {
    if let Some((data, scale, _)) = mx(c, field) {
        let g = c.generation();
        same_quadrant(c, field, data.location(g), scale.location(g));
    }
}
