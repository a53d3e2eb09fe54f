//! The EVENTS band that every bundle carries, and EVENTS_EXTENDED of 0xA0 (isa 01 §3).

use crate::isa::Bundle;
use crate::isa::field::{EnumDesc, Field, FieldKind};

/// A wait mode code (isa 01 §3.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WaitMode(pub u8);

/// An update mode code (isa 01 §3.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UpdateMode(pub u8);

impl WaitMode {
    /// No wait.
    pub const NONE: WaitMode = WaitMode(0);
    /// Names and codes; 0x91..0x95 and 0xFE are v5 only.
    pub const DESC: EnumDesc = EnumDesc {
        name: "WAIT_MODE",
        values: &[
            (0x00, "NONE"),
            (0x01, "SEM_EQ_IMM"),
            (0x02, "SEM_LT_IMM"),
            (0x03, "SEM_LE_IMM"),
            (0x04, "SEM_GT_IMM"),
            (0x05, "SEM_GE_IMM"),
            (0x06, "EVT_SET"),
            (0x07, "EVT_SET_THEN_CLEAR"),
            (0x0E, "EVT_CLEAR"),
            (0x0F, "EVT_CLEAR_THEN_SET"),
            (0x81, "SEM_EQ_REG"),
            (0x82, "SEM_LT_REG"),
            (0x83, "SEM_LE_REG"),
            (0x84, "SEM_GT_REG"),
            (0x85, "SEM_GE_REG"),
            (0x91, "SEM_EQ_REG_OFFSET"),
            (0x92, "SEM_LT_REG_OFFSET"),
            (0x93, "SEM_LE_REG_OFFSET"),
            (0x94, "SEM_GT_REG_OFFSET"),
            (0x95, "SEM_GE_REG_OFFSET"),
            (0xFE, "UNORDERED"),
        ],
        open: false,
    };

    /// Comparator of a semaphore wait: 1 EQ, 2 LT, 3 LE, 4 GT, 5 GE.
    pub const fn comparator(self) -> Option<u8> {
        match self.0 {
            0x01..=0x05 | 0x81..=0x85 | 0x91..=0x95 => Some(self.0 & 0x0F),
            _ => None,
        }
    }

    /// Is the threshold a register number?
    pub const fn from_register(self) -> bool {
        matches!(self.0, 0x81..=0x85 | 0x91..=0x95)
    }

    /// Does the wait use the value field?
    pub const fn uses_value(self) -> bool {
        self.comparator().is_some()
    }

    /// Does it look at an event?
    pub const fn on_event(self) -> bool {
        matches!(self.0, 0x06 | 0x07 | 0x0E | 0x0F)
    }

    /// Sheet name.
    pub fn name(self) -> Option<&'static str> {
        Self::DESC.name_of(self.0)
    }

    /// Does `value` satisfy the comparator against `threshold`? Unsigned (decisions 1.1).
    pub const fn holds(self, value: u32, threshold: u32) -> bool {
        match self.comparator() {
            Some(1) => value == threshold,
            Some(2) => value < threshold,
            Some(3) => value <= threshold,
            Some(4) => value > threshold,
            Some(5) => value >= threshold,
            _ => true,
        }
    }
}

impl UpdateMode {
    /// No update.
    pub const NONE: UpdateMode = UpdateMode(0);
    /// Names and codes.
    pub const DESC: EnumDesc = EnumDesc {
        name: "UPDATE_MODE",
        values: &[
            (0x00, "NONE"),
            (0x01, "EVT_SET_READ"),
            (0x02, "EVT_CLR_READ"),
            (0x03, "SEM_INC_READ"),
            (0x04, "SEM_DEC_READ"),
            (0x05, "SEM_ADD_IMM_READ"),
            (0x07, "SEM_SUB_IMM_READ"),
            (0x09, "SEM_WR_IMM_READ"),
            (0x11, "EVT_SET_COMPLETE"),
            (0x12, "EVT_CLR_COMPLETE"),
            (0x13, "SEM_INC_COMPLETE"),
            (0x14, "SEM_DEC_COMPLETE"),
            (0x15, "SEM_ADD_IMM_COMPLETE"),
            (0x17, "SEM_SUB_IMM_COMPLETE"),
            (0x19, "SEM_WR_IMM_COMPLETE"),
            (0x85, "SEM_ADD_REG_READ"),
            (0x87, "SEM_SUB_REG_READ"),
            (0x89, "SEM_WR_REG_READ"),
            (0x95, "SEM_ADD_REG_COMPLETE"),
            (0x97, "SEM_SUB_REG_COMPLETE"),
            (0x99, "SEM_WR_REG_COMPLETE"),
        ],
        open: false,
    };

    /// The action without the READ/COMPLETE and register bits: 1 set, 2 clear, 3 inc, 4 dec,
    /// 5 add, 7 sub, 9 write; `None` when there is no update or the code is undefined.
    pub fn action(self) -> Option<u8> {
        (self.0 != 0 && self.name().is_some()).then_some(self.0 & 0x0F)
    }

    /// Is the operand a register number?
    pub const fn from_register(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Fires when the instruction has finished (else when its reads are done).
    pub const fn on_complete(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// Does the update use the value field? INC and DEC do not.
    pub fn uses_value(self) -> bool {
        matches!(self.action(), Some(5 | 7 | 9))
    }

    /// Does it act on an event?
    pub fn on_event(self) -> bool {
        matches!(self.action(), Some(1 | 2))
    }

    /// Sheet name.
    pub fn name(self) -> Option<&'static str> {
        Self::DESC.name_of(self.0)
    }
}

impl Field for UpdateMode {
    const BITS: u16 = 8;
    const KIND: FieldKind = FieldKind::Enum(&Self::DESC);
    fn get(bundle: &Bundle, at: u16) -> Self {
        UpdateMode(bundle.bits(at, 8) as u8)
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 8, u64::from(self.0));
    }
}

/// Bytes 4..12 of every bundle: one wait, one update, one shared operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Events {
    /// Condition to start.
    pub wait: WaitMode,
    /// Semaphore or event the wait looks at.
    pub wait_idx: u8,
    /// Effect at the end.
    pub update: UpdateMode,
    /// Semaphore or event the update acts on.
    pub update_idx: u8,
    /// Operand of both: immediate, or register number for the `_REG` modes.
    pub value: u32,
}

impl Events {
    /// No wait, no update.
    pub const NONE: Events = Events {
        wait: WaitMode::NONE,
        wait_idx: 0,
        update: UpdateMode::NONE,
        update_idx: 0,
        value: 0,
    };

    /// The band of a bundle.
    pub fn of(bundle: &Bundle) -> Events {
        Events {
            wait: WaitMode(bundle.u8(4)),
            wait_idx: bundle.u8(5),
            update: UpdateMode(bundle.u8(6)),
            update_idx: bundle.u8(7),
            value: bundle.u32(8),
        }
    }

    /// Writes the band.
    pub fn put(self, bundle: &mut Bundle) {
        bundle.put(
            4,
            &[self.wait.0, self.wait_idx, self.update.0, self.update_idx],
        );
        bundle.put(8, &self.value.to_le_bytes());
    }
}

/// The second wait and update of EVENT_SEMAPHORE, each with its own operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventsExt {
    /// Second condition to start.
    pub wait: WaitMode,
    /// Semaphore or event the wait looks at.
    pub wait_idx: u8,
    /// Effect at the end.
    pub update: UpdateMode,
    /// Semaphore or event the update acts on.
    pub update_idx: u8,
    /// Operand of the wait.
    pub wait_value: u32,
    /// Operand of the update.
    pub update_value: u32,
}

impl Field for EventsExt {
    const BITS: u16 = 96;
    const KIND: FieldKind = FieldKind::EventsExt;
    fn get(bundle: &Bundle, at: u16) -> Self {
        let b = usize::from(at / 8);
        EventsExt {
            wait: WaitMode(bundle.u8(b)),
            wait_idx: bundle.u8(b + 1),
            update: UpdateMode(bundle.u8(b + 2)),
            update_idx: bundle.u8(b + 3),
            wait_value: bundle.u32(b + 4),
            update_value: bundle.u32(b + 8),
        }
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        let b = usize::from(at / 8);
        bundle.put(
            b,
            &[self.wait.0, self.wait_idx, self.update.0, self.update_idx],
        );
        bundle.put(b + 4, &self.wait_value.to_le_bytes());
        bundle.put(b + 8, &self.update_value.to_le_bytes());
    }
}
