//! Control band (isa 08).

use super::ExecFn;
use super::cx::Cx;
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(super) const EXEC: &[(u8, ExecFn)] = &[(0xA0, nothing), (0xA1, halt), (0xA4, nothing)];

/// Waits and updates are all there is (isa 08 §4, §5).
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn nothing(_: &mut Cx<'_, '_>) -> Result<(), Trap> {
    Ok(())
}

/// 0xA1: the engine stops (isa 08 §5).
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn halt(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    cx.exits = true;
    Ok(())
}
