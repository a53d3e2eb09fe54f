//! The control band against its sheets: vectors, arithmetic, branches, register loads and stores.

mod alu;
mod branch;
mod memory;
mod vectors;

use crate::isa::{Bundle, Engine, Generation, Queue};
use crate::sim::fault::Fault;
use crate::sim::{Machine, Policy, Rect, Settings, StepDone, Stepped, Stream};

/// A bundle of an opcode with bytes put at places.
pub(in crate::sim) fn bundle(opcode: u8, parts: &[(usize, &[u8])]) -> Bundle {
    let mut b = Bundle::of_opcode(opcode);
    for (at, bytes) in parts {
        b.put(*at, bytes);
    }
    b
}

/// `MOVE` of one immediate word.
pub(in crate::sim) fn set(reg: u8, value: u32) -> Bundle {
    bundle(
        0xA7,
        &[(12, &[1, 9, 1]), (24, &[reg]), (32, &value.to_le_bytes())],
    )
}

/// `EVENT_SEMAPHORE` with its extended lane: wait mode, wait number, update mode, update number,
/// and both values.
pub(in crate::sim) fn sync(wait: (u8, u8, u32), update: (u8, u8, u32)) -> Bundle {
    bundle(
        0xA0,
        &[
            (32, &[wait.0, wait.1, update.0, update.1]),
            (36, &wait.2.to_le_bytes()),
            (40, &update.2.to_le_bytes()),
        ],
    )
}

/// A machine with a stream for each given queue.
pub(in crate::sim) fn machine(streams: &[(Queue, Vec<Bundle>)]) -> Machine {
    with(Generation::V3, &[], Policy::default(), streams)
}

/// The same with everything chosen.
pub(in crate::sim) fn with(
    generation: Generation,
    settings: &[(&str, &str)],
    policy: Policy,
    streams: &[(Queue, Vec<Bundle>)],
) -> Machine {
    let mut s = Settings::default();
    for (key, value) in settings {
        s.set(key, value).unwrap();
    }
    let mut m = Machine::new(generation, s, policy);
    for (queue, bundles) in streams {
        m.load(*queue, Stream::new(bundles.clone()));
    }
    m
}

pub(in crate::sim) const SP: Queue = Queue::Of(Engine::Sp);
pub(in crate::sim) const ACT: Queue = Queue::Of(Engine::Act);
pub(in crate::sim) const PE: Queue = Queue::Of(Engine::Pe);

/// The next bundle retires.
pub(in crate::sim) fn step(m: &mut Machine) -> (Queue, u64, StepDone) {
    match m.step(None) {
        Stepped::Retired { queue, index, done } => (queue, index, done),
        other => panic!("{other:?}"),
    }
}

/// The next bundle faults.
pub(in crate::sim) fn faults(m: &mut Machine) -> Fault {
    let before = m.state().digest();
    match m.step(None) {
        Stepped::Fault(f) => {
            assert_eq!(m.state().digest(), before, "a fault changed the state");
            f
        }
        other => panic!("{other:?}"),
    }
}

/// Steps to the end; the last answer.
pub(in crate::sim) fn run(m: &mut Machine) -> Stepped {
    for _ in 0..100_000 {
        match m.step(None) {
            Stepped::Retired { .. } => {}
            other => return other,
        }
    }
    panic!("no end in sight")
}

/// Value of a register of SP.
pub(in crate::sim) fn reg(m: &Machine, n: u8) -> u32 {
    m.state().reg(SP.index() as u8, n)
}

/// Sets registers of SP before the run.
pub(in crate::sim) fn given(m: &mut Machine, regs: &[(u8, u32)]) {
    m.edit(|w| {
        for (n, v) in regs {
            w.set_reg(SP.index() as u8, *n, *v);
        }
    });
}

pub(in crate::sim) fn put(m: &mut Machine, rect: Rect, bytes: &[u8]) {
    m.edit(|w| w.store(&rect, bytes)).unwrap();
}

pub(in crate::sim) fn bytes(m: &Machine, rect: Rect) -> Vec<u8> {
    let mut out = Vec::new();
    m.state().read_into(&rect, &mut out).unwrap();
    out
}

/// Rules of the findings of the last step.
pub(in crate::sim) fn found(m: &Machine) -> Vec<&'static str> {
    m.report().findings.iter().map(|f| f.rule).collect()
}
