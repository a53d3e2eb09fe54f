//! What a bundle touched, asked of its record: watched places, semaphores, findings.

use super::Session;
use super::elements::bits;
use super::place::Place;
use super::ranges::Ranges;
use super::stop::{Access, Hit};
use super::stops::{StopSpec, Watch};
use crate::num::Kind;
use crate::sim::effect::Effect;
use crate::sim::{Rect, StepKind};

impl Session {
    /// Breakpoints that look at what a bundle did: its record and those of transfers that finished directly after it. Ascending by
    /// number, each once; conditions are not looked at.
    pub(super) fn touched(&self, at: u64) -> Vec<(u32, Option<Hit>)> {
        let journal = self.machine.journal();
        let mut found = self.touched_by(at);
        let transfers = (at + 1..journal.position()).take_while(|at| {
            journal
                .record(*at)
                .is_some_and(|r| r.head.kind == StepKind::Transfer)
        });
        for (id, hit) in transfers.flat_map(|at| self.touched_by(at)) {
            if found.iter().all(|(known, _)| *known != id) {
                found.push((id, hit));
            }
        }
        found.sort_by_key(|(id, _)| *id);
        found
    }

    fn touched_by(&self, at: u64) -> Vec<(u32, Option<Hit>)> {
        let armed = &self.stops.armed;
        let mut found: Vec<(u32, Option<Hit>)> = Vec::new();
        let journal = self.machine.journal();
        if !armed.writes.is_empty() {
            for effect in journal.effects(at) {
                if let Some(runs) = effect.runs() {
                    self.consider(&armed.writes, &runs.bounds(), at, Access::Write, &mut found);
                }
            }
        }
        if !armed.reads.is_empty() {
            for rect in journal.reads(at) {
                self.consider(&armed.reads, &rect, at, Access::Read, &mut found);
            }
        }
        if !armed.sems.is_empty() {
            self.changed_semaphores(at, &mut found);
        }
        if !armed.findings.is_empty()
            && let Some(record) = journal.record(at)
        {
            for id in &armed.findings {
                let spec = self.stops.get(*id).map(|b| &b.spec);
                if let Some(StopSpec::Finding(rule)) = spec
                    && self.findings.caused(record.seq, rule)
                {
                    found.push((*id, None));
                }
            }
        }
        found
    }

    /// Adds the watches that a rectangle comes near and the record really touches, each once.
    fn consider(
        &self,
        index: &Ranges,
        rect: &Rect,
        at: u64,
        access: Access,
        found: &mut Vec<(u32, Option<Hit>)>,
    ) {
        index.touched(rect, |id| {
            if found.iter().any(|(known, _)| *known == id) {
                return;
            }
            let hit = match self.stops.get(id).map(|b| &b.spec) {
                Some(StopSpec::Place {
                    access: mode,
                    place,
                }) => self.examine(id, place, *mode, at, access),
                _ => None,
            };
            if hit.is_some() {
                found.push((id, hit));
            }
        });
    }

    /// How a record touches a place, if it does.
    fn examine(&self, id: u32, place: &Place, mode: Watch, at: u64, access: Access) -> Option<Hit> {
        let journal = self.machine.journal();
        let mut ranges: Box<dyn Iterator<Item = Rect>> = match access {
            Access::Write => Box::new(journal.writes(at).filter_map(|r| place.clip(&r))),
            Access::Read => Box::new(journal.reads(at).filter_map(|r| place.clip(&r))),
        };
        let (range, element) = if mode == Watch::Change {
            ranges.find_map(|r| Some((r, self.first_change(place, &r, at)?)))?
        } else {
            let range = ranges.next()?;
            (range, element_of(place, range.part, range.off))
        };
        let new = self.bytes_after(at, &element)?;
        Some(Hit {
            id,
            place: *place,
            access,
            range,
            element,
            old: journal.bytes_at(self.state(), at, &element),
            new,
        })
    }

    /// The first element of a stored range whose bytes differ from before; the first at all when that is not known any more.
    fn first_change(&self, place: &Place, range: &Rect, at: u64) -> Option<Rect> {
        let now = self.bytes_after(at, range)?;
        let Some(old) = self.machine.journal().bytes_at(self.state(), at, range) else {
            return Some(element_of(place, range.part, range.off));
        };
        let byte = old.iter().zip(&now).position(|(a, b)| a != b)?;
        let width = range.len.max(1) as usize;
        let part = range.part + (byte / width) as u16;
        Some(element_of(place, part, range.off + (byte % width) as u64))
    }

    /// Bytes as they were after a record.
    fn bytes_after(&self, at: u64, rect: &Rect) -> Option<Vec<u8>> {
        let journal = self.machine.journal();
        if let Some(bytes) = journal.bytes_at(self.state(), at + 1, rect) {
            return Some(bytes);
        }
        let mut now = Vec::new();
        self.state().read_into(rect, &mut now).ok()?;
        Some(now)
    }

    fn changed_semaphores(&self, at: u64, found: &mut Vec<(u32, Option<Hit>)>) {
        let mut seen = Vec::new();
        for effect in self.machine.journal().effects(at) {
            // An effect holds the former count; the first one of a semaphore holds that before the bundle.
            if let Effect::Sem { sem, value } = effect
                && !seen.contains(sem)
            {
                seen.push(*sem);
                if self.state().sem(*sem) != *value {
                    let ids = self.stops.armed.sems.get(sem);
                    found.extend(ids.into_iter().flatten().map(|id| (*id, None)));
                }
            }
        }
    }
}

/// The element of a place that holds a byte, cut off at the end of the place.
fn element_of(place: &Place, part: u16, off: u64) -> Rect {
    let size = place.dtype.map_or(Kind::U8.bytes(), Kind::bytes) as u64;
    let skip = off.saturating_sub(place.off) / size * size;
    Rect {
        space: place.space,
        part,
        parts: 1,
        off: place.off + skip,
        len: size.min(place.len - skip) as u32,
    }
}

impl Hit {
    /// Bits of the element before and after the bundle; `None` for those not known.
    pub fn bits(&self) -> (Option<u64>, u64) {
        (self.old.as_deref().map(bits), bits(&self.new))
    }
}
