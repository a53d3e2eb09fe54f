//! The present state as a manifest: what `save` writes.

use super::place::NamedPlace;
use super::{Session, SessionError};
use crate::program::BranchForm;
use crate::program::manifest::{self, Manifest, written};

/// A manifest and the files that it names.
#[derive(Debug)]
pub struct Saved {
    /// The manifest.
    pub manifest: Manifest,
    /// Name and content of each file beside it.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Session {
    /// Everything that reproduces the present state in a new session: streams, state, settings in force, scheduling, places,
    /// tables and expected arrays. Its files are called `STEM.*`. History, breakpoints and names of values are left out.
    ///
    /// # Errors
    /// A stream that cannot be read.
    pub fn manifest(&self, stem: &str) -> Result<Saved, SessionError> {
        let program = self.program();
        let mut files = Vec::new();
        let mut file = |suffix: &str, bytes: Vec<u8>| {
            let name = format!("{stem}.{suffix}");
            files.push((name.clone(), bytes));
            written(name)
        };
        let mut streams = Vec::new();
        for stream in &program.streams {
            let mut bytes = Vec::new();
            for bundle in stream.bundles() {
                bytes.extend(bundle?.bytes());
            }
            let form = stream.branch.map(|form| match form {
                BranchForm::Index => "index",
                BranchForm::RelBytes => "rel-bytes",
            });
            streams.push(manifest::Stream {
                engine: Some(written(stream.queue.name().to_owned())),
                file: Some(file(&format!("{}.bin", stream.queue.name()), bytes)),
                branch: form.map(|form| written(form.to_owned())),
                labels: stream.labels.clone(),
                ..manifest::Stream::default()
            });
        }
        let mut places: Vec<manifest::Place> = Vec::new();
        for place in self.places() {
            // The name that is meant is that of `let`, which comes last.
            places.retain(|p| *p.name.get_ref() != place.name);
            places.push(described(&place));
        }
        for (n, expected) in program.expected.iter().enumerate() {
            let place = places
                .iter_mut()
                .find(|p| *p.name.get_ref() == expected.name);
            if let Some(place) = place {
                place.expected = Some(file(&format!("expected{n}.npy"), expected.array.clone()));
                place.tol = (expected.tolerance > 0.0).then(|| written(expected.tolerance));
            }
        }
        let machine = self.machine();
        let policy = machine.policy();
        let settings = self.active.changed().map(|(key, value)| {
            let value = match value.parse() {
                Ok(n) => toml::Value::Integer(n),
                Err(_) => toml::Value::String(value),
            };
            (key.name.to_owned(), value)
        });
        let manifest = Manifest {
            generation: Some(written(self.generation().info().name.to_owned())),
            scheduler: Some(manifest::Scheduler {
                policy: written(policy.name().to_owned()),
                seed: policy.seed().unwrap_or(0),
            }),
            settings: settings.collect(),
            state: Some(manifest::State {
                file: file("state", self.state().to_image()),
                seq: self.seq(),
            }),
            streams,
            places,
            variables: program.variables.clone(),
            queues: program.queues.iter().map(Into::into).collect(),
        };
        Ok(Saved { manifest, files })
    }
}

fn described(named: &NamedPlace) -> manifest::Place {
    let bare = super::Place {
        dtype: None,
        ..named.place
    };
    manifest::Place {
        name: written(named.name.clone()),
        at: Some(written(bare.to_string())),
        dtype: named
            .place
            .dtype
            .map(|kind| written(kind.name().to_owned())),
        shape: named.shape.clone().map(written),
        initial: None,
        expected: None,
        tol: None,
    }
}
