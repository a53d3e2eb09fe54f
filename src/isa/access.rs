//! What an instruction reads and writes, told from its bytes alone.

use crate::isa::field::{Arm, DTypeOf, Field, FieldDesc, FieldKind, OperandDesc, Role};
use crate::isa::fields::{Indirect, Mem, Pattern};
use crate::isa::{DType, Instr};

/// How an operand finds its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A static walk.
    Static(Pattern),
    /// Through an index vector.
    Indirect(Indirect),
}

/// A tensor operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The slot.
    pub field: &'static FieldDesc,
    /// Source or destination.
    pub role: Role,
    /// Its dtype.
    pub dtype: DType,
    /// Partitions it covers: lane c is partition start + c.
    pub lanes: u16,
    /// The walk.
    pub shape: Shape,
}

/// The tensor operands of an instruction, in slot order. MX operands are not among them.
pub fn operands(instr: &Instr) -> impl Iterator<Item = Operand> + '_ {
    instr.format.fields.iter().filter_map(|f| operand(instr, f))
}

/// The dtype of an operand; a matmul result with code 0 is FP32 (isa 05 §5).
pub fn dtype_of(instr: &Instr, operand: &OperandDesc) -> DType {
    match operand.dtype {
        DTypeOf::Fixed(code) => DType(code),
        DTypeOf::Field(name) => {
            let f = instr.format.field(name);
            let raw = f.map_or(0, |f| f.raw(&instr.bundle)) as u8;
            match f.map(|f| f.kind) {
                Some(FieldKind::OutDType) if raw == 0 => DType::FP32,
                _ => DType(raw),
            }
        }
    }
}

/// The number of partitions an operand covers.
pub fn lanes_of(instr: &Instr, operand: &OperandDesc) -> u16 {
    operand.lanes.map_or(1, |name| lanes(instr, name))
}

/// The operand in a slot; `None` when the field is no access pattern.
pub fn operand(instr: &Instr, field: &'static FieldDesc) -> Option<Operand> {
    let (FieldKind::Pattern(rank, arm), Some(desc)) = (field.kind, field.operand) else {
        return None;
    };
    let dtype = dtype_of(instr, &desc);
    let lanes = lanes_of(instr, &desc);
    let pattern = Pattern::read(&instr.bundle, field.byte(), usize::from(rank));
    let shape = if arm == Arm::Mem && pattern.addr.indirect() {
        match Mem::<3>::get(&instr.bundle, field.at) {
            Mem::Indirect(i) => Shape::Indirect(i),
            Mem::Static(p) => Shape::Static(p),
        }
    } else {
        Shape::Static(pattern)
    };
    Some(Operand {
        field,
        role: desc.role,
        dtype,
        lanes,
        shape,
    })
}

/// Partitions that a field counts: itself, or groups of 16 with 0 for 8 groups when the field is
/// the 3-bit port count of EXTENDED_INST (isa 07c C7).
fn lanes(instr: &Instr, name: &str) -> u16 {
    let Some(field) = instr.format.field(name) else {
        return 1;
    };
    match (field.bits, field.raw(&instr.bundle) as u16) {
        (3, 0) => 128,
        (3, ports) => 16 * ports,
        (_, n) => n,
    }
}
