use super::*;
use crate::program::asm::{Options as AsmOptions, assemble};

/// `rule severity queue:index` of every report.
fn reports(source: &str) -> Vec<String> {
    let p = assemble(source, "t", &AsmOptions::new(Generation::V3)).unwrap();
    let mut out = Vec::new();
    each(&p, &Options::new(Generation::V3), |r| {
        let Site { queue, index } = r.site;
        out.push(format!(
            "{} {} {}:{index}",
            r.rule,
            r.severity.name(),
            queue.name()
        ));
    })
    .unwrap();
    out
}

#[test]
fn branch_targets() {
    let b = "COMPARE_BRANCH target_mode=RELATIVE_IMMEDIATE";
    assert_eq!(reports(&format!("{b} br_immediate=1\n")), [] as [&str; 0]);
    assert_eq!(
        reports(&format!("{b} br_immediate=2\n")),
        ["branch-target error any:0"]
    );
    let found = reports(&format!(".branch rel\n{b} br_immediate=32 debug_hint=2"));
    assert_eq!(
        found,
        ["branch-target error any:0", "branch-form info any:0"]
    );
    let mixed = format!("PSEUDO_INST sub=EXIT_EXECUTION\n{b} br_immediate=0xffffffc0 debug_hint=2");
    assert_eq!(reports(&mixed), ["branch-form warn any:1"]);
}

#[test]
fn waits_without_a_post() {
    assert_eq!(
        reports(".engine pe\nNOP $S[3]>0"),
        ["never-posted info pe:0"]
    );
    assert_eq!(
        reports(".engine pe\nNOP $S[3]>0\n.engine act\nNOP $S[3]++"),
        [] as [&str; 0]
    );
    assert_eq!(
        reports("NOP $S[3]>=0\nNOP $S[3]<5\nNOP $S[3]>=r1"),
        [] as [&str; 0]
    );
    assert_eq!(reports("NOP $E[3]==1"), ["never-posted info any:0"]);
    assert_eq!(
        reports("NOP $E[3]==0:set\nNOP $E[3]==1:clear"),
        [] as [&str; 0]
    );
    // A queue posts its own semaphore.
    assert_eq!(
        reports("NOP $S[3]>0\nPSEUDO_DMA_TRIGGER q block_id=0"),
        [] as [&str; 0]
    );
}

#[test]
fn findings_count_bundles() {
    let p = assemble(
        ".engine pe\nNOP debug_cmd=2\nNOP\nNOP debug_cmd=2\nNOP raw[20]=01",
        "t",
        &AsmOptions::new(Generation::V3),
    )
    .unwrap();
    let all = findings(&p, &Options::new(Generation::V3)).unwrap();
    let short: Vec<_> = all
        .iter()
        .map(|f| (f.rule, f.severity, f.count, f.first.index, f.last.index))
        .collect();
    assert_eq!(
        short,
        [
            ("reserved", Severity::Error, 1, 3, 3),
            ("debug-cmd", Severity::Warn, 2, 0, 2)
        ]
    );
    let mut options = Options::new(Generation::V3);
    options.settings.reserved = Severity::Warn;
    assert!(
        findings(&p, &options)
            .unwrap()
            .iter()
            .all(|f| f.severity == Severity::Warn)
    );
}
