//! The race detector against a model: tasks on several engines with the waits between them, and the order that those imply.

use std::collections::BTreeSet;

use super::*;
use crate::sim::Policy;

/// A task: an element-wise add on DVE (0) or POOL (1), or a transfer (2) issued by SP.
#[derive(Clone, Debug)]
struct Task {
    agent: usize,
    op: Op,
}

/// A byte: DRAM or SBUF, partition, offset.
type Cell = (bool, u64, u64);

impl Task {
    /// Bytes read and bytes written.
    fn cells(&self) -> (BTreeSet<Cell>, BTreeSet<Cell>) {
        let row = |off: u8, count: u8, step: u8, lanes: u8| -> BTreeSet<Cell> {
            let byte = move |p: u64, i: u64, b: u64| {
                let at = u64::from(off) * 64 + i * u64::from(step) * 4 + b;
                (false, p, at)
            };
            (0..u64::from(lanes))
                .flat_map(|p| (0..u64::from(count)).map(move |i| (p, i)))
                .flat_map(|(p, i)| (0..4).map(move |b| byte(p, i, b)))
                .collect()
        };
        match self.op {
            Op::Add(a, b, d, n, s, l) => {
                let mut reads = row(a, n, s, l);
                reads.extend(row(b, n, s, l));
                (reads, row(d, n, s, l))
            }
            Op::Dma(from, to) => {
                let bytes =
                    |dram, off: u8| (0..64).map(move |b| (dram, 0, u64::from(off) * 64 + b));
                (bytes(true, from).collect(), bytes(false, to).collect())
            }
            _ => Default::default(),
        }
    }

    fn conflicts(&self, other: &Task) -> bool {
        let ((ra, wa), (rb, wb)) = (self.cells(), other.cells());
        !wa.is_disjoint(&wb) || !wa.is_disjoint(&rb) || !ra.is_disjoint(&wb)
    }
}

fn task() -> impl Strategy<Value = Task> {
    let lanes = prop_oneof![Just(1u8), Just(3), Just(40)];
    let add = (0..2usize, 0..6u8, 0..6u8, 0..6u8, 1..24u8, 1..3u8, lanes);
    prop_oneof![
        3 => add.prop_map(|(agent, a, b, d, n, s, l)| Task {
            agent,
            op: Op::Add(a, b, d, n, s, l),
        }),
        1 => (0..4u8, 0..8u8).prop_map(|(a, b)| Task { agent: 2, op: Op::Dma(a, b) }),
    ]
}

/// Tasks in their intended order, and for every one those of other agents that it waits for.
struct Plan {
    tasks: Vec<Task>,
    waits: Vec<Vec<usize>>,
}

impl Plan {
    /// Every task waits for all earlier ones that it conflicts with.
    fn chained(tasks: Vec<Task>) -> Plan {
        let waits = tasks.iter().enumerate().map(|(j, t)| {
            let before = tasks.iter().take(j).enumerate();
            let other = before.filter(|(_, u)| u.agent != t.agent && u.conflicts(t));
            other.map(|(i, _)| i).collect()
        });
        let waits = waits.collect();
        Plan { tasks, waits }
    }

    /// Number of the task among those of its agent.
    fn rank(&self, j: usize) -> usize {
        let agent = self.tasks[j].agent;
        self.tasks
            .iter()
            .take(j)
            .filter(|t| t.agent == agent)
            .count()
    }

    /// Pairs in conflict that neither the order of an agent nor the waits put in order.
    fn unordered(&self) -> BTreeSet<(usize, usize)> {
        let n = self.tasks.len();
        let mut pasts: Vec<BTreeSet<usize>> = Vec::new();
        for (j, t) in self.tasks.iter().enumerate() {
            let mut past = BTreeSet::new();
            for (i, known) in pasts.iter().enumerate() {
                if self.tasks[i].agent == t.agent || self.waits[j].contains(&i) {
                    past.insert(i);
                    past.extend(known);
                }
            }
            pasts.push(past);
        }
        let pairs = (0..n).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs
            .filter(|(i, j)| !pasts[*j].contains(i) && self.tasks[*i].conflicts(&self.tasks[*j]))
            .collect()
    }

    /// One stream for each agent: a NOP for every wait, then the task, which posts the agent's semaphore. Gives also the task of
    /// every bundle.
    fn program(&self) -> (Program, Vec<Vec<Option<usize>>>) {
        let mut streams: Vec<Vec<Line>> = vec![Vec::new(); 3];
        let mut of: Vec<Vec<Option<usize>>> = vec![Vec::new(); 3];
        for (j, t) in self.tasks.iter().enumerate() {
            for i in &self.waits[j] {
                streams[t.agent].push(Line {
                    op: Op::Nop,
                    wait: 5,
                    update: 0,
                    sem: self.tasks[*i].agent as u8,
                    value: self.rank(*i) as u32 + 1,
                });
                of[t.agent].push(None);
            }
            // A transfer posts by itself.
            let update = if t.agent == 2 { 0 } else { 0x13 };
            streams[t.agent].push(Line {
                op: t.op.clone(),
                wait: 0,
                update,
                sem: t.agent as u8,
                value: 0,
            });
            of[t.agent].push(Some(j));
        }
        (assembled(&lines(streams)), of)
    }

    /// Does another schedule give another result?
    fn varies(&self, seed: u64) -> bool {
        let s = Session::new(self.program().0, Options::default()).unwrap();
        let e = s.explore(3, seed).unwrap();
        assert_eq!((e.schedules, &e.ending), (3, &Ending::Exit));
        let both = |d: &Divergence| d.here.is_some() && d.there.is_some();
        let order = |r: &Reordered| r.here != r.there;
        let told = |v: &Variant| {
            v.first.as_ref().is_some_and(both) || v.reordered.as_ref().is_some_and(order)
        };
        assert!(e.variants.iter().all(told), "{e:?}");
        !e.variants.is_empty()
    }

    /// Pairs of tasks that the detector names.
    fn races(&self, delay: u8, policy: Policy) -> BTreeSet<(usize, usize)> {
        let (program, of) = self.program();
        let mut options = Options {
            policy,
            ..Options::default()
        };
        options
            .settings
            .set("dma.delay", &delay.to_string())
            .unwrap();
        let mut s = Session::new(program, options).unwrap();
        s.set_watchfulness(Watchfulness {
            findings: true,
            races: true,
        });
        assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Exit);
        let task = |queue: Queue, index: u64| {
            let agent = match queue {
                Queue::Of(Engine::Dve) => 0,
                Queue::Of(Engine::Pool) => 1,
                _ => 2,
            };
            of[agent][index as usize].unwrap()
        };
        let pairs = s.findings.pairs("race").into_iter();
        pairs
            .map(|((q, i), (p, k))| {
                let (a, b) = (task(q, i), task(p, k));
                (a.min(b), a.max(b))
            })
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn chained_programs_are_silent(
        tasks in vec(task(), 1..14),
        delay in 0..5u8,
        seed: u64,
    ) {
        let plan = Plan::chained(tasks);
        prop_assert!(plan.unordered().is_empty());
        for policy in [Policy::RoundRobin, Policy::Random(seed), Policy::Bursts(seed), Policy::Timed] {
            prop_assert_eq!(plan.races(delay, policy), BTreeSet::new());
        }
        prop_assert!(!plan.varies(seed));
    }

    #[test]
    fn a_missing_wait_is_a_race(
        tasks in vec(task(), 2..14),
        delay in 0..5u8,
        seed: u64,
        drop: prop::sample::Index,
    ) {
        let mut plan = Plan::chained(tasks);
        let all: Vec<(usize, usize)> = plan
            .waits
            .iter()
            .enumerate()
            .flat_map(|(j, w)| w.iter().map(move |i| (j, *i)))
            .collect();
        prop_assume!(!all.is_empty());
        let (j, i) = all[drop.index(all.len())];
        plan.waits[j].retain(|w| *w != i);
        let unordered = plan.unordered();
        prop_assert!(!plan.varies(seed) || !unordered.is_empty());
        for policy in [Policy::RoundRobin, Policy::Random(seed)] {
            let races = plan.races(delay, policy);
            prop_assert!(races.is_subset(&unordered), "{:?} {:?}", races, unordered);
            prop_assert_eq!(races.is_empty(), unordered.is_empty(), "{:?} {:?}", races, unordered);
        }
    }
}

/// DVE stores what POOL reads, between them what each of them does; SP may do something as well. Gives the messages of races.
fn ordered(producer: &str, consumer: &str, other: &str) -> Vec<String> {
    let add = "TENSOR_TENSOR_ARITH_OP";
    let text = format!(
        ".gen v3
        .fill sbuf[0:4, 0+1024] as fp32 = 1.0
        .engine dve
        {producer}
        HALT;
        .engine pool
        {consumer}
        HALT;
        .engine sp
        {other}
        HALT;"
    );
    let text = text
        .replace("MAKE", &format!("{add} fp32@00000000[1][16] fp32@00000040[1][16] fp32@00000080[1][16] num_active_channels=4 op=ADD;"))
        .replace("EARLY", &format!("{add} $S[1]++@read fp32@00000000[1][16] fp32@00000040[1][16] fp32@00000080[1][16] num_active_channels=4 op=ADD;"))
        .replace("OVER", &format!("{add} fp32@00000040[1][16] fp32@00000040[1][16] fp32@00000000[1][16] num_active_channels=4 op=ADD;"))
        .replace("USE", &format!("{add} fp32@00000080[1][16] fp32@00000040[1][16] fp32@000000c0[1][16] num_active_channels=4 op=ADD;"))
        .replace("FETCH", "DMAMEMCPY semaphore=9 sem_increment=1 src_start_addr=0x1000 src_step_elem=64,64 src_num_elem=4,1 src_elem_size=64 dst_start_addr=0x2000000080 dst_step_elem=262144,262144 dst_num_elem=4,1 dst_elem_size=64;");
    let options = crate::program::asm::Options::new(Generation::V3);
    let program = crate::program::asm::assemble(&text, "test", &options);
    let program = program.unwrap_or_else(|e| panic!("{:?}\n{text}", e.first().map(|e| e.report())));
    let mut s = Session::new(program, Options::default()).unwrap();
    s.set_watchfulness(Watchfulness {
        findings: true,
        races: true,
    });
    let stop = run(&mut s, Goal::Continue);
    assert_eq!(stop.kind, StopKind::Exit, "{stop:?}");
    let found = s.findings_of("race").into_iter();
    found.map(|f| f.message).collect()
}

#[test]
fn every_kind_of_synchronisation_orders() {
    let silent: &[(&str, &str, &str)] = &[
        // A semaphore, an event, a barrier, a count that is read in a loop.
        ("MAKE EVENT_SEMAPHORE $S[1]++@complete;", "EVENT_SEMAPHORE $S[1]>=1; USE", ""),
        ("MAKE NOP $E[7]=1@complete;", "NOP $E[7]==1; USE", ""),
        ("MAKE PSEUDO_SYNC_BARRIER;", "PSEUDO_SYNC_BARRIER; USE", "PSEUDO_SYNC_BARRIER;"),
        (
            "MAKE EVENT_SEMAPHORE $S[1]++@complete;",
            "poll: TENSOR_LOAD dtype=u32 num_elem=1,1 start_addr=0x2802701004 step_elem=1,1 data=r1;
             COMPARE_BRANCH cmp_op=LT_IMM cmp_dtype=u32 target_mode=RELATIVE_IMMEDIATE cmp_immediate=1 cmp_reg0=r1 br_immediate=poll;
             USE",
            "",
        ),
        // What was read may be stored to when the reads are done.
        ("EARLY", "NOP $S[1]>=1; OVER", ""),
        // Through a third engine, and a transfer by its semaphore or by DRAIN.
        ("MAKE NOP $S[1]++@complete;", "NOP $S[2]>=1; USE", "NOP $S[1]>=1; NOP $S[2]++@complete;"),
        ("", "NOP $S[9]>=1; USE", "FETCH"),
        ("", "NOP $S[1]>=1; USE", "FETCH DRAIN count=1; NOP $S[1]++@complete;"),
    ];
    for (a, b, c) in silent {
        assert_eq!(ordered(a, b, c), [""; 0], "{a} | {b} | {c}");
    }
}

#[test]
fn what_does_not_order_is_told_with_its_remedy() {
    let told: &[(&str, &str, &str, &str)] = &[
        // Nothing at all; a post before the store; a wait for another semaphore.
        (
            "MAKE",
            "NOP; NOP; USE",
            "",
            "dve:0 must post a semaphore and pool:2 wait for it",
        ),
        (
            "NOP $S[1]++@complete; MAKE",
            "NOP $S[1]>=1; NOP; USE",
            "",
            "dve:1 must post a semaphore",
        ),
        (
            "MAKE NOP $S[1]++@complete;",
            "NOP; NOP; USE",
            "",
            "pool:2 must wait for $S[1]>=1",
        ),
        // Reads are done before stores.
        (
            "EARLY",
            "NOP $S[1]>=1; USE",
            "",
            "dve:0 must post a semaphore and pool:1 wait for it",
        ),
        // A transfer has not ended because the bundle that issued it has.
        (
            "",
            "NOP $S[1]>=1; USE",
            "FETCH NOP $S[1]++@complete;",
            "pool:1 must wait for $S[9]>=1",
        ),
        // The second of two posts is needed.
        (
            "NOP $S[1]++@complete; MAKE NOP $S[1]++@complete;",
            "NOP; NOP; NOP; NOP $S[1]>=1; USE",
            "",
            "pool:4 must wait for $S[1]>=2",
        ),
    ];
    for (a, b, c, remedy) in told {
        let races = ordered(a, b, c);
        let [message] = races.as_slice() else {
            panic!("{a} | {b} | {c}: {races:?}")
        };
        assert!(message.contains(remedy), "{message}");
    }
}
