//! What waits prove, and which accesses meet.

use super::clock::Clock;
use super::signals::Signals;
use super::*;
use crate::isa::Engine;
use crate::sim::sync::Act;
use crate::sim::{Runs, Space};

const S: Signal = Signal::new(false, 4);
const A: Agent = Agent::stream(Queue::Of(Engine::Pe));
const B: Agent = Agent::stream(Queue::Of(Engine::Act));
const W: Agent = Agent::stream(Queue::Of(Engine::Dve));
const EQ: u8 = 1;
const LT: u8 = 2;
const LE: u8 = 3;
const GT: u8 = 4;
const GE: u8 = 5;

fn at(agent: Agent, time: u64) -> Clock {
    let mut c = Clock::default();
    c.set(agent, time);
    c
}

/// Posts as (agent, time, act), each agent knowing itself alone.
fn posted(posts: &[(Agent, u64, Act)]) -> Signals {
    let mut signals = Signals::default();
    for (agent, time, act) in posts {
        signals.post(S, *act, (*agent, *time), &at(*agent, *time));
    }
    signals
}

/// The times of A and B that a wait proves to one who knows so much.
fn proof(signals: &Signals, comparator: u8, threshold: u32, knows: &Clock) -> (u64, u64) {
    let known = signals.wait(S, comparator, threshold, knows);
    (known.of(A), known.of(B))
}

#[test]
fn a_wait_proves_the_posts_it_needs() {
    let s = posted(&[
        (A, 2, Act::Add(1)),
        (B, 2, Act::Add(1)),
        (A, 8, Act::Add(2)),
    ]);
    let nothing = Clock::default();
    let ge = |n| proof(&s, GE, n, &nothing);
    assert_eq!(
        (ge(0), ge(1), ge(2), ge(3), ge(4)),
        ((0, 0), (2, 0), (2, 2), (8, 2), (8, 2))
    );
    assert_eq!(proof(&s, GT, 1, &nothing), (2, 2));
    assert_eq!(proof(&s, EQ, 4, &nothing), (8, 2));
    let look = s.look(S);
    assert_eq!((look.of(A), look.of(B)), (8, 2));
}

#[test]
fn a_consumer_needs_the_credits_that_it_took() {
    let s = posted(&[
        (A, 2, Act::Add(1)),
        (W, 2, Act::Subtract(1)),
        (A, 4, Act::Add(1)),
        (A, 6, Act::Add(1)),
    ]);
    // The first credit is gone: a second wait of the one who took it proves the second post.
    assert_eq!(proof(&s, GE, 1, &at(W, 2)), (4, 0));
    // One who does not know that it was taken may have seen the first.
    assert_eq!(proof(&s, GE, 1, &Clock::default()), (2, 0));
}

#[test]
fn waits_for_less_prove_what_was_taken() {
    let s = posted(&[
        (W, 2, Act::Set(2)),
        (A, 2, Act::Subtract(1)),
        (B, 4, Act::Subtract(1)),
    ]);
    assert_eq!(proof(&s, LT, 2, &at(W, 2)), (2, 0));
    assert_eq!(proof(&s, LE, 0, &at(W, 2)), (2, 4));
    assert_eq!(proof(&s, EQ, 0, &at(W, 2)), (2, 4));
}

#[test]
fn setting_forgets_what_was_posted() {
    let s = posted(&[(A, 2, Act::Add(5)), (B, 4, Act::Set(1))]);
    assert_eq!(proof(&s, GE, 1, &Clock::default()), (0, 4));
}

#[test]
fn old_posts_stand_together() {
    let posts: Vec<_> = (1..=1000).map(|i| (A, 2 * i, Act::Add(1))).collect();
    let s = posted(&posts);
    let ge = |n| proof(&s, GE, n, &Clock::default()).0;
    assert_eq!((ge(1000), ge(990)), (2000, 1980));
    // More than is needed, never less.
    assert!((2..2000).contains(&ge(1)));
}

fn access(agent: Agent, time: u64, write: bool) -> Access {
    Access {
        agent,
        index: time,
        seq: time,
        write,
        time,
    }
}

#[test]
fn accesses_meet_where_bytes_do() {
    let mut shadow = Shadow::default();
    let mut add = |parts: std::ops::Range<u16>, off, len, step, count, a: Access, knows: &Clock| {
        let first = Rect::new(Space::Sbuf, parts.start, parts.end - parts.start, off, len);
        let runs = Runs::new(first, step, count).unwrap();
        let met = shadow.add(&runs, a, knows, false, Clock::default, true);
        (met.races, met.unread.map(|(a, _)| a))
    };
    let none = Clock::default();
    // Even words of partitions 0..64, odd ones, and the upper partitions: no byte in common.
    assert_eq!(
        add(0..64, 4092, 4, 8, 100, access(A, 2, true), &at(A, 2)),
        (vec![], None)
    );
    assert_eq!(
        add(0..64, 4096, 4, 8, 99, access(B, 2, true), &at(B, 2)),
        (vec![], None)
    );
    assert_eq!(
        add(64..128, 0, 8192, 8192, 1, access(B, 4, true), &at(B, 4)),
        (vec![], None)
    );
    let (races, _) = add(10..11, 4095, 1, 1, 1, access(W, 1, false), &none);
    let rect = Rect::new(Space::Sbuf, 10, 1, 4095, 1);
    assert_eq!(races, [(access(A, 2, true), rect)]);
    // Ordered behind A, and covering what it stored; W has read of it, B's store is lost.
    let mut knows = at(A, 2);
    knows.join(&at(B, 2));
    knows.join(&at(W, 1));
    let (races, unread) = add(0..64, 4092, 800, 800, 1, access(A, 4, true), &knows);
    assert_eq!((races, unread), (vec![], Some(access(B, 2, true))));
}
