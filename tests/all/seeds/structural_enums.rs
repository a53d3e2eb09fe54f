//! structural-enums.txt: names, numbers, texts, wire forms, and what runs.

use tpbdbg::isa::fields::{AccumCmd, WireDim};
use tpbdbg::isa::structural::*;
use tpbdbg::isa::{Engine, Generation, Queue, Severity, Space, table};

use super::rig::{Rig, check, errors, hex, line, ramp, with};

const V3: Generation = Generation::V3;

/// isa 07d: DVE, ZERO_ACCUMULATE, multiply by 2, fold with MAX; four elements of one lane.
const CACHE_REDUCE: &str = "9a100000000000000000000003000000000000000100000000000400010001000a0a010006080000000000400000000080000000010000000000040001000100";
/// isa 07d: reads that accumulator, negated, to 0xc0.
const READ_ACCUMULATOR: &str = "9b100000000000000000000000000000000000000000000000000000010000000a0101000000000000000000c000000001000100000000000000000000000000";
/// isa 07d: TENSOR_REDUCE ADD over X.
const REDUCE: &str = "42100000000000000000000000000000010040000000000040000800010001000a0a800004020000000000000040000001000000000000000800010001000100";

fn said<T: std::fmt::Debug>(r: Result<T, StructuralError>) -> String {
    r.unwrap_err().to_string()
}

/// Prints and parses a whole enumeration.
macro_rules! table {
    ($ty:ident, $first:literal, $step:literal, $names:expr) => {
        assert_eq!($ty::ALL.len(), $names.len());
        for (i, name) in $names.iter().enumerate() {
            let n = $first + $step * i as u32;
            assert_eq!($ty::from_ordinal(n).map($ty::name), Ok(*name));
            assert_eq!($ty::parse(name).map($ty::ordinal), Ok(n));
        }
    };
}

const INTERNAL: [&str; 8] = [
    "Unassigned",
    "Pool",
    "Activation",
    "PE",
    "DMA",
    "DVE",
    "SP",
    "ALL",
];
const EXTERNAL: [&str; 8] = [
    "Unassigned",
    "GPSIMD",
    "Scalar",
    "Tensor",
    "SyncDMA",
    "Vector",
    "Sync",
    "All",
];

#[test]
fn e1_e2_e4_engine_names() {
    table!(EngineType, 0, 1, INTERNAL);
    for (i, e) in EngineType::ALL.iter().enumerate() {
        assert_eq!(e.external_name(), EXTERNAL[i]);
        assert_eq!(EngineType::parse_external(EXTERNAL[i]), Ok(*e));
        let (a, b) = (INTERNAL[i], EXTERNAL[i]);
        assert_eq!(a.eq_ignore_ascii_case(b), i == 0 || i == 7);
    }
}

#[test]
fn e3_gpsimd_is_pool() {
    assert_eq!(
        EngineType::parse_external("GPSIMD").map(EngineType::ordinal),
        Ok(1)
    );
    assert!(EngineType::parse_external("PWP").is_err());
    assert_eq!(said(EngineType::parse("PWP")), "Unknown EngineType 'PWP'");
    assert_eq!(Queue::parse("gpsimd"), Some(Queue::Of(Engine::Pool)));
    assert_eq!(Queue::parse("pool"), Queue::parse("gpsimd"));
}

#[test]
fn e5_e6_unknown_members() {
    assert_eq!(said(EngineType::from_ordinal(8)), "Unknown EngineType '8'");
    assert_eq!(
        said(AxisListType::from_ordinal(6)),
        "Unknown AxisListType '6'"
    );
    assert_eq!(
        said(TransposeOps::parse("WZYX")),
        "Unknown TransposeOps 'WZYX'"
    );
    assert_eq!(
        said(IndirectDim::from_ordinal(4)),
        "Unknown IndirectDim '4'"
    );
    let e = said(EngineAccumulationType::from_ordinal(6));
    assert_eq!(e, "Unknown EngineAccumulationType '6'");
}

#[test]
fn e7_external_name_for_an_internal_one() {
    for (i, e) in EngineType::ALL.iter().enumerate() {
        let wanted = format!(
            "ExternalEngineType used as EngineType. External: {} Internal: {}",
            EXTERNAL[i], INTERNAL[i]
        );
        assert_eq!(e.misused().to_string(), wanted);
        if INTERNAL[i] != EXTERNAL[i] {
            assert_eq!(said(EngineType::parse(EXTERNAL[i])), wanted);
        }
    }
}

#[test]
fn e8_engine_instances() {
    for (text, engine, id) in [("PE0", 3, 0), ("Pool1", 1, 1), ("DMA13", 4, 13)] {
        let info = EngineInfo::parse(text).unwrap();
        assert_eq!((info.engine.ordinal(), info.id), (engine, id));
        assert_eq!(info.to_string(), text);
    }
    assert!(EngineInfo::parse("PE").is_err());
    assert!(EngineInfo::parse("PE4294967296").is_err());
    assert_eq!(said(EngineInfo::parse("Foo0")), "Unknown EngineType 'Foo'");
}

#[test]
fn e9_e10_engine_counts() {
    let offsets = [0x6C, 0x74, 0x78, 0x70, 0x80, 0x7C, 0x84, 0x88];
    for (e, offset) in EngineType::ALL.iter().zip(offsets) {
        assert_eq!(e.count_offset(), offset);
        assert!(Generation::MODELLED.iter().all(|g| e.count(*g) == 1));
    }
}

#[test]
fn e11_e12_e16_arch_levels() {
    let names = ["inferentia", "sunda", "gen3", "core_v4", "core_v5"];
    table!(ArchLevel, 10, 10, names);
    assert!(ArchLevel::parse("cayman").is_err() && ArchLevel::parse("mariana").is_err());
    let targets = ["inferentia", "sunda", "cayman", "mariana", "core_v5"];
    for (level, target) in ArchLevel::ALL.iter().zip(targets) {
        assert_eq!(level.runtime_target(), target);
    }
}

#[test]
fn e13_e14_e15_e17_models() {
    let boards = [
        (10, &["inf1", "inferentia", "tonga"][..]),
        (20, &["inf2", "sunda", "trainium", "trn1"]),
        (30, &["cayman", "gen3"]),
        (40, &["core_v4"]),
    ];
    for (model, (level, names)) in MODELS.iter().zip(boards) {
        let mut all = model.names.to_vec();
        all.sort_unstable();
        assert_eq!((model.level.ordinal(), all.as_slice()), (level, names));
        for name in names {
            assert_eq!(hardware_model(name).map(|m| m.level.ordinal()), Ok(level));
        }
    }
    assert_eq!(MODELS.iter().map(|m| m.names.len()).sum::<usize>(), 10);
    assert_eq!(Generation::parse("trn1"), Some(Generation::V2));
    assert_eq!(said(hardware_model("core_v5")), "Unknown architecture");
    assert_eq!(said(ArchLevel::from_ordinal(60)), "Unknown architecture");
    assert_eq!(
        ArchLevel::from_ordinal(50).map(ArchLevel::name),
        Ok("core_v5")
    );
}

#[test]
fn e18_e19_accumulation_types() {
    let names = [
        "Idle",
        "Zero",
        "Accumulate",
        "ZeroAccumulate",
        "AddAccumulate",
        "LoadAccumulate",
    ];
    table!(EngineAccumulationType, 0, 1, names);
    let wire = [Some(0), Some(1), None, Some(3), Some(2), Some(4)];
    for (t, byte) in EngineAccumulationType::ALL.iter().zip(wire) {
        assert_eq!(t.wire().ok().map(|w| w.0), byte);
        if let Some(byte) = byte {
            assert_eq!(EngineAccumulationType::from_wire(AccumCmd(byte)), Some(*t));
        }
    }
    let b = |cmd| with(hex(CACHE_REDUCE), &[(12, &[cmd])]);
    let found = check(&b(5), V3, None);
    let at = |v: &&tpbdbg::isa::Violation| v.byte == 12 && v.severity == Severity::Error;
    assert!(found.iter().any(|v| at(&v)), "{found:?}");
    for (cmd, name) in [(2, "=ACCUMULATE"), (4, "=LOAD_ACCUMULATE")] {
        let text = line(&b(cmd), V3);
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn e20_e28_e33_e35_wire_numbers() {
    let engines = EngineType::ALL.iter().map(|e| e.engine().map(|w| w as u8));
    let wanted = [
        None,
        Some(2),
        Some(1),
        Some(0),
        None,
        Some(3),
        Some(4),
        None,
    ];
    assert_eq!(engines.collect::<Vec<_>>(), wanted);
    let dims = AxisListType::ALL.iter().map(|a| a.sub_dim().map(|s| s.0));
    let wanted = [Some(2), Some(3), Some(4), Some(5), None, None];
    assert_eq!(dims.collect::<Vec<_>>(), wanted);
    assert_eq!(AXES, ['W', 'Z', 'Y', 'X']);
    table!(IndirectDim, 0, 1, ["W", "Z", "Y", "X"]);
    for (d, wire) in IndirectDim::ALL.iter().zip([3, 2, 1, 0]) {
        assert_eq!(d.wire(), WireDim(wire));
        assert_eq!(IndirectDim::from_wire(WireDim(wire)), Some(*d));
        assert_eq!(WireDim(wire).to_string(), d.name());
    }
}

#[test]
fn e21_e22_the_accumulator_is_not_psum() {
    let mut r = Rig::new(V3);
    r.put(Space::Psum, 0, 0, &ramp(64));
    let before = r.bytes(Space::Psum, 0, 0, 0x4000);
    r.put(Space::Sbuf, 0, 0, &[1.0, 2.0, 3.0, 4.0]);
    r.run(hex(CACHE_REDUCE)).unwrap();
    assert_eq!(r.floats(0, 0x80, 4), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(r.bytes(Space::Psum, 0, 0, 0x4000), before);
    r.run(hex(READ_ACCUMULATOR)).unwrap();
    assert_eq!(r.floats(0, 0xC0, 1), [-8.0]);
}

#[test]
fn e23_e24_e25_e26_e27_e29_e34_json_keys() {
    let read =
        |text: &str| serde_json::from_str::<InstructionFields>(text).map_err(|e| e.to_string());
    let number = |t: Option<EngineAccumulationType>| t.map(EngineAccumulationType::ordinal);
    let f = read(r#"{"accumulator_cmd": "AddAccumulate"}"#).unwrap();
    assert_eq!(number(f.accumulator_cmd), Some(4));
    let f = read(r#"{"reduce_cmd": "ZeroAccumulate"}"#).unwrap();
    assert_eq!(number(f.reduce_cmd), Some(3));
    let e = read(r#"{"reduce_cmd": "ResetReduce"}"#).unwrap_err();
    assert!(
        e.contains("Unknown EngineAccumulationType 'ResetReduce'"),
        "{e}"
    );
    let f = read(r#"{"accumulation_flag": true}"#).unwrap();
    assert_eq!(f.accumulation_flag, Some(true));
    assert!(read(r#"{"accumulation_flag": "Accumulate"}"#).is_err());
    assert!(read(r#"{"reduce_cmd": 3}"#).is_err());
    let t: TensorFields = serde_json::from_str("{}").unwrap();
    assert_eq!(t.partition_dim, 0);
    let f = read(r#"{"indirect_dim": "X", "indirect_dim_max_index": 7, "indirect_dims": ["Y"], "num_tensor_indirect_indices": 4}"#).unwrap();
    assert_eq!(f.indirect_dim.map(IndirectDim::ordinal), Some(3));
    assert_eq!(f.indirect_dims, Some(vec![IndirectDim::Y]));
    assert_eq!(
        (f.indirect_dim_max_index, f.num_tensor_indirect_indices),
        (Some(7), Some(4))
    );
    let e = read(r#"{"indirect_dim": "V"}"#).unwrap_err();
    assert!(e.contains("Unknown IndirectDim 'V'"), "{e}");
}

#[test]
fn e30_e31_e32_e43_reductions() {
    table!(AxisListType, 0, 1, ["X", "XY", "XYZ", "XYZW", "XYZWC", "C"]);
    assert_eq!(
        (Reducer::TensorReduce as u32, Reducer::Pool as u32),
        (27, 20)
    );
    let counts = [128, 4, 8, 16];
    let ops = |by, axes: u32, counts: &[u64]| {
        reduce_ops(by, AxisListType::from_ordinal(axes).unwrap(), counts).ok()
    };
    for (axes, product) in (0..).zip([Some(16), Some(128), Some(512), Some(65536), None, None]) {
        assert_eq!(ops(Reducer::TensorReduce, axes, &counts), product);
        assert_eq!(ops(Reducer::Pool, axes, &counts), Some(128));
    }
    assert_eq!(ops(Reducer::TensorReduce, 0, &[128, 16]), None);
}

#[test]
fn e36_e37_transposes() {
    let names = [
        "None", "WZXY", "WXZY", "WYXZ", "ZWYX", "ZYWX", "ZYXW", "YXWZ", "YXZW", "YWZX", "XWZY",
        "XZYW", "XYZW", "XYWZ",
    ];
    let perms = "0123 0132 0312 0231 1023 1203 1230 2301 2310 2013 3012 3120 3210 3201";
    table!(TransposeOps, 0, 1, names);
    for (op, perm) in TransposeOps::ALL.iter().zip(perms.split(' ')) {
        let found: String = op.permutation().iter().map(ToString::to_string).collect();
        assert_eq!(found, perm, "{op}");
    }
    let none = "WZYX WYZX WXYZ ZWXY ZXWY ZXYW YWXZ YZWX YZXW XWYZ XZWY";
    for name in none.split(' ') {
        assert_eq!(
            said(TransposeOps::parse(name)),
            format!("Unknown TransposeOps '{name}'")
        );
    }
    assert_eq!(
        said(TransposeOps::from_ordinal(14)),
        "Unknown TransposeOps '14'"
    );
}

#[test]
fn e38_e39_e40_dma_transpose() {
    let op = TransposeOps::Zyxw;
    let text = "Source and destination access pattern must be 4-D";
    assert_eq!(said(dma_transpose(op, 3, 4, Space::Sbuf)), text);
    assert_eq!(said(dma_transpose(op, 4, 3, Space::Sbuf)), text);
    let e = said(dma_transpose(op, 4, 4, Space::Dram));
    assert!(
        e.starts_with("Destination must be") && e.ends_with("a SB location"),
        "{e}"
    );
    let made = dma_transpose(op, 4, 4, Space::Sbuf).unwrap();
    assert_eq!((made.mode.ordinal(), made.ops), (1, op));
}

#[test]
fn e41_xyzw_folds_inside_each_partition() {
    // op_dim 5 over counts 2, 3, 2, 2: 24 elements to one per partition.
    let src = hex("00000000 0100020006000c00 0200030002000200");
    let dst = hex("00400000 0100000000000000 0100010001000100");
    let mut b = hex(REDUCE);
    b.put(12, src.slice(0, 20));
    b.put(44, dst.slice(0, 20));
    b.put(37, &[5]);
    assert_eq!(errors(&b, V3), [] as [&str; 0], "{}", line(&b, V3));
    let mut r = Rig::new(V3);
    for part in 0..128u16 {
        let row: Vec<f32> = (0..24).map(|i| f32::from(i + part)).collect();
        r.put(Space::Sbuf, part, 0, &row);
    }
    r.run(b).unwrap();
    for part in 0..128u16 {
        assert_eq!(r.floats(part, 0x4000, 1), [276.0 + 24.0 * f32::from(part)]);
    }
}

#[test]
fn e42_e44_engines_of_opcodes() {
    for opcode in [0x45, 0x67, 0x68, 0x7E, 0xE7, 0xF2, 0xBF] {
        let b = with(hex("0010"), &[(0, &[opcode])]);
        let found = check(&b, V3, Some(Engine::Pool));
        assert!(found.iter().all(|v| v.rule != "engine"), "{opcode:#x}");
        assert!(table::by_byte(opcode).is_some_and(|op| op.engines.allow(Engine::Pool)));
    }
    let found = check(&hex("0210"), V3, Some(Engine::Act));
    assert!(
        found
            .iter()
            .any(|v| v.rule == "engine" && v.severity == Severity::Error)
    );
}
