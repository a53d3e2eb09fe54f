//! Where a value comes from: its last writer, the writers of what that read, and so on, back to where it was made.
//!
//! All open questions are asked together while time is looked through once, newest record first: a question about a place is
//! answered by the first record before its own that stored to it.

use super::Session;
use super::attribution::Touch;
use super::cover::Cover;
use super::edit::EDIT_LIMIT;
use super::error::SessionError;
use super::lookback::Detail;
use super::place::Place;
use super::sources::From;
use super::stop::Access;
use crate::isa::access;
use crate::isa::field::Role;
use crate::num::Kind;
use crate::sim::{Rect, Region, effect::Effect};

/// How far a chain goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChainLimits {
    /// Links behind one another.
    pub depth: usize,
    /// Links in all.
    pub links: usize,
}

impl Default for ChainLimits {
    fn default() -> ChainLimits {
        ChainLimits {
            depth: 12,
            links: 64,
        }
    }
}

/// What is known of the origin of some bytes.
#[derive(Clone, PartialEq, Debug)]
pub enum Origin {
    /// A record stored them.
    Written(Touch),
    /// A record set the engine's own words; what it stored besides is in the touch.
    Latched(Touch),
    /// They were there at the start.
    Initial,
    /// Nobody ever wrote them.
    Never,
    /// Longer ago than the history reaches.
    Forgotten,
}

/// A link of a chain.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// The link whose value this one is a part of; `None`: of what was asked about.
    pub parent: Option<usize>,
    /// As what: an operand's name.
    pub role: &'static str,
    /// The bytes; none for words of an engine.
    pub ranges: Vec<Rect>,
    /// Where they come from.
    pub origin: Origin,
    /// The element they were at that time, when they are one.
    pub value: Option<(Kind, u64)>,
}

/// The answer to `chain`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chain {
    /// Parents before their parts, of one parent the newest first.
    pub links: Vec<Link>,
    /// Questions that were not followed because of the limits.
    pub cut: usize,
}

/// Something looked for.
enum Sought {
    Bytes(Vec<(Place, Cover)>),
    Words(Region),
}

impl Sought {
    fn bytes(rects: &[Rect]) -> Sought {
        let all = rects.iter().map(place_of);
        Sought::Bytes(all.map(|p| (p, Cover::of(&p))).collect())
    }
}

/// Where an answer hangs in the chain.
#[derive(Clone, Copy)]
struct Twig {
    parent: Option<usize>,
    depth: usize,
    role: &'static str,
}

/// A question: who made this, before `below`?
struct Open {
    sought: Sought,
    below: u64,
    twig: Twig,
    /// The element that was read there.
    value: Option<(Rect, Kind, u64)>,
}

impl Open {
    fn is_open(&self) -> bool {
        match &self.sought {
            Sought::Bytes(all) => all.iter().any(|(_, cover)| cover.left > 0),
            Sought::Words(region) => region.len > 0,
        }
    }

    /// The element, when these bytes are all of it.
    fn value_of(&self, ranges: &[Rect]) -> Option<(Kind, u64)> {
        let (rect, kind, bits) = self.value?;
        (ranges == [rect]).then_some((kind, bits))
    }
}

impl Session {
    /// Follows the bytes of a place back to where they were made.
    ///
    /// # Errors
    /// A place of more than [`EDIT_LIMIT`] bytes; the user interrupts.
    pub fn chain(&mut self, place: &Place, limits: ChainLimits) -> Result<Chain, SessionError> {
        if place.bytes() > EDIT_LIMIT {
            return Err(SessionError::too_large(place));
        }
        let mut search = Search {
            chain: Chain::default(),
            open: Vec::new(),
            limits,
        };
        let here = self.mark().position;
        search.ask(Open {
            sought: Sought::Bytes(vec![(*place, Cover::of(place))]),
            below: here,
            twig: Twig {
                parent: None,
                depth: 0,
                role: "",
            },
            value: self.element_at(here, &[place.rect()], place.dtype),
        });
        let whole = self.look_back(Detail::Bytes, |s, at| search.look(s, at))?;
        search.close(self, whole);
        Ok(search.chain)
    }
}

/// The place of a rectangle that a record touched, which is inside the memory.
fn place_of(r: &Rect) -> Place {
    Place {
        space: r.space,
        part: r.part,
        parts: r.parts,
        off: r.off,
        len: r.len.into(),
        dtype: None,
    }
}

struct Search {
    chain: Chain,
    open: Vec<Open>,
    limits: ChainLimits,
}

impl Search {
    fn ask(&mut self, open: Open) {
        if !open.is_open() {
            return;
        }
        if open.twig.depth >= self.limits.depth {
            self.chain.cut += 1;
        } else {
            self.open.push(open);
        }
    }

    /// Looks at a record; false when there is no question left.
    fn look(&mut self, s: &Session, at: u64) -> bool {
        for i in 0..self.open.len() {
            if self.chain.links.len() >= self.limits.links {
                return false;
            }
            let Some(open) = self.open.get_mut(i).filter(|o| o.below > at) else {
                continue;
            };
            let twig = open.twig;
            match &mut open.sought {
                Sought::Bytes(all) => {
                    let mut ranges = Vec::new();
                    for (place, cover) in all {
                        for rect in s.written(at, place) {
                            ranges.extend(cover.take(&rect, None));
                        }
                    }
                    let ranges = super::cover::merged(ranges);
                    if ranges.is_empty() {
                        continue;
                    }
                    let Some(touch) = s.touch(at, Access::Write, ranges.clone()) else {
                        continue;
                    };
                    let value = s.value_then(at, &touch, &ranges);
                    let value = value.or_else(|| open.value_of(&ranges));
                    let me = self.chain.links.len();
                    self.chain.links.push(Link {
                        parent: twig.parent,
                        role: twig.role,
                        ranges: ranges.clone(),
                        origin: Origin::Written(touch),
                        value,
                    });
                    self.follow(s, at, &ranges, me, twig);
                }
                Sought::Words(region) => {
                    let own = *region;
                    let set = s.machine.journal().effects(at).any(|e| {
                        matches!(e, Effect::Hidden { start, len, .. }
                            if *start < own.end() && start + len > own.start)
                    });
                    if !set {
                        continue;
                    }
                    *region = region.slice(0, 0);
                    let stored: Vec<Rect> = s.machine.journal().writes(at).collect();
                    let Some(touch) = s.touch(at, Access::Write, stored.clone()) else {
                        continue;
                    };
                    let me = self.chain.links.len();
                    self.chain.links.push(Link {
                        parent: twig.parent,
                        role: twig.role,
                        ranges: Vec::new(),
                        origin: Origin::Latched(touch),
                        value: None,
                    });
                    self.follow(s, at, &stored, me, twig);
                }
            }
        }
        self.open.retain(Open::is_open);
        !self.open.is_empty()
    }

    /// Asks for the sources of a link.
    fn follow(&mut self, s: &Session, at: u64, ranges: &[Rect], me: usize, twig: Twig) {
        for source in s.sources(at, ranges) {
            let deeper = Twig {
                parent: Some(me),
                depth: twig.depth + 1,
                role: source.name,
            };
            let (sought, twig, value) = match source.from {
                From::Memory(rects) => {
                    let value = s.element_at(at, &rects, source.kind);
                    (Sought::bytes(&rects), deeper, value)
                }
                // What was added to stands beside what was added.
                From::Before(rects) => (Sought::bytes(&rects), twig, None),
                From::Hidden(region) => (Sought::Words(region), deeper, None),
            };
            self.ask(Open {
                sought,
                below: at,
                twig,
                value,
            });
        }
    }

    /// Answers what no record did.
    fn close(&mut self, s: &Session, whole: bool) {
        for open in std::mem::take(&mut self.open) {
            if self.chain.links.len() >= self.limits.links {
                self.chain.cut += 1;
                continue;
            }
            let (initial, never): (Vec<Rect>, Vec<Rect>) = match &open.sought {
                Sought::Bytes(all) => {
                    let left = all.iter().flat_map(|(_, cover)| cover.rects());
                    let left = super::cover::merged(left.collect());
                    left.into_iter().partition(|r| s.initially_written(r))
                }
                Sought::Words(_) => Default::default(),
            };
            let words = matches!(open.sought, Sought::Words(_));
            for (ranges, origin) in [(initial, Origin::Initial), (never, Origin::Never)] {
                if ranges.is_empty() && !(words && origin == Origin::Never) {
                    continue;
                }
                self.chain.links.push(Link {
                    parent: open.twig.parent,
                    role: open.twig.role,
                    value: open.value_of(&ranges),
                    ranges,
                    origin: if whole { origin } else { Origin::Forgotten },
                });
            }
        }
    }
}

impl Session {
    /// Did memory hold data there at the start?
    fn initially_written(&self, rect: &Rect) -> bool {
        self.program.images.iter().any(|i| {
            let parts = u32::from(i.place.parts.start)..u32::from(i.place.parts.end);
            let inside = i.place.space == rect.space
                && i.place.bytes.start < rect.end()
                && rect.off < i.place.bytes.end;
            inside && parts.start < rect.part_end() && u32::from(rect.part) < parts.end
        }) || self.program.start.is_some() && self.state().is_written(rect)
    }

    /// The one element that a record stored, with the dtype of the operand.
    fn value_then(&self, at: u64, touch: &Touch, ranges: &[Rect]) -> Option<(Kind, u64)> {
        let instr = self.machine.instr(touch.queue?, touch.index)?;
        let stores = access::operands(&instr).find(|o| o.role == Role::Write)?;
        let (_, kind, bits) = self.element_at(at + 1, ranges, stores.dtype.kind())?;
        Some((kind, bits))
    }

    /// The one element that some bytes were at a position; `None` when they are not exactly one, or the log has lost them.
    fn element_at(
        &self,
        position: u64,
        ranges: &[Rect],
        kind: Option<Kind>,
    ) -> Option<(Rect, Kind, u64)> {
        let ([rect], kind) = (ranges, kind?) else {
            return None;
        };
        if rect.bytes() != kind.bytes() as u64 {
            return None;
        }
        let journal = self.machine.journal();
        let bytes = journal.bytes_at(self.state(), position, rect)?;
        Some((*rect, kind, super::elements::bits(&bytes)))
    }
}
