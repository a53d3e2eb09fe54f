//! The value types of bundle fields: each knows its width, its bits and its text.

mod addr;
mod dtype;
mod enums;
mod events;
mod lists;
mod pack;
mod pattern;

pub use addr::{Addr4, Addr8, AddrForm, DevicePlace, Location, PseudoAddr8, Space};
pub use dtype::{DType, DType4, OptDType, OutDType};
pub use enums::*;
pub use events::{Events, EventsExt, UpdateMode, WaitMode};
pub use lists::{Bits, Hex32, Hex64, Imm32, List, Name, Raw, Reg, Reg6, Regs, Sem, Sems};
pub use pack::{
    Access, PackError, address_word, element_address, ordinal_bytes, ordinal_dtype, pack,
    scale_address,
};
pub use pattern::{
    Data4, Dim, Indirect, Mem, Mx, MxForm, MxIndirect, MxTensor, Pattern, Run, Tensor,
};
