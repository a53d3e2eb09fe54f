//! A saved state goes on exactly as the session that saved it.

use super::*;
use crate::program::load;
use crate::program::manifest;
use crate::sim::ImageError;

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::RoundRobin),
        Just(Policy::Timed),
        any::<u64>().prop_map(Policy::Random),
        any::<u64>().prop_map(Policy::Bursts),
    ]
}

fn started(program: &Lines, policy: Policy) -> Session {
    let mut options = Options {
        policy,
        ..Options::default()
    };
    let delay = program.delay.to_string();
    options.settings.set("dma.delay", &delay).unwrap();
    options.settings.set("init.memory", "zero").unwrap();
    Session::new(assembled(program), options).unwrap()
}

/// Writes what `save` writes and opens it again; `change` may change the files before that.
fn reopened(
    s: &Session,
    change: impl FnOnce(&mut Vec<(String, Vec<u8>)>),
) -> Result<Session, SessionError> {
    let dir = tempfile::tempdir().unwrap();
    let mut saved = s.manifest("run").unwrap();
    change(&mut saved.files);
    for (name, bytes) in &saved.files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let path = dir.path().join("run.toml");
    std::fs::write(&path, toml::to_string(&saved.manifest).unwrap()).unwrap();
    let input = load::Input { path, queue: None };
    let program = load::load(&[input], &load::Options::default(), &mut std::io::empty()).unwrap();
    let mut options = Options {
        policy: source::policy(&program).unwrap(),
        ..Options::default()
    };
    for said in &program.settings {
        options.settings.set(&said.what.0, &said.what.1).unwrap();
    }
    Session::new(program, options)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_future_is_the_same(program in program(), policy in policy(), steps in 0..20u64, sem in any::<u8>()) {
        let mut a = started(&program, policy);
        run(&mut a, Goal::Steps(steps, None));
        a.set_sem(sem, &Value::Int(3)).unwrap();
        let patch = Bundle::of_opcode(0xA4);
        let (queue, len) = (a.focus(), a.program().stream(a.focus()).map_or(0, Stream::len));
        if len > 0 {
            a.patch(queue, len - 1, Some(patch)).unwrap();
        }
        let mut b = reopened(&a, |_| {}).unwrap();
        let start = a.state().digest();
        prop_assert_eq!(b.state().digest(), start);
        prop_assert_eq!((b.seq(), b.generation(), b.settings), (a.seq(), a.generation(), a.settings));
        let seq = b.seq();
        let (end_a, end_b) = (run(&mut a, Goal::Continue), run(&mut b, Goal::Continue));
        prop_assert_eq!((end_a.kind, a.seq()), (end_b.kind, b.seq()));
        prop_assert_eq!(b.state().digest(), a.state().digest());
        // Back to where it began, by every way.
        let end = b.state().digest();
        run(&mut b, Goal::Goto(seq));
        prop_assert_eq!(b.state().digest(), start);
        run(&mut b, Goal::End);
        prop_assert_eq!(b.state().digest(), end);
        b.restart().unwrap();
        prop_assert_eq!((b.seq(), b.state().digest(), b.stop().seq), (seq, start, seq));
    }

    #[test]
    fn damage_is_told_and_never_a_panic(
        program in program(), steps in 0..12u64, at in any::<prop::sample::Index>(), bit in 0..8u8, cut: bool,
    ) {
        let mut a = started(&program, Policy::RoundRobin);
        run(&mut a, Goal::Steps(steps, None));
        let damaged = |image: &mut Vec<u8>| {
            let at = at.index(image.len());
            if cut { image.truncate(at) } else { image[at] ^= 1 << bit }
        };
        let is_state = |f: &&mut (String, Vec<u8>)| f.0.ends_with(".state");
        let told = reopened(&a, |files| damaged(&mut files.iter_mut().find(is_state).unwrap().1));
        let error = match told {
            Err(SessionError::State { error, .. }) => error,
            Err(e) => return Err(TestCaseError::fail(e.to_string())),
            // Never-written bytes of a page mean nothing.
            Ok(b) => {
                prop_assert_eq!(b.state().digest(), a.state().digest());
                return Ok(());
            }
        };
        // A state that was changed on purpose, with its digest, may be anything but a reason to panic.
        if let ImageError::Digest { found, .. } = error {
            let forged = reopened(&a, |files| {
                let image = &mut files.iter_mut().find(is_state).unwrap().1;
                damaged(image);
                let end = image.len() - 8;
                image[end..].copy_from_slice(&found.to_le_bytes());
            });
            if let Ok(mut b) = forged {
                b.set_limit(200);
                let _ = b.run(Goal::Continue, Budget::UNLIMITED);
                let _ = b.run(Goal::BackContinue, Budget::UNLIMITED);
            }
        }
    }
}

#[test]
fn another_policy_begins_anew() {
    let program = lines(vec![Vec::new()]);
    let a = started(&program, Policy::RoundRobin);
    let b = reopened(&a, |_| {}).unwrap();
    let with = |policy| {
        let (machine, _) = load(b.program(), b.generation(), b.active, policy).unwrap();
        machine.state().digest()
    };
    assert_eq!(with(Policy::RoundRobin), a.state().digest());
    // As a machine that never was saved.
    let fresh = started(&program, Policy::Random(9)).state().digest();
    assert_eq!(with(Policy::Random(9)), fresh);
    assert_ne!(with(Policy::Random(8)), fresh);
}

#[test]
fn what_a_container_names_is_kept() {
    use crate::program::queues::{Copy, DmaQueue, Side, Variable};
    let side = |addr| Side {
        addr,
        dims: vec![(-4, 3), (1, 2)],
    };
    let copy = Copy {
        from: side(64),
        to: side(1 << 40),
    };
    let queue = DmaQueue {
        name: "q \"in\"".into(),
        semaphore: Some(7),
        blocks: BTreeMap::from([(0, vec![copy.clone()]), (9, vec![copy.clone(), copy])]),
    };
    let variable = Variable {
        id: u32::MAX,
        name: "x/y".into(),
        addr: 1 << 33,
        bytes: 5,
    };
    let mut program = assembled(&lines(vec![Vec::new()]));
    program.variables.push(variable.clone());
    program.queues.push(queue.clone());
    program.streams[0].labels.insert("end".into(), 0);
    let s = Session::new(program, Options::default()).unwrap();
    let text = toml::to_string(&s.manifest("run").unwrap().manifest).unwrap();
    let read: manifest::Manifest = toml::from_str(&text).unwrap();
    assert_eq!(read.variables, [variable]);
    let queues: Vec<DmaQueue> = read.queues.into_iter().map(Into::into).collect();
    assert_eq!(queues, [queue]);
    assert_eq!(
        read.streams[0].labels,
        BTreeMap::from([("end".to_owned(), 0)])
    );
}
