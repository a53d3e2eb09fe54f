//! Two runs side by side: another program, or the same under other settings, against this one.
//!
//! Both run from their start on machines of their own. They are aligned by what each stream stores: its first bundle that stores
//! other bytes, or to another place, is where they part. Bundles that store nothing may be more or fewer.

use std::sync::Arc;

use super::explore::{Divergence, Ending, Finished, diverges};
use super::place::Place;
use super::{Session, SessionError};
use crate::isa::access;
use crate::isa::field::Role;
use crate::isa::text;
use crate::num::Kind;
use crate::program::Program;
use crate::sim::{Policy, Rect, Settings};

/// How one of the runs went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Course {
    /// How it ended.
    pub ending: Ending,
    /// Bundles retired.
    pub bundles: u64,
    /// Hash of its result.
    pub digest: u64,
}

/// The first element that the two runs store differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parted {
    /// The element, in the dtype of the operand where that is known.
    pub at: Place,
    /// Its bits in this run and in the other one.
    pub bits: (u64, u64),
}

/// The answer of `compare`.
#[derive(Clone, PartialEq, Debug)]
pub struct Runs {
    /// This run.
    pub here: Course,
    /// The other one.
    pub there: Course,
    /// Named places that differ at the end.
    pub places: Vec<String>,
    /// The first bundle that stores something else.
    pub first: Option<Divergence>,
    /// The bundle that stands there in the other run, as text.
    pub other_text: String,
    /// What it stores.
    pub parted: Option<Parted>,
}

impl Session {
    /// Runs this program and another one to their ends and finds where they part. `None`: interrupted. The session does not move.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn compare_runs(
        &self,
        other: &Arc<Program>,
        settings: Settings,
        policy: Policy,
    ) -> Result<Option<Runs>, SessionError> {
        let own = |bundles| self.whole_run(&self.program, self.active, self.policy, bundles);
        let others = |bundles| self.whole_run(other, settings, policy, bundles);
        let (Some(a), Some(b)) = (own(u64::MAX)?, others(u64::MAX)?) else {
            return Ok(None);
        };
        let first = diverges(&a, &b, |d| d.stores, |a, b| a.stored == b.stored);
        let mut runs = Runs {
            here: course(&a),
            there: course(&b),
            places: self.differing(&a.machine, &b.machine),
            first,
            other_text: String::new(),
            parted: None,
        };
        let Some(Divergence {
            here: Some(here),
            there: Some(there),
            queue,
            ..
        }) = first
        else {
            return Ok(Some(runs));
        };
        // Once more, to where the two bundles have just stored.
        let (Some(a), Some(b)) = (own(here + 1)?, others(there + 1)?) else {
            return Ok(None);
        };
        let last = |run: &Finished| {
            let journal = run.machine.journal();
            let all = (journal.oldest()..journal.position()).rev();
            let mut of_stream = all.filter(|at| {
                let record = journal.record(*at);
                record.is_some_and(|r| usize::from(r.head.agent) == queue.index())
            });
            of_stream.find(|at| journal.writes(*at).next().is_some())
        };
        let (Some(x), Some(y)) = (last(&a), last(&b)) else {
            return Ok(Some(runs));
        };
        let instr = |run: &Finished, at| {
            let index = run.machine.journal().record(at)?.head.index;
            run.machine.instr(queue, index)
        };
        runs.other_text = instr(&b, y).map_or(String::new(), |i| text::line(&i));
        let kind = instr(&a, x).and_then(|i| {
            let stores = access::operands(&i).find(|o| o.role == Role::Write);
            stores?.dtype.kind()
        });
        let mut written: Vec<Rect> = a.machine.journal().writes(x).collect();
        written.extend(b.machine.journal().writes(y));
        runs.parted = written.iter().find_map(|rect| parted(&a, &b, rect, kind));
        Ok(Some(runs))
    }
}

fn course(run: &Finished) -> Course {
    Course {
        ending: run.ending.clone(),
        bundles: run.machine.journal().seq(),
        digest: run.machine.state().outcome(),
    }
}

/// The first element of a rectangle that differs between two machines.
fn parted(a: &Finished, b: &Finished, rect: &Rect, kind: Option<Kind>) -> Option<Parted> {
    let size = kind.map_or(1, Kind::bytes).min(rect.len as usize);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    a.machine.state().read_into(rect, &mut x).ok()?;
    b.machine.state().read_into(rect, &mut y).ok()?;
    let at = x
        .chunks(size)
        .zip(y.chunks(size))
        .position(|(x, y)| x != y)?;
    let per_row = (rect.len as usize).div_ceil(size);
    let (row, column) = (at / per_row, at % per_row);
    let place = Place {
        space: rect.space,
        part: rect.part + row as u16,
        parts: 1,
        off: rect.off + (column * size) as u64,
        len: size as u64,
        dtype: kind.filter(|k| k.bytes() == size),
    };
    let bits = |bytes: &[u8]| bytes.chunks(size).nth(at).map(super::elements::bits);
    Some(Parted {
        at: place,
        bits: (bits(&x)?, bits(&y)?),
    })
}
