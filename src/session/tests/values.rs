//! Expressions on a state.

use super::*;
use crate::num::Kind;

fn blank() -> Session {
    let program = Program {
        images: Vec::new(),
        ..assembled(&lines(vec![vec![]]))
    };
    Session::new(program, Options::default()).unwrap()
}

fn eval(s: &Session, e: &Expr) -> String {
    s.eval(e, None)
        .map_or_else(|e| e.to_string(), |v| v.to_string())
}

#[test]
fn state_is_visible() {
    let mut s = blank();
    let dve = Queue::Of(Engine::Dve);
    s.set_reg(dve, 5, &Value::Int(-1)).unwrap();
    s.set_sem(7, &Value::Int(3)).unwrap();
    s.set_event(9, &Value::Int(1)).unwrap();
    let int = |i| Box::new(Expr::Int(i));
    let digest = i128::from(s.state().digest()).to_string();
    let rows = [
        (Expr::Reg(None, 5), "4294967295"),
        (
            Expr::Reg(Some(Queue::Of(Engine::Pe)), 64),
            "register 64, allowed are 0..=63",
        ),
        (Expr::Pc(None), "0"),
        (Expr::Seq, "0"),
        (Expr::EngineName, "dve"),
        (Expr::Stop, "start"),
        (Expr::Digest, &digest),
        (Expr::Sem(int(7)), "3"),
        (Expr::Sem(int(256)), "semaphore 256, allowed are 0..=255"),
        (Expr::Evt(int(9)), "1"),
        (
            Expr::Evt(Box::new(Expr::Float(1.0))),
            "event 1.0, allowed are 0..=255",
        ),
        (
            Expr::New,
            "$new is known only in the condition of a watch on a place",
        ),
        (Expr::Binary(BinOp::And, int(0), Box::new(Expr::Old)), "0"),
        (Expr::Binary(BinOp::Or, int(2), Box::new(Expr::Old)), "1"),
    ];
    for (e, text) in rows {
        assert_eq!(eval(&s, &e), text, "{e:?}");
    }
    let tagged = Expr::Tagged(
        1,
        Box::new(Expr::Unary(
            UnOp::Neg,
            Box::new(Expr::Tagged(2, Box::new(Expr::Old))),
        )),
    );
    assert!(matches!(
        s.eval(&tagged, None),
        Err(EvalError::At { tag: 2, .. })
    ));
}

#[test]
fn places_and_folds() {
    let mut s = blank();
    let mut put = |part: u64, off: u64, kind: Kind, v: Value| {
        let p = place(&s, part, 1, off, kind.bytes() as u64).with_dtype(kind);
        s.set_place(&p, &v).unwrap();
    };
    let floats = [1.5, -4.0, 0.0, f64::INFINITY];
    for (i, x) in floats.into_iter().enumerate() {
        put(3, 4 * i as u64, Kind::Fp32, Value::Float(x));
    }
    for (i, x) in [-5, 3, 0, 7].into_iter().enumerate() {
        put(
            4 + i as u64 / 2,
            2 * (i as u64 % 2),
            Kind::I16,
            Value::Int(x),
        );
    }
    put(9, 0, Kind::U64, Value::Int(i128::from(u64::MAX)));
    put(9, 8, Kind::Fp4x4, Value::Float(1.5));
    put(9, 16, Kind::Fp32, Value::Float(f64::NAN));
    let at = |part, parts, off, len, kind| place(&s, part, parts, off, len).with_dtype(kind);
    let fold = |f: &str, p: Place| eval(&s, &Expr::Fold(Func::parse(f).unwrap(), p));
    let all = at(3, 1, 0, 16, Kind::Fp32);
    for (f, text) in [
        ("min", "-4.0"),
        ("max", "inf"),
        ("absmax", "inf"),
        ("infs", "1"),
        ("zeros", "1"),
        ("nans", "0"),
        ("mean", "inf"),
    ] {
        assert_eq!(fold(f, all), text, "{f}");
    }
    assert_eq!(fold("sum", at(3, 1, 0, 12, Kind::Fp32)), "-2.5");
    let ints = at(4, 2, 0, 4, Kind::I16);
    for (f, text) in [
        ("min", "-5"),
        ("max", "7"),
        ("sum", "5"),
        ("absmax", "7"),
        ("mean", "1.25"),
        ("zeros", "1"),
    ] {
        assert_eq!(fold(f, ints), text, "{f}");
    }
    assert_eq!(fold("sum", at(9, 1, 8, 2, Kind::Fp4x4)), "6.0");
    assert_eq!(fold("max", at(9, 1, 16, 4, Kind::Fp32)), "nan");
    // Row 3 has 16 written bytes of 32; the element that holds some unwritten byte counts.
    assert_eq!(fold("uninit", at(3, 1, 0, 32, Kind::Fp32)), "4");
    assert_eq!(fold("uninit", at(4, 1, 0, 8, Kind::U64)), "1");
    assert_eq!(fold("uninit", at(40, 3, 0, 16, Kind::Bf16)), "24");
    let value = |p: Place| eval(&s, &Expr::Place(p));
    assert_eq!(value(at(9, 1, 0, 8, Kind::U64)), "18446744073709551615");
    assert_eq!(value(at(9, 1, 0, 8, Kind::I64)), "-1");
    assert_eq!(value(place(&s, 9, 1, 0, 1)), "255");
    assert_eq!(
        value(place(&s, 9, 1, 0, 4)),
        "sbuf[9, 0x0+4] has no dtype; add `as DTYPE`"
    );
    assert_eq!(
        value(all),
        "sbuf[3, 0x0+16] as fp32 has 4 elements; a value has one (use min, max, sum, ... over a place)"
    );
    assert_eq!(
        fold("sum", at(3, 1, 0, 6, Kind::Fp32)),
        "sbuf[3, 0x0+6] as fp32 has 6 bytes per partition, not a multiple of the 4 of fp32"
    );
}

#[test]
fn assignments_must_fit() {
    let mut s = blank();
    let byte = place(&s, 0, 1, 0, 1).with_dtype(Kind::U8);
    let refused = |r: Result<u64, SessionError>| r.unwrap_err().to_string();
    assert_eq!(
        refused(s.set_place(&byte, &Value::Int(256))),
        "u8 takes an integer in 0..=255, found 256"
    );
    assert_eq!(
        refused(s.set_place(&byte, &Value::Float(0.5))),
        "u8 takes an integer in 0..=255, found 0.5"
    );
    assert!(s.set_place(&byte, &Value::Float(255.0)).is_ok());
    assert_eq!(s.state().bytes(Space::Sbuf, 0, 0, 1), Some(&[255u8][..]));
    let sem = s.set_sem(0, &Value::Int(1 << 32));
    assert_eq!(
        refused(sem),
        "sem[0] takes an integer of 32 bits, found 4294967296"
    );
    assert_eq!(
        refused(s.set_event(0, &Value::Int(2))),
        "evt[0] takes 0 or 1, found 2"
    );
    // fp8: nearest even, not the machine's own cut-off.
    let fp8 = byte.with_dtype(Kind::Fp8E5);
    s.set_place(&fp8, &Value::Float(1.0e-5)).unwrap();
    assert_eq!(s.state().bytes(Space::Sbuf, 0, 0, 1), Some(&[1u8][..]));
}
