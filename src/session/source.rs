//! A program as the machine takes it: streams, named places, initial memory.

use std::sync::Arc;

use super::edit::EDIT_LIMIT;
use super::error::SessionError;
use super::place::{NamedPlace, Origin, Place};
use crate::isa::{Bundle, Queue};
use crate::program::queues::{self, Side};
use crate::program::{BranchForm, ImageData, Program, Region};
use crate::sim::{BranchUnit, Bundles, DmaQueue, Geometry, Leg, Policy, Stream, Tables, Writer};

/// A stream of a shared program.
struct Feed {
    program: Arc<Program>,
    at: usize,
}

impl Bundles for Feed {
    fn len(&self) -> u64 {
        self.program.streams.get(self.at).map_or(0, |s| s.len())
    }

    fn bundle(&self, index: u64) -> Option<Bundle> {
        // What can no longer be read faults where it is executed.
        self.program.streams.get(self.at)?.bundle(index).ok()?
    }
}

/// The streams for the machine; of several for one queue the last counts.
pub(super) fn streams(program: &Arc<Program>) -> impl Iterator<Item = (Queue, Stream)> + '_ {
    program.streams.iter().enumerate().map(|(at, s)| {
        let feed = Feed {
            program: Arc::clone(program),
            at,
        };
        let branch = match s.branch {
            None => BranchUnit::Auto,
            Some(BranchForm::Index) => BranchUnit::Index,
            Some(BranchForm::RelBytes) => BranchUnit::RelBytes,
        };
        let bundles = Arc::new(feed);
        (s.queue, Stream { bundles, branch })
    })
}

/// The scheduling policy that a manifest chooses.
pub(super) fn policy(program: &Program) -> Option<Policy> {
    let (name, seed) = &program.scheduler.as_ref()?.what;
    Policy::parse(name, *seed)
}

/// The variables and queues that pseudo instructions name.
pub(super) fn tables(program: &Program) -> Tables {
    let leg = |side: &Side| {
        let mut dims = [(0, 1); 4];
        dims.iter_mut()
            .zip(&side.dims)
            .for_each(|(to, from)| *to = *from);
        Leg {
            addr: side.addr,
            size: 1,
            dims,
            limit: None,
            silent: false,
        }
    };
    let copies =
        |copies: &[queues::Copy]| copies.iter().map(|c| (leg(&c.from), leg(&c.to))).collect();
    let queue = |q: &queues::DmaQueue| DmaQueue {
        semaphore: q.semaphore,
        blocks: q
            .blocks
            .iter()
            .map(|(id, list)| (*id, copies(list)))
            .collect(),
    };
    Tables {
        variables: program
            .variables
            .iter()
            .map(|v| (v.id, (v.addr, v.bytes)))
            .collect(),
        queues: program
            .queues
            .iter()
            .map(|q| (q.name.clone(), queue(q)))
            .collect(),
    }
}

/// A place of the program, checked against the memories of the machine.
fn place(geometry: &Geometry, p: &crate::program::Place) -> Result<Place, SessionError> {
    let parts = u64::from(p.parts.start)..u64::from(p.parts.end);
    Ok(Place::new(geometry, p.space, parts, p.bytes.clone(), None)?)
}

/// The named regions; those that hold no byte name nothing.
pub(super) fn places(
    program: &Program,
    geometry: &Geometry,
) -> Result<Vec<NamedPlace>, SessionError> {
    let named = |r: &Region| {
        Ok(NamedPlace {
            name: r.name.clone(),
            place: Place {
                dtype: r.dtype.and_then(|d| d.kind()),
                ..place(geometry, &r.place)?
            },
            shape: r.shape.clone(),
            origin: Origin::Program,
        })
    };
    let regions = program.regions.iter().filter(|r| r.place.size() > 0);
    regions.map(named).collect()
}

/// Stores the initial memory.
pub(super) fn fill(program: &Program, w: &mut Writer<'_>) -> Result<(), SessionError> {
    for image in program.images.iter().filter(|i| i.place.size() > 0) {
        let place = place(w.state().geometry(), &image.place)?;
        if place.bytes() > EDIT_LIMIT {
            return Err(SessionError::too_large(&place));
        }
        let rows: Vec<Vec<u8>> = match &image.data {
            ImageData::Fill(_) => vec![image.row(0)],
            ImageData::Bytes(_) => (0..usize::from(place.parts))
                .map(|i| image.row(i))
                .collect(),
        };
        let row = |i: usize| rows.get(i).or(rows.first()).map_or(&[][..], Vec::as_slice);
        w.store_rows(&place.rect(), row)?;
    }
    Ok(())
}
