//! Claims E1..E44 of the structural-enumeration document, by id.

use super::*;
use crate::isa::fields::{AccumCmd, Addr4, SubDim, WireDim};
use crate::isa::{Bundle, Engine, Generation, Space, decode, table};

fn text<T>(r: Result<T, StructuralError>) -> String {
    r.err().expect("an error").to_string()
}

fn names<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|m| name(*m)).collect()
}

#[test]
fn e1_e2_e4_engine_names() {
    let internal = [
        "Unassigned",
        "Pool",
        "Activation",
        "PE",
        "DMA",
        "DVE",
        "SP",
        "ALL",
    ];
    let external = [
        "Unassigned",
        "GPSIMD",
        "Scalar",
        "Tensor",
        "SyncDMA",
        "Vector",
        "Sync",
        "All",
    ];
    assert_eq!(names(EngineType::ALL, EngineType::name), internal);
    assert_eq!(names(EngineType::ALL, EngineType::external_name), external);
    for (n, e) in (0..).zip(EngineType::ALL) {
        assert_eq!(e.ordinal(), n);
        assert_eq!(EngineType::from_ordinal(n), Ok(*e));
        assert_eq!(EngineType::parse(e.name()), Ok(*e));
        assert_eq!(EngineType::parse_external(e.external_name()), Ok(*e));
        let agree = e.name().eq_ignore_ascii_case(e.external_name());
        assert_eq!(agree, n == 0 || n == 7, "{e}");
    }
    assert_ne!(EngineType::All.name(), EngineType::All.external_name());
}

#[test]
fn e3_gpsimd_is_pool() {
    assert_eq!(EngineType::parse_external("GPSIMD"), Ok(EngineType::Pool));
    assert_eq!(
        text(EngineType::parse_external("PWP")),
        "Unknown EngineType 'PWP'"
    );
    assert_eq!(text(EngineType::parse("PWP")), "Unknown EngineType 'PWP'");
    assert_eq!(Engine::parse("gpsimd"), Engine::parse("pool"));
}

#[test]
fn e5_e6_unknown_values() {
    assert_eq!(text(EngineType::from_ordinal(8)), "Unknown EngineType '8'");
    assert_eq!(
        text(AxisListType::from_ordinal(6)),
        "Unknown AxisListType '6'"
    );
    assert_eq!(
        text(IndirectDim::from_ordinal(4)),
        "Unknown IndirectDim '4'"
    );
    assert_eq!(
        text(TransposeOps::parse("WZYX")),
        "Unknown TransposeOps 'WZYX'"
    );
    assert_eq!(
        text(EngineAccumulationType::parse("ADD")),
        "Unknown EngineAccumulationType 'ADD'"
    );
}

#[test]
fn e7_external_name_where_internal_is_wanted() {
    assert_eq!(
        text(EngineType::parse("GPSIMD")),
        "ExternalEngineType used as EngineType. External: GPSIMD Internal: Pool"
    );
    for (external, internal) in [
        ("Unassigned", "Unassigned"),
        ("GPSIMD", "Pool"),
        ("Scalar", "Activation"),
        ("Tensor", "PE"),
        ("SyncDMA", "DMA"),
        ("Vector", "DVE"),
        ("Sync", "SP"),
        ("All", "ALL"),
    ] {
        let said = EngineType::parse_external(external).map(|e| e.misused().to_string());
        let wanted = format!(
            "ExternalEngineType used as EngineType. External: {external} Internal: {internal}"
        );
        assert_eq!(said, Ok(wanted.clone()));
        if external != internal {
            assert_eq!(text(EngineType::parse(external)), wanted);
        }
    }
}

#[test]
fn e8_engine_instances() {
    for (text, engine, id) in [
        ("PE0", EngineType::Pe, 0),
        ("Pool1", EngineType::Pool, 1),
        ("DMA13", EngineType::Dma, 13),
        ("ALL4294967295", EngineType::All, u32::MAX),
    ] {
        let info = EngineInfo { engine, id };
        assert_eq!(EngineInfo::parse(text), Ok(info));
        assert_eq!(info.to_string(), text);
    }
    for wrong in ["PE", "", "PE4294967296"] {
        assert_eq!(
            EngineInfo::parse(wrong),
            Err(StructuralError::EngineId(wrong.to_owned()))
        );
    }
    assert_eq!(text(EngineInfo::parse("Foo0")), "Unknown EngineType 'Foo'");
}

#[test]
fn e9_e10_engine_counts() {
    let offsets: Vec<u32> = EngineType::ALL.iter().map(|e| e.count_offset()).collect();
    assert_eq!(offsets, [0x6C, 0x74, 0x78, 0x70, 0x80, 0x7C, 0x84, 0x88]);
    for e in EngineType::ALL {
        for g in Generation::MODELLED {
            assert_eq!(e.count(g), 1);
        }
    }
}

#[test]
fn e11_e12_arch_levels() {
    let ordinals: Vec<u32> = ArchLevel::ALL.iter().map(|a| a.ordinal()).collect();
    assert_eq!(ordinals, [10, 20, 30, 40, 50]);
    let all = ["inferentia", "sunda", "gen3", "core_v4", "core_v5"];
    assert_eq!(names(ArchLevel::ALL, ArchLevel::name), all);
    for a in ArchLevel::ALL {
        assert_eq!(ArchLevel::parse(a.name()), Ok(*a));
        assert_eq!(ArchLevel::from_ordinal(a.ordinal()), Ok(*a));
    }
    assert!(ArchLevel::parse("cayman").is_err());
    assert!(ArchLevel::parse("mariana").is_err());
}

#[test]
fn e13_e14_e15_device_names_fold_onto_four_models() {
    let mut found = 0;
    for (level, devices) in [
        (10, &["tonga", "inferentia", "inf1"][..]),
        (20, &["sunda", "trainium", "trn1", "inf2"]),
        (30, &["cayman", "gen3"]),
        (40, &["core_v4"]),
    ] {
        for d in devices {
            assert_eq!(
                hardware_model(d).map(|m| m.level.ordinal()),
                Ok(level),
                "{d}"
            );
            found += 1;
        }
    }
    assert_eq!(found, 10);
    assert_eq!(MODELS.iter().map(|m| m.names.len()).sum::<usize>(), 10);
    assert_eq!(Generation::parse("trn1"), Some(Generation::V2));
    assert_eq!(
        hardware_model("trn1").map(|m| m.level.generation()),
        Ok(Some(Generation::V2))
    );
}

#[test]
fn e16_e17_runtime_names_and_the_generation_without_model() {
    let targets = names(ArchLevel::ALL, ArchLevel::runtime_target);
    assert_eq!(
        targets,
        ["inferentia", "sunda", "cayman", "mariana", "core_v5"]
    );
    assert_eq!(
        ArchLevel::from_ordinal(50).map(ArchLevel::name),
        Ok("core_v5")
    );
    assert_eq!(text(hardware_model("core_v5")), "Unknown architecture");
    assert_eq!(text(ArchLevel::Gen5.model()), "Unknown architecture");
    assert_eq!(text(ArchLevel::from_ordinal(60)), "Unknown architecture");
    assert_eq!(
        ArchLevel::Gen4.model().map(|m| m.level),
        Ok(ArchLevel::Gen4)
    );
}

#[test]
fn e18_e19_accumulation_types_and_their_bytes() {
    let all = [
        "Idle",
        "Zero",
        "Accumulate",
        "ZeroAccumulate",
        "AddAccumulate",
        "LoadAccumulate",
    ];
    assert_eq!(
        names(EngineAccumulationType::ALL, EngineAccumulationType::name),
        all
    );
    for (n, t) in (0..).zip(EngineAccumulationType::ALL) {
        assert_eq!(t.ordinal(), n);
        assert_eq!(EngineAccumulationType::parse(t.name()), Ok(*t));
    }
    assert_eq!(
        text(EngineAccumulationType::from_ordinal(6)),
        "Unknown EngineAccumulationType '6'"
    );
    let wire: Vec<Option<u8>> = EngineAccumulationType::ALL
        .iter()
        .map(|t| t.wire().ok().map(|w| w.0))
        .collect();
    assert_eq!(wire, [Some(0), Some(1), None, Some(3), Some(2), Some(4)]);
    for t in EngineAccumulationType::ALL {
        if let Ok(w) = t.wire() {
            assert_eq!(EngineAccumulationType::from_wire(w), Some(*t));
        }
    }
    assert_eq!(EngineAccumulationType::from_wire(AccumCmd(5)), None);
    assert!(!AccumCmd(5).is_defined());
    assert_eq!(AccumCmd(2).to_string(), "ACCUMULATE");
    assert_eq!(AccumCmd(4).to_string(), "LOAD_ACCUMULATE");
}

#[test]
fn e20_e33_e35_wire_forms_of_the_others() {
    let engines = EngineType::ALL.iter().map(|e| e.engine().map(|w| w as u8));
    assert_eq!(
        engines.collect::<Vec<_>>(),
        [
            None,
            Some(2),
            Some(1),
            Some(0),
            None,
            Some(3),
            Some(4),
            None
        ]
    );
    let dims: Vec<u8> = IndirectDim::ALL.iter().map(|d| d.wire().0).collect();
    assert_eq!(dims, [3, 2, 1, 0]);
    assert_eq!(
        names(IndirectDim::ALL, IndirectDim::name),
        ["W", "Z", "Y", "X"]
    );
    for d in IndirectDim::ALL {
        assert_eq!(IndirectDim::parse(d.name()), Ok(*d));
        assert_eq!(IndirectDim::from_wire(d.wire()), Some(*d));
        assert_eq!(d.wire().to_string(), d.name());
    }
    assert_eq!(WireDim(0).to_string(), "X");
    let subs = AxisListType::ALL.iter().map(|a| a.sub_dim().map(|s| s.0));
    assert_eq!(
        subs.collect::<Vec<_>>(),
        [Some(2), Some(3), Some(4), Some(5), None, None]
    );
    assert!(Addr4(1 << 29).indirect());
}

#[test]
fn e21_e22_e41_e42_e43_e44_what_the_tables_say() {
    // E21, E22: the accumulator is not PSUM; continuing is the byte ACCUMULATE.
    assert_eq!(
        EngineAccumulationType::AddAccumulate.wire(),
        Ok(AccumCmd::ACCUMULATE)
    );
    // E41: XYZW is a member that counts four free dimensions.
    assert_eq!(AxisListType::Xyzw.sub_dim(), Some(SubDim::XYZW));
    // E42: POOL runs many opcodes.
    for byte in [0x45, 0x67, 0x68, 0x7E, 0xE7, 0xF2, 0xBF] {
        assert!(
            table::by_byte(byte).is_some_and(|op| op.engines.allow(Engine::Pool)),
            "{byte:#x}"
        );
    }
    // E43.
    assert_eq!(
        (Reducer::TensorReduce as u32, Reducer::Pool as u32),
        (27, 20)
    );
    // E44: MATMUL is PE's alone.
    let matmul = decode(&Bundle::of_opcode(0x02), Generation::V3);
    let allowed = Engine::ALL.map(|e| matmul.op.is_some_and(|op| op.engines.allow(e)));
    assert_eq!(allowed, [true, false, false, false, false]);
}

#[test]
fn e23_to_e29_e34_json_keys() {
    let read = |t: &str| serde_json::from_str::<InstructionFields>(t).map_err(|e| e.to_string());
    let f = read(r#"{"accumulator_cmd": "AddAccumulate", "name": "I-1"}"#).expect("E23");
    assert_eq!(
        f.accumulator_cmd.map(EngineAccumulationType::ordinal),
        Some(4)
    );
    let f = read(r#"{"reduce_cmd": "ZeroAccumulate"}"#).expect("E24");
    assert_eq!(f.reduce_cmd.map(EngineAccumulationType::ordinal), Some(3));
    // E24, E25: a name of the dormant ReduceCmdType is none.
    let e = read(r#"{"reduce_cmd": "ResetReduce"}"#).expect_err("E25");
    assert!(
        e.starts_with("Unknown EngineAccumulationType 'ResetReduce'"),
        "{e}"
    );
    let f = read(r#"{"accumulation_flag": true}"#).expect("E26");
    assert_eq!(f.accumulation_flag, Some(true));
    assert!(read(r#"{"accumulation_flag": "Accumulate"}"#).is_err());
    // E27: names, never numbers.
    assert!(read(r#"{"reduce_cmd": 3}"#).is_err());
    assert_eq!(
        serde_json::to_string(&EngineType::Pe).ok().as_deref(),
        Some("\"PE\"")
    );
    // E28, E29.
    assert_eq!(AXES, ['W', 'Z', 'Y', 'X']);
    let t: TensorFields = serde_json::from_str("{}").expect("E29");
    assert_eq!(t.partition_dim, 0);
    let f = read(
        r#"{"indirect_dim": "X", "indirect_dim_max_index": 511, "indirect_dims": ["Y", "X"], "num_tensor_indirect_indices": 64}"#,
    )
    .expect("E34");
    assert_eq!(f.indirect_dim, Some(IndirectDim::X));
    assert_eq!(f.indirect_dim.map(IndirectDim::ordinal), Some(3));
    assert_eq!(f.indirect_dims, Some(vec![IndirectDim::Y, IndirectDim::X]));
    assert_eq!(
        (f.indirect_dim_max_index, f.num_tensor_indirect_indices),
        (Some(511), Some(64))
    );
    let e = read(r#"{"indirect_dim": "V"}"#).expect_err("E34");
    assert!(e.starts_with("Unknown IndirectDim 'V'"), "{e}");
}

#[test]
fn e30_e31_e32_reductions() {
    let all = ["X", "XY", "XYZ", "XYZW", "XYZWC", "C"];
    assert_eq!(names(AxisListType::ALL, AxisListType::name), all);
    for a in AxisListType::ALL {
        assert_eq!(AxisListType::parse(a.name()), Ok(*a));
    }
    let counts = [128, 4, 8, 16];
    for (axes, product) in (0..)
        .map(AxisListType::from_ordinal)
        .zip([16, 128, 512, 65536])
    {
        let axes = axes.expect("0..4");
        assert_eq!(
            reduce_ops(Reducer::TensorReduce, axes, &counts),
            Ok(product)
        );
        assert_eq!(reduce_ops(Reducer::Pool, axes, &counts), Ok(128));
    }
    for axes in [AxisListType::Xyzwc, AxisListType::C] {
        assert!(reduce_ops(Reducer::TensorReduce, axes, &counts).is_err());
        assert_eq!(reduce_ops(Reducer::Pool, axes, &counts), Ok(128));
    }
    assert!(reduce_ops(Reducer::TensorReduce, AxisListType::X, &[128, 16]).is_err());
    assert!(reduce_ops(Reducer::TensorReduce, AxisListType::Xyzw, &[128, 8, 16]).is_err());
    assert!(reduce_ops(Reducer::Pool, AxisListType::X, &[16]).is_err());
}

#[test]
fn e36_e37_transposes() {
    let table = [
        (0, "None", [0, 1, 2, 3]),
        (1, "WZXY", [0, 1, 3, 2]),
        (2, "WXZY", [0, 3, 1, 2]),
        (3, "WYXZ", [0, 2, 3, 1]),
        (4, "ZWYX", [1, 0, 2, 3]),
        (5, "ZYWX", [1, 2, 0, 3]),
        (6, "ZYXW", [1, 2, 3, 0]),
        (7, "YXWZ", [2, 3, 0, 1]),
        (8, "YXZW", [2, 3, 1, 0]),
        (9, "YWZX", [2, 0, 1, 3]),
        (10, "XWZY", [3, 0, 1, 2]),
        (11, "XZYW", [3, 1, 2, 0]),
        (12, "XYZW", [3, 2, 1, 0]),
        (13, "XYWZ", [3, 2, 0, 1]),
    ];
    assert_eq!(TransposeOps::ALL.len(), table.len());
    for (n, name, perm) in table {
        let op = TransposeOps::from_ordinal(n).expect(name);
        assert_eq!((op.name(), op.permutation()), (name, perm));
        assert_eq!(TransposeOps::parse(name), Ok(op));
        let order: String = op.apply(AXES).iter().collect();
        assert_eq!(order, if n == 0 { "WZYX" } else { name });
    }
    for missing in [
        "WZYX", "WYZX", "WXYZ", "ZWXY", "ZXWY", "ZXYW", "YWXZ", "YZWX", "YZXW", "XWYZ", "XZWY",
    ] {
        assert_eq!(
            text(TransposeOps::parse(missing)),
            format!("Unknown TransposeOps '{missing}'")
        );
    }
    assert_eq!(
        text(TransposeOps::from_ordinal(14)),
        "Unknown TransposeOps '14'"
    );
}

#[test]
fn e38_e39_e40_dma_transpose() {
    let xyzw = TransposeOps::Xyzw;
    for ranks in [(3, 4), (4, 3), (2, 2)] {
        assert_eq!(
            text(dma_transpose(xyzw, ranks.0, ranks.1, Space::Sbuf)),
            "Source and destination access pattern must be 4-D"
        );
    }
    for space in [Space::Dram, Space::Psum] {
        let said = text(dma_transpose(xyzw, 4, 4, space));
        assert!(
            said.starts_with("Destination must be") && said.ends_with("a SB location"),
            "{said}"
        );
    }
    let made = dma_transpose(xyzw, 4, 4, Space::Sbuf).expect("E40");
    assert_eq!((made.mode.ordinal(), made.ops), (1, xyzw));
}
