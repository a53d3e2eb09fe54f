//! The enumerations that layouts use against `enums.tsv` and `alu_ops.tsv`.

use std::collections::BTreeSet;

use crate::isa::field::{EnumDesc, FieldKind};
use crate::isa::table;

const ENUMS: &str = include_str!("../../../../assets/isa/enums.tsv");
const ALU: &str = include_str!("../../../../assets/isa/alu_ops.tsv");

/// Enumerations of the wire and what the sheet calls them. Those marked IR say their wire values in the notes.
const PAIRS: [(&str, &str); 15] = [
    ("ACCUM_CMD", "ACCUM_CMD(wire)"),
    ("ACCUMULATE_MODE", "ACCUMULATE_MODE(flags bit4)"),
    ("BR_CMP_OP", "BranchCompareOp(IR)"),
    ("COLLECTIVE_TYPE", "CollectiveKind(IR)"),
    ("COMPRESS_OP", "COMPRESS_OP(wire)"),
    ("DEQUANT_FMT", "DEQUANT_FMT"),
    ("IMM_SRC", "IMM_SRC(wire)"),
    ("INDIRECT_DIM", "INDIRECT_DIM(wire)"),
    (
        "MATMUL_PSUM_ACCUMULATE_FLAGS",
        "MATMUL_PSUM_ACCUMULATE_MODE",
    ),
    ("MATMUL_ZERO_REGION", "MATMUL_ZERO_REGION"),
    ("PE_FP32MODE", "PE_FP32MODE(wire)"),
    ("PERF_OPT_MODE", "PERF_OPT_MODE(wire)"),
    ("REDUCE_CMD", "ReduceCmdType"),
    ("TENS_SCALAR_REV_OPS", "TENS_SCALAR_REV_OPS(wire)"),
    ("TENSOR_SUBDIM", "TENSOR_SUBDIM(wire)"),
];

/// A name without what only style decides.
fn plain(name: &str) -> String {
    let name = name.strip_prefix("IS_").unwrap_or(name);
    name.replace('_', "").to_uppercase()
}

fn number(text: &str) -> u8 {
    match text.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16).expect(text),
        None => text.parse().expect(text),
    }
}

/// Members by the sheet; those without a wire value are left out.
fn members(sheet: &str) -> BTreeSet<(u8, String)> {
    let rows = ENUMS.lines().map(|l| l.split('\t').collect::<Vec<_>>());
    rows.filter(|r| r[0] == sheet)
        .filter_map(|r| {
            let value = match (sheet, r[4].strip_prefix("wire ")) {
                ("BranchCompareOp(IR)" | "CollectiveKind(IR)", wire) => wire?,
                _ => r[1],
            };
            Some((number(value), plain(r[2])))
        })
        .collect()
}

fn used() -> Vec<&'static EnumDesc> {
    let formats = table::rows().flat_map(|r| r.formats);
    let fields = formats.flat_map(|(_, f)| f.fields);
    fields
        .filter_map(|f| match f.kind {
            FieldKind::Enum(desc) => Some(desc),
            _ => None,
        })
        .collect()
}

#[test]
fn members_are_those_of_the_sheet() {
    let used = used();
    for (ours, sheet) in PAIRS {
        let desc = used.iter().find(|d| d.name == ours).expect(ours);
        let mut found: BTreeSet<(u8, String)> =
            desc.values.iter().map(|(v, n)| (*v, plain(n))).collect();
        match ours {
            // ALWAYS exists on the wire only (isa 08 §6.1).
            "BR_CMP_OP" => assert!(found.remove(&(0, "ALWAYS".to_owned()))),
            // Accumulating groups have names of flags, not of modes (isa 05 §2).
            "MATMUL_PSUM_ACCUMULATE_FLAGS" => found.retain(|(v, _)| *v < 4),
            _ => {}
        }
        assert_eq!(found, members(sheet), "{ours}");
    }
}

#[test]
fn operations_are_those_of_the_sheet() {
    let alu = used().into_iter().find(|d| d.name == "ALU_OP").unwrap();
    let rows = ALU
        .lines()
        .skip(1)
        .map(|l| l.split('\t').collect::<Vec<_>>());
    let sheet: BTreeSet<(u8, &str)> = rows.map(|r| (number(r[0]), r[1])).collect();
    assert_eq!(alu.values.iter().copied().collect::<BTreeSet<_>>(), sheet);
}
