//! What other schedules may differ in, and what they may not.

use super::*;

fn session_of(text: &str) -> Session {
    let options = crate::program::asm::Options::new(Generation::V3);
    let program = crate::program::asm::assemble(text, "test", &options);
    let program = program.unwrap_or_else(|e| panic!("{:?}", e.first().map(|e| e.report())));
    Session::new(program, Options::default()).unwrap()
}

/// How many of 16 other schedules end in something else.
fn variants(s: &Session) -> usize {
    s.explore(16, 1).unwrap().variants.len()
}

#[test]
fn two_stores_that_nothing_orders_differ() {
    let copy = "COPY fp32@FROM[1][16] fp32@00000080[1][16] num_active_channels=4;";
    let engine =
        |name: &str, from: &str| format!(".engine {name}\n{}\nHALT;\n", copy.replace("FROM", from));
    let text = format!(
        ".gen v3\n.fill sbuf[0:4, 0+64] as fp32 = 1.0\n.fill sbuf[0:4, 64+64] as fp32 = 2.0\n{}{}",
        engine("dve", "00000000"),
        engine("pool", "00000040"),
    );
    assert!(variants(&session_of(&text)) > 0);
    // The same value twice is the same result.
    let same = text.replace("00000040", "00000000");
    assert_eq!(variants(&session_of(&same)), 0);
}

#[test]
fn how_far_others_came_at_a_limit_or_a_fault_is_no_difference() {
    let count = |engine: &str, sem: u8| {
        format!(
            ".engine {engine}\nagain: NOP $S[{sem}]++@complete;\nCOMPARE_BRANCH cmp_op=LT_IMM cmp_dtype=u32 \
             target_mode=RELATIVE_IMMEDIATE cmp_immediate=1 cmp_reg0=r1 br_immediate=again;\n"
        )
    };
    let text = format!(".gen v3\n{}{}", count("pe", 1), count("act", 2));
    let mut s = session_of(&text);
    for engine in [Engine::Pe, Engine::Act] {
        s.set_reg(Queue::Of(engine), 1, &Value::Int(0)).unwrap();
    }
    s.set_limit(100);
    let e = s.explore(16, 1).unwrap();
    assert_eq!((e.ending, e.edits, e.variants.len()), (Ending::Limit, 2, 0));

    let posts = "NOP $S[2]++@complete;\n".repeat(8);
    let text = format!(".gen v3\n.engine pe\nNOP;\nOP_0x17;\n.engine act\n{posts}HALT;\n");
    let e = session_of(&text).explore(16, 1).unwrap();
    assert!(matches!(e.ending, Ending::Fault(_, 1, _)), "{:?}", e.ending);
    assert_eq!(e.variants.len(), 0);
}

#[test]
fn an_edit_that_was_taken_back_is_not_made() {
    let text = ".gen v3\n.engine pe\nNOP;\nHALT;\n";
    let plain = session_of(text).explore(1, 1).unwrap();
    let mut s = session_of(text);
    s.set_reg(Queue::Of(Engine::Pe), 5, &Value::Int(7)).unwrap();
    let edited = s.explore(1, 1).unwrap();
    assert_eq!(edited.edits, 1);
    assert_ne!(edited.digest, plain.digest);
    s.undo_edit().unwrap();
    let back = s.explore(1, 1).unwrap();
    assert_eq!((back.edits, back.digest), (0, plain.digest));
}
