//! The shipped session replays, and a changed value is noticed.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn replay(session: &Path) -> (i32, String) {
    let output = Command::cargo_bin("tpbdbg")
        .unwrap()
        .arg("replay")
        .arg(session)
        .output()
        .unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

#[test]
fn the_shipped_session_replays_and_an_edited_one_differs() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sessions/pipeline.session");
    assert_eq!(replay(&shipped).0, 0);
    let dir = tempfile::tempdir().unwrap();
    let edited = dir.path().join("edited.session");
    let text = fs::read_to_string(&shipped).unwrap();
    let changed = text.replace("23.546875", "23.5");
    assert_ne!(text, changed);
    fs::write(&edited, changed).unwrap();
    let (code, said) = replay(&edited);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("23.546875") && said.contains("23.5"),
        "{said}"
    );
}
