//! Legality of the pseudo instructions (isa 08 §10, 09 §9).

use crate::isa::Severity;
use crate::isa::field::{Field, FieldKind};
use crate::isa::fields::{AluOp, DgeKind, PseudoAddr8, UpdateMode};
use crate::isa::legal::Check;
use crate::isa::ops::ctrl;
use crate::isa::ops::dma;
use crate::isa::ops::rules::one_of;

/// `name`: not empty, zero-terminated, zero after the terminator.
pub(super) fn names(c: &mut Check<'_>) {
    for f in c
        .format()
        .fields
        .iter()
        .filter(|f| f.kind == FieldKind::Name)
    {
        let bytes = f.bytes(&c.instr.bundle);
        let len = bytes.iter().position(|b| *b == 0);
        let tail = len.and_then(|n| bytes.get(n..)).unwrap_or_default();
        let most = bytes.len() - 1;
        let problem = match len {
            Some(0) => Some(format!("is empty; allowed: 1..{most} characters")),
            None => Some(format!("has no terminator; allowed: 1..{most} characters")),
            Some(_) if tail.iter().any(|b| *b != 0) => {
                Some("has bytes after its terminator; allowed: 0".to_owned())
            }
            Some(_) => None,
        };
        if let Some(problem) = problem {
            c.error("name", f.name, format!("{} {problem}", f.name));
        }
    }
}

/// PSEUDO_TRIGGER_COLLECTIVE (isa 09 §9.5).
pub(super) fn collective(c: &mut Check<'_>) {
    let update = c.instr.events().update;
    if update != UpdateMode(0x13) {
        let found = update
            .name()
            .map_or_else(|| format!("{:#04x}", update.0), str::to_owned);
        let message = format!("the update is {found}; allowed: SEM_INC_COMPLETE");
        c.at_byte(Severity::Error, "collective-update", 6, message);
    }
    let ops = [AluOp::ADD, AluOp::MULT, AluOp::MAX, AluOp::MIN].map(|o| o.0);
    one_of(c, "collective-op", "op", &ops);
}

/// PSEUDO_TENSOR_LOAD.
pub(super) fn load(c: &mut Check<'_>) {
    ctrl::mem_2d(c);
    ctrl::load_source(c);
}

/// PSEUDO_CORE_BARRIER: `semaphore`: one of the bank.
pub(super) fn core_barrier(c: &mut Check<'_>) {
    let n = c.value("semaphore");
    if n > 255 {
        c.error(
            "semaphore",
            "semaphore",
            format!("semaphore is {n}; allowed: 0..255"),
        );
    }
}

/// PSEUDO_DMA_DIRECT2D (isa 09 §9.3).
pub(super) fn direct2d(c: &mut Check<'_>) {
    dma::priority(c);
    dma::bounds(c, &["src_bound", "dst_bound"]);
    let in_register = ["src_start_addr", "dst_start_addr"].map(|field| marker(c, field));
    if DgeKind(c.value("dge_op") as u8) == DgeKind::DIRECT2D {
        dma::pseudo_sides(c, in_register);
    }
}

/// `addr8`: a variable or an address table entry. Says whether the shape is in a register.
fn marker(c: &mut Check<'_>, field: &str) -> bool {
    let Some(f) = c.format().field(field) else {
        return false;
    };
    let m = PseudoAddr8::get(&c.instr.bundle, f.at).marker();
    if !matches!(m & 0xBF, 0x10 | 0x20 | 0x24 | 0x28 | 0x2C) {
        let message = format!(
            "{field} has marker {m:#04x}; allowed: 0x10, 0x20, 0x24, 0x28, 0x2c, each also with 0x40"
        );
        c.error("addr8", field, message);
    }
    m & 0x40 != 0
}

/// PSEUDO_DMA_MEMCPY_FULL_IND (isa 09 §9.4).
pub(super) fn full_indirect(c: &mut Check<'_>) {
    one_of(c, "direction", "direction", &[0, 1]);
}
