//! Which function set is resident (isa 06 §4.3). It changes no result, only findings.

use super::functions::SETS;
use super::stage::UNKNOWN_SET;
use crate::isa::Severity;
use crate::isa::ops::act::CtrlNoTable;
use crate::sim::Region;
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;

/// 0x23: by index in the trainium catalogue.
pub(super) fn load(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let set = CtrlNoTable(&cx.instr.bundle).act_tbl_sel();
    if usize::from(set) >= SETS.len() {
        let m = format!("function set {set}; there are 0..{}", SETS.len() - 1);
        return Err(Trap::at("act-set", "act_tbl_sel", m));
    }
    cx.writer.set_hidden(Region::ACT_SET, &[u32::from(set)]);
    Ok(())
}

/// 0xC6: by name. Other catalogues exist, so an unknown name is no fault; nothing is then known of
/// residency.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
pub(super) fn load_by_name(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let name: [u8; 32] = cx.instr.bundle.array(12);
    let name = name.split(|b| *b == 0).next().unwrap_or(&[]);
    let set = SETS.iter().position(|s| s.name.as_bytes() == name);
    if set.is_none() {
        let m = format!(
            "function set {:?} is not in the trainium catalogue; residency is not checked until the next load",
            String::from_utf8_lossy(name)
        );
        cx.finding(Severity::Info, "act-table", m);
    }
    let word = set
        .and_then(|s| u32::try_from(s).ok())
        .unwrap_or(UNKNOWN_SET);
    cx.writer.set_hidden(Region::ACT_SET, &[word]);
    Ok(())
}
