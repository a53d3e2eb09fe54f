//! Wide values against arithmetic written down here.

use proptest::prelude::*;

use super::*;
use crate::isa::Generation;
use crate::program::asm::{self, assemble};
use crate::session::{Goal, Options, tests as programs};

fn session(text: &str) -> Session {
    session_of(Generation::V3, text)
}

fn session_of(generation: Generation, text: &str) -> Session {
    let options = asm::Options::new(generation);
    let program = assemble(text, "test", &options).unwrap();
    let mut s = Session::new(program, Options::default()).unwrap();
    programs::run(&mut s, Goal::Continue);
    s.set_shadow(true);
    s
}

/// Wide values of a place, element by element; `None` where memory is exact.
fn wide(s: &mut Session, name: &str) -> Vec<Option<f64>> {
    let place = s.place(name).unwrap();
    s.errors(&place).unwrap();
    let kind = place.dtype.unwrap();
    let scope = s.shadow.as_ref().unwrap();
    let n = place.elements(kind).unwrap();
    let at = (0..n).map(|i| element(&place, kind, i));
    at.map(|e| scope.values.get(e.space, e.part, e.off, kind.bytes()))
        .collect()
}

/// 256 + 1 is 256 in bf16, whose numbers are 2 apart there: four additions are lost.
#[test]
fn lost_additions() {
    let add = "TENSOR_SCALAR_ARITH_OP bf16@a[1][2] bf16@a[1][2] num_active_channels=1 op0=ADD op1=BYPASS imm0=1.0;\n";
    let text = format!(
        ".gen v3\n.engine any\n.place a sbuf[0, 0+4] as bf16\n.data a as bf16 = 256.0, 1.0\n{}HALT;",
        add.repeat(4)
    );
    let mut s = session(&text);
    assert_eq!(wide(&mut s, "a"), [Some(260.0), Some(5.0)]);
    let place = s.place("a").unwrap();
    let e = s.errors(&place).unwrap();
    assert_eq!(
        (e.elements, e.carried, e.ulp, e.abs, e.rel),
        (2, 2, 2, 4.0, 4.0 / 260.0)
    );
    let (at, held, exact) = e.worst.unwrap();
    assert_eq!((at.off, held, exact), (0, 0x4380, 260.0));
    // Off by 1, 2, 3, 4 after each.
    for (bound, measure, seq) in [
        (0.5, Measure::Abs, Some(0)),
        (2.5, Measure::Abs, Some(2)),
        (0.0, Measure::Ulp, Some(1)),
        (1.0, Measure::Ulp, Some(2)),
        (0.012, Measure::Rel, Some(3)),
        (4.0, Measure::Abs, None),
    ] {
        let found = s.first_error(&place, bound, measure).unwrap();
        assert_eq!(found.map(|f| f.seq), seq, "{bound} {measure:?}");
    }
    // At another point of time, by whatever way: the errors of then.
    for seq in [2, 0, 3, 1, 4] {
        programs::run(&mut s, Goal::Goto(seq));
        let e = s.errors(&place).unwrap();
        assert_eq!(e.abs, seq as f64);
        assert_eq!(e.carried, if seq == 0 { 0 } else { 2 });
    }
}

/// A product of bf16 in three passes over fp32 sums, with the accumulation order of the machine taken out.
#[test]
fn products() {
    let text = ".gen v3\n.engine any\n.place x sbuf[0:32, 0x1000+32] as bf16\n.place w sbuf[0:32, 0x2000+64] as bf16\n\
        .place acc psum[0:32, bank 1, 0:64] as fp32\n.place y sbuf[0:32, 0x3000+64] as fp32\n.fill x as bf16 = 0.1\n.fill w as bf16 = 3.0\n\
        LDWEIGHTS bf16@w+62[-1][32] num_active_rows=32 num_active_cols=32 row_grp=Q0 col_grp=Q0;\n\
        MATMUL bf16@x[1][16] fp32@acc[1][16] num_active_rows=32 num_active_cols=32 psum_accumulate_flags=MULTI_START row_grp=Q0 col_grp=Q0;\n\
        MATMUL bf16@x[1][16] fp32@acc[1][16] num_active_rows=32 num_active_cols=32 psum_accumulate_flags=MULTI_END row_grp=Q0 col_grp=Q0;\n\
        TENSOR_SCALAR_ARITH_OP fp32@acc[1][16] fp32@y[1][16] num_active_channels=32 op0=MULT op1=ADD imm0=0.5 imm1=1.0;\nHALT;";
    let mut s = session(text);
    // 0.1 in bf16 is 0x3DCD.
    let x = f64::from(f32::from_bits(0x3DCD_0000));
    let sum = 2.0 * 32.0 * 3.0 * x;
    for value in wide(&mut s, "acc") {
        assert!((value.unwrap() - sum).abs() < 1e-12, "{value:?} {sum}");
    }
    for value in wide(&mut s, "y") {
        assert!((value.unwrap() - (0.5 * sum + 1.0)).abs() < 1e-12);
    }
    let y = s.place("y").unwrap();
    assert!(s.errors(&y).unwrap().anew.is_empty());
}

/// exp(x - max) / sum, with the scalars behind pointers and the accumulator of ACT (the softmax sample), in f64.
#[test]
fn softmax() {
    let program = crate::program::load::load(
        &[crate::program::load::Input {
            path: concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/softmax.tasm").into(),
            queue: None,
        }],
        &crate::program::load::Options::default(),
        &mut std::io::empty(),
    );
    let mut s = Session::new(program.unwrap(), Options::default()).unwrap();
    programs::run(&mut s, Goal::Continue);
    s.set_shadow(true);
    let found = wide(&mut s, "y");
    let x = s.place("x").unwrap();
    let mut bytes = Vec::new();
    s.state().read_into(&x.rect(), &mut bytes).unwrap();
    let x: Vec<f64> = bytes
        .chunks(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()).into())
        .collect();
    for (row, y) in x.chunks(256).zip(found.chunks(256)) {
        let most = row.iter().copied().fold(f64::MIN, f64::max);
        let exp: Vec<f64> = row.iter().map(|x| (x - most).exp()).collect();
        let sum: f64 = exp.iter().sum();
        for (e, y) in exp.iter().zip(y) {
            let expected = e / sum;
            assert!(
                (y.unwrap() - expected).abs() <= 1e-12 * expected,
                "{y:?} {expected}"
            );
        }
    }
}

/// DMA keeps the values where the bytes go, and a cast on the way changes their size.
#[test]
fn transfers_keep_values() {
    let text = ".gen v3\n.engine any\n.place a sbuf[0, 0+16] as fp32\n.place d dram[0x1000+32] as fp32\n.place h dram[0x2000+8] as bf16\n\
        .data a as fp32 = 1.0, 2.0, 3.0, 4.0\n\
        TENSOR_SCALAR_ARITH_OP fp32@a[1][4] fp32@a[1][4] num_active_channels=1 op0=MULT op1=BYPASS imm0=0.1;\n\
        DMAMEMCPY semaphore=0 sem_increment=0 src_start_addr=sbuf[0,0] src_step_elem=4,0 src_num_elem=4,1 src_elem_size=4 dst_start_addr=dram[0x1000] dst_step_elem=8,0 dst_num_elem=4,1 dst_elem_size=4 in_dtype=fp32 out_dtype=fp32;\n\
        DMAMEMCPY semaphore=0 sem_increment=0 src_start_addr=sbuf[0,0] src_step_elem=0,0 src_num_elem=1,1 src_elem_size=16 dst_start_addr=dram[0x2000] dst_step_elem=0,0 dst_num_elem=1,1 dst_elem_size=8 in_dtype=fp32 out_dtype=bf16;\nHALT;";
    let mut s = session(text);
    let tenths = [1.0, 2.0, 3.0, 4.0].map(|x: f64| Some(x * f64::from(0.1f32)));
    let d = wide(&mut s, "d");
    assert_eq!(d.iter().step_by(2).copied().collect::<Vec<_>>(), tenths);
    assert!(d.iter().skip(1).step_by(2).all(Option::is_none));
    assert_eq!(wide(&mut s, "h"), tenths);
}

/// 240 is the largest fp8e4 and 16 the step there: 448 is 13 steps beyond.
#[test]
fn saturation_is_counted_in_steps() {
    let text = ".gen v3\n.engine any\n.place a sbuf[0, 0+8] as fp32\n.place q sbuf[0, 0x100+2] as fp8e4\n.data a as fp32 = 448.0, 8.0\n\
        CAST fp32@a[1][2] fp8e4@q[1][2] num_active_channels=1;\nHALT;";
    let mut s = session(text);
    let q = s.place("q").unwrap();
    let e = s.errors(&q).unwrap();
    assert_eq!((e.ulp, e.abs), (13, 208.0));
    assert_eq!(beyond(Kind::Fp32, 0x3F80_0000, 1.0 + 1e-8), 0);
}

/// 0x78 is infinite as fp8e4 and 256 as fp8e4fn (isa 13 §1): what was not computed is read as the machine reads it.
#[test]
fn fp8_is_read_as_set() {
    let text = ".gen v3\n.engine any\n.place q sbuf[0, 0x100+1] as fp8e4\n.place a sbuf[0, 0+4] as fp32\n.data q as u8 = 0x78\n\
        CAST fp8e4@q[1][1] fp32@a[1][1] num_active_channels=1;\nHALT;";
    let program = assemble(text, "test", &asm::Options::new(Generation::V3)).unwrap();
    let mut options = Options::default();
    options.settings.set("numerics.fp8e4", "fn").unwrap();
    let mut s = Session::new(program, options).unwrap();
    programs::run(&mut s, Goal::Continue);
    s.set_shadow(true);
    assert_eq!(wide(&mut s, "a"), [Some(256.0)]);
}

/// Passes of PE that are no plain products: UINT8 with zero points (isa 05 §3.3) and transposes (§6.5).
#[test]
fn other_passes_start_anew() {
    // An identity once the last column is loaded first.
    let ones = (0..32 * 32).map(|i| if i / 32 + i % 32 == 31 { "1" } else { "0" });
    let ones: Vec<&str> = ones.collect();
    let cases = [
        (
            Generation::V2,
            "u8",
            1,
            "quant_offset=0x0202 xbus_sel=1",
            "quant_offset=0x0202 xbus_sel=1",
        ),
        (Generation::V3, "bf16", 2, "", "transpose_mode=1"),
    ];
    for (generation, dtype, size, load, product) in cases {
        let text = format!(
            ".gen {generation}\n.engine any\n.place x sbuf[0:32, 0x1000+{n}] as {dtype}\n.place w sbuf[0:32, 0x2000+{n}] as {dtype}\n\
            .place acc psum[0:32, bank 1, 0+128] as fp32\n.fill x as {dtype} = 5\n.data w as {dtype} = {ones}\n\
            LDWEIGHTS {dtype}@w[1][32] num_active_rows=32 num_active_cols=32 row_grp=Q0 col_grp=Q0 {load};\n\
            MATMUL {dtype}@x[1][32] fp32@acc[1][32] num_active_rows=32 num_active_cols=32 psum_accumulate_flags=3 row_grp=Q0 col_grp=Q0 {product};\nHALT;",
            n = 32 * size,
            ones = ones.join(", "),
        );
        let mut s = session_of(generation, &text);
        assert_eq!(s.seq(), 3, "{:?}", s.stop());
        let acc = s.place("acc").unwrap();
        let e = s.errors(&acc).unwrap();
        assert_eq!((e.carried, e.abs), (0, 0.0), "{product}");
        assert_eq!(e.anew.get("MATMUL"), Some(&1), "{product}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The way to a point of time does not matter.
    #[test]
    fn errors_are_those_of_the_point(program in programs::program(), seqs in prop::collection::vec(0..30u64, 1..5), off in 0..30u64) {
        let mut s = programs::session(&program);
        programs::run(&mut s, Goal::Continue);
        s.set_shadow(true);
        let place = programs::place(&s, 0, 4, off * 64, 256).with_dtype(Kind::Fp32);
        let end = s.seq();
        let mut known = Vec::new();
        for seq in 0..=end {
            programs::run(&mut s, Goal::Goto(seq));
            let e = s.errors(&place).unwrap();
            known.push(e);
        }
        for seq in seqs.into_iter().map(|n| n % (end + 1)) {
            programs::run(&mut s, Goal::Goto(seq));
            // As text: a NaN is not equal to itself.
            prop_assert_eq!(format!("{:?}", s.errors(&place).unwrap()), format!("{:?}", known[seq as usize]));
        }
    }

    /// Every operation means in f64 what it means in fp32.
    #[test]
    fn operations_are_those_of_the_machine(a in -40i16..40, b in -40i16..40) {
        let (a, b) = (f32::from(a) / 4.0, f32::from(b) / 4.0);
        for op in 0..=u8::MAX {
            let Some(wide) = eval::alu(op.into(), a.into(), b.into()) else {
                continue;
            };
            let held = num::f32_op(op, a, b, num::MinMaxNan::Num);
            prop_assert!(held.is_some(), "{op:#x}");
            let held = held.unwrap();
            let same = held == wide as f32 || held.is_nan() && wide.is_nan();
            let near = (f64::from(held) - wide).abs() <= 1e-6 * wide.abs();
            prop_assert!(same || near, "{op:#x} {a} {b}: {held} {wide}");
        }
    }

    /// Small integers are exact in fp32: at most 9 * 7^6.
    #[test]
    fn exact_programs_have_no_error(
        data in prop::collection::vec(-9i32..10, 4),
        ops in prop::collection::vec((prop::sample::select(vec!["ADD", "SUBTRACT", "MULT", "MAX", "MIN"]), -7i32..8), 1..7),
    ) {
        let data: Vec<String> = data.iter().map(|x| format!("{x}.0")).collect();
        let lines: String = ops
            .iter()
            .map(|(op, x)| format!(
                "TENSOR_SCALAR_ARITH_OP fp32@a[1][4] fp32@a[1][4] num_active_channels=1 op0={op} op1=BYPASS imm0={x}.0;\n"
            ))
            .collect();
        let mut s = session(&format!(
            ".gen v3\n.engine any\n.place a sbuf[0, 0+16] as fp32\n.data a as fp32 = {}\n{lines}HALT;",
            data.join(", ")
        ));
        let a = s.place("a").unwrap();
        let e = s.errors(&a).unwrap();
        prop_assert_eq!((e.elements, e.carried, e.ulp, e.abs, e.rel), (4, 4, 0, 0.0, 0.0));
    }
}
