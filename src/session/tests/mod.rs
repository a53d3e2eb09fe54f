//! Properties of sessions on small random programs.

mod explore;
mod findings;
mod log;
mod races;
mod save;
mod stopping;
mod time;
mod values;
mod views;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::isa::{Bundle, Engine};
use crate::program::{Image, ImageData, Stream};
use crate::sim::Space;

/// isa 01 §6: the full TENSOR_TENSOR add of 64 fp32 per partition.
const ADD: &str = "41100000 00000000 00000000 aa0a0480 00000000 01000100 01004000 01000100
    00100000 01000100 01004000 01000100 00200000 01000100 01004000 01000100";

/// A bundle of a random program.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Nop,
    Halt,
    /// Element-wise add: sources, destination (in units of 64 bytes), elements, step, lanes.
    Add(u8, u8, u8, u8, u8, u8),
    /// Copy of 64 bytes from DRAM to partition 0, in units of 64 bytes; posts the semaphore of the line.
    Dma(u8, u8),
}

/// A bundle with its wait and update.
#[derive(Clone, Debug)]
pub(super) struct Line {
    op: Op,
    /// Mode, semaphore, shared value.
    wait: u8,
    update: u8,
    sem: u8,
    value: u32,
}

impl Line {
    fn bundle(&self) -> Bundle {
        let mut b = match self.op {
            Op::Nop => Bundle::of_opcode(0xA4),
            Op::Halt => Bundle::of_opcode(0xA1),
            Op::Add(a, b, d, count, step, lanes) => {
                let mut add = Bundle::from_hex(ADD).unwrap();
                add.put(15, &[lanes]);
                for (at, off) in [(16, a), (32, b), (48, d)] {
                    add.put(at, &(u32::from(off) * 64).to_le_bytes());
                    add.put(at + 4, &[step, 0]);
                    add.put(at + 10, &[count, 0]);
                }
                add
            }
            Op::Dma(from, to) => {
                let mut dma = Bundle::of_opcode(0xB8);
                dma.put(13, &[self.sem, 1, 0]);
                let sbuf = 0x20_0000_0000;
                for (at, addr) in [(16, u64::from(from) * 64), (40, sbuf + u64::from(to) * 64)] {
                    dma.put(at, &addr.to_le_bytes());
                    dma.put(at + 16, &[1, 0, 1, 0, 64, 0]);
                }
                dma
            }
        };
        b.put(4, &[self.wait, self.sem, self.update, self.sem]);
        b.put(8, &self.value.to_le_bytes());
        b
    }
}

fn line() -> impl Strategy<Value = Line> {
    let add = (
        0..8u8,
        0..8u8,
        0..8u8,
        1..40u8,
        1..4u8,
        prop_oneof![Just(1u8), Just(3), Just(40)],
    );
    let op = prop_oneof![
        4 => Just(Op::Nop),
        3 => (0..4u8, 0..8u8).prop_map(|(a, b)| Op::Dma(a, b)),
        1 => Just(Op::Halt),
        8 => add.prop_map(|(a, b, d, n, s, l)| Op::Add(a, b, d, n, s, l)),
    ];
    // Waits: none mostly, else >= 1. Updates: none, increment, set.
    let wait = prop_oneof![6 => Just(0u8), 1 => Just(5)];
    let update = prop_oneof![2 => Just(0u8), 2 => Just(0x13), 1 => Just(0x19)];
    (op, wait, update, 0..3u8, 0..2u32).prop_map(|(op, wait, update, sem, value)| Line {
        op,
        wait,
        update,
        sem,
        value,
    })
}

/// Streams, and after how many scheduler steps transfers finish.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    streams: Vec<Vec<Line>>,
    delay: u8,
}

/// One, two or three streams of up to a dozen bundles.
pub(super) fn program() -> impl Strategy<Value = Lines> {
    let delay = prop_oneof![2 => Just(0u8), 3 => 1..6u8];
    (vec(vec(line(), 0..14), 1..4), delay).prop_map(|(streams, delay)| Lines { streams, delay })
}

pub(super) fn lines(streams: Vec<Vec<Line>>) -> Lines {
    Lines { streams, delay: 0 }
}

pub(super) fn stream(queue: Queue, bundles: &[Bundle]) -> Stream {
    let bytes = bundles.iter().flat_map(|b| *b.bytes()).collect();
    Stream::from_bytes(queue, queue.name(), bytes)
}

/// The lines of every stream that it can run.
pub(super) fn fitting(program: &Lines) -> Vec<(Queue, Vec<&Line>)> {
    let queues = [Engine::Dve, Engine::Pool, Engine::Sp].map(Queue::Of);
    let streams = queues.into_iter().zip(&program.streams);
    let fitting = streams.map(|(queue, lines)| {
        // SP takes no element-wise bundles.
        let fits = |l: &&Line| queue != Queue::Of(Engine::Sp) || !matches!(l.op, Op::Add(..));
        (queue, lines.iter().filter(fits).collect())
    });
    fitting.collect()
}

pub(super) fn assembled(program: &Lines) -> Program {
    let streams = fitting(program).into_iter().map(|(queue, lines)| {
        let bundles: Vec<_> = lines.into_iter().map(Line::bundle).collect();
        stream(queue, &bundles)
    });
    let image = |space, parts, bytes: std::ops::Range<u64>, data| Image {
        place: crate::program::Place {
            space,
            parts,
            bytes,
        },
        data,
    };
    // Small numbers, so that sums differ from what was there.
    let bytes = (0..48 * 256u32)
        .flat_map(|i| ((i % 7) as f32).to_le_bytes())
        .collect();
    Program {
        streams: streams.collect(),
        images: vec![
            image(Space::Sbuf, 0..48, 0..1024, ImageData::Bytes(bytes)),
            image(
                Space::Dram,
                0..1,
                0..192,
                ImageData::Fill(vec![1, 2, 3, 4, 5]),
            ),
        ],
        ..Program::default()
    }
}

pub(super) fn session(program: &Lines) -> Session {
    let mut options = Options::default();
    let delay = program.delay.to_string();
    options.settings.set("dma.delay", &delay).unwrap();
    Session::new(assembled(program), options).unwrap()
}

pub(super) fn run(s: &mut Session, goal: Goal) -> Stop {
    match s.run(goal, Budget::UNLIMITED) {
        Progress::Stopped(stop) => stop,
        other => panic!("{other:?}"),
    }
}

/// Runs in slices.
pub(super) fn run_sliced(s: &mut Session, goal: Goal, bundles: u64) -> Stop {
    let mut p = s.run(goal, Budget { bundles });
    loop {
        match p {
            Progress::Again => p = s.resume(Budget { bundles }),
            Progress::Stopped(stop) => return stop,
            Progress::Failed(e) => panic!("{e}"),
        }
    }
}

/// A breakpoint without frills.
pub(super) fn on(spec: StopSpec) -> Breakpoint {
    Breakpoint {
        id: 0,
        text: spec.to_string(),
        spec,
        condition: None,
        once: false,
        ignore: 0,
        log: false,
        enabled: true,
        hits: 0,
    }
}

pub(super) fn place(s: &Session, part: u64, parts: u64, off: u64, len: u64) -> Place {
    let geometry = s.state().geometry();
    Place::new(
        geometry,
        crate::sim::Space::Sbuf,
        part..part + parts,
        off..off + len,
        None,
    )
    .unwrap()
}
