//! The fixture of isa 10 §6, rebuilt from the members the sheet gives, in every form a container may have.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use md5::{Digest, Md5};
use proptest::prelude::*;
use sha2::Sha256;
use tar::{Builder, EntryType, Header};

use super::*;
use crate::isa::{Generation, Queue};

const G: Generation = Generation::V3;

/// The members; the manifests hold what the sheet tells of them.
pub(crate) fn fixture() -> Vec<(&'static str, Vec<u8>)> {
    let hex = |text: &str| -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    };
    let text = |t: &str| t.as_bytes().to_vec();
    let members = include_str!("../../../tests/vectors/neff-members.txt");
    let mut out: Vec<(&'static str, Vec<u8>)> = Vec::new();
    for part in members.split("== ").skip(1) {
        let (name, body) = part.split_once('\n').unwrap();
        let bytes = if name.ends_with(".bin") {
            hex(body)
        } else {
            text(body)
        };
        out.push((name, bytes));
    }
    out
}

fn header(kind: EntryType, name: &str, size: u64, gnu: bool) -> Header {
    let mut h = if gnu {
        Header::new_gnu()
    } else {
        Header::new_ustar()
    };
    h.set_entry_type(kind);
    h.set_path(name).unwrap();
    h.set_size(size);
    h.set_mode(0o644);
    h.set_cksum();
    h
}

fn tar(members: &[(&str, Vec<u8>)], gnu: bool) -> Vec<u8> {
    let mut b = Builder::new(Vec::new());
    b.append(&header(EntryType::Directory, "sg00/", 0, gnu), &[][..])
        .unwrap();
    for (name, bytes) in members {
        let h = header(EntryType::Regular, name, bytes.len() as u64, gnu);
        b.append(&h, bytes.as_slice()).unwrap();
    }
    b.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut e = GzEncoder::new(Vec::new(), Compression::new(1));
    e.write_all(bytes).unwrap();
    e.finish().unwrap()
}

/// The archive behind the 1024-byte header.
fn behind_header(archive: &[u8], packed: bool) -> Vec<u8> {
    let mut h = vec![0; 1024];
    h[0] = if packed { 2 } else { 1 };
    h[9] = 4;
    h[16..24].copy_from_slice(&(archive.len() as u64).to_le_bytes());
    h[24] = 2;
    let hash = if packed {
        Md5::digest(archive).to_vec()
    } else {
        Sha256::digest(archive).to_vec()
    };
    h[0xAC..0xAC + hash.len()].copy_from_slice(&hash);
    h.extend_from_slice(archive);
    h
}

fn every_form() -> Vec<Vec<u8>> {
    let members = fixture();
    let (gnu, ustar) = (tar(&members, true), tar(&members, false));
    vec![
        behind_header(&gzip(&gnu), true),
        behind_header(&ustar, false),
        gzip(&ustar),
        gnu,
    ]
}

#[test]
fn the_fixture_opens_in_every_form() {
    for file in every_form() {
        let container = unpack(&file, 1 << 20).unwrap();
        assert_eq!(container.notes, [""; 0]);
        let p = program(&container, G, None).unwrap();
        assert_eq!(p.notes, [""; 0]);
        let streams: Vec<(String, u64)> = p
            .streams
            .iter()
            .map(|s| (s.name.clone(), s.len()))
            .collect();
        let named = |n: &str, len| (format!("sg00/{n}.bin"), len);
        assert_eq!(
            streams,
            [
                named("pe", 1),
                named("act", 0),
                named("pool", 3),
                named("dve", 0),
                named("sp", 0)
            ]
        );
        let variables: Vec<(u32, &str, u64)> = p
            .variables
            .iter()
            .map(|v| (v.id, v.name.as_str(), v.bytes))
            .collect();
        assert_eq!(
            variables,
            [
                (0, "input", 128),
                (2, "output", 128),
                (3, "gradient_in", 128),
                (4, "gradient_out", 128)
            ]
        );
        let semaphores: Vec<Option<u8>> = p.queues.iter().map(|q| q.semaphore).collect();
        assert_eq!(semaphores, [Some(10), Some(11)]);
        assert!(p.queues.iter().all(|q| q.blocks[&0].len() == 1));
    }
}

#[test]
fn a_wrong_hash_is_said_and_nothing_else() {
    let mut file = every_form().remove(0);
    file[0xAC] ^= 1;
    let container = unpack(&file, 1 << 20).unwrap();
    assert!(container.notes[0].contains("MD5"), "{:?}", container.notes);
    assert!(program(&container, G, None).is_ok());
}

#[test]
fn limits_hold_while_unpacking() {
    let zeros = vec![0; 4 << 20];
    let packed = gzip(&tar(&[("sg00/big.bin", zeros)], true));
    assert!(packed.len() < 1 << 16);
    assert!(matches!(
        unpack(&packed, 1 << 20),
        Err(NeffError::TooLarge { limit: 0x10_0000 })
    ));
    assert!(unpack(&packed, 16 << 20).is_ok());
    assert_eq!(
        (default_limit(100), default_limit(1 << 20)),
        (64 << 20, 100 << 20)
    );
}

#[test]
fn what_is_no_plain_member_is_refused() {
    for (kind, word) in [
        (EntryType::Symlink, "symbolic link"),
        (EntryType::Link, "hard link"),
        (EntryType::Char, "device"),
        (EntryType::Fifo, "pipe"),
    ] {
        let mut b = Builder::new(Vec::new());
        b.append(&header(kind, "sg00/pe.bin", 0, true), &[][..])
            .unwrap();
        let e = unpack(&gzip(&b.into_inner().unwrap()), 1 << 20).unwrap_err();
        assert!(e.to_string().contains(word), "{e}");
    }
    for name in ["../x", "/etc/x", "a/../../x"] {
        let mut h = header(EntryType::Regular, "x", 0, true);
        h.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        h.set_cksum();
        let mut b = Builder::new(Vec::new());
        b.append(&h, &[][..]).unwrap();
        let e = unpack(&b.into_inner().unwrap(), 1 << 20).unwrap_err();
        assert!(matches!(&e, NeffError::Name { .. }), "{name}: {e}");
    }
}

#[test]
fn long_names_are_read_in_both_dialects() {
    let long = format!("sg00/{}/pe.json", "d".repeat(120));
    let mut gnu = Builder::new(Vec::new());
    let mut h = Header::new_gnu();
    h.set_size(2);
    h.set_cksum();
    gnu.append_data(&mut h, &long, &b"{}"[..]).unwrap();
    let mut pax = Builder::new(Vec::new());
    pax.append_pax_extensions([("path", long.as_bytes())])
        .unwrap();
    pax.append(&header(EntryType::Regular, "short", 2, false), &b"{}"[..])
        .unwrap();
    for archive in [gnu, pax] {
        let c = unpack(&gzip(&archive.into_inner().unwrap()), 1 << 20).unwrap();
        assert_eq!(c.members.keys().collect::<Vec<_>>(), [&long]);
    }
}

/// Two graphs; the second is the fixture with another name and directory.
#[test]
fn a_graph_is_chosen_by_its_name() {
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, bytes) in fixture() {
        if let Some(rest) = name.strip_prefix("sg00/") {
            let bytes = if rest == "pool.bin" {
                bytes[..64].to_vec()
            } else {
                bytes.clone()
            };
            members.push((format!("sg01/{rest}"), bytes));
        }
        members.push((name.to_owned(), bytes));
    }
    let kelf = members.iter_mut().find(|m| m.0 == "kelf-a.json").unwrap();
    let mut json: serde_json::Value = serde_json::from_slice(&kelf.1).unwrap();
    let first = json["graphs"][0].clone();
    let name = first["name"].as_str().unwrap().to_owned();
    let mut second = first.clone();
    second["name"] = "other".into();
    second["definition"] = first["definition"]
        .as_str()
        .unwrap()
        .replace("sg00", "sg01")
        .into();
    json["graphs"] = vec![first, second].into();
    kelf.1 = serde_json::to_vec(&json).unwrap();
    let members: Vec<(&str, Vec<u8>)> = members
        .iter()
        .map(|m| (m.0.as_str(), m.1.clone()))
        .collect();
    let c = unpack(&tar(&members, true), 1 << 20).unwrap();
    let pool = |graph: Option<&str>| {
        let p = program(&c, G, graph).unwrap();
        let note = p
            .notes
            .iter()
            .find(|n| n.contains("--graph"))
            .cloned()
            .unwrap();
        (p.stream(Queue::parse("pool").unwrap()).unwrap().len(), note)
    };
    let note = |other: &str| {
        format!("kelf-a.json: graph {other} is not loaded; `--graph {other}` loads it")
    };
    assert_eq!(pool(None), (3, note("other")));
    assert_eq!(pool(Some(&name)), (3, note("other")));
    assert_eq!(pool(Some("other")), (1, note(&name)));
    let e = program(&c, G, Some("sg7")).unwrap_err().to_string();
    assert_eq!(
        e,
        format!("kelf-a.json: no graph sg7; there are {name}, other")
    );
}

#[test]
fn damage_is_told_with_its_member() {
    let mut members = fixture();
    let at = members.iter().position(|m| m.0 == "sg00/def.json").unwrap();
    members[at].1.truncate(100);
    let c = unpack(&tar(&members, true), 1 << 20).unwrap();
    let e = program(&c, G, None).unwrap_err().to_string();
    assert!(
        e.starts_with("sg00/def.json: ") && e.contains("line"),
        "{e}"
    );
    let mut members = fixture();
    let at = members.iter().position(|m| m.0 == "sg00/pool.bin").unwrap();
    members[at].1.pop();
    let c = unpack(&tar(&members, true), 1 << 20).unwrap();
    let e = program(&c, G, None).unwrap_err().to_string();
    assert_eq!(
        e,
        "sg00/pool.bin: 191 bytes, 63 more than a whole number of 64-byte bundles"
    );
    let file = &every_form()[0];
    let e = unpack(&file[..1500], 1 << 20).unwrap_err();
    assert!(matches!(e, NeffError::Truncated { .. }), "{e}");
}

proptest! {
    #[test]
    fn damaged_files_never_panic(form in 0..4usize, at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
        let mut file = every_form().swap_remove(form);
        let at = at.index(file.len());
        file[at] = byte;
        for file in [&file[..], &file[..cut.index(file.len())]] {
            if let Ok(c) = unpack(file, 1 << 20) {
                let _ = program(&c, G, None);
            }
        }
    }

    #[test]
    fn arbitrary_manifests_never_panic(json in "[\\[\\]{}:,\"a-z0-9-]{0,80}") {
        let mut members = fixture();
        for name in ["kelf-a.json", "sg00/def.json", "sg00/pool.json"] {
            let at = members.iter().position(|m| m.0 == name).unwrap();
            let kept = std::mem::replace(&mut members[at].1, json.clone().into_bytes());
            let c = unpack(&tar(&members, true), 1 << 20).unwrap();
            let _ = program(&c, G, None);
            members[at].1 = kept;
        }
    }
}
